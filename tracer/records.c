/* Writes control records into the ring. */
#include "records.h"

#include "ring.h"

#include "pub_tool_libcassert.h"
#include "pub_tool_libcbase.h"
#include "pub_tool_libcproc.h"
#include "pub_tool_vki.h"

static ThreadId present;
static Bool ended;

ULong bx_time(void)
{
    struct vki_timespec now;
    VG_(clock_gettime)(&now, VKI_CLOCK_MONOTONIC);
    return (ULong)now.tv_sec * 1000000000 + (ULong)now.tv_nsec;
}

void bx_record_thread(ThreadId tid)
{
    const ULong word = bx_trace_control_word(BX_TRACE_THREAD, tid);
    if (tid == present || tid == VG_INVALID_THREADID)
        return;
    present = tid;
    bx_ring_write(&word, 1);
}

void bx_record(ThreadId tid, enum bx_trace_control_kind kind, UInt value, const ULong *words,
               UInt n)
{
    static ULong all[2 + BX_TRACE_PATH_WORDS]; /* static, because it is large for a stack */
    tl_assert(n < sizeof all / sizeof *all);
    bx_record_thread(tid);
    all[0] = bx_trace_control_word(kind, value);
    VG_(memcpy)(all + 1, words, n * sizeof *words);
    bx_ring_write(all, 1 + n);
}

void bx_record_path(ThreadId tid, enum bx_trace_control_kind kind, UInt value, const HChar *text)
{
    static ULong words[1 + BX_TRACE_PATH_WORDS];
    SizeT length = VG_(strnlen)(text, sizeof words - sizeof *words);
    words[0] = (length + sizeof *words - 1) / sizeof *words;
    words[words[0]] = 0; /* clears the text's last word, if there is text */
    if (length)
        VG_(memcpy)(words + 1, text, length);
    else
        words[0] = 0;
    bx_record(tid, kind, value, words, 1 + (UInt)words[0]);
}

void bx_record_end(enum bx_trace_end how)
{
    if (ended)
        return;
    BX_RECORD(VG_INVALID_THREADID, BX_TRACE_END, how, bx_time());
    bx_ring_publish();
    ended = how != BX_TRACE_END_EXEC;
}

Bool bx_record_has_ended(void)
{
    return ended;
}

void bx_records_restart(void)
{
    ended = False;
    present = VG_INVALID_THREADID;
}

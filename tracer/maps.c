/* Records the mappings of the program's address space. */
#include "maps.h"

#include "core_calls.h"
#include "file_names.h"
#include "notes.h"
#include "records.h"

#include "pub_tool_aspacemgr.h"
#include "pub_tool_libcfile.h"
#include "pub_tool_tooliface.h"
#include "pub_tool_vki.h"
#include "pub_tool_vkiscnums.h"

enum { PAGE = 4096 };

static ULong up(ULong address)
{
    return (address + PAGE - 1) & ~(ULong)(PAGE - 1);
}

static void unmap(ThreadId tid, ULong from, ULong bytes)
{
    if (bytes)
        BX_RECORD(tid, BX_TRACE_UNMAP, 0, from, bytes);
}

/* ---- at the start ---- */

/* The page at which the stack begins; the arguments are above. Valgrind sets the stack pointer only
 * later, but the words from there on are known: their number, the arguments and 0, and then the
 * environment. */
static Addr first_stack_page(void)
{
    UWord *word = (UWord *)bx_core_first_environment(), arguments = 0;
    if (!word)
        return 0;
    for (word -= 2; *word != arguments; word--)
        arguments++;
    return (Addr)word & ~(Addr)(PAGE - 1);
}

static void start_mapping(Addr from, SizeT bytes, Bool readable, Bool writable, Bool executable,
                          ULong debug_info)
{
    const NSegment *s = VG_(am_find_nsegment)(from);
    const Addr stack = first_stack_page();
    UInt flags = executable ? BX_TRACE_MAP_EXECUTABLE : 0;
    (void)readable;
    (void)writable;
    (void)debug_info;
    if (!s || from % PAGE != 0) /* Valgrind also reports the rest of its page */
        return;
    if (s->kind == SkFileC) {
        ULong offset = (ULong)s->offset + (from - s->start);
        BX_RECORD(VG_INVALID_THREADID, BX_TRACE_MAP, flags | BX_TRACE_MAP_FILE, from, bytes, s->dev,
                  s->ino, offset);
        if (offset == 0)
            bx_name_file(VG_INVALID_THREADID, from, bytes);
    } else if (s->kind == SkAnonC)
        BX_RECORD(VG_INVALID_THREADID, BX_TRACE_MAP, flags, from, bytes, 0, 0, 0);
    if (s->kind == SkAnonC && stack >= from && stack < from + bytes)
        BX_RECORD(VG_INVALID_THREADID, BX_TRACE_MAP, flags | BX_TRACE_MAP_FILLED, stack,
                  from + bytes - stack, 0, 0, 0);
}

/* ---- brk() ---- */

/* A page that is partly in use, before or after the change, stays mapped. */
static void grow(Addr from, SizeT bytes, ThreadId tid)
{
    if (up(from + bytes) > up(from))
        BX_RECORD(tid, BX_TRACE_MAP, 0, up(from), up(from + bytes) - up(from), 0, 0, 0);
}

static void shrink(Addr from, SizeT bytes)
{
    unmap(VG_INVALID_THREADID, up(from), up(from + bytes) - up(from));
}

/* ---- system calls ---- */

enum { TYPE = 3, PRIVATE = 2, ANONYMOUS = 0x20, READ = 1, EXECUTE = 4 };

static void map(ThreadId tid, const UWord *args, UWord at)
{
    struct vg_stat file;
    UInt flags = (args[3] & TYPE) == PRIVATE ? 0 : BX_TRACE_MAP_SHARED;
    if (args[2] & EXECUTE)
        flags |= BX_TRACE_MAP_EXECUTABLE;
    if (!(args[3] & ANONYMOUS) && VG_(fstat)((Int)args[4], &file) == 0) {
        BX_RECORD(tid, BX_TRACE_MAP, flags | BX_TRACE_MAP_FILE, at, up(args[1]), file.dev, file.ino,
                  args[5]);
        if (args[5] == 0 && args[2] & READ)
            bx_name_file(tid, at, (ULong)file.size < args[1] ? (ULong)file.size : args[1]);
    } else {
        BX_RECORD(tid, BX_TRACE_MAP, flags, at, up(args[1]), 0, 0, 0);
    }
}

/* shmdt() does not give the size of the segment, and afterwards it is unknown. */
static ULong attached;

static ULong bytes_of(Addr address)
{
    const NSegment *s = VG_(am_find_nsegment)(address);
    return s && s->kind == SkShmC ? s->end + 1 - s->start : 0;
}

void bx_maps_before_call(UInt number, const UWord *args)
{
    if (number == __NR_shmdt)
        attached = bytes_of(args[0]);
}

/* MADV_FREE frees pages only when memory is short, which that of the model never is. */
enum { DONT_NEED = 4, HUGE = 14, NOT_HUGE = 15, COLLAPSE = 25 };
enum { DISABLE_HUGE = 41 }; /* PR_SET_THP_DISABLE */

void bx_maps_after_call(ThreadId tid, UInt number, const UWord *args, UWord result)
{
    switch (number) {
    case __NR_mmap:
        map(tid, args, result);
        break;
    case __NR_munmap:
        unmap(tid, args[0], up(args[1]));
        break;
    case __NR_mremap:
        BX_RECORD(tid, BX_TRACE_MOVE, 0, args[0], up(args[1]), result, up(args[2]));
        break;
    case __NR_shmat:
        BX_RECORD(tid, BX_TRACE_MAP, BX_TRACE_MAP_SHARED | BX_TRACE_MAP_FILE, result,
                  bytes_of(result), ~0ULL, args[0], 0);
        break;
    case __NR_shmdt:
        unmap(tid, args[0], attached);
        break;
    case __NR_madvise:
        if (args[2] == DONT_NEED)
            BX_RECORD(tid, BX_TRACE_DISCARD, 0, args[0], up(args[1]));
        if (args[2] == HUGE || args[2] == NOT_HUGE)
            BX_RECORD(tid, BX_TRACE_ADVISE, args[2] == HUGE, args[0], up(args[1]));
        if (args[2] == COLLAPSE)
            bx_note(tid, BX_TRACE_NOTE_CALL,
                    "asks by MADV_COLLAPSE for huge pages: its pages stay as they are here");
        break;
    case __NR_prctl:
        if (args[0] == DISABLE_HUGE && args[1])
            bx_note(
                tid, BX_TRACE_NOTE_CALL,
                "asks by PR_SET_THP_DISABLE for no huge pages, which the key thp alone decides");
        break;
    default:
        break;
    }
}

void bx_maps_setup(void)
{
    VG_(track_new_mem_startup)(start_mapping);
    VG_(track_new_mem_brk)(grow);
    VG_(track_die_mem_brk)(shrink);
}

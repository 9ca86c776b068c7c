/* Executes RDPMC: asks boxscore, and waits until the machine model is so far. */
#include "core_rdpmc.h"

#include "core_questions.h"
#include "notes.h"
#include "numbers.h"
#include "records.h"
#include "ring.h"
#include "threads.h"
#include "unknown_instruction.h"

#include "libvex_guest_amd64.h"
#include "pub_tool_machine.h"

/* Types of Valgrind 3.13 to 3.24. */
extern void VG_(synth_fault)(ThreadId tid);
extern Bool VG_(is_exiting)(ThreadId tid);
extern void VG_(set_IP)(ThreadId tid, Addr to);

/* ---- registers ---- */

static ULong get(ThreadId tid, PtrdiffT reg)
{
    ULong value;
    VG_(get_shadow_regs_area)(tid, (UChar *)&value, 0, reg, sizeof value);
    return value;
}

static void set(ThreadId tid, PtrdiffT reg, ULong value)
{
    VG_(set_shadow_regs_area)(tid, 0, reg, sizeof value, (const UChar *)&value);
}

#define REGISTER(name) ((PtrdiffT)offsetof(VexGuestAMD64State, guest_##name))

/* ---- the question ---- */

static enum bx_trace_outcome ask(ThreadId tid, UInt counter, ULong *value)
{
    UInt question = bx_core_next_question(tid);
    if (!question)
        return BX_TRACE_NO_MACHINE;
    BX_RECORD(tid, BX_TRACE_RDPMC, counter, tid, question);
    bx_threads_enter_call(tid, 0);
    enum bx_trace_outcome outcome = bx_core_await_answer(tid, question, value);
    bx_threads_leave_call(tid);
    return outcome;
}

/* ---- the instruction ---- */

/* A block of one instruction, described each time: a child has another reader. */
static void record(ThreadId tid, Addr at, UInt size)
{
    static Bool known;
    static UInt number;
    if (!known)
        number = bx_number_take(0, 0);
    known = True;
    const ULong words[] = {bx_trace_control_word(BX_TRACE_BLOCK, 2), number,
                           bx_trace_instruction(at, size, BX_CLASS_OTHER),
                           bx_trace_exit((bx_trace_recurrence){0}, 0),
                           (ULong)number << BX_TRACE_EXIT_BITS};
    bx_record_thread(tid);
    bx_ring_write(words, sizeof words / sizeof *words);
}

static void tell(ThreadId tid, Addr at)
{
    static Addr last;
    HChar place[BX_PLACE_ROOM];
    if (at == last)
        return;
    last = at;
    bx_note_place(at, place);
    bx_note(
        tid, BX_TRACE_NOTE_INSTRUCTION,
        "got SIGSEGV: it executes RDPMC at %s, and no machine counts while a trace is recorded; "
        "try: boxscore stat --machine virtual:… without a trace file",
        place);
}

Bool bx_core_rdpmc(ThreadId tid, Addr at, UInt n)
{
    ULong value = 0;
    UInt size = (UInt)bx_rdpmc_size((const UChar *)at, n);
    if (!size)
        return False;
    enum bx_trace_outcome outcome = ask(tid, (UInt)get(tid, REGISTER(RCX)), &value);
    if (VG_(is_exiting)(tid)) /* another thread has ended the process meanwhile */
        return True;
    if (outcome == BX_TRACE_NO_MACHINE)
        tell(tid, at);
    if (outcome != BX_TRACE_IS_READ) {
        VG_(synth_fault)(tid);
        return True;
    }
    record(tid, at, size);
    set(tid, REGISTER(RAX), (UInt)value);
    set(tid, REGISTER(RDX), value >> 32);
    VG_(set_IP)(tid, at + size);
    return True;
}

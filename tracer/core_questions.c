/* Waits for answers of boxscore, without Valgrind's lock. */
#include "core_questions.h"

#include "ring.h"

/* Types of Valgrind 3.13 to 3.24. The state is an enumeration there. */
extern void VG_(release_BigLock)(ThreadId tid, UInt state, const HChar *who);
extern void VG_(acquire_BigLock)(ThreadId tid, const HChar *who);
extern Bool VG_(is_exiting)(ThreadId tid);
enum { YIELDING = 4 };

UInt bx_core_next_question(ThreadId tid)
{
    static UInt questions;
    if (tid >= BX_TRACE_PLACES)
        return 0;
    if (++questions == 0) /* a place has 0 before its first question */
        questions = 1;
    return questions;
}

enum bx_trace_outcome bx_core_await_answer(ThreadId tid, UInt question, ULong *value)
{
    static const HChar who[] = "a question";
    enum bx_trace_outcome outcome = BX_TRACE_NO_MACHINE;
    bx_ring_publish();
    VG_(release_BigLock)(tid, YIELDING, who);
    while (!bx_ring_await_answer(tid, question, &outcome, value) && !VG_(is_exiting)(tid))
        ;
    VG_(acquire_BigLock)(tid, who);
    return outcome;
}

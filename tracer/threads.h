/* Threads: their beginning and end, and their turns. Valgrind runs one at a time; under its own
 * rule a turn is a hundred times longer, which a thread that spins would burn. */
#ifndef BX_TRACER_THREADS_H
#define BX_TRACER_THREADS_H

#include "pub_tool_basics.h"

extern Long bx_threads_turn; /* blocks */

void bx_threads_setup(void); /* tells Valgrind what to call */
Bool bx_threads_is_last(void);

/* The thread that gives the lock up now will ask for it again at once: its turn has ended. */
Bool bx_threads_yields(void);
void bx_threads_fork(ThreadId tid); /* in the child: this thread is the only one */

/* What a block calls, with Valgrind's record of the thread's registers, VexGuestAMD64State. */
void bx_threads_interrupt(void *state);

/* This thread enters a system call, and comes back from it. */
void bx_threads_enter_call(ThreadId tid, UInt number);
void bx_threads_leave_call(ThreadId tid);

/* The address that the kernel clears, and wakes, when the thread, or the next one that it makes,
 * ends. */
void bx_threads_set_clear(ThreadId tid, ULong address);
void bx_threads_set_child_clear(ULong address);

#endif

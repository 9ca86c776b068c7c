/* The beginning, the end and the turns of threads. Valgrind runs one thread at a time. Valgrind's
 * own turns are a hundred times longer, and a spinning thread would waste them. */
#ifndef BX_TRACER_THREADS_H
#define BX_TRACER_THREADS_H

#include "pub_tool_basics.h"

extern Long bx_threads_turn; /* blocks of a turn */

/* Code that is translated now may be executed by several threads: it collects cycles, and calls the
 * functions below. */
extern Bool bx_threads_share_time;

void bx_threads_setup(void); /* registers functions with Valgrind */
Bool bx_threads_is_last(void);

void bx_threads_fork(ThreadId tid); /* call it in the child, whose only thread this is */

/* A block calls this. state: Valgrind's record of the thread's registers, VexGuestAMD64State. */
void bx_threads_interrupt(void *state);

/* The thread is about to execute a locked operation on that address. 0: it can. Else another thread
 * comes first: the block has to be left before the instruction. */
ULong bx_threads_meet(void *state, ULong address);

/* The thread waits for other threads: it has executed a PAUSE, or a loop that only another thread
 * can end. Ends its turn. */
void bx_threads_look(void *state);

/* The thread has gone back to that address, and has stored nothing for others for some time. Ends
 * its turn if it also comes there with the same registers again. */
void bx_threads_round(void *state, ULong to);

/* The thread enters a system call, and returns from it. */
void bx_threads_enter_call(ThreadId tid, UInt number);
void bx_threads_leave_call(ThreadId tid);

/* The futex that the kernel clears and wakes when the thread ends, or the next thread that it
 * creates. */
void bx_threads_set_clear(ThreadId tid, ULong address);
void bx_threads_set_child_clear(ULong address);

#endif

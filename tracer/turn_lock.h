/* The lock that a thread holds to run, in place of Valgrind's. The thread whose clock comes first
 * gets it: of the threads that wait, and of those that are about to come because they have just
 * been created or woken. */
#ifndef BX_TRACER_TURN_LOCK_H
#define BX_TRACER_TURN_LOCK_H

#include "pub_tool_basics.h"

enum {
    BX_TURN_LOOK = 40,       /* nominal cycles until a thread that waits looks again */
    BX_TURN_WAKE = 100,      /* until a thread that another one wakes runs */
    BX_TURN_BEHIND = 100000, /* by which a thread that was away may be behind, at most */
};
#define BX_TURN_NEVER (~0ULL)

/* All of these are for the thread that holds the lock. */

/* Its clock in nominal cycles, for translated code, too. */
extern ULong bx_turn_lock_now;

/* Whether it will ask for the lock again at once when it has released it, because only its turn has
 * ended. */
void bx_turn_lock_stay(Bool wants);

UInt bx_turn_lock_me(void);     /* its number here */
ULong bx_turn_lock_first(void); /* the smallest clock of others that can run; BX_TURN_NEVER */

/* The thread waits for what another one does: its clock is now behind that of the first thread that
 * does not wait. Whether another one can run. */
Bool bx_turn_lock_look(void);

/* The thread makes a system call that does not block. */
void bx_turn_lock_return(void);

/* A thread of that number of the kernel has been created. */
void bx_turn_lock_create(Int thread);

/* The thread is about to sleep at this futex (private: FUTEX_PRIVATE_FLAG, or 0); it is about to
 * wake some who do; it has woken so many. */
void bx_turn_lock_sleep(Addr futex, UInt private);
void bx_turn_lock_wake(Addr futex, UWord most);
void bx_turn_lock_woke(UWord threads);

/* Valgrind's number of the thread. */
void bx_turn_lock_name(UInt id);

/* The thread ends. The kernel then wakes who sleeps at the futex `clears`; 0: none. */
void bx_turn_lock_end(Addr clears);

#endif

/* The lock that a thread holds to run, in place of Valgrind's. Threads get it in the order of their
 * requests. A thread that releases it at the end of its turn joins the queue before the next one
 * runs. So no thread has two turns while others wait. */
#ifndef BX_TRACER_TURN_LOCK_H
#define BX_TRACER_TURN_LOCK_H

#include "pub_tool_basics.h"

typedef struct bx_turn_lock bx_turn_lock;

bx_turn_lock *bx_turn_lock_new(void);
void bx_turn_lock_free(bx_turn_lock *l);
void bx_turn_lock_acquire(bx_turn_lock *l);
void bx_turn_lock_release(bx_turn_lock *l);
Int bx_turn_lock_owner(bx_turn_lock *l); /* the kernel's number of the thread that holds it */

#endif

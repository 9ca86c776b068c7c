/* The lock that a thread holds to run, in place of Valgrind's. First come, first served; a thread
 * that gives it up at the end of its turn is in the queue before the next one runs, so that none
 * has two turns while others wait. */
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

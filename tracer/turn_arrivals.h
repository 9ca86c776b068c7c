/* Threads that are about to come: created, woken, ending, or in a call that does not sleep. They
 * are waited for, so that no real time decides how far others get. */
#ifndef BX_TRACER_TURN_ARRIVALS_H
#define BX_TRACER_TURN_ARRIVALS_H

#include "turn_places.h"

/* ns that others wait for a thread that is about to come, if it does not run */
enum { BX_ARRIVALS_PATIENCE = 10000000 };

/* The caller has entered. A thread is expected; it has come, or perhaps another one. */
void bx_arrivals_expect(bx_turn_lock *l, bx_place *p);
void bx_arrivals_came(bx_turn_lock *l, bx_place *p);

/* Whether some are still on their way, on a host that is slow to run them. */
Bool bx_arrivals_some_are_on_their_way(const bx_turn_lock *l);

/* Waits until those have come that are expected. */
void bx_arrivals_await(const bx_turn_lock *l);

/* Waits until no thread is about to sleep, and the one that ends is gone. */
void bx_arrivals_settle(bx_turn_lock *l);

#endif

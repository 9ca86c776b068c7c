/* The events to count where none are named. */
#ifndef BX_MEASURE_DEFAULT_EVENTS_H
#define BX_MEASURE_DEFAULT_EVENTS_H

#include "base/arena.h"
#include "machine/machine.h"

/* A list of events: those that the CPU's catalogue file recommends and the machine can count, or
 * else those that every kernel counts for a program. NULL: out of memory. */
const char *bx_default_events(bx_machine *m, bx_arena *a);

#endif

/* The events to count where none are named. */
#ifndef BX_MEASURE_DEFAULT_EVENTS_H
#define BX_MEASURE_DEFAULT_EVENTS_H

#include "base/arena.h"
#include "machine/machine.h"

/* As a list: the CPU's recommended events that the machine can count, else what every kernel counts
 * of a program. NULL: out of memory. */
const char *bx_default_events(bx_machine *m, bx_arena *a);

#endif

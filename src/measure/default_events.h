/* The events to count where none are named, and the words of the first screen. */
#ifndef BX_MEASURE_DEFAULT_EVENTS_H
#define BX_MEASURE_DEFAULT_EVENTS_H

#include "base/arena.h"
#include "machine/machine.h"

enum { BX_SCREEN_WORDS = 16 }; /* most words of the first screen */

typedef struct bx_default_events {
    const char *text; /* a list of events; NULL: out of memory */
    /* [screen_n] words of events and metrics, which the first screen shows; 0: it has all events */
    const char *screen[BX_SCREEN_WORDS];
    size_t screen_n;
} bx_default_events;

/* Those that the CPU's catalogue file recommends and the machine can count, or else those that
 * every kernel counts for a program. On a virtual machine, whose events all count at once, also
 * what the first screen shows and its advice is about. registers: all must be counted by
 * registers, whose accesses are logged. */
bx_default_events bx_default_events_of(bx_machine *m, bool registers, bx_arena *a);

#endif

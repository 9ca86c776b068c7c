/* Finds names for a selection's unit mask that read back to the same registers. */
#ifndef BX_EVENT_FORMAT_SPELL_H
#define BX_EVENT_FORMAT_SPELL_H

#include "event/event.h"

enum { BX_SPELLED = 24 }; /* most names of one selection */

typedef struct bx_spelling {
    uint16_t umask[BX_SPELLED]; /* catalogue indices, in the order in which they are printed */
    unsigned n;
    bool number;      /* there are no names for the value: it is printed as a number */
    uint32_t implied; /* modifiers (mask) of the names */
} bx_spelling;

bx_spelling bx_event_spell(const struct bx_catalog *c, const bx_evsel *event);

/* Whether `=0` must be written for a filter that the event always has: it then passes no state at
 * all. `local`: the modifier's index within the PMU. */
bool bx_zero_matters(const struct bx_catalog *c, const bx_evsel *event, unsigned local);

#endif

/* EVENT=N of the options --until and --sample: the counter of an event that stops all others after
 * N counts. */
#ifndef BX_MEASURE_OVERFLOW_EVENT_H
#define BX_MEASURE_OVERFLOW_EVENT_H

#include "base/arena.h"
#include "base/str.h"

#include <boxscore/boxscore.h>

typedef struct bx_overflow_event {
    bx_str text;    /* EVENT, as given */
    bx_evsel event; /* the same, parsed */
    uint64_t counts;
    const char *name; /* "skl_unc_cbo0::…=1000" */
} bx_overflow_event;

/* The last '=' is before N. Spans of errors are in the option's text. */
int bx_overflow_event_read(const bx_machine *m, const char *option, bx_arena *arena,
                           bx_overflow_event *to, bx_error *e);

/* Adds EVENT to a list of events, unless the list already has it. Returns its index. There is room
 * for one more event; *text, the list, gets its text. */
size_t bx_overflow_event_add(const bx_machine *m, const bx_overflow_event *o, bx_arena *arena,
                             bx_evsel *events, size_t *n, const char **text);

#endif

/* EVENT=N of the options --until and --sample: the counter of an event that stops all others after
 * N counts. */
#ifndef BX_CLI_MEASURE_OVERFLOW_OPTION_H
#define BX_CLI_MEASURE_OVERFLOW_OPTION_H

#include "base/arena.h"
#include "base/str.h"

#include <boxscore/boxscore.h>

typedef struct bx_overflow_option {
    bx_str text;    /* EVENT, as given */
    bx_evsel event; /* the same, parsed */
    uint64_t counts;
    const char *name; /* "skl_unc_cbo0::…=1000" */
} bx_overflow_option;

/* The last '=' is before N. Spans of errors are in the option's text. */
int bx_overflow_option_read(const bx_machine *m, const char *option, bx_arena *arena,
                            bx_overflow_option *to, bx_error *e);

/* Adds EVENT to a list of events, unless the list already has it. Returns its index. There is room
 * for one more event; *text, the list, gets its text. */
size_t bx_overflow_option_add(const bx_machine *m, const bx_overflow_option *o, bx_arena *arena,
                              bx_evsel *events, size_t *n, const char **text);

#endif

/* Saved runs typed by hand. */
#ifndef BX_TESTS_COMPARE_RUNS_H
#define BX_TESTS_COMPARE_RUNS_H

#include "../cmocked.h"

#include "compare/comparison.h"

#include <string.h>

/* A line of an event of the whole machine, as `stat -j` writes it; `more`: further members. */
#define COUNT_MORE(event, value, more)                                                             \
    "{\"counter-value\" : \"" value "\", \"unit\" : \"lines\", \"event\" : \"" event               \
    "\", \"event-runtime\" : 1, \"pcnt-running\" : 100.00, \"value\" : " value                     \
    ", \"state\" : \"counted\"" more "}\n"
#define COUNT(event, value) COUNT_MORE(event, value, ", \"metrics\" : []")
#define METRIC(name, value) "{\"name\" : \"" name "\", \"value\" : " value ", \"unit\" : \"MB\"}"
#define RUN_OF(runs, machine)                                                                      \
    "{\"run\" : {\"work\" : \"'x'\", \"runs\" : " runs                                             \
    ", \"seconds\" : 0.5, \"exit-status\" : 0, "                                                   \
    "\"environment\" : {\"boxscore\" : \"0.1.0\", \"machine\" : \"" machine "\"}}}\n"
#define LAST RUN_OF("1", "virtual:skl,part=plain")

static inline void read_saved(bx_arena *a, const char *name, const char *text, bx_saved *to)
{
    bx_error e = {0};
    if (bx_saved_read(name, bx_str_of(text), a, to, &e))
        fail_msg("%s\n%s", e.message, text);
}

static inline void compare_saved(bx_arena *a, const char *was, const char *is, bx_comparison *to)
{
    bx_error e = {0};
    bx_saved *runs = bx_arena_get(a, 2 * sizeof *runs);
    assert_non_null(runs);
    read_saved(a, "old", was, &runs[0]);
    read_saved(a, "new", is, &runs[1]);
    if (bx_compare(&runs[0], &runs[1], a, to, &e))
        fail_msg("%s", e.message);
}

#endif

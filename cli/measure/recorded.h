/* What `stat` was asked for, as notes in the head of a recording: its replay needs no options. */
#ifndef BX_CLI_MEASURE_RECORDED_H
#define BX_CLI_MEASURE_RECORDED_H

#include "base/arena.h"

#include <boxscore/boxscore.h>

typedef struct bx_recorded {
    const char *events;  /* NULL: not given, as all that is 0 */
    const char *subject; /* what ran */
    uint64_t interval;   /* ns */
    uint64_t runs;
    bool repeat; /* passes had a run each */
} bx_recorded;

/* The notes of bx_machine_options; NULL when out of memory. */
const char *bx_recorded_notes(const bx_recorded *r, bx_arena *arena);

/* What the recording that a machine runs from tells. Texts live in the arena. */
bx_recorded bx_recorded_read(const bx_machine *m, bx_arena *arena);

#endif

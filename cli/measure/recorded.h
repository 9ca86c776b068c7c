/* The options of `stat` as notes in the head of a recording, so that a replay needs no options. */
#ifndef BX_CLI_MEASURE_RECORDED_H
#define BX_CLI_MEASURE_RECORDED_H

#include "base/arena.h"
#include "machine/program/process/surroundings.h"

#include <boxscore/boxscore.h>

typedef struct bx_recorded {
    const char *events;  /* NULL: not given; likewise 0 below */
    const char *subject; /* the work */
    const char *lackey;  /* why lackey traced it; not read, as the machine does */
    uint64_t interval;   /* ns */
    uint64_t runs;
    bool repeat;           /* each pass had its own run */
    bx_surroundings shown; /* to a traced program; not read back */
} bx_recorded;

/* The notes for bx_machine_options; NULL when out of memory. */
const char *bx_recorded_notes(const bx_recorded *r, bx_arena *arena);

/* The options in the recording that a machine replays. Texts live in the arena. */
bx_recorded bx_recorded_read(const bx_machine *m, bx_arena *arena);

#endif

/* The options of a measurement as notes in the head of a register log, so that a replay needs no
 * options. If a replay has options, they select a part of the register log. */
#ifndef BX_MEASURE_RECORDED_H
#define BX_MEASURE_RECORDED_H

#include "base/arena.h"
#include "machine/program/process/surroundings.h"
#include "measure/measurement.h"
#include "report/report.h"

#include <boxscore/boxscore.h>

typedef struct bx_recorded {
    const char *events;  /* NULL: not given; below, 0 means the same */
    const char *subject; /* the work */
    const char *lackey;  /* why lackey traced it; the machine reads this, not bx_recorded_read() */
    uint64_t interval;   /* ns */
    uint64_t runs;
    bool repeat;           /* each pass had its own run */
    const char *screen;    /* words of the first screen, between commas; no events were named */
    bx_surroundings shown; /* surroundings shown to a traced program; not read back */
    const bx_fact *environment; /* [environment_n] */
    size_t environment_n;
} bx_recorded;

/* Whether the register log at `path` has what the options request. BX_BAD_INPUT: *e says what it
 * has. */
int bx_recorded_check(const bx_recorded *r, const char *path, const bx_measure_options *o,
                      bx_error *e);

/* The index in m->counted of the event that `asked` is, or is a part of. */
int bx_recorded_find(const bx_measurement *m, const bx_evsel *asked, uint16_t *index, bx_error *e);

/* The readings of m->measured->events, by m->recorded, out of those of m->counted. *n: their
 * number, before and after. Free them; NULL when out of memory. */
bx_reading *bx_recorded_choose(const bx_measurement *m, const bx_reading *all, size_t *n);

/* The notes for bx_machine_options; NULL when out of memory. */
const char *bx_recorded_notes(const bx_recorded *r, bx_arena *arena);

/* The options in the register log that a machine replays. Texts live in the arena. */
bx_recorded bx_recorded_read(const bx_machine *m, bx_arena *arena);

#endif

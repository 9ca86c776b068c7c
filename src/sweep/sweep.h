/* A sweep: one work on many machines, each point as `stat` counts it, several at once. */
#ifndef BX_SWEEP_SWEEP_H
#define BX_SWEEP_SWEEP_H

#include "sweep/points.h"

#include <boxscore/boxscore.h>

#include <stdbool.h>

/* How far it is. */
typedef struct bx_sweep_state {
    size_t points, done, refused, failed; /* the last three: of this sweep, also of earlier runs */
    size_t before;                        /* outcomes of earlier runs */
    double seconds;                       /* since this run began */
} bx_sweep_state;

typedef struct bx_sweep {
    const bx_catalog *catalog;
    bx_points points;
    const char *path;           /* of the results */
    const char *trace;          /* one of these three; NULL: another */
    char *const *program;       /* ends with NULL */
    const char *const *options; /* of `stat`, for each point; ends with NULL */
    const char *shows;          /* the columns of the table: bx_sweep_results.shows */
    const char *recordings;     /* the folder for a recording of each point; NULL: none */
    size_t jobs;                /* points that run at once, of each task */
    const char *engine;         /* what runs tasks of points (engine.h); NULL: this process does */
    size_t tasks;               /* of the engine */
    size_t part;                /* this is task 1 to `tasks` of an engine; 0: it is not */
    bool (*ends)(void);         /* whether a signal asks for the end */
    void (*at)(void *context, const bx_sweep_state *state);
    void *context;

    /* Results. */
    bx_sweep_state state;
    bool resumed, interrupted;
    size_t left; /* points without an outcome: tasks of the engine did not end */
} bx_sweep;

/* Runs all points that have no outcome yet. BX_OK also if points were refused or failed, or if it
 * was interrupted. */
int bx_sweep_run(bx_sweep *s, bx_error *e);

#endif

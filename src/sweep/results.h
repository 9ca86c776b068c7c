/* The results of a sweep, read from its file. */
#ifndef BX_SWEEP_RESULTS_H
#define BX_SWEEP_RESULTS_H

#include "base/arena.h"
#include "base/error.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct bx_sweep_cell {
    const char *value; /* all digits; NULL: there is none */
    const char *state; /* "counted", "scaled", or why there is none; NULL: not in this point */
} bx_sweep_cell;

typedef struct bx_sweep_point {
    uint64_t id;
    const char *machine, *state, *message; /* message: NULL: none */
    double seconds;
    const char **settings; /* [keys_n] */
    bx_sweep_cell *cells;  /* [columns_n] */
} bx_sweep_point;

typedef struct bx_sweep_column {
    const char *name, *unit;
    bool metric;
} bx_sweep_column;

typedef struct bx_sweep_results {
    const char *work;
    const char *shows; /* "events", "metrics", or "few": what the text has */
    bool complete;
    uint64_t points_all; /* also those without an outcome */
    const char **keys;
    size_t keys_n;
    bx_sweep_column *columns; /* in the order of `stat` */
    size_t columns_n;
    bx_sweep_point *points;
    size_t points_n;
} bx_sweep_results;

/* Texts live in the arena. */
int bx_sweep_results_read(const char *path, bx_arena *a, bx_sweep_results *to, bx_error *e);

#endif

/* The results of a sweep as a SQLite file: docs/reference/sweep.md has its tables. Each point is
 * written in one transaction, so the file is whole when its writer is killed. */
#ifndef BX_SWEEP_STORE_H
#define BX_SWEEP_STORE_H

#include "base/error.h"
#include "compare/saved.h"

#include <stdbool.h>
#include <stddef.h>

typedef struct bx_sweep_store bx_sweep_store;

/* What makes two sweeps the same one. */
typedef struct bx_sweep_about {
    const char *work;       /* in words */
    const char *definition; /* everything that the values depend on */
    size_t points;
    bool again;        /* goes on with a complete one, too: nothing is left to do */
    const char *shows; /* the columns of the table: bx_sweep_results.shows */
} bx_sweep_about;

/* Opens the file, or makes it. If it has a part of the same sweep, it goes on: *resumed. Another
 * sweep's file, and one that is complete, becomes PATH.old. A file of anything else is refused. */
int bx_sweep_store_open(const char *path, const bx_sweep_about *about, bx_sweep_store **s,
                        bool *resumed, bx_error *e);
void bx_sweep_store_close(bx_sweep_store *s); /* NULL is fine */

/* Opens the file to read it: a sweep's, of this version. */
int bx_sweep_store_read(const char *path, bx_sweep_store **s, bx_error *e);

enum bx_point_state { BX_POINT_DONE, BX_POINT_REFUSED, BX_POINT_FAILED };
extern const char *const bx_point_states[];

/* The outcome of a point. */
typedef struct bx_point_outcome {
    size_t number; /* from 0 */
    const char *machine;
    enum bx_point_state state;
    const char *message; /* NULL: none */
    double seconds;
    const char *const *keys, *const *values; /* [settings] */
    size_t settings;
    const bx_saved *saved; /* of a point that is done */
} bx_point_outcome;

int bx_sweep_store_put(bx_sweep_store *s, const bx_point_outcome *o, bx_error *e);

/* Takes the outcomes of another file of the same sweep. A file that is not there has none. */
int bx_sweep_store_merge(bx_sweep_store *s, const char *path, bx_error *e);

/* Says that all points have an outcome. */
int bx_sweep_store_complete(bx_sweep_store *s, bx_error *e);

/* Calls row() for each row of a query, as sqlite3_exec() does. BX_SYSTEM, or what row() returned if
 * it is not 0. */
typedef int bx_sweep_row(void *context, int n, char **value, char **name);
int bx_sweep_store_query(bx_sweep_store *s, const char *sql, bx_sweep_row *row, void *context,
                         bx_error *e);

#endif

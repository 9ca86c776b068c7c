/* Compares each run with all values of those before it, by comparison.c. */
#include "compare/trend.h"

#include <string.h>

/* The values that the runs so far have, as one run: each as the first run has it that has one. */
typedef struct union_of_runs {
    bx_saved run;
    bx_saved_value *values; /* [room] */
    size_t room;
    const bx_saved_value **cells; /* [room * runs] */
    bool *changed;                /* [room] */
} union_of_runs;

static int make_union(union_of_runs *u, const bx_saved *runs, size_t n, bx_arena *a, bx_error *e)
{
    *u = (union_of_runs){.run = runs[0]};
    for (size_t i = 0; i < n; i++)
        u->room += runs[i].n;
    u->values = bx_arena_get(a, (u->room + 1) * sizeof *u->values);
    u->changed = bx_arena_get(a, u->room + 1);
    if (u->room >= SIZE_MAX / n / sizeof *u->cells)
        return bx_out_of_memory(e);
    u->cells = bx_arena_get(a, (u->room + 1) * n * sizeof *u->cells);
    if (!u->values || !u->changed || !u->cells)
        return bx_out_of_memory(e);
    memset(u->cells, 0, (u->room + 1) * n * sizeof *u->cells);
    memset(u->changed, 0, u->room + 1);
    for (size_t i = 0; i < runs[0].n; i++) {
        u->values[i] = runs[0].values[i];
        u->cells[i * n] = &runs[0].values[i];
    }
    u->run.values = u->values;
    return BX_OK;
}

/* Adds run `at` of n. The rows of its comparison are the union's values; then its own. */
static void add_run(union_of_runs *u, const bx_comparison *c, size_t at, size_t n)
{
    for (size_t i = 0; i < c->n; i++) {
        const bx_compared *row = &c->rows[i];
        u->cells[i * n + at] = row->is;
        u->changed[i] |= bx_compare_changed(row);
        if (!row->was)
            u->values[u->run.n++] = *row->is;
    }
}

static bool is_zero(const bx_trend *t, const bx_trend_row *row)
{
    bool any = false;
    for (size_t i = 0; i < t->runs_n; i++) {
        const bx_saved_value *v = row->value[i];
        if (v && !v->missing && (v->value != 0 || (v->whole && v->count)))
            return false;
        any |= v && !v->missing;
    }
    return any;
}

int bx_trend_make(const bx_saved *runs, size_t n, bx_arena *a, bx_trend *to, bx_error *e)
{
    union_of_runs u;
    bx_comparison last = {0};
    *to = (bx_trend){.runs = runs, .runs_n = n};
    int code = make_union(&u, runs, n, a, e);
    for (size_t i = 1; i < n && !code; i++) {
        code = bx_compare(&u.run, &runs[i], a, &last, e);
        if (!code)
            add_run(&u, &last, i, n);
    }
    if (code)
        return code;
    to->n = last.n;
    to->rows = bx_arena_get(a, (to->n + 1) * sizeof *to->rows);
    to->shown = bx_arena_get(a, (to->n + 1) * sizeof *to->shown);
    if (!to->rows || !to->shown)
        return bx_out_of_memory(e);
    for (size_t i = 0; i < to->n; i++) {
        to->rows[i] = (bx_trend_row){.named = &u.values[i],
                                     .value = &u.cells[i * n],
                                     .overall = &last.rows[i],
                                     .changed = u.changed[i]};
        to->rows[i].zero = is_zero(to, &to->rows[i]);
        to->shown[i] = &to->rows[last.shown[i] - last.rows];
    }
    return BX_OK;
}

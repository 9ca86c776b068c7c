/* What functions and lines have caused together with what they have called: by calling contexts. */
#include "profile/children.h"

#include "base/buf.h"
#include "base/error.h"
#include "profile/calls.h"

#include <stdlib.h>
#include <string.h>

#define NO_ROW UINT32_MAX

/* A row or a step by its key. */
typedef struct named_row {
    const char *name; /* NULL: not known */
    uint32_t at;
} named_row;

static int compare_names(const void *a, const void *b)
{
    const char *x = ((const named_row *)a)->name, *y = ((const named_row *)b)->name;
    return !x || !y ? (x != NULL) - (y != NULL) : strcmp(x, y);
}

static const char *key_of_step(bx_profile *p, const bx_calls *c, uint32_t step, bool lines)
{
    const bx_call_frame is = bx_calls_step(c, step);
    const bx_call_function *function = &c->function[is.function];
    bx_buf text = {0};
    if (!lines || !function->file || !is.line)
        return lines ? NULL : function->name;
    bx_buf_f(&text, "%s:%lld", function->file, (long long)is.line);
    const char *name = text.failed ? NULL : bx_arena_copy(p->arena, bx_str_of(text.p));
    p->arena->failed |= text.failed;
    bx_buf_free(&text);
    return name;
}

/* Code that has only called others has no row yet. */
static uint32_t add_caller(bx_profile *p, bx_profile_table *t, const char *name)
{
    const bx_cell key = bx_cell_text(name);
    return bx_profile_add_row(p, t, &key) ? t->rows - 1 : NO_ROW;
}

/* The row of each step: sorted by name, so that equal names follow each other. */
static bool find_rows(bx_profile *p, bx_profile_table *t, const named_row *row, uint32_t rows,
                      const named_row *step, uint32_t steps, uint32_t *row_of)
{
    for (uint32_t i = 0; i < steps; i++) {
        const named_row *found =
            rows ? bsearch(&step[i], row, rows, sizeof *row, compare_names) : NULL;
        row_of[step[i].at] = i && compare_names(&step[i - 1], &step[i]) == 0
                                 ? row_of[step[i - 1].at]
                             : found ? found->at
                                     : add_caller(p, t, step[i].name);
        if (row_of[step[i].at] == NO_ROW)
            return false;
    }
    return true;
}

static const uint32_t *rows_of_steps(bx_profile *p, const bx_calls *c, bx_profile_table *t)
{
    bool lines = strcmp(t->key[0], "line") == 0;
    uint32_t rows = t->rows, steps = c->codes + c->frames;
    uint32_t *row_of = bx_arena_get(p->arena, (steps + UINT64_C(1)) * sizeof *row_of);
    named_row *row = calloc(rows + UINT64_C(1), sizeof *row);
    named_row *step = calloc(steps + UINT64_C(1), sizeof *step);
    bool whole = row_of && row && step;
    for (uint32_t i = 0; whole && i < rows; i++)
        row[i] =
            (named_row){t->row[i].key[0].kind == BX_CELL_TEXT ? t->row[i].key[0].text : NULL, i};
    for (uint32_t i = 0; whole && i < steps; i++)
        step[i] = (named_row){key_of_step(p, c, i, lines), i};
    if (whole) {
        qsort(row, rows, sizeof *row, compare_names);
        qsort(step, steps, sizeof *step, compare_names);
        whole = find_rows(p, t, row, rows, step, steps, row_of);
    }
    free(row);
    free(step);
    return whole && !p->arena->failed ? row_of : NULL;
}

/* Each row of a stack once: recursion is no cost of its own. */
static void charge_steps(const bx_calls *c, bx_profile_table *t, const uint32_t *row_of,
                         const bx_call_cost *cost, uint32_t *seen, uint32_t mark)
{
    uint32_t step[BX_CALLS_STEPS_MOST];
    unsigned n = bx_calls_steps(c, cost->code, cost->context, step);
    for (unsigned i = 0; i < n; i++) {
        uint32_t row = row_of[step[i]];
        if (seen[row] == mark)
            continue;
        seen[row] = mark;
        t->row[row].children[cost->event] += cost->count;
    }
}

static void rank_rows(const bx_profile *p, bx_profile_table *t)
{
    for (uint32_t i = 0; i < t->rows; i++) {
        t->row[i].rank = 0;
        for (uint32_t k = 0; k < p->events; k++)
            t->row[i].rank += t->ranks[k] ? t->row[i].children[k] : 0;
    }
}

int bx_profile_add_children(bx_profile *p, bx_profile_table *t, bx_error *e)
{
    bx_calls calls;
    int code = bx_calls_read(p, false, &calls, e);
    if (code)
        return code;
    const uint32_t *row_of = rows_of_steps(p, &calls, t);
    uint32_t *seen = bx_arena_get(p->arena, (t->rows + UINT64_C(1)) * sizeof *seen);
    if (!row_of || !seen)
        return bx_out_of_memory(e);
    for (uint32_t i = 0; i < t->rows; i++) {
        t->row[i].children = bx_arena_get(p->arena, (p->events + UINT64_C(1)) * sizeof(int64_t));
        if (!t->row[i].children)
            return bx_out_of_memory(e);
    }
    for (uint32_t i = 0; i < calls.costs; i++)
        charge_steps(&calls, t, row_of, &calls.cost[i], seen, i + 1);
    rank_rows(p, t);
    t->has_children = true;
    return BX_OK;
}

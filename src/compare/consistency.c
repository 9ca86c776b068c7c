/* Whether the values of a saved run fit each other. */
#include "compare/consistency.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static int by_name(const void *a, const void *b)
{
    const bx_saved_value *const *first = a, *const *second = b;
    int order = (int)(*first)->metric - (int)(*second)->metric;
    return order ? order : strcmp((*first)->name, (*second)->name);
}

/* An event or metric has the same unit on all lines. */
static int check_units(const bx_saved *s, const bx_members *m)
{
    const bx_saved_value **sorted = bx_arena_get(m->arena, (s->n + 1) * sizeof *sorted);
    if (!sorted)
        return bx_out_of_memory(m->e);
    for (size_t i = 0; i < s->n; i++)
        sorted[i] = &s->values[i];
    qsort(sorted, s->n, sizeof *sorted, by_name);
    for (size_t i = 1; i < s->n; i++)
        if (by_name(&sorted[i - 1], &sorted[i]) == 0 &&
            strcmp(sorted[i - 1]->unit, sorted[i]->unit) != 0)
            return bx_fail(m->e, BX_BAD_INPUT, 0, 0, "%s: '%.80s' is in '%.40s' and in '%.40s'",
                           m->file, sorted[i]->name, sorted[i - 1]->unit, sorted[i]->unit);
    return BX_OK;
}

/* Counts are not negative, so their deviation is largest if all but one are 0: the mean times the
 * root of their number. A larger one would hide every difference. */
static int check_deviations(const bx_saved *s, const bx_members *m)
{
    const double rounding = 1.0001;
    for (size_t i = 0; i < s->n; i++) {
        const bx_saved_value *v = &s->values[i];
        if (v->repeated && !v->metric && v->deviation > v->value * sqrt(s->runs) * rounding)
            return bx_fail(m->e, BX_BAD_INPUT, 0, 0,
                           "%s: %u runs whose mean is %g cannot have the standard deviation of "
                           "'%.80s', %g",
                           m->file, s->runs, v->value, v->name, v->deviation);
    }
    return BX_OK;
}

/* Counts are not negative, so the error of a scaled one is largest if only one turn has counted: a
 * few times the value. */
static int check_errors(const bx_saved *s, const bx_members *m)
{
    const double most = 100;
    for (size_t i = 0; i < s->n; i++) {
        const bx_saved_value *v = &s->values[i];
        if (v->estimated && !v->metric && v->error > most * v->value)
            return bx_fail(m->e, BX_BAD_INPUT, 0, 0,
                           "%s: no turns give '%.80s', %g, an error of %g", m->file, v->name,
                           v->value, v->error);
    }
    return BX_OK;
}

int bx_saved_check(const bx_saved *s, const bx_members *m)
{
    int code = check_units(s, m);
    if (!code)
        code = check_deviations(s, m);
    return code ? code : check_errors(s, m);
}

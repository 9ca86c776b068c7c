/* Matches the values of two runs, and tests whether they differ significantly. */
#include "compare/comparison.h"

#include "metric/student.h"

#include <math.h>
#include <string.h>

/* ---- whether they can be compared ---- */

static const char *fact_of(const bx_saved *run, const char *key)
{
    for (size_t i = 0; i < run->environment_n; i++)
        if (strcmp(run->environment[i].key, key) == 0)
            return run->environment[i].value;
    return NULL;
}

static int differ(const bx_saved *was, const bx_saved *is, const char *key, bx_error *e)
{
    const char *before = fact_of(was, key), *after = fact_of(is, key);
    if (before && after && strcmp(before, after) == 0)
        return BX_OK;
    bx_fail(e, BX_BAD_INPUT, 0, 0, "not compared: '%s' is %s%.60s%s in %s and %s%.60s%s in %s", key,
            before ? "'" : "", before ? before : "not known", before ? "'" : "", was->name,
            after ? "'" : "", after ? after : "not known", after ? "'" : "", is->name);
    bx_hint(e, "measure both on the same machine, in the same environment, with the same options");
    return BX_BAD_INPUT;
}

static int check(const bx_saved *was, const bx_saved *is, bx_error *e)
{
    int code = BX_OK;
    for (size_t i = 0; i < was->environment_n && !code; i++)
        code = differ(was, is, was->environment[i].key, e);
    for (size_t i = 0; i < is->environment_n && !code; i++)
        code = differ(was, is, is->environment[i].key, e);
    if (!code && was->status != is->status)
        code = bx_fail(e, BX_BAD_INPUT, 0, 0,
                       "not compared: the program ended with %d in %s and with %d in %s",
                       was->status, was->name, is->status, is->name);
    return code;
}

/* ---- values ---- */

double bx_compare_within(const bx_saved_value *v, unsigned runs)
{
    if (!v->repeated || runs < 2)
        return v->estimated ? v->error : 0;
    return bx_student_quantile(1 - BX_COMPARE_CONFIDENCE, runs - 1) * v->deviation / sqrt(runs);
}

/* Welch's test, because the deviations of the two runs may differ. */
static void test(bx_compared *row, double was_n, double is_n)
{
    double a = row->was->deviation * row->was->deviation / was_n;
    double b = row->is->deviation * row->is->deviation / is_n;
    row->tested = true;
    if (a + b > 0) { /* otherwise all runs have given the same value */
        double freedom = (a + b) * (a + b) / (a * a / (was_n - 1) + b * b / (is_n - 1));
        row->within = bx_student_quantile(1 - BX_COMPARE_CONFIDENCE, freedom) * sqrt(a + b);
    }
    row->significant = fabs(row->difference) > row->within;
}

/* Whether the value's error is known. The error of an exact count is 0. */
static bool knows_error(const bx_saved_value *v)
{
    return v->scaled ? v->estimated : v->whole;
}

static void test_scaled(bx_compared *row)
{
    const bx_saved_value *was = row->was, *is = row->is;
    row->tested = true;
    row->within = sqrt(was->error * was->error + is->error * is->error);
    row->significant = fabs(row->difference) > row->within;
}

/* Counts are subtracted as integers, without rounding. */
static double difference(const bx_saved_value *was, const bx_saved_value *is)
{
    if (!was->whole || !is->whole)
        return is->value - was->value;
    return is->count >= was->count ? (double)(is->count - was->count)
                                   : -(double)(was->count - is->count);
}

static void compare(const bx_comparison *c, bx_compared *row)
{
    const bx_saved_value *was = row->was, *is = row->is;
    row->both = was && is && !was->missing && !is->missing;
    if (!row->both)
        return;
    row->difference = difference(was, is);
    row->equal = row->difference == 0;
    row->relative = was->value != 0;
    if (row->relative)
        row->percent = 100 * row->difference / fabs(was->value);
    if (was->repeated && is->repeated && c->was->runs > 1 && c->is->runs > 1)
        test(row, c->was->runs, c->is->runs);
    else if ((was->estimated || is->estimated) && knows_error(was) && knows_error(is))
        test_scaled(row);
}

/* ---- rows ---- */

static bool same(const bx_saved_value *a, const bx_saved_value *b)
{
    return a->metric == b->metric && a->thread == b->thread && strcmp(a->name, b->name) == 0 &&
           strcmp(a->place, b->place) == 0 && strcmp(a->region, b->region) == 0;
}

/* Most runs have the same values in the same order, so the search begins behind the last one
 * found. */
static size_t find(const bx_saved *in, const bool *taken, size_t from, const bx_saved_value *v)
{
    for (size_t k = 0; k < in->n; k++) {
        size_t i = (from + k) % in->n;
        if (!taken[i] && same(&in->values[i], v))
            return i;
    }
    return in->n;
}

int bx_compare(const bx_saved *was, const bx_saved *is, bx_arena *a, bx_comparison *to, bx_error *e)
{
    int code = check(was, is, e);
    *to = (bx_comparison){.was = was, .is = is};
    if (code)
        return code;
    bool *taken = bx_arena_get(a, is->n + 1);
    to->rows = bx_arena_get(a, (was->n + is->n + 1) * sizeof *to->rows);
    if (!taken || !to->rows)
        return bx_out_of_memory(e);
    for (size_t i = 0, next = 0; i < was->n; i++) {
        size_t found = find(is, taken, next, &was->values[i]);
        bool has = found < is->n;
        if (has) {
            taken[found] = true;
            next = found + 1;
        }
        to->rows[to->n++] =
            (bx_compared){.was = &was->values[i], .is = has ? &is->values[found] : NULL};
    }
    for (size_t i = 0; i < is->n; i++)
        if (!taken[i])
            to->rows[to->n++] = (bx_compared){.is = &is->values[i]};
    for (size_t i = 0; i < to->n; i++)
        compare(to, &to->rows[i]);
    return BX_OK;
}

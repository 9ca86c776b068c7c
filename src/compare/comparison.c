/* Matches the values of two runs, and tests whether they differ significantly. */
#include "compare/comparison.h"

#include "metric/student.h"

#include <math.h>
#include <stdlib.h>
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

static int check_comparable(const bx_saved *was, const bx_saved *is, bx_error *e)
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
        double part = a / (a + b), rest = b / (a + b);
        double freedom = 1 / (part * part / (was_n - 1) + rest * rest / (is_n - 1));
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

/* Figures that are computed from equal counts may differ in their last digits: a double has 15. */
static bool is_rounding(const bx_compared *row)
{
    const bx_saved_value *was = row->was, *is = row->is;
    double was_size = fabs(was->value), is_size = fabs(is->value);
    return !(was->whole && is->whole) &&
           fabs(row->difference) <= 1e-9 * (was_size > is_size ? was_size : is_size);
}

static void compare_row(const bx_comparison *c, bx_compared *row)
{
    const bx_saved_value *was = row->was, *is = row->is;
    row->both = was && is && !was->missing && !is->missing;
    if (!row->both)
        return;
    row->difference = difference(was, is);
    if (is_rounding(row))
        row->difference = 0;
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

/* The values of a run by what they are; those that are equal in that stay in their order. */
typedef struct places {
    size_t *first; /* [mask + 1], index of a value plus 1; 0: none */
    size_t *next;  /* [n] */
    size_t mask;
} places;

static size_t place_in(const places *p, const bx_saved_value *v)
{
    uint32_t hash = bx_str_hash_fold(bx_str_of(v->name), v->metric + 2 * v->thread);
    hash = bx_str_hash_fold(bx_str_of(v->place), hash);
    return bx_str_hash_fold(bx_str_of(v->region), hash) & p->mask;
}

static bool sort_values(const bx_saved *run, bx_arena *a, places *p)
{
    for (p->mask = 15; p->mask < run->n;)
        p->mask = 2 * p->mask + 1;
    p->first = bx_arena_get(a, (p->mask + 1) * sizeof *p->first);
    p->next = bx_arena_get(a, (run->n + 1) * sizeof *p->next);
    if (!p->first || !p->next)
        return false;
    memset(p->first, 0, (p->mask + 1) * sizeof *p->first);
    for (size_t i = run->n; i-- > 0;) {
        size_t *first = &p->first[place_in(p, &run->values[i])];
        p->next[i] = *first;
        *first = i + 1;
    }
    return true;
}

/* Takes the first value that is the same. NULL: there is none. */
static const bx_saved_value *take_value(const bx_saved *in, const places *p, bool *taken,
                                        const bx_saved_value *v)
{
    for (size_t *link = &p->first[place_in(p, v)]; *link; link = &p->next[*link - 1]) {
        size_t i = *link - 1;
        if (!same(&in->values[i], v))
            continue;
        *link = p->next[i];
        taken[i] = true;
        return &in->values[i];
    }
    return NULL;
}

bool bx_compare_same_unit(bx_str a, bx_str b)
{
    size_t i = 0, k = 0;
    for (;; i++, k++) {
        i += i < a.n && a.p[i] == ',';
        k += k < b.n && b.p[k] == ',';
        if (i == a.n || k == b.n || a.p[i] != b.p[k])
            return i == a.n && k == b.n;
    }
}

static int check_unit(const bx_comparison *c, const bx_compared *row, bx_error *e)
{
    if (!row->was || !row->is ||
        bx_compare_same_unit(bx_str_of(row->was->unit), bx_str_of(row->is->unit)))
        return BX_OK;
    bx_fail(e, BX_BAD_INPUT, 0, 0, "not compared: '%.80s' is in '%.40s' in %s and in '%.40s' in %s",
            row->was->name, row->was->unit, c->was->name, row->is->unit, c->is->name);
    bx_hint(e, "measure both with the same boxscore");
    return BX_BAD_INPUT;
}

static int make_rows(bx_comparison *to, bx_arena *a, bx_error *e)
{
    const bx_saved *was = to->was, *is = to->is;
    places by_place;
    bool *taken = bx_arena_get(a, is->n + 1);
    to->rows = bx_arena_get(a, (was->n + is->n + 1) * sizeof *to->rows);
    if (!taken || !to->rows || !sort_values(is, a, &by_place))
        return bx_out_of_memory(e);
    memset(taken, 0, is->n);
    for (size_t i = 0; i < was->n; i++)
        to->rows[to->n++] = (bx_compared){.was = &was->values[i],
                                          .is = take_value(is, &by_place, taken, &was->values[i])};
    for (size_t i = 0; i < is->n; i++)
        if (!taken[i])
            to->rows[to->n++] = (bx_compared){.is = &is->values[i]};
    int code = BX_OK;
    for (size_t i = 0; i < to->n && !code; i++)
        code = check_unit(to, &to->rows[i], e);
    return code;
}

/* ---- the order in which they are shown ---- */

bool bx_compare_missing(const bx_compared *row)
{
    return (!row->was || row->was->missing) && (!row->is || row->is->missing);
}

bool bx_compare_changed(const bx_compared *row)
{
    return row->both ? !row->equal : !bx_compare_missing(row);
}

typedef struct shown_row {
    const bx_compared *row;
    size_t block; /* consecutive rows of one unit or region */
    double size;  /* of the change, in percent; -1: there is none */
} shown_row;

/* Rows from 0, and of one run only, have no percentage: they come first. A figure has the size of
 * the count that it is computed from, except for rounding. */
static double size_of_change(const bx_compared *row)
{
    if (!bx_compare_changed(row))
        return -1;
    return row->both && row->relative ? (double)(float)fabs(row->percent) : HUGE_VAL;
}

static int by_size(const void *first, const void *second)
{
    const shown_row *a = first, *b = second;
    if (a->block != b->block)
        return a->block < b->block ? -1 : 1;
    if (a->size != b->size)
        return a->size > b->size ? -1 : 1;
    return a->row < b->row ? -1 : 1;
}

static bool same_place(const bx_saved_value *a, const bx_saved_value *b)
{
    return a->thread == b->thread && strcmp(a->place, b->place) == 0 &&
           strcmp(a->region, b->region) == 0;
}

static int sort_rows(bx_comparison *to, bx_arena *a, bx_error *e)
{
    shown_row *rows = bx_arena_get(a, (to->n + 1) * sizeof *rows);
    to->shown = bx_arena_get(a, (to->n + 1) * sizeof *to->shown);
    if (!rows || !to->shown)
        return bx_out_of_memory(e);
    for (size_t i = 0, block = 0; i < to->n; i++) {
        const bx_compared *row = &to->rows[i];
        block += i && !same_place(bx_compared_value(row), bx_compared_value(row - 1));
        rows[i] = (shown_row){.row = row, .block = block, .size = size_of_change(row)};
    }
    qsort(rows, to->n, sizeof *rows, by_size);
    for (size_t i = 0; i < to->n; i++)
        to->shown[i] = rows[i].row;
    return BX_OK;
}

/* ---- what the runs did not see ---- */

/* Whether the texts are equal except for numbers of processes, which differ from run to run. */
static bool equal_but_processes(const char *a, const char *b)
{
    static const char word[] = "process ";
    const size_t n = sizeof word - 1;
    while (*a && *a == *b) {
        bool behind = strncmp(a, word, n) == 0 && strncmp(b, word, n) == 0;
        a += behind ? n + strspn(a + n, "0123456789") : 1;
        b += behind ? n + strspn(b + n, "0123456789") : 1;
    }
    return *a == *b;
}

/* There is at most one. */
static const char *left_by(const bx_saved *run)
{
    for (size_t i = 0; i < run->unseen_n; i++)
        if (run->unseen[i].left)
            return run->unseen[i].text;
    return "";
}

static bool did_not_see_the_same(const bx_saved *a, const bx_saved *b)
{
    bool equal = a->unseen_n == b->unseen_n;
    for (size_t i = 0; equal && i < a->unseen_n; i++) {
        const bx_saved_unseen *first = &a->unseen[i], *second = &b->unseen[i];
        equal = first->left == second->left && !first->region == !second->region &&
                (!first->region || strcmp(first->region, second->region) == 0) &&
                equal_but_processes(first->text, second->text);
    }
    return equal;
}

const bx_saved_unseen *bx_compare_unseen(const bx_comparison *in, const bx_saved *run,
                                         const bx_compared *row)
{
    const char *region = bx_compared_value(row)->region;
    for (size_t i = 0; i < run->unseen_n; i++)
        if ((!run->unseen[i].left || !in->same_left) &&
            (!run->unseen[i].region || strcmp(run->unseen[i].region, region) == 0))
            return &run->unseen[i];
    return NULL;
}

int bx_compare(const bx_saved *was, const bx_saved *is, bx_arena *a, bx_comparison *to, bx_error *e)
{
    int code = check_comparable(was, is, e);
    *to = (bx_comparison){.was = was, .is = is};
    if (!code)
        code = make_rows(to, a, e);
    for (size_t i = 0; i < to->n && !code; i++)
        compare_row(to, &to->rows[i]);
    if (!code)
        code = sort_rows(to, a, e);
    to->same_left = equal_but_processes(left_by(was), left_by(is));
    to->same_unseen = did_not_see_the_same(was, is);
    return code;
}

#include "profile/metric_rows.h"

#include "base/error.h"

#include <math.h>
#include <stdlib.h>

/* A ratio of few counts says little: rows with less than this part of each event. */
enum { FEW_PART = 100 };

static int fail_metric(bx_error *e, const bx_profile_question *q, const char *why, const char *hint)
{
    bx_fail(e, BX_BAD_INPUT, 0, 0, "rows are not sorted by '%.80s': %s", q->sort, why);
    bx_hint(e, "%s", hint);
    return e->code;
}

int bx_profile_sort_metric(const bx_profile_question *q, bx_profile_table *to, bool *is,
                           bx_error *e)
{
    const bx_profile_metrics *m = q->metrics;
    bx_profile_metric *found = bx_arena_get(to->of->arena, sizeof *found);
    uint16_t metric = BX_NONE;
    if (!found)
        return bx_out_of_memory(e);
    if (m && m->cpu >= 0)
        metric = bx_cat_find_metric(m->catalog, (uint16_t)m->cpu, bx_str_of(q->sort));
    *is = metric != BX_NONE;
    if (!*is)
        return BX_OK;
    if (!bx_profile_metric_find(m, metric, found))
        return fail_metric(e, q, "the recording lacks an event of it",
                           "boxscore record -M METRIC counts the events of a metric");
    if (!found->of_counts)
        return fail_metric(e, q, "it depends on time, which is not a row's",
                           "--sort with an event of it; 'boxscore info METRIC' has them");
    for (uint16_t i = 0; i < found->of->operands.n; i++) {
        if (!to->has[found->operand[i]])
            return fail_metric(e, q, "these rows have no counts of an event of it",
                               "other rows, as by function, or an event of the table");
        to->ranks[found->operand[i]] = true;
    }
    to->metric = found;
    to->metrics = m;
    to->sort = bx_cat_z(m->catalog, found->of->name);
    return BX_OK;
}

void bx_profile_offer_metrics(const bx_profile_metrics *m, bx_nearest *to)
{
    bx_span all = m && m->cpu >= 0 ? bx_cat_cpus(m->catalog)[m->cpu].metrics : (bx_span){0};
    for (unsigned i = 0; i < all.n; i++) {
        bx_profile_metric found;
        if (bx_profile_metric_find(m, (uint16_t)(all.first + i), &found) && found.of_counts)
            bx_nearest_offer(to, bx_cat_z(m->catalog, found.of->name));
    }
}

double bx_profile_metric_of(const bx_profile_table *t, const int64_t *count)
{
    double value;
    return bx_profile_metric_value(t->metrics, t->metric, count, 0, &value) ? value : NAN;
}

static bool has_few(const bx_profile_table *t, const int64_t *count)
{
    for (uint16_t i = 0; i < t->metric->of->operands.n; i++) {
        uint16_t event = t->metric->operand[i];
        if (FEW_PART * (double)count[event] >= (double)t->of->event[event].total &&
            count[event] > 0)
            return false;
    }
    return true;
}

int bx_profile_add_metric(bx_profile_table *t, bx_error *e)
{
    int64_t *total = bx_arena_get(t->of->arena, (t->of->events + (size_t)1) * sizeof *total);
    if (!total)
        return bx_out_of_memory(e);
    for (uint32_t i = 0; i < t->of->events; i++)
        total[i] = t->of->event[i].total;
    t->metric_of_all = bx_profile_metric_of(t, total);
    for (uint32_t i = 0; i < t->rows; i++) {
        bx_profile_row *row = &t->row[i];
        const int64_t *ranked = row->children ? row->children : row->value;
        row->own_metric = bx_profile_metric_of(t, row->value);
        row->metric = bx_profile_metric_of(t, ranked);
        row->few = has_few(t, ranked);
        t->few += row->few;
    }
    return BX_OK;
}

static int compare_metrics(const void *a, const void *b)
{
    const bx_profile_row *x = a, *y = b;
    bool none_x = isnan(x->metric), none_y = isnan(y->metric);
    if (x->few != y->few || none_x != none_y)
        return x->few != y->few ? x->few - y->few : none_x - none_y;
    if (!none_x && x->metric != y->metric)
        return x->metric < y->metric ? 1 : -1;
    return x->place < y->place ? -1 : x->place > y->place;
}

void bx_profile_sort_by_metric(bx_profile_table *t)
{
    if (t->rows)
        qsort(t->row, t->rows, sizeof *t->row, compare_metrics);
}

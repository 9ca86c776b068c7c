/* The values that are shown, and their order. */
#include "top/view.h"

#include <stdlib.h>
#include <string.h>

const char *bx_top_event_name(const bx_series_family *f)
{
    const char *behind = strstr(f->event, "::");
    return behind ? behind + 2 : f->event;
}

bool bx_top_slot(const bx_top_view *v, uint64_t *interval, size_t *slot)
{
    const bx_series *s = v->s;
    if (!s->intervals)
        return false;
    uint64_t first = bx_series_first(s);
    *interval = v->at == BX_TOP_LAST || v->at >= s->intervals ? s->intervals - 1
                : v->at < first                               ? first
                                                              : v->at;
    return bx_series_slot(s, *interval, slot);
}

/* ---- values ---- */

static uint64_t value_in(const bx_series_family *f, const bx_one_series *one, size_t slot)
{
    return one ? one->interval[slot] : bx_series_sum(f, slot);
}

/* Up to the end of an interval. */
static uint64_t total_at(const bx_top_view *v, const bx_series_family *f, const bx_one_series *one,
                         uint64_t interval)
{
    uint64_t total = one ? one->total : 0;
    size_t slot;
    for (size_t i = 0; !one && i < f->n; i++)
        total += f->series[i].total;
    for (uint64_t i = interval + 1; i < v->s->intervals; i++) {
        uint64_t later = bx_series_slot(v->s, i, &slot) ? value_in(f, one, slot) : BX_SERIES_NONE;
        total -= later == BX_SERIES_NONE ? 0 : later;
    }
    return total;
}

bool bx_top_value(const bx_top_view *v, const bx_series_family *f, const bx_one_series *one,
                  double *value)
{
    uint64_t interval;
    size_t slot;
    if (!bx_top_slot(v, &interval, &slot) || value_in(f, one, slot) == BX_SERIES_NONE)
        return false;
    double count = (double)value_in(f, one, slot), length = v->s->length[slot];
    enum bx_scale scale = bx_top_scale(f, v->scale);
    if (scale == BX_SCALE_TOTAL)
        count = (double)total_at(v, f, one, interval);
    else if (scale == BX_SCALE_SECOND && length <= 0)
        return false;
    *value = scale == BX_SCALE_SECOND ? count / length : count;
    return true;
}

enum bx_scale bx_top_scale(const bx_series_family *f, enum bx_scale chosen)
{
    return f->level ? BX_SCALE_INTERVAL : chosen;
}

/* ---- the order of the table ---- */

typedef struct sorting {
    double value;
    const char *name;
    size_t family;
} sorting;

static int by_value(const void *a, const void *b)
{
    const sorting *x = a, *y = b;
    if (x->value != y->value)
        return x->value < y->value ? 1 : -1;
    return x->family < y->family ? -1 : x->family > y->family;
}

static int by_name(const void *a, const void *b)
{
    const sorting *x = a, *y = b;
    int order = strcmp(x->name, y->name);
    return order ? order : x->family < y->family ? -1 : 1;
}

bool bx_top_sort(bx_top_view *v)
{
    size_t n = v->s->n;
    if (n > v->order_room) {
        size_t *all = realloc(v->order, n * sizeof *all);
        if (!all)
            return false;
        v->order = all;
        v->order_room = n;
    }
    sorting *list = n ? malloc(n * sizeof *list) : NULL;
    if (n && !list)
        return false;
    for (size_t i = 0; i < n; i++) {
        list[i] = (sorting){-1, bx_top_event_name(&v->s->family[i]), i};
        bx_top_value(v, &v->s->family[i], NULL, &list[i].value);
    }
    if (n && v->sort != BX_SORT_GIVEN)
        qsort(list, n, sizeof *list, v->sort == BX_SORT_VALUE ? by_value : by_name);
    for (size_t i = 0; i < n; i++)
        v->order[i] = list[v->reverse ? n - 1 - i : i].family;
    free(list);
    return true;
}

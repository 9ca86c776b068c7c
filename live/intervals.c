/* The intervals that series keep: a ring. */
#include "live/series.h"

#include <math.h>
#include <string.h>

static void clear_slot(bx_series *s, size_t slot)
{
    for (size_t i = 0; i < s->n; i++)
        for (size_t k = 0; k < s->family[i].n; k++)
            s->family[i].series[k].interval[slot] = BX_SERIES_NONE;
    for (size_t i = 0; i < s->metrics; i++)
        s->metric[i].interval[slot] = NAN;
}

bool bx_series_begin(bx_series *s, double seconds)
{
    if (!s->length) {
        s->length = bx_arena_get(&s->arena, s->keeps * sizeof *s->length);
        s->at = bx_arena_get(&s->arena, s->keeps * sizeof *s->at);
        if (!s->length || !s->at)
            return false;
    }
    size_t slot = (size_t)(s->intervals++ % s->keeps);
    clear_slot(s, slot);
    s->left_out = 0;
    s->seconds += seconds;
    s->length[slot] = seconds;
    s->at[slot] = s->seconds;
    return true;
}

static bx_series_metric *find_metric(bx_series *s, const char *name)
{
    for (size_t i = 0; i < s->metrics; i++)
        if (strcmp(s->metric[i].name, name) == 0)
            return &s->metric[i];
    return NULL;
}

static bx_series_metric *new_metric(bx_series *s, const char *name, const char *unit)
{
    bx_series_metric *all = bx_arena_grow(&s->arena, s->metric, (uint32_t)s->metrics,
                                          &s->metrics_room, sizeof *all, 16);
    if (!all)
        return NULL;
    s->metric = all;
    bx_series_metric one = {.name = bx_arena_copy(&s->arena, bx_str_of(name)),
                            .unit = bx_arena_copy(&s->arena, bx_str_of(unit)),
                            .interval = bx_arena_get(&s->arena, s->keeps * sizeof *one.interval)};
    if (!one.name || !one.unit || !one.interval)
        return NULL;
    for (size_t i = 0; i < s->keeps; i++)
        one.interval[i] = NAN;
    all[s->metrics] = one;
    return &all[s->metrics++];
}

bool bx_series_add_metric(bx_series *s, const char *name, const char *unit, double value,
                          const char *instead)
{
    bx_series_metric *m = find_metric(s, name);
    if (!m)
        m = new_metric(s, name, unit);
    if (!m)
        return false;
    m->interval[(s->intervals - 1) % s->keeps] = value;
    if (!isnan(value))
        m->instead = NULL;
    else if (!bx_series_text(s, &m->instead, instead))
        return false;
    return true;
}

uint64_t bx_series_first(const bx_series *s)
{
    return s->intervals > s->keeps ? s->intervals - s->keeps : 0;
}

bool bx_series_slot(const bx_series *s, uint64_t interval, size_t *slot)
{
    if (interval >= s->intervals || interval < bx_series_first(s))
        return false;
    *slot = (size_t)(interval % s->keeps);
    return true;
}

uint64_t bx_series_now(const bx_series *s, const bx_one_series *one)
{
    size_t slot;
    return bx_series_slot(s, s->intervals - 1, &slot) ? one->interval[slot] : BX_SERIES_NONE;
}

uint64_t bx_series_sum(const bx_series_family *f, size_t slot)
{
    uint64_t sum = 0;
    for (size_t i = 0; i < f->n; i++) {
        if (f->series[i].interval[slot] == BX_SERIES_NONE)
            return BX_SERIES_NONE;
        sum += f->series[i].interval[slot];
    }
    return f->n ? sum : BX_SERIES_NONE;
}

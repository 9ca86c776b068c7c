/* Counts the events of a metric in one pass if they fit. The parts of a ratio are then counted at
 * the same time, even if they are scaled. This applies within one kind of unit only. Otherwise, all
 * kinds would need as many passes as the kind with the most passes. */
#include "schedule/builder.h"
#include "schedule/equal.h"

#include "event/event.h"

#include <stdlib.h>

/* Whether the event can join a group of its PMU's events for a metric. It need not if it has a
 * counter of its own or is pinned, because it is then in every pass. It does not if the caller has
 * put it into a group. */
static bool joins(const struct bx_schedule_builder *m, size_t event)
{
    return !m->events[event].group && !m->events[event].pinned &&
           !bx_fixed_counter_of(m->t, &m->events[event]);
}

static bool is_event(const bx_cat_operand *o)
{
    return o->event == BX_NONE || o->event < BX_OPERAND_EVENTS;
}

/* Marks the events that are operands of the metric. false: an operand is missing, or the operands
 * belong to several PMUs. */
static bool mark_operands(const struct bx_schedule_builder *m, const bx_cat_metric *metric,
                          bool *marked)
{
    const struct bx_catalog *c = m->t->catalog;
    uint16_t pmu = BX_NONE;
    for (unsigned k = 0; k < metric->operands.n; k++) {
        const bx_cat_operand *o = &bx_cat_operands(c)[metric->operands.first + k];
        bool found = !is_event(o);
        for (size_t i = 0; is_event(o) && i < m->events_n; i++) {
            if (!bx_event_is_operand(c, &m->events[i], o))
                continue;
            found = true;
            if (!joins(m, i))
                continue;
            if (pmu != BX_NONE && m->events[i].pmu != pmu)
                return false;
            pmu = m->events[i].pmu;
            marked[i] = true;
        }
        if (!found)
            return false;
    }
    return pmu != BX_NONE;
}

/* Also marks all events of the groups that marked events are in. */
static void mark_groups(const struct bx_schedule_builder *m, bool *marked)
{
    for (size_t i = 0; i < m->events_n; i++)
        for (size_t k = 0; marked[i] && m->metric_group[i] && k < m->events_n; k++)
            marked[k] |= m->metric_group[k] == m->metric_group[i];
}

/* Whether the marked events of an assignment's box fit there in one pass. Those before `first` are
 * not marked. */
static bool fit_in_box(struct bx_schedule_builder *m, size_t first, const bool *marked)
{
    size_t n = 0;
    for (size_t i = first; i != BX_LAST; i = m->next[i])
        if (marked[m->assignments[i].event])
            m->subset[n++] = &m->members[i];
    return bx_compatible(m->subset, n);
}

static bool fit(struct bx_schedule_builder *m, const bool *marked, bool *seen)
{
    bool fits = true;
    for (size_t i = 0; i < m->n; i++)
        seen[i] = false;
    for (size_t i = 0; fits && i < m->n; i++) {
        if (!marked[m->assignments[i].event] || seen[m->members[i].box])
            continue;
        seen[m->members[i].box] = true;
        fits = fit_in_box(m, i, marked);
    }
    return fits;
}

static uint16_t highest_group(const struct bx_schedule_builder *m)
{
    uint16_t highest = 0;
    for (size_t i = 0; i < m->events_n; i++)
        highest = m->events[i].group > highest ? m->events[i].group : highest;
    return highest;
}

bool bx_find_metric_groups(struct bx_schedule_builder *m)
{
    const struct bx_catalog *c = m->t->catalog;
    bx_span metrics = m->n ? bx_cat_cpus(c)[m->t->cpu].metrics : (bx_span){0};
    bool *marked = malloc(m->events_n + 1), *seen = malloc(m->n + 1);
    uint16_t group = highest_group(m);
    bx_link_equal(m->rank, m->n, m->next); /* assignments of one box */
    for (unsigned k = 0; marked && seen && k < metrics.n && group < BX_NONE - 1; k++) {
        for (size_t i = 0; i < m->events_n; i++)
            marked[i] = false;
        if (!mark_operands(m, &bx_cat_metrics(c)[metrics.first + k], marked))
            continue;
        mark_groups(m, marked);
        if (!fit(m, marked, seen))
            continue;
        group++;
        for (size_t i = 0; i < m->events_n; i++)
            m->metric_group[i] = marked[i] ? group : m->metric_group[i];
    }
    bool fine = marked && seen;
    free(marked);
    free(seen);
    return fine;
}

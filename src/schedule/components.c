/* Finds the boxes, event groups and connected components of the assignments. */
#include "schedule/builder.h"
#include "schedule/equal.h"

#include "event/event.h"

#include <stdlib.h>
#include <string.h>

static uint16_t group_of(const struct bx_schedule_builder *m, size_t i)
{
    uint16_t event = m->assignments[i].event;
    return m->events[event].group ? m->events[event].group : m->metric_group[event];
}

/* Whether the assignment needs a free counter. A free-running counter is always available. */
static bool waits(const struct bx_schedule_builder *m, size_t i)
{
    const bx_cat_counter *fixed = bx_fixed_counter_of(m->t, &m->events[m->assignments[i].event]);
    return !fixed || !(fixed->flags & BX_COUNTER_FREE);
}

static bool find_boxes(struct bx_schedule_builder *m)
{
    for (size_t i = 0; i < m->n; i++)
        m->keys[i] = bx_box_key(m->t, m->events, &m->assignments[i]);
    if (!bx_find_equal(m->keys, m->n, m->rank))
        return false;
    for (size_t i = 0; i < m->n; i++)
        m->members[i].box = m->rank[i];
    return true;
}

/* A key of the assignment's group. Pinned events have none: they are in every pass. An event group
 * counts in each unit separately. If it has events of several PMUs, it counts in the whole package:
 * spans[i] is set for its first assignment i. */
static uint64_t group_key(const struct bx_schedule_builder *m, size_t i, const bool *spans)
{
    const bx_assignment *assignment = &m->assignments[i];
    if (!group_of(m, i) || !waits(m, i) || m->members[i].pinned)
        return BX_UNIQUE;
    return (uint64_t)group_of(m, i) << 32 | (uint64_t)assignment->package << 16 |
           (spans[m->rank[i]] ? 0 : assignment->unit);
}

static bool find_groups(struct bx_schedule_builder *m)
{
    bool *spans = calloc(m->n + 1, sizeof *spans);
    for (size_t i = 0; i < m->n; i++)
        m->keys[i] = group_of(m, i);
    bool fine = spans && bx_find_equal(m->keys, m->n, m->rank);
    for (size_t i = 0; fine && i < m->n; i++)
        if (m->events[m->assignments[i].event].pmu !=
            m->events[m->assignments[m->rank[i]].event].pmu)
            spans[m->rank[i]] = true;
    for (size_t i = 0; fine && i < m->n; i++)
        m->keys[i] = group_key(m, i, spans);
    fine = fine && bx_find_equal(m->keys, m->n, m->rank);
    for (size_t i = 0; fine && i < m->n; i++)
        m->members[i].group = m->keys[i] == BX_UNIQUE ? 0 : (uint16_t)(m->rank[i] + 1);
    free(spans);
    return fine;
}

/* Members of one group in the same box must be compatible. */
static int check_group(struct bx_schedule_builder *m, size_t first, bx_error *e)
{
    size_t n = 0;
    for (size_t i = first; i != BX_LAST; i = m->next[i]) {
        m->subset_assignments[n] = &m->assignments[i];
        m->subset[n++] = &m->members[i];
    }
    if (bx_compatible(m->subset, n))
        return BX_OK;
    int code = bx_explain_conflict(m->t, m->events, m->subset, m->subset_assignments, n, e);
    bx_hint(e, "events in braces are counted at once; without them they take turns");
    return code;
}

static int check_groups(struct bx_schedule_builder *m, bx_error *e)
{
    int code = BX_OK;
    for (size_t i = 0; i < m->n; i++)
        m->keys[i] = m->members[i].group ? (uint64_t)m->members[i].group << 16 | m->members[i].box
                                         : BX_UNIQUE;
    if (!bx_find_equal(m->keys, m->n, m->rank))
        return bx_out_of_memory(e);
    bx_link_equal(m->rank, m->n, m->next);
    for (size_t i = 0; code == BX_OK && i < m->n; i++)
        if (m->members[i].group && m->rank[i] == i)
            code = check_group(m, i, e);
    return code;
}

/* The first assignment of the component, as far as it is known. */
static uint16_t root_of(struct bx_schedule_builder *m, uint16_t i)
{
    while (m->component[i] != i)
        i = m->component[i] = m->component[m->component[i]];
    return i;
}

static void join(struct bx_schedule_builder *m, uint16_t i, uint16_t with)
{
    uint16_t a = root_of(m, i), b = root_of(m, with);
    m->component[a > b ? a : b] = a > b ? b : a;
}

int bx_find_components(struct bx_schedule_builder *m, bx_error *e)
{
    if (!find_boxes(m) || !bx_find_metric_groups(m) || !find_groups(m))
        return bx_out_of_memory(e);
    int code = check_groups(m, e);
    if (!code)
        code = bx_pin(m, e);
    if (code)
        return code;
    for (size_t i = 0; i < m->n; i++)
        m->component[i] = (uint16_t)i;
    for (size_t i = 0; i < m->n; i++) {
        join(m, (uint16_t)i, m->members[i].box);
        if (m->members[i].group)
            join(m, (uint16_t)i, (uint16_t)(m->members[i].group - 1));
    }
    for (size_t i = 0; i < m->n; i++)
        m->component[i] = root_of(m, (uint16_t)i);
    memset(m->rank, 0, m->n * sizeof *m->rank);
    bx_link_equal(m->component, m->n, m->next);
    for (size_t i = 0; i < m->n; i++)
        if (m->next[i] != BX_NONE)
            m->rank[m->next[i]] = (uint16_t)(m->rank[i] + 1);
    return BX_OK;
}

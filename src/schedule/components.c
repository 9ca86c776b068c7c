/* Finds the boxes, event groups and connected components of the assignments. */
#include "schedule/builder.h"

#include "event/event.h"

/* Whether an event group has events of several PMUs. */
static bool spans_pmus(const struct bx_schedule_builder *m, uint16_t group)
{
    uint16_t pmu = BX_NONE;
    for (size_t i = 0; i < m->n; i++) {
        const bx_evsel *event = &m->events[m->assignments[i].event];
        if (event->group != group)
            continue;
        if (pmu != BX_NONE && pmu != event->pmu)
            return true;
        pmu = event->pmu;
    }
    return false;
}

/* Whether the assignment needs a counter to be free. A free-running counter is always available. */
static bool waits(const struct bx_schedule_builder *m, size_t i)
{
    const bx_cat_counter *fixed = bx_fixed_counter_of(m->t, &m->events[m->assignments[i].event]);
    return !fixed || !(fixed->flags & BX_COUNTER_FREE);
}

static void find_group(struct bx_schedule_builder *m, size_t i)
{
    const bx_assignment *assignment = &m->assignments[i];
    uint16_t group = m->events[assignment->event].group;
    if (!group || !waits(m, i))
        return;
    bool wide = spans_pmus(m, group);
    for (size_t j = 0; j <= i && !m->members[i].group; j++) {
        const bx_assignment *other = &m->assignments[j];
        if (m->events[other->event].group == group && waits(m, j) &&
            other->package == assignment->package && (wide || other->unit == assignment->unit))
            m->members[i].group = (uint16_t)(j + 1);
    }
}

static void find_box(struct bx_schedule_builder *m, size_t i)
{
    size_t j = 0;
    while (!bx_same_box(m->t, m->events, &m->assignments[j], &m->assignments[i]))
        j++;
    m->members[i].box = (uint16_t)j;
}

static void join(struct bx_schedule_builder *m, size_t i, size_t with)
{
    uint16_t a = m->component[i], b = m->component[with], low = a < b ? a : b;
    for (size_t j = 0; a != b && j < m->n; j++)
        if (m->component[j] == a || m->component[j] == b)
            m->component[j] = low;
}

void bx_find_components(struct bx_schedule_builder *m)
{
    for (size_t i = 0; i < m->n; i++) {
        find_box(m, i);
        find_group(m, i);
        m->component[i] = (uint16_t)i;
        join(m, i, m->members[i].box);
        if (m->members[i].group)
            join(m, i, m->members[i].group - 1u);
    }
    for (size_t i = m->n; i-- > 0;) {
        size_t j = i + 1;
        while (j < m->n && m->component[j] != m->component[i])
            j++;
        m->next[i] = j < m->n ? (uint16_t)j : BX_NONE;
    }
    for (size_t i = 0; i < m->n; i++)
        if (m->next[i] != BX_NONE)
            m->rank[m->next[i]] = (uint16_t)(m->rank[i] + 1);
}

/* Members of i's group in the same box must be compatible. */
static int check_group(struct bx_schedule_builder *m, size_t i, bx_error *e)
{
    size_t n = 0;
    for (size_t j = i; j < m->n; j++) {
        if (m->members[j].group != m->members[i].group || m->members[j].box != m->members[i].box)
            continue;
        m->subset_assignments[n] = &m->assignments[j];
        m->subset[n++] = &m->members[j];
    }
    if (bx_compatible(m->subset, n))
        return BX_OK;
    int code = bx_explain_conflict(m->t, m->events, m->subset, m->subset_assignments, n, e);
    bx_hint(e, "events in braces are counted at once; without them they take turns");
    return code;
}

int bx_check_groups(struct bx_schedule_builder *m, bx_error *e)
{
    int code = BX_OK;
    for (size_t i = 0; code == BX_OK && i < m->n; i++)
        if (m->members[i].group)
            code = check_group(m, i, e);
    return code;
}

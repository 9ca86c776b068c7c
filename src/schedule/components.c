/* Which seats have to do with each other: boxes, bundles and clusters. */
#include "schedule/builder.h"

#include "event/event.h"

/* Whether the events of a group, by its number, are of more than one PMU. */
static bool spans_pmus(const struct bx_maker *m, uint16_t group)
{
    uint16_t pmu = BX_NONE;
    for (size_t i = 0; i < m->n; i++) {
        const bx_evsel *event = &m->events[m->seats[i].event];
        if (event->group != group)
            continue;
        if (pmu != BX_NONE && pmu != event->pmu)
            return true;
        pmu = event->pmu;
    }
    return false;
}

/* A free-running counter is always there: it waits for nobody. */
static bool waits(const struct bx_maker *m, size_t i)
{
    const bx_cat_counter *fixed = bx_seat_fixed(m->t, &m->events[m->seats[i].event]);
    return !fixed || !(fixed->flags & BX_COUNTER_FREE);
}

static void find_bundle(struct bx_maker *m, size_t i)
{
    const bx_seat *seat = &m->seats[i];
    uint16_t group = m->events[seat->event].group;
    if (!group || !waits(m, i))
        return;
    bool wide = spans_pmus(m, group);
    for (size_t j = 0; j <= i && !m->members[i].bundle; j++) {
        const bx_seat *other = &m->seats[j];
        if (m->events[other->event].group == group && waits(m, j) &&
            other->package == seat->package && (wide || other->unit == seat->unit))
            m->members[i].bundle = (uint16_t)(j + 1);
    }
}

static void find_box(struct bx_maker *m, size_t i)
{
    size_t j = 0;
    while (!bx_same_box(m->t, m->events, &m->seats[j], &m->seats[i]))
        j++;
    m->members[i].box = (uint16_t)j;
}

static void join(struct bx_maker *m, size_t i, size_t with)
{
    uint16_t a = m->cluster[i], b = m->cluster[with], low = a < b ? a : b;
    for (size_t j = 0; a != b && j < m->n; j++)
        if (m->cluster[j] == a || m->cluster[j] == b)
            m->cluster[j] = low;
}

void bx_find_clusters(struct bx_maker *m)
{
    for (size_t i = 0; i < m->n; i++) {
        find_box(m, i);
        find_bundle(m, i);
        m->cluster[i] = (uint16_t)i;
        join(m, i, m->members[i].box);
        if (m->members[i].bundle)
            join(m, i, m->members[i].bundle - 1u);
    }
    for (size_t i = m->n; i-- > 0;) {
        size_t j = i + 1;
        while (j < m->n && m->cluster[j] != m->cluster[i])
            j++;
        m->next[i] = j < m->n ? (uint16_t)j : BX_NONE;
    }
    for (size_t i = 0; i < m->n; i++)
        if (m->next[i] != BX_NONE)
            m->at[m->next[i]] = (uint16_t)(m->at[i] + 1);
}

/* The members of i's bundle that are in its box must go together. */
static int check_bundle(struct bx_maker *m, size_t i, bx_error *e)
{
    size_t n = 0;
    for (size_t j = i; j < m->n; j++) {
        if (m->members[j].bundle != m->members[i].bundle || m->members[j].box != m->members[i].box)
            continue;
        m->asking[n] = &m->seats[j];
        m->asked[n++] = &m->members[j];
    }
    if (bx_together(m->asked, n))
        return BX_OK;
    int code = bx_seat_refuse(m->t, m->events, m->asked, m->asking, n, e);
    bx_hint(e, "events in braces are counted at once; without them they take turns");
    return code;
}

int bx_check_bundles(struct bx_maker *m, bx_error *e)
{
    int code = BX_OK;
    for (size_t i = 0; code == BX_OK && i < m->n; i++)
        if (m->members[i].bundle)
            code = check_bundle(m, i, e);
    return code;
}

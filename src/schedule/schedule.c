#include "schedule/schedule.h"

#include "event/event.h"
#include "schedule/fit.h"
#include "schedule/builder.h"

#include <stdlib.h>

/* Whether two clusters are the same puzzle: most units are asked for the same. */
static bool alike(const struct bx_maker *m, size_t a, size_t b)
{
    while (a != BX_NONE && b != BX_NONE) {
        const bx_member *one = &m->members[a], *other = &m->members[b];
        if (one->choice != other->choice || one->can != other->can ||
            m->at[one->box] != m->at[other->box] || !one->bundle != !other->bundle ||
            (one->bundle && m->at[one->bundle - 1] != m->at[other->bundle - 1]))
            return false;
        a = m->next[a];
        b = m->next[b];
    }
    return a == b;
}

static size_t solved_before(const struct bx_maker *m, size_t cluster)
{
    for (size_t i = 0; i < cluster; i++)
        if (m->cluster[i] == i && alike(m, i, cluster))
            return i;
    return BX_NONE;
}

static void copy_solution(struct bx_maker *m, size_t from, size_t to)
{
    for (; to != BX_NONE; from = m->next[from], to = m->next[to]) {
        m->members[to].pass = m->members[from].pass;
        m->members[to].counter = m->members[from].counter;
        m->members[to].chosen = m->members[from].chosen;
        m->seats[to].passes = m->seats[from].passes;
    }
}

static unsigned fit(struct bx_maker *m, size_t cluster)
{
    size_t n = 0;
    for (size_t i = cluster; i != BX_NONE; i = m->next[i])
        m->some[n++] = m->members[i];
    unsigned passes = bx_fit(m->some, n);
    n = 0;
    for (size_t i = cluster; i != BX_NONE; i = m->next[i]) {
        m->members[i] = m->some[n++];
        m->seats[i].passes = (uint16_t)passes;
    }
    return passes;
}

static void take_seat(struct bx_maker *m, size_t i)
{
    const bx_evsel *event = &m->events[m->seats[i].event];
    const bx_member *member = &m->members[i];
    const bx_cat_counter *counter = bx_seat_fixed(m->t, event);
    if (!counter)
        counter = bx_pmu_counter(m->t->catalog, event->pmu, member->counter);
    bx_seat *seat = &m->seats[i];
    seat->counter = (uint16_t)(counter - bx_cat_counters(m->t->catalog));
    seat->pass = member->pass;
    if (seat->place != BX_NONE)
        seat->place = (uint16_t)(seat->place + member->chosen);
}

/* Returns the most passes of any cluster; 0: out of memory. */
static unsigned fit_all(struct bx_maker *m)
{
    unsigned most = 1;
    for (size_t i = 0; i < m->n; i++) {
        if (m->cluster[i] != i)
            continue;
        size_t before = solved_before(m, i);
        if (before != BX_NONE) {
            copy_solution(m, before, i);
            continue;
        }
        unsigned passes = fit(m, i);
        if (!passes)
            return 0;
        most = passes > most ? passes : most;
    }
    for (size_t i = 0; i < m->n; i++)
        take_seat(m, i);
    return most;
}

static void forget(struct bx_maker *m)
{
    free(m->members);
    free(m->choices);
    free(m->cluster);
    free(m->next);
    free(m->at);
    free(m->some);
    free(m->asked);
    free(m->asking);
}

int bx_schedule_make(const bx_topology *t, const bx_evsel *events, size_t n, bx_schedule *s,
                     bx_error *e)
{
    struct bx_maker m = {.t = t, .events = events};
    unsigned passes = 0;
    int rc = BX_OK;
    for (size_t i = 0; rc == BX_OK && i < n; i++)
        rc = bx_seat_check(t, &events[i], e);
    if (rc == BX_OK)
        rc = bx_make_seats(&m, n, e);
    if (rc == BX_OK) {
        bx_find_clusters(&m);
        rc = bx_check_bundles(&m, e);
    }
    if (rc == BX_OK && !(passes = fit_all(&m)))
        rc = bx_schedule_no_memory(e);
    forget(&m);
    if (rc == BX_OK)
        *s = (bx_schedule){.seats = m.seats, .n = m.n, .passes = passes};
    else
        free(m.seats);
    return rc;
}

void bx_schedule_free(bx_schedule *s)
{
    free(s->seats);
    *s = (bx_schedule){0};
}

/* Makes a schedule: fits each component, and reuses the solution of equal ones. */
#include "schedule/schedule.h"

#include "event/event.h"
#include "schedule/fit.h"
#include "schedule/builder.h"

#include <stdlib.h>

/* Whether two components are the same problem. Most are: units usually count the same events. */
static bool is_same_problem(const struct bx_schedule_builder *m, size_t a, size_t b)
{
    while (a != BX_NONE && b != BX_NONE) {
        const bx_member *one = &m->members[a], *other = &m->members[b];
        if (one->alternative != other->alternative || one->can != other->can ||
            one->pinned != other->pinned || m->rank[one->box] != m->rank[other->box] ||
            !one->group != !other->group ||
            (one->group && m->rank[one->group - 1] != m->rank[other->group - 1]))
            return false;
        a = m->next[a];
        b = m->next[b];
    }
    return a == b;
}

/* The first `kinds` keys are components, of which no two are the same problem. */
static size_t solved_before(const struct bx_schedule_builder *m, size_t kinds, size_t component)
{
    for (size_t i = 0; i < kinds; i++)
        if (is_same_problem(m, (size_t)m->keys[i], component))
            return (size_t)m->keys[i];
    return BX_NONE;
}

static void copy_solution(struct bx_schedule_builder *m, size_t from, size_t to)
{
    for (; to != BX_NONE; from = m->next[from], to = m->next[to]) {
        m->members[to].pass = m->members[from].pass;
        m->members[to].counter = m->members[from].counter;
        m->members[to].chosen = m->members[from].chosen;
        m->assignments[to].passes = m->assignments[from].passes;
    }
}

static unsigned fit(struct bx_schedule_builder *m, size_t component)
{
    size_t n = 0;
    for (size_t i = component; i != BX_NONE; i = m->next[i])
        m->scratch[n++] = m->members[i];
    unsigned passes = bx_fit(m->scratch, n);
    n = 0;
    for (size_t i = component; i != BX_NONE; i = m->next[i]) {
        m->members[i] = m->scratch[n++];
        m->assignments[i].passes = m->members[i].pinned ? 1 : (uint16_t)passes;
    }
    return passes;
}

static void fill_assignment(struct bx_schedule_builder *m, size_t i)
{
    const bx_evsel *event = &m->events[m->assignments[i].event];
    const bx_member *member = &m->members[i];
    const bx_cat_counter *counter = bx_fixed_counter_of(m->t, event);
    if (!counter)
        counter = bx_pmu_counter(m->t->catalog, event->pmu, member->counter);
    bx_assignment *assignment = &m->assignments[i];
    assignment->counter = (uint16_t)(counter - bx_cat_counters(m->t->catalog));
    assignment->pass = member->pass;
    if (assignment->place != BX_NONE)
        assignment->place = (uint16_t)(assignment->place + member->chosen);
}

/* Returns the largest number of passes of a component; 0: out of memory. */
static unsigned fit_all(struct bx_schedule_builder *m)
{
    unsigned most = 1;
    size_t kinds = 0;
    for (size_t i = 0; i < m->n; i++) {
        if (m->component[i] != i)
            continue;
        size_t before = solved_before(m, kinds, i);
        if (before != BX_NONE) {
            copy_solution(m, before, i);
            continue;
        }
        unsigned passes = fit(m, i);
        if (!passes)
            return 0;
        m->keys[kinds++] = i;
        most = passes > most ? passes : most;
    }
    for (size_t i = 0; i < m->n; i++)
        fill_assignment(m, i);
    return most;
}

static void free_scratch(struct bx_schedule_builder *m)
{
    free(m->metric_group);
    free(m->members);
    free(m->alternatives);
    free(m->component);
    free(m->next);
    free(m->rank);
    free(m->keys);
    free(m->scratch);
    free(m->subset);
    free(m->subset_assignments);
}

static int make_schedule(const bx_topology *t, const bx_evsel *events, size_t n, bx_schedule *s,
                         bx_error *e)
{
    struct bx_schedule_builder m = {
        .t = t, .events = events, .events_n = n, .metric_group = calloc(n + 1, sizeof(uint16_t))};
    unsigned passes = 0;
    int code = m.metric_group ? BX_OK : bx_out_of_memory(e);
    for (size_t i = 0; code == BX_OK && i < n; i++)
        code = bx_check_countable(t, &events[i], e);
    if (code == BX_OK)
        code = bx_expand_events(&m, n, e);
    if (code == BX_OK)
        code = bx_find_components(&m, e);
    if (code == BX_OK && !(passes = fit_all(&m)))
        code = bx_out_of_memory(e);
    free_scratch(&m);
    if (code == BX_OK)
        *s = (bx_schedule){.assignments = m.assignments, .n = m.n, .passes = passes};
    else
        free(m.assignments);
    return code;
}

/* The events without their weak groups; NULL: out of memory. *any: whether there was one. */
static bx_evsel *without_weak_groups(const bx_evsel *events, size_t n, bool *any)
{
    bx_evsel *copy = calloc(n + 1, sizeof *copy);
    *any = false;
    for (size_t i = 0; copy && i < n; i++) {
        copy[i] = events[i];
        copy[i].group = events[i].weak ? 0 : events[i].group;
        *any |= events[i].weak;
    }
    return copy;
}

int bx_schedule_make(const bx_topology *t, const bx_evsel *events, size_t n, bx_schedule *s,
                     bx_error *e)
{
    bx_error own = {0};
    bool any;
    int code = make_schedule(t, events, n, s, &own);
    if (code == BX_NO_FIT) {
        bx_evsel *loose = without_weak_groups(events, n, &any);
        if (!loose)
            return bx_out_of_memory(e);
        if (any) {
            own = (bx_error){0};
            code = make_schedule(t, loose, n, s, &own);
        }
        free(loose);
    }
    if (code)
        bx_fail_as(e, &own);
    return code;
}

void bx_schedule_free(bx_schedule *s)
{
    free(s->assignments);
    *s = (bx_schedule){0};
}

/* Pinned members keep one counter and one place in all passes. The choices are tried in order,
 * until each other member of the box, or its group, fits together with them. */
#include "schedule/builder.h"
#include "schedule/equal.h"

#include "catalog/catalog.h"

#include <stdlib.h>
#include <string.h>

/* The members of one box. */
struct box {
    struct bx_schedule_builder *m;
    size_t *pinned, pinned_n; /* indices of members */
    size_t *other, other_n;
    bx_member *chosen; /* each pinned member, with the counter and place that it keeps */
    size_t worst;      /* member that did not fit with the last choice; SIZE_MAX: no choice for all
                          pinned ones */
};

static bool same_item(const bx_member *a, const bx_member *b)
{
    return a == b || (a->group && a->group == b->group);
}

/* Collects the pinned members as chosen so far, and another item. */
static size_t collect(const struct box *b, size_t pinned, const bx_member *beside)
{
    struct bx_schedule_builder *m = b->m;
    size_t n = 0;
    for (size_t i = 0; i < pinned; i++) {
        m->subset_assignments[n] = &m->assignments[b->pinned[i]];
        m->subset[n++] = &b->chosen[i];
    }
    for (size_t i = 0; beside && i < b->other_n; i++) {
        bx_member *other = &m->members[b->other[i]];
        if (!same_item(beside, other))
            continue;
        m->subset_assignments[n] = &m->assignments[b->other[i]];
        m->subset[n++] = other;
    }
    return n;
}

static bool all_fit_beside(struct box *b)
{
    for (size_t i = 0; i < b->other_n; i++) {
        if (bx_compatible(b->m->subset, collect(b, b->pinned_n, &b->m->members[b->other[i]])))
            continue;
        b->worst = b->other[i];
        return false;
    }
    return true;
}

static bool choose_pinned(struct box *b, size_t which)
{
    if (which == b->pinned_n)
        return all_fit_beside(b);
    const bx_member *whole = &b->m->members[b->pinned[which]];
    for (unsigned counter = 0; counter < 32; counter++) {
        if (!(whole->can >> counter & 1))
            continue;
        for (uint8_t place = 0; place < whole->alternatives; place++) {
            b->chosen[which] = *whole;
            b->chosen[which].can = UINT32_C(1) << counter;
            b->chosen[which].counter = (uint8_t)counter;
            b->chosen[which].alternative += place;
            b->chosen[which].alternatives = 1;
            if (bx_compatible(b->m->subset, collect(b, which + 1, NULL)) &&
                choose_pinned(b, which + 1))
                return true;
        }
    }
    return false;
}

static int refuse_pin(struct box *b, bx_error *e)
{
    for (size_t i = 0; i < b->pinned_n; i++)
        b->chosen[i] = b->m->members[b->pinned[i]];
    const bx_member *beside = b->worst == SIZE_MAX ? NULL : &b->m->members[b->worst];
    size_t n = collect(b, b->pinned_n, beside);
    struct bx_schedule_builder *m = b->m;
    if (bx_compatible(m->subset, n)) /* each fits alone, but not all with one choice */
        bx_fail(e, BX_NO_FIT, m->events[m->assignments[b->worst].event].at,
                m->events[m->assignments[b->worst].event].len,
                "no counter is left for this beside the pinned events");
    else
        bx_explain_conflict(m->t, m->events, m->subset, m->subset_assignments, n, e);
    bx_hint(e, "pinned events (:D) are counted all the time and keep their counters; pin fewer");
    return BX_NO_FIT;
}

/* Leaves them only the chosen counter and place. */
static void keep(const struct box *b)
{
    struct bx_schedule_builder *m = b->m;
    for (size_t i = 0; i < b->pinned_n; i++) {
        bx_assignment *assignment = &m->assignments[b->pinned[i]];
        bx_member *member = &m->members[b->pinned[i]];
        if (assignment->place != BX_NONE)
            assignment->place =
                (uint16_t)(assignment->place + (b->chosen[i].alternative - member->alternative));
        *member = b->chosen[i];
        member->chosen = 0;
    }
}

/* Whether an enable in one counter's control register also enables others, such as EN of a P6's
 * PerfEvtSel0. With each turn of that counter, all stop for a moment. */
static bool stop_together(const struct bx_schedule_builder *m, const bx_evsel *event)
{
    const struct bx_catalog *c = m->t->catalog;
    bx_span counters = bx_cat_pmus(c)[event->pmu].counters;
    for (unsigned i = counters.first; i < (unsigned)counters.first + counters.n; i++)
        if (bx_cat_counters(c)[i].other_condition != BX_NONE)
            return true;
    return false;
}

static bool all_fit_at_once(struct bx_schedule_builder *m, size_t first)
{
    size_t n = 0;
    for (size_t i = first; i != BX_LAST; i = m->next[i])
        m->subset[n++] = &m->members[i];
    return bx_compatible(m->subset, n);
}

static int pin_box(struct box *b, size_t first, bx_error *e)
{
    struct bx_schedule_builder *m = b->m;
    b->pinned_n = b->other_n = 0;
    b->worst = SIZE_MAX;
    for (size_t i = first; i != BX_LAST; i = m->next[i]) {
        if (m->members[i].pinned)
            b->pinned[b->pinned_n++] = i;
        else
            b->other[b->other_n++] = i;
    }
    if (!b->pinned_n)
        return BX_OK;
    const bx_evsel *event = &m->events[m->assignments[b->pinned[0]].event];
    if (stop_together(m, event) && !all_fit_at_once(m, first)) {
        bx_fail(e, BX_NO_FIT, event->at, event->len,
                "this cannot be pinned: its counter stops for a moment at each turn of the others");
        bx_hint(e, "the counters of %s have one enable; count fewer events, or leave :D out",
                bx_cat_z(m->t->catalog, bx_cat_pmus(m->t->catalog)[event->pmu].name));
        return BX_NO_FIT;
    }
    if (!choose_pinned(b, 0))
        return refuse_pin(b, e);
    keep(b);
    return BX_OK;
}

static bool has_pinned(const struct bx_schedule_builder *m)
{
    for (size_t i = 0; i < m->n; i++)
        if (m->members[i].pinned)
            return true;
    return false;
}

int bx_pin(struct bx_schedule_builder *m, bx_error *e)
{
    if (!has_pinned(m))
        return BX_OK;
    struct box b = {.m = m,
                    .pinned = calloc(m->n, sizeof *b.pinned),
                    .other = calloc(m->n, sizeof *b.other),
                    .chosen = calloc(m->n, sizeof *b.chosen)};
    for (size_t i = 0; i < m->n; i++)
        m->keys[i] = m->members[i].box;
    bool fine = b.pinned && b.other && b.chosen && bx_find_equal(m->keys, m->n, m->rank);
    int code = fine ? BX_OK : bx_out_of_memory(e);
    if (fine)
        bx_link_equal(m->rank, m->n, m->next);
    for (size_t i = 0; code == BX_OK && i < m->n; i++)
        if (m->rank[i] == i)
            code = pin_box(&b, i, e);
    free(b.pinned);
    free(b.other);
    free(b.chosen);
    return code;
}

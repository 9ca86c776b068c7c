/* Assigns the counters of a box to groups, as Linux does. Pinned groups come first, then the others
 * in their order, up to the first one that does not fit beside those before it. At the end of a
 * multiplexing interval the first group that is not pinned moves to the end. */
#include "stage/perf/opened_events.h"

#include <stdlib.h>
#include <string.h>

enum { MUX_INTERVAL = BX_MUX_INTERVAL_MS * 1000000, SAMPLE_INTERVAL = 1000000000 /* ns */ };

/* ---- boxes ---- */

bool bx_staged_boxes_new(bx_staged_boxes *b, const bx_topology *t, const bx_event_sources *s,
                         struct bx_bus *bus)
{
    *b = (bx_staged_boxes){.t = t, .bus = bus};
    b->all = calloc(s->n * t->packages * t->cores + 1, sizeof *b->all);
    if (!b->all)
        return false;
    for (size_t i = 0; i < s->n; i++) {
        unsigned n = s->all[i].of_cpus ? t->packages * t->cores : t->packages;
        for (unsigned package = 0; package < n; package++)
            b->all[b->n++] = (bx_staged_box){.source = &s->all[i], .package = package};
    }
    return true;
}

void bx_staged_boxes_free(bx_staged_boxes *b)
{
    for (size_t i = 0; i < b->n; i++) {
        bx_plan_free(&b->all[i].plan);
        bx_schedule_free(&b->all[i].schedule);
        free(b->all[i].events);
        free(b->all[i].counters);
        free(b->all[i].needs);
    }
    free(b->all);
    *b = (bx_staged_boxes){0};
}

bx_staged_box *bx_staged_box_of(const bx_staged_boxes *b, const bx_event_source *source,
                                unsigned cpu)
{
    unsigned package = source->of_cpus ? cpu : cpu / b->t->cores;
    for (size_t i = 0; i < b->n; i++)
        if (b->all[i].source == source && b->all[i].package == package)
            return &b->all[i];
    return NULL;
}

/* ---- what fits ---- */

/* Events that can be counted at once, and their schedule. */
typedef struct candidates {
    bx_staged_event **staged;
    bx_evsel *events;
    size_t n;
    bx_schedule schedule;
} candidates;

static bool candidates_new(candidates *c, size_t room)
{
    *c = (candidates){.staged = calloc(room + 1, sizeof(bx_staged_event *)),
                      .events = calloc(room + 1, sizeof(bx_evsel))};
    return c->staged && c->events;
}

static void candidates_free(candidates *c)
{
    bx_schedule_free(&c->schedule);
    free(c->staged);
    free(c->events);
    *c = (candidates){0};
}

/* Adds a group's events that are on, or all of them, if they fit beside the candidates. false: they
 * do not. */
static bool add_group(const bx_staged_boxes *b, candidates *c, bx_staged_event *leader, bool all)
{
    size_t before = c->n;
    for (bx_staged_event *e = leader; e; e = e->next) {
        if (e->host >= 0 || e->never_counts || !(all || bx_staged_is_on(e)))
            continue;
        c->staged[c->n] = e;
        c->events[c->n++] = e->event;
    }
    bx_schedule made = {0};
    bx_error ignored = {0};
    if (c->n == before)
        return true;
    if (bx_schedule_make(b->t, c->events, c->n, &made, &ignored) == BX_OK && made.passes <= 1) {
        bx_schedule_free(&c->schedule);
        c->schedule = made;
        return true;
    }
    bx_schedule_free(&made);
    c->n = before;
    return false;
}

static size_t members(const bx_staged_event *leader)
{
    size_t n = 0;
    for (const bx_staged_event *e = leader; e; e = e->next)
        n++;
    return n;
}

bool bx_staged_box_fits(const bx_staged_boxes *b, bx_staged_event *leader)
{
    candidates c;
    bool fits = candidates_new(&c, members(leader)) && add_group(b, &c, leader, true);
    candidates_free(&c);
    return fits;
}

/* ---- which groups have counters ---- */

static void set_group(bx_staged_event *leader, bool has_counter)
{
    for (bx_staged_event *e = leader; e; e = e->next)
        bx_staged_set_has_counter(e, has_counter && !e->never_counts && bx_staged_is_on(e));
}

static bool has_counters(const bx_staged_event *leader)
{
    for (const bx_staged_event *e = leader; e; e = e->next)
        if (e->has_counter)
            return true;
    return false;
}

/* Selects pinned groups, or the others, in their order. */
static void select_groups(const bx_staged_boxes *b, bx_staged_box *box, candidates *c, bool pinned,
                          bool shrinks, bool *has_exclusive)
{
    bool room = true;
    for (bx_staged_event *g = box->groups; g; g = g->next_group) {
        if (g->request.attr.pinned != pinned || g->state != BX_STAGED_ON)
            continue;
        bool exclusive = g->request.attr.exclusive;
        bool got = room && !*has_exclusive && !(exclusive && c->n) &&
                   (!shrinks || has_counters(g)) && add_group(b, c, g, false);
        *has_exclusive |= got && exclusive;
        g->selected = got;
        if (!got && pinned && !shrinks)
            g->state = BX_STAGED_ERROR; /* a pinned group must not wait */
        room &= pinned || shrinks || got;
        box->waiting |= !got && !pinned;
    }
}

static bool unchanged(const bx_staged_box *box, const candidates *c)
{
    if (box->n != c->n)
        return false;
    for (size_t i = 0; i < c->n; i++) {
        bool found = false;
        for (size_t j = 0; j < box->n; j++)
            found |= box->counters[j].event == c->staged[i];
        if (!found)
            return false;
    }
    return true;
}

static void fail_groups(bx_staged_box *box)
{
    for (bx_staged_event *g = box->groups; g; g = g->next_group) {
        g->state = g->selected ? BX_STAGED_ERROR : g->state;
        set_group(g, false);
    }
}

/* As often as time may have passed with other contents of registers. */
static void update_box_times(const bx_staged_boxes *b, bx_staged_box *box, uint64_t now)
{
    bx_staged_check_counters(b, box);
    for (bx_staged_event *g = box->groups; g; g = g->next_group)
        bx_staged_update_times(g, now);
}

void bx_staged_box_reschedule(bx_staged_boxes *b, bx_staged_box *box, uint64_t now, bool shrinks)
{
    size_t room = 0;
    bool has_exclusive = false;
    candidates c;
    update_box_times(b, box, now);
    for (bx_staged_event *g = box->groups; g; g = g->next_group) {
        g->selected = false;
        room += members(g);
    }
    bool before = box->waiting;
    box->waiting = false;
    bool made = candidates_new(&c, room);
    if (made) {
        select_groups(b, box, &c, true, shrinks, &has_exclusive);
        select_groups(b, box, &c, false, shrinks, &has_exclusive);
    }
    if (box->waiting && !before)
        box->mux_start = 0;
    int err = 0;
    if (!made || !unchanged(box, &c)) {
        err = bx_staged_program(b, box, c.events, c.staged, &c.schedule);
        c.events = NULL;
    }
    for (bx_staged_event *g = box->groups; g; g = g->next_group)
        set_group(g, g->selected && g->state == BX_STAGED_ON);
    if (err || !made)
        fail_groups(box);
    candidates_free(&c);
}

/* ---- time ---- */

static void rotate(bx_staged_box *box)
{
    bx_staged_event **at = &box->groups;
    while (*at && ((*at)->request.attr.pinned || (*at)->state != BX_STAGED_ON))
        at = &(*at)->next_group;
    bx_staged_event *first = *at;
    if (!first)
        return;
    *at = first->next_group;
    while (*at)
        at = &(*at)->next_group;
    *at = first;
    first->next_group = NULL;
}

void bx_staged_boxes_tick(bx_staged_boxes *b, uint64_t now, uint64_t mux_clock)
{
    for (size_t i = 0; i < b->n; i++) {
        bx_staged_box *box = &b->all[i];
        if (box->n)
            update_box_times(b, box, now);
        if (box->n && now - box->last_sample >= SAMPLE_INTERVAL) {
            box->last_sample = now;
            bx_staged_read_counters(b, box);
        }
        if (box->waiting && box->mux_start == 0)
            box->mux_start = mux_clock;
        if (box->waiting && mux_clock - box->mux_start >= MUX_INTERVAL) {
            box->mux_start = mux_clock;
            rotate(box);
            bx_staged_box_reschedule(b, box, now, false);
        }
    }
}

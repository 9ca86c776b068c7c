/* Who gets the counters of a box, as Linux gives them: groups that are pinned first, then the
 * others in their order, up to the first that does not fit beside those before it. At the end of a
 * turn the first of those goes to the end. */
#include "stage/perf/opened_events.h"

#include <stdlib.h>
#include <string.h>

enum { TURN = BX_SOURCE_TURN_MS * 1000000, LOOK = 1000000000 /* ns */ };

/* ---- boxes ---- */

bool bx_staged_boxes_new(bx_staged_boxes *b, const bx_topology *t, const bx_sources *s,
                         struct bx_bus *bus)
{
    *b = (bx_staged_boxes){.t = t, .bus = bus};
    b->all = calloc(s->n * t->packages * t->cores + 1, sizeof *b->all);
    b->open = calloc((size_t)t->packages * t->cores, sizeof *b->open);
    if (!b->all || !b->open) {
        bx_staged_boxes_free(b);
        return false;
    }
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
    }
    free(b->all);
    free(b->open);
    *b = (bx_staged_boxes){0};
}

bx_staged_box *bx_staged_box_of(const bx_staged_boxes *b, const bx_source *source, unsigned cpu)
{
    unsigned package = source->of_cpus ? cpu : cpu / b->t->cores;
    for (size_t i = 0; i < b->n; i++)
        if (b->all[i].source == source && b->all[i].package == package)
            return &b->all[i];
    return NULL;
}

/* ---- what fits ---- */

/* Events that could be on counters together, and their seats. */
typedef struct choice {
    bx_staged_event **who;
    bx_evsel *events;
    size_t n;
    bx_schedule schedule;
} choice;

static bool choice_new(choice *c, size_t room)
{
    *c = (choice){.who = calloc(room + 1, sizeof(bx_staged_event *)),
                  .events = calloc(room + 1, sizeof(bx_evsel))};
    return c->who && c->events;
}

static void choice_free(choice *c)
{
    bx_schedule_free(&c->schedule);
    free(c->who);
    free(c->events);
    *c = (choice){0};
}

/* Adds the events of a group that are on (or all), if they fit beside those that are there. */
static bool add(const bx_staged_boxes *b, choice *c, bx_staged_event *leader, bool all)
{
    size_t before = c->n;
    for (bx_staged_event *e = leader; e; e = e->next) {
        if (e->host >= 0 || !(all || bx_staged_is_on(e)))
            continue;
        c->who[c->n] = e;
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
    choice c;
    bool fits = choice_new(&c, members(leader)) && add(b, &c, leader, true);
    choice_free(&c);
    return fits;
}

/* ---- who has counters ---- */

static void set_group(bx_staged_event *leader, bool counts)
{
    for (bx_staged_event *e = leader; e; e = e->next)
        bx_staged_set_counts(e, counts && bx_staged_is_on(e));
}

/* The groups of one kind, in their order. */
static void choose(const bx_staged_boxes *b, bx_staged_box *box, choice *c, bool pinned,
                   bool shrinks, bool *alone)
{
    bool room = true;
    for (bx_staged_event *g = box->groups; g; g = g->after) {
        if (g->want.attr.pinned != pinned || g->state != BX_STAGED_ON)
            continue;
        bool exclusive = g->want.attr.exclusive;
        bool got = room && !*alone && !(exclusive && c->n) && (g->counts || !shrinks) &&
                   add(b, c, g, false);
        *alone |= got && exclusive;
        g->chosen = got;
        if (!got && pinned && !shrinks)
            g->state = BX_STAGED_ERROR; /* it must not wait */
        room &= pinned || shrinks || got;
        box->waiting |= !got && !pinned;
    }
}

static bool unchanged(const bx_staged_box *box, const choice *c)
{
    if (box->n != c->n)
        return false;
    for (size_t i = 0; i < c->n; i++) {
        bool found = false;
        for (size_t j = 0; j < box->n; j++)
            found |= box->counters[j].event == c->who[i];
        if (!found)
            return false;
    }
    return true;
}

static void give_up(bx_staged_box *box)
{
    for (bx_staged_event *g = box->groups; g; g = g->after) {
        g->state = g->chosen ? BX_STAGED_ERROR : g->state;
        set_group(g, false);
    }
}

void bx_staged_box_settle(bx_staged_boxes *b, bx_staged_box *box, uint64_t now, bool shrinks)
{
    size_t room = 0;
    bool alone = false;
    choice c;
    for (bx_staged_event *g = box->groups; g; g = g->after) {
        bx_staged_account(g, now);
        g->chosen = false;
        room += members(g);
    }
    bool before = box->waiting;
    box->waiting = false;
    bool made = choice_new(&c, room);
    if (made) {
        choose(b, box, &c, true, shrinks, &alone);
        choose(b, box, &c, false, shrinks, &alone);
    }
    if (box->waiting && !before)
        box->turn = 0;
    int why = 0;
    if (!made || !unchanged(box, &c)) {
        why = bx_staged_program(b, box, c.events, c.who, &c.schedule);
        c.events = NULL;
    }
    for (bx_staged_event *g = box->groups; g; g = g->after)
        set_group(g, g->chosen && g->state == BX_STAGED_ON);
    if (why || !made)
        give_up(box);
    choice_free(&c);
}

/* ---- time ---- */

static void rotate(bx_staged_box *box)
{
    bx_staged_event **at = &box->groups;
    while (*at && ((*at)->want.attr.pinned || (*at)->state != BX_STAGED_ON))
        at = &(*at)->after;
    bx_staged_event *first = *at;
    if (!first)
        return;
    *at = first->after;
    while (*at)
        at = &(*at)->after;
    *at = first;
    first->after = NULL;
}

void bx_staged_boxes_tick(bx_staged_boxes *b, uint64_t now, uint64_t turns)
{
    for (size_t i = 0; i < b->n; i++) {
        bx_staged_box *box = &b->all[i];
        if (box->n && now - box->looked >= LOOK) {
            box->looked = now;
            bx_staged_collect(b, box);
        }
        if (box->waiting && box->turn == 0)
            box->turn = turns;
        if (box->waiting && turns - box->turn >= TURN) {
            box->turn = turns;
            rotate(box);
            bx_staged_box_settle(b, box, now, false);
        }
    }
}

#include "schedule/schedule.h"
#include "schedule/match.h"

#include "base/error.h"
#include "event/event.h"

#include <stdio.h>
#include <stdlib.h>

static const bx_cat_pmu *pmu_of(const bx_topology *t, const bx_evsel *event)
{
    return &bx_cat_pmus(t->catalog)[event->pmu];
}

/* The counters that the event may sit on: one that it names is kept to. */
static uint32_t allowed(const bx_topology *t, const bx_evsel *event)
{
    uint32_t mask = bx_event_counters(t->catalog, event);
    if (event->counter == BX_ANY)
        return mask;
    return event->counter < BX_MATCH_COUNTERS ? mask & UINT32_C(1) << event->counter : 0;
}

static void label_unit(const bx_topology *t, const bx_evsel *event, unsigned unit, char *to,
                       size_t room)
{
    bx_cat_expand(to, room, bx_cat_z(t->catalog, pmu_of(t, event)->unit_label), unit, 0);
}

static int no_such_unit(const bx_topology *t, const bx_evsel *event, unsigned units, bx_error *e)
{
    char asked[64], first[64], last[64];
    label_unit(t, event, event->unit == BX_ANY ? 0 : (unsigned)event->unit, asked, sizeof asked);
    bx_fail(e, BX_NO_FIT, event->at, event->len, "this machine has no %s", asked);
    label_unit(t, event, 0, first, sizeof first);
    label_unit(t, event, units - 1, last, sizeof last);
    if (units > 1)
        bx_hint(e, "it has %s to %s", first, last);
    else if (units == 1)
        bx_hint(e, "it has %s only", first);
    return BX_NO_FIT;
}

static int no_such_counter(const bx_topology *t, const bx_evsel *event, bx_error *e)
{
    if (event->counter == BX_ANY)
        return bx_fail(e, BX_NO_FIT, event->at, event->len, "%s has no counter for a raw code",
                       bx_cat_z(t->catalog, pmu_of(t, event)->name));
    const char *name = event->event == BX_RAW
                           ? "a raw code"
                           : bx_cat_z(t->catalog, bx_cat_events(t->catalog)[event->event].name);
    bx_fail(e, BX_NO_FIT, event->at, event->len, "counter %d cannot count %s", event->counter,
            name);
    char list[64] = "";
    size_t n = 0;
    uint32_t mask = bx_event_counters(t->catalog, event);
    for (unsigned i = 0; i < BX_MATCH_COUNTERS && n < sizeof list; i++)
        if (mask >> i & 1)
            n += (size_t)snprintf(list + n, sizeof list - n, "%s%u", n ? ", " : "", i);
    bx_hint(e, "these can: %s; name none to take any of them", list);
    return BX_NO_FIT;
}

/* Whether the event can be counted on this machine at all. */
static int check(const bx_topology *t, const bx_evsel *event, bx_error *e)
{
    const struct bx_catalog *c = t->catalog;
    const bx_cat_pmu *pmu = pmu_of(t, event);
    if (pmu->cpu != t->cpu) {
        bx_fail(e, BX_NO_FIT, event->at, event->len, "this machine has no %s",
                bx_cat_z(c, pmu->name));
        bx_hint(e, "it is a %s; the event belongs to %s", bx_cat_z(c, bx_cat_cpus(c)[t->cpu].name),
                bx_cat_z(c, bx_cat_cpus(c)[pmu->cpu].name));
        return BX_NO_FIT;
    }
    unsigned units = bx_topology_units(t, event->pmu);
    if (units == 0 || (event->unit != BX_ANY && (unsigned)event->unit >= units))
        return no_such_unit(t, event, units, e);
    if (event->package != BX_ANY && (unsigned)event->package >= t->packages) {
        bx_fail(e, BX_NO_FIT, event->at, event->len, "this machine has no package %d",
                event->package);
        bx_hint(e, t->packages == 1 ? "it has package 0 only" : "it has packages 0 to %u",
                t->packages - 1);
        return BX_NO_FIT;
    }
    return allowed(t, event) ? BX_OK : no_such_counter(t, event, e);
}

struct range {
    unsigned from, to;
};

static struct range asked(int16_t which, unsigned n)
{
    if (which == BX_ANY)
        return (struct range){0, n};
    return (struct range){(unsigned)which, (unsigned)which + 1};
}

/* One seat for each unit that an event asks for; counters come later. */
static size_t spread(const bx_topology *t, const bx_evsel *events, size_t n, bx_seat *seats)
{
    size_t made = 0;
    for (size_t i = 0; i < n; i++) {
        struct range packages = asked(events[i].package, t->packages);
        struct range units = asked(events[i].unit, bx_topology_units(t, events[i].pmu));
        for (unsigned p = packages.from; p < packages.to; p++) {
            for (unsigned u = units.from; u < units.to; u++) {
                if (seats)
                    seats[made] = (bx_seat){.event = (uint16_t)i,
                                            .package = (uint16_t)p,
                                            .unit = (uint16_t)u,
                                            .counter = BX_NONE,
                                            .passes = 1};
                made++;
            }
        }
    }
    return made;
}

/* Catalogue index of a counter by its index in the unit. */
static uint16_t counter_at(const bx_topology *t, const bx_evsel *event, unsigned index)
{
    return (uint16_t)(bx_pmu_counter(t->catalog, event->pmu, index) - bx_cat_counters(t->catalog));
}

/* A fixed or free-running counter serves any number of events at once, as long as they want the
 * same of its control register. */
static int seat_shared(const bx_topology *t, const bx_evsel *events, bx_schedule *s, bx_error *e)
{
    for (size_t i = 0; i < s->n; i++) {
        bx_seat *seat = &s->seats[i];
        const bx_evsel *event = &events[seat->event];
        uint16_t counter = counter_at(t, event, (unsigned)__builtin_ctz(allowed(t, event)));
        if (!bx_cat_counters(t->catalog)[counter].flags)
            continue;
        seat->counter = counter;
        for (size_t j = 0; j < i; j++) {
            const bx_evsel *other = &events[s->seats[j].event];
            if (s->seats[j].counter == counter && other->control != event->control) {
                bx_fail(e, BX_NO_FIT, event->at, event->len,
                        "this and another event want the same fixed counter in different ways");
                bx_hint(e, "count them one after the other");
                return BX_NO_FIT;
            }
        }
    }
    return BX_OK;
}

static bool same_box(const bx_evsel *events, const bx_seat *a, const bx_seat *b)
{
    return a->package == b->package && a->unit == b->unit &&
           events[a->event].pmu == events[b->event].pmu;
}

struct box {
    uint32_t *can;
    uint8_t *counter;
    uint16_t *pass;
    size_t *seat;
};

/* Finds counters and passes for all events of the box that seat `first` is in. */
static void seat_box(const bx_topology *t, const bx_evsel *events, bx_schedule *s, size_t first,
                     struct box *box)
{
    size_t n = 0;
    for (size_t i = first; i < s->n; i++) {
        const bx_seat *seat = &s->seats[i];
        if (seat->counter == BX_NONE && same_box(events, seat, &s->seats[first])) {
            box->can[n] = allowed(t, &events[seat->event]);
            box->seat[n++] = i;
        }
    }
    unsigned passes = bx_match(box->can, n, box->counter, box->pass);
    for (size_t i = 0; i < n; i++) {
        bx_seat *seat = &s->seats[box->seat[i]];
        seat->counter = counter_at(t, &events[seat->event], box->counter[i]);
        seat->pass = box->pass[i];
        seat->passes = (uint16_t)passes;
    }
    if (passes > s->passes)
        s->passes = passes;
}

static bool seat_boxes(const bx_topology *t, const bx_evsel *events, bx_schedule *s)
{
    struct box box = {
        .can = calloc(s->n, sizeof *box.can),
        .counter = calloc(s->n, sizeof *box.counter),
        .pass = calloc(s->n, sizeof *box.pass),
        .seat = calloc(s->n, sizeof *box.seat),
    };
    bool fine = box.can && box.counter && box.pass && box.seat;
    for (size_t i = 0; fine && i < s->n; i++)
        if (s->seats[i].counter == BX_NONE)
            seat_box(t, events, s, i, &box);
    free(box.can);
    free(box.counter);
    free(box.pass);
    free(box.seat);
    return fine;
}

int bx_schedule_make(const bx_topology *t, const bx_evsel *events, size_t n, bx_schedule *s,
                     bx_error *e)
{
    for (size_t i = 0; i < n; i++) {
        int rc = check(t, &events[i], e);
        if (rc != BX_OK)
            return rc;
    }
    bx_schedule made = {.n = spread(t, events, n, NULL), .passes = 1};
    if (made.n >= BX_NONE)
        return bx_fail(e, BX_BAD_INPUT, 0, 0, "%zu counters at once are too many", made.n);
    made.seats = calloc(made.n ? made.n : 1, sizeof *made.seats);
    if (!made.seats)
        return bx_fail(e, BX_NO_MEMORY, 0, 0, "out of memory");
    spread(t, events, n, made.seats);
    int rc = seat_shared(t, events, &made, e);
    if (rc == BX_OK && made.n && !seat_boxes(t, events, &made))
        rc = bx_fail(e, BX_NO_MEMORY, 0, 0, "out of memory");
    if (rc != BX_OK) {
        bx_schedule_free(&made);
        return rc;
    }
    *s = made;
    return BX_OK;
}

void bx_schedule_free(bx_schedule *s)
{
    free(s->seats);
    *s = (bx_schedule){0};
}

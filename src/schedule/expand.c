/* Events spread over the units and ports that they ask for: one seat for each. */
#include "schedule/builder.h"

#include "event/event.h"

#include <stdlib.h>
#include <string.h>

enum { PORTS = 8 }; /* most of a unit */

/* What an event wants on one port: its places there. */
struct offer {
    uint16_t place; /* the first, or BX_NONE */
    uint8_t n;
    const bx_choice *choices;
};

struct range {
    unsigned from, to;
};

static struct range asked_for(int which, unsigned n)
{
    if (which == BX_ANY)
        return (struct range){0, n};
    return (struct range){(unsigned)which, (unsigned)which + 1};
}

/* The ports that an event is counted on. One that is in no slot has no port: it is counted once. */
static unsigned offers_of(const struct bx_maker *m, const bx_evsel *event, bx_choice *room,
                          struct offer *offers)
{
    unsigned ports = bx_cat_pmus(m->t->catalog)[event->pmu].ports, n = 0;
    ports = ports == 0 ? 1 : ports < PORTS ? ports : PORTS;
    int local = event->port == BX_ANY ? BX_ANY : event->port % (int)ports;
    struct range range = asked_for(local, ports);
    for (unsigned port = range.from; port < range.to; port++, room += BX_PLACES) {
        struct offer *o = &offers[n];
        o->n = (uint8_t)bx_seat_choices(m->t, event, port, room, &o->place);
        o->choices = room;
        if (o->place != BX_NONE || n == 0)
            n++;
    }
    if (offers[0].place == BX_NONE && n > 1) { /* the first port has no such place, others have */
        memmove(&offers[0], &offers[1], (n - 1) * sizeof *offers);
        n--;
    }
    return n;
}

/* One seat for each unit and port that the event asks for; counters come later. Without m->seats
 * they are counted only. */
static void spread(struct bx_maker *m, size_t which)
{
    struct offer offers[PORTS];
    const bx_evsel *event = &m->events[which];
    unsigned n = offers_of(m, event, m->choices + which * PORTS * BX_PLACES, offers);
    unsigned ports = bx_cat_pmus(m->t->catalog)[event->pmu].ports;
    int unit = event->port == BX_ANY ? event->unit : event->port / (int)ports;
    struct range packages = asked_for(event->package, m->t->packages);
    struct range units = asked_for(unit, bx_topology_units(m->t, event->pmu));
    for (unsigned p = packages.from; p < packages.to; p++) {
        for (unsigned u = units.from; u < units.to; u++) {
            for (unsigned i = 0; i < n; i++, m->n++) {
                if (!m->seats)
                    continue;
                m->seats[m->n] = (bx_seat){.event = (uint16_t)which,
                                           .package = (uint16_t)p,
                                           .unit = (uint16_t)u,
                                           .counter = BX_NONE,
                                           .place = offers[i].place,
                                           .passes = 1};
                m->members[m->n] = (bx_member){
                    .choice = offers[i].choices,
                    .choices = offers[i].n,
                    .can = bx_seat_fixed(m->t, event) ? 0 : bx_seat_counters(m->t, event)};
            }
        }
    }
}

static void *rows(const struct bx_maker *m, size_t size)
{
    return calloc(m->n ? m->n : 1, size);
}

int bx_make_seats(struct bx_maker *m, size_t events, bx_error *e)
{
    m->choices = calloc((events ? events : 1) * PORTS * BX_PLACES, sizeof *m->choices);
    if (!m->choices)
        return bx_schedule_no_memory(e);
    for (size_t i = 0; i < events; i++)
        spread(m, i);
    if (m->n >= BX_NONE)
        return bx_fail(e, BX_BAD_INPUT, 0, 0, "%zu counters at once are too many", m->n);
    m->seats = rows(m, sizeof *m->seats);
    m->members = rows(m, sizeof *m->members);
    m->cluster = rows(m, sizeof *m->cluster);
    m->next = rows(m, sizeof *m->next);
    m->at = rows(m, sizeof *m->at);
    m->some = rows(m, sizeof *m->some);
    m->asked = rows(m, sizeof(bx_member *));
    m->asking = rows(m, sizeof(const bx_seat *));
    if (!m->seats || !m->members || !m->cluster || !m->next || !m->at || !m->some || !m->asked ||
        !m->asking)
        return bx_schedule_no_memory(e);
    m->n = 0;
    for (size_t i = 0; i < events; i++)
        spread(m, i);
    return BX_OK;
}

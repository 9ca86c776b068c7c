/* Expands events over the units and ports that they name: one assignment for each. */
#include "schedule/builder.h"

#include "event/event.h"

#include <stdlib.h>
#include <string.h>

enum { PORTS = 8 }; /* most ports of a unit */

/* The requirements of an event on one port: one alternative for each place. */
struct port_requirement {
    uint16_t place; /* the first place, or BX_NONE */
    uint8_t n;
    const bx_requirement *alternatives;
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

/* The ports that an event is counted on. An event in no slot has no port and is counted once. */
static unsigned port_requirements_of(const struct bx_schedule_builder *m, const bx_evsel *event,
                                     bx_requirement *room,
                                     struct port_requirement *port_requirements)
{
    unsigned ports = bx_cat_pmus(m->t->catalog)[event->pmu].ports, n = 0;
    ports = ports == 0 ? 1 : ports < PORTS ? ports : PORTS;
    int local = event->port == BX_ANY ? BX_ANY : event->port % (int)ports;
    struct range range = asked_for(local, ports);
    for (unsigned port = range.from; port < range.to; port++, room += BX_PLACES) {
        struct port_requirement *o = &port_requirements[n];
        o->n = (uint8_t)bx_requirements_of(m->t, event, port, room, &o->place);
        o->alternatives = room;
        if (o->place != BX_NONE || n == 0)
            n++;
    }
    if (port_requirements[0].place == BX_NONE &&
        n > 1) { /* the first port lacks such a place, but other ports have it */
        memmove(&port_requirements[0], &port_requirements[1], (n - 1) * sizeof *port_requirements);
        n--;
    }
    return n;
}

/* Makes one assignment for each unit and port of the event; counters are chosen later. If
 * m->assignments is NULL, only counts them. */
static void expand(struct bx_schedule_builder *m, size_t which)
{
    struct port_requirement port_requirements[PORTS];
    const bx_evsel *event = &m->events[which];
    unsigned n = port_requirements_of(m, event, m->alternatives + which * PORTS * BX_PLACES,
                                      port_requirements);
    unsigned ports = bx_cat_pmus(m->t->catalog)[event->pmu].ports;
    int unit = event->port == BX_ANY ? event->unit : event->port / (int)ports;
    struct range packages =
        asked_for(event->package == BX_SOCKET ? (int)m->t->socket : event->package, m->t->packages);
    struct range units = asked_for(unit, bx_topology_units(m->t, event->pmu));
    for (unsigned p = packages.from; p < packages.to; p++) {
        for (unsigned u = units.from; u < units.to; u++) {
            for (unsigned i = 0; i < n; i++, m->n++) {
                if (!m->assignments)
                    continue;
                m->assignments[m->n] = (bx_assignment){.event = (uint16_t)which,
                                                       .package = (uint16_t)p,
                                                       .unit = (uint16_t)u,
                                                       .counter = BX_NONE,
                                                       .place = port_requirements[i].place,
                                                       .passes = 1};
                m->members[m->n] = (bx_member){
                    .alternative = port_requirements[i].alternatives,
                    .alternatives = port_requirements[i].n,
                    .pinned = event->pinned && !bx_fixed_counter_of(m->t, event),
                    .can = bx_fixed_counter_of(m->t, event) ? 0 : bx_allowed_counters(m->t, event)};
            }
        }
    }
}

static void *new_array(const struct bx_schedule_builder *m, size_t size)
{
    return calloc(m->n ? m->n : 1, size);
}

int bx_expand_events(struct bx_schedule_builder *m, size_t events, bx_error *e)
{
    m->alternatives = calloc((events ? events : 1) * PORTS * BX_PLACES, sizeof *m->alternatives);
    if (!m->alternatives)
        return bx_out_of_memory(e);
    for (size_t i = 0; i < events; i++)
        expand(m, i);
    if (m->n >= BX_NONE)
        return bx_fail(e, BX_BAD_INPUT, 0, 0, "%zu counters at once are too many", m->n);
    m->assignments = new_array(m, sizeof *m->assignments);
    m->members = new_array(m, sizeof *m->members);
    m->component = new_array(m, sizeof *m->component);
    m->next = new_array(m, sizeof *m->next);
    m->rank = new_array(m, sizeof *m->rank);
    m->keys = new_array(m, sizeof *m->keys);
    m->scratch = new_array(m, sizeof *m->scratch);
    m->subset = new_array(m, sizeof(bx_member *));
    m->subset_assignments = new_array(m, sizeof(const bx_assignment *));
    if (!m->assignments || !m->members || !m->component || !m->next || !m->rank || !m->keys ||
        !m->scratch || !m->subset || !m->subset_assignments)
        return bx_out_of_memory(e);
    m->n = 0;
    for (size_t i = 0; i < events; i++)
        expand(m, i);
    return BX_OK;
}

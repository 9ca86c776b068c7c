/* Refuses events that this machine cannot count. */
#include "schedule/match.h"
#include "schedule/internal.h"

#include "base/error.h"
#include "event/event.h"

#include <stdio.h>

static const bx_cat_pmu *pmu_of(const bx_topology *t, const bx_evsel *event)
{
    return &bx_cat_pmus(t->catalog)[event->pmu];
}

uint32_t bx_allowed_counters(const bx_topology *t, const bx_evsel *event)
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
    char name[64], first[64], last[64];
    label_unit(t, event, event->unit == BX_ANY ? 0 : (unsigned)event->unit, name, sizeof name);
    bx_fail(e, BX_NO_FIT, event->at, event->len, "this machine has no %s", name);
    label_unit(t, event, 0, first, sizeof first);
    label_unit(t, event, units - 1, last, sizeof last);
    if (units > 1)
        bx_hint(e, "it has %s to %s", first, last);
    else if (units == 1)
        bx_hint(e, "it has %s only", first);
    return BX_NO_FIT;
}

static int no_such_port(const bx_topology *t, const bx_evsel *event, unsigned ports, bx_error *e)
{
    bx_fail(e, BX_NO_FIT, event->at, event->len, "this machine has no port %d of %s", event->port,
            bx_cat_z(t->catalog, pmu_of(t, event)->name));
    if (ports)
        bx_hint(e, "ports are 0 to %u", ports - 1);
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

int bx_check_countable(const bx_topology *t, const bx_evsel *event, bx_error *e)
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
    if (event->port != BX_ANY && (unsigned)event->port >= units * pmu->ports)
        return no_such_port(t, event, units * pmu->ports, e);
    if (event->package >= 0 && (unsigned)event->package >= t->packages) {
        bx_fail(e, BX_NO_FIT, event->at, event->len, "this machine has no package %d",
                event->package);
        bx_hint(e, t->packages == 1 ? "it has package 0 only" : "it has packages 0 to %u",
                t->packages - 1);
        return BX_NO_FIT;
    }
    return bx_allowed_counters(t, event) ? BX_OK : no_such_counter(t, event, e);
}

/* Lists the machines, and tells what an open one has, for users of the library. */
#include "measure/machines.h"

#include "base/arena.h"
#include "base/error.h"
#include "report/label.h"

#include <stdio.h>

static size_t written(const char *before, const char *text, char *to, size_t room)
{
    return (size_t)snprintf(to, room, "%s%s", before, text);
}

size_t bx_machine_string(const bx_catalog *c, size_t i, char *to, size_t room)
{
    room = to ? room : 0;
    if (!c)
        return 0;
    for (size_t cpu = 0; cpu < bx_catalog_cpus(c); cpu++)
        if (bx_cat_is_virtual(c, &bx_cat_cpus(c)[cpu]) && i-- == 0)
            return written("virtual:", bx_catalog_cpu_name(c, cpu), to, room);
    return i == 0 ? written("host", "", to, room) : 0;
}

bx_entry bx_machine_cpu_model(const bx_machine *m)
{
    if (!m)
        return 0;
    int cpu = bx_machine_cpu(m);
    return cpu < 0 ? 0 : bx_entry_of(BX_ENTRY_CPU, (unsigned)cpu);
}

unsigned bx_machine_units_of(const bx_machine *m, bx_entry pmu)
{
    if (!m)
        return 0;
    bool of_cpu = bx_entry_type(pmu) == BX_ENTRY_PMU &&
                  bx_entry_belongs_to(m->topology.catalog, pmu) == bx_machine_cpu_model(m);
    return of_cpu && bx_machine_cpu(m) >= 0 ? bx_machine_units(m, bx_entry_index(pmu)) : 0;
}

size_t bx_machine_unit_name(const bx_machine *m, bx_entry pmu, unsigned unit, char *to, size_t room)
{
    room = to ? room : 0;
    if (!m)
        return 0;
    bx_arena a = {0};
    if (unit >= bx_machine_units_of(m, pmu))
        return 0;
    const char *name = bx_label_unit(m->topology.catalog, (uint16_t)bx_entry_index(pmu), unit, &a);
    size_t n = name ? written("", name, to, room) : 0;
    bx_arena_free(&a);
    return n;
}

int bx_machine_unit_exists(const bx_machine *m, const bx_evsel *event, bx_error *e)
{
    unsigned units = bx_machine_units(m, event->pmu), packages = bx_machine_packages(m);
    const char *what = event->unit >= (int)units         ? "unit"
                       : event->package >= (int)packages ? "package"
                                                         : NULL;
    if (!what)
        return BX_OK;
    bx_fail(e, BX_NO_FIT, event->at, event->len, "%s has no such %s", bx_machine_name(m), what);
    bx_hint(e, "it has %u, the first of them is 0", what[0] == 'u' ? units : packages);
    return BX_NO_FIT;
}

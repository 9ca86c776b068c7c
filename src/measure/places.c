/* Implements places.h with sysfs: cpuN/topology/die_id and nodeN/cpulist (Linux,
 * Documentation/admin-guide/cputopology.rst). */
#include "measure/places.h"

#include "host/system/file.h"
#include "machine/machine.h"
#include "report/report.h"
#include "session/counter.h"

#include <stdio.h>

enum { NODES = 1024 };

/* Linux before 5.2 tells of no dies: a package is one. */
static uint16_t die_with(const char *root, unsigned cpu)
{
    char file[80];
    int die;
    snprintf(file, sizeof file, "/sys/devices/system/cpu/cpu%u/topology/die_id", cpu);
    return bx_file_number(root, file, &die) && die >= 0 && die < BX_NO_PLACE ? (uint16_t)die : 0;
}

/* Without nodes all of the memory is one. */
static uint16_t node_with(const char *root, unsigned cpu)
{
    for (unsigned node = 0; node < NODES; node++) {
        char file[80], text[4096];
        uint64_t lo, hi;
        snprintf(file, sizeof file, "/sys/devices/system/node/node%u/cpulist", node);
        bx_str list = bx_str_trim(bx_file_read(root, file, text, sizeof text));
        while (bx_cpus_range(&list, &lo, &hi))
            if (cpu >= lo && cpu <= hi)
                return (uint16_t)node;
    }
    return 0;
}

/* What registers count is read on any CPU of the package: it is of its first one. */
static int first_cpu(const bx_cpus *cpus, unsigned package)
{
    for (unsigned i = 0; i < cpus->cores; i++)
        if (cpus->logical[package * cpus->cores + i] != BX_NO_CPU)
            return cpus->logical[package * cpus->cores + i];
    return 0;
}

const uint16_t *bx_measured_places(const bx_machine *m, const bx_session *s, bool nodes,
                                   bx_arena *arena)
{
    const bx_cpus *cpus = bx_machine_cpus(m);
    size_t n;
    const bx_reading *all = bx_session_readings(s, &n);
    uint16_t *places = bx_arena_get(arena, (n + 1) * sizeof *places);
    for (size_t i = 0; places && i < n; i++) {
        int cpu = bx_session_read_on(s, i);
        if (cpu < 0 && cpus)
            cpu = first_cpu(cpus, all[i].package);
        places[i] = all[i].unit == BX_PROGRAM ? BX_NO_PLACE
                    : !cpus                   ? nodes ? all[i].package : 0
                    : nodes                   ? node_with(bx_machine_root(m), (unsigned)cpu)
                                              : die_with(bx_machine_root(m), (unsigned)cpu);
    }
    return places;
}

/* Implements places.h with sysfs: cpuN/topology/die_id and nodeN/cpulist (Linux,
 * Documentation/admin-guide/cputopology.rst). */
#include "measure/places.h"

#include "host/system/file.h"
#include "machine/machine.h"
#include "report/report.h"
#include "session/counter.h"

#include <stdio.h>

enum { NODES = 1024 }; /* of a kernel at most: CONFIG_NODES_SHIFT is up to 10 */

/* The die or node of each logical CPU; those that no file names are of 0. */
typedef struct cpu_places {
    uint16_t *of;
    unsigned n;
} cpu_places;

static cpu_places no_places(const bx_cpus *cpus, bx_arena *arena)
{
    unsigned n = 0;
    for (unsigned i = 0; i < bx_cpus_all(cpus); i++)
        if (cpus->logical[i] != BX_NO_CPU && cpus->logical[i] >= n)
            n = cpus->logical[i] + 1u;
    uint16_t *of = bx_arena_get(arena, n * sizeof *of);
    return (cpu_places){of, of ? n : 0};
}

/* Linux before 5.2 tells of no dies: a package is one. */
static void read_dies(const char *root, cpu_places *to)
{
    for (unsigned cpu = 0; cpu < to->n; cpu++) {
        char file[80];
        int die;
        snprintf(file, sizeof file, "/sys/devices/system/cpu/cpu%u/topology/die_id", cpu);
        if (bx_file_number(root, file, &die) && die >= 0 && die < BX_NO_PLACE)
            to->of[cpu] = (uint16_t)die;
    }
}

/* Without nodes all of the memory is one. */
static void read_nodes(const char *root, cpu_places *to)
{
    for (unsigned node = 0; node < NODES; node++) {
        char file[80], text[4096];
        uint64_t lo, hi;
        snprintf(file, sizeof file, "/sys/devices/system/node/node%u/cpulist", node);
        bx_str list = bx_str_trim(bx_file_read(root, file, text, sizeof text));
        while (bx_cpus_range(&list, &lo, &hi))
            for (; lo <= hi && lo < to->n; lo++)
                to->of[lo] = (uint16_t)node;
    }
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
    cpu_places by_cpu = cpus ? no_places(cpus, arena) : (cpu_places){0};
    if (by_cpu.n && nodes)
        read_nodes(bx_machine_root(m), &by_cpu);
    else
        read_dies(bx_machine_root(m), &by_cpu);
    for (size_t i = 0; places && i < n; i++) {
        int cpu = bx_session_read_on(s, i);
        if (cpu < 0 && cpus)
            cpu = first_cpu(cpus, all[i].package);
        places[i] = all[i].unit == BX_PROGRAM  ? BX_NO_PLACE
                    : !cpus                    ? nodes ? all[i].package : 0
                    : (unsigned)cpu < by_cpu.n ? by_cpu.of[cpu]
                                               : 0;
    }
    return places;
}

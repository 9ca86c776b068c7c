/* Makes texts about the machine's CPUs. */
#include "shown_cpus.h"

#include "placement.h"

#include "pub_tool_libcbase.h"
#include "pub_tool_libcprint.h"

enum { CPUS_OF_MASK = 64 };

static Bool in_mask(Int i, ULong mask)
{
    return i >= CPUS_OF_MASK || mask >> i & 1;
}

UInt bx_shown_list(HChar *to, UInt room, Int n, ULong mask)
{
    const HChar *between = "";
    UInt used = 0;
    for (Int i = 0; i < n; i++) {
        Int first = i;
        if (!in_mask(i, mask))
            continue;
        while (i + 1 < n && in_mask(i + 1, mask))
            i++;
        used += VG_(snprintf)(to + used, room - used, first == i ? "%s%d" : "%s%d-%d", between,
                              first, i);
        between = ",";
    }
    return used + VG_(snprintf)(to + used, room - used, "\n");
}

UInt bx_shown_mask(HChar *to, UInt room, Int n, ULong mask)
{
    UInt used = 0;
    for (Int word = (n - 1) / 32; word >= 0; word--) {
        UInt bits = 0;
        for (Int i = 32 * word; i < 32 * (word + 1) && i < n; i++)
            bits |= in_mask(i, mask) ? 1U << i % 32 : 0;
        used += VG_(snprintf)(to + used, room - used, "%08x%s", bits, word ? "," : "\n");
    }
    return used;
}

ULong bx_shown_cpus_of(Int node)
{
    ULong mask = 0;
    for (Int i = 0; i < bx_placement_all_cpus && i < CPUS_OF_MASK; i++)
        mask |= bx_placement_node_of(i) == node ? 1ULL << i : 0;
    return mask;
}

/* ---- topology ---- */

/* Documentation/admin-guide/cputopology.rst of Linux */
static const struct {
    const HChar *name;
    enum { OF_CORE, OF_PACKAGE } cpus;
    enum { LIST, MASK, NUMBER } form;
} files[] = {
    {"core_id", OF_CORE, NUMBER},
    {"core_cpus", OF_CORE, MASK},
    {"core_cpus_list", OF_CORE, LIST},
    {"thread_siblings", OF_CORE, MASK},
    {"thread_siblings_list", OF_CORE, LIST},
    {"physical_package_id", OF_PACKAGE, NUMBER},
    {"package_cpus", OF_PACKAGE, MASK},
    {"package_cpus_list", OF_PACKAGE, LIST},
    {"core_siblings", OF_PACKAGE, MASK},
    {"core_siblings_list", OF_PACKAGE, LIST},
};
enum { FILES = sizeof files / sizeof *files };

Bool bx_shown_cpu_at(const HChar *path, bx_shown_cpu *c)
{
    static const HChar folder[] = "/sys/devices/system/cpu/cpu", topology[] = "/topology/";
    HChar *end;
    if (VG_(strncmp)(path, folder, sizeof folder - 1))
        return False;
    const HChar *number = path + sizeof folder - 1;
    Long cpu = VG_(strtoll10)(number, &end);
    if (end == number || VG_(strncmp)(end, topology, sizeof topology - 1))
        return False;
    Int i = 0;
    while (i < FILES && VG_(strcmp)(end + sizeof topology - 1, files[i].name))
        i++;
    Bool there = i < FILES && cpu >= 0 && cpu < bx_placement_all_cpus;
    *c = (bx_shown_cpu){(Int)cpu, there ? i : -1};
    return True;
}

/* The number of the CPU's core in its package. */
static Int core_of(Int cpu)
{
    Int before = 0;
    for (Int i = 0; i < cpu; i++)
        before += bx_placement_node_of(i) == bx_placement_node_of(cpu);
    return before;
}

UInt bx_shown_cpu_text(const bx_shown_cpu *c, HChar *to, UInt room)
{
    Int package = bx_placement_node_of(c->cpu), n = bx_placement_all_cpus;
    Bool of_core = files[c->which].cpus == OF_CORE;
    ULong cpus = of_core ? 1ULL << c->cpu % CPUS_OF_MASK : bx_shown_cpus_of(package);
    switch (files[c->which].form) {
    case LIST:
        return bx_shown_list(to, room, n, cpus);
    case MASK:
        return bx_shown_mask(to, room, n, cpus);
    default:
        return VG_(snprintf)(to, room, "%d\n", of_core ? core_of(c->cpu) : package);
    }
}

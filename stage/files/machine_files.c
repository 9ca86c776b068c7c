#include "stage/files/machine_files.h"

#include "base/buf.h"
#include "stage/files/cpuid.h"
#include "stage/files/cpulist.h"
#include "stage/files/device.h"
#include "stage/files/pci.h"

#include <inttypes.h>
#include <stdio.h>
#include <sys/random.h>

/* Those that CPUID tells of. */
static const char flags[] = "fpu tsc msr pae mce cx8 apic sep mtrr pge mca cmov pat pse36 clflush "
                            "mmx fxsr sse sse2 ht syscall nx rdtscp lm arch_perfmon nonstop_tsc";

typedef struct tree_builder {
    bx_tree *tree;
    bx_machine *machine;
    struct bx_bus *bus; /* that the files are made of */
    const bx_topology *t;
    const bx_cat_cpu *cpu;
} tree_builder;

static unsigned cpus(const tree_builder *m)
{
    return m->t->packages * m->t->cores;
}

/* The CPU model as the last of those that its catalogue file lists. */
static const bx_cat_id *id_of(const tree_builder *m)
{
    return &bx_cat_ids(m->t->catalog)[m->cpu->ids.first + m->cpu->ids.n - 1];
}

/* ---- paths ---- */

typedef struct path {
    char z[128];
} path;

static void cpu_line(const tree_builder *m, unsigned cpu, const char *name, const char *line)
{
    char file[96];
    snprintf(file, sizeof file, "sys/devices/system/cpu/cpu%u/%.40s", cpu, name);
    bx_tree_line(m->tree, file, "%s", line);
}

/* ---- proc/cpuinfo ---- */

static void cpuinfo(const tree_builder *m)
{
    bx_buf b = {0};
    uint64_t hz = bx_topology_shape(m->t, "hz"), llc = bx_topology_shape(m->t, "llc");
    for (unsigned cpu = 0; cpu < cpus(m); cpu++) {
        bx_buf_f(&b, "processor\t: %u\nvendor_id\t: GenuineIntel\n", cpu);
        bx_buf_f(&b, "cpu family\t: %u\nmodel\t\t: %u\n", id_of(m)->family, id_of(m)->model);
        bx_buf_f(&b, "model name\t: %s, virtual\n", bx_cat_z(m->t->catalog, m->cpu->title));
        bx_buf_f(&b, "stepping\t: %d\nmicrocode\t: 0x1\n", BX_CPUID_STEPPING);
        bx_buf_f(&b, "cpu MHz\t\t: %" PRIu64 ".%03" PRIu64 "\n", hz / 1000000, hz / 1000 % 1000);
        if (llc)
            bx_buf_f(&b, "cache size\t: %" PRIu64 " KB\n", llc >> 10);
        bx_buf_f(&b, "physical id\t: %u\nsiblings\t: %u\n", cpu / m->t->cores, m->t->cores);
        bx_buf_f(&b, "core id\t\t: %u\ncpu cores\t: %u\n", cpu % m->t->cores, m->t->cores);
        bx_buf_f(&b, "apicid\t\t: %u\ninitial apicid\t: %u\n", bx_cpuid_apic(m->t, cpu),
                 bx_cpuid_apic(m->t, cpu));
        bx_buf_f(&b, "fpu\t\t: yes\nfpu_exception\t: yes\ncpuid level\t: %d\nwp\t\t: yes\n",
                 BX_CPUID_LEAVES);
        bx_buf_f(&b, "flags\t\t: %s\nbugs\t\t:\n", flags);
        bx_buf_f(&b, "bogomips\t: %" PRIu64 ".00\nclflush size\t: 64\n", hz / 500000);
        bx_buf_z(&b, "cache_alignment\t: 64\n"
                     "address sizes\t: 46 bits physical, 48 bits virtual\n"
                     "power management:\n\n");
    }
    bx_tree_text(m->tree, "proc/cpuinfo", (bx_str){b.p, b.n});
    m->tree->arena.failed |= b.failed;
    bx_buf_free(&b);
}

/* ---- sys/devices/system ---- */

static void topology_of(const tree_builder *m, unsigned cpu)
{
    static const struct {
        const char *mask, *list;
        bool package; /* the CPUs of the whole package, else those of the core: itself */
    } sets[] = {
        {"topology/core_cpus", "topology/core_cpus_list", false},
        {"topology/thread_siblings", "topology/thread_siblings_list", false},
        {"topology/core_siblings", "topology/core_siblings_list", true},
        {"topology/package_cpus", "topology/package_cpus_list", true},
        {"topology/die_cpus", "topology/die_cpus_list", true},
    };
    unsigned cores = m->t->cores, package = cpu / cores;
    cpu_line(m, cpu, "online", "1");
    cpu_line(m, cpu, "topology/die_id", "0");
    cpu_line(m, cpu, "topology/physical_package_id", bx_cpulist_range(package, 1).z);
    cpu_line(m, cpu, "topology/core_id", bx_cpulist_range(cpu % cores, 1).z);
    for (size_t i = 0; i < sizeof sets / sizeof *sets; i++) {
        unsigned first = sets[i].package ? package * cores : cpu, n = sets[i].package ? cores : 1;
        cpu_line(m, cpu, sets[i].mask, bx_cpulist_mask(first, n, cpus(m)).z);
        cpu_line(m, cpu, sets[i].list, bx_cpulist_range(first, n).z);
    }
}

static void system_cpus(const tree_builder *m)
{
    static const char *const lists[] = {"online", "possible", "present"};
    for (size_t i = 0; i < sizeof lists / sizeof *lists; i++) {
        path name;
        snprintf(name.z, sizeof name.z, "sys/devices/system/cpu/%s", lists[i]);
        bx_tree_line(m->tree, name.z, "%s", bx_cpulist_range(0, cpus(m)).z);
    }
    bx_tree_line(m->tree, "sys/devices/system/cpu/offline", "%s", "");
    bx_tree_line(m->tree, "sys/devices/system/cpu/kernel_max", "%u", cpus(m) - 1);
    for (unsigned cpu = 0; cpu < cpus(m); cpu++)
        topology_of(m, cpu);
}

/* Each package has its own memory, 4 GiB of it. */
static void nodes(const tree_builder *m)
{
    enum { KIB = 4 << 20 };
    static const char *const lists[] = {"online", "possible", "has_cpu", "has_memory",
                                        "has_normal_memory"};
    path name;
    for (size_t i = 0; i < sizeof lists / sizeof *lists; i++) {
        snprintf(name.z, sizeof name.z, "sys/devices/system/node/%s", lists[i]);
        bx_tree_line(m->tree, name.z, "%s", bx_cpulist_range(0, m->t->packages).z);
    }
    for (unsigned node = 0; node < m->t->packages; node++) {
        bx_buf distances = {0};
        for (unsigned i = 0; i < m->t->packages; i++)
            bx_buf_f(&distances, "%s%d", i ? " " : "", i == node ? 10 : 20);
        snprintf(name.z, sizeof name.z, "sys/devices/system/node/node%u/distance", node);
        bx_tree_line(m->tree, name.z, "%s", distances.p ? distances.p : "");
        bx_buf_free(&distances);
        snprintf(name.z, sizeof name.z, "sys/devices/system/node/node%u/cpulist", node);
        bx_tree_line(m->tree, name.z, "%s", bx_cpulist_range(node * m->t->cores, m->t->cores).z);
        snprintf(name.z, sizeof name.z, "sys/devices/system/node/node%u/cpumap", node);
        bx_tree_line(m->tree, name.z, "%s",
                     bx_cpulist_mask(node * m->t->cores, m->t->cores, cpus(m)).z);
        snprintf(name.z, sizeof name.z, "sys/devices/system/node/node%u/meminfo", node);
        bx_tree_line(m->tree, name.z,
                     "Node %u MemTotal: %d kB\nNode %u MemFree: %d kB\nNode %u MemUsed: 0 kB", node,
                     KIB, node, KIB, node);
    }
}

/* What tells this machine from the next one that is shown in the same place: random(4). */
static void boot_id(const tree_builder *m)
{
    uint8_t b[16] = {0};
    if (getrandom(b, sizeof b, 0) < 0)
        return; /* a machine that does not tell */
    bx_tree_line(m->tree, "proc/sys/kernel/random/boot_id",
                 "%02x%02x%02x%02x-%02x%02x-%02x%02x-%02x%02x-%02x%02x%02x%02x%02x%02x", b[0], b[1],
                 b[2], b[3], b[4], b[5], b[6], b[7], b[8], b[9], b[10], b[11], b[12], b[13], b[14],
                 b[15]);
}

/* ---- all of it ---- */

void bx_files_add(bx_tree *t, bx_machine *machine, struct bx_bus *bus)
{
    const tree_builder m = {.tree = t,
                            .machine = machine,
                            .bus = bus,
                            .t = &machine->topology,
                            .cpu = &bx_cat_cpus(machine->topology.catalog)[machine->topology.cpu]};
    for (unsigned cpu = 0; cpu < cpus(&m); cpu++) {
        path name;
        snprintf(name.z, sizeof name.z, "dev/cpu/%u/msr", cpu);
        bx_tree_device(t, name.z, &bx_device_msr, bus, cpu, 0);
        snprintf(name.z, sizeof name.z, "dev/cpu/%u/cpuid", cpu);
        bx_tree_device(t, name.z, &bx_device_cpuid, &machine->topology, cpu, 0);
    }
    bx_tree_device(t, "dev/mem", &bx_device_memory, bus, 0, 0);
    cpuinfo(&m);
    system_cpus(&m);
    nodes(&m);
    boot_id(&m);
    bx_pci_add(t, machine, bus);
}

void bx_files_cpu_id(const bx_topology *t, char *to, size_t room)
{
    const tree_builder m = {.t = t, .cpu = &bx_cat_cpus(t->catalog)[t->cpu]};
    snprintf(to, room, "GenuineIntel-%u-%X-%X", id_of(&m)->family, id_of(&m)->model,
             BX_CPUID_STEPPING);
}

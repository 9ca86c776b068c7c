/* Fills the tree from the catalogue and the topology: proc/cpuinfo, CPUs, NUMA nodes, device
 * files. */
#include "stage/files/machine_files.h"

#include "base/buf.h"
#include "stage/files/cpuid.h"
#include "stage/files/cpulist.h"
#include "stage/files/device.h"
#include "stage/files/pci.h"
#include "stage/files/rdpmc.h"

#include <inttypes.h>
#include <stdio.h>
#include <sys/random.h>

/* The features that CPUID reports. */
static const char flags[] = "fpu tsc msr pae mce cx8 apic sep mtrr pge mca cmov pat pse36 clflush "
                            "mmx fxsr sse sse2 ht syscall nx rdtscp lm arch_perfmon nonstop_tsc";

typedef struct tree_builder {
    bx_tree *tree;
    bx_machine *machine;
    struct bx_bus *bus; /* through which the files access registers */
    const bx_topology *t;
    const bx_cat_cpu *cpu;
} tree_builder;

static unsigned cpus(const tree_builder *b)
{
    return b->t->packages * b->t->cores;
}

/* The last model number in the CPU's catalogue file. */
static const bx_cat_id *id_of(const tree_builder *b)
{
    return &bx_cat_ids(b->t->catalog)[b->cpu->ids.first + b->cpu->ids.n - 1];
}

/* ---- paths ---- */

typedef struct path {
    char z[128];
} path;

static void cpu_line(const tree_builder *b, unsigned cpu, const char *name, const char *line)
{
    char file[96];
    snprintf(file, sizeof file, "sys/devices/system/cpu/cpu%u/%.40s", cpu, name);
    bx_tree_line(b->tree, file, "%s", line);
}

/* ---- proc/cpuinfo ---- */

static void cpuinfo(const tree_builder *b)
{
    bx_buf text = {0};
    uint64_t hz = bx_topology_shape(b->t, "hz"), llc = bx_topology_shape(b->t, "llc");
    for (unsigned cpu = 0; cpu < cpus(b); cpu++) {
        bx_buf_f(&text, "processor\t: %u\nvendor_id\t: GenuineIntel\n", cpu);
        bx_buf_f(&text, "cpu family\t: %u\nmodel\t\t: %u\n", id_of(b)->family, id_of(b)->model);
        /* With the frequency after an @, as Intel's processors have it: programs read it there. */
        bx_buf_f(&text, "model name\t: %s, virtual @ %" PRIu64 ".%02" PRIu64 "GHz\n",
                 bx_cat_z(b->t->catalog, b->cpu->title), hz / 1000000000, hz / 10000000 % 100);
        bx_buf_f(&text, "stepping\t: %d\nmicrocode\t: 0x1\n", BX_CPUID_STEPPING);
        bx_buf_f(&text, "cpu MHz\t\t: %" PRIu64 ".%03" PRIu64 "\n", hz / 1000000, hz / 1000 % 1000);
        if (llc)
            bx_buf_f(&text, "cache size\t: %" PRIu64 " KB\n", llc >> 10);
        bx_buf_f(&text, "physical id\t: %u\nsiblings\t: %u\n", cpu / b->t->cores, b->t->cores);
        bx_buf_f(&text, "core id\t\t: %u\ncpu cores\t: %u\n", cpu % b->t->cores, b->t->cores);
        bx_buf_f(&text, "apicid\t\t: %u\ninitial apicid\t: %u\n", bx_cpuid_apic(b->t, cpu),
                 bx_cpuid_apic(b->t, cpu));
        bx_buf_f(&text, "fpu\t\t: yes\nfpu_exception\t: yes\ncpuid level\t: %d\nwp\t\t: yes\n",
                 BX_CPUID_LEAVES);
        bx_buf_f(&text, "flags\t\t: %s\nbugs\t\t:\n", flags);
        bx_buf_f(&text, "bogomips\t: %" PRIu64 ".00\nclflush size\t: 64\n", hz / 500000);
        bx_buf_z(&text, "cache_alignment\t: 64\n"
                        "address sizes\t: 46 bits physical, 48 bits virtual\n"
                        "power management:\n\n");
    }
    bx_tree_text(b->tree, "proc/cpuinfo", (bx_str){text.p, text.n});
    b->tree->arena.failed |= text.failed;
    bx_buf_free(&text);
}

/* ---- sys/devices/system ---- */

static void topology_of(const tree_builder *b, unsigned cpu)
{
    static const struct {
        const char *mask, *list;
        bool package; /* all CPUs of the package; else only the CPU itself */
    } sets[] = {
        {"topology/core_cpus", "topology/core_cpus_list", false},
        {"topology/thread_siblings", "topology/thread_siblings_list", false},
        {"topology/core_siblings", "topology/core_siblings_list", true},
        {"topology/package_cpus", "topology/package_cpus_list", true},
        {"topology/die_cpus", "topology/die_cpus_list", true},
    };
    unsigned cores = b->t->cores, package = cpu / cores;
    cpu_line(b, cpu, "online", "1");
    cpu_line(b, cpu, "topology/die_id", "0");
    cpu_line(b, cpu, "topology/physical_package_id", bx_cpulist_range(package, 1).z);
    cpu_line(b, cpu, "topology/core_id", bx_cpulist_range(cpu % cores, 1).z);
    for (size_t i = 0; i < sizeof sets / sizeof *sets; i++) {
        unsigned first = sets[i].package ? package * cores : cpu, n = sets[i].package ? cores : 1;
        cpu_line(b, cpu, sets[i].mask, bx_cpulist_mask(first, n, cpus(b)).z);
        cpu_line(b, cpu, sets[i].list, bx_cpulist_range(first, n).z);
    }
}

static void system_cpus(const tree_builder *b)
{
    static const char *const lists[] = {"online", "possible", "present"};
    for (size_t i = 0; i < sizeof lists / sizeof *lists; i++) {
        path name;
        snprintf(name.z, sizeof name.z, "sys/devices/system/cpu/%s", lists[i]);
        bx_tree_line(b->tree, name.z, "%s", bx_cpulist_range(0, cpus(b)).z);
    }
    bx_tree_line(b->tree, "sys/devices/system/cpu/offline", "%s", "");
    bx_tree_line(b->tree, "sys/devices/system/cpu/kernel_max", "%u", cpus(b) - 1);
    for (unsigned cpu = 0; cpu < cpus(b); cpu++)
        topology_of(b, cpu);
}

/* A NUMA node of 4 GiB for each package. */
static void nodes(const tree_builder *b)
{
    enum { KIB = 4 << 20 };
    static const char *const lists[] = {"online", "possible", "has_cpu", "has_memory",
                                        "has_normal_memory"};
    path name;
    for (size_t i = 0; i < sizeof lists / sizeof *lists; i++) {
        snprintf(name.z, sizeof name.z, "sys/devices/system/node/%s", lists[i]);
        bx_tree_line(b->tree, name.z, "%s", bx_cpulist_range(0, b->t->packages).z);
    }
    for (unsigned node = 0; node < b->t->packages; node++) {
        bx_buf distances = {0};
        for (unsigned i = 0; i < b->t->packages; i++)
            bx_buf_f(&distances, "%s%d", i ? " " : "", i == node ? 10 : 20);
        snprintf(name.z, sizeof name.z, "sys/devices/system/node/node%u/distance", node);
        bx_tree_line(b->tree, name.z, "%s", distances.p ? distances.p : "");
        bx_buf_free(&distances);
        snprintf(name.z, sizeof name.z, "sys/devices/system/node/node%u/cpulist", node);
        bx_tree_line(b->tree, name.z, "%s", bx_cpulist_range(node * b->t->cores, b->t->cores).z);
        snprintf(name.z, sizeof name.z, "sys/devices/system/node/node%u/cpumap", node);
        bx_tree_line(b->tree, name.z, "%s",
                     bx_cpulist_mask(node * b->t->cores, b->t->cores, cpus(b)).z);
        snprintf(name.z, sizeof name.z, "sys/devices/system/node/node%u/meminfo", node);
        bx_tree_line(b->tree, name.z,
                     "Node %u MemTotal: %d kB\nNode %u MemFree: %d kB\nNode %u MemUsed: 0 kB", node,
                     KIB, node, KIB, node);
    }
}

/* Distinguishes this machine from the next one on the same folder: random(4). */
static void boot_id(const tree_builder *b)
{
    uint8_t id[16] = {0};
    if (getrandom(id, sizeof id, 0) < 0)
        return; /* without the file */
    bx_tree_line(b->tree, "proc/sys/kernel/random/boot_id",
                 "%02x%02x%02x%02x-%02x%02x-%02x%02x-%02x%02x-%02x%02x%02x%02x%02x%02x", id[0],
                 id[1], id[2], id[3], id[4], id[5], id[6], id[7], id[8], id[9], id[10], id[11],
                 id[12], id[13], id[14], id[15]);
}

/* ---- all of it ---- */

void bx_machine_files_add(bx_tree *t, bx_machine *machine, struct bx_bus *bus)
{
    const tree_builder b = {.tree = t,
                            .machine = machine,
                            .bus = bus,
                            .t = &machine->topology,
                            .cpu = &bx_cat_cpus(machine->topology.catalog)[machine->topology.cpu]};
    for (unsigned cpu = 0; cpu < cpus(&b); cpu++) {
        path name;
        snprintf(name.z, sizeof name.z, "dev/cpu/%u/msr", cpu);
        bx_tree_device(t, name.z, &bx_device_msr, bus, cpu, 0);
        snprintf(name.z, sizeof name.z, "dev/cpu/%u/cpuid", cpu);
        bx_tree_device(t, name.z, &bx_device_cpuid, &machine->topology, cpu, 0);
        snprintf(name.z, sizeof name.z, "dev/cpu/%u/rdpmc", cpu);
        bx_tree_device(t, name.z, &bx_device_rdpmc, machine, cpu, 0);
    }
    bx_tree_device(t, "dev/mem", &bx_device_memory, bus, 0, 0);
    cpuinfo(&b);
    system_cpus(&b);
    nodes(&b);
    boot_id(&b);
    bx_pci_add(t, machine, bus);
}

void bx_machine_files_perf_cpuid(const bx_topology *t, char *to, size_t room)
{
    const tree_builder b = {.t = t, .cpu = &bx_cat_cpus(t->catalog)[t->cpu]};
    snprintf(to, room, "GenuineIntel-%u-%X-%X", id_of(&b)->family, id_of(&b)->model,
             BX_CPUID_STEPPING);
}

/* Reads packages and cores of CPUs from sysfs, and numbers them without gaps. */
#include "host/system/cpus.h"

#include "host/system/file.h"

#include <stdio.h>
#include <stdlib.h>

/* Numbers of logical CPUs go to 8191 (Linux, NR_CPUS); an address has 16 bits for them. */
enum { MOST = BX_NO_CPU, LONGEST_LIST = 1 << 19 };

typedef struct cpu_location {
    int package, core;
    uint16_t cpu;
} cpu_location;

static void read_location(const char *root, unsigned cpu, cpu_location *to)
{
    char path[96];
    *to = (cpu_location){.package = 0, .core = (int)cpu, .cpu = (uint16_t)cpu};
    int package, core;
    snprintf(path, sizeof path, "/sys/devices/system/cpu/cpu%u/topology/physical_package_id", cpu);
    bool located = bx_file_number(root, path, &package);
    snprintf(path, sizeof path, "/sys/devices/system/cpu/cpu%u/topology/core_id", cpu);
    if (located && bx_file_number(root, path, &core)) {
        to->package = package;
        to->core = core;
    }
}

bool bx_cpus_range(bx_str *list, uint64_t *lo, uint64_t *hi)
{
    if (!list->p || !list->n)
        return false;
    bx_str last = bx_str_cut(list, ',');
    bx_str first = bx_str_cut(&last, '-');
    if (!bx_str_u64(first, lo))
        return false;
    if (!last.p || !bx_str_u64(last, hi))
        *hi = *lo;
    return true;
}

/* Reads the locations of the CPUs in a list. Returns how many; to may be NULL. */
static size_t walk(bx_str rest, const char *root, cpu_location *to)
{
    size_t n = 0;
    for (uint64_t lo, hi; bx_cpus_range(&rest, &lo, &hi);)
        for (; lo <= hi && lo < BX_NO_CPU && n < MOST; lo++, n++)
            if (to)
                read_location(root, (unsigned)lo, &to[n]);
    return n;
}

/* The number of CPUs of the machine, with offline ones; at least `online`. */
static size_t count_present(const char *root, size_t online)
{
    char bytes[4096];
    bx_str list = bx_file_read(root, "/sys/devices/system/cpu/present", bytes, sizeof bytes);
    size_t n = walk(bx_str_trim(list), root, NULL);
    return n > online ? n : online;
}

/* Reads the locations of the online CPUs; *to is in the arena. */
static size_t read_list(const char *root, bx_arena *arena, cpu_location **to)
{
    char *bytes = malloc(LONGEST_LIST);
    if (!bytes) {
        arena->failed = true;
        return 0;
    }
    bx_str list =
        bx_str_trim(bx_file_read(root, "/sys/devices/system/cpu/online", bytes, LONGEST_LIST));
    size_t n = walk(list, root, NULL);
    *to = bx_arena_get(arena, (n + 1) * sizeof **to);
    if (*to)
        walk(list, root, *to);
    free(bytes);
    return *to ? n : 0;
}

bool bx_cpus_locate(const bx_cpus *cpus, unsigned logical, unsigned *package, unsigned *core)
{
    unsigned first = cpus->packages * cpus->cores, all = bx_cpus_all(cpus), i = 0;
    while (i < all && cpus->logical[i] != logical)
        i++;
    if (i == all || logical == BX_NO_CPU)
        return false;
    *package = bx_cpus_package(cpus, i);
    *core = i < first ? i % cpus->cores : cpus->core[i - first];
    return true;
}

static int in_order(const void *a, const void *b)
{
    const cpu_location *x = a, *y = b;
    if (x->package != y->package)
        return x->package < y->package ? -1 : 1;
    if (x->core != y->core)
        return x->core < y->core ? -1 : 1;
    return (int)x->cpu - (int)y->cpu;
}

unsigned bx_cpus_all(const bx_cpus *cpus)
{
    return cpus->packages * cpus->cores + cpus->others;
}

unsigned bx_cpus_package(const bx_cpus *cpus, unsigned i)
{
    unsigned first = cpus->packages * cpus->cores;
    return i < first ? i / cpus->cores : cpus->package[i - first];
}

/* Index of the first CPU of the next package. */
static size_t next_package(const cpu_location *p, size_t n, size_t i)
{
    size_t end = i;
    while (end < n && p[end].package == p[i].package)
        end++;
    return end;
}

/* Whether the CPU is not the first thread of its core. */
static bool is_other(const cpu_location *p, size_t i)
{
    return i > 0 && p[i - 1].package == p[i].package && p[i - 1].core == p[i].core;
}

static void measure(const cpu_location *p, size_t n, bx_cpus *cpus)
{
    *cpus = (bx_cpus){0};
    for (size_t i = 0, next; i < n; i = next) {
        unsigned cores = 0;
        next = next_package(p, n, i);
        for (size_t k = i; k < next; k++)
            cores += !is_other(p, k);
        cpus->packages++;
        cpus->others += (unsigned)(next - i) - cores;
        cpus->cores = cores > cpus->cores ? cores : cpus->cores;
    }
}

static void fill(const cpu_location *p, size_t n, const bx_cpus *cpus, uint16_t *logical,
                 uint16_t *package, uint16_t *core_of)
{
    uint16_t *other = logical + (size_t)cpus->packages * cpus->cores;
    uint16_t number = 0;
    for (uint16_t *core = logical; core < other; core++)
        *core = BX_NO_CPU;
    for (size_t i = 0, next; i < n; i = next, number++, logical += cpus->cores) {
        uint16_t *core = logical;
        next = next_package(p, n, i);
        for (size_t k = i; k < next; k++) {
            if (is_other(p, k)) {
                *other++ = p[k].cpu;
                *package++ = number;
                *core_of++ = (uint16_t)(core - logical - 1);
            } else {
                *core++ = p[k].cpu;
            }
        }
    }
}

/* The kernel does not say which package and core an offline CPU belongs to. If a whole package is
 * offline, or all second threads, they count as more cores of the other packages. */
static void fit(const cpu_location *p, size_t n, size_t present, bx_cpus *cpus)
{
    size_t most = 1, threads = 1;
    for (size_t i = 0; i < n; i++) {
        threads = is_other(p, i) ? threads + 1 : 1;
        most = threads > most ? threads : most;
    }
    size_t cores = present / (cpus->packages * most);
    cpus->fitted = cores > cpus->cores ? (unsigned)cores : cpus->cores;
}

bool bx_cpus_read(const char *root, bx_arena *arena, bx_cpus *cpus)
{
    cpu_location *p = NULL;
    size_t n = read_list(root, arena, &p);
    *cpus = (bx_cpus){0};
    if (n == 0)
        return false;
    qsort(p, n, sizeof *p, in_order);
    measure(p, n, cpus);
    if (bx_cpus_all(cpus) > MOST) { /* no real machine is like that */
        for (size_t i = 0; i < n; i++)
            p[i] = (cpu_location){.core = p[i].cpu, .cpu = p[i].cpu};
        qsort(p, n, sizeof *p, in_order);
        measure(p, n, cpus);
    }
    fit(p, n, count_present(root, n), cpus);
    uint16_t *logical = bx_arena_get(arena, bx_cpus_all(cpus) * sizeof *logical);
    uint16_t *package = bx_arena_get(arena, (cpus->others + 1) * sizeof *package);
    uint16_t *core = bx_arena_get(arena, (cpus->others + 1) * sizeof *core);
    if (!logical || !package || !core)
        return false;
    fill(p, n, cpus, logical, package, core);
    cpus->logical = logical;
    cpus->package = package;
    cpus->core = core;
    return true;
}

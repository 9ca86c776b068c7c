#include "access/cpus.h"

#include "access/file.h"

#include <stdio.h>
#include <stdlib.h>

enum { MOST = 4096 };

typedef struct place {
    int package, core;
    uint16_t cpu;
} place;

static void look_at(const char *root, unsigned cpu, place *to)
{
    char path[96];
    *to = (place){.package = 0, .core = (int)cpu, .cpu = (uint16_t)cpu};
    int package, core;
    snprintf(path, sizeof path, "/sys/devices/system/cpu/cpu%u/topology/physical_package_id", cpu);
    bool placed = bx_file_number(root, path, &package);
    snprintf(path, sizeof path, "/sys/devices/system/cpu/cpu%u/topology/core_id", cpu);
    if (placed && bx_file_number(root, path, &core)) {
        to->package = package;
        to->core = core;
    }
}

/* A list such as "0-3,6". */
static size_t read_list(const char *root, place *to)
{
    char bytes[4096];
    size_t n = 0;
    bx_str rest =
        bx_str_trim(bx_file_read(root, "/sys/devices/system/cpu/online", bytes, sizeof bytes));
    while (rest.p && rest.n) {
        bx_str last = bx_str_cut(&rest, ',');
        bx_str first = bx_str_cut(&last, '-');
        uint64_t lo, hi;
        if (!bx_str_u64(first, &lo))
            break;
        if (!last.p || !bx_str_u64(last, &hi))
            hi = lo;
        for (; lo <= hi && lo <= UINT16_MAX && n < MOST; lo++)
            look_at(root, (unsigned)lo, &to[n++]);
    }
    return n;
}

static int in_order(const void *a, const void *b)
{
    const place *x = a, *y = b;
    if (x->package != y->package)
        return x->package < y->package ? -1 : 1;
    if (x->core != y->core)
        return x->core < y->core ? -1 : 1;
    return (int)x->cpu - (int)y->cpu;
}

/* Drops further threads of a core; returns how many cores are left. */
static size_t one_thread_each(place *p, size_t n)
{
    size_t kept = 0;
    for (size_t i = 0; i < n; i++)
        if (kept == 0 || p[kept - 1].package != p[i].package || p[kept - 1].core != p[i].core)
            p[kept++] = p[i];
    return kept;
}

/* Where the package after the one at `i` begins. */
static size_t next_package(const place *p, size_t n, size_t i)
{
    size_t end = i;
    while (end < n && p[end].package == p[i].package)
        end++;
    return end;
}

bool bx_cpus_look(const char *root, bx_arena *arena, bx_cpus *cpus)
{
    place *p = bx_arena_get(arena, MOST * sizeof *p);
    uint16_t *logical = bx_arena_get(arena, MOST * sizeof *logical);
    if (!p || !logical)
        return false;
    size_t n = read_list(root, p);
    qsort(p, n, sizeof *p, in_order);
    n = one_thread_each(p, n);
    *cpus = (bx_cpus){.cores = MOST, .logical = logical};
    for (size_t i = 0, next; i < n; i = next) {
        next = next_package(p, n, i);
        cpus->packages++;
        if (next - i < cpus->cores)
            cpus->cores = (unsigned)(next - i);
    }
    for (size_t i = 0, made = 0; i < n; i = next_package(p, n, i))
        for (size_t core = 0; core < cpus->cores; core++)
            logical[made++] = p[i + core].cpu;
    return n > 0;
}

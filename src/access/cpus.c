#include "access/cpus.h"

#include "access/file.h"

#include <stdio.h>
#include <stdlib.h>

/* Numbers of logical CPUs go to 8191 (Linux, NR_CPUS); an address has 16 bits for them. */
enum { MOST = BX_NO_CPU, LONGEST_LIST = 1 << 19 };

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

/* Those of a list. Returns how many; to may be NULL. */
static size_t walk(bx_str rest, const char *root, place *to)
{
    size_t n = 0;
    for (uint64_t lo, hi; bx_cpus_range(&rest, &lo, &hi);)
        for (; lo <= hi && lo < BX_NO_CPU && n < MOST; lo++, n++)
            if (to)
                look_at(root, (unsigned)lo, &to[n]);
    return n;
}

/* Those that are online; *to is in the arena. */
static size_t read_list(const char *root, bx_arena *arena, place **to)
{
    char *bytes = malloc(LONGEST_LIST);
    if (!bytes)
        return 0;
    bx_str list =
        bx_str_trim(bx_file_read(root, "/sys/devices/system/cpu/online", bytes, LONGEST_LIST));
    size_t n = walk(list, root, NULL);
    *to = bx_arena_get(arena, (n + 1) * sizeof **to);
    if (*to)
        walk(list, root, *to);
    free(bytes);
    return *to ? n : 0;
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
    place *p = NULL;
    size_t n = read_list(root, arena, &p), made = 0;
    *cpus = (bx_cpus){0};
    if (n == 0)
        return false;
    qsort(p, n, sizeof *p, in_order);
    n = one_thread_each(p, n);
    for (size_t i = 0, next; i < n; i = next) {
        next = next_package(p, n, i);
        cpus->packages++;
        if (next - i > cpus->cores)
            cpus->cores = (unsigned)(next - i);
    }
    uint16_t *logical = bx_arena_get(arena, (size_t)cpus->packages * cpus->cores * sizeof *logical);
    if (!logical)
        return false;
    for (size_t i = 0, next; i < n; i = next) {
        next = next_package(p, n, i);
        for (size_t core = 0; core < cpus->cores; core++)
            logical[made++] = i + core < next ? p[i + core].cpu : BX_NO_CPU;
    }
    cpus->logical = logical;
    return true;
}

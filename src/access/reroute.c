#include "access/reroute.h"

#include "catalog/catalog.h"

#include <errno.h>
#include <stdlib.h>

typedef struct reroute {
    struct bx_bus bus; /* first: a bus is its reroute */
    struct bx_bus *next;
    unsigned cores, cpus; /* per package, and of the machine */
    uint64_t *shared;     /* MSRs of the package, in ascending order */
    size_t shared_n;
    uint16_t *by; /* the CPU that stands for another one: of [cpu] */
    bool moved;   /* one does */
} reroute;

static bool is_gone(int why)
{
    return why == ENXIO || why == ENODEV || why == ENOENT;
}

static int in_order(const void *a, const void *b)
{
    const uint64_t *x = a, *y = b;
    return *x < *y ? -1 : *x > *y;
}

/* Those of PMUs that each core has stay where they are, and so does what the catalogue lacks. */
static bool find_shared(reroute *r, const bx_topology *t)
{
    const struct bx_catalog *c = t->catalog;
    bx_span pmus = bx_cat_cpus(c)[t->cpu].pmus;
    size_t most = 1;
    for (unsigned p = pmus.first; p < (unsigned)pmus.first + pmus.n; p++)
        most += (size_t)bx_cat_pmus(c)[p].regs.n * bx_topology_units(t, (uint16_t)p);
    r->shared = calloc(most, sizeof *r->shared);
    for (unsigned p = pmus.first; r->shared && p < (unsigned)pmus.first + pmus.n; p++) {
        bx_span regs = bx_cat_pmus(c)[p].regs;
        for (unsigned i = regs.first; i < (unsigned)regs.first + regs.n; i++)
            for (unsigned unit = 0; unit < bx_topology_units(t, (uint16_t)p); unit++)
                if (bx_cat_pmus(c)[p].scope == BX_SCOPE_PACKAGE &&
                    bx_cat_regs(c)[i].space == BX_SPACE_MSR)
                    r->shared[r->shared_n++] = bx_cat_addrs(c)[bx_cat_regs(c)[i].first_addr + unit];
    }
    if (r->shared)
        qsort(r->shared, r->shared_n, sizeof *r->shared, in_order);
    return r->shared;
}

static bool can_move(const reroute *r, const bx_address *at)
{
    return at->space == BX_SPACE_MSR && at->cpu < r->cpus &&
           bsearch(&at->offset, r->shared, r->shared_n, sizeof *r->shared, in_order);
}

/* One access, a read where `from` is NULL. */
static int once(reroute *r, const bx_address *at, uint64_t *to, const uint64_t *from)
{
    return from ? r->next->write(r->next, at, *from) : r->next->read(r->next, at, to);
}

static int attempt(reroute *r, const bx_address *at, uint64_t *to, const uint64_t *from)
{
    bx_address where = *at;
    if (r->moved && can_move(r, at))
        where.cpu = r->by[at->cpu];
    int why = once(r, &where, to, from);
    if (!is_gone(why) || !can_move(r, at))
        return why;
    unsigned first = at->cpu - at->cpu % r->cores;
    for (unsigned cpu = first; cpu < first + r->cores; cpu++) {
        where.cpu = (uint16_t)cpu;
        int other = once(r, &where, to, from);
        if (is_gone(other))
            continue;
        for (unsigned i = first; i < first + r->cores; i++)
            r->by[i] = (uint16_t)cpu;
        r->moved = true;
        return other;
    }
    return why;
}

static int read_bus(struct bx_bus *bus, const bx_address *at, uint64_t *value)
{
    return attempt((reroute *)(void *)bus, at, value, NULL);
}

static int write_bus(struct bx_bus *bus, const bx_address *at, uint64_t value)
{
    return attempt((reroute *)(void *)bus, at, NULL, &value);
}

/* Where a CPU is gone, what is left is read one by one. */
static size_t read_many(struct bx_bus *bus, const bx_address *at, uint64_t *values, size_t n,
                        int *err)
{
    reroute *r = (reroute *)(void *)bus;
    size_t done = r->moved ? 0 : r->next->read_many(r->next, at, values, n, err);
    if (!r->moved && (done == n || !is_gone(*err)))
        return done;
    for (*err = 0; done < n && *err == 0; done += *err == 0)
        *err = attempt(r, &at[done], &values[done], NULL);
    return done;
}

static void close_bus(struct bx_bus *bus)
{
    reroute *r = (reroute *)(void *)bus;
    r->next->close(r->next);
    free(r->shared);
    free(r->by);
    free(r);
}

struct bx_bus *bx_reroute_open(struct bx_bus *next, const bx_topology *t)
{
    reroute *r = calloc(1, sizeof *r);
    if (!r)
        return NULL;
    r->cores = t->cores;
    r->cpus = t->packages * t->cores;
    r->by = calloc(r->cpus + 1, sizeof *r->by);
    if (!r->by || !find_shared(r, t)) {
        free(r->by);
        free(r);
        return NULL;
    }
    for (unsigned i = 0; i < r->cpus; i++)
        r->by[i] = (uint16_t)i;
    r->next = next;
    r->bus = (struct bx_bus){.read = read_bus,
                             .write = write_bus,
                             .close = close_bus,
                             .read_many = next->read_many ? read_many : NULL};
    return &r->bus;
}

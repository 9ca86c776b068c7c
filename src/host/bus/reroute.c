/* Chooses the CPU of each access, and repeats an access on another CPU if that one is gone. */
#include "host/bus/reroute.h"

#include "register/register.h"

#include <errno.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>

typedef struct reroute {
    struct bx_bus bus; /* must be first: the bus is cast to its reroute */
    struct bx_bus *next;
    const bx_cpus *cpus;
    bx_cpus cores; /* used where no table of CPUs is known */
    bx_topology t;
    uint16_t *stand_in; /* by package: the CPU that stands in for one that is gone, or BX_NO_CPU */
    bool *closed;       /* by CPU: we cannot open its device, so running on it does not help */
    uint16_t *index_of; /* by the kernel's CPU number: index in the table of CPUs */
    unsigned numbers;
    bx_current_cpu_call *here;
    bx_address *rerouted; /* for read_many() */
    size_t room;
} reroute;

static bool is_gone(int err)
{
    return err == ENXIO || err == ENODEV || err == ENOENT;
}

int bx_current_cpu(void)
{
    return sched_getcpu();
}

/* ---- which CPU ---- */

/* MSRs of a core's PMU are not shared, nor are MSRs that the catalogue lacks. */
static bool is_shared(const reroute *r, const bx_address *at)
{
    const struct bx_catalog *c = r->t.catalog;
    if (at->space != BX_SPACE_MSR || at->cpu >= bx_cpus_all(r->cpus))
        return false;
    bx_unit_register found = bx_register_at(c, r->t.cpu, BX_SPACE_MSR, at->offset);
    uint16_t pmu = found.reg == BX_NONE ? BX_NONE : bx_cat_regs(c)[found.reg].pmu;
    return pmu != BX_NONE && bx_cat_pmus(c)[pmu].scope == BX_SCOPE_PACKAGE &&
           found.unit < bx_topology_units(&r->t, pmu);
}

/* Index of the CPU that we run on; BX_NO_CPU: it is not in the table, or we cannot open its
 * device. */
static uint16_t find_here(const reroute *r)
{
    int number = r->here ? r->here() : -1;
    uint16_t at = number >= 0 && (unsigned)number < r->numbers ? r->index_of[number] : BX_NO_CPU;
    return at != BX_NO_CPU && !r->closed[at] ? at : BX_NO_CPU;
}

static uint16_t chosen(const reroute *r, const bx_address *at, uint16_t here)
{
    if (!is_shared(r, at))
        return at->cpu;
    unsigned package = bx_cpus_package(r->cpus, at->cpu);
    if (here != BX_NO_CPU && bx_cpus_package(r->cpus, here) == package)
        return here;
    return r->stand_in[package] != BX_NO_CPU ? r->stand_in[package] : at->cpu;
}

/* ---- accesses ---- */

/* Executes one access on a CPU. from NULL: a read. */
static int once(reroute *r, const bx_address *at, uint16_t cpu, uint64_t *to, const uint64_t *from)
{
    bx_address where = *at;
    where.cpu = cpu;
    return from ? r->next->write(r->next, &where, *from) : r->next->read(r->next, &where, to);
}

/* A container can have the devices of some CPUs and not of others. */
static bool may_be_closed(int err)
{
    return err == ENOENT || err == EACCES || err == EPERM;
}

static int attempt(reroute *r, const bx_address *at, uint64_t *to, const uint64_t *from)
{
    uint16_t here = find_here(r), cpu = chosen(r, at, here);
    int err = once(r, at, cpu, to, from);
    if (!is_shared(r, at) || (!is_gone(err) && !may_be_closed(err)))
        return err;
    if (cpu == here) {
        uint16_t instead = chosen(r, at, BX_NO_CPU);
        int first = err;
        err = instead == here ? err : once(r, at, instead, to, from);
        r->closed[here] |= may_be_closed(first) && err != first;
        cpu = instead;
    }
    unsigned package = bx_cpus_package(r->cpus, at->cpu), all = bx_cpus_all(r->cpus);
    for (unsigned other = 0; is_gone(err) && other < all; other++) {
        if (other == cpu || bx_cpus_package(r->cpus, other) != package)
            continue;
        int now = once(r, at, (uint16_t)other, to, from);
        if (is_gone(now))
            continue;
        r->stand_in[package] = (uint16_t)other;
        return now;
    }
    return err;
}

static int read_rerouted(struct bx_bus *bus, const bx_address *at, uint64_t *value)
{
    return attempt((reroute *)(void *)bus, at, value, NULL);
}

static int write_rerouted(struct bx_bus *bus, const bx_address *at, uint64_t value)
{
    return attempt((reroute *)(void *)bus, at, NULL, &value);
}

/* ---- many at once ---- */

static bool make_room_for_routes(reroute *r, size_t n)
{
    if (n <= r->room)
        return true;
    bx_address *more = realloc(r->rerouted, n * sizeof *more);
    if (!more)
        return false;
    r->rerouted = more;
    r->room = n;
    return true;
}

/* If a register fails because its CPU is gone, it is read alone. Then the rest is read together
 * again. */
static size_t read_many(struct bx_bus *bus, const bx_address *at, uint64_t *values, size_t n,
                        int *err)
{
    reroute *r = (reroute *)(void *)bus;
    size_t done = 0;
    if (!make_room_for_routes(r, n)) {
        *err = ENOMEM;
        return 0;
    }
    while (done < n) {
        uint16_t here = find_here(r);
        for (size_t i = done; i < n; i++) {
            r->rerouted[i] = at[i];
            r->rerouted[i].cpu = chosen(r, &at[i], here);
        }
        done += r->next->read_many(r->next, &r->rerouted[done], &values[done], n - done, err);
        if (done == n || !is_shared(r, &at[done]) || (!is_gone(*err) && !may_be_closed(*err)))
            break;
        *err = attempt(r, &at[done], &values[done], NULL);
        if (*err)
            break;
        done++;
    }
    return done;
}

/* ---- beginning and end ---- */

static void free_reroute(reroute *r)
{
    free(r->stand_in);
    free(r->closed);
    free(r->index_of);
    free(r->rerouted);
    free(r);
}

static void close_rerouted(struct bx_bus *bus)
{
    reroute *r = (reroute *)(void *)bus;
    r->next->close(r->next);
    free_reroute(r);
}

static bool make_tables(reroute *r)
{
    unsigned all = bx_cpus_all(r->cpus);
    for (unsigned i = 0; r->cpus->logical && i < all; i++)
        if (r->cpus->logical[i] != BX_NO_CPU && r->cpus->logical[i] >= r->numbers)
            r->numbers = r->cpus->logical[i] + 1u;
    r->stand_in = calloc(r->cpus->packages + 1, sizeof *r->stand_in);
    r->closed = calloc(all + 1, sizeof *r->closed);
    r->index_of = calloc(r->numbers + 1, sizeof *r->index_of);
    if (!r->stand_in || !r->closed || !r->index_of)
        return false;
    memset(r->stand_in, 0xff, r->cpus->packages * sizeof *r->stand_in);
    memset(r->index_of, 0xff, r->numbers * sizeof *r->index_of);
    for (unsigned i = 0; r->numbers && i < all; i++)
        if (r->cpus->logical[i] != BX_NO_CPU)
            r->index_of[r->cpus->logical[i]] = (uint16_t)i;
    return true;
}

struct bx_bus *bx_reroute_open(struct bx_bus *next, const bx_topology *t, const bx_cpus *cpus,
                               bx_current_cpu_call *here)
{
    reroute *r = calloc(1, sizeof *r);
    if (!r)
        return NULL;
    r->cores = (bx_cpus){.packages = t->packages, .cores = t->cores};
    r->cpus = cpus ? cpus : &r->cores;
    r->here = here;
    r->next = next;
    r->t = *t;
    r->bus = (struct bx_bus){.read = read_rerouted,
                             .write = write_rerouted,
                             .close = close_rerouted,
                             .read_many = next->read_many ? read_many : NULL};
    if (make_tables(r))
        return &r->bus;
    free_reroute(r);
    return NULL;
}

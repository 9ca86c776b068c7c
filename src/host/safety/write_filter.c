#include "host/safety/write_filter.h"

#include "host/safety/allow_list.h"

#include <errno.h>
#include <stdlib.h>

typedef struct guard {
    struct bx_bus bus; /* first: a bus is its guard */
    struct bx_bus *next;
    bx_allow allow;
    uint64_t *kept; /* reserved and fixed bits: of [cpu x allow.n + register] */
    bool *seen;     /* they are known */
} guard;

static int read_bus(struct bx_bus *bus, const bx_address *at, uint64_t *value)
{
    guard *g = (guard *)(void *)bus;
    return g->next->read(g->next, at, value);
}

static size_t read_many(struct bx_bus *bus, const bx_address *at, uint64_t *values, size_t n,
                        int *err)
{
    guard *g = (guard *)(void *)bus;
    return g->next->read_many(g->next, at, values, n, err);
}

static size_t index_of(const guard *g, const bx_address *at, const bx_allowed *r)
{
    return at->cpu * g->allow.n + (size_t)(r - g->allow.list);
}

/* A register's reserved bits are looked at before it is written for the first time; nobody changes
 * them after that. */
static int look(guard *g, const bx_address *at, const bx_allowed *r, uint64_t *present)
{
    size_t i = index_of(g, at, r);
    if (!g->seen[i] && !r->hollow) {
        uint64_t value;
        int why = g->next->read(g->next, at, &value);
        if (why)
            return why;
        g->kept[i] = value & r->keep;
    }
    g->seen[i] = true;
    *present = g->kept[i];
    return 0;
}

static int write_bus(struct bx_bus *bus, const bx_address *at, uint64_t value)
{
    guard *g = (guard *)(void *)bus;
    const bx_allowed *r = bx_allow_find(&g->allow, at);
    uint64_t present = 0;
    if (!r || !r->write)
        return EPROTO;
    int why = look(g, at, r, &present);
    if (why == 0 && bx_allow_unlawful(r, present, value)) {
        g->seen[index_of(g, at, r)] = false; /* unless that was read wrongly */
        why = look(g, at, r, &present);
    }
    if (why)
        return why;
    return bx_allow_unlawful(r, present, value) ? EPROTO : g->next->write(g->next, at, value);
}

static void close_bus(struct bx_bus *bus)
{
    guard *g = (guard *)(void *)bus;
    g->next->close(g->next);
    bx_allow_free(&g->allow);
    free(g->kept);
    free(g->seen);
    free(g);
}

struct bx_bus *bx_guard_open(struct bx_bus *next, const bx_topology *t)
{
    guard *g = calloc(1, sizeof *g);
    if (!g)
        return NULL;
    bool made = bx_allow_new(&g->allow, t, next);
    size_t n = made ? g->allow.n * g->allow.cpus + 1 : 1;
    g->kept = calloc(n, sizeof *g->kept);
    g->seen = calloc(n, sizeof *g->seen);
    if (!made || !g->kept || !g->seen) {
        bx_allow_free(&g->allow);
        free(g->kept);
        free(g->seen);
        free(g);
        return NULL;
    }
    g->next = next;
    g->bus = (struct bx_bus){.read = read_bus,
                             .write = write_bus,
                             .close = close_bus,
                             .read_many = next->read_many ? read_many : NULL};
    return &g->bus;
}

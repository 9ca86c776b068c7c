/* The counts of core events, from what the oracles have counted. Codes: the public tables that
 * src/model/core/core_events.c names. */
#include "core_counts.h"

#include "model/engine/access.h"

static uint64_t sum(const uint64_t *n, unsigned of)
{
    uint64_t all = 0;

    for (unsigned i = 0; i < of; i++)
        all += n[i];
    return all;
}

static const struct {
    unsigned code, umask, threshold, marks;
} in_cycles[] = {
    {0x60, 0x01, 1, ORACLE_LOADS},
    {0x60, 0x02, 1, ORACLE_FETCHES},
    {0x60, 0x04, 1, ORACLE_STORES},
    {0xa3, 0x01, 1, ORACLE_BEYOND_L2},
    {0xa3, 0x05, 5, ORACLE_BEYOND_L2 | ORACLE_IDLE},
    /* of Skylake alone */
    {0x60, 0x10, 1, ORACLE_LOADS_MISS},
    {0xa3, 0x02, 2, ORACLE_BEYOND_LLC},
    {0xa3, 0x06, 6, ORACLE_BEYOND_LLC | ORACLE_IDLE},
};
enum { IN_CYCLES = sizeof in_cycles / sizeof *in_cycles, SINCE_IVY_BRIDGE = 5 };

unsigned oracle_core_marks(unsigned code, unsigned umask, unsigned threshold)
{
    for (unsigned i = 0; i < IN_CYCLES; i++)
        if (in_cycles[i].code == code && in_cycles[i].umask == umask &&
            in_cycles[i].threshold == threshold)
            return in_cycles[i].marks;
    return 0;
}

struct events {
    struct oracle_core_event *event;
    size_t n;
};

static void add(struct events *to, const struct oracle_core_event *event, size_t n)
{
    memcpy(to->event + to->n, event, n * sizeof *event);
    to->n += n;
}

#define ADD(to, events) add(to, events, sizeof(events) / sizeof *(events))

static void add_of_all(struct events *to, const struct oracle_core_counts *c)
{
    const struct oracle_core_event is[] = {
        {0xc0, 0x00, c->instructions},
        {0x309, 0, c->instructions},
        {0x3c, 0x00, c->unhalted},
        {0x30a, 0, c->unhalted},
        {0x30b, 0, c->unhalted},
        {0x2e, 0x4f, sum(c->requests, ORACLE_ASKING)},
        {0x2e, 0x41, sum(c->misses, ORACLE_ASKING)},
        {0x51, 0x01, c->l1d_fills},
    };

    ADD(to, is);
}

static void add_since_ivy_bridge(struct events *to, const struct oracle_core_counts *c)
{
    const uint64_t *from = c->from;
    uint64_t llc = sum(&from[ORACLE_LLC], ORACLE_PACKAGE_CLEAN - ORACLE_LLC);
    uint64_t beyond = sum(&from[ORACLE_PACKAGE_CLEAN], ORACLE_SOURCES - ORACLE_PACKAGE_CLEAN);
    const struct oracle_core_event is[] = {
        {0xd0, 0x81, c->loads},
        {0xd0, 0x82, c->stores},
        {0xd1, 0x01, c->load_hits},
        {0xd1, 0x02, c->from_l2},
        {0xd1, 0x04, llc},
        {0xd1, 0x08, c->from_l2 + llc + beyond},
        {0xd1, 0x10, llc + beyond},
        {0xd1, 0x14, llc + beyond}, /* each once */
        {0xd1, 0x20, beyond},
        {0xd1, 0x40, from[ORACLE_FLIGHT]},
        {0xd2, 0x01, from[ORACLE_SNOOP_MISS]},
        {0xd2, 0x02, from[ORACLE_CLEAN]},
        {0xd2, 0x04, from[ORACLE_DIRTY]},
        {0xd2, 0x08, from[ORACLE_LLC]},
        {0xb0, 0x01, c->requests[BX_LOAD]},
        {0xb0, 0x02, c->requests[BX_FETCH]},
        {0xb0, 0x04, c->requests[BX_STORE]},
        {0x60, 0x01, c->outstanding[0]},
        {0x60, 0x02, c->outstanding[2]},
        {0x60, 0x04, c->outstanding[1]},
    };

    ADD(to, is);
}

static void add_before_skylake(struct events *to, const struct oracle_core_counts *c)
{
    const uint64_t *hits = c->l2_hits;
    uint64_t misses[] = {
        c->requests[BX_LOAD] + c->flights[BX_LOAD], c->requests[BX_STORE] + c->flights[BX_STORE],
        c->requests[BX_FETCH] + c->flights[BX_FETCH], c->requests[ORACLE_PREFETCH]};
    const struct oracle_core_event is[] = {
        {0x24, 0x01, hits[BX_LOAD]},
        {0x24, 0x02, misses[BX_LOAD]},
        {0x24, 0x03, hits[BX_LOAD] + misses[BX_LOAD]},
        {0x24, 0x04, hits[BX_STORE]},
        {0x24, 0x08, misses[BX_STORE]},
        {0x24, 0x10, hits[BX_FETCH]},
        {0x24, 0x20, misses[BX_FETCH]},
        {0x24, 0x40, hits[ORACLE_PREFETCH]},
        {0x24, 0x80, misses[ORACLE_PREFETCH]},
        {0x27, 0x0f, hits[BX_STORE] + misses[BX_STORE]},
        {0x80, 0x02, hits[BX_FETCH] + misses[BX_FETCH]},
        {0xf0, 0x01, hits[BX_LOAD] + misses[BX_LOAD]},
        {0xf0, 0x02, hits[BX_STORE] + misses[BX_STORE]},
        {0xf0, 0x04, hits[BX_FETCH] + misses[BX_FETCH]},
        {0xf0, 0x08, hits[ORACLE_PREFETCH] + misses[ORACLE_PREFETCH]},
        {0xf0, 0x10, c->l1d_write_backs},
        {0xf0, 0x20, c->l2_fills},
        {0xf0, 0x40, c->write_backs},
        {0xf0, 0x80,
         sum(hits, ORACLE_ASKING) + sum(misses, ORACLE_ASKING) + c->l1d_write_backs + c->l2_fills +
             c->write_backs},
        {0xf1, 0x07, c->l2_fills},
    };

    ADD(to, is);
}

static void add_skylake(struct events *to, const struct oracle_core_counts *c)
{
    const uint64_t *hits = c->l2_hits;
    const struct oracle_core_event is[] = {
        {0x24, 0xc1, hits[BX_LOAD]},
        {0x24, 0xc2, hits[BX_STORE]},
        {0x24, 0xc4, hits[BX_FETCH]},
        {0x24, 0xd8, hits[ORACLE_PREFETCH]},
        {0x24, 0x21, c->requests[BX_LOAD] + c->flights[BX_LOAD]},
        {0x24, 0x22, c->requests[BX_STORE] + c->flights[BX_STORE]},
        {0x24, 0x24, c->requests[BX_FETCH] + c->flights[BX_FETCH]},
        {0x24, 0x38, c->requests[ORACLE_PREFETCH]},
        {0xb0, 0x10, c->misses[BX_LOAD]},
        {0x51, 0x04, c->l1d_write_backs},
        {0xf1, 0x1f, c->l2_fills},
        {0xf2, 0x02, c->write_backs},
        {0x60, 0x10, c->outstanding[3]},
    };

    ADD(to, is);
}

static void add_ivy_bridge(struct events *to, const struct oracle_core_counts *c)
{
    const struct oracle_core_event is[] = {
        {0xd0, 0xf1, c->loads}, /* each once */
        {0xd0, 0xf2, c->stores},
        {0xd3, 0x03, c->from[ORACLE_MEMORY]},
        {0xd3, 0x0c, c->from[ORACLE_REMOTE_MEMORY]},
        {0xd3, 0x10, c->from[ORACLE_PACKAGE_DIRTY]},
        {0xd3, 0x20, c->from[ORACLE_PACKAGE_CLEAN]},
        {0xf2, 0x0a, c->write_backs},
    };

    ADD(to, is);
}

static void add_nehalem(struct events *to, const struct oracle_core_counts *c)
{
    const uint64_t *from = c->from;
    const struct oracle_core_event is[] = {
        {0x0b, 0x01, c->loads},
        {0x0b, 0x02, c->stores},
        {0x51, 0x04, c->l1d_write_backs},
        {0xcb, 0x01, c->load_hits},
        {0xcb, 0x02, c->from_l2},
        {0xcb, 0x04, from[ORACLE_LLC] + from[ORACLE_SNOOP_MISS]},
        {0xcb, 0x08, from[ORACLE_CLEAN] + from[ORACLE_DIRTY]},
        {0xcb, 0x10, sum(&from[ORACLE_PACKAGE_CLEAN], ORACLE_SOURCES - ORACLE_PACKAGE_CLEAN)},
        {0xcb, 0x40, from[ORACLE_FLIGHT]},
    };

    ADD(to, is);
}

static void add_cycles(struct events *to, const struct oracle_core_counts *c, unsigned n)
{
    for (unsigned i = 0; i < n; i++)
        to->event[to->n++] = (struct oracle_core_event){
            in_cycles[i].code, in_cycles[i].umask, oracle_marked(&c->cycles, in_cycles[i].marks),
            in_cycles[i].threshold};
}

size_t oracle_core_events(const struct oracle_core_counts *c, enum oracle_processor processor,
                          struct oracle_core_event event[ORACLE_CORE_EVENTS])
{
    struct events to = {event, 0};

    add_of_all(&to, c);
    if (processor == ORACLE_NEHALEM)
        add_nehalem(&to, c);
    else
        add_since_ivy_bridge(&to, c);
    if (processor == ORACLE_SKYLAKE)
        add_skylake(&to, c);
    else
        add_before_skylake(&to, c);
    if (processor == ORACLE_IVY_BRIDGE)
        add_ivy_bridge(&to, c);
    if (processor != ORACLE_NEHALEM)
        add_cycles(&to, c, processor == ORACLE_SKYLAKE ? IN_CYCLES : SINCE_IVY_BRIDGE);
    return to.n;
}

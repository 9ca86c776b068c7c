/* The U-Box: interrupts on their way to cores, and locks of the bus.
 * docs/explanation/model-nhmex.md, "Interrupts and locks". */
#include "model/machine/nhmex/machine.h"

/* Opcodes: 323535-001 pages 143 and 145. */
enum { NC_MSG_S = 12, NC_MSG_B = 8, CMP_D = 4 };

static void count_in(struct bx_nhmex *m, struct bx_nhmex_ubox *u, enum bx_nhmex_in_u what,
                     uint64_t t)
{
    bx_nhmex_gauge_put(m, &u->in[what], t, t + 1);
}

/* A packet is ready at t. It waits for a cycle in its buffer, after those before it. Returns that
 * cycle. */
static uint64_t broadcast(struct bx_nhmex *m, unsigned package, enum bx_nhmex_in_u buffer,
                          uint64_t t)
{
    struct bx_nhmex_ubox *u = &m->package[package].u;

    t = bx_later(t, u->free_at[buffer]);
    u->free_at[buffer] = t + 1;
    u->packets++;
    count_in(m, u, buffer, t);
    count_in(m, u, BX_NHMEX_TO_RING, t);
    return t;
}

void bx_nhmex_interrupt(bx_model *model, unsigned package, unsigned cores)
{
    struct bx_nhmex *m = bx_nhmex_of(model);
    uint64_t t = broadcast(m, package, BX_NHMEX_LOCAL_INT, m->model.time.now);

    for (unsigned i = 0; i < cores; i++)
        count_in(m, &m->package[package].u, BX_NHMEX_IPIS, t);
}

uint64_t bx_nhmex_u_distance(const struct bx_nhmex *m, unsigned from, unsigned to)
{
    return from == to ? 0 : m->times.link;
}

void bx_nhmex_send_interrupt(bx_model *model, unsigned from, unsigned to, bool wakes)
{
    struct bx_nhmex *m = bx_nhmex_of(model);
    unsigned sender = from / m->cores, package = to / m->cores;
    uint64_t t = bx_later(m->model.time.now, bx_turns_clock(model, to)) + m->times.ring +
                 bx_nhmex_u_distance(m, sender, package);

    t = broadcast(m, package, sender == package ? BX_NHMEX_LOCAL_INT : BX_NHMEX_REMOTE_INT, t);
    count_in(m, &m->package[package].u, BX_NHMEX_IPIS, t);
    if (wakes)
        count_in(m, &m->package[package].u, BX_NHMEX_WOKEN, t);
}

void bx_nhmex_device_interrupt(struct bx_nhmex *m, unsigned package, uint64_t t)
{
    t = broadcast(m, package, BX_NHMEX_REMOTE_INT, t);
    count_in(m, &m->package[package].u, BX_NHMEX_IPIS, t);
}

/* A package is told to stop its cores (NcMsgS, StopReq1) or to let them go on (NcMsgB, StartReq2),
 * and answers. The messages pass the S-Boxes as those of the C-Box with the locking core's
 * number. */
static void stop_or_start_other(struct bx_nhmex *m, struct bx_nhmex_peer from, unsigned package,
                                bool stop, uint64_t t)
{
    struct bx_nhmex_peer to = {.package = package, .slice = from.slice};
    struct bx_nhmex_packet packet = {.class = stop ? BX_NHMEX_NCS : BX_NHMEX_NCB,
                                     .opcode = stop ? NC_MSG_S : NC_MSG_B,
                                     .partial = !stop};

    t = bx_nhmex_forward(m, from, to, &packet, t + m->times.ring);
    t = broadcast(m, package, BX_NHMEX_STOP_START, t) + m->times.ring;
    packet = (struct bx_nhmex_packet){.class = BX_NHMEX_NDR, .opcode = CMP_D};
    m->last_end = bx_later(m->last_end, bx_nhmex_forward(m, to, from, &packet, t));
}

/* A lock or unlock of a core is ready in the U-Box of its package at t. Every package stops its
 * cores, or lets them go on. */
static void lock_or_unlock(struct bx_nhmex *m, unsigned core, bool lock, uint64_t t)
{
    struct bx_nhmex_peer from = {.package = core / m->cores, .slice = core % m->cores};

    t = broadcast(m, from.package, BX_NHMEX_LOCK, t);
    for (unsigned package = 0; package < m->packages; package++)
        if (package == from.package)
            broadcast(m, package, BX_NHMEX_STOP_START, t);
        else
            stop_or_start_other(m, from, package, lock, t);
}

uint64_t bx_nhmex_lock_bus(bx_model *model, unsigned core, uint64_t t)
{
    struct bx_nhmex *m = bx_nhmex_of(model);
    uint64_t begin = bx_later(t, m->locked_until), end = begin + m->times.bus_lock;

    lock_or_unlock(m, core, true, begin + m->times.ring);
    lock_or_unlock(m, core, false, end + m->times.ring);
    m->locked_until = end;
    return bx_nhmex_served(m, end);
}

/* ---- the timer ---- */

struct bx_window bx_nhmex_timer(const struct bx_nhmex *m, unsigned package, bool of_core_0)
{
    uint64_t every = bx_nhmex_has_ioh(m) ? m->times.u_timer : 0, after = 0;

    if (!every)
        return (struct bx_window){0};
    if (!of_core_0)
        after = 2 * m->times.ring + bx_nhmex_u_distance(m, 0, package);
    uint64_t from = after % every;
    return (struct bx_window){every, from, from + 1, every + after};
}

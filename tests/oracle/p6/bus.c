/* The front-side bus and IO of the P6 machine. */
#include "machine.h"

/* Times in bus clocks. */
enum {
    LINE_DATA = 4, /* of eight bytes each */
    PARTIAL_DATA = 1,
};

static uint64_t cycle(const struct p6_oracle *o, uint64_t bus_clock)
{
    return bus_clock * o->times.bus_clock;
}

/* Returns the bus clock of a new transaction. */
static uint64_t begin(struct p6_oracle *o, uint64_t ready)
{
    uint64_t b = p6_later((ready + o->times.bus_clock - 1) / o->times.bus_clock, o->bus.next);

    o->bus.next = b + o->times.bus_request;
    return b;
}

/* Returns the first bus clock of data that is ready at `first`, and occupies the bus for it. */
static uint64_t data(struct p6_oracle *o, uint64_t first, unsigned clocks)
{
    uint64_t d = p6_later(first, o->bus.data_free);

    o->bus.data_free = d + clocks;
    p6_count(o, 0x62, P6_ANY, cycle(o, d), cycle(o, d + clocks));
    return d;
}

static void pulse_each(struct p6_oracle *o, unsigned code, unsigned umask, uint64_t first,
                       unsigned clocks)
{
    for (unsigned i = 0; i < clocks; i++)
        p6_pulse(o, code, umask, cycle(o, first + i));
}

/* ---- the processor's transactions ---- */

static uint64_t come(struct p6_oracle *o, uint64_t b, unsigned clocks)
{
    uint64_t d = data(o, b + o->times.bus_read, clocks);

    if (d >= b + o->times.bus_defer)
        p6_pulse(o, 0x6d, P6_SELF_AND_ANY, cycle(o, d));
    pulse_each(o, 0x64, 0, d, clocks);
    return cycle(o, d + clocks);
}

static uint64_t go(struct p6_oracle *o, uint64_t b, unsigned clocks)
{
    uint64_t d = data(o, b + o->times.bus_write, clocks);

    pulse_each(o, 0x62, P6_SELF, d, clocks);
    return cycle(o, d + clocks);
}

static uint64_t read_memory(struct p6_oracle *o, uint64_t b)
{
    uint64_t done = come(o, b, LINE_DATA);

    p6_count(o, 0x60, 0, cycle(o, b), done);
    return done;
}

uint64_t p6_use_device(struct p6_oracle *o, bx_access access, uint64_t ready)
{
    bool in = (access >> 59 & 3) == BX_LOAD, port = access >> 55 & 1;
    bool line = !port && !(access & BX_ACCESS_PARTIAL);
    unsigned clocks = line ? LINE_DATA : PARTIAL_DATA;
    uint64_t b = begin(o, ready), done = in ? come(o, b, clocks) : go(o, b, clocks);

    if (port)
        p6_pulse(o, 0x6c, P6_SELF_AND_ANY, cycle(o, b));
    else
        p6_pulse(o, 0x6f, P6_SELF_AND_ANY, cycle(o, b));
    if (!port && !line)
        p6_pulse(o, 0x6b, P6_SELF_AND_ANY, cycle(o, b));
    if (!port && !line && !in)
        p6_pulse(o, 0x6a, P6_SELF_AND_ANY, cycle(o, b));
    if (line)
        p6_pulse(o, 0x6e, P6_SELF_AND_ANY, cycle(o, b));
    p6_pulse(o, 0x70, P6_SELF_AND_ANY, cycle(o, b));
    o->processor.all_done = p6_later(o->processor.all_done, done);
    return done;
}

uint64_t p6_transact(struct p6_oracle *o, enum p6_transaction what, uint64_t ready)
{
    uint64_t b = begin(o, ready), done;

    p6_pulse(o, what, P6_SELF_AND_ANY, cycle(o, b));
    p6_pulse(o, 0x6f, P6_SELF_AND_ANY, cycle(o, b));
    p6_pulse(o, 0x70, P6_SELF_AND_ANY, cycle(o, b));
    if (what != P6_INVAL)
        p6_pulse(o, 0x6e, P6_SELF_AND_ANY, cycle(o, b));
    if (what == P6_INVAL)
        done = cycle(o, b + o->times.bus_invalidate);
    else if (what == P6_WB)
        done = go(o, b, LINE_DATA);
    else
        done = read_memory(o, b);
    o->processor.all_done = p6_later(o->processor.all_done, done);
    return done;
}

/* ---- IO ---- */

/* The result of a snoop. */
struct found {
    bool copy, modified, modified_in_dcu;
};

static struct found find(struct p6_oracle *o, uint64_t line)
{
    enum p6_state dcu = p6_state_of(&o->processor.dcu, line);
    enum p6_state l2 = p6_state_of(&o->processor.l2, line);

    return (struct found){
        .copy = dcu != P6_I || l2 != P6_I || p6_find(&o->processor.l1i, line),
        .modified = dcu == P6_M || l2 == P6_M,
        .modified_in_dcu = dcu == P6_M,
    };
}

static void share(struct p6_cache *c, uint64_t line)
{
    struct p6_copy *copy = p6_find(c, line);
    if (copy)
        copy->state = P6_S;
}

static void leave_dcu_in_m(struct p6_oracle *o, uint64_t line, uint64_t t)
{
    if (p6_state_of(&o->processor.dcu, line) != P6_M)
        return;
    p6_drop(&o->processor.dcu, line);
    p6_pulse(o, 0x47, 0, t);
}

static void invalidate(struct p6_oracle *o, uint64_t line, uint64_t t)
{
    enum p6_state l2 = p6_state_of(&o->processor.l2, line);

    if (l2 != P6_I)
        p6_pulse(o, 0x26, 0, t);
    if (l2 == P6_M)
        p6_pulse(o, 0x27, 0, t);
    p6_drop(&o->processor.l2, line);
    p6_drop(&o->processor.dcu, line);
    p6_drop(&o->processor.l1i, line);
}

static void snoop(struct p6_oracle *o, uint64_t line, bool write, uint64_t t)
{
    p6_pulse(o, 0x21, 0, t);
    leave_dcu_in_m(o, line, t);
    if (write) {
        invalidate(o, line, t);
    } else {
        share(&o->processor.dcu, line);
        share(&o->processor.l2, line);
    }
}

/* Returns the bus clocks for which the snoop is stalled. */
static unsigned answer(struct p6_oracle *o, struct found f, bool write, uint64_t b)
{
    unsigned stall = f.modified_in_dcu ? o->times.bus_stall : 0;
    uint64_t at = b + o->times.bus_snoop;

    pulse_each(o, 0x7a, 0, at, stall);
    pulse_each(o, 0x7b, 0, at, stall);
    p6_count(o, 0x7e, 0, cycle(o, at), cycle(o, at + stall));
    if (f.modified)
        p6_pulse(o, 0x7b, 0, cycle(o, at + stall));
    else if (f.copy && !write)
        p6_pulse(o, 0x7a, 0, cycle(o, at + stall));
    o->bus.next += stall;
    return stall;
}

static void count_transaction(struct p6_oracle *o, bool write, bool partial, uint64_t b)
{
    if (!write)
        p6_pulse(o, P6_BRD, P6_ANY, cycle(o, b));
    if (partial) {
        p6_pulse(o, 0x6a, P6_ANY, cycle(o, b));
        p6_pulse(o, 0x6b, P6_ANY, cycle(o, b));
    } else {
        p6_pulse(o, 0x6e, P6_ANY, cycle(o, b));
    }
    p6_pulse(o, 0x6f, P6_ANY, cycle(o, b));
    p6_pulse(o, 0x70, P6_ANY, cycle(o, b));
}

static void io_access(struct p6_oracle *o)
{
    struct p6_io *io = &o->io;
    uint64_t line = bx_access_line(io->access), b = begin(o, io->time), d;
    bool write = (io->access & 3) == BX_STORE, partial = write && io->access & BX_ACCESS_PARTIAL;
    struct found f = find(o, line);
    unsigned stall = answer(o, f, write, b), clocks = partial ? PARTIAL_DATA : LINE_DATA;

    count_transaction(o, write, partial, b);
    snoop(o, line, write, io->time);
    d = data(o, b + stall + (write ? o->times.bus_write : o->times.bus_read), clocks);
    if (f.modified && write)
        d = data(o, 0, LINE_DATA);
    io->done = cycle(o, p6_later(o->bus.data_free, b + stall + o->times.bus_snoop + 1));
    if (f.modified)
        pulse_each(o, 0x62, P6_SELF, d, LINE_DATA);
}

static void next_access(struct p6_io *io)
{
    io->working = io->next != io->end;
    if (!io->working)
        return;
    io->access = *io->next++;
    io->time = p6_later(io->time + (io->access >> 4 & BX_ACCESS_COST_MAX), io->done);
}

void p6_io_step(struct p6_oracle *o)
{
    io_access(o);
    next_access(&o->io);
}

void p6_io_begin(struct p6_oracle *o, struct p6_trace trace)
{
    struct p6_io *io = &o->io;

    io->next = trace.access;
    io->end = trace.n ? trace.access + trace.n : trace.access;
    io->time = o->now;
    next_access(io);
}

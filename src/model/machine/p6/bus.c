/* The front-side bus: requests, snoops and data, in bus clocks. */
#include "model/machine/p6/machine.h"

enum { PARTIAL = 1 }; /* bus clocks of the data of a part of a line */

static uint64_t cycles(const struct bx_p6 *m, uint64_t clock)
{
    return clock * m->times.bus_clock;
}

/* Makes a request at t or later. Returns its bus clock. */
static uint64_t request(struct bx_p6 *m, unsigned kind, uint64_t t)
{
    uint64_t clock = (t + m->times.bus_clock - 1) / m->times.bus_clock;

    clock = bx_later(clock, m->bus.request);
    m->bus.request = clock + m->times.bus_request;
    bx_p6_schedule_change(m, kind, cycles(m, clock), 1);
    return clock;
}

/* One pulse in each of n bus clocks, beginning with `clock`. */
static void pulses(struct bx_p6 *m, unsigned cell, uint64_t clock, unsigned n)
{
    for (unsigned i = 0; i < n; i++)
        bx_p6_schedule_change(m, cell, cycles(m, clock + i), 1);
}

/* Drives data for n bus clocks, from `ready` on, but not before earlier data are done. of: the cell
 * that counts these clocks, or BX_P6_CELLS for none. Returns the first clock. */
static uint64_t drive(struct bx_p6 *m, uint64_t ready, unsigned n, unsigned of)
{
    uint64_t clock = bx_later(ready, m->bus.data);

    m->bus.data = clock + n;
    bx_p6_schedule_span(m, BX_P6_DRDY, cycles(m, clock), cycles(m, clock + n));
    if (of < BX_P6_CELLS)
        pulses(m, of, clock, n);
    return clock;
}

/* ---- transactions of the processor ---- */

static uint64_t extend_end(struct bx_p6 *m, uint64_t end)
{
    m->cpu.end = bx_later(m->cpu.end, end);
    return end;
}

/* The data of a read that was requested at `clock`, of n bus clocks. Returns when they have come.
 */
static uint64_t receive(struct bx_p6 *m, uint64_t clock, unsigned n)
{
    uint64_t data = drive(m, clock + m->times.bus_read, n, BX_P6_RECEIVED);

    if (data >= clock + m->times.bus_defer)
        bx_p6_schedule_change(m, BX_P6_DEFERRED, cycles(m, data), 1);
    return extend_end(m, cycles(m, data + n));
}

/* The processor's data of a write that was requested at `clock`. Returns when it has sent them. */
static uint64_t send(struct bx_p6 *m, uint64_t clock, unsigned n)
{
    return extend_end(m, cycles(m, drive(m, clock + m->times.bus_write, n, BX_P6_DRDY_OWN) + n));
}

uint64_t bx_p6_bus_read(struct bx_p6 *m, unsigned kind, uint64_t t)
{
    uint64_t clock = request(m, kind, t), end = receive(m, clock, m->bus.line_clocks);

    bx_p6_schedule_span(m, BX_P6_REQUESTS, cycles(m, clock), end);
    return end;
}

uint64_t bx_p6_bus_device(struct bx_p6 *m, bx_access a, uint64_t t)
{
    bool read = bx_access_instruction(a) == BX_LOAD, port = a & BX_ACCESS_PORT;
    bool part = port || a & BX_ACCESS_PARTIAL;
    unsigned kind = port   ? BX_P6_PORT
                    : part ? (read ? BX_P6_DEVICE_READ : BX_P6_DEVICE_WRITE)
                           : (read ? BX_P6_DEVICE_LINE_READ : BX_P6_DEVICE_LINE_WRITE);
    unsigned n = part ? PARTIAL : m->bus.line_clocks;
    uint64_t clock = request(m, kind, t);

    return read ? receive(m, clock, n) : send(m, clock, n);
}

uint64_t bx_p6_bus_lock(struct bx_p6 *m, uint64_t t)
{
    uint64_t end = t + m->times.bus_lock;

    bx_p6_schedule_span(m, BX_P6_LOCKED, t, end);
    m->bus.request = bx_later(m->bus.request, (end + m->times.bus_clock - 1) / m->times.bus_clock);
    return extend_end(m, end);
}

uint64_t bx_p6_bus_invalidate(struct bx_p6 *m, uint64_t t)
{
    return extend_end(m, cycles(m, request(m, BX_P6_BUS_INVALIDATE, t) + m->times.bus_invalidate));
}

void bx_p6_bus_write_back(struct bx_p6 *m, uint64_t t)
{
    send(m, request(m, BX_P6_BUS_WRITE_BACK, t), m->bus.line_clocks);
}

/* ---- transactions of the I/O agent ---- */

/* The processor's response to a snoop. Returns the number of clocks by which it stalls the
 * transaction. */
static unsigned answer_snoop(struct bx_p6 *m, uint64_t clock, struct bx_p6_snoop_response answer)
{
    unsigned stall = answer.late ? m->times.bus_stall : 0;
    uint64_t snoop = clock + m->times.bus_snoop;

    if (stall) { /* HIT# and HITM# together request more time */
        bx_p6_schedule_span(m, BX_P6_SNOOP_STALL, cycles(m, snoop), cycles(m, snoop + stall));
        pulses(m, BX_P6_HIT, snoop, stall);
        pulses(m, BX_P6_HITM, snoop, stall);
        m->bus.request += stall;
    }
    if (answer.hit)
        pulses(m, BX_P6_HIT, snoop + stall, 1);
    if (answer.hitm)
        pulses(m, BX_P6_HITM, snoop + stall, 1);
    return stall;
}

/* A transaction of IO ends when its data have been transferred, and its snoop has been answered. */
static uint64_t io_end(const struct bx_p6 *m, uint64_t clock, unsigned stall, uint64_t data_end)
{
    return cycles(m, bx_later(data_end, clock + stall + m->times.bus_snoop + 1));
}

uint64_t bx_p6_bus_io_read(struct bx_p6 *m, struct bx_p6_snoop_response answer, uint64_t t)
{
    uint64_t clock = request(m, BX_P6_IO_READ, t);
    unsigned stall = answer_snoop(m, clock, answer), n = m->bus.line_clocks;
    uint64_t ready = clock + stall + m->times.bus_read;

    return io_end(m, clock, stall,
                  drive(m, ready, n, answer.hitm ? BX_P6_DRDY_OWN : BX_P6_CELLS) + n);
}

uint64_t bx_p6_bus_io_write(struct bx_p6 *m, struct bx_p6_snoop_response answer, bool partial,
                            uint64_t t)
{
    uint64_t clock = request(m, partial ? BX_P6_IO_PARTIAL : BX_P6_IO_WRITE, t);
    unsigned line = m->bus.line_clocks;
    unsigned stall = answer_snoop(m, clock, answer), n = partial ? PARTIAL : line;
    uint64_t end = drive(m, clock + stall + m->times.bus_write, n, BX_P6_CELLS) + n;

    if (answer.hitm)
        end = drive(m, end, line, BX_P6_DRDY_OWN) + line;
    return io_end(m, clock, stall, end);
}

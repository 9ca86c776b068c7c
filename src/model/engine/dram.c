#include "model/engine/dram.h"

#include <string.h>

enum { MEGA = 1000000, LINE_BYTES = 64, TRANSFER_BYTES = 8 };

/* ---- power-on ---- */

/* Clocks of the memory, of which one has two transfers. Rounded up. */
static bx_dram_time of_clocks(const bx_model_dram *shape, uint64_t hz, uint64_t clocks)
{
    uint64_t rate = (uint64_t)shape->rate * MEGA;
    return ((clocks * 2 * hz << BX_DRAM_TIME_BITS) + rate - 1) / rate;
}

static bx_dram_time of_ns(uint64_t hz, uint64_t ns)
{
    return ((ns * hz << BX_DRAM_TIME_BITS) + 999999999) / 1000000000;
}

bool bx_dram_power_on(struct bx_dram *d, const bx_model_dram *shape, uint64_t hz)
{
    enum { TRANSFERS = LINE_BYTES / TRANSFER_BYTES };

    if (!shape->rate)
        return false;
    *d = (struct bx_dram){
        .ranks = shape->ranks,
        .banks = shape->banks,
        .row_lines = shape->row_bytes / LINE_BYTES,
        .cl = of_clocks(shape, hz, shape->cl),
        .rcd = of_clocks(shape, hz, shape->rcd),
        .rp = of_clocks(shape, hz, shape->rp),
        .ras = of_clocks(shape, hz, shape->ras),
        .rtp = of_clocks(shape, hz, shape->rtp),
        .wr = of_clocks(shape, hz, shape->wr),
        .wtr = of_clocks(shape, hz, shape->wtr),
        .burst = of_clocks(shape, hz, TRANSFERS / 2),
        .rfc = of_ns(hz, shape->rfc),
        .refi = of_ns(hz, shape->refi),
        .transit = of_ns(hz, shape->transit),
    };
    for (unsigned c = 0; c < BX_DRAM_CHANNELS; c++)
        for (unsigned b = 0; b < BX_DRAM_BANKS; b++)
            d->channel[c].bank[b].row = d->channel[c].bank[b].closing_row = BX_DRAM_NO_ROW;
    return true;
}

/* ---- a line's place ---- */

struct place {
    unsigned rank, bank; /* bank: of all in the channel */
    uint64_t row;
};

/* Lines of a row follow each other; then come banks, ranks, rows. The row's low bits are added to
 * the bank's number, so that lines far apart seldom fight for one. */
static struct place place_of(const struct bx_dram *d, uint64_t line)
{
    uint64_t at = line / d->row_lines, bank = at % d->banks, rank = at / d->banks % d->ranks;
    uint64_t row = at / d->banks / d->ranks;

    return (struct place){.rank = (unsigned)rank,
                          .bank = (unsigned)(rank * d->banks + (bank ^ row % d->banks)),
                          .row = row};
}

/* ---- the bus ---- */

static bx_dram_time later(bx_dram_time a, bx_dram_time b)
{
    return a > b ? a : b;
}

static void forget_first(struct bx_dram_bus *bus)
{
    bus->closed = bus->end[0];
    bus->n--;
    memmove(bus->begin, bus->begin + 1, bus->n * sizeof *bus->begin);
    memmove(bus->end, bus->end + 1, bus->n * sizeof *bus->end);
}

/* A stretch that touches others becomes one with them. at: the one that it comes before. */
static void take(struct bx_dram_bus *bus, unsigned at, bx_dram_time begin, bx_dram_time end)
{
    bool before = at > 0 && bus->end[at - 1] == begin,
         behind = at < bus->n && bus->begin[at] == end;

    if (before && behind) {
        bus->end[at - 1] = bus->end[at];
        bus->n--;
        memmove(bus->begin + at, bus->begin + at + 1, (bus->n - at) * sizeof *bus->begin);
        memmove(bus->end + at, bus->end + at + 1, (bus->n - at) * sizeof *bus->end);
    } else if (before) {
        bus->end[at - 1] = end;
    } else if (behind) {
        bus->begin[at] = begin;
    } else {
        memmove(bus->begin + at + 1, bus->begin + at, (bus->n - at) * sizeof *bus->begin);
        memmove(bus->end + at + 1, bus->end + at, (bus->n - at) * sizeof *bus->end);
        bus->begin[at] = begin;
        bus->end[at] = end;
        bus->n++;
    }
}

struct gap {
    unsigned before; /* this stretch */
    bx_dram_time begin;
};

/* The first time from `ready` on at which the bus is free for so long. */
static struct gap gap_of(const struct bx_dram_bus *bus, bx_dram_time ready, bx_dram_time length)
{
    struct gap gap = {0, later(ready, bus->closed)};

    for (; gap.before < bus->n && gap.begin + length > bus->begin[gap.before]; gap.before++)
        gap.begin = later(gap.begin, bus->end[gap.before]);
    return gap;
}

static void put(struct bx_dram_bus *bus, struct gap gap, bx_dram_time length)
{
    if (bus->n == BX_DRAM_STRETCHES) {
        forget_first(bus);
        gap.before -= gap.before > 0;
    }
    take(bus, gap.before, gap.begin, gap.begin + length);
}

/* ---- banks ---- */

/* Ranks are refreshed in turn. A refresh that has been due closes the row; the bank takes commands
 * again when it is over. */
static void refresh(const struct bx_dram *d, struct bx_dram_bank *bank, unsigned rank,
                    bx_dram_time t)
{
    bx_dram_time offset = d->refi / d->ranks * rank;

    if (!d->refi || t < offset + d->refi)
        return;
    uint64_t due = (t - offset) / d->refi;
    if (due <= bank->refreshes)
        return;
    bank->refreshes = due;
    bank->row = bank->closing_row = BX_DRAM_NO_ROW;
    bank->command = later(bank->command, offset + due * d->refi + d->rfc);
}

/* Opens another row. */
static void open_row(struct bx_dram *d, struct bx_dram_bank *bank, uint64_t row, bx_dram_time t)
{
    bx_dram_time at = later(t, bank->command);

    if (bank->row == BX_DRAM_NO_ROW) {
        d->counts.empty++;
        bank->closing_row = BX_DRAM_NO_ROW;
    } else {
        d->counts.miss++;
        at = later(at, bank->precharge);
        bank->closing_row = bank->row;
        bank->closing_command = bank->command;
        bank->closes = at;
        at += d->rp;
    }
    bank->row = row;
    bank->command = at + d->rcd;
    bank->precharge = at + d->ras;
}

/* A read of the row that is about to be closed, if it comes in before that. Returns the end of its
 * data, or 0. */
static bx_dram_time read_closing_row(const struct bx_dram *d, struct bx_dram_bus *bus,
                                     struct bx_dram_bank *bank, bx_dram_time t)
{
    bx_dram_time command = later(t, bank->closing_command);
    struct gap gap = gap_of(bus, command + d->cl, d->burst);

    if (gap.begin - d->cl + d->rtp > bank->closes)
        return 0;
    put(bus, gap, d->burst);
    bank->closing_command = gap.begin - d->cl + d->burst;
    return gap.begin + d->burst;
}

/* ---- reads and writes ---- */

/* Returns when the data have passed the bus. */
static bx_dram_time read_line(struct bx_dram *d, struct bx_dram_channel *c, uint64_t line,
                              bx_dram_time t)
{
    struct place place = place_of(d, line);
    struct bx_dram_bank *bank = &c->bank[place.bank];

    refresh(d, bank, place.rank, t);
    if (bank->row == place.row) {
        d->counts.hit++;
    } else if (bank->closing_row == place.row) {
        bx_dram_time end = read_closing_row(d, &c->bus, bank, t);
        if (end) {
            d->counts.hit++;
            return end;
        }
    }
    if (bank->row != place.row)
        open_row(d, bank, place.row, t);
    struct gap gap = gap_of(&c->bus, later(t, bank->command) + d->cl, d->burst);
    put(&c->bus, gap, d->burst);
    bx_dram_time command = gap.begin - d->cl;
    bank->command = command + d->burst;
    bank->precharge = later(bank->precharge, command + d->rtp);
    return gap.begin + d->burst;
}

/* All writes that wait have the bus one after the other. Then it turns round. Their rows are opened
 * in time: a controller sorts them. */
static void write_batch(struct bx_dram *d, struct bx_dram_channel *c, bx_dram_time t)
{
    bx_dram_time length = BX_DRAM_BATCH * d->burst, turn = d->wtr + d->cl;
    struct gap gap = gap_of(&c->bus, t + d->rcd + d->cl, length + turn);
    bx_dram_time end = gap.begin + length;

    put(&c->bus, gap, length + turn);
    for (unsigned i = 0; i < c->writes; i++) {
        struct place place = place_of(d, c->waiting[i]);
        struct bx_dram_bank *bank = &c->bank[place.bank];
        refresh(d, bank, place.rank, t);
        bank->row = place.row;
        bank->closing_row = BX_DRAM_NO_ROW;
        bank->command = later(bank->command, end);
        bank->precharge = later(bank->precharge, end + d->wr);
    }
    c->writes = 0;
}

/* ---- requests ---- */

static bx_dram_time arrival(const struct bx_dram *d, uint64_t t)
{
    return (t << BX_DRAM_TIME_BITS) + d->transit;
}

static uint64_t cycle_of(bx_dram_time t)
{
    return (t + (1 << BX_DRAM_TIME_BITS) - 1) >> BX_DRAM_TIME_BITS;
}

uint64_t bx_dram_read(struct bx_dram *d, unsigned channel, uint64_t line, uint64_t t)
{
    return cycle_of(read_line(d, &d->channel[channel], line, arrival(d, t)));
}

uint64_t bx_dram_write(struct bx_dram *d, unsigned channel, uint64_t line, uint64_t t)
{
    struct bx_dram_channel *c = &d->channel[channel];
    bx_dram_time at = arrival(d, t);

    c->waiting[c->writes++] = line;
    if (c->writes == BX_DRAM_BATCH)
        write_batch(d, c, at);
    return cycle_of(at);
}

/* Implements dram.h: memory with banks, rows and batches of writes. */
#include "dram.h"
#include "single.h"

#include <stdlib.h>

/* Times are in parts of a cycle. */
enum { PARTS = 256, BATCH = 16 };

struct bank {
    bool open, closing;
    uint64_t row, closing_row;
    uint64_t next_command, next_precharge;
    uint64_t next_closing_command, closes;
    uint64_t refreshes_seen;
    uint64_t writes_done; /* of a batch; 0: it has none */
};

struct channel {
    struct single bus;
    struct single openings[4];                             /* of rows, by rank */
    struct single group_reads[4][4], group_openings[4][4]; /* by rank and bank group */
    uint64_t waiting[BATCH];
    unsigned waits;
    uint64_t batch_ends[2]; /* of the last two: the earlier one first */
    struct bank *bank;      /* [ranks][banks] */
};

struct oracle_dram {
    bx_model_dram is;
    uint64_t hz;
    struct oracle_dram_command command[3 * BATCH]; /* of the last request */
    size_t commands;
    uint64_t from, until; /* that a read waits */
    struct channel channel[];
};

static uint64_t round_up(uint64_t a, uint64_t b)
{
    return a / b + (a % b != 0);
}

static uint64_t parts_of_clocks(const bx_model_dram *dram, uint64_t hz, uint64_t n)
{
    return round_up(n * 2 * hz * PARTS, (uint64_t)dram->rate * 1000000);
}

static uint64_t parts_of_ns(uint64_t hz, uint64_t n)
{
    return round_up(n * hz * PARTS, 1000000000);
}

uint64_t oracle_dram_cycles_of_clocks(const bx_model_dram *dram, uint64_t hz, uint64_t n)
{
    return round_up(parts_of_clocks(dram, hz, n), PARTS);
}

uint64_t oracle_dram_cycles_of_ns(uint64_t hz, uint64_t n)
{
    return round_up(parts_of_ns(hz, n), PARTS);
}

static uint64_t clocks(const struct oracle_dram *d, uint64_t n)
{
    return parts_of_clocks(&d->is, d->hz, n);
}

static uint64_t ns(const struct oracle_dram *d, uint64_t n)
{
    return parts_of_ns(d->hz, n);
}

struct oracle_dram *oracle_dram_new(const bx_model_dram *shape, uint64_t hz)
{
    if (shape->rate == 0)
        return NULL;
    struct oracle_dram *d = calloc(1, sizeof *d + shape->channels * sizeof d->channel[0]);
    if (!d)
        abort();
    d->is = *shape;
    d->hz = hz;
    for (unsigned i = 0; i < shape->channels; i++) {
        d->channel[i].bank = calloc((size_t)shape->ranks * shape->banks, sizeof(struct bank));
        if (!d->channel[i].bank)
            abort();
    }
    return d;
}

void oracle_dram_free(struct oracle_dram *d)
{
    for (unsigned i = 0; d && i < d->is.channels; i++)
        free(d->channel[i].bank);
    free(d);
}

static uint64_t later(uint64_t a, uint64_t b)
{
    return a > b ? a : b;
}

static void at_least(uint64_t *time, uint64_t least)
{
    if (*time < least)
        *time = least;
}

/* Refreshes of the rank that were due by `time`, the n-th of rank r at (n + r / ranks) x tREFI. */
static void catch_up(const struct oracle_dram *d, struct bank *bank, unsigned rank, uint64_t time)
{
    uint64_t interval = ns(d, d->is.refi), first = interval / d->is.ranks * rank;

    if (interval == 0)
        return;
    uint64_t due = time < first ? 0 : (time - first) / interval;
    if (due > bank->refreshes_seen) {
        bank->refreshes_seen = due;
        bank->open = bank->closing = false;
        at_least(&bank->next_command, first + due * interval + ns(d, d->is.rfc));
    }
}

/* ---- reads and writes ---- */

static unsigned number_of_bank(const struct oracle_dram *d, uint64_t n, uint64_t *row)
{
    uint64_t page = n / (d->is.row_bytes / 64), banks = (uint64_t)d->is.banks * d->is.ranks;

    *row = page / banks;
    if (d->is.bank_hash)
        return (unsigned)((page ^ (2 * *row + n / 2 % 2)) % banks);
    return (unsigned)(page / d->is.banks % d->is.ranks * d->is.banks + (page ^ *row) % d->is.banks);
}

static unsigned rank_of(const struct oracle_dram *d, uint64_t n)
{
    uint64_t row;

    return number_of_bank(d, n, &row) / d->is.banks;
}

static unsigned group_of(const struct oracle_dram *d, uint64_t n)
{
    uint64_t row;
    unsigned groups = d->is.groups < d->is.banks ? d->is.groups : d->is.banks;

    return groups ? number_of_bank(d, n, &row) % groups : 0;
}

static bool has_groups(const struct oracle_dram *d)
{
    return d->is.groups > 1 && d->is.banks > 1;
}

static struct bank *bank_of(const struct oracle_dram *d, struct channel *channel, uint64_t n,
                            uint64_t *row)
{
    return &channel->bank[number_of_bank(d, n, row)];
}

/* The first gap that two resources have. */
static uint64_t gap_in_both(const struct single *a, uint64_t a_takes, const struct single *b,
                            uint64_t b_takes, uint64_t time)
{
    uint64_t last;

    do {
        last = time;
        time = single_gap(a, time, a_takes);
        if (b_takes)
            time = single_gap(b, time, b_takes);
    } while (time != last);
    return time;
}

/* When the row of a line is opened, at `time` or later. */
static uint64_t opened(const struct oracle_dram *d, struct channel *channel, uint64_t n,
                       uint64_t time)
{
    uint64_t takes = round_up(clocks(d, d->is.faw), 4), of_group = 0;
    unsigned rank = rank_of(d, n);
    struct single *group = &channel->group_openings[rank][group_of(d, n)];

    if (has_groups(d)) {
        at_least(&takes, clocks(d, d->is.rrd_s));
        of_group = clocks(d, d->is.rrd_l);
    }
    if (takes == 0)
        return time;
    time = gap_in_both(&channel->openings[rank], takes, group, of_group, time);
    single_use(&channel->openings[rank], time, time + takes, takes);
    if (of_group)
        single_use(group, time, time + of_group, of_group);
    return time;
}

/* 0: groups do not matter. */
static uint64_t read_has_group(const struct oracle_dram *d)
{
    return has_groups(d) && d->is.ccd_l > 4 ? clocks(d, d->is.ccd_l) : 0;
}

/* The data of the next column command of `next` or later, as soon as bus and group are free. */
static uint64_t data_of(const struct oracle_dram *d, const struct channel *channel, uint64_t n,
                        uint64_t next, uint64_t time)
{
    at_least(&next, time);
    return gap_in_both(&channel->bus, clocks(d, 4),
                       &channel->group_reads[rank_of(d, n)][group_of(d, n)], read_has_group(d),
                       next + clocks(d, d->is.cl));
}

static void use_bus(const struct oracle_dram *d, struct channel *channel, uint64_t n, uint64_t data)
{
    uint64_t burst = clocks(d, 4), of_group = read_has_group(d);

    single_use(&channel->bus, data, data + burst, burst);
    if (of_group)
        single_use(&channel->group_reads[rank_of(d, n)][group_of(d, n)], data, data + of_group,
                   of_group);
}

/* The bank needs a row: the commands for that, then those for the line. */
static void note(struct oracle_dram *d, const struct bank *bank, uint64_t n, uint64_t row,
                 bool write)
{
    uint64_t ignored;
    struct oracle_dram_command c = {
        .write = write,
        .rank = rank_of(d, n),
        .bank = number_of_bank(d, n, &ignored) % d->is.banks,
    };

    if (bank->open && bank->row != row) {
        c.what = ORACLE_DRAM_PRECHARGE;
        d->command[d->commands++] = c;
    }
    if (!bank->open || bank->row != row) {
        c.what = ORACLE_DRAM_ACTIVATE;
        d->command[d->commands++] = c;
    }
    c.what = ORACLE_DRAM_LINE;
    d->command[d->commands++] = c;
}

static uint64_t read_line(struct oracle_dram *d, struct channel *channel, uint64_t n, uint64_t time)
{
    uint64_t row, burst = clocks(d, 4), cl = clocks(d, d->is.cl), rtp = clocks(d, d->is.rtp), data;
    struct bank *bank = bank_of(d, channel, n, &row);

    catch_up(d, bank, rank_of(d, n), later(time, bank->next_command));
    if (bank->open && bank->row != row && bank->closing && bank->closing_row == row) {
        data = data_of(d, channel, n, bank->next_closing_command, time);
        if (data - cl + rtp <= bank->closes) {
            bank->next_closing_command = data - cl + burst;
            use_bus(d, channel, n, data);
            note(d, bank, n, bank->row, false);
            d->until = data - cl;
            return data + burst;
        }
    }
    note(d, bank, n, row, false);
    if (!bank->open || bank->row != row) {
        uint64_t activate = time;
        at_least(&activate, bank->next_command);
        bank->closing = bank->open;
        if (bank->open) {
            at_least(&activate, bank->next_precharge);
            bank->closing_row = bank->row;
            bank->next_closing_command = bank->next_command;
            bank->closes = activate;
            activate += clocks(d, d->is.rp);
        }
        activate = opened(d, channel, n, activate);
        bank->open = true;
        bank->row = row;
        bank->next_command = activate + clocks(d, d->is.rcd);
        bank->next_precharge = activate + clocks(d, d->is.ras);
    }
    data = data_of(d, channel, n, bank->next_command, time);
    use_bus(d, channel, n, data);
    d->until = data - cl;
    bank->next_command = data - cl + burst;
    at_least(&bank->next_precharge, data - cl + rtp);
    return data + burst;
}

/* The time between two writes of a bank that has several rows to write. */
static uint64_t between_rows(const struct oracle_dram *d)
{
    return clocks(d, d->is.wr) + clocks(d, d->is.rp) + clocks(d, d->is.rcd) + clocks(d, d->is.cl);
}

static void write_all(struct oracle_dram *d, struct channel *channel, uint64_t time)
{
    uint64_t data = BATCH * clocks(d, 4), turn = clocks(d, d->is.wtr) + clocks(d, d->is.cl), row;
    uint64_t begin =
        single_gap(&channel->bus, time + clocks(d, d->is.rcd) + clocks(d, d->is.cl), data + turn);

    single_use(&channel->bus, begin, begin + data + turn, clocks(d, 4));
    channel->batch_ends[0] = channel->batch_ends[1];
    for (unsigned n = 0; n < d->is.ranks * d->is.banks; n++)
        channel->bank[n].writes_done = 0;
    for (unsigned i = 0; i < BATCH; i++) {
        struct bank *bank = bank_of(d, channel, channel->waiting[i], &row);
        unsigned rank = rank_of(d, channel->waiting[i]);
        catch_up(d, bank, rank, time);
        note(d, bank, channel->waiting[i], row, true);
        bool other = !bank->open || bank->row != row;
        if (bank->writes_done == 0)
            bank->writes_done = later(begin, bank->next_command);
        else if (other)
            bank->writes_done += between_rows(d);
        if (other)
            at_least(&bank->writes_done, opened(d, channel, channel->waiting[i], time) +
                                             clocks(d, d->is.rcd) + clocks(d, d->is.cl));
        bank->writes_done += clocks(d, 4);
        bank->open = true;
        bank->closing = false;
        bank->row = row;
    }
    for (unsigned n = 0; n < d->is.ranks * d->is.banks; n++) {
        struct bank *bank = &channel->bank[n];
        if (bank->writes_done == 0)
            continue;
        bank->next_command = bank->writes_done;
        at_least(&bank->next_precharge, bank->next_command + clocks(d, d->is.wr));
        at_least(&channel->batch_ends[1], later(begin + data, bank->next_command));
    }
    channel->waits = 0;
}

/* The channel of a line, and *n, its number among the lines of the channel: the number of the line
 * without the lowest bit that decides. */
static unsigned channel_of(const bx_model_dram *is, uint64_t line, uint64_t *n)
{
    unsigned channel = 0, lowest = 64;

    if (!is->channel_hash) {
        *n = line / is->channels;
        return (unsigned)(line % is->channels);
    }
    for (unsigned bit = 64; bit-- > 0;)
        if (is->channel_hash >> bit & 1) {
            channel ^= line >> bit & 1;
            lowest = bit;
        }
    *n = 0;
    for (unsigned bit = 0; bit < 63; bit++)
        *n |= (line >> (bit < lowest ? bit : bit + 1) & 1) << bit;
    return channel;
}

uint64_t oracle_dram_request(struct oracle_dram *d, uint64_t line, bool write, uint64_t t)
{
    uint64_t n;
    struct channel *channel = &d->channel[channel_of(&d->is, line, &n)];
    uint64_t time = t * PARTS + ns(d, d->is.transit);

    d->commands = 0;
    d->from = time;
    if (!write)
        return round_up(read_line(d, channel, n, time), PARTS);
    at_least(&time, channel->batch_ends[0]);
    channel->waiting[channel->waits++] = n;
    if (channel->waits == BATCH)
        write_all(d, channel, time);
    return round_up(time, PARTS);
}

uint64_t oracle_dram_waits_from(const struct oracle_dram *d)
{
    return d->from;
}

uint64_t oracle_dram_waits_until(const struct oracle_dram *d)
{
    return d->until;
}

const struct oracle_dram_command *oracle_dram_commands(const struct oracle_dram *d, size_t *n)
{
    *n = d->commands;
    return d->command;
}

bx_model_dram oracle_dram_of_trial(uint64_t number)
{
    uint64_t n = number / 2;

    return (bx_model_dram){.rate = number % 2 ? (uint32_t)(800 + 533 * (n % 5)) : 0,
                           .cl = (uint32_t)(5 + n % 11),
                           .rcd = (uint32_t)(6 + n % 7),
                           .rp = (uint32_t)(7 + n % 3),
                           .ras = (uint32_t)(20 + n % 13),
                           .rtp = (uint32_t)(4 + n % 5),
                           .wr = (uint32_t)(8 + n % 9),
                           .wtr = (uint32_t)(3 + n % 6),
                           .faw = n % 3 ? (uint32_t)(12 + n % 37) : 0,
                           .rfc = (uint32_t)(100 + n % 251),
                           .refi = n % 4 ? (uint32_t)(1500 + n % 6301) : 0,
                           .transit = (uint32_t)(n % 40),
                           .channels = 1u << n / 3 % 3,
                           .ranks = 1u << n % 3,
                           .banks = 8u << n % 2,
                           .row_bytes = 1024u << n % 4,
                           .bank_hash = n % 5 < 2,
                           .groups = n % 7 ? 1u << n / 7 % 3 : 0,
                           .ccd_l = (uint32_t)(4 + n % 9),
                           .rrd_s = (uint32_t)(n % 8),
                           .rrd_l = (uint32_t)(n % 11)};
}

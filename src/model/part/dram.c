/* The times of reads and writes in DRAM. */
#include "model/part/dram.h"

#include "model/part/later.h"

#include <stddef.h>

enum { MEGA = 1000000, TRANSFER_BYTES = 8 };

/* ---- power-on ---- */

bx_dram_time bx_dram_clocks(const bx_model_dram *shape, uint64_t hz, uint64_t clocks)
{
    uint64_t rate = (uint64_t)shape->rate * MEGA; /* transfers per second; a clock has two */
    return ((clocks * 2 * hz << BX_DRAM_TIME_BITS) + rate - 1) / rate;
}

bx_dram_time bx_dram_ns(uint64_t hz, uint64_t ns)
{
    return ((ns * hz << BX_DRAM_TIME_BITS) + 999999999) / 1000000000;
}

/* a x b / c, rounded up; b and c are below 2^47. A long division by digits of a. */
static uint64_t scaled_up(uint64_t a, uint64_t b, uint64_t c)
{
    enum { DIGIT = 16 };
    uint64_t quotient = 0, rest = 0;

    for (int shift = 48; shift >= 0; shift -= DIGIT) {
        uint64_t digit = a >> shift & ((1u << DIGIT) - 1), part = (rest << DIGIT) + digit * b;
        quotient = (quotient << DIGIT) + part / c;
        rest = part % c;
    }
    return quotient + (rest != 0);
}

uint64_t bx_dram_clocks_before(const struct bx_dram *d, bx_dram_time t)
{
    return scaled_up(t, d->clock_hz, d->uncore_hz << BX_DRAM_TIME_BITS);
}

uint64_t bx_dram_cycles(bx_dram_time t)
{
    return (t + (1 << BX_DRAM_TIME_BITS) - 1) >> BX_DRAM_TIME_BITS;
}

/* The ranks are refreshed in turn. */
static bx_dram_time first_refresh(const struct bx_dram *d, const bx_model_dram *shape,
                                  unsigned rank)
{
    return d->refi ? d->refi + d->refi / shape->ranks * rank : UINT64_MAX;
}

static void channel_power_on(const struct bx_dram *d, const bx_model_dram *shape,
                             struct bx_dram_channel *c)
{
    c->bus.shortest = d->burst;
    for (unsigned r = 0; r < BX_DRAM_RANKS; r++)
        c->openings[r].shortest = d->opening;
    for (unsigned g = 0; g < BX_DRAM_RANKS * BX_DRAM_GROUPS; g++) {
        c->group[g].bus.shortest = d->group_read;
        c->group[g].openings.shortest = d->group_opening;
    }
    for (unsigned b = 0; b < BX_DRAM_BANKS; b++)
        c->bank[b] =
            (struct bx_dram_bank){.row = BX_DRAM_NO_ROW,
                                  .closing_row = BX_DRAM_NO_ROW,
                                  .next_refresh = first_refresh(d, shape, b >> d->map.bank)};
}

/* Bank groups of DDR4. */
static void groups_power_on(struct bx_dram *d, const bx_model_dram *shape, uint64_t hz)
{
    bx_dram_time ccd = bx_dram_clocks(shape, hz, shape->ccd_l);

    d->groups = shape->groups > shape->banks ? shape->banks : shape->groups > 1 ? shape->groups : 1;
    if (d->groups == 1)
        return;
    d->opening = bx_later(d->opening, bx_dram_clocks(shape, hz, shape->rrd_s));
    d->group_read = ccd > d->burst ? ccd : 0;
    d->group_opening = bx_dram_clocks(shape, hz, shape->rrd_l);
}

bool bx_dram_power_on(struct bx_dram *d, const bx_model_dram *shape, uint64_t hz)
{
    if (!shape->rate)
        return false;
    *d = (struct bx_dram){
        .map = bx_dram_map_of(shape, false),
        .cl = bx_dram_clocks(shape, hz, shape->cl),
        .rcd = bx_dram_clocks(shape, hz, shape->rcd),
        .rp = bx_dram_clocks(shape, hz, shape->rp),
        .ras = bx_dram_clocks(shape, hz, shape->ras),
        .rtp = bx_dram_clocks(shape, hz, shape->rtp),
        .wr = bx_dram_clocks(shape, hz, shape->wr),
        .wtr = bx_dram_clocks(shape, hz, shape->wtr),
        .opening = (bx_dram_clocks(shape, hz, shape->faw) + 3) / 4,
        .burst = bx_dram_clocks(shape, hz, shape->line_bytes / TRANSFER_BYTES / 2),
        .rfc = bx_dram_ns(hz, shape->rfc),
        .refi = bx_dram_ns(hz, shape->refi),
        .transit = bx_dram_ns(hz, shape->transit),
        .clock_hz = (uint64_t)shape->rate * MEGA / 2,
        .uncore_hz = hz,
    };
    groups_power_on(d, shape, hz);
    for (unsigned c = 0; c < BX_DRAM_CHANNELS; c++)
        channel_power_on(d, shape, &d->channel[c]);
    return true;
}

/* ---- where a line is ---- */

static unsigned bits_of(uint32_t power_of_two)
{
    return (unsigned)__builtin_ctz(power_of_two);
}

struct bx_dram_map bx_dram_map_of(const bx_model_dram *shape, bool in_lockstep)
{
    unsigned channel = bits_of(shape->channels),
             row = bits_of(shape->row_bytes / shape->line_bytes);

    return (struct bx_dram_map){
        .channel = in_lockstep ? 0 : channel,
        .hash = in_lockstep ? 0 : shape->channel_hash,
        .row = in_lockstep ? row + channel : row,
        .bank = bits_of(shape->banks),
        .rank = bits_of(shape->ranks),
        .bank_hash = !in_lockstep && shape->bank_hash,
    };
}

/* Returns the low bits of *number and removes them from it. */
static unsigned take_bits(uint64_t *number, unsigned bits)
{
    unsigned taken = (unsigned)(*number & ((UINT64_C(1) << bits) - 1));

    *number >>= bits;
    return taken;
}

/* Returns a line's channel and removes it from the line's number. */
static unsigned take_channel(const struct bx_dram_map *map, uint64_t *line)
{
    if (!map->hash)
        return take_bits(line, map->channel);
    unsigned bit = (unsigned)__builtin_ctzll(map->hash);
    unsigned channel = (unsigned)__builtin_parityll(*line & map->hash);
    uint64_t above = *line >> (bit + 1) << bit;

    *line = above | (*line & ((UINT64_C(1) << bit) - 1));
    return channel;
}

/* As published: the lowest bit of rank and bank is added to the second lowest of the line within
 * its row, each other one to a bit of the row. */
static struct bx_dram_place hashed_place_of(const struct bx_dram_map *map, uint64_t line)
{
    uint64_t row = line >> map->row, hash = line >> 1 & 1;
    unsigned number = take_bits(&row, map->bank + map->rank);

    hash |= row << 1;
    number ^= take_bits(&hash, map->bank + map->rank);
    return (struct bx_dram_place){.rank = number >> map->bank, .bank = number, .row = row};
}

/* Adds the row's low bits to the bank's number, so that distant lines rarely conflict in a bank. */
struct bx_dram_place bx_dram_place_of(const struct bx_dram_map *map, uint64_t line)
{
    take_channel(map, &line);
    if (map->bank_hash)
        return hashed_place_of(map, line);
    uint64_t row = line >> map->row, scrambled;
    unsigned bank = take_bits(&row, map->bank), rank = take_bits(&row, map->rank);

    scrambled = bank ^ row;
    return (struct bx_dram_place){
        .rank = rank,
        .bank = rank << map->bank | take_bits(&scrambled, map->bank),
        .row = row,
    };
}

static struct bx_dram_channel *channel_of(struct bx_dram *d, uint64_t line)
{
    return &d->channel[take_channel(&d->map, &line)];
}

/* ---- banks ---- */

/* A refresh that has become due closes the row. The bank takes commands again when it is over. */
static void refresh(const struct bx_dram *d, struct bx_dram_bank *bank, bx_dram_time t)
{
    if (t < bank->next_refresh)
        return;
    bx_dram_time last = bank->next_refresh + (t - bank->next_refresh) / d->refi * d->refi;
    bank->row = bank->closing_row = BX_DRAM_NO_ROW;
    bank->command = bx_later(bank->command, last + d->rfc);
    bank->next_refresh = last + d->refi;
}

static struct bx_dram_group *group_of(const struct bx_dram *d, struct bx_dram_channel *c,
                                      struct bx_dram_place place)
{
    return &c->group[place.rank * BX_DRAM_GROUPS + (place.bank & (d->groups - 1))];
}

/* A use of a bus or a rank, and of the bank's group with it. in_group: for how long; 0: the group
 * is free at all times. */
struct shared_use {
    struct bx_use *use, *group;
    bx_dram_time length, in_group;
    struct bx_use_gap gap, gap_of_group;
};

/* Finds the first gap, from t on, that both have. */
static inline bx_dram_time find_gap(struct shared_use *u, bx_dram_time t)
{
    u->gap = bx_use_gap_of(u->use, t, u->length);
    while (u->in_group) {
        u->gap_of_group = bx_use_gap_of(u->group, u->gap.begin, u->in_group);
        if (u->gap_of_group.begin == u->gap.begin)
            break;
        u->gap = bx_use_gap_of(u->use, u->gap_of_group.begin, u->length);
    }
    return u->gap.begin;
}

static inline void take_gap(const struct shared_use *u)
{
    bx_use_put(u->use, u->gap, u->length);
    if (u->in_group)
        bx_use_put(u->group, u->gap_of_group, u->in_group);
}

/* When a row of the bank can be opened, at t or later. A rank opens at most four rows in tFAW. */
static bx_dram_time opening(const struct bx_dram *d, struct bx_dram_channel *c,
                            struct bx_dram_place place, bx_dram_time t)
{
    if (!d->opening)
        return t;
    struct shared_use use = {.use = &c->openings[place.rank],
                             .length = d->opening,
                             .group = &group_of(d, c, place)->openings,
                             .in_group = d->group_opening};
    bx_dram_time at = find_gap(&use, t);
    take_gap(&use);
    return at;
}

/* Closes the bank's row, if one is open, and opens another. */
static void open_row(struct bx_dram *d, struct bx_dram_channel *c, struct bx_dram_place place,
                     bx_dram_time t)
{
    struct bx_dram_bank *bank = &c->bank[place.bank];
    bx_dram_time at = bx_later(t, bank->command);

    if (bank->row == BX_DRAM_NO_ROW) {
        d->counts.empty++;
        bank->closing_row = BX_DRAM_NO_ROW;
    } else {
        d->counts.miss++;
        c->commands.precharges[BX_DRAM_FOR_READ]++;
        at = bx_later(at, bank->precharge);
        bank->closing_row = bank->row;
        bank->closing_command = bank->command;
        bank->closes = at;
        at += d->rp;
    }
    at = opening(d, c, place, at);
    c->commands.activates[BX_DRAM_FOR_READ]++;
    bank->row = place.row;
    bank->command = at + d->rcd;
    bank->precharge = at + d->ras;
}

/* Reads the row that is about to be closed, if the read ends early enough. Returns the end of its
 * data, or 0 if it is too late. */
static bx_dram_time read_closing_row(struct bx_dram *d, struct shared_use *use,
                                     struct bx_dram_bank *bank, bx_dram_time t)
{
    bx_dram_time command = bx_later(t, bank->closing_command),
                 data = find_gap(use, command + d->cl);

    if (data - d->cl + d->rtp > bank->closes)
        return 0;
    take_gap(use);
    d->commanded = data - d->cl;
    bank->closing_command = data - d->cl + d->burst;
    return data + d->burst;
}

/* ---- reads and writes ---- */

/* Returns the time when the data have passed the bus. */
static bx_dram_time read_line(struct bx_dram *d, struct bx_dram_channel *c, uint64_t line,
                              bx_dram_time t)
{
    struct bx_dram_place place = bx_dram_place_of(&d->map, line);
    struct bx_dram_bank *bank = &c->bank[place.bank];
    struct shared_use use = {.use = &c->bus,
                             .length = d->burst,
                             .group = &group_of(d, c, place)->bus,
                             .in_group = d->group_read};

    c->commands.lines[BX_DRAM_FOR_READ][place.bank]++;
    refresh(d, bank, bx_later(t, bank->command));
    if (bank->row == place.row) {
        d->counts.hit++;
    } else if (bank->closing_row == place.row) {
        bx_dram_time end = read_closing_row(d, &use, bank, t);
        if (end) {
            d->counts.hit++;
            return end;
        }
    }
    if (bank->row != place.row)
        open_row(d, c, place, t);
    bx_dram_time data = find_gap(&use, bx_later(t, bank->command) + d->cl);
    take_gap(&use);
    bx_dram_time command = d->commanded = data - d->cl;
    bank->command = command + d->burst;
    bank->precharge = bx_later(bank->precharge, command + d->rtp);
    return data + d->burst;
}

static void count_write(struct bx_dram_commands *commands, const struct bx_dram_bank *bank,
                        unsigned number, bool opens)
{
    commands->lines[BX_DRAM_FOR_WRITE][number]++;
    commands->activates[BX_DRAM_FOR_WRITE] += opens;
    commands->precharges[BX_DRAM_FOR_WRITE] += opens && bank->row != BX_DRAM_NO_ROW;
}

/* Opens the rows of all waiting writes. done[bank] becomes the time when the bank has made its
 * writes, the first of them at `begin` or later. Between two rows the bank closes one and opens the
 * other. */
static void open_rows_of_batch(struct bx_dram *d, struct bx_dram_channel *c, bx_dram_time t,
                               bx_dram_time begin, bx_dram_time done[BX_DRAM_BANKS])
{
    for (unsigned i = 0; i < BX_DRAM_BATCH; i++) {
        struct bx_dram_place place = bx_dram_place_of(&d->map, c->waiting[i]);
        struct bx_dram_bank *bank = &c->bank[place.bank];
        refresh(d, bank, t);
        bool opens = bank->row != place.row;
        count_write(&c->commands, bank, place.bank, opens);
        bx_dram_time *at = &done[place.bank];
        if (!*at)
            *at = bx_later(begin, bank->command);
        else if (opens)
            *at += d->wr + d->rp + d->rcd + d->cl;
        if (opens)
            *at = bx_later(*at, opening(d, c, place, t) + d->rcd + d->cl);
        *at += d->burst;
        bank->row = place.row;
        bank->closing_row = BX_DRAM_NO_ROW;
    }
}

/* Makes all waiting writes, one after the other on the bus. Then the bus turns round for reads. A
 * bank that writes to several rows takes longer. */
static void write_batch(struct bx_dram *d, struct bx_dram_channel *c, bx_dram_time t)
{
    bx_dram_time length = BX_DRAM_BATCH * d->burst, turn = d->wtr + d->cl,
                 done[BX_DRAM_BANKS] = {0};
    struct bx_use_gap gap = bx_use_gap_of(&c->bus, t + d->rcd + d->cl, length + turn);
    bx_dram_time end = gap.begin + length;

    bx_use_put(&c->bus, gap, length + turn);
    open_rows_of_batch(d, c, t, gap.begin, done);
    c->room = c->written;
    for (unsigned i = 0; i < BX_DRAM_BATCH; i++) {
        unsigned number = bx_dram_place_of(&d->map, c->waiting[i]).bank;
        struct bx_dram_bank *bank = &c->bank[number];
        bank->command = done[number];
        bank->precharge = bx_later(bank->precharge, bank->command + d->wr);
        c->written = bx_later(c->written, bx_later(end, bank->command));
    }
    c->writes = 0;
}

/* ---- requests ---- */

static bx_dram_time arrival(const struct bx_dram *d, uint64_t t)
{
    return (t << BX_DRAM_TIME_BITS) + d->transit;
}

uint64_t bx_dram_read(struct bx_dram *d, uint64_t line, uint64_t t)
{
    d->waits = arrival(d, t);
    return bx_dram_cycles(read_line(d, channel_of(d, line), line, d->waits));
}

uint64_t bx_dram_write(struct bx_dram *d, uint64_t line, uint64_t t)
{
    struct bx_dram_channel *c = channel_of(d, line);
    bx_dram_time at = bx_later(arrival(d, t), c->room);

    c->waiting[c->writes++] = line;
    if (c->writes == BX_DRAM_BATCH)
        write_batch(d, c, at);
    return bx_dram_cycles(at);
}

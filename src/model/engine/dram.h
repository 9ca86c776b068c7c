/* DRAM behind a memory controller: channels, ranks, banks with an open row each, refresh. Rules:
 * docs/explanation/model.md, "DRAM". */
#ifndef BX_MODEL_ENGINE_DRAM_H
#define BX_MODEL_ENGINE_DRAM_H

#include "model/engine/shape.h"

enum {
    BX_DRAM_CHANNELS = 4,
    BX_DRAM_BANKS = 64,     /* of a channel, in all ranks */
    BX_DRAM_RANKS = 4,      /* of a channel */
    BX_DRAM_BATCH = 16,     /* writes that a channel makes at once */
    BX_DRAM_STRETCHES = 32, /* of use that are known: a power of two */
};

/* Times are in 1/256 of an uncore cycle, so that no burst takes less than its time. */
typedef uint64_t bx_dram_time;
enum { BX_DRAM_TIME_BITS = 8 };

#define BX_DRAM_NO_ROW UINT64_MAX

/* A bank. Commands that it takes are not before these times. */
struct bx_dram_bank {
    uint64_t row; /* the row that is open, or will be; or BX_DRAM_NO_ROW */
    bx_dram_time command, precharge;
    /* The row before: reads of it can still come in before it is closed. */
    uint64_t closing_row;
    bx_dram_time closing_command, closes;
    bx_dram_time next_refresh;
};

struct bx_dram_stretch {
    bx_dram_time begin, end;
};

/* When something is in use: its latest stretches, in order, a ring. Nothing is put before `closed`.
 */
struct bx_dram_use {
    struct bx_dram_stretch stretch[BX_DRAM_STRETCHES];
    bx_dram_time closed;
    bx_dram_time shortest; /* of what is put: a shorter gap is none */
    unsigned first, n;
};

/* Commands of a channel, counted when they are decided. */
enum bx_dram_purpose { BX_DRAM_FOR_READ, BX_DRAM_FOR_WRITE, BX_DRAM_PURPOSES };

struct bx_dram_commands {
    uint64_t lines[BX_DRAM_PURPOSES][BX_DRAM_BANKS]; /* column commands, by bank of all ranks */
    uint64_t activates[BX_DRAM_PURPOSES];
    uint64_t precharges[BX_DRAM_PURPOSES]; /* of a row in the way of another; not by refreshes */
};

struct bx_dram_channel {
    struct bx_dram_commands commands;
    struct bx_dram_use bus, openings[BX_DRAM_RANKS]; /* openings: of rows */
    unsigned writes;                                 /* that wait */
    uint64_t waiting[BX_DRAM_BATCH];
    /* When the last batch has been written, and the one before it: then there is room for another
     * batch. */
    bx_dram_time written, room;
    struct bx_dram_bank bank[BX_DRAM_BANKS];
};

/* Counts of what accesses have met. */
struct bx_dram_counts {
    uint64_t hit, empty, miss;
};

/* The meaning of the bits of a line's number. */
struct bx_dram_map {
    unsigned channel, row, bank, rank; /* numbers of bits, from the lowest on; then comes the row */
};

struct bx_dram_place {
    unsigned rank, bank; /* bank: of all in the channel */
    uint64_t row;
};

struct bx_dram {
    struct bx_dram_map map;
    bx_dram_time cl, rcd, rp, ras, rtp, wr, wtr, burst, rfc, refi, transit;
    bx_dram_time opening; /* a quarter of tFAW */
    /* The time that the last read waited from its arrival at the channel to its command. */
    bx_dram_time waits, commanded;
    uint64_t clock_hz, uncore_hz; /* of the memory, of the times */
    struct bx_dram_counts counts;
    struct bx_dram_channel channel[BX_DRAM_CHANNELS];
};

/* Clocks of the memory, and ns, in an uncore of so many hz; whole cycles. Rounded up. */
bx_dram_time bx_dram_clocks(const bx_model_dram *shape, uint64_t hz, uint64_t clocks);
bx_dram_time bx_dram_ns(uint64_t hz, uint64_t ns);
uint64_t bx_dram_cycles(bx_dram_time t);

/* Clocks of the memory that begin before a time, the first one at 0. */
uint64_t bx_dram_clocks_before(const struct bx_dram *d, bx_dram_time t);

/* in_lockstep: the channels have the parts of each line. */
struct bx_dram_map bx_dram_map_of(const bx_model_dram *shape, bool in_lockstep);
struct bx_dram_place bx_dram_place_of(const struct bx_dram_map *map, uint64_t line);

/* hz: of the uncore. false: the plain rule is to be used, as there is no such memory. */
bool bx_dram_power_on(struct bx_dram *d, const bx_model_dram *shape, uint64_t hz);

/* The controller's line of this number is requested at t. Returns the cycle in which the whole line
 * has come. Requests of a channel are served in the order of the calls, but for reads of an open
 * row and gaps on the bus. */
uint64_t bx_dram_read(struct bx_dram *d, uint64_t line, uint64_t t);

/* The line is written. Returns the cycle in which the controller has taken it. */
uint64_t bx_dram_write(struct bx_dram *d, uint64_t line, uint64_t t);

#endif

/* DRAM behind a memory controller: channels, ranks, banks with one open row each, refresh. Rules:
 * docs/explanation/model-dram.md, "DRAM". */
#ifndef BX_MODEL_PART_DRAM_H
#define BX_MODEL_PART_DRAM_H

#include "model/engine/shape.h"
#include "model/part/use.h"

enum {
    BX_DRAM_CHANNELS = 4,
    BX_DRAM_BANKS = 64, /* of a channel, in all ranks */
    BX_DRAM_RANKS = 4,  /* of a channel */
    BX_DRAM_GROUPS = 4, /* of the banks of a rank */
    BX_DRAM_BATCH = 16, /* writes that a channel makes together */
};

/* Times are finer than uncore cycles, so that rounding never shortens a burst. */
typedef bx_fine_time bx_dram_time;
enum { BX_DRAM_TIME_BITS = BX_FINE_TIME_BITS };

#define BX_DRAM_NO_ROW UINT64_MAX

/* A bank, with the earliest times of its next commands. */
struct bx_dram_bank {
    uint64_t row; /* the row that is open or being opened; or BX_DRAM_NO_ROW */
    bx_dram_time command, precharge;
    /* The previous row. Reads of it are possible until it is closed. */
    uint64_t closing_row;
    bx_dram_time closing_command, closes;
    bx_dram_time next_refresh;
};

/* Commands of a channel. They are counted when the model decides on them. */
enum bx_dram_purpose { BX_DRAM_FOR_READ, BX_DRAM_FOR_WRITE, BX_DRAM_PURPOSES };

struct bx_dram_commands {
    uint64_t lines[BX_DRAM_PURPOSES][BX_DRAM_BANKS]; /* column commands, by bank */
    uint64_t activates[BX_DRAM_PURPOSES];
    uint64_t precharges[BX_DRAM_PURPOSES]; /* not those of refreshes */
};

struct bx_dram_channel {
    struct bx_dram_commands commands;
    struct bx_use bus, openings[BX_DRAM_RANKS]; /* openings: of rows, by rank */
    struct bx_dram_group {
        struct bx_use bus, openings; /* for one of its banks at a time */
    } group[BX_DRAM_RANKS * BX_DRAM_GROUPS];
    unsigned writes; /* waiting writes */
    uint64_t waiting[BX_DRAM_BATCH];
    /* written: when the last batch is written. room: when the batch before it is written, which
     * makes room for another batch. */
    bx_dram_time written, room;
    struct bx_dram_bank bank[BX_DRAM_BANKS];
};

/* How reads have found their bank: with their row open, with no row open, with another row open. */
struct bx_dram_counts {
    uint64_t hit, empty, miss;
};

/* The meaning of the bits of a line's number: how many bits each part has, from the lowest part on.
 * `row` is the position within a row; the remaining bits are the row's number. */
struct bx_dram_map {
    unsigned channel, row, bank, rank;
    bool bank_hash; /* bx_model_dram.bank_hash */
    uint64_t hash;  /* bx_model_dram.channel_hash. Its lowest bit is then left out of the line */
};

struct bx_dram_place {
    unsigned rank, bank; /* bank: within the channel */
    uint64_t row;
};

struct bx_dram {
    struct bx_dram_map map;
    bx_dram_time cl, rcd, rp, ras, rtp, wr, wtr, burst, rfc, refi, transit;
    bx_dram_time opening; /* for which it has its rank */
    /* For which a read, and an opening, have their group. 0: there are no groups. */
    bx_dram_time group_read, group_opening;
    unsigned groups; /* of a rank; 1: none */
    /* How the last read waited: its arrival at the channel, and the time of its command. */
    bx_dram_time waits, commanded;
    uint64_t clock_hz, uncore_hz; /* of the memory; of the times */
    struct bx_dram_counts counts;
    struct bx_dram_channel channel[BX_DRAM_CHANNELS];
};

/* The duration of memory clocks, and of ns, for an uncore of hz. bx_dram_cycles: whole uncore
 * cycles. All are rounded up. */
bx_dram_time bx_dram_clocks(const bx_model_dram *shape, uint64_t hz, uint64_t clocks);
bx_dram_time bx_dram_ns(uint64_t hz, uint64_t ns);
uint64_t bx_dram_cycles(bx_dram_time t);

/* Memory clocks that begin before t. The first one begins at 0. */
uint64_t bx_dram_clocks_before(const struct bx_dram *d, bx_dram_time t);

/* in_lockstep: each line is spread over all channels. */
struct bx_dram_map bx_dram_map_of(const bx_model_dram *shape, bool in_lockstep);
struct bx_dram_place bx_dram_place_of(const struct bx_dram_map *map, uint64_t line);

/* hz: of the uncore. Returns false if the shape has no DRAM and the plain rule applies. */
bool bx_dram_power_on(struct bx_dram *d, const bx_model_dram *shape, uint64_t hz);

/* A line is requested at t; the number counts the controller's lines. Returns the cycle in which
 * the whole line has arrived. A channel serves requests in the order of the calls, except reads of
 * an open row, and reads that fit into a gap on the bus. */
uint64_t bx_dram_read(struct bx_dram *d, uint64_t line, uint64_t t);

/* A line is written at t. Returns the cycle in which the controller has taken it. */
uint64_t bx_dram_write(struct bx_dram *d, uint64_t line, uint64_t t);

#endif

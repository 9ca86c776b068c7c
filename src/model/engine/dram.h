/* DRAM behind a memory controller: channels, ranks, banks with an open row each, refresh. Rules:
 * docs/model.md, "DRAM". */
#ifndef BX_MODEL_ENGINE_DRAM_H
#define BX_MODEL_ENGINE_DRAM_H

#include "model/engine/shape.h"

enum {
    BX_DRAM_CHANNELS = 4,
    BX_DRAM_BANKS = 64,     /* of a channel, in all ranks */
    BX_DRAM_RANKS = 4,      /* of a channel */
    BX_DRAM_BATCH = 16,     /* writes that a channel makes at once */
    BX_DRAM_STRETCHES = 32, /* of use of a channel's bus that are known */
};

/* Times are in 1/256 of an uncore cycle, so that no burst takes less than its time. */
typedef uint64_t bx_dram_time;
enum { BX_DRAM_TIME_BITS = 8 };

#define BX_DRAM_NO_ROW UINT64_MAX

/* A bank. Commands that it takes are not before these times. */
struct bx_dram_bank {
    uint64_t row; /* that is open, or will be; or BX_DRAM_NO_ROW */
    bx_dram_time command, precharge;
    /* The row before: reads of it can still come in before it is closed. */
    uint64_t closing_row;
    bx_dram_time closing_command, closes;
    uint64_t refreshes; /* of its rank that it has seen */
};

/* When the data bus is in use: its latest stretches, in order. Before the first nothing is put. */
struct bx_dram_bus {
    bx_dram_time begin[BX_DRAM_STRETCHES], end[BX_DRAM_STRETCHES], closed;
    unsigned n;
};

struct bx_dram_channel {
    struct bx_dram_bus bus;
    unsigned writes; /* that wait */
    uint64_t waiting[BX_DRAM_BATCH];
    struct bx_dram_bank bank[BX_DRAM_BANKS];
};

/* What accesses met. */
struct bx_dram_counts {
    uint64_t hit, empty, miss;
};

struct bx_dram {
    unsigned ranks, banks; /* banks of a rank */
    unsigned row_lines;
    bx_dram_time cl, rcd, rp, ras, rtp, wr, wtr, burst, rfc, refi, transit;
    struct bx_dram_counts counts;
    struct bx_dram_channel channel[BX_DRAM_CHANNELS];
};

/* hz: of the uncore. false: the plain rule is to be used, as there is no such memory. */
bool bx_dram_power_on(struct bx_dram *d, const bx_model_dram *shape, uint64_t hz);

/* The line of this number within its channel is asked for at t. Returns the cycle in which all of
 * it has come. Requests of a channel are served in the order of the calls, but for reads of an open
 * row and gaps on the bus. */
uint64_t bx_dram_read(struct bx_dram *d, unsigned channel, uint64_t line, uint64_t t);

/* It is written; returns the cycle in which the controller has taken it. */
uint64_t bx_dram_write(struct bx_dram *d, unsigned channel, uint64_t line, uint64_t t);

#endif

/* The state of the P6 machine, and the functions that its files share: machine.c (turns), cpu.c
 * (when the processor executes and when it waits), memory.c (its caches), bus.c (the front-side
 * bus), agent.c (I/O), pending.c (changes to come), signals.c. Rules: docs/explanation/model-p6.md.
 */
#ifndef BX_MODEL_P6_MACHINE_H
#define BX_MODEL_P6_MACHINE_H

#include "model/engine/kind.h"
#include "model/p6/cache.h"
#include "model/p6/cells.h"

/* Set index bits, and times in cycles. */
enum {
    BX_P6_L1_BITS = 6,   /* 16 KiB */
    BX_P6_L2_BITS = 11,  /* 512 KiB */
    BX_P6_ITLB_BITS = 3, /* 32 entries */
    BX_P6_L2_LOOKUP = 6,
    BX_P6_L2_TRANSFER = 16,
    BX_P6_WALK = 20,
    BX_P6_BUS_RATIO = 7, /* cycles of a bus clock */
    BX_P6_FILL_BUFFERS = 4,
    BX_P6_STORES = 12,
    BX_P6_SCHEDULE_SIZE = 1024,
};

/* ---- changes to come ---- */

/* A cell's pulse, or the change of its level, at a time to come. */
struct bx_p6_change {
    uint64_t time;
    uint16_t cell;
    int16_t by;
};

struct bx_p6_schedule {
    unsigned n;
    struct bx_p6_change heap[BX_P6_SCHEDULE_SIZE]; /* the earliest first */
    unsigned transfers[2]; /* transfers in progress between processor and L2: all, from L2 */
};

/* ---- the parts ---- */

struct bx_p6_store {
    uint64_t line, done;
    bool missed; /* its line was not there */
};

enum bx_p6_phase {
    BX_P6_HALTED,  /* nothing to do */
    BX_P6_READY,   /* has work that it has not begun */
    BX_P6_RUNNING, /* executes up to its next access */
    BX_P6_STALLED,
};

/* What the registers that x87 and MMX share were last used for. */
enum bx_p6_registers { BX_P6_HOLD_NONE, BX_P6_HOLD_X87, BX_P6_HOLD_MMX };

struct bx_p6_cpu {
    bx_feed *feed;
    enum bx_p6_phase phase;
    bool ended; /* the feed has, or it waits: */
    bool parked;
    bool pending;    /* `access` is not done yet */
    bool unblocked;  /* it has waited for a store */
    unsigned reason; /* of a stall: the cell that counts it */
    bx_access access;
    uint64_t due;       /* of its next step */
    uint64_t remaining; /* when paused: cycles that it still has to execute */
    uint64_t end;       /* of all that it has caused */
    uint64_t fill[BX_P6_FILL_BUFFERS];
    unsigned next_fill;
    struct bx_p6_store store[BX_P6_STORES];
    unsigned next_store;
    uint64_t stores_done; /* of the last one */
    enum bx_p6_registers registers;
};

struct bx_p6_io {
    bx_feed *feed;
    bool waiting; /* for the time `due` of its next access */
    bool parked;  /* the feed waits */
    uint64_t due, end;
};

struct bx_p6_bus {
    uint64_t request; /* in bus clocks: when the next request can be made */
    uint64_t data;    /* and the next data be driven */
};

/* The cells as signals. */
struct bx_p6_source {
    struct bx_signal_source base;
    const struct bx_p6_cells *cells;
};

struct bx_p6 {
    struct bx_model model;
    struct bx_p6_source source;
    struct bx_p6_cpu cpu;
    struct bx_p6_io io;
    struct bx_p6_bus bus;
    struct bx_p6_cells cells;
    struct bx_p6_schedule schedule;
    struct bx_p6_set l1d[1 << BX_P6_L1_BITS], l1i[1 << BX_P6_L1_BITS];
    struct bx_p6_set itlb[1 << BX_P6_ITLB_BITS];
    struct bx_p6_set l2[1 << BX_P6_L2_BITS];
};

/* The machine that a model is the first member of. */
static inline struct bx_p6 *bx_p6_of(bx_model *model)
{
    return (struct bx_p6 *)(void *)model;
}

static inline const struct bx_p6 *bx_p6_of_const(const bx_model *model)
{
    return (const struct bx_p6 *)(const void *)model;
}

static inline uint64_t bx_p6_max_time(uint64_t a, uint64_t b)
{
    return a > b ? a : b;
}

/* ---- time (pending.c) ---- */

/* A change at t, which is not before the machine's time. */
void bx_p6_schedule_change(struct bx_p6 *m, unsigned cell, uint64_t t, int by);
/* A span of begin … end - 1. */
void bx_p6_schedule_span(struct bx_p6 *m, unsigned cell, uint64_t begin, uint64_t end);
/* The bus between processor and L2 carries a line from t on; from_l2: to the processor. Returns
 * when it is done. */
uint64_t bx_p6_l2_transfer(struct bx_p6 *m, bool from_l2, uint64_t t);

/* Applies the changes before t. */
void bx_p6_apply_changes(struct bx_p6 *m, uint64_t t);
/* Advances to t, where something is about to be counted. */
void bx_p6_advance_to_event(struct bx_p6 *m, uint64_t t);
/* Advances to t, before anything in its cycle. */
void bx_p6_advance(struct bx_p6 *m, uint64_t t);

/* ---- the front-side bus (bus.c); all take the time in cycles from which the agent is ready ----
 */

/* Reads a line from memory; kind: the cell that counts the transaction. Returns when the line is
 * there.
 */
uint64_t bx_p6_bus_read(struct bx_p6 *m, unsigned kind, uint64_t t);
uint64_t bx_p6_bus_invalidate(struct bx_p6 *m, uint64_t t);
void bx_p6_bus_write_back(struct bx_p6 *m, uint64_t t);

/* How the processor answers a snoop. */
struct bx_p6_snoop_response {
    bool hit, hitm;
    bool late; /* its DCU had to be read, which had the line in M */
};
uint64_t bx_p6_bus_io_read(struct bx_p6 *m, struct bx_p6_snoop_response answer, uint64_t t);
uint64_t bx_p6_bus_io_write(struct bx_p6 *m, struct bx_p6_snoop_response answer, bool partial,
                            uint64_t t);

/* ---- caches (memory.c) ---- */

/* Whether a load or store has to leave the DCU. */
bool bx_p6_misses(struct bx_p6 *m, unsigned kind, uint64_t line);
/* Execute an access at t, and return its completion. */
uint64_t bx_p6_load(struct bx_p6 *m, uint64_t line, uint64_t t);
uint64_t bx_p6_store(struct bx_p6 *m, uint64_t line, uint64_t t);
uint64_t bx_p6_fetch(struct bx_p6 *m, uint64_t line, uint64_t t);
/* Snoops by the I/O agent: one that reads, and one that writes. */
struct bx_p6_snoop_response bx_p6_snoop_share(struct bx_p6 *m, uint64_t line);
struct bx_p6_snoop_response bx_p6_snoop_invalidate(struct bx_p6 *m, uint64_t line);

/* ---- agents (cpu.c, agent.c) ---- */

void bx_p6_cpu_feed(struct bx_p6 *m, bx_feed *feed);
void bx_p6_cpu_step(struct bx_p6 *m); /* at its `due` */
/* Pauses it up to that time. It then continues where it was. */
void bx_p6_cpu_wake(struct bx_p6 *m);
void bx_p6_cpu_pause(struct bx_p6 *m, uint64_t until);
void bx_p6_io_feed(struct bx_p6 *m, bx_feed *feed);
void bx_p6_io_step(struct bx_p6 *m);
void bx_p6_io_wake(struct bx_p6 *m);
void bx_p6_io_pause(struct bx_p6 *m, uint64_t until);

/* ---- signals (signals.c) ---- */

/* false: not modelled. */
bool bx_p6_signal_of(const bx_model *m, const bx_selection *sel, struct bx_signal *signal);
void bx_p6_source_power_on(struct bx_p6_source *source, const struct bx_p6_cells *cells);

#endif

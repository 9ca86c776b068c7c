/* The state of the P6 machine, and the functions that its files share: machine.c (turns), cpu.c
 * (when the processor executes and when it waits), memory.c (its caches), bus.c (the front-side
 * bus), agent.c (I/O), pending.c (future changes), signals.c. Rules:
 * docs/explanation/model-p6.md. */
#ifndef BX_MODEL_MACHINE_P6_MACHINE_H
#define BX_MODEL_MACHINE_P6_MACHINE_H

#include "model/engine/kind.h"
#include "model/part/private_caches.h"
#include "model/machine/p6/cells.h"
#include "model/part/later.h"

enum {
    BX_P6_FILL_BUFFERS_MOST = BX_FILL_BUFFERS_MOST,
    BX_P6_STORES_MOST = 127,
    BX_P6_SCHEDULE_SIZE = 4096,
    BX_P6_BUS_BYTES = 8, /* that the front-side bus carries in a bus clock */
};

/* ---- future changes ---- */

/* A future pulse of a cell, or a future change of its level. */
struct bx_p6_change {
    uint64_t time;
    uint16_t cell;
    int16_t by;
    uint32_t cause; /* bx_attribution_cause(), if somebody asks */
};

struct bx_p6_schedule {
    unsigned n;
    struct bx_p6_change heap[BX_P6_SCHEDULE_SIZE]; /* a heap, the earliest change first */
    unsigned transfers[2]; /* transfers in progress between processor and L2: all; only from L2 */
};

/* ---- the parts ---- */

struct bx_p6_store {
    uint64_t line, done;
    bool missed; /* its line was absent */
};

enum bx_p6_phase {
    BX_P6_HALTED,  /* no work */
    BX_P6_READY,   /* has work that it has not begun */
    BX_P6_RUNNING, /* executes instructions before its next access */
    BX_P6_STALLED,
};

/* The last use of the registers that x87 and MMX share. */
enum bx_p6_registers { BX_P6_HOLD_NONE, BX_P6_HOLD_X87, BX_P6_HOLD_MMX };

struct bx_p6_cpu {
    bx_feed *feed;
    enum bx_p6_phase phase;
    bool ended; /* the feed has ended, or it waits (`parked`) */
    bool parked;
    bool pending;    /* `access` is not done yet */
    bool unblocked;  /* the access has already waited for a store, or for its locked cycles */
    unsigned reason; /* the cell that counts the present stall */
    bx_access access;
    uint64_t due;       /* time of the next step */
    uint64_t remaining; /* of a paused processor: cycles that it still has to execute */
    uint64_t end;       /* when everything that it has caused is done */
    uint64_t fill[BX_P6_FILL_BUFFERS_MOST];
    uint64_t loaded[BX_P6_FILL_BUFFERS_MOST]; /* the lines that loads have fill buffers for */
    unsigned next_fill;
    struct bx_p6_store store[BX_P6_STORES_MOST];
    unsigned next_store;
    uint64_t stored;      /* when the last store was executed */
    uint64_t stores_done; /* when the last store is done */
    uint64_t missed_done; /* the same of those whose line was absent */
    enum bx_p6_registers registers;
    uint64_t divider;   /* when it is free */
    uint64_t interrupt; /* when the next interrupt comes */
    bool handles;       /* a kernel handles one */
};

struct bx_p6_io {
    bx_feed *feed;
    bool waiting; /* its next access waits for the time `due` */
    bool parked;  /* the feed waits */
    uint64_t due, end;
};

struct bx_p6_bus {
    uint64_t request;     /* the bus clock at which the next request can be made */
    uint64_t data;        /* the bus clock at which the next data can be driven */
    unsigned line_clocks; /* of the data of a line */
};

struct bx_p6 {
    struct bx_model model;
    bx_model_times times;
    bool predicts; /* somebody predicts branches */
    struct bx_p6_cpu cpu;
    struct bx_p6_io io;
    struct bx_p6_bus bus;
    struct bx_p6_cells cells;
    struct bx_p6_schedule schedule;
    struct bx_replacement itlb_policy;
    struct bx_core_counts core; /* for the private caches */
    struct bx_privates *privates;
    struct bx_cache itlb; /* its lines are pages */
    uint64_t itlb_last;   /* the page used last, if another hit of it changes nothing */
};
#define BX_P6_NO_PAGE UINT64_MAX

/* The P6 machine whose first member is this model. */
static inline struct bx_p6 *bx_p6_of(bx_model *model)
{
    return (struct bx_p6 *)(void *)model;
}

/* ---- time (pending.c) ---- */

/* Schedules a change at t. t is not before the machine's time. */
void bx_p6_schedule_change(struct bx_p6 *m, unsigned cell, uint64_t t, int by);
/* Schedules a level in the cycles begin … end - 1. */
void bx_p6_schedule_span(struct bx_p6 *m, unsigned cell, uint64_t begin, uint64_t end);
/* The bus between processor and L2 carries a line from t on. from_l2: to the processor. Returns the
 * time when it is done. */
uint64_t bx_p6_l2_transfer(struct bx_p6 *m, bool from_l2, uint64_t t);

/* Whether the processor is not halted. */
static inline bool bx_p6_at_work(const struct bx_p6 *m)
{
    return m->cpu.phase == BX_P6_RUNNING || m->cpu.phase == BX_P6_STALLED;
}

/* Applies all changes before t. There is at least one. */
void bx_p6_apply_changes(struct bx_p6 *m, uint64_t t);

static inline bool bx_p6_changes_before(const struct bx_p6 *m, uint64_t t)
{
    return m->schedule.n && m->schedule.heap[0].time < t;
}

/* Advances to t. The caller is about to count something at t. */
static inline void bx_p6_advance_to_event(struct bx_p6 *m, uint64_t t)
{
    if (bx_p6_changes_before(m, t))
        bx_p6_apply_changes(m, t);
    bx_time_advance_to_event(&m->model.time, t);
}

/* Advances to t. The caller counts nothing, and nothing in the cycle t is done yet. */
static inline void bx_p6_advance(struct bx_p6 *m, uint64_t t)
{
    if (bx_p6_changes_before(m, t))
        bx_p6_apply_changes(m, t);
    bx_time_advance(&m->model.time, t);
}

/* ---- the front-side bus (bus.c); t: the cycle from which the agent is ready ---- */

/* Reads a line from memory. kind: the cell that counts the transaction. Returns the time when the
 * line arrives. */
uint64_t bx_p6_bus_read(struct bx_p6 *m, unsigned kind, uint64_t t);
/* The processor asserts LOCK# from t on. Returns when it has finished. */
uint64_t bx_p6_bus_lock(struct bx_p6 *m, uint64_t t);
/* The processor reads or writes a device's register, or an I/O port. Returns when that is done. */
uint64_t bx_p6_bus_device(struct bx_p6 *m, bx_access a, uint64_t t);
uint64_t bx_p6_bus_invalidate(struct bx_p6 *m, uint64_t t);
void bx_p6_bus_write_back(struct bx_p6 *m, uint64_t t);

/* The processor's answer to a snoop. */
struct bx_p6_snoop_response {
    bool hit, hitm;
    bool late; /* the DCU has the line in M and must be read */
};
uint64_t bx_p6_bus_io_read(struct bx_p6 *m, struct bx_p6_snoop_response answer, uint64_t t);
uint64_t bx_p6_bus_io_write(struct bx_p6 *m, struct bx_p6_snoop_response answer, bool partial,
                            uint64_t t);

/* ---- caches (memory.c) ---- */

/* Stores complete in order. */
static inline uint64_t bx_p6_after_stores(const struct bx_p6 *m, uint64_t done)
{
    return bx_later(done, m->cpu.stores_done);
}

/* Execute an access at t. Return its completion. l1d: where the DCU has the line. repeats: the
 * filter of the caches has the line, so the fetch hits L1I and changes nothing there. */
uint64_t bx_p6_load(struct bx_p6 *m, struct bx_cache_way l1d, uint64_t line, uint64_t t);
uint64_t bx_p6_store(struct bx_p6 *m, struct bx_cache_way l1d, uint64_t line, uint64_t t);
uint64_t bx_p6_fetch(struct bx_p6 *m, uint64_t line, bool repeats, uint64_t t);
/* Executes a prefetch: docs/explanation/model-p6.md, "Prefetchers". */
void bx_p6_prefetch(struct bx_p6 *m, bx_access a, uint64_t t);
/* A snoop for a read or, with `invalidate`, for a write of the I/O agent. */
struct bx_p6_snoop_response bx_p6_snoop(struct bx_p6 *m, uint64_t line, bool invalidate);

/* ---- agents (cpu.c, agent.c) ---- */

void bx_p6_cpu_feed(struct bx_p6 *m, bx_feed *feed);
void bx_p6_cpu_step(struct bx_p6 *m); /* call it at the time `due` */
/* bx_p6_cpu_wake: the feed of a parked processor is asked again. bx_p6_cpu_pause: pauses the
 * processor until that time; it then continues where it was. */
void bx_p6_cpu_wake(struct bx_p6 *m);
void bx_p6_cpu_pause(struct bx_p6 *m, uint64_t until);
void bx_p6_io_feed(struct bx_p6 *m, bx_feed *feed);
void bx_p6_io_step(struct bx_p6 *m);
void bx_p6_io_wake(struct bx_p6 *m);
void bx_p6_io_pause(struct bx_p6 *m, uint64_t until);

/* ---- signals (signals.c) ---- */

/* Boxes as in bx_selection.box. The order is that of the catalogue's `boxes`. */
enum bx_p6_box { BX_P6_CORE, BX_P6_STALLS, BX_P6_BOXES };
extern const struct bx_box_signals *const bx_p6_signals[BX_P6_BOXES];

/* See bx_model_kind.find_unit. */
bool bx_p6_find_unit(bx_model *m, const bx_selection *sel, struct bx_unit *unit);

extern const struct bx_model_kind bx_p6_model;

#endif

/* The cycles of cores, by who spends them: what a core has executed since what it has executed was
 * last final, and the rows of all cores. docs/explanation/attribution.md */
#ifndef BX_MODEL_ENGINE_LEDGER_H
#define BX_MODEL_ENGINE_LEDGER_H

#include "attribute/costs.h"
#include "attribute/last_stores.h"
#include "attribute/who.h"
#include "model/engine/access.h"
#include "model/engine/core_time.h"
#include "model/engine/cycle_stack.h"
#include "model/engine/resolved_signal.h"
#include "model/engine/shape.h"

/* One selection of an event: that of a unit. */
typedef struct bx_attributed {
    struct bx_signal signal;
    uint16_t event;
    uint32_t reading;      /* of the caller's; several are of one event: one for each unit */
    bool plain;            /* its tallies are words that can be added up where they are */
    const uint64_t *count; /* of a core: its counts, which are read where they are */
    uint64_t last;         /* the sum that is in the rows, in `own`, or in a write-back */
    uint64_t own;          /* what the present access has caused beside write-backs */
} bx_attributed;

/* What the write-back of a line has changed. */
typedef struct bx_written_back {
    bx_last_store store; /* the last one to the line; address 0: not known */
    uint64_t count;
    size_t of; /* index */
} bx_written_back;

/* What changes later than in its access: who has caused it. */
typedef struct bx_later_cause {
    uint32_t number, thread;
    bx_who who;
    bool writes; /* it is a write-back's: */
    bx_last_store victim;
} bx_later_cause;

enum { BX_LATER_CAUSES = 1 << 13 };

/* Loads and stores of an object. */
typedef struct bx_object_use {
    uint64_t loads, stores;
} bx_object_use;

struct bx_attribution {
    /* By code, thread, core and span. Of waits, `by_prefetch` is the part that is chained:
     * is_chained() in ledger.c. */
    bx_costs costs;
    bx_costs lines;    /* by address, code, thread and core */
    bx_attributed *of; /* [n], in the order of the events */
    size_t n;
    uint64_t *by_core; /* [n][cores]: counts that accesses of the core have caused */
    unsigned events;
    uint16_t span;  /* the present one */
    uint16_t cores; /* of the machine */
    bx_ratio core_clock;
    bx_object_use *use; /* [uses], by object: what instructions have done with it */
    size_t uses;
    struct bx_ledger *ledger; /* [cores] */
    /* The core that had the line for which the present access asks; code 0: none. */
    bx_last_store owner;
    uint64_t asked; /* that line */
    /* Of lines that caches behind the cores have modified. */
    bx_last_stores modified;
    bx_last_store victim;     /* of the line that is being written back */
    bx_written_back *written; /* [written_n]: of the present access */
    size_t written_n, written_room;
    unsigned line_bytes;
    /* Of a machine without turns: its access, and the time up to which cycles are in the rows. */
    struct bx_ledger *own;
    uint64_t since;
    bool writes, device_acts; /* a write-back is noted; a device's access is served */
    bool has_cause;           /* what is served has a number: the last one */
    uint32_t causes;          /* numbers that were given */
    bx_later_cause *cause;    /* [BX_LATER_CAUSES], by the low bits of their numbers */
};

/* A core has waited. */
typedef struct bx_ledger_wait {
    bx_who who;
    uint32_t cycles;
    uint16_t cause; /* enum bx_cause */
    bool awaited;   /* by a load whose value is an address */
} bx_ledger_wait;

enum { BX_LEDGER_SPENT = 1 << 12, BX_LEDGER_SPENT_BITS = 12, BX_LEDGER_LOADS = 1 << 8 };

/* What a core has executed since what it has executed was last final. */
struct bx_ledger {
    struct bx_attribution *of;
    uint16_t core;
    const bx_access *from; /* accesses before are in the rows */
    bx_ledger_wait *wait;  /* [n]: since then; dropped if the core goes back */
    size_t n, room;
    bx_who late[BX_FILL_BUFFERS_MOST]; /* beside bx_turns_agent.late */
    bx_who last;                       /* the last access that is in the rows */
    uint32_t thread;
    uint64_t parts; /* of a tick of the core's clock, that are in no row yet */
    /* Uncore cycles that are not in the rows yet. */
    struct bx_ledger_spent {
        uint64_t by; /* code, and the context above it */
        uint64_t cycles, chained;
        uint32_t object;
        enum bx_cause cause;
    } spent[BX_LEDGER_SPENT]; /* by a hash of the others: waits, … */
    struct bx_ledger_issued {
        uint64_t by, sixteenths; /* of a cycle, as accesses have their cost in bits 15:4 */
    } issued[BX_LEDGER_SPENT];   /* … and issue */
    bool has_spent;              /* any of them */
    struct bx_ledger_load {
        uint64_t address, step;
        uint32_t code;
    } load[BX_LEDGER_LOADS]; /* the last awaited load of some codes */
    uint64_t ended, until;   /* it has no work since `ended`, but waits until then */
    bx_last_stores stores;   /* those that are final */
};

/* Everything before `next` is final. */
void bx_ledger_settle(struct bx_ledger *l, const bx_feed *feed, const bx_access *next);
/* The core waited `cycles` because of the access at `at`. */
void bx_ledger_wait_for(struct bx_ledger *l, const bx_feed *feed, const bx_access *at,
                        enum bx_cause cause, uint64_t cycles);
/* The core waited for the late load in that place of the ring. */
void bx_ledger_wait_for_late(struct bx_ledger *l, unsigned place, enum bx_cause cause,
                             uint64_t cycles);
/* A load at `at` is late, in that place of the ring. */
void bx_ledger_add_late(struct bx_ledger *l, const bx_feed *feed, const bx_access *at,
                        unsigned place);
/* The core has no more work from t on. It counts as working until `until`, or until it gets more:
 * bx_ledger_drain() then says so, or that this time has passed. */
void bx_ledger_end(struct bx_ledger *l, uint64_t t, uint64_t until);
void bx_ledger_drain(struct bx_ledger *l, uint64_t t);
/* The core's last store to a line, of all that it has executed: up to the next access of its feed.
 * false: none. */
bool bx_ledger_last_store(const struct bx_ledger *l, const bx_feed *feed, uint64_t line,
                          bx_last_store *to);
/* The core gets the line anew: what it stored there before was another copy's. */
void bx_ledger_get_line(struct bx_ledger *l, const bx_feed *feed, const bx_access *at);
/* A batch begins. */
void bx_ledger_begin_batch(struct bx_ledger *l, const bx_feed *feed);
/* Cycles of the last access, which are final. */
void bx_ledger_spend(struct bx_ledger *l, enum bx_cause cause, uint64_t cycles);
/* What an access does with its object. */
void bx_ledger_use(struct bx_attribution *a, const bx_who *who, bx_access access);
/* The core executes that thread from now on. */
void bx_ledger_run(struct bx_ledger *l, uint32_t thread);
/* Moves cycles into the rows. */
void bx_ledger_keep_spent(struct bx_ledger *l);

/* The core has gone back to what is final. */
static inline void bx_ledger_go_back(struct bx_ledger *l)
{
    l->n = 0;
}

extern const bx_who bx_who_workload;

/* Who made the access. The model's own accesses, and those of workloads, have nobody. */
static inline const bx_who *bx_who_made(const bx_feed *feed, const bx_access *at)
{
    return feed->who ? &feed->who[at - feed->origin] : &bx_who_workload;
}

#endif

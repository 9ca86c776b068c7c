/* The P6 oracle's machine, shared by its parts: cache.c (one cache), processor.c (the processor's
 * accesses, L1 and L2), bus.c (the front-side bus and IO), signals.c (the log and its levels) and
 * oracle.c (the order of all). */
#ifndef BX_TESTS_ORACLE_P6_MACHINE_H
#define BX_TESTS_ORACLE_P6_MACHINE_H

#include "oracle.h"

enum {
    P6_WAYS = 4,
    P6_MOST_SETS = 4096,
    P6_MOST_FILL_BUFFERS = 32,
    P6_MOST_STORES = 127,
    P6_MOST_PREFETCHES = 32
};

/* The values are those of the state bits in unit masks. L1I and ITLB: I or E ("present"). */
enum p6_state { P6_I = 1, P6_S = 2, P6_E = 4, P6_M = 8 };

struct p6_copy {
    uint64_t line;
    enum p6_state state;
};

struct p6_cache {
    unsigned sets;
    struct p6_copy copy[P6_MOST_SETS][P6_WAYS];
    bool upper_next[P6_MOST_SETS][P6_WAYS - 1]; /* tree-PLRU: a heap of bits for each set */
};

/* The processor's transactions; the values are event codes. */
enum p6_transaction {
    P6_BRD = 0x65,
    P6_RFO = 0x66,
    P6_WB = 0x67,
    P6_IFETCH = 0x68,
    P6_INVAL = 0x69
};

struct p6_bus {
    uint64_t next;      /* first bus clock of the next transaction */
    uint64_t data_free; /* first bus clock for the next data */
};

/* An entry of the store buffer: a store until it is `done`. */
struct p6_store {
    uint64_t line, done;
    bool missed; /* the DCU */
};

struct p6_processor {
    struct p6_cache dcu, l1i, itlb, l2;
    uint64_t fill_buffer[P6_MOST_FILL_BUFFERS]; /* when it becomes free */
    uint64_t loading[P6_MOST_FILL_BUFFERS];     /* the line for which a load has taken it */
    struct p6_store store[P6_MOST_STORES];
    struct p6_prefetched {
        uint64_t line, until;
    } prefetched[P6_MOST_PREFETCHES]; /* on their way */
    unsigned next_fill_buffer, next_store;
    uint64_t stores_done; /* completion of the last store */
    uint64_t all_done;    /* end of everything that it has caused */
    /* Its work: */
    const bx_access *next, *end;
    bool working; /* an access is due, at `time`: */
    bx_access access;
    bool unblocked; /* it has waited for stores of its line */
    uint64_t begun, clock, time;
    uint64_t stored;  /* the cycle of the last store */
    uint64_t tick;    /* the next interrupt of the timer */
    uint64_t divided; /* when the last division is done */
    int shared_by;    /* last user of the registers of x87 and MMX: 'x', 'm', or 0 */
};

struct p6_io {
    const bx_access *next, *end;
    bool working;
    bx_access access;
    uint64_t time; /* of the due access, or of the last one */
    uint64_t done; /* of the access before: its data, and the answer to its snoop */
};

struct p6_item {
    unsigned code, umask; /* the event, and the bit or value of its unit mask */
    bool of_code;         /* counted at CPL 3, also in the cycle in which the work ends */
    uint64_t begin, end;  /* its level is one higher in these cycles, `end` not included */
};

struct p6_oracle {
    bx_model_times times;
    uint64_t now;
    struct p6_processor processor;
    struct p6_io io;
    struct p6_bus bus;
    struct p6_item *item;
    size_t items, room;
};

static inline uint64_t p6_later(uint64_t a, uint64_t b)
{
    return a > b ? a : b;
}

/* cache.c */
void p6_cache_empty(struct p6_cache *c);
struct p6_copy *p6_find(struct p6_cache *c, uint64_t line); /* NULL: there is no copy */
enum p6_state p6_state_of(struct p6_cache *c, uint64_t line);
void p6_touch(struct p6_cache *c, uint64_t line);
void p6_drop(struct p6_cache *c, uint64_t line);
/* Returns the victim, in P6_I if there was none. */
struct p6_copy p6_fill(struct p6_cache *c, uint64_t line, enum p6_state state);

/* processor.c */
void p6_processor_begin(struct p6_oracle *o, struct p6_trace trace);
void p6_processor_step(struct p6_oracle *o); /* waits, or executes its access */

/* bus.c. ready: a cycle. */
/* Returns the cycle in which the transaction's data is complete; for INVAL, its end. */
uint64_t p6_transact(struct p6_oracle *o, enum p6_transaction what, uint64_t ready);
/* IN or OUT, or an access of a device's registers. */
uint64_t p6_use_device(struct p6_oracle *o, bx_access access, uint64_t ready);
void p6_io_begin(struct p6_oracle *o, struct p6_trace trace);
void p6_io_step(struct p6_oracle *o);

/* signals.c */
enum { P6_SELF = 0, P6_ANY = 0x20, P6_SELF_AND_ANY = 0x100 };
void p6_count(struct p6_oracle *o, unsigned code, unsigned umask, uint64_t begin, uint64_t end);
/* Counts an event in one cycle, which an access itself causes. */
void p6_pulse_of_code(struct p6_oracle *o, unsigned code, unsigned umask, uint64_t t);

/* An instruction of that class has retired. */
void p6_instruction(struct p6_oracle *o, unsigned class, uint64_t t);
void p6_pulse(struct p6_oracle *o, unsigned code, unsigned umask, uint64_t t);

#endif

/* The state of the Ivy Bridge-EP machine, and the functions that its files share. Rules:
 * docs/explanation/model-ivbep.md. */
#ifndef BX_MODEL_MACHINE_IVBEP_MACHINE_H
#define BX_MODEL_MACHINE_IVBEP_MACHINE_H

#include "model/machine/ivbep/counts.h"
#include "model/part/dram.h"
#include "model/part/gauge.h"
#include "model/part/link.h"
#include "model/engine/turns.h"
#include "model/engine/limits.h"

enum { BX_IVBEP_CHANNELS = 4 /* of a node's memory: the most, and the default */ };

/* An entry of the TOR or of an ingress queue that lives in the cycles begin … end - 1. */
struct bx_ivbep_entry {
    uint64_t begin, end, line;
    uint8_t what;   /* enum bx_ivbep_ingress or bx_ivbep_opcode */
    uint8_t miss;   /* 1: its line comes from memory or from the other package */
    uint8_t writes; /* 1: an eviction that writes to memory */
    uint8_t node, requester;
};

/* Entries in order of their begin: all that have not ended, and perhaps some that have. */
struct bx_ivbep_entries {
    struct bx_ivbep_entry *entry;
    unsigned n, room;
};

struct bx_ivbep_slice {
    struct bx_cache llc;
    struct bx_ivbep_counts counts;
    uint64_t changes; /* grows when `counts` changes, except its ring counts */
    struct bx_ivbep_entries tor, ingress;
    unsigned package;
};

/* Returns the counts of a slice for a change. Ring counts are changed without this function: most
 * accesses change some in nearly every slice, and there are few of them to add up. */
static inline struct bx_ivbep_counts *bx_ivbep_counts_to_change(struct bx_ivbep_slice *s)
{
    s->changes++;
    return &s->counts;
}

/* A channel of a node's memory. The DRAM behind it has its own counts. */
struct bx_ivbep_channel {
    uint64_t free_at; /* without DRAM: when the channel is free */
    uint64_t reads, writes;
    uint64_t changes; /* grows when its counts, or those of its DRAM, change */
    /* With DRAM: reads that wait for their command, in clocks of the memory; in cycles. */
    struct bx_gauge waiting[2];
};

struct bx_ivbep {
    struct bx_model model;
    unsigned packages, cores;
    struct bx_turns turns; /* cores, package by package, then IO */
    uint64_t last_line[BX_IVBEP_PACKAGES * BX_IVBEP_CORES][BX_FETCH + 1]; /* requested, by kind */
    struct bx_ivbep_slice slice[BX_IVBEP_PACKAGES][BX_IVBEP_CORES];
    unsigned channels; /* per node */
    struct bx_ivbep_channel channel[BX_IVBEP_NODES][BX_IVBEP_CHANNELS];
    struct bx_link link;
    bx_model_times times;
    bool has_dram;
    struct bx_dram dram[BX_IVBEP_NODES];
};

/* The Ivy Bridge-EP machine whose first member is this model. */
static inline struct bx_ivbep *bx_ivbep_of(bx_model *model)
{
    return (struct bx_ivbep *)(void *)model;
}

/* ---- where a line belongs: address_map.c ---- */

unsigned bx_ivbep_node(const struct bx_ivbep *m, uint64_t line);
/* The number of the line within its node. A node's lines are numbered without gaps. */
uint64_t bx_ivbep_line_at_node(const struct bx_ivbep *m, uint64_t line);
unsigned bx_ivbep_slice_number(const struct bx_ivbep *m, uint64_t line);
struct bx_ivbep_slice *bx_ivbep_slice(struct bx_ivbep *m, unsigned package, uint64_t line);

/* The stop that home agent, socket link and PCIe share. It comes after those of the cores. */
static inline unsigned bx_ivbep_agent_stop(const struct bx_ivbep *m)
{
    return m->cores;
}

/* The number of stops from one stop to another, by the shorter way. */
unsigned bx_ivbep_hops(const struct bx_ivbep *m, unsigned from, unsigned to);

/* Counts a message on a ring: at the sender's egress, and at each stop that it passes or reaches.
 * core: the core at stop `from` sends, not the slice. */
void bx_ivbep_send(struct bx_ivbep *m, unsigned package, enum bx_ivbep_ring ring, uint64_t line,
                   unsigned from, unsigned to, bool core);

/* The same for messages from a slice to home agent and socket link, or from there to the slice. */
static inline void bx_ivbep_send_out(struct bx_ivbep *m, unsigned package, enum bx_ivbep_ring ring,
                                     uint64_t line)
{
    bx_ivbep_send(m, package, ring, line, bx_ivbep_slice_number(m, line), bx_ivbep_agent_stop(m),
                  false);
}

static inline void bx_ivbep_send_in(struct bx_ivbep *m, unsigned package, enum bx_ivbep_ring ring,
                                    uint64_t line)
{
    bx_ivbep_send(m, package, ring, line, bx_ivbep_agent_stop(m), bx_ivbep_slice_number(m, line),
                  false);
}

/* ---- the TOR and its queues: tor.c ---- */

static inline struct bx_ivbep_entry bx_ivbep_entry_of(const struct bx_ivbep *m, uint64_t line,
                                                      unsigned what, unsigned requester)
{
    return (struct bx_ivbep_entry){.line = line,
                                   .what = (uint8_t)what,
                                   .node = (uint8_t)bx_ivbep_node(m, line),
                                   .requester = (uint8_t)requester};
}

/* A request for entry->line arrives at t, by IRQ or IPQ; with vfifo also by VFIFO. Returns the time
 * when it enters the TOR, and sets entry->begin to it. */
uint64_t bx_ivbep_admit(struct bx_ivbep *m, struct bx_ivbep_slice *s, struct bx_ivbep_entry *entry,
                        enum bx_ivbep_ingress queue, bool vfifo, uint64_t t);

/* An eviction begins at t or later: one that writes to memory waits for a write credit. Sets
 * entry->begin. */
void bx_ivbep_admit_eviction(const struct bx_ivbep *m, struct bx_ivbep_slice *s,
                             struct bx_ivbep_entry *entry, uint64_t t);

/* Counts an entry of the TOR that lives from entry->begin to `end`. */
void bx_ivbep_tor_enter(struct bx_ivbep *m, struct bx_ivbep_slice *s, struct bx_ivbep_entry *entry,
                        uint64_t end);

/* ---- cores: core.c ---- */

/* Where a core is. `core` numbers the cores of all packages, `number` those of one. */
struct bx_ivbep_of_core {
    struct bx_ivbep *m;
    unsigned package, number;
};

static inline struct bx_ivbep_of_core bx_ivbep_of_core(bx_model *model, unsigned core)
{
    struct bx_ivbep *m = bx_ivbep_of(model);

    return (struct bx_ivbep_of_core){m, core / m->cores, core % m->cores};
}

static inline struct bx_privates *bx_ivbep_privates(struct bx_ivbep *m, unsigned package,
                                                    unsigned number)
{
    return m->turns.agent[package * m->cores + number].privates;
}

/* Functions of struct bx_uncore. */
uint64_t bx_ivbep_request_line(bx_model *model, unsigned core, bx_access a, uint64_t t,
                               struct bx_grant *grant);
uint64_t bx_ivbep_prefetch_llc(bx_model *model, unsigned core, bx_access a, uint64_t t,
                               enum bx_core_count *from);
void bx_ivbep_prefetch_next(bx_model *model, unsigned core, bx_access a, uint64_t t);

/* ---- memory: memory.c ---- */

/* The time when the line's node has read it for the package, or written it from there. */
uint64_t bx_ivbep_memory(struct bx_ivbep *m, unsigned package, uint64_t line, bool write,
                         uint64_t t);

/* Cycles, or clocks of the memory, that begin before t. */
static inline uint64_t bx_ivbep_before(const struct bx_dram *dram, bool in_cycles, bx_dram_time t)
{
    return in_cycles ? bx_dram_cycles(t) : bx_dram_clocks_before(dram, t);
}

/* ---- slices and the other package: uncore.c ---- */

enum bx_ivbep_snoop_kind {
    BX_IVBEP_SHARE,      /* the other package keeps a copy */
    BX_IVBEP_INVALIDATE, /* the other package loses its copies */
    BX_IVBEP_TAKE,       /* the same, and it gives the line if it can */
    BX_IVBEP_CURRENT,    /* the other package's copies do not change, because a device reads */
};

struct bx_ivbep_reply {
    enum bx_line_state state; /* in the other package's slice, before the snoop */
    bool dirty, gives_line;
    uint64_t done; /* when the response has arrived */
};

/* Snoops the other package, if there is one. */
struct bx_ivbep_reply bx_ivbep_snoop_peer(struct bx_ivbep *m, unsigned package, uint64_t line,
                                          enum bx_ivbep_snoop_kind kind, uint64_t t);

/* `way` has the line in slice s. Snoops the cores of the package whose bits are set, except `self`;
 * BX_IVBEP_NO_THREAD: any of them: part/directory.h. Returns the best response. */
enum bx_snoop_response bx_ivbep_snoop_cores(struct bx_ivbep *m, struct bx_ivbep_slice *s,
                                            uint64_t line, struct bx_cache_way way, unsigned self,
                                            bool invalidate);

/* The way for a fill: an empty way, or that of a victim, which is evicted. */
struct bx_cache_way bx_ivbep_make_way(struct bx_ivbep *m, unsigned package, uint64_t line,
                                      unsigned requester, uint64_t t);

/* A core requests a line. opcode: from RFO to PF_DATA; grant->state is not set for prefetches that
 * fill only the LLC. Returns the completion. */
uint64_t bx_ivbep_request(struct bx_ivbep *m, unsigned package, unsigned core,
                          enum bx_ivbep_opcode opcode, uint64_t line, uint64_t t,
                          struct bx_grant *grant);

/* A function of struct bx_uncore: by WBMTOI or, if L1D keeps the line, WBMTOE. */
void bx_ivbep_write_back(bx_model *model, unsigned core, const struct bx_private_victim *victim,
                         uint64_t t);

/* ---- stores that fill no private cache: store.c ---- */

struct bx_ivbep_store {
    struct bx_ivbep *m;
    unsigned package, self; /* self: the core, or BX_IVBEP_NO_THREAD */
    uint64_t line, begin;   /* begin: when it enters the TOR */
    unsigned number;        /* of the slice */
    struct bx_ivbep_slice *s;
    struct bx_cache_way way; /* of the LLC; it may be absent */
};

/* The caller must set `begin`. */
struct bx_ivbep_store bx_ivbep_store_of(struct bx_ivbep *m, unsigned package, unsigned self,
                                        uint64_t line);

struct bx_ivbep_taken {
    uint64_t done;
    bool dirty, peer_dirty; /* the line differed from memory: in this package; in the other one */
};

/* Invalidates all copies except those of `self`. The caller changes the LLC's way. */
struct bx_ivbep_taken bx_ivbep_take_line(const struct bx_ivbep_store *st);

/* Writes the store to memory, past the caches. A modified line is written first, by a device only
 * before a partial store. A flush, which is partial, writes no more. WC_ALIASING: a core uses the
 * line as write-combining and as cached. */
uint64_t bx_ivbep_write_past(const struct bx_ivbep_store *st, bool partial, bool flushes);

/* A function of struct bx_uncore. */
uint64_t bx_ivbep_non_temporal_store(bx_model *model, unsigned core, bx_access a, uint64_t t);

/* ---- devices: io.c ---- */

/* A function of struct bx_uncore. */
uint64_t bx_ivbep_io_access(bx_model *model, unsigned agent, bx_access a, uint64_t t);

/* ---- signals: signals.c, for memory channels memory_signals.c ---- */

/* What rows of signals may need. */
enum {
    BX_IVBEP_HAS_PLAIN_MEMORY = 1,
    BX_IVBEP_HAS_DRAM = 2,
    BX_IVBEP_HAS_SLOWER_DRAM = 4, /* at most one clock in an uncore cycle */
};

extern const struct bx_box_signals bx_ivbep_memory_signals;
extern const struct bx_box_signals *const bx_ivbep_signals[];

/* See bx_model_kind.find_unit. */
bool bx_ivbep_find_unit(bx_model *model, const bx_selection *sel, struct bx_unit *unit);

/* ---- models of this kind of uncore: machine.c ---- */

void bx_ivbep_power_on(bx_model *model, const bx_model_shape *shape);

#define BX_IVBEP_FUNCTIONS                                                                         \
    .size = sizeof(struct bx_ivbep), .power_on = bx_ivbep_power_on, .box = bx_ivbep_signals,       \
    .boxes = BX_IVBEP_BOXES, .find_unit = bx_ivbep_find_unit, BX_TURNS_FUNCTIONS

extern const struct bx_model_kind bx_ivbep_model;

#endif

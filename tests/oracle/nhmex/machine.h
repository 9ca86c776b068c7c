/* The Xeon 7500 oracle's machine, shared by its parts: core.c (a core),
 * cbox.c (a slice), home.c (S-Boxes, R-Boxes and home agents), memory.c, resource.c (entries of
 * queues and tables), *signals.c and sums.c (levels), and oracle.c (order). Rules:
 * docs/explanation/model-nhmex.md. */
#ifndef BX_TESTS_ORACLE_NHMEX_MACHINE_H
#define BX_TESTS_ORACLE_NHMEX_MACHINE_H

#include "arrivals.h"
#include "core_counts.h"
#include "late.h"
#include "privates.h"
#include "dram.h"
#include "single.h"
#include "nhmex/oracle.h"

#include <stddef.h>

enum { PACKAGES = 8, CORES = 8, SIDES = 2, PORTS = 8, BANKS = 64, IOH = 16, FOR_EVER = -1 };

enum state { STATE_I, STATE_S, STATE_F, STATE_E, STATE_M };

/* ---- the log, for signals.c ---- */

enum { HOM0 = 0, HOM1 = 1, NDR = 2, SNP = 3, NCS = 4, NCB = 12, DRS = 14 }; /* message classes */

struct packet {
    unsigned class, opcode, flits;
    unsigned state; /* of data: M 8, E 4, F 1, I 0 */
    unsigned from, to;
    uint64_t line;
    bool of_device;                         /* the line's home is the IOH */
    enum network { VN0, VN1, VNA } network; /* in an R-Box */
};

/* An entry of a resource. It waited in the cycles arrival … begin - 1, and had a place in begin …
 * end - 1. */
struct entry {
    uint64_t counted; /* the time of the access that caused it */
    uint64_t arrival, begin, end;
    bool bypassed;
    uint64_t line; /* of the MAF, victims, the IMT */
    unsigned kind; /* data of the resource's user */
    struct packet packet;
};

struct resource {
    unsigned capacity;
    struct entry *entry;
    size_t n, room;
    size_t *live; /* of the entries: those that may still delay others */
    size_t lives, live_room;
};

/* An event that happens in one cycle: `amount` of the event `code`, for bit `bit` of the unit
 * mask. */
struct instant {
    uint64_t time;
    unsigned code, bit, amount;
    struct packet packet;
};

struct instants {
    struct instant *instant;
    size_t n, room;
};

/* ---- the boxes ---- */

struct line {
    uint64_t line, touched; /* touched: number of the last fill or touch */
    bool unused;            /* if replacement is as measured, MRU: not since others were, too */
    enum state state;
    bool core[CORES];
};

enum egress { AD_SB, AD_NSB, AK_SB, AK_NSB, BL_SB, BL_NSB, IV, EGRESSES };

struct cbox {
    unsigned package, number, side;
    struct line *line; /* [sets][ways] */
    struct resource irq, ipq, maf, viq, rwrf, rspf, egress[EGRESSES];
    struct resource evicted, snooped, written; /* lines are held */
    struct resource asked;                     /* lines are requested from a home */
    struct resource core_ad[2];
    /* requests of the core with this number: towards the S-Box; away */ /* of unlimited room:
                                                                            modified victims
                                                                            that are not
                                                                            answered */
    struct instants counts;
};

enum ring { RING_AD, RING_AK, RING_BL, RINGS };

struct sbox {
    struct resource for_bbox; /* credits in use */
    struct resource hom_to_r, hom_to_b, snp_to_r, ndr_to_r, drs_to_r[4], ncb_to_r[4], ncs_to_r[4];
    struct resource data_to_b, table;
    struct resource snp, ncb, ncs, ndr, r2s, b2s; /* to the ring */
    struct resource egress[RINGS][2];             /* clockwise, counter-clockwise */
    struct instants counts;
    struct instants hom_arrivals; /* the cycles that S2B_HOM_BYPASS counts */
};

enum { PACKET_IN = 0x100, PACKET_OUT }; /* codes of instants: packets of a B-Box */

enum bport { TO_SBOX, TO_RBOX, BPORTS };

struct bbox {
    struct resource for_sbox[2]; /* credits in use: NDR, DRS */
    struct resource imt, port[BPORTS];
    struct resource credits[PACKAGES][SIDES]; /* of S-Boxes */
    /* Of unlimited room: entries are only logged. acknowledged: conflicts, as requests. */
    struct resource tracker, coherence_queue, acknowledged;
    struct instants counts; /* code: counter << 8 | code */
    struct instants packets;
};

/* A credit of VNA, or that of a class on VN0 or VN1: nobody has it from `free` on. */
struct credit {
    uint64_t free;
};

enum { SHORT, LONG, LENGTHS, CREDITS = 64, CLASS_CODES = 16 };

struct rport {
    struct credit shared[LENGTHS][CREDITS], own[2][CLASS_CODES];
    unsigned turn[LENGTHS]; /* of `shared`: which is next */
    struct resource lacks;  /* packets that found no credit of VNA: until it was free */
    struct resource waits;  /* packets without any credit; kind: the class */
    struct resource link;   /* outgoing; kind: the packet's input port */
    struct instants new_packets;
    struct single way; /* over the link */
};

/* Scheduling modes, as in ISS. */
enum m_mode { M_TRADE_OFF, M_READS, M_WRITES, M_ADAPTIVE, M_MODES };

struct mbox {
    struct resource reads, writes, bus;
    struct resource inflight; /* of unlimited room */
    struct bank {
        bool used;
        bool closed; /* by its last access */
        uint64_t free, row, refreshes, may_close, may_open;
    } bank[BANKS];
    struct instants counts;
    struct instants by_mode[M_MODES]; /* commands requested in this mode */
    struct instants policy;           /* changes of the page policy: bit 1 to closed, 2 to open */
    bool closes;
    int score;
};

/* Buffers of the U-Box, then what else it counts: packets to the ring, cores that get an interrupt,
 * and those that it wakes. */
enum u_buffer {
    U_LOCAL,
    U_REMOTE,
    U_LOCK,
    U_STST,
    U_BUFFERS,
    U_PACKETS = U_BUFFERS,
    U_IPIS,
    U_WOKEN
};

struct package {
    struct cbox cbox[CORES];
    struct sbox sbox[SIDES];
    struct bbox bbox[SIDES];
    struct mbox mbox[SIDES];
    struct rport port[PORTS];
    struct instants u;          /* of the U-Box; code: enum u_buffer */
    uint64_t u_used[U_BUFFERS]; /* until then by packets */
};

/* A line that a prefetch has requested, until it arrives. */
struct prefetched {
    uint64_t line, until;
};

enum { SUPER_QUEUE = 32 /* the most */ };

struct core {
    unsigned package, number;
    unsigned queue_entries;
    bool requests_queue; /* requests of accesses take entries, too */
    struct prefetched queue[SUPER_QUEUE];
    bool prefetcher_off[BX_PREFETCHERS];
    struct privates caches;
    struct arrivals arrivals;
    enum oracle_source source; /* of its last request */
    struct oracle_core_counts counts;
    struct span {
        uint64_t begin, end;
    } * span; /* when it worked */
    size_t spans, span_room;
};

enum { MOST_BUFFERS = 32 };

struct access {
    uint64_t line;
    unsigned kind, cost;
    bool dependent, partial;
    bool whole;     /* a store that overwrites the whole line */
    bool forwarded; /* a load of what an earlier store holds */
    bool auxiliary; /* belongs to no instruction */
    bool prefetch;  /* of `kind`: */
    enum bx_prefetcher by;
    enum steer steer;
    bool lock; /* not an access: a locked operation begins */
    bool locks_bus;
    bool uncacheable, stores;
};

struct agent {
    struct core *core; /* NULL: the IOH */
    const bx_access *next, *end;
    uint64_t clock, time;
    struct late_loads late;
    bool due, stopped;
    bool needs_buffer; /* if it has stopped */
    bool has_work;     /* in this run */
    uint64_t ends;     /* when everything that it has begun is done */
    struct access access;
    uint64_t buffer_free[MOST_BUFFERS];
    unsigned buffers, next_buffer;
};

struct nhmex_oracle {
    unsigned packages, cores;
    uint64_t llc_sets, touches;
    unsigned llc_ways;
    bool measured_replacement;
    bool divided; /* each package has its own part of the memory */
    bx_model_times times;
    bx_model_dram dram; /* rate 0: the plain rule */
    uint64_t hz;
    struct package package[PACKAGES];
    struct core core[PACKAGES * CORES];
    struct agent agent[PACKAGES * CORES + 1]; /* the IOH is last */
    unsigned agents;
    uint64_t now; /* the time of the present access */
    uint64_t locked_until;
    uint64_t end;
};

static inline uint64_t later(uint64_t a, uint64_t b)
{
    return a > b ? a : b;
}

/* resource.c. All functions abort if memory runs out. */
void *nhmex_grow(void *array, size_t n, size_t *room, size_t size);
void nhmex_count(const struct nhmex_oracle *o, struct instants *counts, unsigned code, unsigned bit,
                 unsigned amount);
void nhmex_log(struct instants *counts, struct instant instant);
/* Adds an entry that arrives at t and stays for so many cycles, or FOR_EVER: until its `end` is
 * set. The returned entry is valid until the next call. */
struct entry *nhmex_put(struct nhmex_oracle *o, struct resource *r, uint64_t t, int stay);
/* The number of an entry that stays for ever, until its end is set. */
size_t nhmex_put_open(struct nhmex_oracle *o, struct resource *r, uint64_t t);
/* From when on there is always room; when no entry has the line any more. Both from t on. */
uint64_t nhmex_room(const struct nhmex_oracle *o, struct resource *r, uint64_t t);
uint64_t nhmex_without(const struct nhmex_oracle *o, struct resource *r, uint64_t line, uint64_t t);
void nhmex_resource_free(struct resource *r);

/* core.c */
struct oracle_asks nhmex_asks(const struct access *x);
struct snooped {
    bool any, had, modified; /* any: a core was snooped */
};
struct snooped nhmex_snoop(struct core *core, uint64_t line, bool invalidate);
void nhmex_core_new(struct core *core, unsigned package, unsigned number,
                    const bx_model_shape *shape);
void nhmex_core_free(struct core *core);
/* Executes the access if it is private. */
bool nhmex_core_private(struct nhmex_oracle *o, struct agent *agent);
/* Whether an access that is not private waits for a prefetch and is then done: until when; 0: it
 * does not. */
uint64_t nhmex_core_wait(struct nhmex_oracle *o, struct agent *agent);
/* Executes a prefetch. Returns false if its line must be requested, for a free entry, or if it has
 * to be at the core's turn. */
bool nhmex_core_prefetch(struct nhmex_oracle *o, struct agent *agent);
/* No private cache serves the access. */
bool nhmex_core_needs_request(const struct agent *agent);
/* The access hits a line of L2 that is on its way. */
bool nhmex_core_waits_for_line(const struct agent *agent);
/* When the first entry of the super queue ends. */
uint64_t nhmex_core_first_end(const struct core *core);
/* The cycles of the lines that the core has written back since then. */
uint64_t nhmex_written(const struct nhmex_oracle *o, const struct core *core,
                       const struct oracle_core_counts *then);
struct prefetched *nhmex_core_entry(struct core *core, uint64_t t);
bool nhmex_core_has(const struct core *core, uint64_t line); /* in any of its caches */
void nhmex_core_fill(struct nhmex_oracle *o, struct core *core, const struct access *x,
                     enum state granted);

/* cbox.c */
unsigned nhmex_slice_of(const struct nhmex_oracle *o, uint64_t line);
/* A request of a core at o->now; returns its completion. */
uint64_t nhmex_request(struct nhmex_oracle *o, struct core *core, const struct access *x,
                       enum state *granted);
/* A non-temporal store. Returns its completion. */
uint64_t nhmex_store_past(struct nhmex_oracle *o, struct core *core, const struct access *x);
/* An uncacheable access. Returns its completion. */
uint64_t nhmex_uncacheable(struct nhmex_oracle *o, struct core *core, const struct access *x);
void nhmex_core_write_back(struct nhmex_oracle *o, struct core *core, uint64_t line);
/* A snoop that is at the C-Box at t: its result, and when the answer is ready to leave. After a
 * conflict, when RspCnflt is, and the acknowledgement; else conflict is 0. */
struct snoop_times {
    uint64_t conflict, done;
};
enum snoop { SNP_CUR, SNP_CODE, SNP_DATA, SNP_INV_OWN = 4, SNP_INV_ITOE = 8 }; /* opcodes */
enum state nhmex_snooped(struct nhmex_oracle *o, struct cbox *c, enum snoop snoop, uint64_t line,
                         uint64_t t, struct snoop_times *times);

/* power.c */
/* The core locks the bus at o->now. Returns its completion. */
uint64_t nhmex_lock_bus(struct nhmex_oracle *o, const struct core *core);
/* When a core's request at o->now begins. */
uint64_t nhmex_request_begins(const struct nhmex_oracle *o);
void nhmex_core_worked(struct core *core, uint64_t begin, uint64_t end);

/* power.c: an interrupt of a device is in the U-Box at t. */
void nhmex_device_interrupt(struct nhmex_oracle *o, unsigned package, uint64_t t);

/* home.c */
struct outcome {
    uint64_t answer, data; /* when they arrive at the requester; data: 0 if none was forwarded */
    bool had, modified;    /* what other packages had */
};
/* A request that leaves the requester at t: the C-Box's S-Box, or the IOH (cbox NULL). The C-Box
 * has accepted it before. */
struct outcome nhmex_to_home(struct nhmex_oracle *o, struct cbox *cbox, unsigned opcode,
                             uint64_t line, uint64_t accepted, uint64_t t);
/* An access of a device's registers that leaves the C-Box's S-Box at t. Returns when the answer is
 * at the C-Box. */
uint64_t nhmex_to_device(struct nhmex_oracle *o, struct cbox *cbox, const struct access *x,
                         uint64_t t);
/* A message of a U-Box by way of one C-Box's S-Box to another's. Returns when it arrives. */
uint64_t nhmex_message(struct nhmex_oracle *o, struct cbox *from, struct cbox *to,
                       const struct packet *p, uint64_t t);
struct resource *nhmex_table_of(struct nhmex_oracle *o, const struct cbox *cbox);
struct resource *nhmex_credits_of(struct nhmex_oracle *o, const struct cbox *cbox, uint64_t line);
/* Returns when the answer to a write-back arrives at the requester. */
uint64_t nhmex_write_home(struct nhmex_oracle *o, struct cbox *cbox, uint64_t line, bool partial,
                          uint64_t t);
/* A message of a slice to cores or the S-Box, through one of its egresses. Returns when it
 * arrives. */
uint64_t nhmex_egress(struct nhmex_oracle *o, struct resource *r, bool line, uint64_t t);
unsigned nhmex_home_package(const struct nhmex_oracle *o, uint64_t line);
unsigned nhmex_home_side(uint64_t line);
uint64_t nhmex_node_lines(const struct nhmex_oracle *o);

/* memory.c */
/* An access that its home sends at t. Returns when the answer arrives, also for a write. */
uint64_t nhmex_memory(struct nhmex_oracle *o, uint64_t line, bool write, uint64_t t);
uint64_t nhmex_refresh_every(const struct nhmex_oracle *o); /* cycles; 0: never */

#endif

/* The oracle's machine, shared by its parts: core.c (a core), slice.c (LLC,
 * requests and devices), tor.c (queues, TOR and memory), count.c (counts, rings and signals) and
 * oracle.c (order). */
#ifndef BX_TESTS_ORACLE_IVBEP_MACHINE_H
#define BX_TESTS_ORACLE_IVBEP_MACHINE_H

#include "../arrivals.h"
#include "../core_counts.h"
#include "../dram.h"
#include "../late.h"
#include "../privates.h"
#include "../single.h"
#include "oracle.h"

enum {
    PACKAGES = 2,
    CORES = 15,
    NODES = 2,
    CHANNELS = 4,
    LLC_WAYS = 20,
    IO_BUFFERS = 32,
    NOBODY = 15, /* instead of a core's number: belongs to no thread */
};

/* In the order of the state filter's bits; MP is M'. A private copy is I, S, E or M. */
enum state { I, S, E, M, F, MP, STATES };

/* Kinds of TOR entries. */
enum transaction {
    RFO,
    CRD,
    DRD,
    ITOM,
    PF_RFO,
    PF_CODE,
    PF_DATA,
    PCIWIL,
    PCIWILF,
    PCIPRD,
    PCIITOM,
    PCIRDCUR,
    WBMTOI,
    WBMTOE,
    WCILF,
    WCIL,
    EVICTION,
    SNOOP,
    TRANSACTIONS
};

/* ---- counts ---- */

enum what { LOOKUP, VICTIM, TOR, RING, SENT, QUEUE, RETRY, MISC, WHATS };
enum { LOOKUP_READ, LOOKUP_WRITE, LOOKUP_SNOOP };
enum { VICTIM_M, VICTIM_E, VICTIM_S, VICTIM_MISS };
enum ring { AD, AK, BL, IV };
enum queue { IRQ, IRQ_REJECTED, IPQ, VFIFO, ISMQ };
enum reason { ANY, FULL, ADDR_CONFLICT, RTID, QPI_CREDITS, WB_CREDITS };
enum { RSPI_WAS_FSE, STARTED, RFO_HIT_S, WC_ALIASING };
enum { FIRSTS = TRANSACTIONS, SECONDS = 8, WHOS = 16 };

/* One kind of event that a slice's C-Box counts. */
struct cell {
    enum what what;
    /* LOOKUP: request; VICTIM: state; TOR: transaction; RING: ring; SENT: ring, + 4 if by the core;
     * QUEUE and RETRY: queue; MISC: which. */
    unsigned first;
    unsigned second;    /* LOOKUP: state found; TOR: a miss; RING: bit of the mask; RETRY: reason */
    unsigned node, who; /* of LOOKUP, VICTIM and TOR */
};

struct total {
    uint64_t times;  /* how often */
    uint64_t cycles; /* the duration, of events that last */
};

struct totals {
    struct total of[WHATS][FIRSTS][SECONDS][NODES][WHOS];
};

/* With `lives` it lasts for the cycles begin … end - 1; without, it happened at begin. */
struct happening {
    unsigned package, unit;
    struct cell cell;
    bool lives;
    uint64_t begin, end;
};

/* An event that a memory channel counts. With DRAM, lines are counted when the memory gets the
 * command to read or write them, and rows are counted, too. */
struct memory_happening {
    enum { ENTERS_QUEUE, MOVES_LINE, OPENS_ROW, CLOSES_ROW, WAITS } what;
    bool write; /* a write, or a command for one */
    unsigned node, channel, rank, bank;
    uint64_t at;
    uint64_t from, until; /* of WAITS: in 1/256 cycles */
};

/* ---- the machine ---- */

/* A line that a prefetch has requested, until it arrives. */
struct prefetched {
    uint64_t line, until;
};

enum { SUPER_QUEUE = 32 /* the most */ };

struct core {
    unsigned package, number;
    unsigned queue_entries, queue_busy;
    bool requests_queue; /* requests of accesses take entries, too */
    struct prefetched queue[SUPER_QUEUE];
    bool prefetcher_off[BX_PREFETCHERS];
    struct privates caches;
    uint64_t last_line[3]; /* of its last request, by kind */
    bool has_last[3];
    struct arrivals arrivals;
    enum oracle_source source; /* of its last request, a prefetch or not */
    struct oracle_core_counts counts;
};

struct llc_line {
    uint64_t line;
    enum state state;
    bool bit[CORES];
    uint64_t used;
    unsigned age; /* if replacement is as measured: QLRU_H11_M1_R1_U2 */
};

struct entry {
    uint64_t begin, end, line;
    enum transaction what;
    bool miss, other_node, writes;
};

struct slice {
    unsigned package, number;
    unsigned sets, ways;
    struct llc_line *llc; /* [sets][ways] */
    struct entry *entry;
    size_t entries, entry_room;
};

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
};

/* A core or IO, with its progress. */
struct agent {
    struct core *core; /* NULL: IO */
    const bx_access *next, *end;
    uint64_t clock;
    struct late_loads late;
    bool due; /* an access is due, at `time`: */
    struct access access;
    uint64_t time;
    bool stopped; /* a core that waits before this access, which needs the uncore, or its turn */
    bool needs_buffer;
    bool has_work; /* in this run */
    uint64_t ends; /* a core: when everything that it has begun is done */
    uint64_t buffer_free[IO_BUFFERS];
    unsigned next_buffer, buffers;
};

struct ivbep_oracle {
    unsigned packages, cores, llc_sets, llc_ways;
    bool measured_replacement, prefetchers;
    bool divided; /* each node has one half of the memory */
    struct core core[PACKAGES][CORES];
    struct slice slice[PACKAGES][CORES];
    struct agent agent[PACKAGES * CORES + 1]; /* the last one is IO */
    unsigned channels;                        /* of a node */
    bx_model_dram memory;
    uint64_t hz;
    uint64_t channel_free[NODES][CHANNELS];
    struct memory_happening *in_memory;
    size_t in_memory_n, in_memory_room;
    bx_model_times times;
    struct single way[PACKAGES];     /* the link, by the package that sends */
    struct oracle_dram *dram[NODES]; /* NULL: the plain rule */
    uint64_t uses;                   /* of caches so far */
    uint64_t now;
    struct totals *totals; /* [packages][CORES] */
    bool record;
    struct happening *happening;
    size_t happenings, happening_room;
};

/* A request at its slice. */
struct request {
    struct slice *slice;
    uint64_t line, t;
    enum transaction what;
    unsigned who;  /* the core's number or NOBODY */
    unsigned stop; /* where it comes from */
    bool miss;
    bool writes; /* an eviction that writes to memory */
};

struct snooped {
    bool any, had, modified; /* cores were snooped; one had a copy; it was modified */
};

static inline uint64_t later(uint64_t a, uint64_t b)
{
    return a > b ? a : b;
}

/* "+ 25 if a core was snooped, + 35 if one had it modified" */
static inline uint64_t snoop_time(const struct ivbep_oracle *o, struct snooped s)
{
    return s.modified ? o->times.snoop_dirty : s.any ? o->times.snoop_clean : 0;
}

/* 8 GiB */
#define NODE_LINES (UINT64_C(1) << 27)

static inline unsigned node_of(const struct ivbep_oracle *o, uint64_t line)
{
    if (o->packages == 1)
        return 0;
    return o->divided ? line >= NODE_LINES : line >> 6 & 1;
}

static inline unsigned last_stop(const struct ivbep_oracle *o)
{
    return o->cores;
}

void *ivbep_need(void *memory); /* aborts on NULL */

/* core.c */
void ivbep_core_new(struct core *core, unsigned package, unsigned number,
                    const bx_model_shape *shape);
void ivbep_core_free(struct core *core);
bool ivbep_core_has(const struct core *core, uint64_t line);
/* The effect on its copies, and its answer. */
struct snooped ivbep_core_share(struct core *core, uint64_t line);
struct snooped ivbep_core_invalidate(struct core *core, uint64_t line);
void ivbep_core_execute(struct ivbep_oracle *o, struct agent *agent);

/* slice.c */
/* A core's request; returns its completion and the state that the core gets. */
uint64_t ivbep_core_request(struct ivbep_oracle *o, struct core *core, uint64_t line,
                            enum transaction what, uint64_t t, enum state *granted);
/* A non-temporal store. Returns its completion. */
uint64_t ivbep_store_past(struct ivbep_oracle *o, struct core *core, const struct access *x,
                          uint64_t t);
void ivbep_write_back(struct ivbep_oracle *o, struct core *core, uint64_t line,
                      enum transaction what, uint64_t t);
/* A device's request; returns its completion. */
uint64_t ivbep_io_request(struct ivbep_oracle *o, const struct access *x, uint64_t t);

/* tor.c */
/* Passes the queue, which it enters at `begin`. Returns when it enters the TOR, at least begin +
 * 2. */
uint64_t ivbep_enter_tor(struct ivbep_oracle *o, const struct request *r, enum queue queue,
                         uint64_t begin);
void ivbep_live_in_tor(struct ivbep_oracle *o, const struct request *r, uint64_t begin,
                       uint64_t end);
/* When an eviction that writes and could begin at a begins. */
uint64_t ivbep_begin_eviction(struct ivbep_oracle *o, const struct request *r, uint64_t a);
/* The request's line is read or written by its package from t on. Returns when that is done. */
/* A package sends a line over the link at `ready`. Returns when it is in the other one. */
uint64_t ivbep_over_link(struct ivbep_oracle *o, unsigned from, bool modified, uint64_t ready);
uint64_t ivbep_memory(struct ivbep_oracle *o, const struct request *r, uint64_t t, bool write);

/* count.c */
void ivbep_count(struct ivbep_oracle *o, const struct slice *slice, struct cell cell, uint64_t t);
void ivbep_live(struct ivbep_oracle *o, const struct slice *slice, struct cell cell, uint64_t begin,
                uint64_t end);
unsigned ivbep_stops_between(const struct ivbep_oracle *o, unsigned from, unsigned to);
/* A message on a package's ring. by_core: sent by the core of the stop, else by its slice. */
void ivbep_send(struct ivbep_oracle *o, unsigned package, enum ring ring, unsigned from,
                unsigned to, bool by_core, uint64_t line, uint64_t t);

/* memory.c */
/* The channel's actions for a request at the time `at`. */
void ivbep_count_in_memory(struct ivbep_oracle *o, unsigned node, uint64_t line, bool write,
                           uint64_t at);
uint64_t ivbep_memory_sum(const struct ivbep_oracle *o, const bx_selection *sel);
void ivbep_memory_levels(const struct ivbep_oracle *o, const bx_selection *sel, uint32_t *level,
                         size_t cycles);

/* oracle.c */
void ivbep_next_access(struct agent *agent); /* makes the next access due, if there is one */

#endif

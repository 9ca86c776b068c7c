/* The oracle's machine, shared by its parts: core.c (a core), uncore.c (LLC,
 * ARB, IMC, GT and IO), count.c (counts) and oracle.c (turns). */
#ifndef BX_TESTS_ORACLE_MACHINE_H
#define BX_TESTS_ORACLE_MACHINE_H

#include "dram.h"
#include "arrivals.h"
#include "late.h"
#include "oracle.h"
#include "privates.h"

enum {
    ORACLE_FILL_BUFFERS = 32,
    ORACLE_CHANNELS = 2,
    ORACLE_LLC_WAYS = 16,
    ORACLE_SUPER_QUEUE = 32, /* the most */
    ORACLE_TAKEN = 1024      /* lines that are on their way at once, at most */
};

/* A line that a prefetch has requested, until it arrives. */
struct prefetched {
    uint64_t line, until;
};

struct core {
    unsigned number;
    struct privates caches;
    uint64_t buffer_free[ORACLE_FILL_BUFFERS];
    uint64_t buffer_line[ORACLE_FILL_BUFFERS];
    bool buffer_store[ORACLE_FILL_BUFFERS]; /* of a store for which nothing waits */
    unsigned next_buffer;
    unsigned queue_entries, queue_busy;
    bool requests_queue; /* requests of accesses take entries, too */
    struct prefetched queue[ORACLE_SUPER_QUEUE];
    bool prefetcher_off[BX_PREFETCHERS];
    struct arrivals arrivals;
    enum oracle_source source; /* of the last request to the LLC */
    struct oracle_core_counts counts;
};

struct llc_line {
    uint64_t line;
    enum oracle_state state;
    unsigned age;
    bool core_valid[ORACLE_CORES];
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

/* A line that a core has requested. */
struct taken {
    uint64_t line, arrives;
    const struct agent *by; /* NULL: no entry */
};

/* A core, GT or IO, with its progress. */
/* An agent's last memory write, for merging. */
struct last_write {
    bool partial;
    uint64_t line;
};

struct agent {
    unsigned number;
    struct core *core; /* NULL: GT or IO */
    const bx_access *next, *end;
    uint64_t clock;
    struct late_loads late;
    bool due; /* an access is due, at `time`: */
    struct access access;
    uint64_t time;
    bool stopped; /* a core that waits before this access, which needs the uncore: */
    bool needs_buffer;
    unsigned queued; /* it waits until the line is free, and came as this number; 0: it does not */
    uint64_t ends;   /* a core: when everything that it has begun is done */
    struct last_write wrote; /* of GT or IO */
};

struct oracle {
    struct last_write wrote; /* of IA */
    unsigned cores, slices;
    uint64_t llc_sets; /* of a slice */
    unsigned llc_ways;
    struct core core[ORACLE_CORES];
    struct agent agent[ORACLE_CORES + 2]; /* cores, GT, IO: in the order of their turns */
    struct llc_line *llc;                 /* [slices][sets][ways] */
    uint64_t channel_free[ORACLE_CHANNELS];
    bx_model_times times;
    struct oracle_dram *dram; /* NULL: the plain rule */
    struct taken taken[ORACLE_TAKEN];
    unsigned came; /* cores that have waited for a line */
    struct oracle_counts counts;
    bool record;
    struct oracle_log log;
};

static inline uint64_t later(uint64_t a, uint64_t b)
{
    return a > b ? a : b;
}

static inline struct access decode(bx_access a)
{
    if (a >> 56 & 1)
        return (struct access){
            .line = a >> 16 & 0x1fffffffff,
            .kind = a >> 59 & 3,
            .prefetch = true,
            .by = (enum bx_prefetcher)(a >> 57 & 3),
        };
    if (steer_of(a) != STEER_NOT)
        return (struct access){
            .line = a >> 16 & 0x1fffffffff,
            .kind = steer_kind(steer_of(a)),
            .steer = steer_of(a),
            .cost = a >> 4 & BX_ACCESS_COST_MAX,
            .auxiliary = true,
            .partial = true,
        };
    return (struct access){
        .line = a >> 16 & 0x1fffffffff,
        .kind = a & 3,
        .auxiliary = a >> 54 & 1,
        .lock = a >> 61 & 1,
        .cost = a >> 4 & BX_ACCESS_COST_MAX,
        .dependent = a & BX_ACCESS_DEPENDENT,
        .partial = a & BX_ACCESS_PARTIAL,
        .whole = a & BX_ACCESS_WHOLE,
        .forwarded = (a & 3) == BX_LOAD && a >> 57 & 1,
    };
}

/* Aborts on NULL: memory that was allocated, or a line that must exist. */
void *need(void *memory);

/* core.c */
void core_new(struct core *core, unsigned number, const bx_model_shape *shape);
void core_free(struct core *core);
enum oracle_response snoop_to_share(struct core *core, uint64_t line);
enum oracle_response snoop_to_invalidate(struct core *core, uint64_t line);
void core_execute(struct oracle *o,
                  struct agent *agent); /* executes the due access, or stops before it */

/* line_turns.c: "A line's turns". */
/* When the core may request the line of its access, as far as is known at its time. */
uint64_t line_turn(const struct oracle *o, const struct agent *agent);
/* The core, at its turn, has to wait for the line. Its time becomes later. */
bool waits_for_line(struct oracle *o, struct agent *agent);
/* For so many cycles a store that is served now waits for its line in its fill buffer. */
uint64_t wait_in_buffer(const struct oracle *o, const struct agent *agent);
/* An access of a line that the core has lost is made by a store's request that has not completed.
 */
bool is_to_come(const struct oracle *o, const struct agent *agent);
/* The core has requested the line of its access at its time. */
void line_is_taken(struct oracle *o, const struct agent *agent, uint64_t completion);

/* uncore.c. t: the time of the access. */
void llc_write_back(struct oracle *o, uint64_t line, uint64_t t);
/* Rules 1 to 3 of "An uncore access". Returns the completion; *granted is the state that the core
 * gets. */
uint64_t llc_prefetch(struct oracle *o, struct core *core, const struct access *x, uint64_t t);
uint64_t llc_request(struct oracle *o, struct core *core, const struct access *x, uint64_t t,
                     enum oracle_state *granted);
/* "Non-temporal stores". Returns the completion. */
uint64_t llc_write_past(struct oracle *o, struct core *core, const struct access *x, uint64_t t);
void device_execute(struct oracle *o, struct agent *agent);

/* oracle.c */
void agent_next(struct agent *agent); /* makes its next access due, if there is one */
void work_lasts_until(struct oracle *o, uint64_t completion);

/* count.c */
void count_lookup(struct oracle *o, unsigned slice, enum oracle_request request,
                  enum oracle_state state, uint64_t t);
void count_xsnp(struct oracle *o, unsigned slice, enum oracle_from from,
                enum oracle_response response, uint64_t t);
void count_coh(struct oracle *o, uint64_t t);
void count_imc_request(struct oracle *o, enum oracle_requester by, uint64_t t);
void count_transfer(struct oracle *o, bool write, uint64_t t);
void count_arb_entry(struct oracle *o, struct oracle_entry entry);

#endif

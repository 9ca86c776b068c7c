/* The order of accesses. They take effect in the order of their time; at equal times, in the order
 * of the agents' numbers (docs/explanation/model-order.md, "Order").
 *
 * A core's private accesses touch no other agent. So a core runs ahead through them, past the turns
 * of other agents, and saves the former contents of its caches. An agent that is about to snoop
 * such a core first makes it undo what it has executed too early. This is rare: there are few
 * snoops among many private accesses, and few of them snoop a core that is ahead. */
#ifndef BX_MODEL_ENGINE_TURNS_H
#define BX_MODEL_ENGINE_TURNS_H

#include "model/engine/core_counts.h"
#include "model/engine/core_time.h"
#include "model/engine/kind.h"
#include "model/engine/ledger.h"
#include "model/part/later.h"
#include "model/part/line_turns.h"
#include "model/part/private_caches.h"
#include "model/part/store_buffer.h"

enum {
    BX_TURNS_AGENT_BUFFERS = BX_FILL_BUFFERS_MOST, /* most requests of an agent in flight */
    BX_TURNS_NUMBER_BITS = 7,                      /* bits of an agent's number in a key */
    BX_TURNS_AHEAD_MOST = 4096, /* most accesses that an agent runs ahead at once */
};

enum bx_turns_agent_phase {
    BX_TURNS_AGENT_IDLE,    /* no feed, or it has ended */
    BX_TURNS_AGENT_PARKED,  /* its feed waits */
    BX_TURNS_AGENT_READY,   /* to run ahead */
    BX_TURNS_AGENT_WAITING, /* its next access waits for its turn at the uncore */
};

/* A load that has not completed. The agent runs on without it until its clock, minus its stalled
 * cycles, reaches `limit`. */
struct bx_turns_late {
    uint64_t limit, completion;
    enum bx_cause cause;
};

struct bx_turns_agent {
    bx_feed *feed;
    /* It may execute up to `end`: the end of its batch, an access that another agent waits for, or
     * a store that has to wait. */
    const bx_access *end;
    enum bx_turns_agent_phase phase;
    uint64_t clock;     /* when its last access was done; of a waiting agent: when it stopped */
    uint64_t turn;      /* of a waiting agent: the time of its access */
    uint64_t completed; /* the latest completion of its accesses */
    uint64_t buffer_free[BX_TURNS_AGENT_BUFFERS]; /* the buffers are used in turn */
    unsigned buffers, next_buffer;                /* buffers 0: any number */
    /* Of a core: the line of each buffer's store; BX_TURNS_NO_LINE: it is of another access. */
    uint64_t buffer_line[BX_TURNS_AGENT_BUFFERS];
    uint64_t storing; /* until then, stores are in its buffers */
    bool bounded;     /* it has a window, or a store buffer of limited size */
    unsigned window;  /* cycles that it runs on past an incomplete load; 0: no limit */
    uint64_t stalled; /* cycles in which it stalled */
    uint64_t limit;   /* of the first late load, as a value of its clock; BX_NEVER: no late load */
    struct bx_turns_late late[BX_TURNS_AGENT_BUFFERS]; /* a ring */
    unsigned first_late, end_late;                     /* positions in `late`; they only increase */
    struct bx_store_buffer store_buffer;
    const bx_access *stop;        /* the store that `end` was set to; NULL: none in this batch */
    struct bx_privates *privates; /* of a core; NULL: a device, which makes no private accesses */
    int need;                     /* of a waiting core: why it waits, an enum bx_private_step */
    /* Of a waiting core: it waits until a line is free, and came as the number `queued`. 0: it
     * does not. */
    uint64_t queued, queued_line;
    uint64_t delay; /* of the store that is served: its line is free so many cycles later */
    /* The state when nothing could be undone. What was executed before it is final. */
    const bx_access *settled;
    uint64_t settled_clock, settled_stalled;
    struct bx_core_stalls settled_stalls;
    unsigned settled_late;
    unsigned ahead; /* accesses that it may run ahead: fewer if they are often undone */
    /* Of a parked agent: it waits for the access at `position` of agent `waits_for`, if any. */
    unsigned waits_for;
    const bx_access *position;
    bool awaited; /* other agents wait for it, or have done so */
    struct bx_core_counts counts;
    struct bx_cycle_stack stack;
    enum bx_cause cause;      /* of the wait for the request that was served last */
    struct bx_ledger *ledger; /* NULL: nobody asks who spends its cycles */
};

enum { BX_TURNS_NOBODY = BX_AGENTS };
#define BX_TURNS_NO_LINE UINT64_MAX

/* A key orders the agents' actions: time << BX_TURNS_NUMBER_BITS | number. */
#define BX_TURNS_NO_KEY  UINT64_MAX
_Static_assert(BX_TIME_MOST - 1 <= UINT64_MAX >> (BX_TURNS_NUMBER_BITS + 1),
               "a key holds any time, and work may go on as long again");

/* What a core gets for a request. */
struct bx_grant {
    enum bx_line_state state; /* S, E or, for a store, M */
    enum bx_core_count from;  /* the source of the line: BX_CORE_FROM_* */
};

/* A machine beyond the private caches of its cores. All of these are done at t; those that return a
 * time return the completion. */
struct bx_uncore {
    /* A core requests the line of an access: a load, store or fetch. */
    uint64_t (*request)(bx_model *m, unsigned core, bx_access a, uint64_t t,
                        struct bx_grant *grant);
    /* The same for a flush. The core has no copy of the line any more. */
    uint64_t (*non_temporal_store)(bx_model *m, unsigned core, bx_access a, uint64_t t);
    /* A core's prefetch fills only the LLC. *from becomes the source of the line. NULL: none
     * does. */
    uint64_t (*prefetch_llc)(bx_model *m, unsigned core, bx_access a, uint64_t t,
                             enum bx_core_count *from);
    /* A core writes a modified line back. */
    void (*write_back)(bx_model *m, unsigned core, const struct bx_private_victim *victim,
                       uint64_t t);
    /* A request of a core is executed, and its line filled. NULL: nothing is left to do. */
    void (*follow)(bx_model *m, unsigned core, bx_access a, uint64_t t);
    uint64_t (*device_access)(bx_model *m, unsigned agent, bx_access a, uint64_t t);
    /* A core locks the bus: until the completion, no other agent's request begins. NULL: locked
     * operations that cross lines are no different. */
    uint64_t (*lock_bus)(bx_model *m, unsigned core, uint64_t t);
    /* A core's uncacheable access. NULL: devices have no registers that cores could use. */
    uint64_t (*uncacheable)(bx_model *m, unsigned core, bx_access a, uint64_t t);
    unsigned devices; /* IO; or GT, IO */
    /* Cores wait until a line that they request is free. Otherwise, the uncore has queues in which
     * requests of one line wait for each other. */
    bool cores_await_lines;
};

struct bx_turns {
    const struct bx_uncore *uncore;
    struct bx_turns_agent agent[BX_AGENTS];
    unsigned n, cores; /* agents; those that are cores, which come first */
    unsigned gt, io;   /* indexes; BX_TURNS_NOBODY: no such agent */
    bool prefetch;     /* accesses come with prefetches */
    bool locks;        /* locked operations wait */
    bool predicts;     /* somebody predicts branches */
    bool mispredicts;  /* instructions after mispredicted branches wait */
    struct bx_line_turns lines;
    uint64_t came;   /* cores that have waited for a line, since power-on */
    unsigned queued; /* those that wait for one now */

    uint64_t serving;                          /* key of the access that the uncore is serving */
    uint64_t limit;                            /* the smallest key of all other agents */
    uint8_t heap[BX_AGENTS], place[BX_AGENTS]; /* agents by key; each agent's position there */
    uint64_t key[BX_AGENTS];                   /* a lower bound for the next access of each agent */
    const struct bx_turns_agent *asked;        /* the agent whose refill is being called, or NULL */
    bx_ratio core_clock;
    bool running; /* agents are running, and may be ahead */
    /* A counter of a core is in use, so reports of each cycle must be exact for cores too. */
    bool counts_cores;
};

/* Adds the cores of the shape, and the devices. buffers: most requests of a device in flight; 0:
 * any number. */
void bx_turns_power_on(bx_model *m, struct bx_turns *turns, const struct bx_uncore *uncore,
                       const bx_model_shape *shape, unsigned buffers);

/* The functions of turns in a bx_model_kind. */
#define BX_TURNS_FUNCTIONS                                                                         \
    .feed = bx_turns_feed, .run = bx_turns_run, .idle = bx_turns_idle, .wake = bx_turns_wake,      \
    .wait_for = bx_turns_wait_for, .clock = bx_turns_clock,                                        \
    .set_prefetchers = bx_turns_set_prefetchers

/* Times and buffers that all these kinds have (bx_model_kind.times). */
#define BX_TURNS_TIMES                                                                             \
    .l2_hit = 2, .l2_wait = 8, .snoop_clean = 25, .snoop_dirty = 35, .fill_buffers = 10,           \
    .super_queue = 16, .super_queue_busy = 12, .memory_transit = 20, .memory_transfer = 12,        \
    .memory_read = 130

/* The functions of struct bx_model_kind for models that have bx_model.turns. */
void bx_turns_feed(bx_model *m, unsigned agent, bx_feed *feed);
bool bx_turns_run(bx_model *m, uint64_t until);
void bx_turns_idle(bx_model *m, uint64_t cycles);
void bx_turns_interrupt_idle(bx_model *m, uint64_t instructions);
void bx_turns_wake(bx_model *m, unsigned agent);
void bx_turns_wait_for(bx_model *m, unsigned agent, unsigned other, const bx_access *position);
void bx_turns_catch_up(bx_model *m);
uint64_t bx_turns_clock(const bx_model *m, unsigned agent);
void bx_turns_set_prefetchers(bx_model *m, unsigned core, unsigned off);

/* ---- snoops ---- */

/* bx_turns_snoop() of a core that may have the line. */
enum bx_snoop_response bx_turns_snoop_in_order(bx_model *m, unsigned core, uint64_t line,
                                               bool invalidate);

/* The access being served snoops a core: its copies of the line become S or, with `invalidate`, I.
 * A core that has run ahead goes back first, if it has a copy now or may have dropped one since.
 * Usually it has none. */
static inline enum bx_snoop_response bx_turns_snoop(bx_model *m, unsigned core, uint64_t line,
                                                    bool invalidate)
{
    const struct bx_privates *p = m->turns->agent[core].privates;

    if (!bx_privates_have(p, line) && !p->undo.lost)
        return BX_SNOOP_MISS;
    return bx_turns_snoop_in_order(m, core, line, invalidate);
}

/* ---- agents at work: agent_run.c, agent_hits.c ---- */

/* Executes private accesses before `until`, up to bx_turns_ahead_end(), or until the agent waits.
 * It may itself serve turns before `until` whose keys are less than turns->limit. */
void bx_agent_run_ahead(bx_model *m, struct bx_turns *turns, unsigned agent, uint64_t until);
/* Executes what L1 serves before `until`. The core is the first in order until then. */
void bx_agent_pass_hits(bx_model *m, struct bx_turns *turns, unsigned core, uint64_t until);
/* Serves a waiting agent at its turn. After that the agent is ready. */
void bx_agent_serve(bx_model *m, struct bx_turns *turns, unsigned agent);

static inline uint64_t bx_turns_key(uint64_t time, unsigned agent)
{
    return time << BX_TURNS_NUMBER_BITS | agent;
}

/* ---- late loads: docs/explanation/model-core-time.md, "Window" ---- */

static inline struct bx_turns_late *bx_turns_late_at(struct bx_turns_agent *agent, unsigned i)
{
    return &agent->late[i % BX_TURNS_AGENT_BUFFERS];
}

static inline void bx_turns_go_to_late(struct bx_turns_agent *agent, unsigned first,
                                       uint64_t stalled)
{
    agent->first_late = first;
    agent->stalled = stalled;
    agent->limit =
        first == agent->end_late ? BX_NEVER : bx_turns_late_at(agent, first)->limit + stalled;
}

/* The agent's clock is about to advance by `cycles` in which it stalls. */
static inline void bx_turns_stall(struct bx_turns_agent *agent, uint64_t cycles)
{
    if (!agent->window)
        return;
    if (agent->limit != BX_NEVER)
        agent->limit += cycles;
    agent->stalled += cycles;
}

/* The same when the agent waits for an access, from one time to another. */
static inline void bx_turns_wait(struct bx_turns_agent *agent, uint64_t from, uint64_t to)
{
    if (to == from)
        return;
    bx_core_waits_stall(&agent->counts.waits, from, to);
    bx_turns_stall(agent, to - from);
}

/* For a bounded core: the access at `at` in its batch has taken a fill buffer at t. */
void bx_turns_add_late(struct bx_turns_agent *agent, const bx_access *at, uint64_t t,
                       uint64_t completion);
/* Moves the end of the agent's accesses to before the store that waits, if that comes earlier. */
void bx_turns_end_at_store(struct bx_turns_agent *agent);

/* The agent waits for the first late load, until `to`. */
static inline void bx_turns_note_late(struct bx_turns_agent *agent, uint64_t to, uint64_t cycles)
{
    enum bx_cause cause = bx_turns_late_at(agent, agent->first_late)->cause;

    bx_cycle_stack_wait(&agent->stack, cause, bx_core_counts_at(&agent->counts, to), cycles);
    if (agent->ledger)
        bx_ledger_wait_for_late(agent->ledger, agent->first_late, cause, cycles);
}

/* The agent waits until `to`, because of the access at `at`. */
static inline void bx_turns_note_wait(struct bx_turns_agent *agent, const bx_access *at,
                                      enum bx_cause cause, uint64_t to, uint64_t cycles)
{
    if (!cycles)
        return;
    bx_cycle_stack_wait(&agent->stack, cause, bx_core_counts_at(&agent->counts, to), cycles);
    if (agent->ledger)
        bx_ledger_wait_for(agent->ledger, agent->feed, at, cause, cycles);
}

/* What a waiting core waits for, and the cycles before t in which it has waited. */
static inline enum bx_cause bx_turns_pending(const struct bx_turns_agent *agent)
{
    return bx_cause_of_access(*agent->feed->next, agent->queued ? BX_WAIT_TURN : BX_WAIT_BUFFER);
}

static inline uint64_t bx_turns_waited(const struct bx_turns_agent *agent, uint64_t t)
{
    uint64_t from = agent->clock + agent->stack.paused, to = bx_sooner(t, agent->turn);

    return to > from ? to - from : 0;
}

/* `cost` is that of the agent's next access. If the access is too far past a late load, the agent
 * waits for the load. */
static inline void bx_turns_wait_for_late(struct bx_turns_agent *agent, unsigned cost)
{
    while (agent->clock + cost >= agent->limit) {
        uint64_t completion = bx_turns_late_at(agent, agent->first_late)->completion, stall = 0;
        uint64_t from = agent->clock + cost;
        if (from < completion)
            stall = completion - from;
        if (stall)
            bx_turns_note_late(agent, from + stall, stall);
        bx_core_waits_stall(&agent->counts.waits, from, from + stall);
        agent->clock += stall;
        bx_turns_go_to_late(agent, agent->first_late + 1, agent->stalled + stall);
    }
}

/* "Locked operations": one begins at t. Returns the time when all outstanding accesses are done. */
static inline uint64_t bx_turns_finish(struct bx_turns_agent *agent, uint64_t t)
{
    uint64_t done = t;

    for (unsigned i = 0; i < agent->buffers; i++)
        done = bx_later(done, agent->buffer_free[i]);
    bx_turns_wait(agent, t, done);
    return done;
}

/* ---- what can be undone ---- */

/* What the agent has executed so far becomes final. */
static inline void bx_turns_settle(struct bx_turns_agent *agent, const bx_access *next,
                                   uint64_t clock)
{
    if (agent->ledger && agent->feed)
        bx_ledger_settle(agent->ledger, agent->feed, next);
    bx_cycle_stack_settle(&agent->stack);
    agent->settled = next;
    agent->settled_clock = clock;
    agent->settled_stalls = agent->counts.waits.stalls;
    if (agent->bounded) {
        agent->settled_stalled = agent->stalled;
        agent->settled_late = agent->first_late;
    }
    if (agent->privates)
        bx_undo_clear(&agent->privates->undo);
}

/* Whether a core has executed accesses, or stopped, at a time after the access being served. */
static inline bool bx_turns_is_ahead(const struct bx_turns *turns, unsigned core)
{
    return bx_turns_key(turns->agent[core].clock, core) > turns->serving &&
           core != turns->serving % (1u << BX_TURNS_NUMBER_BITS);
}

/* Undoes what the core has executed after the access being served. */
void bx_turns_undo(bx_model *m, struct bx_turns *turns, unsigned core);

/* The end of the accesses that an agent may now run ahead. */
static inline const bx_access *bx_turns_ahead_end(const struct bx_turns_agent *agent)
{
    size_t left = (size_t)(agent->end - agent->feed->next), most = agent->ahead;

    if (agent->privates && agent->privates->undo.open &&
        most > bx_undo_room(&agent->privates->undo))
        most = bx_undo_room(&agent->privates->undo);
    return agent->feed->next + (left < most ? left : most);
}

#endif

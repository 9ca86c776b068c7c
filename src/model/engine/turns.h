/* The order of accesses: all take effect in the order of their time, then of the agents' numbers
 * (docs/explanation/model.md, "Order").
 *
 * A core's private accesses touch no other agent. So a core runs ahead through them, past the turns
 * of others, and keeps what its caches held before. An agent that is about to snoop it first has it
 * undo what it has executed too early. Snoops are rare beside private accesses, and so are agents
 * that snoop a core which is ahead of them. */
#ifndef BX_MODEL_ENGINE_TURNS_H
#define BX_MODEL_ENGINE_TURNS_H

#include "model/engine/core_signal.h"
#include "model/engine/kind.h"
#include "model/engine/store_buffer.h"
#include "model/engine/undo.h"

enum {
    BX_TURNS_AGENT_BUFFERS = BX_FILL_BUFFERS_MOST, /* most requests of an agent in flight */
    BX_TURNS_NUMBER_BITS = 7,                      /* of an agent's number in a key */
    BX_TURNS_AHEAD_MOST = 4096,                    /* accesses that an agent runs ahead at once */
};

enum bx_turns_agent_phase {
    BX_TURNS_AGENT_IDLE,    /* no feed, or it has ended */
    BX_TURNS_AGENT_PARKED,  /* its feed waits */
    BX_TURNS_AGENT_READY,   /* to run ahead */
    BX_TURNS_AGENT_WAITING, /* its next access waits for its turn at the uncore */
};

/* A load that has not completed: the agent goes on without it until its clock, less the cycles in
 * which it did nothing, is at `limit`. */
struct bx_turns_late {
    uint64_t limit, completion;
};

struct bx_turns_agent {
    bx_feed *feed;
    const bx_access *end; /* of what it may execute: of its batch, where another waits for it, or a
                             store that waits for another */
    enum bx_turns_agent_phase phase;
    uint64_t clock;     /* when its last access was done; when waiting: when it stopped */
    uint64_t turn;      /* when waiting: the time of the access */
    uint64_t completed; /* the latest completion of its accesses */
    uint64_t buffer_free[BX_TURNS_AGENT_BUFFERS]; /* used in turn */
    unsigned buffers, next_buffer;
    bool bounded;     /* it has a window, or a store buffer of limited size */
    unsigned window;  /* how far it goes on past a load that has not completed; 0: any way */
    uint64_t stalled; /* cycles in which it did nothing */
    uint64_t limit;   /* that of the first late load, by its clock; BX_NEVER: there is none */
    struct bx_turns_late late[BX_TURNS_AGENT_BUFFERS]; /* a ring */
    unsigned first_late, end_late;                     /* count up */
    struct bx_store_buffer store_buffer;
    const bx_access *stop; /* a store that its end was set to; NULL: none in this batch */
    struct bx_undo *undo;  /* of a core; NULL: a device, which has no private accesses */
    /* Where it was when `undo` was empty: nobody can have it undo what is before that. */
    const bx_access *settled;
    uint64_t settled_clock, settled_stalled;
    struct bx_core_stalls settled_stalls;
    unsigned settled_late;
    unsigned ahead; /* accesses that it may run ahead: fewer where they are often undone */
    /* When parked: it waits for the access at `position` of agent `waits_for`, or for nobody. */
    unsigned waits_for;
    const bx_access *position;
    bool awaited; /* others wait for it, or have */
    struct bx_core_counts counts;
};

enum { BX_TURNS_NOBODY = BX_AGENTS };

/* A key orders what agents do: time << BX_TURNS_NUMBER_BITS | number. */
#define BX_TURNS_NO_KEY UINT64_MAX
_Static_assert(BX_TIME_MOST - 1 <= UINT64_MAX >> (BX_TURNS_NUMBER_BITS + 1),
               "a key holds any time, and work may go on as long again");

struct bx_turns {
    struct bx_turns_agent *agent;
    unsigned n, cores; /* agents; those of them that are cores, which are the first */
    unsigned gt, io;   /* these two; BX_TURNS_NOBODY: there is none */
    /* Executes private accesses before `until`, up to bx_turns_ahead_end(), or until the agent
     * waits. Sets phase, clock, turn and feed->next. It may serve turns before `until` itself, as
     * long as their keys are less than `limit`. */
    void (*run_ahead)(bx_model *m, struct bx_turns *turns, unsigned agent, uint64_t until);
    /* Serves a waiting agent at its turn. It is ready then. */
    void (*serve)(bx_model *m, struct bx_turns *turns, unsigned agent);
    /* Restores a core's caches. */
    void (*restore)(bx_model *m, struct bx_turns *turns, unsigned agent);

    uint64_t serving;                          /* the key of the access that the uncore serves */
    uint64_t limit;                            /* the next key of all other agents */
    uint8_t heap[BX_AGENTS], place[BX_AGENTS]; /* agents by key; each one's place there */
    uint64_t key[BX_AGENTS];                   /* not after the next access of each agent */
    const struct bx_turns_agent *asked;        /* its refill is being called; NULL: nobody's is */
    struct bx_core_source core_source;
    bx_ratio core_clock;
    bool running;      /* agents are, and may be ahead */
    bool counts_cores; /* a counter of a core is in use: what is reported cycle by cycle is exact
                          for it, too */
};

/* Of struct bx_model_kind, for models that have bx_model.turns. */
void bx_turns_feed(bx_model *m, unsigned agent, bx_feed *feed);
bool bx_turns_run(bx_model *m, uint64_t until);
void bx_turns_idle(bx_model *m, uint64_t cycles);
void bx_turns_wake(bx_model *m, unsigned agent);
void bx_turns_wait_for(bx_model *m, unsigned agent, unsigned other, const bx_access *position);
void bx_turns_catch_up(bx_model *m);
uint64_t bx_turns_clock(const bx_model *m, unsigned agent);

static inline uint64_t bx_turns_key(uint64_t time, unsigned agent)
{
    return time << BX_TURNS_NUMBER_BITS | agent;
}

/* ---- late loads: docs/explanation/model.md, "Window" ---- */

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

/* The agent's clock goes on by so many cycles in which it does nothing. */
static inline void bx_turns_stall(struct bx_turns_agent *agent, uint64_t cycles)
{
    if (!agent->window)
        return;
    if (agent->limit != BX_NEVER)
        agent->limit += cycles;
    agent->stalled += cycles;
}

/* The same, where it waits for an access: from one time to another. */
static inline void bx_turns_wait(struct bx_turns_agent *agent, uint64_t from, uint64_t to)
{
    if (to == from)
        return;
    bx_core_waits_stall(&agent->counts.waits, from, to);
    bx_turns_stall(agent, to - from);
}

static inline void bx_turns_bound(struct bx_turns_agent *agent, const bx_model_times *times)
{
    agent->window = times->window;
    agent->store_buffer.entries = times->store_buffer;
    agent->bounded = times->window || times->store_buffer;
}

/* Of a core that is bounded: what is at `at` in its batch has taken a buffer at t. */
void bx_turns_add_late(struct bx_turns_agent *agent, const bx_access *at, uint64_t t,
                       uint64_t completion);

/* The agent's next access costs so much. If it comes too long after a load it waits for that. */
static inline void bx_turns_wait_for_late(struct bx_turns_agent *agent, unsigned cost)
{
    while (agent->clock + cost >= agent->limit) {
        uint64_t completion = bx_turns_late_at(agent, agent->first_late)->completion, stall = 0;
        uint64_t from = agent->clock + cost;
        if (from < completion)
            stall = completion - from;
        bx_core_waits_stall(&agent->counts.waits, from, from + stall);
        agent->clock += stall;
        bx_turns_go_to_late(agent, agent->first_late + 1, agent->stalled + stall);
    }
}

/* "Locked operations": one begins at t. Returns when all that the agent has under way is done. */
static inline uint64_t bx_turns_finish(struct bx_turns_agent *agent, uint64_t t)
{
    uint64_t done = t;

    for (unsigned i = 0; i < agent->buffers; i++)
        done = agent->buffer_free[i] > done ? agent->buffer_free[i] : done;
    bx_turns_wait(agent, t, done);
    return done;
}

/* ---- what can be undone ---- */

/* What a core has executed stays. */
static inline void bx_turns_settle(struct bx_turns_agent *agent, const bx_access *next,
                                   uint64_t clock)
{
    agent->settled = next;
    agent->settled_clock = clock;
    agent->settled_stalls = agent->counts.waits.stalls;
    if (agent->bounded) {
        agent->settled_stalled = agent->stalled;
        agent->settled_late = agent->first_late;
    }
    if (agent->undo)
        bx_undo_clear(agent->undo);
}

/* Whether a core has executed something, or stopped, after the access that is being served. */
static inline bool bx_turns_is_ahead(const struct bx_turns *turns, unsigned core)
{
    return bx_turns_key(turns->agent[core].clock, core) > turns->serving &&
           core != turns->serving % (1u << BX_TURNS_NUMBER_BITS);
}

/* Undoes that: the access that is being served is about to snoop the core. */
void bx_turns_undo(bx_model *m, struct bx_turns *turns, unsigned core);

/* The end of the accesses that an agent may now run ahead. */
static inline const bx_access *bx_turns_ahead_end(const struct bx_turns_agent *agent)
{
    size_t left = (size_t)(agent->end - agent->feed->next), most = agent->ahead;

    if (agent->undo && agent->undo->open && most > bx_undo_room(agent->undo))
        most = bx_undo_room(agent->undo);
    return agent->feed->next + (left < most ? left : most);
}

#endif

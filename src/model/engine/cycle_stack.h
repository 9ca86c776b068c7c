/* What a core does in its cycles: a sum for each cause. What no wait takes is `issue`, so the sums
 * are the core's unhalted cycles by construction. docs/explanation/cycle-stack.md */
#ifndef BX_MODEL_ENGINE_CYCLE_STACK_H
#define BX_MODEL_ENGINE_CYCLE_STACK_H

#include "model/engine/access.h"

/* A recording has these after the events. */
enum bx_cause {
    BX_ISSUE,       /* instructions issue */
    BX_WAIT_L2,     /* for a line of its private levels behind L1 */
    BX_WAIT_FLIGHT, /* for a line that a prefetch has asked for */
    BX_WAIT_LLC,
    BX_WAIT_CORE,    /* for a line of another core of the package */
    BX_WAIT_PACKAGE, /* of another package's caches */
    BX_WAIT_TURN,    /* until another core is done with the line */
    BX_WAIT_MEMORY,
    BX_WAIT_REMOTE_MEMORY,
    BX_WAIT_TLB,    /* for a page walk, or the second TLB */
    BX_WAIT_BUFFER, /* for a fill buffer */
    BX_WAIT_STORES, /* for the store buffer */
    BX_WAIT_LOCK,   /* a locked operation, for what was before it */
    BX_WAIT_KERNEL, /* for accesses of a kernel */
    BX_WAIT_BRANCH, /* for the instructions after a mispredicted branch */
    BX_WAIT_END,    /* at the end of its work, for what is still on its way */
    BX_WAIT_FETCH,  /* the P6 family: for instructions, from wherever, … */
    BX_WAIT_DATA,   /* … and for data */
    BX_CAUSES,
};

/* "issue", "wait:llc" */
const char *bx_cause_name(enum bx_cause cause);

/* The cause of a wait for an access: page walks and the kernel have theirs, wherever the line is.
 */
static inline enum bx_cause bx_cause_of_access(bx_access a, enum bx_cause cause)
{
    if (!(a & BX_ACCESS_AUXILIARY))
        return cause;
    return a & BX_ACCESS_DEPENDENT ? BX_WAIT_TLB : BX_WAIT_KERNEL;
}

struct bx_cycle_stack {
    /* Uncore cycles of waits: those that are final, and those since then. */
    uint64_t final[BX_CAUSES], since[BX_CAUSES];
    unsigned causes;      /* a set: which of `since` are not 0 */
    enum bx_cause last;   /* the last wait, … */
    uint64_t last_cycles; /* … which may end after the present time */
    uint64_t paused;      /* of the wait for the next turn: cycles in which the machine paused */
    uint64_t ticks[BX_CAUSES]; /* of the core's clock, as they were read last */
};

static inline void bx_cycle_stack_wait(struct bx_cycle_stack *s, enum bx_cause cause,
                                       uint64_t cycles)
{
    s->since[cause] += cycles;
    s->causes |= 1u << cause;
    s->last = cause;
    s->last_cycles = cycles;
}

/* What it has waited for is final. */
static inline void bx_cycle_stack_settle(struct bx_cycle_stack *s)
{
    for (; s->causes; s->causes &= s->causes - 1) {
        unsigned cause = (unsigned)__builtin_ctz(s->causes);
        s->final[cause] += s->since[cause];
        s->since[cause] = 0;
    }
}

/* Its last wait was so many cycles shorter. */
static inline void bx_cycle_stack_shorten(struct bx_cycle_stack *s, uint64_t cycles)
{
    uint64_t less = cycles < s->last_cycles ? cycles : s->last_cycles;
    uint64_t *sum = s->causes >> s->last & 1 ? s->since : s->final;

    sum[s->last] -= less;
    s->last_cycles -= less;
}

/* The core goes back to what is final. */
void bx_cycle_stack_go_back(struct bx_cycle_stack *s);

/* A core at a time. */
struct bx_cycle_stack_at {
    uint64_t ticks;        /* its unhalted ticks */
    uint64_t n, d;         /* ticks a cycle of the uncore */
    uint64_t later;        /* cycles of its last wait that are after this time */
    enum bx_cause pending; /* it waits for its turn: for this, … */
    uint64_t waited;       /* … since so many cycles */
    uint64_t tlb;          /* cycles in which an access waited for its translation */
};

/* The ticks of a cause. Times never decrease from call to call. No sum ever decreases, and all of
 * them are at->ticks together: what rounding takes from one, it gets at the next call. */
uint64_t bx_cycle_stack_ticks(struct bx_cycle_stack *s, const struct bx_cycle_stack_at *at,
                              enum bx_cause cause);

#endif

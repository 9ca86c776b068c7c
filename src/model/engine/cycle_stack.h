/* What a core does in its cycles: a sum for each cause. What no wait takes is `issue`, so the sums
 * are the core's unhalted cycles by construction. docs/explanation/cycle-stack.md */
#ifndef BX_MODEL_ENGINE_CYCLE_STACK_H
#define BX_MODEL_ENGINE_CYCLE_STACK_H

#include "model/engine/access.h"
#include "model/engine/core_time.h"
#include "model/engine/shape.h"

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
 * What the kernel overwrites has a cost; what a string instruction of the program does has none. */
static inline enum bx_cause bx_cause_of_access(bx_access a, enum bx_cause cause)
{
    bool of_program = a & BX_ACCESS_WHOLE && !bx_access_cost(a);

    if (!(a & BX_ACCESS_AUXILIARY) || of_program)
        return cause;
    return a & BX_ACCESS_DEPENDENT ? BX_WAIT_TLB : BX_WAIT_KERNEL;
}

/* A wait: cycles of the uncore up to a position among the core's unhalted cycles. */
struct bx_wait {
    uint64_t end, cycles;
    enum bx_cause cause;
};

/* A read may come before the end of these: of the access before, and those that one access waits
 * for. */
enum { BX_WAITS = 64 };
_Static_assert(BX_WAITS > BX_FILL_BUFFERS_MOST + 4, "an access waits for so many others");

/* A ring of the last waits. */
struct bx_waits {
    uint64_t n; /* those that have been */
    struct bx_wait wait[BX_WAITS];
};

/* A tick belongs to the cause of the cycle in which it comes. So sums do not depend on when they
 * are read. */
struct bx_cycle_stack {
    bx_ratio clock; /* ticks a cycle of the uncore */
    /* Ticks of waits: those that are final, and those since then. */
    uint64_t final[BX_CAUSES], since[BX_CAUSES];
    unsigned causes; /* a set: which of `since` are not 0 */
    struct bx_waits kept, last;
    uint64_t paused; /* of the wait for the next turn: cycles in which the machine paused */
    uint64_t issue;  /* ticks, as they were read last */
};

/* Ticks of the `cycles` before a position. */
static inline uint64_t bx_cycle_stack_between(const struct bx_cycle_stack *s, uint64_t end,
                                              uint64_t cycles)
{
    return bx_whole_ticks(s->clock, end) - bx_whole_ticks(s->clock, end - cycles);
}

static inline void bx_cycle_stack_wait(struct bx_cycle_stack *s, enum bx_cause cause, uint64_t end,
                                       uint64_t cycles)
{
    s->last.wait[s->last.n++ % BX_WAITS] = (struct bx_wait){end, cycles, cause};
    s->since[cause] += bx_cycle_stack_between(s, end, cycles);
    s->causes |= 1u << cause;
}

void bx_cycle_stack_keep(struct bx_cycle_stack *s);

/* What it has waited for is final. */
static inline void bx_cycle_stack_settle(struct bx_cycle_stack *s)
{
    if (s->causes)
        bx_cycle_stack_keep(s);
}

/* What is left of waits at a position is `cycles` shorter. What it has waited for is final. */
void bx_cycle_stack_shorten(struct bx_cycle_stack *s, uint64_t position, uint64_t cycles);

/* The core goes back to what is final. */
void bx_cycle_stack_go_back(struct bx_cycle_stack *s);

/* A core at a time. */
struct bx_cycle_stack_at {
    uint64_t position; /* its unhalted cycles */
    /* It waits for its turn: for this, since so many cycles before a position. */
    enum bx_cause pending;
    uint64_t waited, waited_to;
    uint64_t tlb; /* cycles in which an access waits for its translation */
};

/* The ticks of a cause. Times never decrease from call to call. No sum ever decreases, and all of
 * them are the ticks of at->position together. */
uint64_t bx_cycle_stack_ticks(struct bx_cycle_stack *s, const struct bx_cycle_stack_at *at,
                              enum bx_cause cause);

#endif

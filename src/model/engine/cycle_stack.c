/* The cycles of a core by cause. */
#include "model/engine/cycle_stack.h"

const char *bx_cause_name(enum bx_cause cause)
{
    static const char *const names[BX_CAUSES] = {
        [BX_ISSUE] = "issue",
        [BX_WAIT_L2] = "wait:l2",
        [BX_WAIT_FLIGHT] = "wait:flight",
        [BX_WAIT_LLC] = "wait:llc",
        [BX_WAIT_CORE] = "wait:core",
        [BX_WAIT_PACKAGE] = "wait:package",
        [BX_WAIT_TURN] = "wait:turn",
        [BX_WAIT_MEMORY] = "wait:memory",
        [BX_WAIT_REMOTE_MEMORY] = "wait:remote-memory",
        [BX_WAIT_TLB] = "wait:tlb",
        [BX_WAIT_BUFFER] = "wait:buffer",
        [BX_WAIT_STORES] = "wait:stores",
        [BX_WAIT_LOCK] = "wait:lock",
        [BX_WAIT_KERNEL] = "wait:kernel",
        [BX_WAIT_BRANCH] = "wait:branch",
        [BX_WAIT_END] = "wait:end",
        [BX_WAIT_FETCH] = "wait:fetch",
        [BX_WAIT_DATA] = "wait:data",
    };

    return names[cause];
}

void bx_cycle_stack_go_back(struct bx_cycle_stack *s)
{
    for (; s->causes; s->causes &= s->causes - 1)
        s->since[__builtin_ctz(s->causes)] = 0;
    s->last_cycles = 0;
}

/* Cycles of waits for this before the time. */
static uint64_t waited(const struct bx_cycle_stack *s, const struct bx_cycle_stack_at *at,
                       enum bx_cause cause)
{
    uint64_t later = at->later < s->last_cycles ? at->later : s->last_cycles;

    return s->final[cause] + s->since[cause] - (cause == s->last ? later : 0) +
           (cause == at->pending ? at->waited : 0) + (cause == BX_WAIT_TLB ? at->tlb : 0);
}

static uint64_t total(const struct bx_cycle_stack *s)
{
    uint64_t sum = 0;

    for (unsigned cause = 0; cause < BX_CAUSES; cause++)
        sum += s->ticks[cause];
    return sum;
}

/* Each cause takes its own part of the ticks since the last call, as far as there are any. */
uint64_t bx_cycle_stack_ticks(struct bx_cycle_stack *s, const struct bx_cycle_stack_at *at,
                              enum bx_cause of)
{
    uint64_t rest = at->ticks - total(s);

    for (unsigned cause = BX_ISSUE + 1; rest && cause < BX_CAUSES; cause++) {
        uint64_t cycles = waited(s, at, cause);
        uint64_t now = cycles / at->d * at->n + cycles % at->d * at->n / at->d;
        uint64_t more = now > s->ticks[cause] ? now - s->ticks[cause] : 0;
        more = more < rest ? more : rest;
        s->ticks[cause] += more;
        rest -= more;
    }
    s->ticks[BX_ISSUE] += rest;
    return s->ticks[of];
}

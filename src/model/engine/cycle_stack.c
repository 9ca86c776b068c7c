/* The cycles of a core by cause. */
#include "model/engine/cycle_stack.h"

#include "model/part/later.h"

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

void bx_cycle_stack_keep(struct bx_cycle_stack *s)
{
    const struct bx_waits *last = &s->last;

    for (; s->causes; s->causes &= s->causes - 1) {
        unsigned cause = (unsigned)__builtin_ctz(s->causes);
        s->final[cause] += s->since[cause];
        s->since[cause] = 0;
    }
    for (uint64_t i = last->n > BX_WAITS ? last->n - BX_WAITS : 0; i < last->n; i++)
        s->kept.wait[s->kept.n++ % BX_WAITS] = last->wait[i % BX_WAITS];
    s->last.n = 0;
}

void bx_cycle_stack_go_back(struct bx_cycle_stack *s)
{
    for (; s->causes; s->causes &= s->causes - 1)
        s->since[__builtin_ctz(s->causes)] = 0;
    s->last.n = 0;
}

/* What comes after what is left of a wait comes earlier, too. */
void bx_cycle_stack_shorten(struct bx_cycle_stack *s, uint64_t position, uint64_t cycles)
{
    uint64_t earlier = 0;

    bx_cycle_stack_settle(s);
    for (uint64_t i = s->kept.n > BX_WAITS ? s->kept.n - BX_WAITS : 0; i < s->kept.n; i++) {
        struct bx_wait *w = &s->kept.wait[i % BX_WAITS];
        if (w->end <= position)
            continue;
        uint64_t left = bx_sooner(w->end - position, w->cycles);
        uint64_t less = bx_sooner(left, cycles - earlier);
        s->final[w->cause] -= bx_cycle_stack_between(s, w->end, w->cycles);
        earlier += less;
        w->end -= earlier;
        w->cycles -= less;
        s->final[w->cause] += bx_cycle_stack_between(s, w->end, w->cycles);
    }
}

/* Ticks of waits for this, in a ring, that come after the position. */
static uint64_t later(const struct bx_cycle_stack *s, const struct bx_waits *waits,
                      uint64_t position, enum bx_cause cause)
{
    uint64_t sum = 0;

    for (uint64_t i = waits->n; i-- && waits->n - i <= BX_WAITS;) {
        const struct bx_wait *w = &waits->wait[i % BX_WAITS];
        if (w->end <= position)
            break;
        if (w->cause == cause)
            sum += bx_cycle_stack_between(s, w->end, bx_sooner(w->end - position, w->cycles));
    }
    return sum;
}

/* Ticks of waits for this before the time. */
static uint64_t waited(const struct bx_cycle_stack *s, const struct bx_cycle_stack_at *at,
                       enum bx_cause cause)
{
    uint64_t pending = cause == at->pending ? at->waited : 0;

    return s->final[cause] + s->since[cause] - later(s, &s->kept, at->position, cause) -
           later(s, &s->last, at->position, cause) +
           bx_cycle_stack_between(s, at->waited_to, pending);
}

/* Of what no wait takes, page walks take their cycles, and `issue` the rest. The cycles of a walk
 * are known when it begins: it gets them as they pass. */
static uint64_t issue(struct bx_cycle_stack *s, const struct bx_cycle_stack_at *at)
{
    uint64_t rest = bx_whole_ticks(s->clock, at->position);
    uint64_t walks = bx_whole_ticks(s->clock, at->tlb);

    for (unsigned cause = BX_ISSUE + 1; cause < BX_CAUSES; cause++)
        rest -= waited(s, at, cause);
    s->issue = bx_later(s->issue, rest - bx_sooner(rest, walks));
    return s->issue;
}

uint64_t bx_cycle_stack_ticks(struct bx_cycle_stack *s, const struct bx_cycle_stack_at *at,
                              enum bx_cause of)
{
    uint64_t sum = issue(s, at);

    if (of == BX_ISSUE)
        return sum;
    if (of != BX_WAIT_TLB)
        return waited(s, at, of);
    for (unsigned cause = BX_ISSUE + 1; cause < BX_CAUSES; cause++)
        sum += cause == BX_WAIT_TLB ? 0 : waited(s, at, cause);
    return bx_whole_ticks(s->clock, at->position) - sum;
}

/* The outstanding requests of a core, and the cycles in which it stalls for them. */
#include "model/engine/core_waits.h"

static uint64_t rest(uint64_t until, uint64_t now)
{
    return until > now ? until - now : 0;
}

static void add_wait(struct bx_core_waits *w, unsigned of, uint64_t t, uint64_t completion)
{
    uint64_t from = w->until[of] > t ? w->until[of] : t;

    w->sum[of] += completion - t;
    if (completion <= from)
        return;
    w->cycles[of] += completion - from;
    w->until[of] = completion;
}

void bx_core_waits_begin(struct bx_core_waits *w, uint64_t t, uint64_t completion)
{
    for (unsigned set = w->serving; set; set &= set - 1)
        add_wait(w, (unsigned)__builtin_ctz(set), t, completion);
    if (w->serving)
        w->last[w->next++ % BX_FILL_BUFFERS_MOST] = (struct bx_core_flight){completion, w->serving};
    w->serving = 0;
}

void bx_core_waits_stall(struct bx_core_waits *w, uint64_t from, uint64_t to)
{
    for (unsigned i = 0; i < 2; i++) {
        uint64_t until = w->until[BX_OUTSTANDING_BEYOND_L2 + i], end = to < until ? to : until;
        if (end <= from)
            continue;
        w->stalls.cycles[i] += end - from;
        if (w->stalls.to[i] != from)
            w->stalls.from[i] = from;
        w->stalls.to[i] = end;
    }
}

/* The part of `cycles` from the cycle `now` on, which is still to come. */
static uint64_t stalls_to_come(const struct bx_core_stalls *stalls, unsigned i, uint64_t now)
{
    return rest(stalls->to[i], stalls->from[i] > now ? stalls->from[i] : now);
}

uint64_t bx_core_waits_sum(const struct bx_core_waits *w, unsigned of, uint64_t now)
{
    uint64_t sum = 0;

    for (unsigned set = of; set; set &= set - 1)
        sum += w->sum[__builtin_ctz(set)];
    for (unsigned i = 0; i < BX_FILL_BUFFERS_MOST; i++)
        sum -= rest(w->last[i].completion, now) * (unsigned)__builtin_popcount(w->last[i].of & of);
    return sum;
}

uint64_t bx_core_waits_cycles(const struct bx_core_waits *w, enum bx_outstanding of, uint64_t now)
{
    return w->cycles[of] - rest(w->until[of], now);
}

uint64_t bx_core_waits_stalled(const struct bx_core_waits *w, enum bx_outstanding of, uint64_t now)
{
    unsigned i = of - BX_OUTSTANDING_BEYOND_L2;

    return w->stalls.cycles[i] - stalls_to_come(&w->stalls, i, now);
}

void bx_core_waits_end(struct bx_core_waits *w, uint64_t t)
{
    for (unsigned of = 0; of < BX_OUTSTANDINGS; of++) {
        w->sum[of] = bx_core_waits_sum(w, 1u << of, t);
        w->cycles[of] -= rest(w->until[of], t);
        w->until[of] = 0;
    }
    for (unsigned i = 0; i < 2; i++) {
        w->stalls.cycles[i] -= stalls_to_come(&w->stalls, i, t);
        w->stalls.from[i] = w->stalls.to[i] = 0;
    }
    for (unsigned i = 0; i < BX_FILL_BUFFERS_MOST; i++)
        w->last[i].completion = 0;
}

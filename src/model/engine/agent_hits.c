/* A core whose counts are watched runs cycle by cycle. This passes the accesses by that L1 serves,
 * which most watched counts do not count. */
#include "model/part/later.h"
#include "model/part/private_step.h"

#include "model/engine/turns.h"

/* Whether L1 serves an access at once. A prefetch of a line that the caches have is no more. */
static inline bool is_hit(const struct bx_privates *p, bx_access a, uint64_t t)
{
    if (bx_access_kind_of(a) == BX_NON_TEMPORAL)
        return a & BX_ACCESS_PREFETCH && bx_privates_have_prefetched(p, a);
    if (bx_access_kind_of(a) == BX_FETCH)
        return bx_cache_has(&p->l1i, bx_access_line(a));
    if (a & BX_ACCESS_DEPENDENT && bx_privates_have_arrivals(p, t))
        return false;
    enum bx_line_state state = bx_privates_state(&p->l1d, bx_access_searched(a));
    return bx_access_kind_of(a) == BX_STORE ? state > p->suspect : state != BX_LINE_I;
}

void bx_agent_pass_hits(bx_model *m, struct bx_turns *turns, unsigned core, uint64_t until)
{
    struct bx_turns_agent *agent = &turns->agent[core];
    struct bx_privates *p = agent->privates;
    const bx_access *next = agent->feed->next, *end = agent->end;
    uint64_t clock = agent->clock, bound = bx_sooner(until, agent->limit);

    bx_turns_settle(agent, next, clock);
    for (; next < end; next++) {
        uint64_t t = clock + bx_access_cost(*next);
        bool repeats = bx_last_lines_repeats(&p->last, *next) && !bx_privates_have_arrivals(p, t);
        if (t >= bound || (!repeats && !is_hit(p, *next, t)))
            break;
        if (!repeats && bx_access_kind_of(*next) != BX_NON_TEMPORAL)
            bx_privates_step(p, *next, t, false);
        clock = t;
    }
    m->accesses += (uint64_t)(next - agent->feed->next);
    agent->feed->next = next;
    agent->clock = clock;
    bx_turns_settle(agent, next, clock);
}

/* Cores that wait for a line: docs/explanation/model-order.md, "A line's turns". */
#ifndef BX_MODEL_ENGINE_LINE_QUEUE_H
#define BX_MODEL_ENGINE_LINE_QUEUE_H

#include "model/engine/turns.h"

/* Whether another core came for the line before this one, which came as the number `came`. */
static inline bool bx_line_comes_later(const struct bx_turns *turns, uint64_t line, uint64_t came)
{
    for (unsigned i = 0; turns->queued && i < turns->cores; i++) {
        const struct bx_turns_agent *other = &turns->agent[i];
        if (other->queued && other->queued_line == line && other->queued < came)
            return true;
    }
    return false;
}

/* When a core may request the line, as far as is known at t. A core that has got a line does with
 * it what it wanted it for, before others get it. came: BX_NEVER, if it comes now. */
static inline uint64_t bx_line_turn_of(const struct bx_turns *turns, unsigned core, uint64_t line,
                                       uint64_t t, uint64_t came)
{
    const struct bx_line_turn *turn = bx_line_turns_find(&turns->lines, line);
    bool busy = turn && turn->arrives >= t;

    if (busy)
        return turn->core == core ? t : turn->arrives + 1;
    return bx_line_comes_later(turns, line, came) ? t + 1 : t;
}

/* A store for which nothing waits: it can wait for its line in its fill buffer. */
static inline bool bx_waits_in_buffer(bx_access a)
{
    return bx_access_kind_of(a) == BX_STORE && !(a & (BX_ACCESS_DEPENDENT | BX_ACCESS_WHOLE));
}

/* The store requests its line at t, and gets it after another core. false: others came before it,
 * and wait. came: as for bx_line_turn_of(). */
static inline bool bx_line_is_delayed(struct bx_turns *turns, unsigned core, uint64_t line,
                                      uint64_t t, uint64_t came)
{
    const struct bx_line_turn *turn = bx_line_turns_find(&turns->lines, line);

    if (!turn || turn->arrives < t || turn->core == core || bx_line_comes_later(turns, line, came))
        return false;
    turns->agent[core].delay = turn->arrives + 1 - t;
    return true;
}

/* A core is about to make an access at t, its turn, for which it must request the line. Whether it
 * has to wait for the line. Then it asks again at its new turn. buffers: the access has a fill
 * buffer, where a store can wait. */
static inline bool bx_line_queues(struct bx_turns *turns, unsigned core, bx_access a, uint64_t t,
                                  bool buffers)
{
    struct bx_turns_agent *agent = &turns->agent[core];
    uint64_t line = bx_access_line(a);
    uint64_t came = agent->queued ? agent->queued : BX_NEVER;
    uint64_t turn = bx_line_turn_of(turns, core, line, t, came);

    if (turn == t ||
        (buffers && bx_waits_in_buffer(a) && bx_line_is_delayed(turns, core, line, t, came))) {
        turns->queued -= agent->queued != 0;
        agent->queued = 0;
        return false;
    }
    turns->queued += agent->queued == 0;
    if (!agent->queued)
        agent->queued = ++turns->came;
    agent->queued_line = line;
    agent->turn = turn;
    return true;
}

/* Another core has asked for the line, but at t the one that a store of this core has requested is
 * still to come: it makes the core's stores then, and loads get their bytes from the stores. */
static inline bool bx_line_is_to_come(const struct bx_turns *turns, unsigned core, bx_access a,
                                      uint64_t t)
{
    const struct bx_turns_agent *agent = &turns->agent[core];
    uint64_t line = bx_access_line(a);

    if (agent->storing <= t || bx_access_kind_of(a) > BX_STORE ||
        a & (BX_ACCESS_DEPENDENT | BX_ACCESS_WHOLE))
        return false;
    const struct bx_line_turn *turn = bx_line_turns_find(&turns->lines, line);
    if (!turn || turn->arrives < t || turn->core == core)
        return false;
    for (unsigned i = 0; i < agent->buffers; i++)
        if (agent->buffer_line[i] == line && agent->buffer_free[i] > t)
            return true;
    return false;
}

/* A core has requested a line at t, which completes later. What the LLC has for readers, it gives
 * to several at once. from: the source of the line. */
static inline void bx_line_take(bx_model *m, struct bx_turns *turns, unsigned core, bx_access a,
                                enum bx_core_count from, uint64_t t, uint64_t completion)
{
    if (!turns->uncore->cores_await_lines ||
        (bx_access_kind_of(a) != BX_STORE && from == BX_CORE_FROM_LLC))
        return;
    if (!bx_line_turns_take(&turns->lines, &m->memory, core, bx_access_line(a), t, completion))
        m->out_of_memory = true;
}

#endif

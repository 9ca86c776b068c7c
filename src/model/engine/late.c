/* Late loads and stores of a core: docs/explanation/model-core-time.md, "Window" and "Store
 * buffer". */
#include "model/engine/turns.h"

/* If the ring is full, the first late load has completed, because its buffer was taken again. */
static void add_load(struct bx_turns_agent *agent, const bx_access *at, uint64_t t,
                     uint64_t completion)
{
    if (agent->end_late - agent->first_late == BX_TURNS_AGENT_BUFFERS)
        agent->first_late++;
    *bx_turns_late_at(agent, agent->end_late++) =
        (struct bx_turns_late){t + agent->window - agent->stalled, completion, agent->cause};
    if (agent->ledger)
        bx_ledger_add_late(agent->ledger, agent->feed, at, agent->end_late - 1);
    bx_turns_go_to_late(agent, agent->first_late, agent->stalled);
}

void bx_turns_end_at_store(struct bx_turns_agent *agent)
{
    const bx_access *waiter = agent->store_buffer.waiter;

    if (waiter && waiter < agent->end)
        agent->end = agent->stop = waiter;
}

void bx_turns_add_late(struct bx_turns_agent *agent, const bx_access *at, uint64_t t,
                       uint64_t completion)
{
    unsigned kind = *at & 3;

    if (kind == BX_LOAD && !(*at & BX_ACCESS_DEPENDENT) && agent->window &&
        completion > t + agent->window)
        add_load(agent, at, t, completion);
    if (kind == BX_STORE && agent->store_buffer.entries) {
        bx_store_buffer_add(&agent->store_buffer, at, agent->feed->end, t, completion);
        bx_turns_end_at_store(agent);
    }
}

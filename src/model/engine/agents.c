/* The agents of a machine: power-on. */
#include "model/engine/core_signal.h"
#include "model/engine/turns.h"

bool bx_turns_add_core(bx_model *m, struct bx_turns *turns, const bx_model_times *times)
{
    struct bx_turns_agent *agent = &turns->agent[turns->n++];

    turns->cores = turns->n;
    agent->limit = BX_NEVER;
    agent->buffers = times->fill_buffers;
    agent->window = times->window;
    agent->store_buffer.entries = times->store_buffer;
    agent->bounded = times->window || times->store_buffer;
    agent->privates = bx_privates_new(&m->caches, times, &agent->counts, &m->memory);
    return agent->privates != NULL;
}

void bx_turns_add_device(struct bx_turns *turns, unsigned buffers)
{
    struct bx_turns_agent *agent = &turns->agent[turns->n++];

    agent->limit = BX_NEVER;
    agent->buffers = buffers;
}

void bx_turns_power_on(bx_model *m, struct bx_turns *turns, const struct bx_uncore *uncore,
                       const bx_model_shape *shape)
{
    m->turns = turns;
    turns->uncore = uncore;
    turns->io = turns->n - 1;
    turns->gt = turns->n - turns->cores > 1 ? turns->cores : BX_TURNS_NOBODY;
    turns->prefetch = shape->prefetch;
    turns->core_clock = bx_core_clock_of(shape->core_hz, shape->hz);
}

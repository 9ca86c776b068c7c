/* The agents of a machine: power-on. */
#include "model/engine/core_signal.h"
#include "model/engine/turns.h"

static void add_core(bx_model *m, struct bx_turns *turns, const bx_model_times *times,
                     bool prefetch)
{
    struct bx_turns_agent *agent = &turns->agent[turns->n++];

    agent->limit = BX_NEVER;
    agent->buffers = times->fill_buffers;
    agent->window = times->window;
    agent->store_buffer.entries = times->store_buffer;
    agent->bounded = times->window || times->store_buffer;
    agent->privates = bx_privates_new(&m->caches, times, &agent->counts, &m->memory);
    if (agent->privates)
        agent->privates->requests_queue = prefetch;
}

void bx_turns_power_on(bx_model *m, struct bx_turns *turns, const struct bx_uncore *uncore,
                       const bx_model_shape *shape, unsigned buffers)
{
    m->turns = turns;
    turns->uncore = uncore;
    turns->cores = shape->packages * shape->cores;
    while (turns->n < turns->cores)
        add_core(m, turns, &shape->times, shape->prefetch);
    turns->gt = uncore->devices > 1 ? turns->cores : BX_TURNS_NOBODY;
    turns->io = turns->cores + uncore->devices - 1;
    for (; turns->n <= turns->io; turns->n++) {
        turns->agent[turns->n].limit = BX_NEVER;
        turns->agent[turns->n].buffers = buffers;
    }
    turns->prefetch = shape->prefetch;
    turns->locks = shape->times.locked != 0 || uncore->lock_bus;
    turns->predicts = !shape->no_predictor;
    turns->mispredicts = turns->predicts && shape->times.mispredict;
    turns->core_clock = bx_core_clock_of(shape->core_hz, shape->hz);
    for (unsigned i = 0; i < turns->cores; i++)
        turns->agent[i].stack.clock = turns->core_clock;
}

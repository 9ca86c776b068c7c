/* Reads the counts of cores as signals, at the model's time. */
#include "model/engine/turns.h"

bx_ratio bx_core_clock_of(uint64_t hz, uint64_t uncore_hz)
{
    uint64_t n = hz, d = uncore_hz;

    if (!hz || hz == uncore_hz)
        return (bx_ratio){1, 1};
    while (d) { /* Euclid: n becomes the greatest common divisor */
        uint64_t rest = n % d;
        n = d;
        d = rest;
    }
    uint64_t ticks = hz / n, cycles = uncore_hz / n;
    for (; (ticks | cycles) > UINT32_MAX; ticks /= 2)
        cycles /= 2;
    return (bx_ratio){(uint32_t)ticks, (uint32_t)cycles};
}

bool bx_core_signal_has_levels(const struct bx_signal *signal)
{
    const uint64_t of_blocks = (UINT64_C(1) << BX_RETIRED_COUNTS) - 1;

    return !signal->of_core || (!((signal->plus | signal->minus) & of_blocks) &&
                                signal->core_level != BX_CORE_REQUESTS);
}

static bx_model *model_of(struct bx_signal_source *source)
{
    return ((struct bx_core_source *)(void *)source)->model;
}

/* Returns the core after it has executed exactly what comes before the present time. */
static struct bx_turns_agent *core_of(bx_model *m, const struct bx_signal *signal)
{
    struct bx_turns *turns = m->turns;
    struct bx_turns_agent *agent = &turns->agent[signal->core];

    turns->counts_cores = true;
    if (turns->running && bx_turns_is_ahead(turns, signal->core))
        bx_turns_undo(m, turns, signal->core);
    if (agent->phase != BX_TURNS_AGENT_IDLE && agent != turns->asked)
        bx_core_counts_retire(&agent->counts, agent->feed);
    return agent;
}

/* Stalled cycles of a core that waits for its turn: those from its clock to the turn. */
static uint64_t stalled_before_turn(const struct bx_turns_agent *agent, enum bx_outstanding of,
                                    uint64_t now)
{
    uint64_t to = agent->turn < now ? agent->turn : now, until = agent->counts.waits.until[of];

    if (agent->phase != BX_TURNS_AGENT_WAITING)
        return 0;
    to = until < to ? until : to;
    return to > agent->clock ? to - agent->clock : 0;
}

/* The sum of the level over all cycles before `now`, in uncore cycles. */
static uint64_t sum_of(const struct bx_turns_agent *agent, const struct bx_signal *signal,
                       uint64_t now)
{
    const struct bx_core_waits *waits = &agent->counts.waits;
    enum bx_outstanding of = signal->entries ? __builtin_ctz(signal->entries) : 0;

    switch (signal->core_level) {
    case BX_CORE_UNHALTED:
        break;
    case BX_CORE_REQUESTS:
        return bx_core_waits_sum(waits, signal->entries, now);
    case BX_CORE_ANY:
        return bx_core_waits_cycles(waits, of, now);
    case BX_CORE_STALLED:
        return bx_core_waits_stalled(waits, of, now) + stalled_before_turn(agent, of, now);
    }
    return bx_core_counts_unhalted(&agent->counts, now);
}

/* Whole ticks of the signal's clock. */
static uint64_t ticks(const struct bx_signal *signal, uint64_t cycles)
{
    return cycles / signal->clock.d * signal->clock.n +
           cycles % signal->clock.d * signal->clock.n / signal->clock.d;
}

static uint64_t source_tally(struct bx_signal_source *source, const struct bx_signal *signal,
                             uint64_t now)
{
    struct bx_turns_agent *agent = core_of(model_of(source), signal);

    return signal->kind == BX_SIGNAL_PULSES
               ? bx_core_counts_sum(&agent->counts, signal->plus, signal->minus)
               : ticks(signal, sum_of(agent, signal, now));
}

static uint64_t source_level(struct bx_signal_source *source, const struct bx_signal *signal,
                             uint64_t now)
{
    const struct bx_turns_agent *agent = core_of(model_of(source), signal);

    return ticks(signal, sum_of(agent, signal, now + 1)) -
           ticks(signal, sum_of(agent, signal, now));
}

/* A core begins and ends work only when something is executed. Until then, its level can change in
 * each cycle if its clock is not the uncore's, or if it waits. */
static uint64_t source_next_change(struct bx_signal_source *source, const struct bx_signal *signal,
                                   uint64_t now)
{
    const struct bx_core_counts *counts = &core_of(model_of(source), signal)->counts;

    if (counts->runs && counts->since > now)
        return counts->since;
    if (signal->core_level != BX_CORE_UNHALTED)
        return counts->runs || counts->until > now ? now + 1 : BX_NEVER;
    if (counts->runs)
        return signal->clock.n == signal->clock.d ? BX_NEVER : now + 1;
    return counts->until > now ? now + 1 : BX_NEVER;
}

struct bx_signal_source *bx_core_source_power_on(struct bx_core_source *source,
                                                 struct bx_model *model)
{
    *source = (struct bx_core_source){{source_tally, source_level, source_next_change}, model};
    return &source->base;
}

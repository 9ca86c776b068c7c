/* Reads the counts of cores as signals, at the model's time. */
#include "model/engine/core_signal.h"

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

/* Returns the core after it has executed exactly what comes before the present time. */
static struct bx_turns_agent *core_before_now(bx_model *m, const struct bx_signal *signal)
{
    struct bx_turns *turns = m->turns;
    struct bx_turns_agent *agent = &turns->agent[signal->index];

    if (turns->running && bx_turns_is_ahead(turns, signal->index))
        bx_turns_undo(m, turns, signal->index);
    if (agent->phase != BX_TURNS_AGENT_IDLE && agent != turns->asked)
        bx_core_counts_retire(&agent->counts, agent->feed);
    return agent;
}

/* The same for what can be watched. */
static struct bx_turns_agent *core_of(bx_model *m, const struct bx_signal *signal)
{
    m->turns->counts_cores = true;
    return core_before_now(m, signal);
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
static uint64_t sum_of(const struct bx_turns_agent *agent, const struct bx_term *t, uint64_t now)
{
    const struct bx_core_waits *waits = &agent->counts.waits;
    enum bx_outstanding of = (enum bx_outstanding)__builtin_ctzll(t->set[0]);

    switch ((enum bx_core_level)t->what) {
    case BX_CORE_UNHALTED:
    case BX_CORE_REFERENCE:
        break;
    case BX_CORE_REQUESTS:
        return bx_core_waits_sum(waits, (unsigned)t->set[0], now);
    case BX_CORE_ANY:
        return bx_core_waits_cycles(waits, of, now);
    case BX_CORE_STALLED:
        return bx_core_waits_stalled(waits, of, now) + stalled_before_turn(agent, of, now);
    }
    return bx_core_counts_unhalted(&agent->counts, now);
}

/* Whole ticks of the signal's clock. */
static uint64_t ticks(bx_model *m, const struct bx_term *t, uint64_t cycles)
{
    return bx_whole_ticks(t->what == BX_CORE_REFERENCE ? (bx_ratio){1, 1} : m->turns->core_clock,
                          cycles);
}

static uint64_t counts_sum(bx_model *m, const struct bx_signal *signal, uint64_t now)
{
    const struct bx_term *t = &signal->term[0];

    (void)now;
    return bx_core_counts_sum(&core_of(m, signal)->counts, t->set[0], t->minus);
}

static bool counts_with_hits(const struct bx_signal *signal)
{
    const struct bx_term *t = &signal->term[0];

    return bx_core_counts_retiring(t->set[0] | t->minus);
}

static uint64_t missed_sum(bx_model *m, const struct bx_signal *signal, uint64_t now)
{
    (void)now;
    return bx_core_counts_missed(&core_of(m, signal)->counts, signal->term[0].set[0]);
}

static uint64_t levels_sum(bx_model *m, const struct bx_signal *signal, uint64_t now)
{
    const struct bx_term *t = &signal->term[0];

    return ticks(m, t, sum_of(core_of(m, signal), t, now));
}

static uint64_t levels_level(bx_model *m, const struct bx_signal *signal, uint64_t now)
{
    const struct bx_turns_agent *agent = core_of(m, signal);
    const struct bx_term *t = &signal->term[0];

    return ticks(m, t, sum_of(agent, t, now + 1)) - ticks(m, t, sum_of(agent, t, now));
}

/* A core begins and ends work only when something is executed. Until then, its level can change in
 * each cycle if its clock is not the uncore's, or if it waits. */
static uint64_t levels_next_change(bx_model *m, const struct bx_signal *signal, uint64_t now)
{
    const struct bx_core_counts *counts = &core_of(m, signal)->counts;
    unsigned what = signal->term[0].what;

    if (counts->runs && counts->since > now)
        return counts->since;
    bool steady = what == BX_CORE_REFERENCE ||
                  (what == BX_CORE_UNHALTED && m->turns->core_clock.n == m->turns->core_clock.d);
    bool changes = counts->runs ? !steady : counts->until > now;
    return changes ? now + 1 : BX_NEVER;
}

static const char *phrase_of_level(unsigned what)
{
    static const char *const phrases[] = {
        [BX_CORE_UNHALTED] = "",
        [BX_CORE_REFERENCE] = "",
        [BX_CORE_REQUESTS] = "in every cycle: ",
        [BX_CORE_ANY] = "cycles with any of: ",
        [BX_CORE_STALLED] = "cycles in which the core does nothing, with any of: ",
    };

    return phrases[what];
}

/* ---- the cycle stack ---- */

unsigned bx_core_has(const bx_model *m, unsigned packages)
{
    const struct bx_turns *turns = m->turns;

    return (m->tlb ? BX_CORE_HAS_TLB : 0) |
           (turns->agent[0].store_buffer.entries ? BX_CORE_HAS_STORES : 0) |
           (turns->locks ? BX_CORE_HAS_LOCKS : 0) | (turns->cores > 1 ? BX_CORE_HAS_CORES : 0) |
           (packages > 1 ? BX_CORE_HAS_PACKAGES : 0) |
           (turns->predicts ? BX_CORE_HAS_PREDICTOR : 0) |
           (turns->mispredicts ? BX_CORE_HAS_BRANCHES : 0) |
           (turns->cores > 1 && turns->uncore->cores_await_lines ? BX_CORE_HAS_TURNS : 0);
}

/* A set of one cause, or all. */
static uint64_t stack_sum(bx_model *m, const struct bx_signal *signal, uint64_t now)
{
    struct bx_turns_agent *agent = core_before_now(m, signal);
    uint64_t set = signal->term[0].set[0];
    bool all = set & (set - 1), waits = agent->phase == BX_TURNS_AGENT_WAITING;
    struct bx_cycle_stack_at at = {
        .position = bx_core_counts_unhalted(&agent->counts, now),
        .pending = waits ? bx_turns_pending(agent) : BX_ISSUE,
        .waited = waits ? bx_turns_waited(agent, now) : 0,
        .waited_to = bx_core_counts_at(&agent->counts, bx_sooner(now, agent->turn)),
        .tlb = bx_core_counts_sum(&agent->counts, UINT64_C(1) << BX_RETIRED_TLB_CYCLES, 0),
    };

    return all ? bx_whole_ticks(m->turns->core_clock, at.position)
               : bx_cycle_stack_ticks(&agent->stack, &at, (enum bx_cause)__builtin_ctzll(set));
}

const struct bx_reader bx_read_core_stack = {.sum = stack_sum, .of_cores = true};
const struct bx_reader bx_read_core_counts = {
    .sum = counts_sum, .of_cores = true, .with_hits = counts_with_hits};
const struct bx_reader bx_read_core_missed = {.sum = missed_sum, .of_cores = true};
const struct bx_reader bx_read_core_levels = {levels_sum, levels_level, levels_next_change,
                                              phrase_of_level, true};

/* Power and heat of the cores, by schedules of the machine string: docs/explanation/model-nhmex.md,
 * "Power and heat". */
#include "model/machine/nhmex/machine.h"

/* The cycles of a period in which the cores from `first` to `last` are at or above the throttle
 * temperature: from four to six tenths of it, each core a bit later than the one before. */
static struct bx_window hot(uint64_t period, unsigned first, unsigned last)
{
    return (struct bx_window){period, period * 4 / 10 + first * (period / 80),
                              period * 6 / 10 + last * (period / 80), 0};
}

struct bx_window bx_nhmex_hot(const struct bx_nhmex *m, unsigned cores)
{
    cores &= (1u << m->cores) - 1;
    if (!cores || !m->times.w_heat)
        return (struct bx_window){0};
    return hot(m->times.w_heat, (unsigned)__builtin_ctz(cores),
               31 - (unsigned)__builtin_clz(cores));
}

/* The clock is modulated if lower frequencies have not helped for a while. */
static struct bx_window modulated(const struct bx_nhmex *m)
{
    struct bx_window w = bx_nhmex_hot(m, UINT8_MAX);

    w.from += w.every / 20;
    return w;
}

static struct bx_window second_half(uint64_t every)
{
    return (struct bx_window){every, every / 2, every, 0};
}

void bx_nhmex_power_power_on(struct bx_nhmex *m)
{
    const bx_model_times *times = &m->times;

    m->throttles = times->w_heat || times->w_forcepr;
    if (!m->throttles && !times->w_turbo && !times->u_timer)
        return;
    for (unsigned p = 0; p < m->packages; p++) {
        struct bx_awake *awake = bx_arena_get(&m->model.memory, sizeof *awake);
        m->package[p].awake = awake;
        if (!awake)
            return;
        awake->now = &m->model.time.now;
        awake->memory = &m->model.memory;
        awake->window[BX_NHMEX_TURBO] =
            (struct bx_window){times->w_turbo, 0, times->w_turbo / 2, 0};
        awake->window[BX_NHMEX_TM1] = modulated(m);
        awake->window[BX_NHMEX_FORCEPR] = second_half(times->w_forcepr);
        awake->window[BX_NHMEX_TIMER] = bx_nhmex_timer(m, p, false);
        awake->window[BX_NHMEX_TIMER_OF_CORE_0] =
            p == 0 ? bx_nhmex_timer(m, p, true) : (struct bx_window){0};
        for (unsigned c = 0; c < m->cores; c++) {
            struct bx_core_counts *counts = &m->turns.agent[p * m->cores + c].counts;
            counts->awake = awake;
            counts->number = c;
        }
    }
}

/* A modulated clock runs in half of the time. */
uint64_t bx_nhmex_after_throttle(const struct bx_nhmex *m, uint64_t t)
{
    enum { TURN = 32 };
    const struct bx_awake *awake = m->package[0].awake;

    if (t % TURN < TURN / 2 || (!bx_window_has(&awake->window[BX_NHMEX_TM1], t) &&
                                !bx_window_has(&awake->window[BX_NHMEX_FORCEPR], t)))
        return t;
    return t + TURN - t % TURN;
}

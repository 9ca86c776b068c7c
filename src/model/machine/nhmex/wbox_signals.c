/* What a selection of the W-Box counts: docs/explanation/model-nhmex.md, "Power and heat". */
#include "model/machine/nhmex/signals.h"

static const char *const core_names[] = {"core 0", "core 1", "core 2", "core 3",
                                         "core 4", "core 5", "core 6", "core 7"};

static unsigned cores_of(const struct bx_signal *signal)
{
    return (unsigned)signal->term[0].set[0];
}

/* ---- cycles of a window in which a core is awake ---- */

static struct bx_awake *awake_of(bx_model *model, const struct bx_signal *signal)
{
    return bx_nhmex_of(model)->package[signal->selection.package].awake;
}

static uint64_t sum_of_awake(bx_model *model, const struct bx_signal *signal, uint64_t now)
{
    struct bx_awake *awake = awake_of(model, signal);

    return awake ? bx_awake_cycles(awake, signal->term[0].what, cores_of(signal), now) : 0;
}

static uint64_t level_of_awake(bx_model *model, const struct bx_signal *signal, uint64_t now)
{
    struct bx_awake *awake = awake_of(model, signal);

    if (!awake)
        return 0;
    bx_awake_advance(awake, now);
    return awake->cores & cores_of(signal) &&
           bx_window_has(&awake->window[signal->term[0].what], now);
}

static uint64_t next_of_awake(bx_model *model, const struct bx_signal *signal, uint64_t now)
{
    struct bx_awake *awake = awake_of(model, signal);

    return awake ? bx_sooner(bx_awake_next(awake, now),
                             bx_window_next(&awake->window[signal->term[0].what], now))
                 : BX_NEVER;
}

static const char *phrase(unsigned what)
{
    static const char *const names[BX_NHMEX_WINDOWS] = {
        [BX_NHMEX_TURBO] = "cycles at turbo frequency with work for",
        [BX_NHMEX_TM1] = "cycles with a modulated clock as the die is hot, with work for",
        [BX_NHMEX_FORCEPR] = "cycles with FORCEPR, with work for",
    };
    return names[what];
}

static const struct bx_reader read_awake = {sum_of_awake, level_of_awake, next_of_awake, phrase};

/* The name comes from the phrase. Changes when a core begins or ends its work, at any time. */
static const struct bx_tallies awake_cores = {
    .name = "", .reader = &read_awake, .axis = {{core_names, BX_NHMEX_CORES, 0}}};

/* ---- heat, whatever the cores do ---- */

enum { TEMPERATURE, PROCHOT, MODULATED };

static struct bx_window window_of(bx_model *model, const struct bx_signal *signal)
{
    const struct bx_nhmex *m = bx_nhmex_of(model);

    switch (signal->term[0].what) {
    case TEMPERATURE:
        return bx_nhmex_hot(m, cores_of(signal));
    case PROCHOT:
        return bx_nhmex_hot(m, UINT8_MAX);
    default:
        return m->package[0].awake ? m->package[0].awake->window[BX_NHMEX_TM1]
                                   : (struct bx_window){0};
    }
}

static uint64_t sum_of_heat(bx_model *model, const struct bx_signal *signal, uint64_t now)
{
    struct bx_window w = window_of(model, signal);

    return bx_window_cycles(&w, now);
}

static uint64_t level_of_heat(bx_model *model, const struct bx_signal *signal, uint64_t now)
{
    struct bx_window w = window_of(model, signal);

    return bx_window_has(&w, now);
}

static uint64_t next_of_heat(bx_model *model, const struct bx_signal *signal, uint64_t now)
{
    struct bx_window w = window_of(model, signal);

    return bx_window_next(&w, now);
}

static const struct bx_reader read_heat = {sum_of_heat, level_of_heat, next_of_heat, NULL};

static const struct bx_tallies hot_cores = {"cycles at or above the throttle temperature",
                                            &read_heat, .axis = {{core_names, BX_NHMEX_CORES, 0}}},
                               hot_package = {"cycles with a hot core", &read_heat},
                               modulated = {"cycles with a modulated clock", &read_heat};

/* ---- rows ---- */

/* Each of the four counters has these codes. What aborts a change of ratio is not known. */
#define OF_COUNTER(n)                                                                              \
    {(n) << 8 | 0x00, EACH(0xff), &hot_cores, .what = TEMPERATURE},                                \
        {(n) << 8 | 0x01, EACH(0xff), &awake_cores, .what = BX_NHMEX_TM1},                         \
        {(n) << 8 | 0x02, ANY, &hot_package, .what = PROCHOT},                                     \
        {(n) << 8 | 0x03, EACH(0xff), &awake_cores, .what = BX_NHMEX_FORCEPR},                     \
        {(n) << 8 | 0x04, EACH(0xff), &awake_cores, .what = BX_NHMEX_TURBO},                       \
    {                                                                                              \
        (n) << 8 | 0x07, ANY, &modulated, .what = MODULATED                                        \
    }

static const struct bx_row rows[] = {
    OF_COUNTER(0),
    OF_COUNTER(1),
    OF_COUNTER(2),
    OF_COUNTER(3),
    {0x4ff, ANY, &bx_every_cycle}, /* the fixed counter */
};

const struct bx_box_signals bx_nhmex_w_signals = {{BX_ROWS(rows)}, .by_counter = true};

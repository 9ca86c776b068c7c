/* Resolves selections by box, and reads tallies and levels of gauges, counts and comparisons. */
#include "model/nhmex/machine.h"

#include "model/core/core_events.h"

#include <stddef.h>

/* Events of the W-Box. The model has one frequency: no turbo, and no change of the clock ratio. */
enum { W_FIXED_CLOCK_COUNTER = 4, C_CYCLES_TURBO = 0x04, RATIO_CHANGE_ABORT = 0x08 };

static bool box_signal(struct bx_nhmex_package *p, const struct bx_nhmex *m,
                       struct bx_signal *signal)
{
    const bx_selection *sel = &signal->selection;

    switch (sel->box) {
    case BX_NHMEX_U:
        return bx_nhmex_u_signal(&p->u, signal);
    case BX_NHMEX_C:
        return sel->unit < m->cores && bx_nhmex_c_signal(&p->c[sel->unit], signal);
    case BX_NHMEX_S:
        return sel->unit < BX_NHMEX_SIDES && bx_nhmex_s_signal(&p->s[sel->unit], signal);
    case BX_NHMEX_B:
        return sel->unit < BX_NHMEX_SIDES && bx_nhmex_b_signal(&p->b[sel->unit], signal);
    case BX_NHMEX_R:
        return sel->unit < BX_NHMEX_SIDES && sel->port < BX_NHMEX_PORTS / 2 &&
               bx_nhmex_r_signal(&p->r[sel->unit * BX_NHMEX_PORTS / 2 + sel->port], signal);
    case BX_NHMEX_M:
        return sel->unit < BX_NHMEX_SIDES && bx_nhmex_m_signal(&p->m[sel->unit], signal);
    case BX_NHMEX_W:
        if (sel->counter == W_FIXED_CLOCK_COUNTER)
            signal->kind = BX_SIGNAL_CLOCK;
        return sel->counter == W_FIXED_CLOCK_COUNTER || sel->code == C_CYCLES_TURBO ||
               sel->code == RATIO_CHANGE_ABORT;
    default:
        return false;
    }
}

bool bx_nhmex_signal_of(const bx_model *model, const bx_selection *sel, struct bx_signal *signal)
{
    const struct bx_nhmex *m = bx_nhmex_of_const(model);
    /* the signal points into the model, and reading a gauge changes the gauge */
    struct bx_nhmex *of = (struct bx_nhmex *)(uintptr_t)m;

    if (sel->box == BX_NHMEX_CORE)
        return sel->package < m->packages && sel->unit < m->cores &&
               bx_core_signal_of(&bx_core_events_nehalem, &m->agents.turns, sel,
                                 sel->package * m->cores + sel->unit, signal);
    /* counts and gauge entries change only when the uncore serves an access */
    *signal =
        (struct bx_signal){.kind = BX_SIGNAL_PULSES, .changes = &m->served, .selection = *sel};
    return sel->package < m->packages && box_signal(&of->package[sel->package], m, signal);
}

static struct bx_nhmex *model_of(struct bx_signal_source *source)
{
    return (struct bx_nhmex *)(void *)((char *)source - offsetof(struct bx_nhmex, source));
}

static struct bx_nhmex_patterns *patterns_of(struct bx_nhmex *m, const bx_selection *sel)
{
    struct bx_nhmex_package *p = &m->package[sel->package];

    return sel->box == BX_NHMEX_R   ? &p->r[sel->unit * BX_NHMEX_PORTS / 2 + sel->port].patterns
           : sel->box == BX_NHMEX_S ? &p->s[sel->unit].patterns
                                    : &p->b[sel->unit].patterns;
}

static uint64_t source_tally(struct bx_signal_source *source, const struct bx_signal *signal,
                             uint64_t now)
{
    uint64_t sum = 0;

    if (bx_nhmex_compares(&signal->selection)) {
        struct bx_nhmex *m = model_of(source);
        if (!bx_nhmex_matches(patterns_of(m, &signal->selection), &signal->selection, &sum))
            m->model.out_of_memory = true;
        return sum;
    }
    for (unsigned i = 0; i < signal->gauges; i++)
        sum += bx_gauge_sum(signal->gauge[i], signal->what, now);
    for (unsigned i = 0; i < signal->cells; i++)
        sum += *signal->cell[i];
    return sum;
}

static uint64_t source_level(struct bx_signal_source *source, const struct bx_signal *signal,
                             uint64_t now)
{
    uint64_t level = 0;

    (void)source;
    for (unsigned i = 0; i < signal->gauges; i++)
        level += bx_gauge_level(signal->gauge[i], signal->what, now);
    return level;
}

static uint64_t source_next_change(struct bx_signal_source *source, const struct bx_signal *signal,
                                   uint64_t now)
{
    uint64_t next = BX_NEVER;

    (void)source;
    for (unsigned i = 0; i < signal->gauges; i++) {
        uint64_t change = bx_gauge_next(signal->gauge[i], now);
        next = change < next ? change : next;
    }
    return next;
}

void bx_nhmex_source_power_on(struct bx_signal_source *source)
{
    *source = (struct bx_signal_source){source_tally, source_level, source_next_change};
}

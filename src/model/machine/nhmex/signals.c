/* What selections of the U-Box and the W-Box count, and where units are. */
#include "model/machine/nhmex/signals.h"

#include "model/core/core_events.h"
#include "model/engine/core_signal.h"

/* ---- the U-Box ---- */

/* Changes only with interrupts. */
#define IN_U(member)                                                                               \
    {                                                                                              \
        .at = offsetof(struct bx_nhmex, package[0].u.member),                                      \
        .package = sizeof(struct bx_nhmex_package)                                                 \
    }

static const struct bx_tallies local_buffer = {"packets of interrupts", &bx_read_gauges,
                                               IN_U(local_buffer), IN_U(interrupts)},
                               interrupts = {"interrupts", &bx_read_counts, IN_U(interrupts),
                                             IN_U(interrupts)},
                               sent = {"cores that an interrupt is sent to", &bx_read_counts,
                                       IN_U(sent), IN_U(interrupts)};

/* Of errors, locks, stops and special cycles the model has none. */
static const struct bx_row u_rows[] = {
    {0x00, ANY, &local_buffer, .what = NOT_EMPTY},
    {0x50, ANY, &interrupts},
    {0xf9, ANY, &sent},
};

/* ---- the W-Box ---- */

static const struct bx_row w_rows[] = {
    {0x4ff, ANY, &bx_every_cycle}, /* the fixed counter */
};

/* ---- boxes and units ---- */

static const struct bx_box_signals u_signals = {{BX_ROWS(u_rows)}},
                                   w_signals = {{BX_ROWS(w_rows)}, .by_counter = true};

const struct bx_box_signals *const bx_nhmex_signals[BX_NHMEX_BOXES] = {
    [BX_NHMEX_U] = &u_signals,           [BX_NHMEX_C] = &bx_nhmex_c_signals,
    [BX_NHMEX_B] = &bx_nhmex_b_signals,  [BX_NHMEX_S] = &bx_nhmex_s_signals,
    [BX_NHMEX_R] = &bx_nhmex_r_signals,  [BX_NHMEX_M] = &bx_nhmex_m_signals,
    [BX_NHMEX_W] = &w_signals,           [BX_NHMEX_CORE] = &bx_core_nehalem,
    [BX_NHMEX_STALLS] = &bx_core_stalls,
};

bool bx_nhmex_find_unit(bx_model *model, const bx_selection *sel, struct bx_unit *unit)
{
    const struct bx_nhmex *m = bx_nhmex_of(model);

    if (sel->package >= m->packages)
        return false;
    unit->index = sel->package * m->cores + sel->unit;
    switch (sel->box) {
    case BX_NHMEX_C:
    case BX_NHMEX_CORE:
        return sel->unit < m->cores;
    case BX_NHMEX_STALLS:
        unit->has = bx_core_stack_has(model, m->packages);
        return sel->unit < m->cores;
    case BX_NHMEX_R:
        if (sel->unit >= BX_NHMEX_SIDES || sel->port >= BX_NHMEX_PORTS / 2)
            return false;
        unit->has = m->package[sel->package].r[sel->unit * BX_NHMEX_PORTS / 2 + sel->port].link
                        ? BX_NHMEX_HAS_LINK
                        : BX_NHMEX_HAS_NO_LINK;
        unit->has |= bx_nhmex_sends(sel->filter) ? BX_NHMEX_HAS_PACKET : 0;
        return true;
    case BX_NHMEX_M:
        unit->has =
            bx_nhmex_memory_has(sel) | (m->memory.closes ? BX_NHMEX_HAS_CLOSED : BX_NHMEX_HAS_OPEN);
        return sel->unit < BX_NHMEX_SIDES;
    case BX_NHMEX_B:
    case BX_NHMEX_S:
        return sel->unit < BX_NHMEX_SIDES;
    default:
        return true;
    }
}

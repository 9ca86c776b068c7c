/* The signals of all boxes, and where units are. */
#include "model/machine/nhmex/signals.h"

#include "model/core/core_events.h"
#include "model/engine/core_signal.h"

const struct bx_box_signals *const bx_nhmex_signals[BX_NHMEX_BOXES] = {
    [BX_NHMEX_U] = &bx_nhmex_u_signals,  [BX_NHMEX_C] = &bx_nhmex_c_signals,
    [BX_NHMEX_B] = &bx_nhmex_b_signals,  [BX_NHMEX_S] = &bx_nhmex_s_signals,
    [BX_NHMEX_R] = &bx_nhmex_r_signals,  [BX_NHMEX_M] = &bx_nhmex_m_signals,
    [BX_NHMEX_W] = &bx_nhmex_w_signals,  [BX_NHMEX_CORE] = &bx_core_nehalem,
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
        return sel->unit < m->cores;
    case BX_NHMEX_CORE:
    case BX_NHMEX_STALLS:
        unit->has = bx_core_has(model, m->packages);
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
        unit->has = bx_nhmex_memory_has(sel);
        return sel->unit < BX_NHMEX_SIDES;
    case BX_NHMEX_B:
    case BX_NHMEX_S:
        return sel->unit < BX_NHMEX_SIDES;
    default:
        return true;
    }
}

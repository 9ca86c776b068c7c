/* Lists counters that were read and hold 0 because the model does not produce their signal. */
#include "vpmu/internal.h"

static bool is_driven(const bx_vpmu *v, bx_vcounter *c)
{
    if (!c->has_counted || c->selected.code == BX_NONE || c->source_level.injected || c->driven)
        return true;
    bx_vpmu_tally(v, c);
    return c->driven;
}

/* The entry of what the counter counts; NULL: no room. */
static bx_vundriven *entry_of(bx_vpmu *v, const bx_vcounter *c)
{
    const bx_selection *sel = &c->selected;
    for (unsigned i = 0; i < v->undriven_n; i++) {
        bx_vundriven *u = &v->undriven[i];
        if (u->pmu == c->facts->pmu && u->code == sel->code && u->umask == sel->umask)
            return u;
    }
    if (v->undriven_n == BX_VUNDRIVEN)
        return NULL;
    v->undriven[v->undriven_n] = (bx_vundriven){c->facts->pmu, sel->code, sel->umask, 0};
    return &v->undriven[v->undriven_n++];
}

void bx_vpmu_note_read(bx_vpmu *v, bx_vcounter *c)
{
    bx_vundriven *u = is_driven(v, c) ? NULL : entry_of(v, c);
    if (u)
        u->reads++;
}

const bx_vundriven *bx_vpmu_undriven(const bx_vpmu *v, unsigned *n)
{
    *n = v->undriven_n;
    return v->undriven;
}

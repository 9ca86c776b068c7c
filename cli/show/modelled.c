/* Which events a machine model produces. */
#include "cli/show/modelled.h"

#include "base/bits.h"
#include "cli/common/names.h"
#include "event/event.h"
#include "machine/machine.h"

/* *complete: whether the text is an event string as it is. */
static bool produces(const bx_machine *m, unsigned event, const bx_buf *text, bool *complete)
{
    const bx_catalog *c = m->topology.catalog;
    int cpu = bx_cat_pmus(c)[bx_cat_events(c)[event].pmu].cpu;
    bx_evsel selection;
    *complete =
        !text->failed && bx_event_parse(c, cpu, text->p, text->n, &selection, NULL) == BX_OK;
    return *complete && bx_machine_produces(m, &selection);
}

/* The modifiers (mask over the PMU's) that a unit mask sets. */
static uint32_t set_by(const bx_catalog *c, const bx_cat_pmu *pmu, const bx_cat_umask *umask)
{
    uint32_t set = 0;
    for (unsigned i = 0; i < umask->sets.n; i++)
        set |=
            UINT32_C(1) << (bx_cat_sets(c)[umask->sets.first + i].modifier - pmu->modifiers.first);
    return set;
}

/* With another unit mask, which may be the same. Modifiers that both still need are set to 1. */
static bool produced_with(const bx_machine *m, unsigned event, const bx_cat_umask *umask,
                          const bx_cat_umask *with, bx_buf *to)
{
    const bx_catalog *c = m->topology.catalog;
    const bx_cat_pmu *pmu = &bx_cat_pmus(c)[bx_cat_events(c)[event].pmu];
    uint32_t needs = (umask->needs | with->needs) & ~set_by(c, pmu, umask) & ~set_by(c, pmu, with);
    if (with != umask)
        bx_buf_f(to, ":%s", bx_cat_z(c, with->name));
    for (; needs; needs &= needs - 1) {
        unsigned i = pmu->modifiers.first + bx_lowest_bit(needs);
        bx_buf_f(to, ":%s=1", bx_cat_z(c, bx_cat_modifiers(c)[i].name));
    }
    bool complete;
    return produces(m, event, to, &complete);
}

bool bx_modelled(const bx_machine *m, unsigned event, unsigned umask, bx_buf *to)
{
    const bx_catalog *c = m->topology.catalog;
    bx_span umasks = bx_cat_events(c)[event].umasks;
    bx_word name = umask == BX_NONE ? bx_event_name_word(c, event) : bx_umask_name_word(c, umask);
    bx_buf_z(to, name.text);
    size_t own = to->n;
    bool complete, yes = produces(m, event, to, &complete);
    for (unsigned i = 0; umask != BX_NONE && !complete && !yes && i < umasks.n; i++) {
        to->n = own;
        yes = produced_with(m, event, &bx_cat_umasks(c)[umask], &bx_cat_umasks(c)[umasks.first + i],
                            to);
    }
    return yes;
}

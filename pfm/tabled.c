/* Finds PMUs, events and unit masks in the tables. */
#include "pfm/tabled_rows.h"

#include <linux/perf_event.h>

enum { EVENT_BITS = BX_PFMLIB_EVENT_BITS };

/* In libpfm4's order, in which it looks for an event without a PMU. */
const bx_tabled_pmu *const bx_tabled_pmus[BX_TABLED_PMUS] = {
    &bx_tabled_nhm_ex, &bx_tabled_ivb_ep, &bx_tabled_skl, &bx_tabled_perf, &bx_tabled_perf_raw,
};

const char *const bx_tabled_modifiers[BX_TABLED_MODIFIERS] = {
    "k", "u", "e", "i", "c", "t", "ldlat", "intx", "intxcp", "fe_thres",
};

const char *const bx_tabled_modifier_titles[BX_TABLED_MODIFIERS] = {
    "count at privilege level 0",
    "count at privilege levels 1, 2 and 3",
    "count rises of the condition; needs a threshold",
    "cycles below the threshold",
    "threshold, 0 to 255",
    "count for all threads of the core",
    "cycles that a load takes at least, 1 to 65535",
    "count in transactions only",
    "counts of transactions that abort are taken back",
    "cycles without enough micro-operations, 1 to 4095",
};

bool bx_tabled_is_flag(unsigned modifier)
{
    return !((C | LATENCY | BUBBLES) >> modifier & 1);
}

/* ---- PMUs ---- */

bool bx_tabled_is_of(const bx_tabled_pmu *p, const struct bx_catalog *c, int cpu)
{
    const char *const cores[] = {p->core, p->also};
    for (unsigned i = 0; i < 2 && cores[i]; i++) {
        uint16_t pmu = bx_cat_find_pmu(c, bx_str_of(cores[i]));
        if (pmu != BX_NONE && bx_cat_pmus(c)[pmu].cpu == cpu)
            return true;
    }
    return false;
}

const bx_tabled_pmu *bx_tabled_by_id(int id)
{
    for (unsigned i = 0; i < BX_TABLED_PMUS; i++)
        if (bx_tabled_pmus[i]->id == id)
            return bx_tabled_pmus[i];
    return NULL;
}

/* ---- events ---- */

static bool is_event(const bx_tabled_row *row)
{
    return row->kind == EVENT || row->kind == ALIAS;
}

static bool is_numbered(const bx_tabled_row *row)
{
    return is_event(row) || row->kind == GAP;
}

const bx_tabled_row *bx_tabled_next(const bx_tabled_pmu *p, const bx_tabled_row *event)
{
    for (event++; event < p->rows + p->n; event++)
        if (is_event(event))
            return event;
    return NULL;
}

const bx_tabled_row *bx_tabled_nth(const bx_tabled_pmu *p, unsigned n)
{
    for (unsigned i = 0; i < p->n; i++)
        if (is_numbered(&p->rows[i]) && n-- == 0)
            return is_event(&p->rows[i]) ? &p->rows[i] : NULL;
    return NULL;
}

const bx_tabled_row *bx_tabled_named(const bx_tabled_pmu *p, bx_str name)
{
    for (unsigned i = 0; i < p->n; i++)
        if (is_event(&p->rows[i]) && bx_str_eq_fold(bx_str_of(p->rows[i].name), name))
            return &p->rows[i];
    return NULL;
}

int bx_tabled_idx(const bx_tabled_pmu *p, const bx_tabled_row *event)
{
    int n = 0;
    for (const bx_tabled_row *row = p->rows; row < event; row++)
        n += is_numbered(row);
    return p->id << EVENT_BITS | n;
}

const bx_tabled_row *bx_tabled_masks(const bx_tabled_pmu *p, const bx_tabled_row *event)
{
    const bx_tabled_row *next = event + 1;
    if (next < p->rows + p->n && next->kind == LIKE)
        next = bx_tabled_named(p, bx_str_of(next->name)) + 1;
    return next < p->rows + p->n && next->kind == MASK ? next : NULL;
}

const bx_tabled_row *bx_tabled_next_mask(const bx_tabled_pmu *p, const bx_tabled_row *mask)
{
    return mask + 1 < p->rows + p->n && mask[1].kind == MASK ? mask + 1 : NULL;
}

unsigned bx_tabled_has(const bx_tabled_pmu *p, const bx_tabled_row *event)
{
    if (p->core)
        return BX_PFMLIB_HAS_LEVELS | (event->flags & PRECISE ? BX_PFMLIB_HAS_PRECISE : 0u);
    unsigned has = BX_PFMLIB_HAS_LEVELS | BX_PFMLIB_HAS_HYPERVISOR;
    if (event->modifiers == PERF_TYPE_RAW)
        has |= BX_PFMLIB_HAS_HW_SMPL;
    return event->modifiers == PERF_TYPE_SOFTWARE ? has
                                                  : has | BX_PFMLIB_TAKES_H | BX_PFMLIB_HAS_PRECISE;
}

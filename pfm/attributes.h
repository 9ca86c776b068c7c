/* The attributes of an event: unit masks, then modifiers, then those of Linux perf. */
#ifndef BX_PFM_ATTRIBUTES_H
#define BX_PFM_ATTRIBUTES_H

#include "pfm/perf_terms.h"
#include "pfm/pmus.h"

/* What the PMU has of perf's attributes: a mask of enum bx_pfmlib_has. */
static inline unsigned bx_pfmlib_has(const bx_pfmlib_state *s, const bx_pfmlib_pmu *p)
{
    return bx_pfmlib_uncore(s, p) ? 0 : BX_PFMLIB_HAS_LEVELS;
}

/* Returns the number of the event's attributes in this OS layer. If `index` is one of them,
 * describes it in *info (name, desc, code, type, ctrl, is_dfl). */
int bx_pfmlib_attributes(const bx_pfmlib_state *s, const bx_pfmlib_pmu *p, uint16_t event, int os,
                         int index, bx_pfmlib_attr_info *info);

#endif

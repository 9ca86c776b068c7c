/* The attributes of an event: unit masks, then modifiers, then those of Linux perf. */
#ifndef BX_PFM_ATTRIBUTES_H
#define BX_PFM_ATTRIBUTES_H

#include "pfm/abi.h"
#include "pfm/pmus.h"

/* Attributes that perf implements, not the PMU (PFM_ATTR_CTRL_PERF_EVENT). */
enum bx_pfmlib_term {
    BX_PFMLIB_PERF_U,
    BX_PFMLIB_PERF_K,
    BX_PFMLIB_PERF_PERIOD,
    BX_PFMLIB_PERF_FREQ,
    BX_PFMLIB_PERF_EXCL,
    BX_PFMLIB_PERF_MG,
    BX_PFMLIB_PERF_MH,
    BX_PFMLIB_PERF_CPU,
    BX_PFMLIB_PERF_PINNED,
    BX_PFMLIB_PERF_N,
};

typedef struct bx_pfmlib_perf_term {
    const char *name, *title;
    uint8_t code;    /* libpfm4's number */
    bool flag;       /* 0 or 1 */
    bool extended;   /* with PFM_OS_PERF_EVENT_EXT only */
    bool privileged; /* only for PMUs with privilege levels */
} bx_pfmlib_perf_term;

/* The term, if this OS layer has it for the PMU; else NULL. */
const bx_pfmlib_perf_term *bx_pfmlib_perf_offers(const bx_pfmlib_state *s, const bx_pfmlib_pmu *p,
                                                 int os, unsigned term);

/* Returns the number of the event's attributes in this OS layer. If `index` is one of them,
 * describes it in *info (name, desc, code, type, ctrl, is_dfl). */
int bx_pfmlib_attributes(const bx_pfmlib_state *s, const bx_pfmlib_pmu *p, uint16_t event, int os,
                         int index, bx_pfmlib_attr_info *info);

#endif

/* Linux perf's part of an event string, and struct perf_event_attr. */
#ifndef BX_PFM_PERF_H
#define BX_PFM_PERF_H

#include "base/buf.h"
#include "pfm/attributes.h"

struct perf_event_attr;

/* The attributes that perf, not the PMU, deals with. */
typedef struct bx_pfmlib_perf {
    uint32_t given; /* mask over enum bx_pfmlib_term */
    uint64_t value[BX_PFMLIB_PERF_N];
} bx_pfmlib_perf;

/* Takes perf's attributes of this OS layer out of "EVENT:attribute…", writes the others to *rest
 * and returns a PFM_ERR_*. */
int bx_pfmlib_perf_split(const bx_pfmlib_state *s, const bx_pfmlib_pmu *p, int os, bx_str text,
                         bx_buf *rest, bx_pfmlib_perf *perf);

/* The privilege levels (PFM_PLM*) that the event is counted at; `plm` are the caller's. */
unsigned bx_pfmlib_perf_levels(const bx_pfmlib_perf *perf, unsigned plm);

/* The perf type of the PMU: PFM_ERR_NOTSUPP where this kernel (its file system is under `root`, ""
 * for the running one) has no such PMU. */
int bx_pfmlib_perf_type(const bx_pfmlib_state *s, const bx_pfmlib_pmu *p, const char *root,
                        uint32_t *type);

/* Fills in what an event says about itself; all other members are left as they are. `levels` as
 * bx_pfmlib_perf_levels() gives them. */
void bx_pfmlib_perf_fill(const bx_pfmlib_state *s, const bx_pfmlib_pmu *p, const bx_pfm_code *code,
                         const bx_pfmlib_perf *perf, unsigned levels, uint32_t type,
                         struct perf_event_attr *attr);

/* The event string with perf's attributes in place of the PMU's privilege levels. */
void bx_pfmlib_perf_spell(const bx_pfmlib_state *s, const bx_pfmlib_pmu *p, int os,
                          const bx_pfm_code *code, const bx_pfmlib_perf *perf, unsigned levels,
                          bx_buf *to);

#endif

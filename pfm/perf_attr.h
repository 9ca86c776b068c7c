/* perf's attributes in an event string, and struct perf_event_attr. */
#ifndef BX_PFM_PERF_ATTR_H
#define BX_PFM_PERF_ATTR_H

#include "base/buf.h"
#include "pfm/attributes.h"

struct perf_event_attr;

/* Removes perf's attributes of this OS layer from "EVENT:attribute…" and writes the others to
 * *rest. Returns a PFM_ERR_*. */
int bx_pfmlib_perf_split(const bx_pfmlib_state *s, const bx_pfmlib_pmu *p, int os, bx_str text,
                         bx_buf *rest, bx_pfmlib_perf *perf);

/* Finds the PMU's perf type. PFM_ERR_NOTSUPP if this kernel has no such PMU. `root`: folder with
 * the kernel's /sys, "" for the running kernel. */
int bx_pfmlib_perf_type(const bx_pfmlib_state *s, const bx_pfmlib_pmu *p, const char *root,
                        uint32_t *type);

/* Fills in the members that the event determines; all others are unchanged. `levels`: from
 * bx_pfmlib_perf_levels(). */
void bx_pfmlib_perf_fill(const bx_pfmlib_state *s, const bx_pfmlib_pmu *p, const bx_pfm_code *code,
                         const bx_pfmlib_perf *perf, unsigned levels, uint32_t type,
                         struct perf_event_attr *attr);

/* Writes the event string with perf's attributes in place of the PMU's privilege levels. */
void bx_pfmlib_perf_spell(const bx_pfmlib_state *s, const bx_pfmlib_pmu *p, int os,
                          const bx_pfm_code *code, const bx_pfmlib_perf *perf, unsigned levels,
                          bx_buf *to);

#endif

/* The PMUs that are offered, with libpfm4's names and identifiers, and the library's only state. */
#ifndef BX_PFM_PMUS_H
#define BX_PFM_PMUS_H

#include "catalog/catalog.h"
#include "pfm/abi.h"

/* A PMU in libpfm4's sense: one unit of a PMU of the catalogue. */
typedef struct bx_pfmlib_pmu {
    int id;       /* pfm_pmu_t */
    uint16_t pmu; /* catalogue index */
    int16_t unit; /* the number at the end of its name; -1: none */
    bool active;  /* in this host's CPU, or forced */
    char name[32];
    char desc[96];
} bx_pfmlib_pmu;

enum { BX_PFMLIB_PMUS = 32 };

typedef struct bx_pfmlib_state {
    const struct bx_catalog *catalog;
    bool ready;
    bool inactive; /* LIBPFM_ENCODE_INACTIVE: inactive PMUs can be encoded */
    unsigned n;
    bx_pfmlib_pmu pmus[BX_PFMLIB_PMUS];
} bx_pfmlib_state;

/* NULL between pfm_terminate() and pfm_initialize(). */
const bx_pfmlib_state *bx_pfmlib_ready(void);

/* Find a PMU by its pfm_pmu_t, or by its name, case ignored. NULL: there is none. */
const bx_pfmlib_pmu *bx_pfmlib_by_id(const bx_pfmlib_state *s, int id);
const bx_pfmlib_pmu *bx_pfmlib_by_name(const bx_pfmlib_state *s, bx_str name);

static inline const bx_cat_pmu *bx_pfmlib_facts(const bx_pfmlib_state *s, const bx_pfmlib_pmu *p)
{
    return &bx_cat_pmus(s->catalog)[p->pmu];
}

/* Whether the PMU is outside the cores. libpfm4's uncore PMUs have no privilege levels. */
static inline bool bx_pfmlib_uncore(const bx_pfmlib_state *s, const bx_pfmlib_pmu *p)
{
    return bx_pfmlib_facts(s, p)->scope == BX_SCOPE_PACKAGE;
}

static inline int bx_pfmlib_idx(const bx_pfmlib_state *s, const bx_pfmlib_pmu *p, unsigned event)
{
    return p->id << BX_PFMLIB_EVENT_BITS | (int)(event - bx_pfmlib_facts(s, p)->events.first);
}

/* The event (catalogue index) of an identifier, and its PMU; BX_NONE: there is none. */
uint16_t bx_pfmlib_event(const bx_pfmlib_state *s, int idx, const bx_pfmlib_pmu **pmu);

/* The PMU's first event from `from` on that libpfm4 has; BX_NONE: no more. */
uint16_t bx_pfmlib_event_from(const bx_pfmlib_state *s, const bx_pfmlib_pmu *p, unsigned from);

#endif

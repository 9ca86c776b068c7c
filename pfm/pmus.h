/* The PMUs that are offered, under libpfm4's names and numbers, and the library's only state. */
#ifndef BX_PFM_PMUS_H
#define BX_PFM_PMUS_H

#include "catalog/catalog.h"

/* One PMU of libpfm4's: a unit of a PMU of the catalogue. */
typedef struct bx_pfmlib_pmu {
    int id;       /* pfm_pmu_t */
    uint16_t pmu; /* of the catalogue */
    int16_t unit; /* the number that its name ends with; -1: it has none */
    bool active;  /* of this host's CPU, or forced */
    char name[32];
    char desc[96];
} bx_pfmlib_pmu;

enum { BX_PFMLIB_PMUS = 32 };

typedef struct bx_pfmlib_state {
    const struct bx_catalog *catalog;
    bool ready;
    bool inactive; /* LIBPFM_ENCODE_INACTIVE: PMUs that are not active can be encoded */
    unsigned n;
    bx_pfmlib_pmu pmus[BX_PFMLIB_PMUS];
} bx_pfmlib_state;

/* NULL between pfm_terminate() and pfm_initialize(). */
const bx_pfmlib_state *bx_pfmlib_ready(void);

/* The one with this pfm_pmu_t, that is this unit of the catalogue's PMU, or of this name in any
 * case of letters; NULL: there is none. */
const bx_pfmlib_pmu *bx_pfmlib_by_id(const bx_pfmlib_state *s, int id);
const bx_pfmlib_pmu *bx_pfmlib_of(const bx_pfmlib_state *s, uint16_t pmu, int unit);
const bx_pfmlib_pmu *bx_pfmlib_by_name(const bx_pfmlib_state *s, bx_str name);

static inline const bx_cat_pmu *bx_pfmlib_facts(const bx_pfmlib_state *s, const bx_pfmlib_pmu *p)
{
    return &bx_cat_pmus(s->catalog)[p->pmu];
}

/* Outside the cores: libpfm4's uncore PMUs, which have no privilege levels. */
static inline bool bx_pfmlib_uncore(const bx_pfmlib_state *s, const bx_pfmlib_pmu *p)
{
    return bx_pfmlib_facts(s, p)->scope == BX_SCOPE_PACKAGE;
}

/* libpfm4's event identifiers: the PMU's number above the event's number within the PMU. */
enum { BX_PFMLIB_EVENT_BITS = 21 };

static inline int bx_pfmlib_idx(const bx_pfmlib_state *s, const bx_pfmlib_pmu *p, unsigned event)
{
    return p->id << BX_PFMLIB_EVENT_BITS | (int)(event - bx_pfmlib_facts(s, p)->events.first);
}

/* The event (index in the catalogue) of an identifier, and its PMU; BX_NONE: there is none. */
uint16_t bx_pfmlib_event(const bx_pfmlib_state *s, int idx, const bx_pfmlib_pmu **pmu);

/* The first event of the PMU from `from` on that libpfm4 has; BX_NONE after the last. */
uint16_t bx_pfmlib_event_from(const bx_pfmlib_state *s, const bx_pfmlib_pmu *p, unsigned from);

#endif

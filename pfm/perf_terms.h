/* The attributes that perf implements, not the PMU (PFM_ATTR_CTRL_PERF_EVENT): read, filled in and
 * spelled. */
#ifndef BX_PFM_PERF_TERMS_H
#define BX_PFM_PERF_TERMS_H

#include "base/buf.h"
#include "pfm/abi.h"

struct perf_event_attr;

enum bx_pfmlib_term {
    BX_PFMLIB_PERF_U,
    BX_PFMLIB_PERF_K,
    BX_PFMLIB_PERF_H,
    BX_PFMLIB_PERF_PERIOD,
    BX_PFMLIB_PERF_FREQ,
    BX_PFMLIB_PERF_PRECISE,
    BX_PFMLIB_PERF_EXCL,
    BX_PFMLIB_PERF_MG,
    BX_PFMLIB_PERF_MH,
    BX_PFMLIB_PERF_CPU,
    BX_PFMLIB_PERF_PINNED,
    BX_PFMLIB_PERF_HW_SMPL,
    BX_PFMLIB_PERF_N,
};

/* What a PMU or event has, as a mask. */
enum bx_pfmlib_has {
    BX_PFMLIB_HAS_LEVELS = 1,     /* privilege levels, host and guests */
    BX_PFMLIB_HAS_HYPERVISOR = 2, /* the level of a hypervisor */
    BX_PFMLIB_TAKES_H = 4,        /* an attribute for that level */
    BX_PFMLIB_HAS_PRECISE = 8,    /* samples that are near their instruction */
    BX_PFMLIB_HAS_HW_SMPL = 16,   /* an attribute for samples that the hardware writes */
};

typedef struct bx_pfmlib_perf_term {
    const char *name, *title;
    uint8_t code;   /* libpfm4's number */
    uint8_t has;    /* what it needs: bits of enum bx_pfmlib_has */
    bool flag;      /* 0 or 1 */
    bool extended;  /* with PFM_OS_PERF_EVENT_EXT only */
    uint64_t least; /* of its value */
    uint64_t most;
} bx_pfmlib_perf_term;

typedef struct bx_pfmlib_perf {
    uint32_t given; /* mask over enum bx_pfmlib_term */
    uint64_t value[BX_PFMLIB_PERF_N];
} bx_pfmlib_perf;

/* The term, if this OS layer has it for such a PMU; else NULL. */
const bx_pfmlib_perf_term *bx_pfmlib_perf_offers(unsigned has, int os, unsigned term);

/* Describes a term as an attribute of an event. */
bx_pfmlib_attr_info bx_pfmlib_perf_described(const bx_pfmlib_perf_term *term);

/* libpfm4's spellings of a flag: 0 or 1, y or n, t or f. */
bool bx_pfmlib_flag(bx_str text, uint64_t *value);

/* Takes "name=value" if the name is a term that is offered. value.p is NULL: there is none.
 * BX_PFM_ATTR: no such term. Otherwise another enum bx_pfm. */
int bx_pfmlib_perf_give(bx_pfmlib_perf *perf, unsigned has, int os, bx_str name, bx_str value);

/* BX_PFM_ATTR_VAL: a value out of range, or both a sampling period and a frequency. */
int bx_pfmlib_perf_check(const bx_pfmlib_perf *perf);

/* The privilege levels (PFM_PLM*) at which the event is counted; `plm`: those of the caller. */
unsigned bx_pfmlib_perf_levels(const bx_pfmlib_perf *perf, unsigned plm);

/* Fills in the members that the terms determine; all others are unchanged. `levels`: from
 * bx_pfmlib_perf_levels(). */
void bx_pfmlib_perf_fill_terms(const bx_pfmlib_perf *perf, unsigned has, unsigned levels,
                               struct perf_event_attr *attr);

/* Writes the terms, as libpfm4 ends an event's string with them. */
void bx_pfmlib_perf_spell_terms(const bx_pfmlib_perf *perf, unsigned has, int os, unsigned levels,
                                bx_buf *to);

#endif

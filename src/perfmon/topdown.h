/* The fixed metrics of topdown: events of the kernel that perfmon's event files lack and its
 * metrics name. The kernel counts them in a group after `slots` (Linux 6.12,
 * arch/x86/events/intel/core.c, icl_td_events_attrs and spr_td_events_attrs). */
#ifndef BX_PERFMON_TOPDOWN_H
#define BX_PERFMON_TOPDOWN_H

#include "base/str.h"

#include <stdint.h>

typedef struct bx_perfmon_topdown {
    const char *perf, *name, *title; /* "topdown-retiring", "PERF_METRICS.RETIRING" */
    uint8_t umask;                   /* with code 0 */
} bx_perfmon_topdown;

enum { BX_PERFMON_TOPDOWN = 8 };

/* Bits above those of these events: formulas name the time stamp counter, or the first energy of
 * energy.h, which are in no event file either. The bits of the other energies follow. */
#define BX_PERFMON_TSC    (1U << BX_PERFMON_TOPDOWN)
#define BX_PERFMON_ENERGY (2U << BX_PERFMON_TOPDOWN)

extern const bx_perfmon_topdown bx_perfmon_topdown_metrics[BX_PERFMON_TOPDOWN];

/* Intel's name for perf's name of such an event, or of `slots`; other names as they are. */
bx_str bx_perfmon_topdown_name(bx_str name);

/* The events that the name of an operand means, as bits; 0: none of them. */
unsigned bx_perfmon_topdown_of(bx_str name);

#endif

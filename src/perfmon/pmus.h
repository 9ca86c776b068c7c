/* The PMUs of an imported CPU, made as their first event is met. */
#ifndef BX_PERFMON_PMUS_H
#define BX_PERFMON_PMUS_H

#include "perfmon/assembly.h"
#include "perfmon/units.h"

enum { BX_PERFMON_PMUS = 48 };

/* Events of one PMU are neighbours in their table, but files mix them: they are kept in lists
 * first. */
typedef struct bx_perfmon_event {
    struct bx_perfmon_event *next;
    bx_cat_event row; /* counters: programmable ones */
    uint16_t fixed;   /* as bx_perfmon_row.fixed_counters */
} bx_perfmon_event;

typedef struct bx_perfmon_pmu {
    bx_perfmon_unit unit;
    bx_perfmon_event *first, **last;
    uint32_t counters; /* of all its events */
    uint16_t fixed;
    bool leads; /* one of them leads groups of topdown's metrics */
} bx_perfmon_pmu;

typedef struct bx_perfmon_pmus {
    bx_perfmon_pmu pmu[BX_PERFMON_PMUS];
    size_t n;
} bx_perfmon_pmus;

/* NULL: there are too many. */
bx_perfmon_pmu *bx_perfmon_pmu_for(bx_perfmon_pmus *all, const bx_perfmon_unit *unit);

/* Adds the rows of all PMUs and their events, for the CPU with this name and index. */
bx_span bx_perfmon_put_pmus(bx_assembly *a, const bx_perfmon_pmus *all, bx_str cpu, uint16_t index,
                            bx_cat_text source);

#endif

/* Implements topdown.h. */
#include "perfmon/topdown.h"

const bx_perfmon_topdown bx_perfmon_topdown_metrics[BX_PERFMON_TOPDOWN] = {
    {"topdown-retiring", "PERF_METRICS.RETIRING", "slots of retired operations", 0x80},
    {"topdown-bad-spec", "PERF_METRICS.BAD_SPECULATION", "slots lost to wrong speculation", 0x81},
    {"topdown-fe-bound", "PERF_METRICS.FRONTEND_BOUND", "slots that the frontend left empty", 0x82},
    {"topdown-be-bound", "PERF_METRICS.BACKEND_BOUND", "slots that the backend could not take",
     0x83},
    {"topdown-heavy-ops", "PERF_METRICS.HEAVY_OPERATIONS",
     "slots of retired operations of instructions with several", 0x84},
    {"topdown-br-mispredict", "PERF_METRICS.BRANCH_MISPREDICTS",
     "slots lost to branches that were predicted wrong", 0x85},
    {"topdown-fetch-lat", "PERF_METRICS.FETCH_LATENCY",
     "slots left empty while the frontend waited for instructions", 0x86},
    {"topdown-mem-bound", "PERF_METRICS.MEMORY_BOUND", "slots not taken because of memory", 0x87},
};

bx_str bx_perfmon_topdown_name(bx_str name)
{
    if (bx_str_eq(name, BX_STR("slots")))
        return BX_STR("TOPDOWN.SLOTS");
    for (unsigned i = 0; i < BX_PERFMON_TOPDOWN; i++)
        if (bx_str_eq(name, bx_str_of(bx_perfmon_topdown_metrics[i].perf)))
            return bx_str_of(bx_perfmon_topdown_metrics[i].name);
    return name;
}

unsigned bx_perfmon_topdown_of(bx_str name)
{
    ptrdiff_t at = bx_str_find(name, '@', 0);
    if (at >= 0) {
        name = bx_str_sub(name, (size_t)at + 1, name.n);
        name = bx_str_cut(&name, '@');
    }
    name = bx_perfmon_topdown_name(name);
    for (unsigned i = 0; i < BX_PERFMON_TOPDOWN; i++)
        if (bx_str_eq(name, bx_str_of(bx_perfmon_topdown_metrics[i].name)))
            return 1U << i;
    return 0;
}

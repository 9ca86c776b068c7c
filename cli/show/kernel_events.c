/* Finds out whether only the kernel's own events are counted. */
#include "cli/show/kernel_events.h"

#include "base/buf.h"
#include "machine/kernel_events.h"

bool bx_kernel_only(const bx_evsel *events, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (events[i].pmu != BX_KERNEL)
            return false;
    return n > 0;
}

const char *bx_kernel_remark(const bx_machine *m, bx_arena *a)
{
    char offered[120];
    bx_buf text = {.whole = &a->failed};
    if (bx_machine_is_virtual(m) || m->topology.cpu != BX_NONE)
        return NULL;
    bx_perf_names(bx_machine_perf(m), "uncore", offered, sizeof offered);
    bx_buf_f(&text, "# this machine's uncore is not in the catalogue; the kernel offers %s",
             *offered ? offered : "no PMU outside the cores");
    const char *copy = bx_arena_copy(a, (bx_str){bx_buf_text(&text), text.n});
    bx_buf_free(&text);
    return copy;
}

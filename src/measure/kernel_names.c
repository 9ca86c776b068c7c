/* Takes the names of events and units from the kernel's PMUs, and says what it offers. */
#include "measure/kernel_names.h"

#include "base/buf.h"
#include "machine/kernel_events.h"

/* Collects names of units, up to the first unit without a name. */
static size_t name_units(const bx_machine *m, const bx_evsel *event, const char **to, bx_arena *a)
{
    for (size_t n = 0;; n++) {
        char name[128];
        bx_machine_kernel_unit(m, event, (unsigned)n, name, sizeof name);
        if (!*name)
            return n;
        if (to)
            to[n] = bx_arena_copy(a, bx_str_of(name));
    }
}

const bx_report_event *bx_kernel_report_events(const bx_machine *m, const bx_evsel *events,
                                               size_t n, bx_arena *a)
{
    bx_report_event *all = bx_arena_get(a, (m->kernel_n + 1) * sizeof *all);
    for (size_t i = 0; all && i < n; i++) {
        const bx_perf_event *event = bx_machine_kernel_event(m, &events[i]);
        if (!event)
            continue;
        bx_report_event *to = &all[events[i].event];
        size_t units = name_units(m, &events[i], NULL, a);
        const char **names = bx_arena_get(a, (units + 1) * sizeof *names);
        if (!names)
            return NULL;
        name_units(m, &events[i], names, a);
        *to = (bx_report_event){
            .name = bx_arena_copy(a, bx_str_of(event->name)),
            .count = bx_arena_copy(a, bx_str_of(event->count)),
            .unit = bx_arena_copy(a, bx_str_of(event->unit)),
            .scale = event->scale,
            .units = names,
            .units_n = units,
        };
    }
    return a->failed ? NULL : all;
}

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
    if (!bx_machine_perf(m) || m->topology.cpu != BX_NONE)
        return NULL;
    bx_perf_names(bx_machine_perf(m), "uncore", offered, sizeof offered);
    bx_buf_f(&text, "# this machine's uncore is not in the catalogue; the kernel offers %s",
             *offered ? offered : "no PMU outside the cores");
    const char *copy = bx_arena_copy(a, (bx_str){bx_buf_text(&text), text.n});
    bx_buf_free(&text);
    return copy;
}

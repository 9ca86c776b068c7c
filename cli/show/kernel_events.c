#include "cli/show/kernel_events.h"

#include "machine/kernel_events.h"

#include <string.h>
#include <unistd.h>

bool bx_kernel_only(const bx_evsel *events, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (events[i].pmu != BX_KERNEL)
            return false;
    return n > 0;
}

/* Names of units, up to the first without a name. */
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

/* ---- what to count ---- */

static const char *joined(bx_buf *text, bx_arena *a)
{
    const char *copy = bx_arena_copy(a, (bx_str){bx_buf_text(text), text->n});
    bx_buf_free(text);
    return copy;
}

/* Adds the CPU's recommended events that can be counted here. */
static void add_picks(bx_machine *m, bx_buf *to)
{
    const struct bx_catalog *c = m->topology.catalog;
    bx_span span = bx_cat_cpus(c)[m->topology.cpu].defaults;
    for (unsigned i = 0; i < span.n; i++) {
        const char *name = bx_cat_z(c, bx_cat_picks(c)[span.first + i].event);
        bx_evsel event;
        bx_session *s = NULL;
        bool can = bx_event_parse(c, m->topology.cpu, name, strlen(name), &event, NULL) == BX_OK &&
                   bx_session_open(m, &event, 1, NULL, &s, NULL) == BX_OK;
        bx_session_close(s);
        if (can)
            bx_buf_f(to, "%s%s", to->n ? "," : "", name);
    }
}

/* Adds the kernel's own events of a program: for user code only if paranoid settings allow no more.
 * A switch to another task would then never be counted. */
static void add_software(bx_machine *m, bx_buf *to)
{
    static const char *const names[] = {"task-clock",       "cpu-clock", "page-faults",
                                        "context-switches", "cycles",    "instructions"};
    enum { SWITCHES = 3, OF_KERNEL = 4, ALL = sizeof names / sizeof *names };
    bx_perf *perf = bx_machine_perf(m);
    bool cores = !perf->foreign &&
                 (bx_perf_find(perf, BX_STR("cpu")) || bx_perf_find(perf, BX_STR("cpu_core")));
    bool own_code = geteuid() != 0 && perf->paranoid > 1;
    for (size_t i = 0; i < (cores ? ALL : OF_KERNEL); i++)
        if (!own_code || i != SWITCHES)
            bx_buf_f(to, "%s%s%s", to->n ? "," : "", names[i], own_code ? ":u" : "");
}

const char *bx_kernel_picks(bx_machine *m, bx_arena *a)
{
    bx_buf text = {.whole = &a->failed};
    if (m->topology.cpu != BX_NONE)
        add_picks(m, &text);
    if (!text.n)
        add_software(m, &text);
    return joined(&text, a);
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
    return joined(&text, a);
}

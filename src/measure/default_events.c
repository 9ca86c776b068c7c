/* Collects the recommended events of the CPU, or the kernel's events of a program. */
#include "measure/default_events.h"

#include "base/buf.h"
#include "machine/kernel_events.h"

#include <string.h>
#include <unistd.h>

/* Whether the machine has a unit that the event could be counted in: a host may hide some. */
static bool has_unit(const bx_machine *m, const bx_catalog *c, const char *name)
{
    bx_evsel event;
    return bx_event_parse(c, bx_machine_cpu(m), name, strlen(name), &event, NULL) != BX_OK ||
           bx_machine_units(m, event.pmu) > 0;
}

/* Adds the events that the CPU's catalogue file recommends, as far as the machine has units for
 * them. */
static void add_of_units(const bx_machine *m, bx_buf *to)
{
    const bx_catalog *c = m->topology.catalog;
    bx_span span = bx_cat_cpus(c)[bx_machine_cpu(m)].defaults;
    for (unsigned i = 0; i < span.n; i++) {
        const char *name = bx_cat_z(c, bx_cat_picks(c)[span.first + i].event);
        if (has_unit(m, c, name))
            bx_buf_f(to, "%s%s", to->n ? "," : "", name);
    }
}

/* Adds those recommended events that a host without access to registers can count. */
static void add_countable(bx_machine *m, bx_buf *to)
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

/* Adds the kernel's own events of a program. If perf_event_paranoid allows no more, they count user
 * code only. Context switches are then left out, because their count would always be 0. */
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

const char *bx_default_events(bx_machine *m, bx_arena *a)
{
    bx_buf text = {.whole = &a->failed};
    if (m->bus)
        add_of_units(m, &text);
    else if (m->topology.cpu != BX_NONE)
        add_countable(m, &text);
    if (!m->bus && !text.n)
        add_software(m, &text);
    const char *copy = bx_arena_copy(a, (bx_str){bx_buf_text(&text), text.n});
    bx_buf_free(&text);
    return copy;
}

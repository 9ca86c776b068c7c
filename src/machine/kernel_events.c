/* Events that a host's kernel has and the catalogue lacks. */
#include "machine/kernel_events.h"

#include "base/error.h"
#include "event/parse/list.h"
#include "event/hint.h"
#include "machine/backend/backend.h"
#include "machine/modelled_events.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

bx_perf *bx_machine_perf(const bx_machine *m)
{
    return m->backend->perf;
}

bool bx_machine_kernel_may_count(const bx_machine *m)
{
    const bx_perf *perf = m->backend->perf;
    return perf && perf->driver != BX_DRIVER_REGISTERS && !m->backend->host->helper_required &&
           bx_perf_counts(perf);
}

const bx_perf_event *bx_machine_kernel_event(const bx_machine *m, const bx_evsel *event)
{
    return event->pmu == BX_KERNEL && event->event < m->kernel_n ? &m->kernel[event->event] : NULL;
}

/* ---- reading ---- */

/* Numbers an event; events of the same spelling get the same number. */
static int number_kernel_event(bx_machine *m, const bx_perf_event *event, uint16_t *to, bx_error *e)
{
    for (size_t i = 0; i < m->kernel_n; i++)
        if (strcmp(m->kernel[i].text, event->text) == 0) {
            m->kernel[i] = *event;
            *to = (uint16_t)i;
            return BX_OK;
        }
    struct bx_perf_event *more = realloc(m->kernel, (m->kernel_n + 1) * sizeof *more);
    if (!more || m->kernel_n == BX_NONE)
        return bx_out_of_memory(e);
    m->kernel = more;
    m->kernel[m->kernel_n] = *event;
    *to = (uint16_t)m->kernel_n++;
    return BX_OK;
}

static int read_of_kernel(bx_machine *m, bx_str part, bx_evsel *event, bool *known, bx_error *e)
{
    bx_perf_event found;
    uint16_t n = 0;
    int code = bx_machine_perf(m) ? bx_perf_parse(bx_machine_perf(m), part, &found, known, e)
                                  : bx_modelled_event_read(m, part, &found, e);
    if (!code)
        code = number_kernel_event(m, &found, &n, e);
    if (!code)
        *event = (bx_evsel){.pmu = BX_KERNEL,
                            .event = n,
                            .unit = BX_ANY,
                            .package = BX_ANY,
                            .counter = BX_ANY,
                            .port = BX_ANY,
                            .place = BX_ANY,
                            .len = part.n};
    return code;
}

static bool is_of_core(const struct bx_catalog *c, const bx_evsel *event)
{
    return bx_cat_pmus(c)[event->pmu].scope != BX_SCOPE_PACKAGE;
}

/* The error for an event of the catalogue on a machine with another CPU or another uncore. */
static int not_here(const bx_machine *m, const bx_evsel *event, size_t len, bx_error *e)
{
    const struct bx_catalog *c = m->topology.catalog;
    char offered[120];
    bx_perf_names(bx_machine_perf(m), "uncore", offered, sizeof offered);
    bx_fail(e, BX_NO_ACCESS, 0, len, "this is an event of %s, and this machine's %s",
            bx_cat_z(c, bx_cat_pmus(c)[event->pmu].name),
            is_of_core(c, event) ? "CPU is another one" : "uncore is not in the catalogue");
    const bx_cat_cpu *cpu = &bx_cat_cpus(c)[bx_cat_pmus(c)[event->pmu].cpu];
    if (*offered && !is_of_core(c, event))
        bx_hint(e, "the kernel offers %s", offered);
    else if (bx_cat_is_virtual(c, cpu))
        bx_hint(e, "%stry the machine virtual:%s",
                is_of_core(c, event) ? "" : "the kernel offers no PMU outside the cores either; ",
                bx_cat_z(c, cpu->name));
    return BX_NO_ACCESS;
}

static const char host_counts_it[] = "the kernel of a host counts it: the machine 'host'";

/* Sets the hint for a kernel's event on a machine without a kernel. */
static void hint_at_host(const bx_machine *m, bx_str part, bx_error *e)
{
    bx_perf_config config;
    const char *count;
    if (bx_machine_perf(m) || e->code != BX_NOT_FOUND || bx_hint_is_likeness(e) ||
        !bx_perf_generic_find(bx_str_cut(&part, ':'), &config, &count))
        return;
    e->hint[0] = '\0';
    bx_hint(e, "%s", host_counts_it);
}

void bx_machine_hint_at_sysfs(bx_error *e)
{
    if (strcmp(e->hint, host_counts_it) != 0)
        return;
    e->hint[0] = '\0';
    bx_hint(e, "a kernel that counts it has its PMUs in /sys/bus/event_source: is sysfs mounted?");
}

bool bx_machine_kernel_knows(bx_machine *m, bx_str part)
{
    bx_perf_event found;
    bx_error e = {0};
    bool known = false;
    if (bx_machine_perf(m))
        bx_perf_parse(bx_machine_perf(m), part, &found, &known, &e);
    return known || (e.hint[0] && !bx_hint_is_likeness(&e) && bx_str_find(part, '/', 0) < 0);
}

/* Whether a host's kernel has its own code for the word. */
static bool is_word_of_kernel(const bx_machine *m, bx_str part)
{
    const bx_perf *perf = bx_machine_perf(m);
    bx_perf_config config;
    const char *count;
    return perf && perf->driver != BX_DRIVER_REGISTERS &&
           bx_perf_generic_find(bx_str_cut(&part, ':'), &config, &count);
}

/* Events of the catalogue take precedence: the catalogue knows more about them. On a host, perf's
 * words for them are the kernel's. */
static int read_event(void *context, bx_str part, bx_evsel *event, bx_error *e)
{
    bx_machine *m = context;
    const struct bx_catalog *c = m->topology.catalog;
    int cpu = bx_machine_cpu(m);
    bool known = false;
    bx_error own = {0}, kernels = {0};
    bx_evsel found;
    bool is_virtual =
        bx_machine_is_virtual(m); /* it may be the kernel's: a hint would be for nobody */
    int code = bx_event_parse(c, cpu, part.p, part.n, &found, is_virtual ? NULL : &own);
    if (is_word_of_kernel(m, part) && read_of_kernel(m, part, event, &known, &kernels) == BX_OK)
        return BX_OK;
    if (code == BX_OK && cpu >= 0) {
        *event = found;
        return BX_OK;
    }
    if (is_virtual && code == BX_NOT_FOUND &&
        read_of_kernel(m, part, event, &known, &kernels) != BX_NOT_FOUND) {
        *e = kernels;
        return e->code;
    }
    if (is_virtual)
        code = bx_event_parse(c, cpu, part.p, part.n, &found, &own);
    if (bx_machine_perf(m) && read_of_kernel(m, part, event, &known, &kernels) == BX_OK)
        return BX_OK;
    bool is_word = bx_str_find(part, '/', 0) < 0;
    if (code == BX_OK && !known && (is_word || !is_of_core(c, &found)))
        return not_here(m, &found, part.n, e);
    bool is_kernels = known || cpu < 0 || kernels.code == BX_NO_MEMORY ||
                      (bx_hint_is_likeness(&kernels) && !bx_hint_is_likeness(&own));
    hint_at_host(m, part, &own);
    *e = kernels.code && is_kernels ? kernels : own;
    return e->code;
}

int bx_machine_events_parse(bx_machine *m, const char *text, bx_evsel *events, size_t room,
                            size_t *n, bx_error *e)
{
    if (!m)
        return bx_missing(e, "machine");
    int code = bx_events_read(read_event, m, text, events, room, n, e);
    for (size_t i = 0; code == BX_OK && i < *n && i < room; i++)
        if (events[i].pmu != BX_KERNEL && events[i].package == BX_SOCKET)
            events[i].package = (int16_t)m->topology.socket;
    return code;
}

bool bx_machine_only_of_kernels(const bx_machine *m, const bx_evsel *events, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        const bx_perf_event *event = bx_machine_kernel_event(m, &events[i]);
        if (!event || event->modelled == BX_KERNEL_NOT_SUPPORTED)
            return false;
    }
    return n > 0;
}

/* ---- writing ---- */

size_t bx_machine_event_format(const bx_machine *m, const bx_evsel *event, char *to, size_t room)
{
    room = to ? room : 0;
    if (!m || !event)
        return 0;
    const bx_perf_event *own = bx_machine_kernel_event(m, event);
    if (event->pmu != BX_KERNEL)
        return bx_event_format(m->topology.catalog, event, to, room);
    int n = snprintf(to, room, "%s", own ? own->name : "");
    return n > 0 ? (size_t)n : 0;
}

/* ---- locations ---- */

void bx_machine_kernel_location(const bx_machine *m, const bx_perf_event *event, size_t source,
                                size_t i, unsigned *package, unsigned *unit)
{
    const bx_cpus *cpus = bx_machine_cpus(m);
    *package = bx_perf_package(cpus, event->sources[source].pmu->cpus[i]);
    *unit = 0;
    for (size_t s = 0; s <= source; s++) {
        const bx_perf_pmu *pmu = event->sources[s].pmu;
        size_t end = s == source ? i : pmu->cpus_n;
        for (size_t j = 0; j < end; j++)
            *unit += bx_perf_package(cpus, pmu->cpus[j]) == *package;
    }
}

void bx_machine_kernel_unit(const bx_machine *m, const bx_evsel *event, unsigned unit, char *to,
                            size_t room)
{
    const bx_perf_event *own = bx_machine_kernel_event(m, event);
    /* Indexes of CPUs of package 0: the next one, and the first of this name. */
    unsigned next = 0, first = 0;
    *to = '\0';
    for (size_t s = 0; own && s < own->n; s++) {
        const bx_perf_pmu *pmu = own->sources[s].pmu;
        const bx_perf_pmu *before = s ? own->sources[s - 1].pmu : NULL;
        if (!pmu || !before || strcmp(pmu->name, before->name) != 0)
            first = next;
        if (pmu && !pmu->cpus_n && own->n > 1 && s == unit)
            snprintf(to, room, "%s", pmu->name);
        for (size_t i = 0; pmu && i < pmu->cpus_n; i++) {
            if (bx_perf_package(bx_machine_cpus(m), pmu->cpus[i]) != 0 || next++ != unit)
                continue;
            if (unit == first)
                snprintf(to, room, "%s", pmu->name);
            else
                snprintf(to, room, "%s/%u", pmu->name, unit - first);
            return;
        }
    }
}

/* Opens and closes a pass. */
#include "measure/pass.h"

#include "measure/places.h"

#include "base/buf.h"
#include "base/error.h"
#include "machine/cgroup.h"
#include "machine/program/process/attached.h"

#include <stdlib.h>
#include <string.h>

/* ---- the work ---- */

static bool names_seed(bx_str part)
{
    while (part.p)
        if (bx_str_starts_fold(bx_str_trim(bx_str_cut(&part, ',')), BX_STR("seed=")))
            return true;
    return false;
}

/* Adds a seed to each part of a workload that has none: 2 in the second run, then 3, 4 … The first
 * run has the workload's own, which is 1. */
static void add_seeds(bx_str parts, unsigned run, bx_buf *to)
{
    while (parts.p) {
        bx_str part = bx_str_cut(&parts, '+');
        bx_buf_str(to, part);
        if (run > 0 && !names_seed(part))
            bx_buf_f(to, ",seed=%u", run + 1);
        if (parts.p)
            bx_buf_z(to, "+");
    }
}

/* Loads the workload for a run. The first run reports all errors in the text. It adds no seeds, so
 * their spans are right. */
static int load_workload(bx_machine *m, const char *workload, unsigned run, bx_error *e)
{
    bx_buf text = {0};
    add_seeds(bx_str_of(workload), run, &text);
    int code =
        text.failed ? bx_out_of_memory(e) : bx_machine_load_workload(m, text.p ? text.p : "", e);
    bx_buf_free(&text);
    return code;
}

/* Loads a program. If there is none, the user may have given a workload without --workload. */
static int load_program(bx_machine *machine, char *const argv[], bx_error *e)
{
    int code = bx_machine_load_program(machine, argv, e);
    for (size_t i = 0; code == BX_NOT_FOUND && bx_workload_name(i); i++)
        if (bx_str_eq(bx_str_of(bx_workload_name(i)), bx_str_of(argv[0])))
            bx_hint(e, "a workload has that name: boxscore stat --workload %s", argv[0]);
    return code;
}

static int load(const bx_measurement *m, bx_machine *machine, unsigned run, bx_error *e)
{
    if (m->o.workload)
        return load_workload(machine, m->o.workload, run, e);
    if (m->signals)
        bx_machine_end_replay_if(machine, m->signals->end);
    if (m->o.trace)
        return bx_machine_load_trace(machine, m->o.trace, e);
    return m->o.program ? load_program(machine, m->o.program, e) : BX_OK;
}

/* ---- the machine and the session ---- */

/* The kernel's events have numbers that belong to the machine. */
static int take_events(bx_pass *p, bx_error *e)
{
    size_t n = p->of->counted_n;
    bool kernels = false;
    p->events = malloc((n + 1) * sizeof *p->events);
    if (!p->events)
        return bx_out_of_memory(e);
    memcpy(p->events, p->of->counted, n * sizeof *p->events);
    for (size_t i = 0; i < n; i++)
        kernels |= p->events[i].pmu == BX_KERNEL;
    return kernels && !p->of->lent
               ? bx_machine_events_parse(p->machine, p->of->events_text, p->events, n, &n, e)
               : BX_OK;
}

/* The machine on which the events were read counts first. Each further pass or run opens a new one,
 * with caches and counters as after power-on. */
static int take_machine(bx_pass *p, bx_error *e)
{
    bx_measurement *m = p->of;
    const bx_log_part part = {.number = m->part++, .notes = m->notes};
    p->machine = m->machine;
    if (!m->lent)
        m->machine = NULL;
    bx_measurement_about(m, NULL, m->measured->machine);
    return p->machine ? BX_OK
                      : bx_machine_open_part(m->measured->catalog, m->measured->machine, &m->host,
                                             &part, &p->machine, e);
}

/* Attaches to one cgroup, or to each of a list, whose names the report shows. */
static int attach_cgroups(bx_pass *p, bx_error *e)
{
    bx_measurement *m = p->of;
    if (m->o.cgroup)
        return bx_machine_attach_cgroup(p->machine, bx_str_of(m->o.cgroup), e);
    size_t n = 0;
    const char **names = bx_arena_get(m->arena, (strlen(m->o.cgroups) + 1) * sizeof *names);
    if (!names)
        return bx_out_of_memory(e);
    for (bx_str rest = bx_str_of(m->o.cgroups); rest.p; n++) {
        bx_str name = bx_str_trim(bx_str_cut(&rest, ','));
        names[n] = bx_arena_copy(m->arena, name);
        int code = names[n] ? bx_machine_attach_cgroup(p->machine, name, e) : bx_out_of_memory(e);
        if (code)
            return code;
    }
    m->measured->per = BX_PER_CGROUP;
    m->measured->cgroups = names;
    m->measured->cgroups_n = n;
    return BX_OK;
}

/* Attaches to running processes, and keeps the names of their threads for the report. */
static int attach(bx_pass *p, bx_error *e)
{
    bx_measurement *m = p->of;
    bool is_work = bx_attach_is_work(&m->o) && !m->o.program && !m->o.workload && !m->o.trace;
    if (m->o.cgroup || m->o.cgroups)
        return attach_cgroups(p, e);
    if (!m->o.processes && !m->o.threads && !is_work)
        return BX_OK;
    int code = bx_machine_attach(p->machine, m->attach.ids, m->attach.ids_n, m->attach.threads, e);
    if (code)
        return code;
    size_t n;
    const bx_attached_thread *threads = bx_machine_attached(p->machine, &n);
    bx_attached_thread *copy = bx_arena_get(m->arena, (n + 1) * sizeof *copy);
    if (!copy)
        return bx_out_of_memory(e);
    if (n)
        memcpy(copy, threads, n * sizeof *copy);
    m->measured->threads = copy;
    m->measured->threads_n = n;
    return BX_OK;
}

int bx_pass_open(bx_pass *p, bx_measurement *m, unsigned run, unsigned number, bx_error *e)
{
    const bx_session_options options = {.size = sizeof options,
                                        .rotate = m->o.passes == BX_PASSES_ROTATE ? BX_ROTATE : 0,
                                        .rotate_seed = run,
                                        .repeat = m->o.passes == BX_PASSES_REPEAT,
                                        .pass = number,
                                        .overflow_after = m->overflow.counts,
                                        .overflow_event = m->overflow_event,
                                        .overflow_again = m->o.sample,
                                        .at_overflow = bx_pass_at_overflow,
                                        .overflow_context = p,
                                        .regions = m->o.regions,
                                        .inside = m->o.inside,
                                        .inside_n = m->o.inside_n,
                                        .cpus = m->attach.cpus,
                                        .cpus_n = m->attach.cpus_n,
                                        .skip_unsupported = true};
    p->of = m;
    int code = take_machine(p, e);
    if (code)
        return code;
    bx_measurement_about(m, NULL, NULL);
    code = attach(p, e);
    if (code)
        return code;
    bx_measurement_about(m, "events", m->events_text);
    code = take_events(p, e);
    if (!code)
        code = bx_session_open(p->machine, p->events, m->counted_n, &options, &p->session, e);
    if (code)
        return code;
    bool nodes = m->measured->per == BX_PER_NODE;
    if ((nodes || m->measured->per == BX_PER_DIE) && !m->measured->places)
        m->measured->places = bx_measured_places(p->machine, p->session, nodes, m->arena);
    if (m->arena->failed)
        return bx_out_of_memory(e);
    if (m->watch)
        code = m->watch->opened(m->watch->context, p, e);
    if (code)
        return code;
    bx_measurement_about(m, "workload", m->o.workload);
    code = load(m, p->machine, run, e);
    if (!code)
        bx_measurement_about(m, "events",
                             m->events_text); /* the kernel may refuse an event later */
    return code;
}

int bx_pass_close(bx_pass *p, int code, bx_error *e)
{
    bx_measurement *m = p->of;
    bx_machine *own = m->lent ? NULL : p->machine;
    bx_error failure = {0};
    if (own && code == BX_NO_MEMORY)
        bx_machine_drop_log(own);
    if (own && bx_machine_finish(own, !code, &failure)) {
        code = failure.code;
        bx_measurement_about(m, NULL, NULL);
        *e = failure;
    }
    m->accesses += own ? bx_machine_accesses(own) : 0;
    m->passed += own ? bx_machine_now(own) - p->start : 0;
    m->running = NULL;
    bx_session_close(p->session);
    bx_machine_close(own);
    bx_window_free(&p->window);
    free(p->taken);
    free(p->events);
    return code;
}

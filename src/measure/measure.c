/* Measurements in one call: a session, the work, and the result. */
#include "base/error.h"
#include "machine/kernel_events.h"
#include "measure/default_events.h"
#include "measure/kernel_names.h"
#include "measure/metric_choice.h"
#include "measure/result.h"

#include <string.h>

/* ---- what is counted ---- */

typedef struct list {
    const char *text;
    bx_evsel *events;
    size_t n;
} list;

/* Names the argument that the span of a failure is in; `text` is what the caller gave for it. A
 * span in another text, such as events that the metrics need, is dropped. */
static int failed_in(int code, const char *argument, const char *text, bx_error *e)
{
    if (text && e->at + e->len <= strlen(text) + 1)
        e->in = e->len ? argument : NULL;
    else
        e->at = e->len = 0;
    return code;
}

/* Reads the given events, or the default ones. */
static int read_events(bx_result *r, const char *events, const char *metrics, list *to, bx_error *e)
{
    bx_arena *a = &r->arena;
    to->text = events    ? bx_arena_copy(a, bx_str_of(events))
               : metrics ? ""
                         : bx_default_events(r->machine, a);
    size_t room = 2;
    for (const char *p = to->text; p && *p; p++)
        room += *p == ',';
    to->events = bx_arena_get(a, room * sizeof *to->events);
    if (a->failed)
        return bx_out_of_memory(e);
    if (!*to->text && metrics)
        return BX_OK;
    int code = bx_machine_events_parse(r->machine, to->text, to->events, room, &to->n, e);
    return code ? failed_in(code, "events", events, e) : BX_OK;
}

/* Appends the events of the metrics. If events are multiplexed, those of a metric become a group,
 * so they are counted at the same times. The kernel makes groups of its own. */
static int add_metrics(bx_result *r, const char *metrics, list *to, bx_error *e)
{
    bx_metric_choice choice;
    bool in_turns = !bx_machine_is_direct(r->machine) && !bx_machine_kernel_may_count(r->machine);
    int code = bx_metric_choice_read(r->machine, metrics, &r->arena, &choice, e);
    if (code)
        return failed_in(code, "metrics", metrics, e);
    r->measured.metrics = choice.asked;
    return bx_metric_choice_add(r->machine, &choice, in_turns, &r->arena, &to->events, &to->n,
                                &to->text, e);
}

static int choose(bx_result *r, const char *events, const char *metrics, bx_error *e)
{
    bx_machine *m = r->machine;
    const bx_catalog *c = m->topology.catalog;
    list chosen = {0};
    r->measured = (bx_measured){.catalog = c,
                                .cpu = bx_machine_cpu(m),
                                .hz = bx_machine_hz(m),
                                .machine = bx_arena_copy(&r->arena, bx_str_of(bx_machine_name(m)))};
    if (bx_machine_is_virtual(m))
        r->measured.clock = bx_cat_z(c, bx_cat_cpus(c)[r->measured.cpu].clock);
    int code = read_events(r, events, metrics, &chosen, e);
    if (!code && metrics)
        code = add_metrics(r, metrics, &chosen, e);
    if (code)
        return code;
    r->measured.events = chosen.events;
    r->measured.events_n = chosen.n;
    r->measured.kernel = bx_kernel_report_events(m, chosen.events, chosen.n, &r->arena);
    return r->arena.failed ? bx_out_of_memory(e) : BX_OK;
}

/* ---- the course ---- */

/* The result lives in its own arena. */
static bx_result *new_result(bx_machine *m)
{
    bx_arena arena = {0};
    bx_result *r = bx_arena_get(&arena, sizeof *r);
    if (!r)
        return NULL;
    r->arena = arena;
    r->machine = m;
    return r;
}

static int open_session(bx_machine *m, const char *events, const char *metrics, bool regions,
                        bx_result **to, bx_error *e)
{
    const bx_session_options options = {
        .size = sizeof options, .regions = regions, .skip_unsupported = true};
    bx_result *r = new_result(m);
    int code = r ? choose(r, events, metrics, e) : bx_out_of_memory(e);
    if (!code) {
        code =
            bx_session_open(m, r->measured.events, r->measured.events_n, &options, &r->session, e);
        if (code)
            failed_in(code, "events", events, e);
    }
    if (code)
        bx_result_free(r);
    else
        *to = r;
    return code;
}

static int start(bx_result *r, bx_error *e)
{
    int code = bx_session_start(r->session, e);
    r->began = bx_machine_time(r->machine);
    return code;
}

int bx_measure_begin(bx_machine *m, const char *events, const char *metrics, bx_result **to,
                     bx_error *e)
{
    if (!m)
        return bx_missing(e, "machine");
    if (!to)
        return bx_missing(e, "place for the result");
    bx_result *r;
    bx_error own = {0};
    int code = open_session(m, events, metrics, false, &r, &own);
    if (code) {
        bx_fail_as(e, &own);
        return code;
    }
    code = start(r, &own);
    if (!code) {
        *to = r;
        return BX_OK;
    }
    bx_result_free(r);
    bx_fail_as(e, &own);
    return code;
}

/* Refuses a measurement without work: a virtual machine's time passes only while work runs, so all
 * counts would be 0. */
static int no_time(const bx_machine *m, bx_error *e)
{
    bx_fail(e, BX_BAD_INPUT, 0, 0, "nothing has run on %s: no time has passed there",
            bx_machine_name(m));
    bx_hint(e, "give it a workload or a program; a part of this program is counted on 'host'");
    return BX_BAD_INPUT;
}

/* Registers that could not be put back are remarks: the counts are valid. */
int bx_measure_end(bx_result *r, bx_error *e)
{
    if (!r)
        return bx_missing(e, "result");
    bx_error own = {0};
    if (!r->session)
        return bx_fail(e, BX_BAD_INPUT, 0, 0, "this measurement has ended");
    bx_machine_read_clock(r->machine);
    uint64_t ended = bx_machine_time(r->machine);
    int code = bx_session_stop(r->session, &own);
    if (code && bx_session_left(r->session, 0))
        code = BX_OK;
    if (code)
        bx_fail_as(e, &own);
    if (!code && ended == r->began)
        code = no_time(r->machine, e);
    if (!code)
        code = bx_result_take(r, ended, e);
    bx_session_close(r->session);
    r->session = NULL;
    r->machine = NULL;
    return code;
}

/* Whether regions are known: lackey does not see them, and a recording has none. */
static bool tells_regions(const bx_machine *m, const char *program)
{
    return !m->recorder && !bx_machine_is_replayed(m) && !bx_machine_lackey_because(m, program);
}

static int run_to_end(bx_result *r, bx_error *e)
{
    bool done = false;
    int code = start(r, e);
    while (!code && !done)
        code = bx_session_run(r->session, UINT64_MAX, &done, e);
    return code ? code : bx_measure_end(r, e);
}

static int load(bx_machine *m, const char *workload, char *const argv[], bx_error *e)
{
    if (!workload)
        return bx_machine_load_program(m, argv, e);
    int code = bx_machine_load_workload(m, workload, e);
    return code ? failed_in(code, "workload", workload, e) : BX_OK;
}

static int measure(bx_machine *m, const char *events, const char *metrics, const char *workload,
                   char *const argv[], bx_result **to, bx_error *e)
{
    bx_result *r;
    bx_error own = {0};
    bool regions = argv && argv[0] && tells_regions(m, argv[0]);
    int code = open_session(m, events, metrics, regions, &r, &own);
    if (code) {
        bx_fail_as(e, &own);
        return code;
    }
    code = load(m, workload, argv, &own);
    if (!code)
        code = run_to_end(r, &own);
    if (!code) {
        *to = r;
        return BX_OK;
    }
    bx_result_free(r);
    bx_fail_as(e, &own);
    return code;
}

int bx_measure_workload(bx_machine *m, const char *events, const char *metrics,
                        const char *workload, bx_result **to, bx_error *e)
{
    if (!m)
        return bx_missing(e, "machine");
    if (!workload)
        return bx_missing(e, "workload");
    if (!to)
        return bx_missing(e, "place for the result");
    return measure(m, events, metrics, workload, NULL, to, e);
}

int bx_measure_program(bx_machine *m, const char *events, const char *metrics, char *const argv[],
                       bx_result **to, bx_error *e)
{
    if (!m)
        return bx_missing(e, "machine");
    if (!argv)
        return bx_missing(e, "program");
    if (!to)
        return bx_missing(e, "place for the result");
    return measure(m, events, metrics, NULL, argv, to, e);
}

/* Runs the workloads, and keeps which runs make an event count. */
#include "cli/show/workload_runs.h"

#include "base/error.h"
#include "cli/common/names.h"
#include "cli/show/modelled.h"
#include "event/event.h"
#include "machine/machine.h"

#include <string.h>

int bx_workload_runs_open(const bx_catalog *c, bx_workload_runs *r, bx_error *e)
{
    *r = (bx_workload_runs){.c = c};
    r->machines = bx_arena_get(&r->arena, c->cpus.n * BX_RUNS_MOST * sizeof *r->machines);
    r->events = bx_arena_get(&r->arena, c->events.n * sizeof *r->events);
    r->umasks = bx_arena_get(&r->arena, c->umasks.n * sizeof *r->umasks);
    r->metrics = bx_arena_get(&r->arena, c->metrics.n * sizeof *r->metrics);
    return r->arena.failed ? bx_out_of_memory(e) : BX_OK;
}

void bx_workload_runs_close(bx_workload_runs *r)
{
    bx_arena_free(&r->arena);
}

/* ---- what is counted ---- */

typedef struct counted {
    bx_workload_runs *runs;
    bx_machine *machine;           /* on which nothing runs: says what is possible */
    bx_workload_row **rows, **run; /* all; those that the present run counts, by event of it */
    size_t n, run_n;
    bx_buf metrics; /* joined by commas */
} counted;

/* An event with a default unit mask that is on the counter that this one follows, and on no other.
 * NULL: it follows none. */
static const char *beside(const bx_catalog *c, const bx_cat_event *event)
{
    const bx_cat_pmu *pmu = &bx_cat_pmus(c)[event->pmu];
    bx_evsel parsed;
    for (unsigned i = 0; event->follows != BX_NO_COUNTER && i < pmu->events.n; i++) {
        unsigned other = pmu->events.first + i;
        const char *name = bx_cat_z(c, bx_cat_events(c)[other].name);
        if (bx_cat_events(c)[other].counters == UINT32_C(1) << event->follows &&
            bx_event_parse(c, pmu->cpu, name, strlen(name), &parsed, NULL) == BX_OK)
            return name;
    }
    return NULL;
}

static void offer(counted *to, bx_workload_row *row, unsigned event, unsigned umask)
{
    bx_buf text = {.whole = &to->metrics.failed};
    if (bx_modelled(to->machine, event, umask, &text) && !text.failed) {
        row->counted = bx_arena_copy(&to->runs->arena, (bx_str){text.p, text.n});
        row->beside = beside(to->runs->c, &bx_cat_events(to->runs->c)[event]);
        to->rows[to->n++] = row;
    }
    bx_buf_free(&text);
}

static void offer_event(counted *to, unsigned index)
{
    const bx_cat_event *event = &bx_cat_events(to->runs->c)[index];
    if (!event->umasks.n)
        offer(to, &to->runs->events[index], index, BX_NONE);
    for (unsigned i = 0; i < event->umasks.n; i++) {
        unsigned umask = event->umasks.first + i;
        if (!(bx_cat_umasks(to->runs->c)[umask].flags & BX_UMASK_ALIAS))
            offer(to, &to->runs->umasks[umask], index, umask);
    }
}

static void offer_metric(counted *to, unsigned index)
{
    bx_buf_f(&to->metrics, "%s%s", to->metrics.n ? "," : "",
             bx_cat_z(to->runs->c, bx_cat_metrics(to->runs->c)[index].name));
}

static void offer_string(counted *to, const char *text)
{
    bx_evsel event;
    if (bx_event_parse(to->runs->c, bx_machine_cpu(to->machine), text, strlen(text), &event,
                       NULL) ||
        !bx_machine_produces(to->machine, &event))
        return;
    to->runs->string.counted = bx_arena_copy(&to->runs->arena, bx_str_of(text));
    to->runs->string.beside = beside(to->runs->c, &bx_cat_events(to->runs->c)[event.event]);
    to->rows[to->n++] = &to->runs->string;
}

static void choose_workload(counted *to, unsigned index, bx_workload_scope scope)
{
    const bx_catalog *c = to->runs->c;
    const bx_cat_cpu *cpu = &bx_cat_cpus(c)[index];
    bool all = scope.event == BX_NONE && scope.metric == BX_NONE && !scope.string;
    for (unsigned i = 0; i < cpu->pmus.n; i++) {
        bx_span events = bx_cat_pmus(c)[cpu->pmus.first + i].events;
        for (unsigned k = events.first; k < events.first + (unsigned)events.n; k++)
            if (all || k == scope.event)
                offer_event(to, k);
    }
    for (unsigned i = cpu->metrics.first; i < cpu->metrics.first + (unsigned)cpu->metrics.n; i++)
        if (all || i == scope.metric)
            offer_metric(to, i);
    if (scope.string)
        offer_string(to, scope.string);
}

/* ---- the runs ---- */

static void take_metrics(bx_workload_runs *r, unsigned cpu, const bx_result *result, uint64_t bit)
{
    for (size_t i = 0; i < bx_result_metrics(result); i++) {
        double value;
        uint16_t metric =
            bx_cat_find_metric(r->c, (uint16_t)cpu, bx_str_of(bx_result_metric(result, i)));
        if (metric == BX_NONE)
            continue;
        r->metrics[metric].counted = bx_cat_z(r->c, bx_cat_metrics(r->c)[metric].name);
        if (bx_result_metric_value(result, i, &value) && value != 0)
            r->metrics[metric].runs |= bit;
    }
}

static void take_result(const counted *of, unsigned cpu, const bx_result *result, uint64_t bit)
{
    for (size_t i = 0; i < of->run_n; i++)
        if (bx_result_value(result, bx_result_sum(result, i)))
            of->run[i]->runs |= bit;
    take_metrics(of->runs, cpu, result, bit);
}

/* The events of a run, joined by commas. One with settings of its own is for rows that have not
 * counted yet. */
static void choose_rows(counted *of, size_t run, bx_buf *events)
{
    of->run_n = 0;
    for (size_t i = 0; i < of->n; i++) {
        if (of->rows[i]->runs && !bx_run_is_plain(run))
            continue;
        bx_buf_f(events, "%s%s", of->run_n ? "," : "", of->rows[i]->counted);
        of->run[of->run_n++] = of->rows[i];
    }
    if (of->run_n == 1 && of->run[0]->beside) /* among all events there are some */
        bx_buf_f(events, ",%s", of->run[0]->beside);
}

/* Nothing runs if the machine lacks the agent, such as graphics: then nothing counts. */
static int measure(counted *of, unsigned cpu, size_t run, const bx_buf *events, bx_machine *m,
                   bx_error *e)
{
    bx_error own = {0};
    bx_result *result = NULL;
    uint64_t began = bx_machine_now(m);
    bool metrics = of->metrics.n && bx_run_is_plain(run);
    int code = bx_measure_workload(m, of->run_n ? events->p : NULL, metrics ? of->metrics.p : NULL,
                                   bx_run_workload(run), &result, &own);
    if (!code)
        take_result(of, cpu, result, UINT64_C(1) << run);
    else if (code == BX_BAD_INPUT && bx_machine_now(m) == began)
        code = BX_OK;
    else if (e)
        *e = own;
    bx_result_free(result);
    return code;
}

/* false: the workload needs more cores than the machine has. */
static bool fits(bx_machine *m, size_t run)
{
    int code = bx_machine_load_workload(m, bx_run_workload(run), NULL);
    bx_machine_unload(m);
    return code != BX_NO_FIT;
}

static int run_on(counted *of, unsigned cpu, size_t run, bx_machine *m, bx_error *e)
{
    bx_buf events = {.whole = &of->metrics.failed};
    int code = BX_OK;
    choose_rows(of, run, &events);
    if (of->metrics.failed)
        code = bx_out_of_memory(e);
    else if ((of->run_n || (of->metrics.n && bx_run_is_plain(run))) && fits(m, run))
        code = measure(of, cpu, run, &events, m, e);
    bx_buf_free(&events);
    return code;
}

/* A run with settings is left out where they are of no machine of the CPU. */
static int open_and_run(counted *of, unsigned cpu, size_t run, const char *spec, bx_error *e)
{
    bx_machine *m;
    bx_error own = {0};
    int code = bx_machine_open(of->runs->c, spec, &m, &own);
    if (code == BX_BAD_INPUT && !bx_run_is_plain(run))
        return BX_OK;
    if (code) {
        if (e)
            *e = own;
        return code;
    }
    code = run_on(of, cpu, run, m, e);
    bx_machine_close(m);
    return code;
}

/* Whether no run is left that can tell more. */
static bool is_settled(const counted *of, size_t run)
{
    size_t i = 0;
    while (i < of->n && of->rows[i]->runs)
        i++;
    return i == of->n && !bx_run_is_plain(run);
}

static int run_all(bx_workload_runs *r, unsigned cpu, bx_workload_scope scope, bx_machine *machine,
                   bx_error *e)
{
    counted of = {.runs = r, .machine = machine};
    const char **spec = &r->machines[cpu * BX_RUNS_MOST];
    int code = BX_OK;
    of.rows = bx_arena_get(&r->arena, (r->c->events.n + r->c->umasks.n) * sizeof *of.rows);
    of.run = bx_arena_get(&r->arena, (r->c->events.n + r->c->umasks.n) * sizeof *of.run);
    if (of.rows && of.run)
        choose_workload(&of, cpu, scope);
    if (r->arena.failed || of.metrics.failed)
        code = bx_out_of_memory(e);
    for (size_t i = 0; !code && (of.n || of.metrics.n) && bx_run_name(i) && !is_settled(&of, i);
         i++)
        if (spec[i])
            code = open_and_run(&of, cpu, i, spec[i], e);
    bx_buf_free(&of.metrics);
    return code;
}

int bx_workload_runs_add(bx_workload_runs *r, unsigned cpu, bx_workload_scope scope, bx_error *e)
{
    bx_machine *machine;
    const char **spec = &r->machines[cpu * BX_RUNS_MOST];
    if (!bx_cpu_is_modelled(r->c, cpu))
        return BX_OK;
    for (size_t i = 0; bx_run_name(i); i++) {
        bx_buf text = {.whole = &r->arena.failed};
        if (bx_run_machine(r->c, cpu, i, &text))
            spec[i] = bx_arena_copy(&r->arena, (bx_str){bx_buf_text(&text), text.n});
        bx_buf_free(&text);
    }
    if (r->arena.failed)
        return bx_out_of_memory(e);
    int code = bx_machine_open(r->c, spec[0], &machine, e);
    if (code)
        return code;
    code = run_all(r, cpu, scope, machine, e);
    bx_machine_close(machine);
    return code;
}

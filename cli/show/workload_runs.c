/* Runs the built-in workloads, and keeps which of them make an event count. */
#include "cli/show/workload_runs.h"

#include "base/error.h"
#include "cli/common/names.h"
#include "cli/show/modelled.h"
#include "event/event.h"
#include "machine/machine.h"

#include <string.h>

/* Short runs: more lines than the caches of the machine below have, each touched once. A workload
 * that is not here runs with its defaults. */
const char *bx_workload_run_spec(size_t i)
{
    static const char *const short_runs[] = {
        "stream,size=8M,stride=64", "copy,size=8M,stride=64",
        "chase,size=8M,passes=1",   "random,size=16M,iterations=20000",
        "pingpong,iterations=2000", "sharing,iterations=10000",
        "lock,iterations=200",      "producer,iterations=2000",
        "dma,iterations=20000",     "gfx,iterations=20000",
    };
    const char *name = bx_workload_name(i);
    for (size_t k = 0; name && k < sizeof short_runs / sizeof *short_runs; k++) {
        size_t n = strlen(name);
        if (strncmp(short_runs[k], name, n) == 0 && short_runs[k][n] == ',')
            return short_runs[k];
    }
    return name;
}

void bx_workload_names(bx_buf *to, uint32_t workloads)
{
    bool first = true;
    for (size_t i = 0; bx_workload_name(i); i++) {
        if (!(workloads >> i & 1))
            continue;
        bx_buf_f(to, "%s%s", first ? "" : ", ", bx_workload_name(i));
        first = false;
    }
}

int bx_workload_runs_open(const bx_catalog *c, bx_workload_runs *r, bx_error *e)
{
    *r = (bx_workload_runs){.c = c};
    r->machines = bx_arena_get(&r->arena, c->cpus.n * sizeof *r->machines);
    r->events = bx_arena_get(&r->arena, c->events.n * sizeof *r->events);
    r->umasks = bx_arena_get(&r->arena, c->umasks.n * sizeof *r->umasks);
    r->metrics = bx_arena_get(&r->arena, c->metrics.n * sizeof *r->metrics);
    return r->arena.failed ? bx_out_of_memory(e) : BX_OK;
}

void bx_workload_runs_close(bx_workload_runs *r)
{
    bx_arena_free(&r->arena);
}

/* ---- the machine ---- */

/* The value if the CPU's machines can have it, else the largest that they can have. */
static void add_key(bx_buf *to, const bx_catalog *c, const bx_cat_cpu *cpu, const char *key,
                    uint64_t value)
{
    for (unsigned i = 0; i < cpu->shapes.n; i++) {
        const bx_cat_shape *shape = &bx_cat_shapes(c)[cpu->shapes.first + i];
        if (strcmp(bx_cat_z(c, shape->name), key) == 0 && shape->hi > 1)
            bx_buf_f(to, ",%s=%llu", key,
                     (unsigned long long)(value < shape->hi ? value : shape->hi));
    }
}

/* A real part with its memory, so that TLBs, prefetchers and DRAM count; few cores, so that caches
 * that grow with their number are small. */
static void add_machine(bx_buf *to, const bx_catalog *c, unsigned index)
{
    const bx_cat_cpu *cpu = &bx_cat_cpus(c)[index];
    bx_buf_f(to, "virtual:%s", bx_cat_z(c, cpu->name));
    for (unsigned i = 0; i < cpu->parts.n; i++) {
        const bx_cat_preset *part = &bx_cat_presets(c)[cpu->parts.first + i];
        if (part->fits == BX_NONE)
            continue;
        bx_buf_f(to, ",part=%s", bx_cat_z(c, part->name));
        break;
    }
    add_key(to, c, cpu, "packages", 2);
    add_key(to, c, cpu, "cores", 2);
}

/* ---- what is counted ---- */

typedef struct counted {
    bx_workload_runs *runs;
    bx_machine *machine;    /* on which nothing runs: says what is possible */
    bx_workload_row **rows; /* by event of `events` */
    size_t n;
    bx_buf events, metrics; /* joined by commas */
} counted;

static void offer(counted *to, bx_workload_row *row, unsigned event, unsigned umask)
{
    bx_buf text = {.whole = &to->events.failed};
    if (bx_modelled(to->machine, event, umask, &text) && !text.failed) {
        row->counted = bx_arena_copy(&to->runs->arena, (bx_str){text.p, text.n});
        bx_buf_f(&to->events, "%s%s", to->n ? "," : "", text.p);
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
    bx_buf_z(&to->events, text);
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

static void take_metrics(bx_workload_runs *r, unsigned cpu, const bx_result *result, uint32_t bit)
{
    for (size_t i = 0; i < bx_result_metrics(result); i++) {
        double value;
        uint16_t metric =
            bx_cat_find_metric(r->c, (uint16_t)cpu, bx_str_of(bx_result_metric(result, i)));
        if (metric == BX_NONE)
            continue;
        r->metrics[metric].counted = bx_cat_z(r->c, bx_cat_metrics(r->c)[metric].name);
        if (bx_result_metric_value(result, i, &value) && value != 0)
            r->metrics[metric].workloads |= bit;
    }
}

static void take_result(const counted *of, unsigned cpu, const bx_result *result, uint32_t bit)
{
    for (size_t i = 0; i < of->n; i++)
        if (bx_result_value(result, bx_result_sum(result, i)))
            of->rows[i]->workloads |= bit;
    take_metrics(of->runs, cpu, result, bit);
}

/* Nothing runs if the machine lacks the agent, such as graphics: then nothing counts. */
static int measure(const counted *of, unsigned cpu, size_t workload, bx_machine *m, bx_error *e)
{
    bx_error own = {0};
    bx_result *result = NULL;
    uint64_t began = bx_machine_now(m);
    int code =
        bx_measure_workload(m, of->n ? of->events.p : NULL, of->metrics.n ? of->metrics.p : NULL,
                            bx_workload_run_spec(workload), &result, &own);
    if (!code)
        take_result(of, cpu, result, UINT32_C(1) << workload);
    else if (code == BX_BAD_INPUT && bx_machine_now(m) == began)
        code = BX_OK;
    else if (e)
        *e = own;
    bx_result_free(result);
    return code;
}

static int run_workload(const counted *of, unsigned cpu, size_t workload, bx_error *e)
{
    bx_machine *m;
    int code = bx_machine_open(of->runs->c, of->runs->machines[cpu], &m, e);
    if (code)
        return code;
    code = measure(of, cpu, workload, m, e);
    bx_machine_close(m);
    return code;
}

/* false: the workload needs more cores than the machine has. */
static bool fits(const counted *of, size_t workload)
{
    int code = bx_machine_load_workload(of->machine, bx_workload_run_spec(workload), NULL);
    bx_machine_unload(of->machine);
    return code != BX_NO_FIT;
}

static int run_all(bx_workload_runs *r, unsigned cpu, bx_workload_scope scope, bx_machine *machine,
                   bx_error *e)
{
    counted of = {.runs = r, .machine = machine, .metrics = {.whole = &of.events.failed}};
    int code = BX_OK;
    of.rows = bx_arena_get(&r->arena, (r->c->events.n + r->c->umasks.n) * sizeof *of.rows);
    if (of.rows)
        choose_workload(&of, cpu, scope);
    if (r->arena.failed || of.events.failed)
        code = bx_out_of_memory(e);
    for (size_t i = 0; !code && (of.n || of.metrics.n) && bx_workload_run_spec(i); i++)
        if (fits(&of, i))
            code = run_workload(&of, cpu, i, e);
    bx_buf_free(&of.events);
    bx_buf_free(&of.metrics);
    return code;
}

int bx_workload_runs_add(bx_workload_runs *r, unsigned cpu, bx_workload_scope scope, bx_error *e)
{
    bx_machine *machine;
    bx_buf text = {.whole = &r->arena.failed};
    if (!bx_cpu_is_modelled(r->c, cpu))
        return BX_OK;
    add_machine(&text, r->c, cpu);
    r->machines[cpu] = bx_arena_copy(&r->arena, (bx_str){bx_buf_text(&text), text.n});
    bx_buf_free(&text);
    if (r->arena.failed)
        return bx_out_of_memory(e);
    int code = bx_machine_open(r->c, r->machines[cpu], &machine, e);
    if (code)
        return code;
    code = run_all(r, cpu, scope, machine, e);
    bx_machine_close(machine);
    return code;
}

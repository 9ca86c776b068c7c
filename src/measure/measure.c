/* Measurements in one call: on a machine that the caller has opened, or with options. */
#include "base/error.h"
#include "base/options.h"
#include "measure/measurement.h"

#include <string.h>

/* A measurement lives in the arena of its result, which may outlive this call. m: lent by the
 * caller; NULL: it opens machines. */
static bx_measurement *new_measurement(const bx_catalog *c, bx_machine *m,
                                       const bx_measure_options *o, bx_error *e)
{
    bx_result *r = bx_result_new();
    bx_measurement *to = r ? bx_arena_get(&r->arena, sizeof *to) : NULL;
    if (!to) {
        bx_result_free(r);
        bx_out_of_memory(e);
        return NULL;
    }
    *to = (bx_measurement){.catalog = c,
                           .o = *o,
                           .machine = m,
                           .lent = m,
                           .result = r,
                           .listener = {.note = bx_result_note, .context = r}};
    return to;
}

/* The caller's text for an argument; NULL: it is none of these. */
static const char *given(const bx_measurement *m, const char *in)
{
    const struct {
        const char *name, *text;
    } texts[] = {{"events", m->o.events}, {"metrics", m->o.metrics}, {"workload", m->o.workload},
                 {"machine", m->spec},    {"until", m->o.until},     {"sample", m->o.sample}};
    for (size_t i = 0; in && i < sizeof texts / sizeof *texts; i++)
        if (strcmp(in, texts[i].name) == 0)
            return texts[i].text;
    return NULL;
}

/* Hands an error to the caller. A span in another text than one of its own, such as in the events
 * that the metrics need, is dropped. */
static void fail_by(const bx_measurement *m, bx_error *own, bx_error *e)
{
    const char *text = given(m, m->in);
    own->in = NULL;
    if (text && own->at + own->len <= strlen(text) + 1)
        own->in = own->len ? m->in : NULL;
    else
        own->at = own->len = 0;
    bx_fail_as(e, own);
}

/* Remarks are said after what was noted during the measurement. */
static int finish(bx_measurement *m, bx_error *e)
{
    bx_result *r = m->result;
    const char *note = m->measured->note;
    if (note)
        bx_tell(&m->listener, "%s", note + strlen("# "));
    if (r->trouble.code)
        bx_tell(&m->listener, "%s%s%s", r->trouble.message, *r->trouble.hint ? "; " : "",
                r->trouble.hint);
    size_t noted = r->remarks_n;
    int code = bx_measurement_remark(m, e);
    return code ? code : bx_result_join_remarks(r, noted, BX_REMARKS_ONE_LINE, e);
}

static int end_measurement(bx_measurement *m, int code, bx_error *own, bx_result **to, bx_error *e)
{
    if (!code)
        code = finish(m, own);
    if (!code) {
        *to = m->result;
        return BX_OK;
    }
    fail_by(m, own, e);
    bx_result_free(m->result);
    return code;
}

static int measure_all(bx_measurement *m, bx_result **to, bx_error *e)
{
    bx_error own = {0};
    int code = bx_measurement_open(m, &own);
    if (!code)
        code = bx_measurement_run(m, &own);
    bx_measurement_close(m);
    return end_measurement(m, code, &own, to, e);
}

static int measure_on(bx_machine *m, const bx_measure_options *o, bx_result **to, bx_error *e)
{
    bx_measurement *one = new_measurement(m->topology.catalog, m, o, e);
    return one ? measure_all(one, to, e) : BX_NO_MEMORY;
}

int bx_measure_begin(bx_machine *m, const char *events, const char *metrics, bx_result **to,
                     bx_error *e)
{
    if (!m)
        return bx_missing(e, "machine");
    if (!to)
        return bx_missing(e, "place for the result");
    const bx_measure_options o = {.events = events, .metrics = metrics};
    bx_error own = {0};
    bx_measurement *one = new_measurement(m->topology.catalog, m, &o, e);
    if (!one)
        return BX_NO_MEMORY;
    one->result->counting = one;
    int code = bx_measurement_open(one, &own);
    if (!code)
        code = bx_measurement_begin(one, &own);
    if (!code) {
        *to = one->result;
        return BX_OK;
    }
    fail_by(one, &own, e);
    bx_result_free(one->result);
    return code;
}

int bx_measure_end(bx_result *r, bx_error *e)
{
    if (!r)
        return bx_missing(e, "result");
    if (!r->counting)
        return bx_fail(e, BX_BAD_INPUT, 0, 0, "this measurement has ended");
    bx_measurement *m = r->counting;
    bx_error own = {0};
    int code = bx_measurement_end(m, &own);
    r->counting = NULL;
    if (!code)
        code = finish(m, &own);
    if (code) {
        fail_by(m, &own, e);
        bx_result_drop(r);
    }
    return code;
}

/* Whether regions are known: lackey does not see them, and a register log has none. */
static bool tells_regions(const bx_machine *m, const char *program)
{
    return !m->logger && !bx_machine_can(m)->is_recorded && !bx_machine_lackey_because(m, program);
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
    const bx_measure_options o = {.events = events, .metrics = metrics, .workload = workload};
    return measure_on(m, &o, to, e);
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
    const bx_measure_options o = {.events = events,
                                  .metrics = metrics,
                                  .program = argv,
                                  .regions = argv[0] && tells_regions(m, argv[0])};
    return measure_on(m, &o, to, e);
}

/* ---- with options ---- */

/* Refuses options that do not go together, or the lack of work. */
static int check_options(const bx_measure_options *o, const bx_machine_options *how, bx_error *e)
{
    bool kept = how->log_registers || how->replay, attached = bx_attach_is_work(o);
    bool follows = o->processes || o->threads, regions = o->regions || o->inside_n;
    bool overflows = o->until || o->sample, several = o->passes == BX_PASSES_REPEAT;
    bool runs = o->runs > 1 || o->precision > 0;
    unsigned works = !!o->workload + !!o->program + !!o->trace;
    const struct {
        bool both;
        const char *why;
    } rows[] = {
        {o->passes > BX_PASSES_REPEAT, "passes are none of enum bx_passes"},
        {!(o->precision >= 0 && o->precision <= 100), "precision is not in percent"},
        {o->program && !o->program[0], "the program has no name"},
        {!works && !attached && !how->replay, "there is nothing to run"},
        {works > 1, "workload, program and trace are one work each: give one of them"},
        {how->replay && works, "a replay runs nothing"},
        {how->replay && how->log_registers, "log_registers and replay were given"},
        {!!o->processes + !!o->threads + o->all_cpus + !!o->cpus > 1,
         "processes, threads, all_cpus and cpus were given: give one of them"},
        {o->cgroup && o->cgroups, "cgroup and cgroups were given: give one of them"},
        {(o->cgroup || o->cgroups) && (o->processes || o->threads || o->workload || o->trace),
         "a cgroup is counted on CPUs of a host: without processes, threads, workload and trace"},
        {follows && (o->workload || o->trace), "on a host no workload and no trace runs"},
        {attached && (kept || regions), "what already runs is not recorded and has no regions"},
        {kept && (regions || overflows), "a register log has no regions and no overflows"},
        {kept && (o->delay || o->timeout || o->control || o->interval_count),
         "a register log is of a whole measurement"},
        {(o->delay || o->control) && (regions || overflows),
         "regions and overflows tell themselves when to count"},
        {o->until && o->sample, "until and sample were given: give one of them"},
        {overflows && (o->interval || several || regions),
         "an overflow ends one run: no intervals, no repeated passes, no regions"},
        {regions && (o->interval || several || runs || o->workload),
         "regions are of one run of a program, without intervals"},
        {(o->interval || o->sample) && (several || runs), "intervals are of one run"},
        {o->interval_count && !o->interval, "interval_count counts intervals"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (rows[i].both)
            return bx_fail(e, BX_BAD_INPUT, 0, 0, "%s", rows[i].why);
    return BX_OK;
}

int bx_measure_watched(const bx_catalog *c, const char *spec, const bx_machine_options *how,
                       const bx_measure_options *given_options, const bx_measure_followers *by,
                       bx_result **to, bx_error *e)
{
    bx_measure_options o;
    bx_machine_options host;
    bx_error own = {0};
    if (!c)
        return bx_missing(e, "catalogue");
    if (!given_options)
        return bx_missing(e, "work");
    if (!to)
        return bx_missing(e, "place for the result");
    int code = bx_options_read(&o, sizeof o, sizeof o, given_options, "bx_measure_options", &own);
    if (!code)
        code = bx_machine_options_read(&host, how, &own);
    if (!code)
        code = check_options(&o, &host, &own);
    if (code) {
        bx_fail_as(e, &own);
        return code;
    }
    bx_measurement *m = new_measurement(c, NULL, &o, e);
    if (!m)
        return BX_NO_MEMORY;
    m->spec = spec;
    m->host = host;
    m->host.size = sizeof m->host;
    m->signals = by->signals;
    m->watch = by->watch;
    return measure_all(m, to, e);
}

int bx_measure(const bx_catalog *c, const char *spec, const bx_machine_options *how,
               const bx_measure_options *o, bx_result **to, bx_error *e)
{
    return bx_measure_watched(c, spec, how, o, &(bx_measure_followers){0}, to, e);
}

void bx_result_free(bx_result *r)
{
    if (!r)
        return;
    if (r->counting)
        bx_measurement_abandon(r->counting);
    bx_result_drop(r);
    bx_arena arena = r->arena; /* a copy, because the result itself is in the arena */
    bx_arena_free(&arena);
}

/* Measurements in one call, on a machine that the caller has opened. */
#include "base/error.h"
#include "measure/measurement.h"

#include <string.h>

/* A measurement lives in the arena of its result, which may outlive this call. */
static bx_measurement *new_measurement(bx_machine *m, const bx_measure_options *o, bx_error *e)
{
    bx_result *r = bx_result_new();
    bx_measurement *to = r ? bx_arena_get(&r->arena, sizeof *to) : NULL;
    if (!to) {
        bx_result_free(r);
        bx_out_of_memory(e);
        return NULL;
    }
    *to = (bx_measurement){.catalog = m->topology.catalog,
                           .o = *o,
                           .machine = m,
                           .lent = true,
                           .result = r,
                           .listener = {.note = bx_result_note, .context = r}};
    return to;
}

static const char *given(const bx_measure_options *o, const char *in)
{
    return !in                           ? NULL
           : strcmp(in, "events") == 0   ? o->events
           : strcmp(in, "metrics") == 0  ? o->metrics
           : strcmp(in, "workload") == 0 ? o->workload
                                         : NULL;
}

/* Hands an error to the caller. A span in another text than one of its own, such as in the events
 * that the metrics need, is dropped. */
static void fail_by(const bx_measurement *m, bx_error *own, bx_error *e)
{
    const char *text = given(&m->o, m->in);
    own->in = NULL;
    if (text && own->at + own->len <= strlen(text) + 1)
        own->in = own->len ? m->in : NULL;
    else
        own->at = own->len = 0;
    bx_fail_as(e, own);
}

/* Remarks are said behind what was noted during the measurement. */
static int finish(bx_measurement *m, bx_error *e)
{
    bx_result *r = m->result;
    const char *note = m->measured->note;
    if (note)
        bx_tell(&m->listener, "%s", note + strlen("# "));
    if (r->trouble.code)
        bx_tell(&m->listener, "%s%s%s", r->trouble.message, *r->trouble.hint ? "; " : "",
                r->trouble.hint);
    return bx_measurement_remark(m, e);
}

static int end(bx_measurement *m, int code, bx_error *own, bx_result **to, bx_error *e)
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

static int measure(bx_machine *m, const bx_measure_options *o, bx_result **to, bx_error *e)
{
    bx_error own = {0};
    bx_measurement *one = new_measurement(m, o, e);
    if (!one)
        return BX_NO_MEMORY;
    int code = bx_measurement_open(one, &own);
    if (!code)
        code = bx_measurement_run(one, &own);
    return end(one, code, &own, to, e);
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
    bx_measurement *one = new_measurement(m, &o, e);
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

/* Whether regions are known: lackey does not see them, and a recording has none. */
static bool tells_regions(const bx_machine *m, const char *program)
{
    return !m->recorder && !bx_machine_is_replayed(m) && !bx_machine_lackey_because(m, program);
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
    return measure(m, &o, to, e);
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
    return measure(m, &o, to, e);
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

/* Follows a measurement, and records it. */
#include "measure/recording.h"

#include "base/error.h"
#include "machine/program/process/host_program.h"
#include "measure/pass.h"
#include "model/engine/ledger.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
    FIRST_SPAN = 1 << 16,      /* cycles */
    COMMIT_SERIES = 100000000, /* ns between two commits of the series, … */
    COMMIT_ROWS = 2000000000,  /* … and at most between two of all rows */
};

/* ---- readings ---- */

static uint64_t whole_value(const bx_reading *r)
{
    if (r->state == BX_COUNTED)
        return r->count * (r->scale ? r->scale : 1);
    return r->state == BX_SCALED ? (uint64_t)floor(bx_reading_value(r) + 0.5) : 0;
}

/* Brings the readings up to date, and the totals of events. */
static int sample(bx_recording_run *r, bx_pass *p, const bx_reading **list, bool stopped,
                  bx_error *e)
{
    size_t n;
    int code = stopped ? BX_OK : bx_session_sample(p->session, e);
    *list = bx_session_readings(p->session, &n);
    memset(r->total, 0, r->measured->events_n * sizeof *r->total);
    for (size_t i = 0; i < n && i < r->readings_n; i++) {
        r->total[(*list)[i].event] += whole_value(&(*list)[i]);
        r->has_total[(*list)[i].event] |= (*list)[i].state <= BX_SCALED;
    }
    return code;
}

/* ---- spans ---- */

static void add_to_span(bx_recording_run *r, const bx_reading *list)
{
    for (size_t i = 0; i < r->readings_n; i++) {
        uint64_t value = whole_value(&list[i]);
        r->by_span[i * BX_SPANS + r->span] += value - r->of_span[i];
        r->of_span[i] = value;
    }
}

static void halve_spans(bx_recording_run *r, struct bx_attribution *a)
{
    for (size_t i = 0; i < r->readings_n; i++) {
        uint64_t *of = &r->by_span[i * BX_SPANS];
        for (unsigned span = 0; span < BX_SPANS; span++) {
            uint64_t both = span < BX_SPANS / 2 ? of[2 * span] + of[2 * span + 1] : 0;
            of[span] = both;
        }
    }
    bx_costs_halve_spans(&a->costs);
    r->span_length *= 2;
    r->span = BX_SPANS / 2;
}

static uint64_t end_of_span(const bx_recording_run *r)
{
    return r->attributes ? (r->span + UINT64_C(1)) * r->span_length : UINT64_MAX;
}

static int end_spans(bx_recording_run *r, bx_pass *p, uint64_t now, bx_error *e)
{
    const bx_reading *list;
    if (now < end_of_span(r))
        return BX_OK;
    int code = sample(r, p, &list, false, e);
    struct bx_attribution *a = bx_machine_attributed(p->machine);
    add_to_span(r, list);
    while (now >= end_of_span(r) && ++r->span == BX_SPANS)
        halve_spans(r, a);
    a->span = (uint16_t)r->span;
    return code;
}

/* ---- the series ---- */

static int end_row(bx_recording_run *r, bx_pass *p, uint64_t now, bool stopped, bx_error *e)
{
    const bx_reading *list;
    bx_cell *row = calloc(r->readings_n + 2, sizeof *row);
    if (!row)
        return bx_out_of_memory(e);
    int code = sample(r, p, &list, stopped, e);
    row[0] = bx_cell_number(r->start + r->row_began);
    row[1] = bx_cell_number(r->start + now);
    for (size_t i = 0; i < r->readings_n; i++) {
        uint64_t value = whole_value(&list[i]);
        if (list[i].state <= BX_SCALED)
            row[2 + i] = bx_cell_number(value - r->of_series[i]);
        r->of_series[i] = value;
    }
    bx_recording_put(r->file, BX_TABLE_SERIES, 0, row);
    free(row);
    r->row_began = now;
    r->row_ends = now + r->row_length;
    r->pending = true;
    return code;
}

/* ---- commits ---- */

static int commit(bx_recording_run *r, bx_error *e)
{
    r->committed = bx_process_clock();
    bx_recording_write_key(r, "committed", bx_cell_real((double)(r->committed - r->began) / 1e9));
    r->pending = false;
    return bx_recording_commit(r->file, e);
}

static int commit_rows(bx_recording_run *r, bx_pass *p, bool stopped, bx_error *e)
{
    const bx_reading *list;
    int code = sample(r, p, &list, stopped, e);
    struct bx_attribution *a = r->attributes ? bx_machine_attributed(p->machine) : NULL;
    if (a)
        add_to_span(r, list);
    bx_recording_write_rows(r, a);
    if (a && stopped) {
        bx_recording_write_source(r);
        bx_recording_write_matrix(r, a);
    }
    if (r->code_names.refused.n)
        bx_recording_write_key(r, "not-used", bx_cell_text(bx_buf_text(&r->code_names.refused)));
    bool short_of = (a && (a->costs.failed || a->lines.failed)) || r->witness.failed;
    if (!code && short_of)
        code = bx_out_of_memory(e);
    int committed = code ? code : commit(r, e);
    r->kept = bx_process_clock();
    return committed;
}

/* ---- a measurement ---- */

static int open_arrays(bx_recording_run *r, const bx_reading *layout, size_t n, bx_error *e)
{
    size_t events = r->measured->events_n;
    r->readings_n = n;
    r->told = calloc(events + 1, sizeof *r->told);
    r->has_total = calloc(events + 1, sizeof *r->has_total);
    r->total = calloc(events + 1, sizeof *r->total);
    r->of_series = calloc(n + 1, sizeof *r->of_series);
    r->of_span = calloc(n + 1, sizeof *r->of_span);
    r->by_span = calloc((n + 1) * BX_SPANS, sizeof *r->by_span);
    if (!r->told || !r->has_total || !r->total || !r->of_series || !r->of_span || !r->by_span)
        return bx_out_of_memory(e);
    return bx_report_open(&r->names, r->measured, layout, n, e);
}

static void write_begin(bx_recording_run *r, const bx_machine *m)
{
    bx_recording_write_key(r, "boxscore", bx_cell_text(BX_VERSION));
    bx_recording_write_key(r, "machine", bx_cell_text(bx_machine_name(m)));
    if (r->measured->undocumented)
        bx_recording_write_key(r, "undocumented", bx_cell_text(r->measured->undocumented));
    bx_recording_write_key(r, "work", bx_cell_text(r->measured->subject));
    bx_recording_write_key(r, "cycles_per_second", bx_cell_real(r->measured->hz));
    bx_recording_write_key(r, "seconds", bx_cell_real(0));
    bx_recording_write_key(r, "exit-status", (bx_cell){0});
    bx_recording_write_key(r, "complete", bx_cell_number(0));
    bx_recording_write_key(r, "missing", (bx_cell){0});
    for (size_t i = 0; i < r->measured->environment_n; i++) {
        const bx_fact *fact = &r->measured->environment[i];
        bx_buf key = {0};
        bx_buf_f(&key, "environment:%s", fact->key);
        bx_recording_write_key(r, bx_buf_text(&key), bx_cell_text(fact->value));
        r->witness.failed |= key.failed;
        bx_buf_free(&key);
    }
}

/* A row of a series has differences. A level's would say how much more or less there was. */
static int refuse_levels(const bx_recording_run *r, const bx_reading *layout, size_t n, bx_error *e)
{
    for (size_t i = 0; i < n; i++)
        if (layout[i].level) {
            const bx_record *sum = &r->names.records[r->names.sum_of[layout[i].event]];
            bx_fail(e, BX_BAD_INPUT, 0, 0, "'%s' cannot be recorded: it is a level, not a count",
                    sum->event);
            bx_hint(e, "boxscore stat -I shows it over time");
            return BX_BAD_INPUT;
        }
    return BX_OK;
}

static int on_opened(void *context, bx_pass *p, bx_error *e)
{
    bx_recording_run *r = context;
    size_t n;
    const bx_reading *layout = bx_session_readings(p->session, &n);
    r->measured = p->of->measured;
    if (r->measured->events_n > BX_RECORDING_EVENTS_MOST)
        return bx_fail(e, BX_BAD_INPUT, 0, 0, "a recording has at most %d events",
                       BX_RECORDING_EVENTS_MOST);
    r->attributes = bx_machine_model(p->machine) != NULL;
    bx_witness_begin(&r->witness);
    r->code_names.witness = &r->witness;
    r->witness.contexts_wanted = !r->contexts_off;
    r->witness.follows_calls = !r->contexts_off || r->allocators;
    r->witness.allocators = r->allocators;
    r->began = bx_process_clock();
    int code = open_arrays(r, layout, n, e);
    if (!code)
        code = refuse_levels(r, layout, n, e);
    if (!code)
        code = bx_recording_new(r->path, n, &r->file, e);
    if (code)
        return code;
    if (r->attributes)
        bx_machine_bear_witness(p->machine, &r->witness);
    write_begin(r, p->machine);
    bx_recording_write_head(r);
    bx_recording_write_rows(r, NULL);
    return commit(r, e);
}

/* Asks for the attribution of all readings of registers. */
static int attribute(bx_recording_run *r, bx_pass *p, bx_error *e)
{
    int code = bx_pass_attribute(p, r->told, e);
    struct bx_attribution *a = code ? NULL : bx_machine_attributed(p->machine);
    if (a) {
        a->costs.most = a->lines.most = r->most_rows;
        r->line_bytes = a->line_bytes;
    }
    return code;
}

static int on_started(void *context, bx_pass *p, bx_error *e)
{
    bx_recording_run *r = context;
    r->start = p->start;
    r->span_length = FIRST_SPAN;
    r->row_length = bx_pass_time_of(p->of, r->interval);
    r->row_ends = r->row_length;
    r->kept = bx_process_clock();
    return r->attributes ? attribute(r, p, e) : BX_OK;
}

static uint64_t when_due(void *context)
{
    const bx_recording_run *r = context;
    uint64_t span = end_of_span(r), due = span < r->row_ends ? span : r->row_ends;
    return due == UINT64_MAX ? due : r->start + due;
}

static int on_passed(void *context, bx_pass *p, bx_error *e)
{
    bx_recording_run *r = context;
    uint64_t now = bx_machine_time(p->machine) - r->start, clock = bx_process_clock();
    int code = end_spans(r, p, now, e);
    if (!code && now >= r->row_ends)
        code = end_row(r, p, now, false, e);
    if (!code && clock - r->kept >= COMMIT_ROWS)
        return commit_rows(r, p, false, e);
    if (!code && r->pending && clock - r->committed >= COMMIT_SERIES)
        return commit(r, e);
    return code;
}

/* What the run did not see. */
static bool write_missing(bx_recording_run *r, const bx_pass *p)
{
    bool cut = false;
    bx_buf text = {0};
    const char *const facts[] = {bx_machine_notes(p->machine, &cut),
                                 bx_machine_untraced(p->machine), bx_machine_left(p->machine)};
    static const char *const words[] = {"", "not traced: ", "still running at the end: "};
    for (unsigned i = 0; i < 3; i++)
        if (facts[i])
            bx_buf_f(&text, "%s%s%s", text.n ? "\n" : "", words[i], facts[i]);
    bx_recording_write_key(r, "missing", bx_cell_text(text.n ? text.p : NULL));
    bool whole = !cut && !bx_signal_arrived(p->of) && !text.failed;
    bx_recording_write_key(r, "complete", bx_cell_number(whole));
    int code = text.failed;
    bx_buf_free(&text);
    return !code;
}

static int on_stopped(void *context, bx_pass *p, bx_error *e)
{
    bx_recording_run *r = context;
    uint64_t now = p->end - r->start;
    int code = BX_OK;
    if (now > r->row_began)
        code = end_row(r, p, now, true, e);
    bx_recording_write_key(r, "seconds", bx_cell_real((double)now / r->measured->hz));
    bx_recording_write_key(r, "exit-status",
                           bx_cell_number((uint64_t)bx_machine_exit_status(p->machine)));
    if (!code && !write_missing(r, p))
        code = bx_out_of_memory(e);
    return code ? code : commit_rows(r, p, true, e);
}

bx_measure_watch bx_recording_watch(bx_recording_run *r)
{
    return (bx_measure_watch){r, on_opened, on_started, when_due, on_passed, on_stopped};
}

void bx_recording_run_end(bx_recording_run *r)
{
    bx_recording_close(r->file);
    r->file = NULL;
}

void bx_recording_run_close(bx_recording_run *r)
{
    if (r->began)
        bx_witness_end(&r->witness);
    if (r->readings_n)
        bx_report_close(&r->names);
    bx_recording_run_end(r);
    bx_code_names_close(&r->code_names);
    free(r->line);
    free(r->told);
    free(r->has_total);
    free(r->total);
    free(r->of_series);
    free(r->of_span);
    free(r->by_span);
}

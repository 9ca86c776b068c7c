/* The values of a result, from a report on the session's readings: lines, metrics, regions,
 * remarks. */
#include "measure/result.h"

#include "base/error.h"

#include <string.h>

/* ---- remarks ---- */

/* Adds a remark. The caller has made room for it. */
static void add_remark(bx_result *r, const char *before, const char *text, const char *more)
{
    bx_buf line = {.whole = &r->arena.failed};
    bx_buf_f(&line, "%s%s%s%s", before, text, *more ? "; " : "", more);
    const char *copy = bx_arena_copy(&r->arena, (bx_str){bx_buf_text(&line), line.n});
    bx_buf_free(&line);
    if (copy)
        r->remarks[r->remarks_n++] = copy;
}

static void add_unsupported(bx_result *r, size_t event)
{
    const bx_error *why = bx_session_unsupported(r->session, event);
    char name[256] = "";
    bx_buf before = {.whole = &r->arena.failed};
    if (!why)
        return;
    bx_machine_event_format(r->machine, &r->measured.events[event], name, sizeof name);
    bx_buf_f(&before, "%s is not supported: ", name);
    add_remark(r, bx_buf_text(&before), why->message, why->hint);
    bx_buf_free(&before);
}

static void add_killed(bx_result *r)
{
    bx_buf text = {.whole = &r->arena.failed};
    int signal = bx_machine_killed_by(r->machine);
    if (!signal)
        return;
    bx_buf_f(&text, "the program was killed by signal %d", signal);
    add_remark(r, "", bx_buf_text(&text), "");
    bx_buf_free(&text);
}

static void take_remarks(bx_result *r)
{
    enum { OTHERS = 8 };
    bool cut;
    const char *notes = bx_machine_notes(r->machine, &cut);
    const bx_session *s = r->session;
    const bx_error *trouble = bx_session_trouble(s);
    size_t left = 0;
    while (bx_session_left(s, left))
        left++;
    r->remarks =
        bx_arena_get(&r->arena, (OTHERS + r->measured.events_n + left) * sizeof *r->remarks);
    if (!r->remarks)
        return;
    if (bx_machine_chosen_because(r->machine))
        add_remark(r, "counted on a virtual machine: ", bx_machine_chosen_because(r->machine), "");
    if (bx_session_remark(s))
        add_remark(r, "", bx_session_remark(s), "");
    if (trouble)
        add_remark(r, "", trouble->message, trouble->hint);
    if (bx_machine_untraced(r->machine))
        add_remark(r, "not counted, as they cannot be traced: ", bx_machine_untraced(r->machine),
                   "");
    if (bx_machine_left(r->machine))
        add_remark(r, "left running when the program ended, and counted until then: ",
                   bx_machine_left(r->machine), "");
    if (notes)
        add_remark(r, "", notes, "");
    if (bx_machine_refused_marks(r->machine))
        add_remark(r, "marks of regions were refused: another user's process sent them", "", "");
    add_killed(r);
    for (size_t i = 0; i < r->measured.events_n; i++)
        add_unsupported(r, i);
    for (size_t i = 0; i < left; i++)
        add_remark(r, "", bx_session_left(s, i), "");
    if (bx_session_journal(s))
        add_remark(r, "what to put back is in the journal ", bx_session_journal(s), "");
}

/* ---- the counts ---- */

static bool has_metric(const bx_record *record)
{
    return record->figure.name && *record->figure.name;
}

/* Lists the metrics: first those beside events, then those on lines of their own. */
static void list_metrics(bx_result *r, bx_arena *a)
{
    const bx_report *report = &r->report;
    r->metrics = bx_arena_get(a, (report->n + report->figures_n + 1) * sizeof *r->metrics);
    for (size_t i = 0; r->metrics && i < report->n; i++)
        if (has_metric(&report->records[i]))
            r->metrics[r->metrics_n++] = &report->records[i];
    for (size_t i = 0; r->metrics && i < report->figures_n; i++)
        if (has_metric(&report->figures[i]))
            r->metrics[r->metrics_n++] = &report->figures[i];
}

/* layout: the session's readings, which determine the lines. */
static int take(bx_result *r, const bx_measured *of, const bx_reading *layout,
                const bx_reading *readings, size_t n, uint64_t time, bx_arena *a, bx_error *e)
{
    int code = bx_report_open(&r->report, of, layout, n, e);
    if (code)
        return code;
    bx_report_add(&r->report, readings, time);
    r->seconds = (double)time / of->hz;
    list_metrics(r, a);
    return a->failed || r->report.arena.failed ? bx_out_of_memory(e) : BX_OK;
}

static int take_regions(bx_result *r, const bx_reading *layout, size_t n, bx_error *e)
{
    size_t regions;
    const bx_region *list = bx_session_regions(r->session, &regions);
    r->regions = bx_arena_get(&r->arena, (regions + 1) * sizeof *r->regions);
    int code = r->regions ? BX_OK : bx_out_of_memory(e);
    for (size_t i = 0; i < regions && !code; i++) {
        bx_result *to = &r->regions[r->regions_n++];
        to->region = list[i];
        to->region.name = bx_arena_copy(&r->arena, bx_str_of(list[i].name));
        to->region.readings = NULL; /* they end with the session */
        code = take(to, &r->measured, layout, list[i].readings, n, list[i].time, &r->arena, e);
    }
    return code;
}

static void drop(bx_result *r)
{
    for (size_t i = 0; i < r->regions_n; i++)
        bx_report_close(&r->regions[i].report);
    bx_report_close(&r->report);
    r->regions_n = r->metrics_n = r->remarks_n = 0;
}

int bx_result_take(bx_result *r, uint64_t ended, bx_error *e)
{
    size_t n;
    const bx_reading *readings = bx_session_readings(r->session, &n);
    int code = take(r, &r->measured, readings, readings, n, ended - r->began, &r->arena, e);
    if (!code)
        code = take_regions(r, readings, n, e);
    r->exit_status = bx_machine_exit_status(r->machine);
    take_remarks(r);
    if (!code && r->arena.failed)
        code = bx_out_of_memory(e);
    if (code)
        drop(r);
    return code;
}

/* ---- for its users ---- */

/* Returned for an index that the report does not have. */
static const bx_record none = {.state = BX_NOT_MEASURED, .level = BX_RECORD_SUM, .cpu = BX_ANY};

static const bx_record *at(const bx_result *r, size_t i)
{
    return r && i < r->report.n ? &r->report.records[i] : &none;
}

static const char *text_or_none(const char *text)
{
    return text ? text : "";
}

size_t bx_result_values(const bx_result *r)
{
    if (!r)
        return 0;
    return r->report.n;
}

size_t bx_result_sum(const bx_result *r, size_t event)
{
    if (!r)
        return 0;
    return r->report.n && event < r->report.of->events_n ? r->report.sum_of[event] : r->report.n;
}

bool bx_result_is_sum(const bx_result *r, size_t i)
{
    if (!r)
        return false;
    return i < r->report.n && r->report.records[i].level == BX_RECORD_SUM;
}

const char *bx_result_event(const bx_result *r, size_t i)
{
    return text_or_none(at(r, i)->event);
}

const char *bx_result_where(const bx_result *r, size_t i)
{
    return text_or_none(at(r, i)->label);
}

int bx_result_package(const bx_result *r, size_t i)
{
    const bx_record *record = at(r, i);
    return record->level == BX_RECORD_SUM || record->unit_number == BX_PROGRAM ? BX_ANY
                                                                               : record->package;
}

int bx_result_unit(const bx_result *r, size_t i)
{
    const bx_record *record = at(r, i);
    return record->level == BX_RECORD_SUM || record->unit_number == BX_PROGRAM
               ? BX_ANY
               : record->unit_number;
}

int bx_result_thread(const bx_result *r, size_t i)
{
    return (int)at(r, i)->thread;
}

int bx_result_cpu(const bx_result *r, size_t i)
{
    return at(r, i)->cpu;
}

/* The library has one state, "not measured", both for a counter that did not run and for an event
 * that had no turn. */
int bx_result_state(const bx_result *r, size_t i)
{
    const bx_record *record = at(r, i);
    if (bx_record_has_value(record))
        return record->state;
    return record->state <= BX_SCALED || record->state == BX_NOT_COUNTED ? BX_NOT_MEASURED
                                                                         : record->state;
}

const char *bx_result_state_text(const bx_result *r, size_t i)
{
    static const char *const texts[] = {
        [BX_COUNTED] = "counted",
        [BX_SCALED] = "scaled",
        [BX_NOT_MODELLED] = "not modelled",
        [BX_NOT_MEASURED] = "not measured",
        [BX_BLOCKED] = "blocked",
        [BX_IMPLAUSIBLE] = "implausible",
        [BX_NOT_SUPPORTED] = "not supported",
    };
    return texts[bx_result_state(r, i)];
}

uint64_t bx_result_value(const bx_result *r, size_t i)
{
    return bx_record_has_value(at(r, i)) ? at(r, i)->now : 0;
}

const char *bx_result_counts(const bx_result *r, size_t i)
{
    return text_or_none(at(r, i)->unit);
}

double bx_result_share(const bx_result *r, size_t i)
{
    return bx_record_share(at(r, i)) / 100;
}

double bx_result_error(const bx_result *r, size_t i)
{
    const bx_record *record = at(r, i);
    if (!bx_record_has_value(record))
        return -1;
    if (record->state == BX_COUNTED)
        return 0;
    return record->no_error ? -1 : record->error;
}

/* ---- metrics ---- */

static const bx_record *metric_at(const bx_result *r, size_t i)
{
    return r && i < r->metrics_n ? r->metrics[i] : &none;
}

size_t bx_result_metrics(const bx_result *r)
{
    if (!r)
        return 0;
    return r->metrics_n;
}

const char *bx_result_metric(const bx_result *r, size_t i)
{
    return text_or_none(metric_at(r, i)->figure.name);
}

const char *bx_result_metric_where(const bx_result *r, size_t i)
{
    return text_or_none(metric_at(r, i)->label);
}

int bx_result_metric_package(const bx_result *r, size_t i)
{
    return metric_at(r, i)->label ? metric_at(r, i)->package : BX_ANY;
}

bool bx_result_metric_value(const bx_result *r, size_t i, double *value)
{
    const bx_figure *figure = &metric_at(r, i)->figure;
    if (figure->defined && value)
        *value = figure->value;
    return figure->defined;
}

const char *bx_result_metric_state(const bx_result *r, size_t i)
{
    const bx_figure *figure = &metric_at(r, i)->figure;
    return figure->defined ? "" : text_or_none(figure->instead);
}

const char *bx_result_metric_unit(const bx_result *r, size_t i)
{
    return text_or_none(metric_at(r, i)->figure.unit);
}

double bx_result_metric_error(const bx_result *r, size_t i)
{
    const bx_figure *figure = &metric_at(r, i)->figure;
    return figure->no_error ? -1 : figure->error;
}

/* ---- the whole, and its regions ---- */

const char *bx_result_machine(const bx_result *r)
{
    if (!r)
        return "";
    return text_or_none(r->measured.machine);
}

double bx_result_seconds(const bx_result *r)
{
    if (!r)
        return 0;
    return r->seconds;
}

int bx_result_exit_status(const bx_result *r)
{
    if (!r)
        return 0;
    return r->exit_status;
}

const char *bx_result_remark(const bx_result *r, size_t i)
{
    if (!r)
        return NULL;
    return i < r->remarks_n ? r->remarks[i] : NULL;
}

const bx_result *bx_result_region(const bx_result *r, size_t i)
{
    if (!r)
        return NULL;
    return i < r->regions_n ? &r->regions[i] : NULL;
}

const char *bx_result_region_name(const bx_result *r)
{
    if (!r)
        return "";
    return text_or_none(r->region.name);
}

unsigned bx_result_region_thread(const bx_result *r)
{
    if (!r)
        return 0;
    return r->region.thread;
}

uint64_t bx_result_region_entered(const bx_result *r)
{
    if (!r)
        return 0;
    return r->region.entered;
}

void bx_result_free(bx_result *r)
{
    if (!r)
        return;
    bx_session_close(r->session);
    drop(r);
    bx_arena arena = r->arena; /* a copy, because the result itself is in the arena */
    bx_arena_free(&arena);
}

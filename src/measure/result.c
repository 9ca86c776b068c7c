/* The values of a result, from a report on readings: lines, metrics, regions, remarks. */
#include "measure/result.h"

#include "base/error.h"

#include <string.h>

/* ---- the counts ---- */

static bool has_metric(const bx_record *record)
{
    return record->figure.name && *record->figure.name;
}

/* Lists the metrics: first those beside events, then those on lines of their own. */
static void list_metrics(bx_result *r)
{
    const bx_report *report = &r->report;
    r->metrics_n = 0;
    for (size_t i = 0; i < report->n; i++)
        if (has_metric(&report->records[i]))
            r->metrics[r->metrics_n++] = &report->records[i];
    for (size_t i = 0; i < report->figures_n; i++)
        if (has_metric(&report->figures[i]))
            r->metrics[r->metrics_n++] = &report->figures[i];
}

/* The result lives in its own arena. */
bx_result *bx_result_new(void)
{
    bx_arena arena = {0};
    bx_result *r = bx_arena_get(&arena, sizeof *r);
    if (r)
        r->arena = arena;
    return r;
}

int bx_result_open(bx_result *r, const bx_measured *of, const bx_reading *readings, size_t n,
                   bx_arena *arena, bx_error *e)
{
    if (r->opened)
        return BX_OK;
    int code = bx_report_open(&r->report, of, readings, n, e);
    if (code)
        return code;
    r->opened = true;
    r->metrics = bx_arena_get(arena, (r->report.n + r->report.figures_n + 1) * sizeof *r->metrics);
    return r->metrics ? BX_OK : bx_out_of_memory(e);
}

void bx_result_add(bx_result *r, const bx_reading *readings, uint64_t time)
{
    bx_report_add(&r->report, readings, time);
    list_metrics(r);
}

static void drop_counts(bx_result *r)
{
    bx_report_close(&r->report);
    r->opened = false;
    r->metrics_n = 0;
}

void bx_result_drop(bx_result *r)
{
    for (size_t i = 0; i < r->regions_n; i++)
        drop_counts(&r->regions[i]);
    if (r->interval)
        drop_counts(r->interval);
    drop_counts(r);
    r->interval = NULL;
    r->regions_n = r->remarks_n = 0;
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

/* Whether the line is of no one package and unit: a sum, a program, all that a cgroup caused. */
static bool is_of_no_unit(const bx_record *record)
{
    return record->level == BX_RECORD_SUM || record->unit_number == BX_PROGRAM ||
           (record->level == BX_RECORD_PART && record->cgroup);
}

int bx_result_package(const bx_result *r, size_t i)
{
    return is_of_no_unit(at(r, i)) ? BX_ANY : at(r, i)->package;
}

int bx_result_unit(const bx_result *r, size_t i)
{
    return is_of_no_unit(at(r, i)) ? BX_ANY : at(r, i)->unit_number;
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

double bx_result_mean(const bx_result *r, size_t i)
{
    return bx_record_has_value(at(r, i)) ? bx_record_value(at(r, i)) : 0;
}

double bx_result_confidence(const bx_result *r, size_t i)
{
    return bx_record_has_value(at(r, i)) ? bx_running_stats_confidence(&at(r, i)->stats) : 0;
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
    const bx_record *record = metric_at(r, i);
    bool of_cgroup = record->cgroup && record->level != BX_RECORD_UNIT;
    return record->label && !of_cgroup ? record->package : BX_ANY;
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
    return text_or_none(r->opened ? r->report.of->machine : r->measured.machine);
}

double bx_result_seconds(const bx_result *r)
{
    return r && r->opened ? r->report.elapsed.mean / r->report.of->hz : 0;
}

uint64_t bx_result_runs(const bx_result *r)
{
    return r ? r->report.elapsed.n : 0;
}

double bx_result_ended(const bx_result *r)
{
    return r ? r->at : 0;
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
    return i < r->remarks_n ? r->remarks[i].text : NULL;
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

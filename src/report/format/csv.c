/* Reports as CSV with the columns of `perf stat -x`:
 *
 *   [time,[complete,]]
 *   [region,threads,thread,core,entered,not ended,not begun,]
 *   [package,unit,]
 *   value,what one count is,event,[deviation,confidence,]run time,share,
 *   figure,name of the figure[,driver][,error][,metric,unit of the metric]
 *
 * With --metric-only, the event is the only column before the figure. Every row has all columns. In
 * a row with a figure but no event, the columns of the event are empty. The last two columns exist
 * only with a header, which names all columns. A field that contains the separator's first
 * character or a quote is quoted as in RFC 4180; a line break is no printable character. With `-x
 * :` this applies to every event string. */
#include "base/printable.h"
#include "report/format/formats.h"

#include <stdio.h>
#include <string.h>

enum { UNIT = 64 };

typedef struct row {
    const bx_report *report;
    const bx_view *view;
    const bx_record *record; /* NULL: the header */
    bx_buf *to;
    bool begun;
} row;

/* Writes the column's name in the header, else its text; NULL: nothing. */
static void field(row *r, const char *name, const char *text)
{
    text = r->record ? text : name;
    if (r->begun)
        bx_buf_z(r->to, r->view->separator);
    r->begun = true;
    if (!text)
        return;
    bx_csv_text(r->to, text, r->view->separator);
}

static void write_number(row *r, const char *name, bool missing, double value, unsigned decimals)
{
    char text[BX_NUMBER];
    field(r, name, missing ? NULL : bx_number_plain(value, decimals, text));
}

/* Writes a percentage. A value below 0 means that there is none. */
static void percent(row *r, const char *name, double value)
{
    char text[BX_NUMBER + 1];
    bx_number_plain(value, 2, text);
    field(r, name, value < 0 ? NULL : strcat(text, "%"));
}

/* The error of a scaled value, or why it has none. */
static void error(row *r)
{
    const bx_record *record = r->record && r->record->event ? r->record : NULL;
    if (record && bx_record_has_error(record, false) && !record->no_error)
        percent(r, "error", bx_record_error_percent(record));
    else
        field(r, "error", record ? record->no_error : NULL);
}

static void location(row *r)
{
    char package[16];
    const char *label = r->record ? r->record->label : NULL;
    bool placed = label && !r->record->thread && !r->record->cgroup;
    if (placed)
        snprintf(package, sizeof package, "S%u", r->record->package);
    field(r, "package", placed ? package : NULL);
    field(r, "pmu-unit", label);
}

static void region(row *r)
{
    static const bx_region none = {.core = -1};
    const bx_region *g = r->view->region ? r->view->region : &none;
    bool no = g == &none;
    field(r, "region", g->name);
    write_number(r, "threads", no || g->thread, g->threads, 0);
    write_number(r, "thread", !g->thread, g->thread, 0);
    write_number(r, "core", g->core < 0, g->core, 0);
    write_number(r, "entered", no, (double)g->entered, 0);
    write_number(r, "not-ended", no, (double)g->unended, 0);
    write_number(r, "not-begun", no, (double)g->unbegun, 0);
}

/* The unit of a count and its scale: "requests (x256)". */
static const char *counted(const bx_record *record, char to[UNIT])
{
    if (record->scale <= 1)
        return record->unit;
    snprintf(to, UNIT, "%s (x%u)", record->unit, record->scale);
    return to;
}

static void event(row *r)
{
    char text[BX_NUMBER], unit[UNIT];
    const bx_record *record = r->record && r->record->event ? r->record : NULL;
    field(r, "counter-value", record ? bx_record_text(record, text) : NULL);
    field(r, "unit", record ? counted(record, unit) : NULL);
    field(r, "event", record ? record->event : NULL);
    if (r->view->repeated) {
        percent(r, "variance", record ? bx_running_stats_percent(&record->stats) : -1);
        percent(r, "confidence", record ? bx_running_stats_confidence(&record->stats) : -1);
    }
    write_number(r, "event-runtime", !record, record ? bx_record_runtime(r->report, record) : 0, 0);
    write_number(r, "pcnt-running", !record, record ? bx_record_share(record) : 0, 2);
}

static void figure(row *r)
{
    static const bx_figure none = {0};
    const bx_figure *f = r->record ? &r->record->figure : &none;
    if (f->name && !f->defined)
        field(r, "metric-value", f->instead);
    else
        write_number(r, "metric-value", !f->name, f->value, 6);
    field(r, "metric-unit", f->name ? f->shown : NULL);
}

static bool is_of_host(const bx_report *r)
{
    for (size_t i = 0; i < r->n; i++)
        if (bx_record_driver(&r->records[i]))
            return true;
    return false;
}

static void write_row(const bx_report *report, const bx_view *v, const bx_record *record,
                      bx_buf *to)
{
    row r = {.report = report, .view = v, .record = record, .to = to};
    if (v->interval)
        write_number(&r, "interval", false, v->at, 9);
    if (v->sampled)
        field(&r, "complete", v->incomplete ? "incomplete" : "complete");
    if (v->regions || v->region)
        region(&r);
    if (v->per_unit)
        location(&r);
    if (v->metric_only)
        field(&r, "event", record ? record->event : NULL);
    else
        event(&r);
    figure(&r);
    if (is_of_host(report))
        field(&r, "driver", record && record->event ? bx_record_driver(record) : NULL);
    if (report->in_turns && !v->repeated)
        error(&r);
    if (v->header) {
        const bx_figure *f = record && record->figure.name ? &record->figure : NULL;
        field(&r, "metric", f ? f->name : NULL);
        field(&r, "unit-of-metric", f ? f->unit : NULL);
    }
    bx_buf_z(to, "\n");
}

static void add_begin(const bx_report *r, const bx_view *v, bx_buf *to)
{
    if (v->header && !v->region)
        write_row(r, v, NULL, to);
}

static void add_lines(const bx_report *r, const bx_view *v, bx_buf *to)
{
    const bx_record *record;
    for (size_t at = 0; (record = bx_report_next(r, v, &at));)
        write_row(r, v, record, to);
}

static void add_finish(const bx_report *r, const bx_view *v, bx_buf *to)
{
    (void)v;
    if (r->of->interrupted)
        bx_buf_f(to, "# interrupted by %s\n", r->of->interrupted);
    if (r->of->left) {
        bx_buf_z(to, "# left running: ");
        bx_buf_name(to, r->of->left);
        bx_buf_z(to, "\n");
    }
    const bx_order_waits *w = &r->of->waits;
    if (w->n)
        bx_buf_f(to, "# order waits: %llu, mean %.1f ns, longest %.0f ns, %.2f%% of the time\n",
                 (unsigned long long)w->n, w->sum / (double)w->n, w->longest,
                 100 * w->sum / w->time);
    for (size_t i = 0; i < r->of->unseen_n; i++) {
        bx_buf_z(to, "# incomplete: ");
        bx_buf_name(to, r->of->unseen[i]);
        bx_buf_z(to, "\n");
    }
}

const bx_report_format bx_csv_format = {
    .begin = add_begin,
    .lines = add_lines,
    .finish = add_finish,
};

/* Reports as JSON, one object a line, with the keys of `perf stat -j`. Every line except the last
 * one is about an event. It has the value as perf's string and as a number, and all metrics that
 * belong to the event. The last line is about the run. docs/reference/stat.schema.json has all
 * members. */
#include "base/json.h"
#include "report/format/formats.h"

/* Adds a comma, except before the first element. */
static void separate(bx_buf *to, char bracket)
{
    if (to->n && to->p[to->n - 1] != bracket)
        bx_buf_z(to, ", ");
}

static void key(bx_buf *to, const char *name)
{
    separate(to, '{');
    bx_buf_f(to, "\"%s\" : ", name);
}

static void write_text(bx_buf *to, const char *name, const char *value)
{
    key(to, name);
    bx_json_string(to, bx_str_of(value));
}

static void write_number(bx_buf *to, const char *name, double value, unsigned decimals)
{
    char digits[BX_NUMBER];
    key(to, name);
    bx_buf_z(to, bx_number_plain(value, decimals, digits));
}

static void exact(bx_buf *to, const char *name, double value)
{
    char digits[BX_NUMBER];
    key(to, name);
    bx_buf_z(to, bx_number_exact(value, digits));
}

static void deviation(bx_buf *to, const bx_running_stats *stats)
{
    if (stats->n > 1)
        exact(to, "standard-deviation", bx_running_stats_deviation(stats));
}

static void location(bx_buf *to, const bx_record *record)
{
    if (record->thread) {
        write_number(to, "tid", record->thread, 0);
        write_text(to, "thread-name", record->label);
        return;
    }
    if (record->cgroup) {
        write_text(to, "cgroup", record->label);
        return;
    }
    write_number(to, "package", record->package, 0);
    if (record->cpu != BX_ANY)
        write_number(to, "cpu", record->cpu, 0);
    if (*record->label)
        write_text(to, "pmu-unit", record->label);
}

static void error(bx_buf *to, const bx_record *record)
{
    if (record->no_error) {
        write_text(to, "no-error", record->no_error);
        return;
    }
    write_number(to, "error", record->error, 6);
    write_number(to, "error-percent", bx_record_error_percent(record), 2);
}

static void event(bx_buf *to, const bx_report *r, const bx_view *v, const bx_record *record)
{
    char value[BX_NUMBER];
    write_text(to, "counter-value", bx_record_text(record, value));
    write_text(to, "unit", record->unit);
    write_text(to, "event", record->event);
    if (record->selection)
        write_text(to, "selection", record->selection);
    if (record->scale > 1)
        write_number(to, "scale", record->scale, 0);
    if (v->repeated) {
        write_number(to, "variance", bx_running_stats_percent(&record->stats), 2);
        write_number(to, "confidence", bx_running_stats_confidence(&record->stats), 2);
    }
    write_number(to, "event-runtime", bx_record_runtime(r, record), 0);
    write_number(to, "pcnt-running", bx_record_share(record), 2);
    if (bx_record_has_error(record, v->repeated))
        error(to, record);
    if (bx_record_driver(record))
        write_text(to, "driver", bx_record_driver(record));
    if (record->is_level) {
        key(to, "level");
        bx_buf_z(to, "true");
    }
    if (record->without && record->without < record->units) {
        write_number(to, "units", record->units, 0);
        write_number(to, "units-without-value", record->without, 0);
    }
}

static void region(bx_buf *to, const bx_report *r, const bx_region *g)
{
    write_text(to, "region", g->name);
    if (g->thread)
        write_number(to, "thread", g->thread, 0);
    else
        write_number(to, "threads", g->threads, 0);
    if (g->core >= 0)
        write_number(to, "core", g->core, 0);
    write_number(to, "entered", (double)g->entered, 0);
    write_number(to, "region-runtime", (double)g->time / r->of->hz * 1e9, 0);
    if (g->unended)
        write_number(to, "not-ended", (double)g->unended, 0);
    if (g->unbegun)
        write_number(to, "not-begun", (double)g->unbegun, 0);
}

static bool has_value(const bx_figure *f)
{
    return f->name && f->defined;
}

/* Adds perf's members for a metric, which have unit and name in one string. */
static void figure(bx_buf *to, const bx_figure *f)
{
    write_number(to, "metric-value", f->value, 6);
    write_text(to, "metric-unit", f->label);
    if (f->mixed)
        write_text(to, "metric-times", "different");
}

/* The value as a number, and its state. */
static void value(bx_buf *to, const bx_record *record)
{
    char digits[BX_NUMBER];
    bool has = bx_record_has_value(record);
    bool whole = has && record->total % record->stats.n == 0;
    if (has && !whole)
        exact(to, "value", bx_record_value(record));
    else {
        key(to, "value");
        bx_buf_z(to, whole ? bx_record_text(record, digits) : "null");
    }
    key(to, "state");
    bx_json_string(to, bx_record_state(record));
    if (has)
        deviation(to, &record->stats);
}

/* Why a metric has no value. */
static bx_str state_of(const bx_figure *f)
{
    bx_str text = bx_str_of(f->instead);
    return *f->instead == '<' ? bx_str_sub(text, 1, text.n - 2) : BX_STR("divided by 0");
}

/* Adds the metric beside the event. A count in the kernel's own unit has no name, and is no
 * metric. */
static void metric(bx_buf *to, const bx_record *record)
{
    const bx_figure *f = &record->figure;
    if (!f->name || !*f->name)
        return;
    separate(to, '[');
    bx_buf_z(to, "{");
    write_text(to, "name", f->name);
    if (f->defined) {
        exact(to, "value", f->value);
    } else {
        key(to, "value");
        bx_buf_z(to, "null");
        key(to, "state");
        bx_json_string(to, state_of(f));
    }
    write_text(to, "unit", f->unit);
    if (record->figure_stats.n == record->stats.n || !record->event)
        deviation(to, &record->figure_stats);
    if (f->mixed)
        write_text(to, "times", "different");
    if (f->mixed && f->no_error)
        write_text(to, "no-error", f->no_error);
    else if (f->mixed && record->remarked)
        exact(to, "error", f->error);
    bx_buf_z(to, "}");
}

/* Adds all metrics of the line. Other formats print some of them on lines of their own; these are
 * computed from the sums over all units, or over those of a cgroup. */
static void metrics(bx_buf *to, const bx_report *r, const bx_record *record)
{
    bool whole =
        !record->label || record->cgroup || r->records[r->sum_of[record->index]].units == 1;
    key(to, "metrics");
    bx_buf_z(to, "[");
    metric(to, record);
    for (size_t i = 0; whole && i < r->figures_n; i++)
        if (r->figures[i].index == record->index && r->figures[i].cgroup == record->cgroup)
            metric(to, &r->figures[i]);
    bx_buf_z(to, "]");
}

/* With --metric-only no line is left out, because metrics are members of their own. */
static void add_lines(const bx_report *r, const bx_view *v, bx_buf *to)
{
    const bx_record *record;
    bx_view all = *v;
    all.metric_only = false;
    for (size_t at = 0; (record = bx_report_next(r, &all, &at));) {
        if (!record->event)
            continue;
        bx_buf_z(to, "{");
        if (v->interval)
            write_number(to, "interval", v->at, 9);
        if (v->sampled) {
            key(to, "complete");
            bx_buf_z(to, v->incomplete ? "false" : "true");
        }
        if (v->region)
            region(to, r, v->region);
        if (record->label)
            location(to, record);
        event(to, r, v, record);
        if (has_value(&record->figure))
            figure(to, &record->figure);
        value(to, record);
        metrics(to, r, record);
        bx_buf_z(to, "}\n");
    }
}

static void order_waits(bx_buf *to, const bx_order_waits *w)
{
    key(to, "order-waits");
    bx_buf_z(to, "{");
    write_number(to, "waits", (double)w->n, 0);
    exact(to, "mean-ns", w->sum / (double)w->n);
    exact(to, "longest-ns", w->longest);
    exact(to, "percent", 100 * w->sum / w->time);
    bx_buf_z(to, "}");
}

static void add_finish(const bx_report *r, const bx_view *v, bx_buf *to)
{
    const bx_measured *of = r->of;
    (void)v;
    bx_buf_z(to, "{\"run\" : {");
    write_text(to, "work", of->subject);
    write_number(to, "runs", r->elapsed.n, 0);
    exact(to, "seconds", r->elapsed.mean / of->hz);
    if (r->elapsed.n > 1)
        exact(to, "standard-deviation", bx_running_stats_deviation(&r->elapsed) / of->hz);
    write_number(to, "exit-status", of->status, 0);
    if (of->interrupted)
        write_text(to, "interrupted", of->interrupted);
    if (of->left)
        write_text(to, "left-running", of->left);
    if (of->waits.n)
        order_waits(to, &of->waits);
    if (of->undocumented)
        write_text(to, "undocumented", of->undocumented);
    if (of->remark)
        write_text(to, "remark", of->remark);
    if (of->remark) {
        key(to, "incomplete");
        bx_buf_z(to, "[");
        for (size_t i = 0; i < of->unseen_n; i++) {
            separate(to, '[');
            bx_json_string(to, bx_str_of(of->unseen[i]));
        }
        bx_buf_z(to, "]");
    }
    key(to, "environment");
    bx_buf_z(to, "{");
    for (size_t i = 0; i < of->environment_n; i++)
        write_text(to, of->environment[i].key, of->environment[i].value);
    bx_buf_z(to, "}}}\n");
}

const bx_report_format bx_json_format = {
    .lines = add_lines,
    .finish = add_finish,
};

/* Reports as JSON, one object a line, with the keys of `perf stat -j`. Values are strings, so that
 * no reader rounds them above 2^53; a missing value is the reason as text. Every line is an
 * event's. Metrics that have their own lines in other formats are in an array of its line here. */
#include "base/json.h"
#include "report/format/formats.h"

static void key(bx_buf *to, const char *name)
{
    if (to->n && to->p[to->n - 1] != '{')
        bx_buf_z(to, ", ");
    bx_buf_f(to, "\"%s\" : ", name);
}

static void text(bx_buf *to, const char *name, const char *value)
{
    key(to, name);
    bx_json_string(to, bx_str_of(value));
}

static void number(bx_buf *to, const char *name, double value, unsigned decimals)
{
    char digits[BX_NUMBER];
    key(to, name);
    bx_buf_z(to, bx_number_plain(value, decimals, digits));
}

static void location(bx_buf *to, const bx_record *record)
{
    number(to, "package", record->package, 0);
    text(to, "pmu-unit", record->label);
}

static void event(bx_buf *to, const bx_report *r, const bx_view *v, const bx_record *record)
{
    char value[BX_NUMBER];
    text(to, "counter-value", bx_record_text(record, value));
    text(to, "unit", record->unit);
    text(to, "event", record->event);
    if (record->scale > 1)
        number(to, "scale", record->scale, 0);
    if (v->repeated)
        number(to, "variance", bx_running_stats_percent(&record->stats), 2);
    number(to, "event-runtime", bx_record_runtime(r, record), 0);
    number(to, "pcnt-running", bx_record_share(record), 2);
    if (bx_record_driver(record))
        text(to, "driver", bx_record_driver(record));
    if (record->without && record->without < record->units) {
        number(to, "units", record->units, 0);
        number(to, "units-without-value", record->without, 0);
    }
}

static void region(bx_buf *to, const bx_report *r, const bx_region *g)
{
    text(to, "region", g->name);
    if (g->thread)
        number(to, "thread", g->thread, 0);
    else
        number(to, "threads", g->threads, 0);
    if (g->core >= 0)
        number(to, "core", g->core, 0);
    number(to, "entered", (double)g->entered, 0);
    number(to, "region-runtime", (double)g->time / r->of->hz * 1e9, 0);
    if (g->unended)
        number(to, "not-ended", (double)g->unended, 0);
    if (g->unbegun)
        number(to, "not-begun", (double)g->unbegun, 0);
}

static bool has_value(const bx_figure *f)
{
    return f->name && f->defined;
}

static void figure(bx_buf *to, const bx_figure *f)
{
    number(to, "metric-value", f->value, 6);
    text(to, "metric-unit", f->label);
    if (f->mixed)
        text(to, "metric-times", "different");
}

/* Metrics of the event beside the one on its line. They are computed from the sums over all
 * units. */
static void more_figures(bx_buf *to, const bx_report *r, const bx_record *record)
{
    bool whole = !record->label || r->records[r->sum_of[record->index]].units == 1;
    bool begun = false;
    for (size_t i = 0; whole && i < r->figures_n; i++) {
        const bx_record *other = &r->figures[i];
        if (other->index != record->index || !has_value(&other->figure))
            continue;
        if (!begun)
            key(to, "more-metrics");
        bx_buf_z(to, begun ? ", {" : "[{");
        figure(to, &other->figure);
        bx_buf_z(to, "}");
        begun = true;
    }
    if (begun)
        bx_buf_z(to, "]");
}

void bx_json_lines(const bx_report *r, const bx_view *v, bx_buf *to)
{
    const bx_record *record;
    for (size_t at = 0; (record = bx_report_next(r, v, &at));) {
        if (!record->event)
            continue;
        bx_buf_z(to, "{");
        if (v->interval)
            number(to, "interval", v->at, 9);
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
        more_figures(to, r, record);
        bx_buf_z(to, "}\n");
    }
}

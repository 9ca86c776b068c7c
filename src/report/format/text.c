/* Reports as text for people, like `perf stat`:
 *
 *   S0 C-Box 2      1,234,567 lookups  skl_unc_cbo::…  #     23.31 % name  ( +-  0.00% )  (14.29%)
 *
 * Each column is as wide as its widest line needs, and keeps its width from interval to
 * interval. */
#include "base/printable.h"
#include "report/format/formats.h"
#include "report/format/text_parts.h"

#include <stdio.h>
#include <string.h>

enum { TIME = 16, VALUE = 18, FIGURE = 9, LABEL = 64 };

typedef struct columns {
    size_t label, unit, name;
    size_t figure, shown; /* of a metric's value, and of the text after it; 0: there is none */
} columns;

static size_t larger(size_t a, size_t b)
{
    return a > b ? a : b;
}

/* "S0 C-Box 2": returns its length. */
static size_t label_of(const bx_record *record, char to[LABEL])
{
    to[0] = '\0';
    if (!record->label)
        return 0;
    int n = record->thread || record->cgroup
                ? snprintf(to, LABEL, "%s", record->label)
                : snprintf(to, LABEL, *record->label ? "S%u %s" : "S%u", record->package,
                           record->label);
    return n < LABEL ? (size_t)n : LABEL - 1;
}

static bool is_metric(const bx_record *record, const bx_view *v)
{
    return !record->event || v->metric_only;
}

/* A line with only a metric has the metric's name where other lines have the event's. */
static const char *name_of(const bx_record *record, const bx_view *v)
{
    const bx_figure *f = &record->figure;
    return is_metric(record, v) ? f->shown + strlen(f->unit) + (*f->unit != '\0') : record->event;
}

static const char *unit_of(const bx_record *record, const bx_view *v)
{
    return is_metric(record, v) ? record->figure.unit : record->unit;
}

static const char *figure_text(const bx_figure *f, char number[BX_NUMBER])
{
    return f->defined ? bx_number_figure(f->value, number) : f->instead;
}

static bool has_figure_behind(const bx_record *record, const bx_view *v)
{
    return !is_metric(record, v) && record->figure.name;
}

static columns measure(const bx_report *r, const bx_view *v)
{
    columns c = {0};
    char label[LABEL], number[BX_NUMBER];
    const bx_record *record;
    for (size_t at = 0; (record = bx_report_next(r, v, &at));) {
        c.label = larger(c.label, label_of(record, label));
        c.unit = larger(c.unit, strlen(unit_of(record, v)));
        c.name = larger(c.name, strlen(name_of(record, v)));
        if (!has_figure_behind(record, v))
            continue;
        c.figure =
            larger(c.figure, larger(FIGURE, bx_text_width(figure_text(&record->figure, number))));
        c.shown = larger(c.shown, strlen(record->figure.shown));
    }
    return c;
}

/* Adds a name that others have chosen. */
static void add_named(const char *before, const char *name, bx_buf *to)
{
    bx_buf_z(to, before);
    bx_buf_name(to, name);
}

/* The value, or the reason why there is none: never a 0 that was not counted. */
static void value(const bx_record *record, const bx_view *v, bx_buf *to)
{
    char number[BX_NUMBER];
    unsigned n = record->stats.n;
    if (is_metric(record, v))
        bx_text_right(to, figure_text(&record->figure, number), VALUE);
    else if (!bx_record_has_value(record))
        bx_text_right(to, bx_record_text(record, number), VALUE);
    else
        bx_text_right(to, bx_number_whole((record->total + n / 2) / n, number), VALUE);
}

static void figure_behind(const bx_record *record, const bx_view *v, const columns *c, bx_buf *to)
{
    if (!c->figure)
        return;
    if (!has_figure_behind(record, v)) {
        bx_text_pad(to, strlen("  #  ") + c->figure + c->shown);
        return;
    }
    char number[BX_NUMBER];
    bx_buf_z(to, "  # ");
    bx_text_right(to, figure_text(&record->figure, number), c->figure);
    bx_buf_z(to, " ");
    bx_text_left(to, record->figure.shown, c->shown);
}

/* A percentage, "%6.2f" in any locale. */
static void percent(double share, size_t width, bx_buf *to)
{
    char number[BX_NUMBER];
    bx_text_right(to, bx_number_plain(share, 2, number), width);
    bx_buf_z(to, "%");
}

static void deviation(double relative, bx_buf *to)
{
    bx_buf_z(to, "  ( +-");
    percent(relative, 6, to);
    bx_buf_z(to, " )");
}

/* Remarks on the value: its deviation or error, its share of the time, the number of units without
 * a value. */
static void remarks(const bx_report *r, const bx_record *record, const bx_view *v, bx_buf *to)
{
    if (v->incomplete)
        bx_buf_z(to, "  (incomplete)");
    if (is_metric(record, v)) {
        if (v->repeated && record->figure_stats.n == r->elapsed.n)
            deviation(bx_running_stats_confidence(&record->figure_stats), to);
        return;
    }
    if (v->repeated && bx_record_has_value(record))
        deviation(bx_running_stats_confidence(&record->stats), to);
    bool has_error = bx_record_has_error(record, v->repeated);
    if (has_error && !record->no_error)
        deviation(bx_record_error_percent(record), to);
    if (record->state == BX_SCALED) {
        bx_buf_z(to, "  (");
        percent(bx_record_share(record), 0, to);
        if (has_error && record->no_error)
            add_named(", no error: ", record->no_error, to);
        bx_buf_z(to, ")");
    }
    if (record->scale > 1 && bx_record_has_value(record))
        bx_buf_f(to, "  (counts x %u)", record->scale);
    if (record->without && record->without < record->units)
        bx_buf_f(to, "  (in %u of %u units)", record->without, record->units);
}

static void line(const bx_report *r, const bx_record *record, const bx_view *v, const columns *c,
                 bx_buf *to)
{
    char small[BX_NUMBER], label[LABEL];
    if (v->interval) {
        bx_text_right(to, bx_number_plain(v->at, 9, small), TIME);
        bx_buf_z(to, c->label ? " " : "");
    }
    if (c->label) {
        label_of(record, label);
        bx_text_left(to, label, c->label);
    }
    bx_buf_z(to, v->interval || c->label ? " " : "");
    value(record, v, to);
    if (c->unit) {
        bx_buf_z(to, " ");
        bx_text_left(to, unit_of(record, v), c->unit);
    }
    bx_buf_z(to, " ");
    bx_text_left(to, name_of(record, v), c->name);
    figure_behind(record, v, c, to);
    remarks(r, record, v, to);
    bx_text_trim(to);
    bx_buf_z(to, "\n");
}

static void add_lines(const bx_report *r, const bx_view *v, bx_buf *to)
{
    columns c = measure(r, v);
    const bx_record *record;
    for (size_t at = 0; (record = bx_report_next(r, v, &at));)
        line(r, record, v, &c, to);
}

static void times(bx_buf *to, uint64_t n)
{
    char number[BX_NUMBER];
    bx_buf_f(to, "%s %s", bx_number_whole(n, number), n == 1 ? "time" : "times");
}

static void begin_region(const bx_report *r, const bx_region *g, bx_buf *to)
{
    char number[BX_NUMBER];
    bx_buf_z(to, " Region '");
    bx_buf_name(to, g->name);
    bx_buf_z(to, "'");
    if (g->thread)
        bx_buf_f(to, ", thread %u", g->thread);
    if (g->core >= 0)
        bx_buf_f(to, " on core %d", g->core);
    bx_buf_z(to, ": entered ");
    times(to, g->entered);
    if (g->threads > 1)
        bx_buf_f(to, " by %u threads", g->threads);
    bx_buf_f(to, ", %s seconds inside", bx_number_plain((double)g->time / r->of->hz, 9, number));
    if (g->unended)
        bx_buf_f(to, "; not ended in %s of its threads, counted to their end",
                 bx_number_whole(g->unended, number));
    if (g->unbegun) {
        bx_buf_z(to, "; ended ");
        times(to, g->unbegun);
        bx_buf_z(to, " without a begin, which counts nothing");
    }
    bx_buf_z(to, "\n\n");
}

/* Writes the heads of the columns of intervals. The column of units has a head if there are
 * several. */
static void begin_columns(const bx_report *r, const bx_view *v, bx_buf *to)
{
    columns c = measure(r, v);
    bx_buf_z(to, "#");
    bx_text_right(to, "time", TIME - 1);
    if (c.label) {
        bx_buf_z(to, " ");
        bx_text_left(to, "where", c.label);
    }
    bx_buf_z(to, " ");
    bx_text_right(to, v->metric_only ? "value" : "counts", VALUE);
    bx_buf_z(to, v->metric_only ? " unit metrics\n" : " unit events\n");
}

static void add_begin(const bx_report *r, const bx_view *v, bx_buf *to)
{
    if (v->region) {
        begin_region(r, v->region, to);
        return;
    }
    if (r->of->note) {
        bx_buf_name(to, r->of->note);
        bx_buf_z(to, "\n");
    }
    if (v->interval) {
        bx_text_undocumented(r, "# ", to);
        bx_text_drivers(r, "# ", to);
        if (v->sampled)
            bx_text_lines_of(r->of->stop, "# at each overflow, ", to);
        begin_columns(r, v, to);
        return;
    }
    add_named("\n Performance counter stats for ", r->of->subject, to);
    add_named(" on ", r->of->machine, to);
    if (r->of->stop)
        add_named(", until ", r->of->stop, to);
    if (v->repeated)
        bx_buf_f(to, " (%u runs)", r->elapsed.n);
    bx_buf_z(to, ":\n");
    if (v->repeated)
        bx_buf_z(to, " +- is the 95 % confidence interval of the mean\n");
    bx_text_undocumented(r, " ", to);
    bx_text_drivers(r, " ", to);
    bx_buf_z(to, "\n");
}

static void add_end(const bx_report *r, const bx_view *v, bx_buf *to)
{
    char number[BX_NUMBER];
    if (v->region)
        bx_buf_z(to, "\n");
    if (v->interval || v->region)
        return;
    if (r->of->remark)
        bx_text_lines_of(r->of->remark, "\n ", to);
    bx_buf_z(to, "\n");
    bx_text_right(to, bx_number_plain(r->elapsed.mean / r->of->hz, 9, number), VALUE);
    bx_buf_z(to, " seconds time elapsed");
    if (r->of->clock)
        bx_buf_f(to, " (virtual time: %s %s)",
                 bx_number_whole((uint64_t)(r->elapsed.mean + 0.5), number), r->of->clock);
    if (v->repeated)
        deviation(bx_running_stats_confidence(&r->elapsed), to);
    bx_buf_z(to, "\n\n");
}

/* Without intervals the remark at the end says it. */
static void add_finish(const bx_report *r, const bx_view *v, bx_buf *to)
{
    if (v->interval && r->of->remark)
        bx_text_lines_of(r->of->remark, "# ", to);
}

const bx_report_format bx_text_format = {
    .begin = add_begin,
    .lines = add_lines,
    .end = add_end,
    .finish = add_finish,
};

/* Reports as people read them, in the manner of `perf stat`:
 *
 *   S0 C-Box 2      1,234,567 lookups  skl_unc_cbo::…  #     23.31 % name  ( +-  0.00% )  (14.29%)
 *
 * Columns are as wide as the widest of the lines to come, and stay so from interval to interval. */
#include "report/format/formats.h"

#include <stdio.h>
#include <string.h>

enum { VALUE = 18, FIGURE = 9, LABEL = 64 };

typedef struct columns {
    size_t label, unit, name, figure;
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
    int n = snprintf(to, LABEL, "S%u %s", record->package, record->label);
    return n < LABEL ? (size_t)n : LABEL - 1;
}

/* A line of a metric alone has the metric's name where others have the event. */
static const char *name_of(const bx_record *record)
{
    const bx_figure *f = &record->figure;
    return record->event ? record->event : f->shown + strlen(f->unit) + (*f->unit != '\0');
}

static const char *unit_of(const bx_record *record)
{
    return record->event ? record->unit : record->figure.unit;
}

static bool has_figure_behind(const bx_record *record)
{
    return record->event && record->figure.name;
}

static columns measure(const bx_report *r, const bx_view *v)
{
    columns c = {0};
    char label[LABEL];
    const bx_record *record;
    for (size_t at = 0; (record = bx_report_next(r, v, &at));) {
        c.label = larger(c.label, label_of(record, label));
        c.unit = larger(c.unit, strlen(unit_of(record)));
        c.name = larger(c.name, strlen(name_of(record)));
        if (has_figure_behind(record))
            c.figure = larger(c.figure, FIGURE + 1 + strlen(record->figure.shown));
    }
    return c;
}

static void pad(bx_buf *to, size_t n)
{
    while (n-- > 0)
        bx_buf_add(to, " ", 1);
}

static void align_left(bx_buf *to, const char *text, size_t width)
{
    size_t n = strlen(text);
    bx_buf_add(to, text, n);
    pad(to, n < width ? width - n : 0);
}

static void right(bx_buf *to, const char *text, size_t width)
{
    size_t n = strlen(text);
    pad(to, n < width ? width - n : 0);
    bx_buf_add(to, text, n);
}

/* The value, or the reason why there is none: never a 0 that was not counted. */
static void value(const bx_record *record, bx_buf *to)
{
    char number[BX_NUMBER];
    unsigned n = record->stats.n;
    if (!record->event)
        right(to, bx_number_figure(record->figure.value, number), VALUE);
    else if (!bx_record_has_value(record))
        right(to, bx_record_text(record, number), VALUE);
    else
        right(to, bx_number_whole((record->total + n / 2) / n, number), VALUE);
}

static void figure_behind(const bx_record *record, const columns *c, bx_buf *to)
{
    if (!c->figure)
        return;
    if (!has_figure_behind(record) || !record->figure.defined) {
        pad(to, strlen("  # ") + c->figure);
        return;
    }
    char number[BX_NUMBER];
    bx_buf_z(to, "  # ");
    right(to, bx_number_figure(record->figure.value, number), FIGURE);
    bx_buf_z(to, " ");
    align_left(to, record->figure.shown, c->figure - FIGURE - 1);
}

/* A percentage, "%6.2f" in any locale. */
static void percent(double share, size_t width, bx_buf *to)
{
    char number[BX_NUMBER];
    right(to, bx_number_plain(share, 2, number), width);
    bx_buf_z(to, "%");
}

static void deviation(double relative, bx_buf *to)
{
    bx_buf_z(to, "  ( +-");
    percent(relative, 6, to);
    bx_buf_z(to, " )");
}

/* Remarks on the value: its deviation, its share of the time, the number of units without a
 * value. */
static void remarks(const bx_record *record, const bx_view *v, bx_buf *to)
{
    if (v->incomplete)
        bx_buf_z(to, "  (incomplete)");
    if (!record->event)
        return;
    if (v->repeated && bx_record_has_value(record))
        deviation(bx_running_stats_percent(&record->stats), to);
    if (record->state == BX_SCALED) {
        bx_buf_z(to, "  (");
        percent(bx_record_share(record), 0, to);
        bx_buf_z(to, ")");
    }
    if (record->scale > 1 && bx_record_has_value(record))
        bx_buf_f(to, "  (counts x %u)", record->scale);
    if (record->without && record->without < record->units)
        bx_buf_f(to, "  (in %u of %u units)", record->without, record->units);
}

static void trim(bx_buf *to)
{
    while (to->n && to->p[to->n - 1] == ' ')
        to->p[--to->n] = '\0';
}

static void line(const bx_record *record, const bx_view *v, const columns *c, bx_buf *to)
{
    char small[BX_NUMBER], label[LABEL];
    if (v->interval)
        right(to, bx_number_plain(v->at, 9, small), 16);
    if (c->label) {
        label_of(record, label);
        align_left(to, label, c->label);
    }
    bx_buf_z(to, v->interval || c->label ? " " : "");
    value(record, to);
    if (c->unit) {
        bx_buf_z(to, " ");
        align_left(to, unit_of(record), c->unit);
    }
    bx_buf_z(to, " ");
    align_left(to, name_of(record), c->name);
    figure_behind(record, c, to);
    remarks(record, v, to);
    trim(to);
    bx_buf_z(to, "\n");
}

/* A metric with a line of its own is left out if it was divided by 0. */
void bx_text_lines(const bx_report *r, const bx_view *v, bx_buf *to)
{
    columns c = measure(r, v);
    const bx_record *record;
    for (size_t at = 0; (record = bx_report_next(r, v, &at));)
        if (record->event || record->figure.defined)
            line(record, v, &c, to);
}

/* The driver that counted a host's events; with two drivers, the events of each. */
static void drivers(const bx_report *r, const char *before, bx_buf *to)
{
    static const unsigned ways[] = {BX_DRIVER_PERF, BX_DRIVER_REGISTERS};
    unsigned seen = 0;
    for (size_t i = 0; i < r->of->events_n; i++)
        seen |= 1u << r->records[r->sum_of[i]].driver;
    bool mixed = seen >> BX_DRIVER_PERF & seen >> BX_DRIVER_REGISTERS & 1;
    for (size_t w = 0; w < sizeof ways / sizeof *ways; w++) {
        bool begun = false;
        for (size_t i = 0; i < r->of->events_n; i++) {
            const bx_record *record = &r->records[r->sum_of[i]];
            if (record->driver != ways[w] || (begun && !mixed))
                continue;
            if (!begun)
                bx_buf_f(to, "%sthrough %s", before, bx_record_driver(record));
            if (mixed)
                bx_buf_f(to, "%s %s", begun ? "," : ":", record->event);
            begun = true;
        }
        bx_buf_z(to, begun ? "\n" : "");
    }
}

static void times(bx_buf *to, uint64_t n)
{
    char number[BX_NUMBER];
    bx_buf_f(to, "%s %s", bx_number_whole(n, number), n == 1 ? "time" : "times");
}

static void begin_region(const bx_report *r, const bx_region *g, bx_buf *to)
{
    char number[BX_NUMBER];
    bx_buf_f(to, " Region '%s'", g->name);
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

void bx_text_begin(const bx_report *r, const bx_view *v, bx_buf *to)
{
    if (v->region) {
        begin_region(r, v->region, to);
        return;
    }
    if (r->of->note)
        bx_buf_f(to, "%s\n", r->of->note);
    if (v->interval) {
        drivers(r, "# ", to);
        if (v->sampled)
            bx_buf_f(to, "# at each overflow, %s\n", r->of->stop);
        bx_buf_z(to, "#           time             counts unit events\n");
        return;
    }
    bx_buf_f(to, "\n Performance counter stats for %s on %s", r->of->subject, r->of->machine);
    if (r->of->stop)
        bx_buf_f(to, ", until %s", r->of->stop);
    if (v->repeated)
        bx_buf_f(to, " (%u runs)", r->elapsed.n);
    bx_buf_z(to, ":\n");
    drivers(r, " ", to);
    bx_buf_z(to, "\n");
}

void bx_text_end(const bx_report *r, const bx_view *v, bx_buf *to)
{
    char number[BX_NUMBER];
    if (v->region)
        bx_buf_z(to, "\n");
    if (v->interval || v->region)
        return;
    if (r->of->remark)
        bx_buf_f(to, "\n %s\n", r->of->remark);
    bx_buf_z(to, "\n");
    right(to, bx_number_plain(r->elapsed.mean / r->of->hz, 9, number), VALUE);
    bx_buf_z(to, " seconds time elapsed");
    if (r->of->clock)
        bx_buf_f(to, " (virtual time: %s %s)",
                 bx_number_whole((uint64_t)(r->elapsed.mean + 0.5), number), r->of->clock);
    if (v->repeated)
        deviation(bx_running_stats_percent(&r->elapsed), to);
    bx_buf_z(to, "\n\n");
}

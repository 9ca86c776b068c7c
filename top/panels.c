/* The parts of the screen. */
#include "top/view.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { GAP = 1, FIGURE = 13 };

void bx_top_heading(bx_canvas *c, bx_room r, const char *title, const char *more)
{
    const char *line = c->utf8 ? "─" : "-";
    if (r.height < 1)
        return;
    int x = r.x;
    for (int i = 0; i < 2; i++, x++)
        bx_canvas_text(c, x, r.y, 1, BX_STYLE_DIM, line);
    x = bx_canvas_text(c, x + 1, r.y, r.width - 4, BX_STYLE_HEAD, title) + 1;
    if (*more && x < r.x + r.width - 8)
        x = bx_canvas_tail(c, x, r.y, r.x + r.width - x - 1, BX_STYLE_PLAIN, more) + 1;
    for (; x < r.x + r.width; x++)
        bx_canvas_text(c, x, r.y, 1, BX_STYLE_DIM, line);
}

/* ---- sparklines ---- */

/* Levels of a course's columns: the interval that is shown, the others. */
#define SHOWN 0.3
#define OTHER 0.0

/* How far a unit is above an equal share: 0.4 of an equal one, 1 of twice as much. */
static double level_of(double value, double all, size_t n)
{
    double mean = n ? all / (double)n : 0;
    return mean > 0 ? 0.4 + 0.6 * (value / mean - 1) : 0;
}

enum { COURSE_MOST = 256 };

/* Rates, levels or a metric in the last intervals up to the one that is shown. */
typedef struct course {
    double value[COURSE_MOST]; /* [n]; NAN: none */
    double most;
    int n;
} course;

static bool take_course(const bx_top_view *v, const bx_series_family *f, const double *metric,
                        int width, course *to)
{
    uint64_t shown;
    size_t slot;
    to->most = 0;
    to->n = width > COURSE_MOST ? COURSE_MOST : width;
    if (width < 1 || !bx_top_slot(v, &shown, &slot))
        return false;
    for (int i = 0; i < to->n; i++) {
        uint64_t back = (uint64_t)(to->n - 1 - i);
        to->value[i] = NAN;
        if (back > shown || !bx_series_slot(v->s, shown - back, &slot))
            continue;
        double length = v->s->length[slot];
        if (metric)
            to->value[i] = metric[slot];
        else if (bx_series_sum(f, slot) != BX_SERIES_NONE && length > 0)
            to->value[i] = (double)bx_series_sum(f, slot) / (f->level ? 1 : length);
        to->most = to->value[i] > to->most ? to->value[i] : to->most;
    }
    return true;
}

static void draw_course(const bx_top_view *v, bx_canvas *c, int x, int y, int width,
                        const bx_series_family *f, const double *metric)
{
    course of;
    if (!take_course(v, f, metric, width, &of))
        return;
    for (int i = 0; i < of.n; i++)
        if (!isnan(of.value[i]))
            bx_canvas_column(c, x + i, y, of.most > 0 ? of.value[i] / of.most : 0,
                             i == of.n - 1 ? SHOWN : OTHER);
}

void bx_top_chart(const bx_top_view *v, bx_canvas *c, bx_room r)
{
    course of;
    char most[BX_FIGURE_ROOM], text[BX_FIGURE_ROOM + 16];
    if (r.height < 3 || v->selected >= v->s->n)
        return;
    const bx_series_family *f = &v->s->family[v->selected];
    bx_top_heading(c, r, "COURSE", bx_top_event_name(f));
    if (!f->n || !take_course(v, f, NULL, r.width - 2, &of))
        return;
    bx_figure_text(of.most, f->base, bx_top_scale(f, BX_SCALE_SECOND), FIGURE, most);
    snprintf(text, sizeof text, " max %s ", most);
    int width = bx_canvas_cells(c, text);
    if (width < r.width / 2)
        bx_canvas_right(c, r.x + r.width - width - 1, r.y, width, BX_STYLE_STRONG, text);
    for (int i = 0; i < of.n; i++)
        if (!isnan(of.value[i]))
            bx_canvas_tower(c, r.x + 1 + r.width - 2 - of.n + i, r.y + r.height - 1, r.height - 1,
                            of.most > 0 ? of.value[i] / of.most : 0);
}

/* ---- metrics ---- */

enum {
    METRIC_NAME = 23,
    METRIC_FIGURE = 8,
    METRIC_UNIT = 6,
    METRIC_UNIT_WIDE = 22,
    METRIC_LEAST = 40,
    METRIC_WIDE = 66,   /* with a course and a longer unit, … */
    METRICS_WIDE = 132, /* … from this width on */
    METRIC_COURSE = 30,
};

int bx_top_metric_columns(int width)
{
    return width >= METRICS_WIDE   ? width / METRIC_WIDE
           : width >= METRIC_LEAST ? width / METRIC_LEAST
                                   : 1;
}

static void draw_metric(const bx_top_view *v, bx_canvas *c, bx_room r, const bx_series_metric *m,
                        double value)
{
    char number[BX_FIGURE_ROOM];
    int units = r.width >= METRIC_WIDE - 1 ? METRIC_UNIT_WIDE : METRIC_UNIT;
    int rest = r.width - METRIC_FIGURE - units - 2 * GAP;
    int name = rest < METRIC_NAME + 8 ? rest : METRIC_NAME + (rest - METRIC_NAME) / 4;
    int left = rest - name - GAP;
    bool has = !isnan(value);
    bx_figure_metric(has ? value : 0, number);
    int x = r.x;
    bx_canvas_text(c, x, r.y, name, BX_STYLE_PLAIN, m->name);
    x += name;
    if (has)
        bx_canvas_right(c, x, r.y, METRIC_FIGURE, BX_STYLE_STRONG, number);
    else
        bx_canvas_right(c, x, r.y, METRIC_FIGURE, BX_STYLE_DIM, m->instead ? m->instead : "-");
    x += METRIC_FIGURE + GAP;
    if (has && bx_canvas_cells(c, m->unit) <= units) /* half a unit tells nothing */
        bx_canvas_text(c, x, r.y, units, BX_STYLE_DIM, m->unit);
    x += units + GAP;
    if (left > 0)
        draw_course(v, c, x, r.y, left > METRIC_COURSE ? METRIC_COURSE : left, NULL, m->interval);
}

void bx_top_metrics(const bx_top_view *v, bx_canvas *c, bx_room r)
{
    int columns = bx_top_metric_columns(r.width), rows = r.height - 1;
    uint64_t shown;
    size_t slot;
    if (rows < 1 || !bx_top_slot(v, &shown, &slot))
        return;
    int more = (int)v->s->metrics - rows * columns;
    char text[40] = "";
    if (more > 0)
        snprintf(text, sizeof text, "(%d more in a larger window)", more);
    bx_top_heading(c, r, "METRICS", text);
    int each = r.width / columns;
    for (size_t i = 0; i < v->s->metrics && (int)i < rows * columns; i++)
        draw_metric(v, c,
                    (bx_room){r.x + (int)i / rows * each + 1, r.y + 1 + (int)i % rows, each - 1, 1},
                    &v->s->metric[i], v->s->metric[i].interval[slot]);
}

/* ---- the table ---- */

typedef struct table_columns {
    int name, figure, course, units;
} table_columns;

static table_columns columns_of(const bx_top_view *v, const bx_canvas *c, int width)
{
    table_columns of = {.figure = FIGURE};
    int longest = 12, most = 0;
    for (size_t i = 0; i < v->s->n; i++) {
        int cells = bx_canvas_cells(c, bx_top_event_name(&v->s->family[i]));
        longest = cells > longest ? cells : longest;
        most = (int)v->s->family[i].n > most ? (int)v->s->family[i].n : most;
    }
    if (width >= 60 && most > 1)
        of.units = most < 5 ? 5 : most > 18 ? 18 : most;
    int rest = width - of.figure - (of.units ? of.units + GAP : 0) - 2;
    of.course = rest >= 30 ? rest / 3 : 0;
    of.name = rest - (of.course ? of.course + GAP : 0);
    if (of.course && longest < of.name) { /* what the names leave is for the course */
        of.course += of.name - longest;
        of.name = longest;
    }
    return of;
}

/* One cell for each unit. */
static void draw_strip(const bx_top_view *v, bx_canvas *c, int x, int y, int width,
                       const bx_series_family *f)
{
    double most = 0, all = 0, value;
    for (size_t i = 0; i < f->n; i++)
        if (bx_top_value(v, f, &f->series[i], &value)) {
            most = value > most ? value : most;
            all += value;
        }
    for (size_t i = 0; f->n > 1 && i < f->n && (int)i < width; i++)
        if (bx_top_value(v, f, &f->series[i], &value))
            bx_canvas_column(c, x + (int)i, y, most > 0 ? value / most : 0,
                             level_of(value, all, f->n));
}

static void draw_row(const bx_top_view *v, bx_canvas *c, bx_room r, const table_columns *of,
                     const bx_series_family *f)
{
    char text[BX_FIGURE_ROOM + 1] = "~";
    double value;
    bool selected = f == &v->s->family[v->selected] && !v->batch;
    int x = r.x + 1;
    bx_canvas_tail(c, x, r.y, of->name, selected ? BX_STYLE_STRONG : BX_STYLE_PLAIN,
                   bx_top_event_name(f));
    x += of->name;
    if (bx_top_value(v, f, NULL, &value)) {
        bool scaled = f->share < 1;
        bx_figure_text(value, f->base, bx_top_scale(f, v->scale), (size_t)(FIGURE - 2),
                       text + scaled);
        bx_canvas_right(c, x + GAP, r.y, FIGURE - GAP,
                        value > 0 ? (unsigned)BX_STYLE_STRONG : (unsigned)BX_STYLE_DIM, text);
        x += FIGURE;
        draw_course(v, c, x + GAP, r.y, of->course, f, NULL);
        x += of->course ? of->course + GAP : 0;
        draw_strip(v, c, x + GAP, r.y, of->units, f);
    } else {
        bx_buf why = {0};
        bx_buf_f(&why, "<%s>", f->reason ? f->reason : "no value");
        bx_canvas_right(c, x + GAP, r.y, FIGURE - GAP + (of->course > 12 ? 12 : of->course),
                        BX_STYLE_DIM, bx_buf_text(&why));
        bx_buf_free(&why);
    }
    if (selected)
        bx_canvas_select(c, r.x, r.y, r.width);
}

static void draw_table_head(const bx_top_view *v, bx_canvas *c, bx_room r, const table_columns *of)
{
    static const char *const scales[BX_SCALES] = {"per second", "per interval", "total"};
    const char *mark = c->utf8 ? v->reverse ? "▴" : "▾" : v->reverse ? "^" : "v";
    char title[64];
    bx_canvas_fill(c, r.x, r.y, r.width, BX_STYLE_HEAD);
    snprintf(title, sizeof title, "EVENT%s", v->sort != BX_SORT_VALUE ? mark : "");
    int x = r.x + 1;
    bx_canvas_text(c, x, r.y, of->name, BX_STYLE_HEAD, title);
    x += of->name;
    snprintf(title, sizeof title, "%s%s", scales[v->scale], v->sort == BX_SORT_VALUE ? mark : "");
    bx_canvas_right(c, x, r.y, FIGURE, BX_STYLE_HEAD, title);
    x += FIGURE;
    if (of->course)
        bx_canvas_text(c, x + GAP, r.y, of->course, BX_STYLE_HEAD, "last intervals");
    x += of->course ? of->course + GAP : 0;
    if (of->units)
        bx_canvas_text(c, x + GAP, r.y, of->units, BX_STYLE_HEAD, "units");
}

void bx_top_table(bx_top_view *v, bx_canvas *c, bx_room r)
{
    if (r.height < 1)
        return;
    table_columns of = columns_of(v, c, r.width);
    size_t rows = (size_t)(r.height - 1), selected = 0;
    v->page = rows;
    draw_table_head(v, c, r, &of);
    while (selected + 1 < v->s->n && v->order[selected] != v->selected)
        selected++;
    if (selected < v->first || v->first + rows > v->s->n)
        v->first = selected < rows ? 0 : v->first;
    if (selected < v->first)
        v->first = selected;
    if (rows && selected >= v->first + rows)
        v->first = selected - rows + 1;
    for (size_t i = 0; i < rows && v->first + i < v->s->n; i++)
        draw_row(v, c, (bx_room){r.x, r.y + 1 + (int)i, r.width, 1}, &of,
                 &v->s->family[v->order[v->first + i]]);
}

/* ---- units ---- */

enum { UNIT_NAME = 12, UNIT_LEAST = 38 };

void bx_top_units(const bx_top_view *v, bx_canvas *c, bx_room r)
{
    if (r.height < 2 || v->selected >= v->s->n)
        return;
    const bx_series_family *f = &v->s->family[v->selected];
    int rows = r.height - 1, columns = 1, most_columns = r.width / UNIT_LEAST;
    while (rows * columns < (int)f->n && columns < most_columns)
        columns++;
    bx_top_heading(c, r, "UNITS", bx_top_event_name(f));
    double all = 0, most = 0, value;
    for (size_t i = 0; i < f->n; i++)
        if (bx_top_value(v, f, &f->series[i], &value)) {
            all += value;
            most = value > most ? value : most;
        }
    int each = r.width / columns, bar = each - UNIT_NAME - FIGURE - 9 - 2;
    for (size_t i = 0; i < f->n && (int)i < rows * columns; i++) {
        const bx_one_series *one = &f->series[i];
        char text[BX_FIGURE_ROOM], share[16], name[40];
        int x = r.x + (int)i / rows * each + 1, y = r.y + 1 + (int)i % rows;
        if (one->package > 0)
            snprintf(name, sizeof name, "%.24s/%d", *one->where ? one->where : "all", one->package);
        else
            snprintf(name, sizeof name, "%.32s", *one->where ? one->where : "all");
        bx_canvas_tail(c, x, y, UNIT_NAME, BX_STYLE_PLAIN, name);
        x += UNIT_NAME + GAP;
        if (!bx_top_value(v, f, one, &value))
            continue;
        if (bar > 0)
            bx_canvas_bar(c, x, y, bar, most > 0 ? value / most : 0, level_of(value, all, f->n));
        x += bar > 0 ? bar : 0;
        bx_figure_text(value, f->base, bx_top_scale(f, v->scale), FIGURE - 2, text);
        bx_canvas_right(c, x, y, FIGURE, BX_STYLE_STRONG, text);
        snprintf(share, sizeof share, "%.1f %%", all > 0 ? 100 * value / all : 0);
        bx_canvas_right(c, x + FIGURE, y, 8, BX_STYLE_DIM, share);
    }
}

/* ---- lines ---- */

static void draw_hot_line(bx_canvas *c, bx_room r, const bx_hot_line *line, uint64_t total,
                          uint64_t most)
{
    char share[16];
    bx_buf place = {0};
    const char *slash = line->file ? strrchr(line->file, '/') : NULL;
    double part = total ? (double)line->count / (double)total : 0;
    int x = r.x + 1, bar = r.width >= 60 ? r.width / 5 : 0;
    snprintf(share, sizeof share, "%.1f %%", 100 * part);
    bx_canvas_right(c, x, r.y, 7, BX_STYLE_STRONG, share);
    x += 8;
    if (bar) {
        double of_most = (double)line->count / (double)most;
        bx_canvas_bar(c, x, r.y, bar, of_most, part);
        x += bar + GAP;
    }
    if (line->file && line->line)
        bx_buf_f(&place, "%s:%u", slash ? slash + 1 : line->file, line->line);
    int rest = r.x + r.width - x - 1, cells = bx_canvas_cells(c, bx_buf_text(&place));
    int behind = cells && rest >= 24 ? cells < rest / 2 ? cells + GAP : rest / 2 : 0;
    bx_canvas_text(c, x, r.y, rest - behind, BX_STYLE_PLAIN, line->function);
    if (behind)
        bx_canvas_tail(c, x + rest - behind + GAP, r.y, behind - GAP, BX_STYLE_KEY,
                       bx_buf_text(&place));
    bx_buf_free(&place);
}

void bx_top_hottest(const bx_top_view *v, bx_canvas *c, bx_room r)
{
    if (r.height < 2 || v->selected >= v->s->n || !v->hottest)
        return;
    const bx_series_family *f = &v->s->family[v->selected];
    const bx_hottest_event *of = bx_hottest_of(v->hottest, f->event);
    bx_top_heading(c, r, "HOTTEST LINES", bx_top_event_name(f));
    const char *why = v->no_lines        ? v->no_lines
                      : !of || !of->told ? "the machine does not tell who causes this event"
                      : !of->n           ? "nobody has caused it yet"
                                         : NULL;
    if (why)
        bx_canvas_text(c, r.x + 1, r.y + 1, r.width - 1, BX_STYLE_DIM, why);
    for (size_t i = 0; !why && i < of->n && (int)i < r.height - 1; i++)
        draw_hot_line(c, (bx_room){r.x, r.y + 1 + (int)i, r.width, 1}, &of->top[i], of->total,
                      of->top[0].count);
}

/* ---- help ---- */

void bx_top_help(bx_canvas *c, bx_room r)
{
    static const struct {
        const char *key, *does;
    } rows[] = {
        {"q", "quit"},
        {"up, down, k, j", "select an event: its units and lines are shown"},
        {"PgUp, PgDn, g, G", "a page; the first and the last event"},
        {"s, r", "sort: as given, by value, by name; reverse"},
        {"t", "per second, per interval, totals"},
        {"space, p", "pause; a virtual machine stands still. A recording plays"},
        {".", "one interval more of a virtual machine"},
        {"left, right, [, ]", "an earlier or later interval; ten of them"},
        {"Home, End", "the first interval; the last one, and go on"},
        {"m, u, l", "metrics, units, lines: show them or not"},
        {"h, ?", "this help"},
        {"~", "beside a value: it took turns with others, and is an estimate"},
    };
    bx_top_heading(c, r, "KEYS", "");
    for (int i = 0; i < (int)(sizeof rows / sizeof *rows) && i < r.height - 1; i++) {
        int name = r.width >= 60 ? 20 : 12;
        bx_canvas_text(c, 1, r.y + 1 + i, name - 1, BX_STYLE_KEY, rows[i].key);
        bx_canvas_text(c, 1 + name, r.y + 1 + i, r.width - name - 1, BX_STYLE_PLAIN, rows[i].does);
    }
}

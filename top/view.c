/* The layout of the screen, by its size. */
#include "top/view.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    LEAST_WIDTH = 20,
    LEAST_HEIGHT = 4,
    WIDE = 120,        /* units and lines stand beside the table */
    WITH_ABOUT = 8,    /* heights from which there is a second line, … */
    WITH_METRICS = 14, /* … metrics, … */
    WITH_UNITS = 16,   /* … units, … */
    WITH_HOTTEST = 20, /* … and lines */
    TALL = 30,         /* metrics may have a third */
    FEW_LINES = 7,
    MOST_CHART = 12,
};

void bx_top_free(bx_top_view *v)
{
    free(v->order);
    v->order = NULL;
}

/* ---- the lines around ---- */

/* "12.35 ms" */
static void time_text(double seconds, char *to, size_t room)
{
    static const char *const units[] = {"s", "ms", "us", "ns"};
    size_t i = 0;
    for (; seconds < 0.9999995 && seconds > 0 && i < 3; i++)
        seconds *= 1000;
    snprintf(to, room, "%.*f %s", seconds < 100 ? 2 : 1, seconds, units[i]);
}

static void draw_title(const bx_top_view *v, bx_canvas *c)
{
    char state[96];
    const char *mark = v->paused && !v->is_recording ? c->utf8 ? "‖ paused" : "= paused" : v->state;
    snprintf(state, sizeof state, " %s ", mark);
    int width = bx_canvas_cells(c, state);
    bx_canvas_fill(c, 0, 0, c->width, BX_STYLE_TITLE);
    int x = bx_canvas_text(c, 0, 0, c->width, BX_STYLE_TITLE, " boxscore top ");
    bx_canvas_text(c, x + 1, 0, c->width - width - x - 1, BX_STYLE_TITLE,
                   v->s->machine ? v->s->machine : "");
    if (c->width >= 2 * width)
        bx_canvas_right(c, c->width - width, 0, width, BX_STYLE_TITLE, state);
}

static void draw_about(const bx_top_view *v, bx_canvas *c, int y)
{
    char at[32] = "", length[32] = "";
    uint64_t interval = 0;
    size_t slot;
    if (bx_top_slot(v, &interval, &slot)) {
        time_text(v->s->at[slot], at, sizeof at);
        time_text(v->s->length[slot], length, sizeof length);
    }
    const char *dot = c->utf8 ? " · " : " | ", *clock = v->s->is_virtual ? "virtual " : "";
    bx_buf text = {0};
    bx_buf_f(&text, " %s%s%stime %s%sinterval %s", v->work, dot, clock, at, dot, length);
    if (v->s->is_virtual)
        bx_buf_f(&text, "%srates per second of virtual time", dot);
    bx_canvas_text(c, 0, y, c->width, BX_STYLE_DIM, bx_buf_text(&text));
    bx_buf_free(&text);
}

static void draw_time_bar(const bx_top_view *v, bx_canvas *c, int y)
{
    char text[80], at[32], end[32];
    uint64_t interval, last = v->s->intervals - 1, first = bx_series_first(v->s);
    size_t slot, last_slot;
    if (!bx_top_slot(v, &interval, &slot) || !bx_series_slot(v->s, last, &last_slot))
        return;
    time_text(v->s->at[slot], at, sizeof at);
    time_text(v->s->at[last_slot], end, sizeof end);
    snprintf(text, sizeof text, " %s / %s ", at, end);
    int width = bx_canvas_cells(c, text);
    bx_canvas_text(c, 0, y, c->width, BX_STYLE_STRONG, text);
    bx_canvas_slider(c, width, y, c->width - width - 1,
                     last > first ? (double)(interval - first) / (double)(last - first) : 1);
}

static void draw_keys(const bx_top_view *v, bx_canvas *c, int y)
{
    const struct {
        const char *key, *does;
    } keys[] = {
        {"q", "quit"},
        {c->utf8 ? "↑↓" : "jk", "event"},
        {"space", v->is_recording ? v->paused ? "play" : "stop"
                  : v->paused     ? "go on"
                                  : "pause"},
        {"s", v->sort == BX_SORT_GIVEN   ? "sort by value"
              : v->sort == BX_SORT_VALUE ? "sort by name"
                                         : "sort as given"},
        {"t", v->scale == BX_SCALE_SECOND     ? "per interval"
              : v->scale == BX_SCALE_INTERVAL ? "totals"
                                              : "per second"},
        {c->utf8 ? "←→" : "[]", "time"},
        {"h", "help"},
    };
    int x = 1;
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++) {
        int width = bx_canvas_cells(c, keys[i].key) + bx_canvas_cells(c, keys[i].does) + 1;
        if (x + width > c->width)
            continue;
        x = bx_canvas_text(c, x, y, c->width - x, BX_STYLE_KEY, keys[i].key);
        x = bx_canvas_text(c, x + 1, y, c->width - x - 1, BX_STYLE_DIM, keys[i].does) + 2;
    }
}

/* ---- the layout ---- */

static int least_of(int a, int b)
{
    return a < b ? a : b;
}

/* The selected event's series. */
static int series_n(const bx_top_view *v)
{
    return v->selected < v->s->n ? (int)v->s->family[v->selected].n : 0;
}

static int metric_lines(const bx_top_view *v, int width)
{
    int columns = bx_top_metric_columns(width), n = (int)v->s->metrics;
    return v->no_metrics || !n ? 0 : (n + columns - 1) / columns + 1;
}

/* The course of the selected event, its units and its lines, beside the table. */
static void draw_beside(bx_top_view *v, bx_canvas *c, bx_room r)
{
    int left = r.width * 3 / 5;
    int units = !v->no_units && series_n(v) > 1 ? least_of(series_n(v) + 1, r.height / 3) : 0;
    int lines = !v->no_hottest && v->hottest ? least_of(BX_HOTTEST_LINES + 1, r.height / 2) : 0;
    bx_top_table(v, c, (bx_room){r.x, r.y, left, r.height});
    bx_room beside = {r.x + left + 1, r.y, r.width - left - 1, 0};
    beside.height = least_of(r.height - units - lines, MOST_CHART);
    bx_top_chart(v, c, beside);
    beside.y += beside.height;
    beside.height = units;
    bx_top_units(v, c, beside);
    beside.y += units;
    beside.height = lines ? r.y + r.height - beside.y : 0;
    bx_top_hottest(v, c, beside);
}

/* The same below it, as far as there is room. */
static void draw_below(bx_top_view *v, bx_canvas *c, bx_room r, int height)
{
    int units = v->no_units || series_n(v) < 2 || height < WITH_UNITS ? 0 : series_n(v) + 1;
    int lines = v->no_hottest || !v->hottest || height < WITH_HOTTEST ? 0 : FEW_LINES;
    if (v->batch) { /* all fits */
        lines = lines ? BX_HOTTEST_LINES / 2 + 1 : 0;
    } else {
        units = least_of(units, r.height / 4);
        lines = least_of(lines, r.height * 2 / 5);
    }
    int table = least_of((int)v->s->n + 1, r.height - units - lines);
    int rest = r.height - table - units - lines;
    if (lines && !v->batch) {
        int more = least_of(rest, BX_HOTTEST_LINES + 1 - lines);
        lines += more;
        rest -= more;
    }
    bx_top_table(v, c, (bx_room){r.x, r.y, r.width, table});
    r.y += table;
    r.height = units;
    bx_top_units(v, c, r);
    r.y += units;
    r.height = lines;
    bx_top_hottest(v, c, r);
    r.y += lines;
    r.height = v->batch ? 0 : least_of(rest, MOST_CHART);
    bx_top_chart(v, c, r);
}

static void draw_body(bx_top_view *v, bx_canvas *c, int y, int height)
{
    int metrics = c->height < WITH_METRICS ? 0 : metric_lines(v, c->width);
    if (!v->batch)
        metrics = least_of(metrics, height / (c->height < TALL ? 4 : 3));
    bx_top_metrics(v, c, (bx_room){0, y, c->width, metrics});
    bx_room r = {0, y + metrics, c->width, height - metrics};
    if (c->width >= WIDE && !v->batch)
        draw_beside(v, c, r);
    else
        draw_below(v, c, r, c->height);
}

void bx_top_draw(bx_top_view *v, bx_canvas *c)
{
    if (c->width < LEAST_WIDTH || c->height < LEAST_HEIGHT) {
        bx_canvas_text(c, 0, 0, c->width, BX_STYLE_WARN, "too small");
        return;
    }
    if (v->selected >= v->s->n)
        v->selected = 0;
    if (!bx_top_sort(v))
        return;
    draw_title(v, c);
    int y = 1, end = c->height - !v->batch;
    if (c->height >= WITH_ABOUT)
        draw_about(v, c, y++);
    if (v->remark && c->height >= WITH_ABOUT)
        bx_canvas_text(c, 1, y++, c->width - 1, BX_STYLE_WARN, v->remark);
    if (v->help) {
        bx_top_help(c, (bx_room){0, y, c->width, end - y});
    } else {
        bool bar = v->s->intervals && !v->batch && (v->is_recording || v->at != BX_TOP_LAST);
        if (bar)
            draw_time_bar(v, c, --end);
        draw_body(v, c, y, end - y);
    }
    if (!v->batch)
        draw_keys(v, c, c->height - 1);
}

int bx_top_lines(const bx_top_view *v, int width)
{
    int around = 4, lines = v->hottest ? BX_HOTTEST_LINES / 2 + 1 : 0;
    int all = around + metric_lines(v, width) + (int)v->s->n + 1 + series_n(v) + 1 + lines;
    return all < WITH_HOTTEST ? WITH_HOTTEST : all;
}

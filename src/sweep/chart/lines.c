/* A value over a key, a line for each combination of the other keys. */
#include "sweep/chart/kinds.h"
#include "sweep/chart/parts.h"

#include <stdlib.h>
#include <string.h>

enum { LINES = 8 };

typedef struct lines {
    const bx_sweep_results *r;
    bx_chart_value value;
    size_t key;
    bx_chart_axis x, y;
    size_t first[LINES]; /* the first point of each line */
    size_t n;
} lines;

static const char *setting(const lines *l, size_t point, size_t key)
{
    const char *is = l->r->points[point].settings[key];
    return is ? is : "";
}

/* Whether two points have the same settings except for the key of the axis. */
static bool on_one_line(const lines *l, size_t a, size_t b)
{
    for (size_t i = 0; i < l->r->keys_n; i++)
        if (i != l->key && strcmp(setting(l, a, i), setting(l, b, i)) != 0)
            return false;
    return true;
}

static int find_lines(lines *l, bx_error *e)
{
    for (size_t i = 0; i < l->r->points_n; i++) {
        size_t k = 0;
        while (k < l->n && !on_one_line(l, l->first[k], i))
            k++;
        if (k < l->n)
            continue;
        if (l->n == LINES) {
            bx_fail(e, BX_BAD_INPUT, 0, 0, "a chart has at most %d lines", LINES);
            bx_hint(e, "another key for the x axis, or a heat map");
            return BX_BAD_INPUT;
        }
        l->first[l->n++] = i;
    }
    return BX_OK;
}

static size_t setting_index(const lines *l, size_t point)
{
    size_t i = 0;
    while (strcmp(l->x.settings[i], setting(l, point, l->key)) != 0)
        i++;
    return i;
}

static bool has_values(const lines *l, size_t line)
{
    double value;
    for (size_t i = 0; i < l->r->points_n; i++)
        if (on_one_line(l, l->first[line], i) && bx_chart_number(&l->value, i, &value))
            return true;
    return false;
}

/* Values between which one is missing are not joined. */
static void put_series(const lines *l, size_t line, bx_buf *to)
{
    bool joined = false;
    double value;
    bx_buf_f(to, "<path class=\"s%zu\" d=\"", line);
    for (size_t i = 0; i < l->r->points_n; i++) {
        if (!on_one_line(l, l->first[line], i))
            continue;
        bool is = bx_chart_number(&l->value, i, &value);
        if (is)
            bx_buf_f(to, "%c%.1f %.1f", joined ? 'L' : 'M',
                     bx_chart_x(bx_chart_place(&l->x, setting_index(l, i))),
                     bx_chart_y(bx_chart_share(&l->y, value)));
        joined = is;
    }
    bx_buf_z(to, "\"/>\n");
    for (size_t i = 0; i < l->r->points_n; i++)
        if (on_one_line(l, l->first[line], i) && bx_chart_number(&l->value, i, &value))
            bx_chart_dot(to, &l->value, i, bx_chart_place(&l->x, setting_index(l, i)),
                         bx_chart_share(&l->y, value), (unsigned)line, false);
}

static void put_legend(const lines *l, size_t line, unsigned top, bx_buf *to)
{
    bx_buf name = {.whole = &to->failed};
    double y = top + 20.0 * (double)line;
    for (size_t i = 0; i < l->r->keys_n; i++)
        if (i != l->key)
            bx_buf_f(&name, "%s%s=%s", name.n ? ", " : "", l->r->keys[i],
                     setting(l, l->first[line], i));
    if (!has_values(l, line))
        bx_buf_z(&name, ": no values");
    bx_buf_f(to, "<path class=\"s%zu\" d=\"M%d %.1fh30\"/>\n", line, BX_PLOT_LEFT, y - 4);
    bx_chart_text(to, BX_PLOT_LEFT + 38, y, "", bx_buf_text(&name));
    bx_buf_free(&name);
}

static void draw_lines(const lines *l, bx_buf *to)
{
    bx_buf title = {.whole = &to->failed};
    unsigned legend = BX_PLOT_TOP + BX_PLOT_HEIGHT + 66;
    unsigned rows = l->n > 1 ? (unsigned)l->n : 0;
    bx_chart_name(&l->value, &title);
    bx_chart_head(to, legend + 20 * rows, bx_buf_text(&title), l->r->work ? l->r->work : "");
    bx_chart_frame(to, &l->x, l->r->keys[l->key], &l->y, bx_buf_text(&title));
    for (size_t i = 0; i < l->n; i++)
        put_series(l, i, to);
    for (size_t i = 0; i < rows; i++)
        put_legend(l, i, legend, to);
    bx_buf_free(&title);
}

int bx_chart_lines(const bx_sweep_results *r, const bx_chart *c, bx_buf *to, bx_error *e)
{
    lines l = {.r = r};
    size_t n;
    int code = bx_chart_find_value(r, bx_str_of(c->of), &l.value, e);
    if (!code)
        code = bx_chart_find_key(r, c->over, SIZE_MAX, &l.key, e);
    if (!code)
        code = find_lines(&l, e);
    if (code)
        return code;
    const char **settings = bx_chart_settings(r, l.key, &n);
    if (!settings)
        return bx_out_of_memory(e);
    l.x = bx_chart_key_axis(settings, n);
    l.y = bx_chart_value_axis(&l.value);
    draw_lines(&l, to);
    free(settings);
    return BX_OK;
}

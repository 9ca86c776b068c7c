/* Two values: a dot for each point, and those that no other point surpasses in both. */
#include "sweep/chart/kinds.h"
#include "sweep/chart/parts.h"

#include <string.h>

typedef struct pareto {
    const bx_sweep_results *r;
    bx_chart_value x, y;
} pareto;

static bool both(const pareto *p, size_t point, double *x, double *y)
{
    bool has_x = bx_chart_number(&p->x, point, x);
    return bx_chart_number(&p->y, point, y) && has_x;
}

/* How much better a is: above 0, 0, or below 0. */
static double better(const bx_chart_value *v, double a, double b)
{
    return v->more_is_better ? a - b : b - a;
}

/* Whether another point is at least as good in both, and better in one. */
static bool is_surpassed(const pareto *p, size_t point)
{
    double x, y, other_x, other_y;
    both(p, point, &x, &y);
    for (size_t i = 0; i < p->r->points_n; i++) {
        if (!both(p, i, &other_x, &other_y))
            continue;
        double by_x = better(&p->x, other_x, x), by_y = better(&p->y, other_y, y);
        if (by_x >= 0 && by_y >= 0 && (by_x > 0 || by_y > 0))
            return true;
    }
    return false;
}

/* Points with the same values as this one. *first: it is the first of them. */
static size_t count_same(const pareto *p, size_t point, bool *first)
{
    double x, y, other_x, other_y;
    size_t same = 0;
    *first = true;
    both(p, point, &x, &y);
    for (size_t i = 0; i < p->r->points_n; i++)
        if (both(p, i, &other_x, &other_y) && other_x == x && other_y == y) {
            *first &= i >= point;
            same++;
        }
    return same;
}

static void put_best_name(const pareto *p, size_t point, double x, double y, bx_buf *to)
{
    bool first;
    size_t same = count_same(p, point, &first);
    if (!first)
        return;
    bx_buf name = {.whole = &to->failed};
    for (size_t i = 0; i < p->r->keys_n; i++)
        bx_buf_f(&name, "%s%s", i ? " " : "",
                 p->r->points[point].settings[i] ? p->r->points[point].settings[i] : "");
    if (same > 1)
        bx_buf_f(&name, " and %zu more", same - 1);
    bool right = x > 0.7;
    bx_chart_text(to, bx_chart_x(x) + (right ? -8 : 8), bx_chart_y(y) - 6,
                  right ? "text-anchor=\"end\"" : "", bx_buf_text(&name));
    bx_buf_free(&name);
}

static void draw_pareto(const pareto *p, bx_buf *to)
{
    bx_buf names[2] = {{.whole = &to->failed}, {.whole = &to->failed}}, title = {0};
    bx_chart_axis x = bx_chart_value_axis(&p->x), y = bx_chart_value_axis(&p->y);
    double value_x, value_y;
    bx_chart_name(&p->x, &names[0]);
    bx_chart_name(&p->y, &names[1]);
    bx_buf_f(&title, "%s against %s; filled: no point is better in both", bx_buf_text(&names[1]),
             bx_buf_text(&names[0]));
    bx_chart_head(to, BX_PLOT_TOP + BX_PLOT_HEIGHT + 60, bx_buf_text(&title),
                  p->r->work ? p->r->work : "");
    bx_chart_frame(to, &x, bx_buf_text(&names[0]), &y, bx_buf_text(&names[1]));
    for (size_t i = 0; i < p->r->points_n; i++) {
        if (!both(p, i, &value_x, &value_y))
            continue;
        double at_x = bx_chart_share(&x, value_x), at_y = bx_chart_share(&y, value_y);
        bool best = !is_surpassed(p, i);
        bx_chart_dot(to, &p->y, i, at_x, at_y, best ? 1 : 0, best);
        if (best)
            put_best_name(p, i, at_x, at_y, to);
    }
    to->failed |= title.failed;
    bx_buf_free(&title);
    bx_buf_free(&names[0]);
    bx_buf_free(&names[1]);
}

int bx_chart_pareto(const bx_sweep_results *r, const bx_chart *c, bx_buf *to, bx_error *e)
{
    pareto p = {.r = r};
    bx_str y = bx_str_of(c->of), x = bx_str_cut(&y, ',');
    if (!y.p) {
        bx_fail(e, BX_BAD_INPUT, 0, 0, "a Pareto front has two values");
        bx_hint(e, "time_elapsed,dram_bytes_read; a '-' in front: more is better");
        return BX_BAD_INPUT;
    }
    int code = bx_chart_find_value(r, x, &p.x, e);
    if (!code)
        code = bx_chart_find_value(r, y, &p.y, e);
    if (!code)
        draw_pareto(&p, to);
    return code;
}

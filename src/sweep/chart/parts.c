/* What all charts of a sweep have. */
#include "sweep/chart/parts.h"

#include "base/printable.h"
#include "report/number.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- values and keys ---- */

static bool column_has_name(const char *column, bx_str name)
{
    const char *end = strstr(column, "::");
    return bx_str_eq_fold(bx_str_of(column), name) ||
           (end && bx_str_eq_fold(bx_str_of(end + 2), name));
}

int bx_chart_find_value(const bx_sweep_results *r, bx_str name, bx_chart_value *to, bx_error *e)
{
    *to = (bx_chart_value){.r = r, .more_is_better = name.n && *name.p == '-'};
    if (to->more_is_better)
        name = bx_str_sub(name, 1, name.n);
    for (size_t i = 0; i < r->columns_n; i++)
        if (column_has_name(r->columns[i].name, name)) {
            to->column = i;
            return BX_OK;
        }
    bx_fail(e, BX_NOT_FOUND, 0, 0, "the sweep has no value '%.*s'", BX_QUOTED(name));
    bx_hint(e, "the first line of its CSV has the names of its values");
    return BX_NOT_FOUND;
}

const char **bx_chart_settings(const bx_sweep_results *r, size_t key, size_t *n)
{
    const char **found = malloc((r->points_n + 1) * sizeof *found);
    *n = 0;
    for (size_t i = 0; found && i < r->points_n; i++) {
        const char *is = r->points[i].settings[key] ? r->points[i].settings[key] : "";
        size_t k = 0;
        while (k < *n && strcmp(found[k], is) != 0)
            k++;
        found[k] = is;
        *n += k == *n;
    }
    return found;
}

static int has_several(const bx_sweep_results *r, size_t key, bool *several, bx_error *e)
{
    size_t n;
    const char **settings = bx_chart_settings(r, key, &n);
    if (!settings)
        return bx_out_of_memory(e);
    free(settings);
    *several = n > 1;
    return BX_OK;
}

int bx_chart_find_key(const bx_sweep_results *r, const char *name, size_t except, size_t *key,
                      bx_error *e)
{
    for (size_t i = r->keys_n; i-- > 0;) {
        bool taken = name && strcmp(r->keys[i], name) == 0;
        int code = name || i == except ? BX_OK : has_several(r, i, &taken, e);
        if (code)
            return code;
        if (taken) {
            *key = i;
            return BX_OK;
        }
    }
    if (name)
        bx_fail(e, BX_NOT_FOUND, 0, 0, "the sweep does not vary '%.60s'", name);
    else
        bx_fail(e, BX_BAD_INPUT, 0, 0, "the sweep has too few keys with several values for this");
    bx_hint(e, "a key that the sweep varies");
    return name ? BX_NOT_FOUND : BX_BAD_INPUT;
}

bool bx_chart_number(const bx_chart_value *v, size_t point, double *to)
{
    const char *text = v->r->points[point].cells[v->column].value;
    *to = text ? strtod(text, NULL) : 0;
    return text != NULL;
}

void bx_chart_name(const bx_chart_value *v, bx_buf *to)
{
    const bx_sweep_column *c = &v->r->columns[v->column];
    const char *end = strstr(c->name, "::");
    bx_buf_f(to, "%s%s%s", end ? end + 2 : c->name, *c->unit ? ", " : "", c->unit);
}

/* ---- axes ---- */

/* A round number, at least the value; a fifth of it is round, too. */
static double round_up(double value)
{
    double power = pow(10, floor(log10(value)));
    static const double steps[] = {1, 1.5, 2, 2.5, 3, 4, 5, 6, 8, 10};
    for (size_t i = 0; i < sizeof steps / sizeof *steps; i++)
        if (steps[i] * power >= value * (1 - 1e-12))
            return steps[i] * power;
    return 10 * power;
}

bx_chart_axis bx_chart_value_axis(const bx_chart_value *v)
{
    double most = 0, number;
    for (size_t i = 0; i < v->r->points_n; i++)
        if (bx_chart_number(v, i, &number) && number > most)
            most = number;
    return (bx_chart_axis){.most = most > 0 ? round_up(most) : 1};
}

bx_chart_axis bx_chart_key_axis(const char **settings, size_t n)
{
    bx_chart_axis a = {.settings = settings, .n = n};
    for (size_t i = 0; i < n; i++) {
        uint64_t number;
        if (!bx_str_size(bx_str_of(settings[i]), &number))
            a.words = true;
        a.least = i == 0 || (double)number < a.least ? (double)number : a.least;
        a.most = i == 0 || (double)number > a.most ? (double)number : a.most;
    }
    a.words |= n < 2;
    a.logarithmic = !a.words && a.least > 0 && a.most / a.least >= 8;
    return a;
}

double bx_chart_share(const bx_chart_axis *a, double value)
{
    if (a->logarithmic)
        return log(value / a->least) / log(a->most / a->least);
    return (value - a->least) / (a->most - a->least);
}

double bx_chart_place(const bx_chart_axis *a, size_t i)
{
    uint64_t number = 0;
    if (a->words)
        return ((double)i + 0.5) / (double)a->n;
    bx_str_size(bx_str_of(a->settings[i]), &number);
    return bx_chart_share(a, (double)number);
}

/* ---- drawing ---- */

static const char style[] =
    "<style>\n"
    "svg { background: #fff; font: 13px sans-serif; }\n"
    "text { fill: #222; } .soft { fill: #555; } .axis { stroke: #555; } .grid { stroke: #ddd; }\n"
    "path, polyline { fill: none; stroke-width: 2; }\n"
    ".s0 { stroke: #0b62a4; } .s1 { stroke: #b3440a; } .s2 { stroke: #1a7f37; }\n"
    ".s3 { stroke: #7a3e9d; } .s4 { stroke: #8a6d00; } .s5 { stroke: #b0195f; }\n"
    ".s6 { stroke: #00727d; } .s7 { stroke: #555; }\n"
    "path.s4, path.s5, path.s6, path.s7 { stroke-dasharray: 6 3; }\n"
    "circle { fill: #fff; stroke-width: 2; } .best { fill: #b3440a; }\n"
    "@media (prefers-color-scheme: dark) {\n"
    "svg { background: #1b1b1b; } text { fill: #eee; } .soft { fill: #bbb; }\n"
    ".axis { stroke: #aaa; } .grid { stroke: #3a3a3a; } circle { fill: #1b1b1b; }\n"
    ".s0 { stroke: #6cb6ff; } .s1 { stroke: #ff9b5e; } .s2 { stroke: #57c96f; }\n"
    ".s3 { stroke: #c79bf0; } .s4 { stroke: #e0c341; } .s5 { stroke: #ff86b9; }\n"
    ".s6 { stroke: #4fd3df; } .s7 { stroke: #bbb; } .best { fill: #ff9b5e; }\n"
    "}\n"
    "</style>\n";

void bx_chart_text(bx_buf *to, double x, double y, const char *how, const char *text)
{
    bx_buf_f(to, "<text x=\"%.1f\" y=\"%.1f\" %s>", x, y, how);
    bx_xml_text(to, bx_str_of(text));
    bx_buf_z(to, "</text>\n");
}

void bx_chart_head(bx_buf *to, unsigned height, const char *title, const char *work)
{
    bx_buf_f(to,
             "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %d %u\" width=\"%d\" "
             "height=\"%u\" role=\"img\">\n<title>",
             BX_PLOT_WIDTH, height, BX_PLOT_WIDTH, height);
    bx_xml_text(to, bx_str_of(title));
    bx_buf_z(to, "</title>\n");
    bx_buf_z(to, style);
    bx_chart_text(to, 12, 20, "font-weight=\"bold\"", title);
    bx_chart_text(to, 12, 37, "class=\"soft\"", work);
}

double bx_chart_x(double share)
{
    return BX_PLOT_LEFT + share * (BX_PLOT_WIDTH - BX_PLOT_LEFT - BX_PLOT_RIGHT);
}

double bx_chart_y(double share)
{
    return BX_PLOT_TOP + (1 - share) * BX_PLOT_HEIGHT;
}

void bx_chart_dot(bx_buf *to, const bx_chart_value *v, size_t point, double x, double y,
                  unsigned series, bool filled)
{
    const bx_sweep_point *p = &v->r->points[point];
    bx_buf_f(to, "<circle class=\"s%u%s\" cx=\"%.1f\" cy=\"%.1f\" r=\"4\"><title>", series,
             filled ? " best" : "", bx_chart_x(x), bx_chart_y(y));
    for (size_t i = 0; i < v->r->keys_n; i++) {
        bx_buf_f(to, "%s%s=", i ? ", " : "", v->r->keys[i]);
        bx_xml_text(to, bx_str_of(p->settings[i]));
    }
    bx_buf_f(to, ": %s</title></circle>\n", p->cells[v->column].value);
}

/* The i-th of the five parts of an axis of values. */
static const char *tick_of(const bx_chart_axis *a, unsigned i, char to[BX_NUMBER])
{
    snprintf(to, BX_NUMBER, "%g", a->most * i / 5);
    return to;
}

void bx_chart_side(bx_buf *to, double middle, const char *name)
{
    char how[96];
    snprintf(how, sizeof how,
             "text-anchor=\"middle\" class=\"soft\" transform=\"rotate(-90 14 %.1f)\"", middle);
    bx_chart_text(to, 14, middle, how, name);
}

static void put_x_axis(bx_buf *to, const bx_chart_axis *x, const char *name)
{
    const double bottom = bx_chart_y(0);
    char number[BX_NUMBER];
    bx_buf_f(to, "<path class=\"axis\" d=\"M%.1f %.1fH%.1f\"/>\n", bx_chart_x(0), bottom,
             bx_chart_x(1));
    for (size_t i = 0; i < x->n; i++)
        bx_chart_text(to, bx_chart_x(bx_chart_place(x, i)), bottom + 18, "text-anchor=\"middle\"",
                      x->settings[i]);
    for (unsigned i = 0; x->n == 0 && i <= 5; i++)
        bx_chart_text(to, bx_chart_x(i / 5.0), bottom + 18, "text-anchor=\"middle\"",
                      tick_of(x, i, number));
    bx_chart_text(to, bx_chart_x(0.5), bottom + 38, "text-anchor=\"middle\" class=\"soft\"", name);
}

static void put_y_axis(bx_buf *to, const bx_chart_axis *y, const char *name)
{
    char number[BX_NUMBER];
    for (unsigned i = 0; i <= 5; i++) {
        double at = bx_chart_y(i / 5.0);
        bx_buf_f(to, "<path class=\"grid\" d=\"M%.1f %.1fH%.1f\"/>\n", bx_chart_x(0), at,
                 bx_chart_x(1));
        bx_chart_text(to, bx_chart_x(0) - 6, at + 4, "text-anchor=\"end\"", tick_of(y, i, number));
    }
    bx_chart_side(to, bx_chart_y(0.5), name);
}

void bx_chart_frame(bx_buf *to, const bx_chart_axis *x, const char *x_name, const bx_chart_axis *y,
                    const char *y_name)
{
    if (y)
        put_y_axis(to, y, y_name);
    put_x_axis(to, x, x_name);
}

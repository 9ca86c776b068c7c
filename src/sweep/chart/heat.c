/* A value over two keys: a cell for each pair of settings, as a colour and a number. */
#include "sweep/chart/kinds.h"
#include "sweep/chart/parts.h"

#include "report/number.h"

#include <stdlib.h>
#include <string.h>

typedef struct heat {
    const bx_sweep_results *r;
    bx_chart_value value;
    size_t x, y; /* keys */
    const char **columns, **rows;
    size_t columns_n, rows_n;
    double least, most;
} heat;

static const char *setting_of(const heat *h, size_t point, size_t key)
{
    const char *is = h->r->points[point].settings[key];
    return is ? is : "";
}

/* A cell has one point: other keys may not vary. */
static int check_other_keys(const heat *h, bx_error *e)
{
    for (size_t i = 0; i < h->r->keys_n; i++)
        for (size_t k = 1; i != h->x && i != h->y && k < h->r->points_n; k++)
            if (strcmp(setting_of(h, 0, i), setting_of(h, k, i)) != 0) {
                bx_fail(e, BX_BAD_INPUT, 0, 0, "a heat map shows two keys, and '%.60s' varies, too",
                        h->r->keys[i]);
                bx_hint(e, "a sweep with one value of it");
                return BX_BAD_INPUT;
            }
    return BX_OK;
}

static size_t find_setting(const char **in, const char *what)
{
    size_t i = 0;
    while (strcmp(in[i], what) != 0)
        i++;
    return i;
}

static void put_cell(const heat *h, size_t point, double width, double height, bx_buf *to)
{
    char number[BX_NUMBER];
    double value,
        x = BX_PLOT_LEFT + width * (double)find_setting(h->columns, setting_of(h, point, h->x));
    double y = BX_PLOT_TOP + height * (double)find_setting(h->rows, setting_of(h, point, h->y));
    const bx_sweep_cell *cell = &h->r->points[point].cells[h->value.column];
    bool is = bx_chart_number(&h->value, point, &value);
    double share = is && h->most > h->least ? (value - h->least) / (h->most - h->least) : 0;
    /* From white to a blue that is dark enough for white text. */
    bx_buf_f(to,
             "<rect x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%.1f\" "
             "fill=\"rgb(%.0f,%.0f,%.0f)\"/>\n",
             x + 1, y + 1, width - 2, height - 2, is ? 240 - 229 * share : 128,
             is ? 245 - 147 * share : 128, is ? 250 - 86 * share : 128);
    bx_chart_text(to, x + width / 2, y + height / 2 + 5,
                  is && share < 0.5 ? "text-anchor=\"middle\" style=\"fill:#111\""
                                    : "text-anchor=\"middle\" style=\"fill:#fff\"",
                  is            ? bx_number_figure(value, number)
                  : cell->state ? cell->state
                                : h->r->points[point].state);
}

static void draw_heat(const heat *h, bx_buf *to)
{
    bx_buf title = {.whole = &to->failed};
    const double width =
        (double)(BX_PLOT_WIDTH - BX_PLOT_LEFT - BX_PLOT_RIGHT) / (double)h->columns_n;
    const double height = 36, bottom = BX_PLOT_TOP + height * (double)h->rows_n;
    bx_chart_name(&h->value, &title);
    bx_chart_head(to, (unsigned)bottom + 60, bx_buf_text(&title), h->r->work ? h->r->work : "");
    for (size_t i = 0; i < h->columns_n; i++)
        bx_chart_text(to, BX_PLOT_LEFT + width * ((double)i + 0.5), bottom + 18,
                      "text-anchor=\"middle\"", h->columns[i]);
    for (size_t i = 0; i < h->rows_n; i++)
        bx_chart_text(to, BX_PLOT_LEFT - 6, BX_PLOT_TOP + height * ((double)i + 0.5) + 5,
                      "text-anchor=\"end\"", h->rows[i]);
    bx_chart_text(to, BX_PLOT_WIDTH / 2.0, bottom + 38, "text-anchor=\"middle\" class=\"soft\"",
                  h->r->keys[h->x]);
    bx_chart_side(to, (BX_PLOT_TOP + bottom) / 2, h->r->keys[h->y]);
    for (size_t i = 0; i < h->r->points_n; i++)
        put_cell(h, i, width, height, to);
    bx_buf_free(&title);
}

static void find_range(heat *h)
{
    double value;
    bool first = true;
    for (size_t i = 0; i < h->r->points_n; i++)
        if (bx_chart_number(&h->value, i, &value)) {
            h->least = first || value < h->least ? value : h->least;
            h->most = first || value > h->most ? value : h->most;
            first = false;
        }
}

int bx_chart_heat(const bx_sweep_results *r, const bx_chart *c, bx_buf *to, bx_error *e)
{
    heat h = {.r = r};
    int code = bx_chart_find_value(r, bx_str_of(c->of), &h.value, e);
    if (!code)
        code = bx_chart_find_key(r, c->over, SIZE_MAX, &h.x, e);
    if (!code)
        code = bx_chart_find_key(r, NULL, h.x, &h.y, e);
    if (!code)
        code = check_other_keys(&h, e);
    if (code)
        return code;
    h.columns = bx_chart_settings(r, h.x, &h.columns_n);
    h.rows = bx_chart_settings(r, h.y, &h.rows_n);
    find_range(&h);
    if (h.columns && h.rows)
        draw_heat(&h, to);
    else
        code = bx_out_of_memory(e);
    free(h.columns);
    free(h.rows);
    return code;
}

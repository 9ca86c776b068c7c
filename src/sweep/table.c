/* The results of a sweep as text and as CSV. */
#include "sweep/table.h"

#include "base/printable.h"
#include "report/number.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- text ---- */

/* A column of the text: a setting, or a value. */
typedef struct shown_column {
    const char *head, *unit;
    size_t key, value; /* its index; SIZE_MAX: it is the other one */
    size_t width;
} shown_column;

static const char *show_cell(const bx_sweep_results *r, const bx_sweep_point *p,
                             const shown_column *c, char to[BX_NUMBER])
{
    if (c->key != SIZE_MAX)
        return p->settings[c->key] ? p->settings[c->key] : "";
    const bx_sweep_cell *cell = &p->cells[c->value];
    if (!cell->value)
        return cell->state ? cell->state : strcmp(p->state, "done") == 0 ? "-" : p->state;
    if (strpbrk(cell->value, ".e") || r->columns[c->value].metric)
        return bx_number_figure(strtod(cell->value, NULL), to);
    return bx_number_whole(strtoull(cell->value, NULL, 10), to);
}

static void measure_column(const bx_sweep_results *r, shown_column *c)
{
    char text[BX_NUMBER];
    size_t unit = strlen(c->unit);
    c->width = strlen(c->head);
    c->width = unit > c->width ? unit : c->width;
    for (size_t i = 0; i < r->points_n; i++) {
        size_t n = strlen(show_cell(r, &r->points[i], c, text));
        c->width = n > c->width ? n : c->width;
    }
}

static void put_field(bx_buf *to, const char *text, size_t width)
{
    bx_buf_f(to, "  %*s", (int)(width - strlen(text)), "");
    bx_buf_name(to, text);
}

static void put_table(const bx_sweep_results *r, const shown_column *keys,
                      const shown_column *values, size_t n, bx_buf *to)
{
    char text[BX_NUMBER];
    for (unsigned line = 0; line < 2; line++) {
        for (size_t i = 0; i < r->keys_n; i++)
            put_field(to, line ? "" : keys[i].head, keys[i].width);
        for (size_t i = 0; i < n; i++)
            put_field(to, line ? values[i].unit : values[i].head, values[i].width);
        bx_buf_z(to, "\n");
    }
    for (size_t k = 0; k < r->points_n; k++) {
        for (size_t i = 0; i < r->keys_n; i++)
            put_field(to, show_cell(r, &r->points[k], &keys[i], text), keys[i].width);
        for (size_t i = 0; i < n; i++)
            put_field(to, show_cell(r, &r->points[k], &values[i], text), values[i].width);
        bx_buf_z(to, "\n");
    }
}

/* Points with the same message, once. */
static void put_messages(const bx_sweep_results *r, bx_buf *to)
{
    for (size_t i = 0; i < r->points_n; i++) {
        const bx_sweep_point *p = &r->points[i];
        size_t same = 0, first = SIZE_MAX;
        for (size_t k = 0; p->message && k < r->points_n; k++)
            if (r->points[k].message && strcmp(r->points[k].message, p->message) == 0 &&
                strcmp(r->points[k].state, p->state) == 0) {
                first = first == SIZE_MAX ? k : first;
                same++;
            }
        if (first != i)
            continue;
        bx_buf_f(to, "\n%zu %s %s, such as", same, same == 1 ? "point" : "points", p->state);
        for (size_t k = 0; k < r->keys_n; k++) {
            bx_buf_f(to, "%s%s=", k ? "," : " ", r->keys[k]);
            bx_buf_name(to, p->settings[k] ? p->settings[k] : "");
        }
        bx_buf_z(to, ":\n  ");
        bx_buf_name(to, p->message);
        bx_buf_z(to, "\n");
    }
}

static void put_tables(const bx_sweep_results *r, shown_column *all, size_t n, unsigned width,
                       bx_buf *to)
{
    size_t keys = 0;
    for (size_t i = 0; i < r->keys_n; i++)
        keys += all[i].width + 2;
    for (size_t from = r->keys_n; from < n;) {
        size_t used = keys, end = from;
        while (end < n && (end == from || used + all[end].width + 2 <= width))
            used += all[end++].width + 2;
        bx_buf_z(to, "\n");
        put_table(r, all, &all[from], end - from, to);
        from = end;
    }
}

/* What people look at first, as far as the machines have it. */
static const char *const few[] = {
    "time_elapsed",       "ipc",       "llc_mpki",     "dram_bytes_read",
    "dram_bytes_written", "bus_bytes", "remote_share", "hitm"};

static bool is_shown(const bx_sweep_results *r, const bx_sweep_column *c)
{
    if (strcmp(r->shows, "few") != 0)
        return c->metric == (strcmp(r->shows, "metrics") == 0);
    for (size_t i = 0; i < sizeof few / sizeof *few; i++)
        if (strcmp(few[i], c->name) == 0)
            return true;
    return false;
}

void bx_sweep_text(const bx_sweep_results *r, unsigned width, bx_buf *to)
{
    shown_column *all = calloc(r->keys_n + r->columns_n + 1, sizeof *all);
    size_t n = 0;
    if (!all) {
        bx_buf_fail(to);
        return;
    }
    for (size_t i = 0; i < r->keys_n; i++)
        all[n++] = (shown_column){.head = r->keys[i], .unit = "", .key = i, .value = SIZE_MAX};
    for (size_t i = 0; i < r->columns_n; i++)
        if (is_shown(r, &r->columns[i]))
            all[n++] = (shown_column){.head = r->columns[i].name,
                                      .unit = r->columns[i].unit,
                                      .key = SIZE_MAX,
                                      .value = i};
    for (size_t i = 0; i < n; i++)
        measure_column(r, &all[i]);
    bx_buf_z(to, "sweep of ");
    bx_buf_name(to, r->work ? r->work : "");
    bx_buf_f(to, ": %zu of %llu points%s\n", r->points_n, (unsigned long long)r->points_all,
             r->complete ? "" : ", not complete");
    put_tables(r, all, n, width, to);
    size_t more = r->keys_n + r->columns_n - n;
    if (more)
        bx_buf_f(to, "\n%zu more value%s: --show FILE -x ,\n", more, more == 1 ? "" : "s");
    put_messages(r, to);
    free(all);
}

/* ---- CSV ---- */

static void put_csv(bx_buf *to, const char *separator, const char *text)
{
    bx_csv_text(to, text ? text : "", separator);
    bx_buf_z(to, separator);
}

void bx_sweep_csv(const bx_sweep_results *r, const char *separator, bx_buf *to)
{
    for (size_t i = 0; i < r->keys_n; i++)
        put_csv(to, separator, r->keys[i]);
    for (size_t i = 0; i < r->columns_n; i++)
        put_csv(to, separator, r->columns[i].name);
    put_csv(to, separator, "machine");
    put_csv(to, separator, "state");
    bx_buf_z(to, "message\n");
    for (size_t k = 0; k < r->points_n; k++) {
        const bx_sweep_point *p = &r->points[k];
        for (size_t i = 0; i < r->keys_n; i++)
            put_csv(to, separator, p->settings[i]);
        for (size_t i = 0; i < r->columns_n; i++)
            put_csv(to, separator, p->cells[i].value ? p->cells[i].value : p->cells[i].state);
        put_csv(to, separator, p->machine);
        put_csv(to, separator, p->state);
        bx_csv_text(to, p->message ? p->message : "", separator);
        bx_buf_z(to, "\n");
    }
    if (!r->complete)
        bx_buf_f(to, "# not complete: %zu of %llu points\n", r->points_n,
                 (unsigned long long)r->points_all);
}

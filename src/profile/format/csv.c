#include "base/printable.h"
#include "profile/format/formats.h"
#include "profile/metric_rows.h"
#include "report/number.h"

#include <math.h>

static void add_key(const bx_profile_column *column, const bx_cell *cell, const char *separator,
                    bx_buf *to)
{
    if (cell->kind == BX_CELL_TEXT)
        bx_csv_text(to, cell->text, separator);
    else if (cell->kind == BX_CELL_NUMBER)
        bx_buf_f(to, column->kind == BX_COLUMN_HEX ? "0x%llx" : "%lld", (long long)cell->number);
}

/* after: what follows the name of each event. */
static void add_heads(const bx_profile_table *t, const char *after, const char *separator,
                      bx_buf *to)
{
    for (uint32_t i = 0; i < t->of->events; i++) {
        if (!t->has[i])
            continue;
        bx_buf name = {0};
        bx_buf_f(&name, "%s%s", t->of->event[i].name, after);
        bx_buf_z(to, separator);
        bx_csv_text(to, bx_buf_text(&name), separator);
        to->failed |= name.failed;
        bx_buf_free(&name);
    }
}

/* count NULL: the fields are empty. */
static void add_values(const bx_profile_table *t, const int64_t *count, const char *separator,
                       bx_buf *to)
{
    for (uint32_t i = 0; i < t->of->events; i++) {
        if (!t->has[i])
            continue;
        bx_buf_z(to, separator);
        if (count)
            bx_buf_f(to, "%lld", (long long)count[i]);
    }
}

/* The metric by which rows are sorted: without and with what was called. */
static void add_metrics(const bx_profile_table *t, double own, double children,
                        const char *separator, bx_buf *to)
{
    char digits[BX_NUMBER];
    bx_buf_z(to, t->metric ? separator : "");
    bx_buf_z(to, t->metric && !isnan(own) ? bx_number_exact(own, digits) : "");
    if (!t->metric || !t->has_children)
        return;
    bx_buf_z(to, separator);
    bx_buf_z(to, isnan(children) ? "" : bx_number_exact(children, digits));
}

static void add_metric_heads(const bx_profile_table *t, const char *separator, bx_buf *to)
{
    if (t->metric)
        bx_buf_f(to, "%s%s", separator, t->sort);
    if (t->metric && t->has_children)
        bx_buf_f(to, "%s%s children", separator, t->sort);
}

static void add_comment(const char *what, const char *text, bx_buf *to)
{
    bx_buf_f(to, "# %s", what);
    bx_buf_name(to, text);
    bx_buf_z(to, "\n");
}

static void add_comments(const bx_profile_table *t, bx_buf *to)
{
    const char *lack;
    for (unsigned i = 0; (lack = bx_profile_lacks(t->of, i)); i++)
        add_comment("", lack, to);
    for (uint32_t i = 0; i < t->of->events; i++)
        if (!t->of->event[i].attributed && t->source == BX_FROM_COST)
            add_comment("not attributed: ", t->of->event[i].name, to);
    for (uint32_t i = 0; i < t->of->findings; i++)
        add_comment("finding: ", t->of->finding[i].text, to);
}

void bx_profile_csv(const bx_profile_table *t, const char *separator, bx_buf *to)
{
    bool tells = t->source == BX_FROM_COST;
    for (unsigned i = 0; i < t->columns; i++) {
        bx_buf_z(to, i ? separator : "");
        bx_csv_text(to, t->column[i].name, separator);
    }
    add_heads(t, "", separator, to);
    if (t->has_children)
        add_heads(t, " children", separator, to);
    if (tells)
        add_heads(t, " by-prefetch", separator, to);
    add_metric_heads(t, separator, to);
    bx_buf_z(to, "\n");
    for (uint32_t i = 0; i < t->rows; i++) {
        for (unsigned k = 0; k < t->columns; k++) {
            bx_buf_z(to, k ? separator : "");
            add_key(&t->column[k], &t->row[i].key[k], separator, to);
        }
        add_values(t, t->row[i].value, separator, to);
        if (t->has_children)
            add_values(t, t->row[i].children, separator, to);
        if (tells)
            add_values(t, t->row[i].by_prefetch, separator, to);
        add_metrics(t, t->row[i].own_metric, t->row[i].metric, separator, to);
        bx_buf_z(to, "\n");
    }
    bx_buf_z(to, "(left out)");
    for (unsigned i = 1; i < t->columns; i++)
        bx_buf_z(to, separator);
    add_values(t, t->other, separator, to);
    if (t->has_children)
        add_values(t, NULL, separator, to);
    if (tells)
        add_values(t, NULL, separator, to);
    add_metrics(t, t->metric ? bx_profile_metric_of(t, t->other) : NAN, NAN, separator, to);
    bx_buf_z(to, "\n");
    add_comments(t, to);
}

/* Intervals as a table: a row for each, with a column for each line of the first screen or for each
 * metric. */
#include "base/printable.h"
#include "report/format/formats.h"
#include "report/format/text_parts.h"

#include <string.h>

enum { TIME = 16, LEAST = 13 /* "<not counted>", "1,234,567,890" */ };

static void set_metric_cell(const bx_record *record, bx_column *to)
{
    const bx_figure *f = &record->figure;
    *to = (bx_column){.head = f->name,
                      .unit = f->unit,
                      .value = f->value,
                      .has_value = f->defined,
                      .scaled = f->scaled};
    to->text = f->defined ? bx_number_figure(f->value, to->number) : f->instead;
}

static void set_screen_cell(const bx_report *r, size_t word, bx_column *to)
{
    bx_screen_line line;
    *to =
        (bx_column){.head = r->of->screen[word], .unit = "", .text = bx_state_text(BX_NOT_COUNTED)};
    if (!bx_screen_line_of(r, word, &line))
        return;
    to->head = line.word;
    to->unit = line.unit;
    to->scaled = line.scaled;
    to->value = line.value;
    to->has_value = !line.instead;
    to->text = bx_screen_number(&line, to->number);
}

bool bx_column_next(const bx_report *r, const bx_view *v, size_t *at, bx_column *to)
{
    if (v->metric_only) {
        const bx_record *record = bx_report_next(r, v, at);
        if (record)
            set_metric_cell(record, to);
        return record;
    }
    if (*at == r->of->screen_n)
        return false;
    set_screen_cell(r, (*at)++, to);
    return true;
}

static size_t width_of_cell(const bx_column *c)
{
    size_t head = bx_text_width(c->head), unit = bx_text_width(c->unit);
    size_t width = head > unit ? head : unit;
    return width > LEAST ? width : LEAST;
}

static void add_heads(const bx_report *r, const bx_view *v, bool units, bx_buf *to)
{
    bx_column c;
    bx_buf_z(to, "#");
    bx_text_right(to, units ? "" : "time", TIME - 1);
    for (size_t at = 0; bx_column_next(r, v, &at, &c);) {
        bx_buf_z(to, " ");
        bx_text_right(to, units ? c.unit : c.head, width_of_cell(&c));
    }
    bx_text_trim(to);
    bx_buf_z(to, "\n");
}

static void add_begin(const bx_report *r, const bx_view *v, bx_buf *to)
{
    if (r->of->note) {
        bx_buf_name(to, r->of->note);
        bx_buf_z(to, "\n");
    }
    bx_text_undocumented(r, "# ", to);
    bx_text_drivers(r, "# ", to);
    add_heads(r, v, false, to);
    add_heads(r, v, true, to);
}

/* A row says so if one of its values is scaled. */
static void add_row(const bx_report *r, const bx_view *v, bx_buf *to)
{
    char time[BX_NUMBER];
    bool scaled = false;
    bx_column c;
    bx_text_right(to, bx_number_plain(v->at, 9, time), TIME);
    for (size_t at = 0; bx_column_next(r, v, &at, &c); scaled |= c.scaled) {
        bx_buf_z(to, " ");
        bx_text_right(to, c.text, width_of_cell(&c));
    }
    bx_buf_z(to, scaled ? "  (scaled)\n" : "\n");
}

static void add_finish(const bx_report *r, const bx_view *v, bx_buf *to)
{
    (void)v;
    if (r->of->remark)
        bx_text_lines_of(r->of->remark, "# ", to);
}

const bx_report_format bx_columns_format = {
    .begin = add_begin,
    .lines = add_row,
    .finish = add_finish,
};

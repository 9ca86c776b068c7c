#include "report/format/format.h"

#include "report/format/formats.h"

typedef void part(const bx_report *r, const bx_view *v, bx_buf *to);

static const struct {
    part *begin, *lines, *end; /* begin and end may be NULL */
} formats[] = {
    [BX_FORMAT_TEXT] = {bx_text_begin, bx_text_lines, bx_text_end},
    [BX_FORMAT_CSV] = {.lines = bx_csv_lines},
    [BX_FORMAT_JSON] = {.lines = bx_json_lines},
};

void bx_report_begin(const bx_report *r, const bx_view *v, bx_buf *to)
{
    if (formats[v->format].begin)
        formats[v->format].begin(r, v, to);
}

void bx_report_lines(const bx_report *r, const bx_view *v, bx_buf *to)
{
    formats[v->format].lines(r, v, to);
}

void bx_report_end(const bx_report *r, const bx_view *v, bx_buf *to)
{
    if (formats[v->format].end)
        formats[v->format].end(r, v, to);
}

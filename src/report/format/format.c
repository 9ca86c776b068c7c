#include "report/format/format.h"

#include "report/format/formats.h"

typedef void part(const bx_report *r, const bx_view *v, bx_buf *to);

static const struct {
    part *begin, *lines, *end, *finish; /* all but lines may be NULL */
} formats[] = {
    [BX_FORMAT_TEXT] = {bx_text_begin, bx_text_lines, bx_text_end, bx_text_finish},
    [BX_FORMAT_CSV] = {bx_csv_begin, bx_csv_lines, .finish = bx_csv_finish},
    [BX_FORMAT_JSON] = {.lines = bx_json_lines, .finish = bx_json_finish},
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

void bx_report_finish(const bx_report *r, const bx_view *v, bx_buf *to)
{
    if (formats[v->format].finish)
        formats[v->format].finish(r, v, to);
}

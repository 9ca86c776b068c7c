/* Calls the functions of the view's format. */
#include "report/format/format.h"

#include "report/format/formats.h"

static const bx_report_format *const formats[] = {
    [BX_FORMAT_TEXT] = &bx_text_format,
    [BX_FORMAT_CSV] = &bx_csv_format,
    [BX_FORMAT_JSON] = &bx_json_format,
};

void bx_report_begin(const bx_report *r, const bx_view *v, bx_buf *to)
{
    if (formats[v->format]->begin)
        formats[v->format]->begin(r, v, to);
}

void bx_report_lines(const bx_report *r, const bx_view *v, bx_buf *to)
{
    formats[v->format]->lines(r, v, to);
}

void bx_report_end(const bx_report *r, const bx_view *v, bx_buf *to)
{
    if (formats[v->format]->end)
        formats[v->format]->end(r, v, to);
}

void bx_report_finish(const bx_report *r, const bx_view *v, bx_buf *to)
{
    if (formats[v->format]->finish)
        formats[v->format]->finish(r, v, to);
}

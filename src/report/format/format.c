/* Calls the functions of the view's format. */
#include "report/format/format.h"

#include "report/format/formats.h"

static const bx_report_format *const formats[] = {
    [BX_FORMAT_TEXT] = &bx_text_format,
    [BX_FORMAT_CSV] = &bx_csv_format,
    [BX_FORMAT_JSON] = &bx_json_format,
};

static const bx_report_format *format_of(const bx_report *r, const bx_view *v)
{
    if (v->format == BX_FORMAT_TEXT && v->columns && (v->metric_only || r->of->screen_n))
        return &bx_columns_format;
    bool screen = v->format == BX_FORMAT_TEXT && v->screen && r->of->screen_n && !v->interval;
    return screen ? &bx_screen_format : formats[v->format];
}

void bx_report_begin(const bx_report *r, const bx_view *v, bx_buf *to)
{
    if (format_of(r, v)->begin)
        format_of(r, v)->begin(r, v, to);
}

void bx_report_lines(const bx_report *r, const bx_view *v, bx_buf *to)
{
    format_of(r, v)->lines(r, v, to);
}

void bx_report_end(const bx_report *r, const bx_view *v, bx_buf *to)
{
    if (format_of(r, v)->end)
        format_of(r, v)->end(r, v, to);
}

void bx_report_finish(const bx_report *r, const bx_view *v, bx_buf *to)
{
    if (format_of(r, v)->finish)
        format_of(r, v)->finish(r, v, to);
}

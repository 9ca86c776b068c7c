#include "report/format/formats.h"

void bx_report_begin(const bx_report *r, const bx_view *v, bx_buf *to)
{
    if (v->format == BX_FORMAT_TEXT)
        bx_text_begin(r, v, to);
}

void bx_report_lines(const bx_report *r, const bx_view *v, bx_buf *to)
{
    switch (v->format) {
    case BX_FORMAT_TEXT:
        bx_text_lines(r, v, to);
        break;
    case BX_FORMAT_CSV:
        bx_csv_lines(r, v, to);
        break;
    case BX_FORMAT_JSON:
        bx_json_lines(r, v, to);
        break;
    }
}

void bx_report_end(const bx_report *r, const bx_view *v, bx_buf *to)
{
    if (v->format == BX_FORMAT_TEXT)
        bx_text_end(r, v, to);
}

/* The writers of the three formats. */
#ifndef BX_REPORT_FORMAT_FORMATS_H
#define BX_REPORT_FORMAT_FORMATS_H

#include "report/report.h"

void bx_text_begin(const bx_report *r, const bx_view *v, bx_buf *to);
void bx_text_lines(const bx_report *r, const bx_view *v, bx_buf *to);
void bx_text_end(const bx_report *r, const bx_view *v, bx_buf *to);
void bx_text_finish(const bx_report *r, const bx_view *v, bx_buf *to);
void bx_csv_begin(const bx_report *r, const bx_view *v, bx_buf *to);
void bx_csv_lines(const bx_report *r, const bx_view *v, bx_buf *to);
void bx_csv_finish(const bx_report *r, const bx_view *v, bx_buf *to);
void bx_json_lines(const bx_report *r, const bx_view *v, bx_buf *to);
void bx_json_finish(const bx_report *r, const bx_view *v, bx_buf *to);

#endif

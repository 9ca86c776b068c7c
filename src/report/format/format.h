/* A report in the format that its view asks for. */
#ifndef BX_REPORT_FORMAT_FORMAT_H
#define BX_REPORT_FORMAT_FORMAT_H

#include "report/report.h"

/* Head, body and foot. Appended to *to, whose `failed` tells that memory ran out. */
void bx_report_begin(const bx_report *r, const bx_view *v, bx_buf *to);
void bx_report_lines(const bx_report *r, const bx_view *v, bx_buf *to);
void bx_report_end(const bx_report *r, const bx_view *v, bx_buf *to);

/* After all intervals and regions: what is to be said of the whole run, and whether it is whole.
 * The report has the time of the whole. */
void bx_report_finish(const bx_report *r, const bx_view *v, bx_buf *to);

#endif

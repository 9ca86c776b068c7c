/* A report in the format that its view asks for. */
#ifndef BX_REPORT_FORMAT_FORMAT_H
#define BX_REPORT_FORMAT_FORMAT_H

#include "report/report.h"

/* Head, body and foot. Appends to *to and sets its `failed` if memory runs out. */
void bx_report_begin(const bx_report *r, const bx_view *v, bx_buf *to);
void bx_report_lines(const bx_report *r, const bx_view *v, bx_buf *to);
void bx_report_end(const bx_report *r, const bx_view *v, bx_buf *to);

/* The lines after all intervals and regions: about the whole run, and whether it is complete. The
 * report then has the time of the whole run. */
void bx_report_finish(const bx_report *r, const bx_view *v, bx_buf *to);

#endif

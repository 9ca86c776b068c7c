/* Parts of lines of text, for people. */
#ifndef BX_REPORT_FORMAT_TEXT_PARTS_H
#define BX_REPORT_FORMAT_TEXT_PARTS_H

#include "report/report.h"

size_t bx_text_width(const char *text); /* characters of a text in UTF-8 */
void bx_text_pad(bx_buf *to, size_t n);
/* Add a text and the blanks before or after it. */
void bx_text_right(bx_buf *to, const char *text, size_t width);
void bx_text_left(bx_buf *to, const char *text, size_t width);
void bx_text_trim(bx_buf *to); /* removes the blanks at the end */

/* Adds text whose line feeds are ours, and ends the line. */
void bx_text_lines_of(const char *text, const char *before, bx_buf *to);

/* What the machine has that no documented part has. */
void bx_text_undocumented(const bx_report *r, const char *before, bx_buf *to);

/* The driver that counted a host's events; with two drivers, the events of each. */
void bx_text_drivers(const bx_report *r, const char *before, bx_buf *to);

#endif

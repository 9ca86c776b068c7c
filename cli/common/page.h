/* Text pages of labels and wrapped text beside them. */
#ifndef BX_CLI_COMMON_PAGE_H
#define BX_CLI_COMMON_PAGE_H

#include "base/buf.h"

/* Appends "label
 *
 *
 *
 *
 *
 *
 *
 * text"; further lines are below the text. Appends nothing if the text is empty. A label of ""
 * continues the row before. */
void bx_page_row(bx_buf *to, const char *label, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* Appends "
 *
 * name
 *
 *
 *
 *
 *
 *
 *
 *
 *
 * text", an item of a list; further lines are below the text. */
void bx_page_item(bx_buf *to, size_t column, const char *text, const char *name, ...)
    __attribute__((format(printf, 4, 5)));

#endif

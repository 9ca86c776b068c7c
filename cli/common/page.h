/* Pages of facts: a label, and beside it text that is broken into lines. */
#ifndef BX_CLI_COMMON_PAGE_H
#define BX_CLI_COMMON_PAGE_H

#include "base/buf.h"

/* Appends "label     text", its further lines below the text. Nothing at all if the text is empty.
 * A label of "" goes on with the one before. */
void bx_page_row(bx_buf *to, const char *label, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* Appends "  name      text": an item of a list, its further lines below the text. */
void bx_page_item(bx_buf *to, size_t column, const char *text, const char *name, ...)
    __attribute__((format(printf, 4, 5)));

#endif

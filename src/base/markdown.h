/* Writes foreign text as Markdown (GitHub's): it cannot become markup, HTML, a mention, or end its
 * cell or line. */
#ifndef BX_BASE_MARKDOWN_H
#define BX_BASE_MARKDOWN_H

#include "base/buf.h"

/* Appends text, also in a cell of a table. */
void bx_markdown_text(bx_buf *to, bx_str text);

/* Appends code, not in a table. */
void bx_markdown_code(bx_buf *to, bx_str text);

#endif

/* Makes text from foreign files safe to print: a terminal would execute control characters. */
#ifndef BX_BASE_PRINTABLE_H
#define BX_BASE_PRINTABLE_H

#include "base/str.h"

/* Length in bytes of the UTF-8 character at the start of s, which is not empty; 0: it is not UTF-8
 * (RFC 3629, section 4). */
size_t bx_character_length(bx_str s);

/* Replaces each byte of a control character (also U+0080 to U+009F) by '?', and each byte that is
 * not UTF-8. */
void bx_printable(char *text, size_t n);

/* The same for text of several lines: line feeds and tabs stay. */
void bx_printable_lines(char *text, size_t n);

#endif

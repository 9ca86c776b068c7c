/* Text from files of others, made safe to print: a terminal executes control characters. */
#ifndef BX_BASE_PRINTABLE_H
#define BX_BASE_PRINTABLE_H

#include "base/str.h"

/* Length in bytes of the UTF-8 character at the start of s, which is not empty; 0 if it is none
 * (RFC 3629, section 4). */
size_t bx_character_length(bx_str s);

/* Writes '?' over each byte of a control character (also U+0080 to U+009F), and over those that are
 * no UTF-8. */
void bx_printable(char *text, size_t n);

/* The same but for line feeds and tabs, in text of several lines. */
void bx_printable_lines(char *text, size_t n);

#endif

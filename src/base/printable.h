/* Makes foreign text safe to print: names that programs, files and users choose. A terminal would
 * execute control characters, and characters that turn the direction of text, or have no width,
 * show something else than what is there. Each kind of output has its functions: these for text,
 * CSV, Markdown and XML, those of base/json.h for JSON. */
#ifndef BX_BASE_PRINTABLE_H
#define BX_BASE_PRINTABLE_H

#include "base/buf.h"

/* Length in bytes of the UTF-8 character at the start of s, which is not empty; 0: it is not UTF-8
 * (RFC 3629, section 4). */
size_t bx_character_length(bx_str s);

/* The code point of the character of that length at the start of s. */
uint32_t bx_code_point(bx_str s, size_t length);

/* Whether the character of that length at the start of s shows itself and nothing else. Line feeds
 * and tabs are not printable. */
bool bx_is_printable(bx_str s, size_t length);

/* Takes the next character of *rest, which is not empty; '?' for each byte of one that is not
 * printable, and for each byte that is not UTF-8. */
bx_str bx_next_printable(bx_str *rest);

/* Appends text in that way. */
void bx_buf_printable(bx_buf *to, bx_str text);
void bx_buf_name(bx_buf *to, const char *name);

/* Replaces the bytes in place, so the text keeps its length. */
void bx_printable(char *text, size_t n);

/* The same for text of several lines: line feeds and tabs stay. */
void bx_printable_lines(char *text, size_t n);

/* Appends text as Markdown (GitHub's), also in a cell of a table: it cannot become markup, HTML, a
 * mention, or end its cell or line. */
void bx_markdown_text(bx_buf *to, bx_str text);

/* Appends code as Markdown, not in a table. */
void bx_markdown_code(bx_buf *to, bx_str text);

/* Appends text as a field of CSV: one that contains the separator's first character or a quote is
 * quoted as in RFC 4180. The separator is not appended. */
void bx_csv_text(bx_buf *to, const char *text, const char *separator);

/* Appends text as XML 1.0, in an attribute or between tags; characters that are not printable,
 * which XML cannot hold, become '?'. */
void bx_xml_text(bx_buf *to, bx_str text);

#endif

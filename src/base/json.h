/* Writing JSON (RFC 8259). */
#ifndef BX_BASE_JSON_H
#define BX_BASE_JSON_H

#include "base/buf.h"

/* Appends s as a JSON string, quotes included. Quotes, backslashes and what is not printable
 * (base/printable.h) are escaped; bytes that are not UTF-8 become U+FFFD. So the text is always
 * valid, and safe on a terminal. */
void bx_json_string(bx_buf *b, bx_str s);

/* Writes members and elements, and the commas between them. `key` is NULL in an array. */
typedef struct bx_json {
    bx_buf *to;
    bool more; /* the next one needs a comma before it */
} bx_json;

void bx_json_open(bx_json *j, const char *key, char bracket);      /* '{' or '[' */
void bx_json_close(bx_json *j, char bracket);                      /* '}' or ']' */
void bx_json_text(bx_json *j, const char *key, const char *value); /* NULL: null */
void bx_json_number(bx_json *j, const char *key, int64_t value);
void bx_json_raw(bx_json *j, const char *key, const char *value); /* value is JSON */
void bx_json_hex(bx_json *j, const char *key, uint64_t value);    /* a string: "0x700" */

#endif

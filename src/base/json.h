/* JSON text: the one thing about writing it that can go wrong is a string. */
#ifndef BX_BASE_JSON_H
#define BX_BASE_JSON_H

#include "base/buf.h"

/* Appends s as a JSON string, quotes included. Control characters, quotes and backslashes are
 * escaped; bytes that are no UTF-8 become U+FFFD, so that the text is valid JSON whatever s holds
 * (RFC 8259). */
void bx_json_string(bx_buf *b, bx_str s);

#endif

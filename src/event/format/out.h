/* Writes text into a caller's buffer. Text that does not fit is only counted. */
#ifndef BX_EVENT_FORMAT_OUT_H
#define BX_EVENT_FORMAT_OUT_H

#include "base/str.h"

typedef struct bx_out {
    char *to;
    size_t room, n; /* n: length of the whole text */
} bx_out;

void bx_out_char(bx_out *o, char ch);
void bx_out_z(bx_out *o, const char *z);
void bx_out_decimal(bx_out *o, uint64_t value);
void bx_out_hex(bx_out *o, uint64_t value); /* "0x1f" */
size_t bx_out_end(bx_out *o);               /* terminates the text with NUL; returns n */

#endif

/* A growing byte buffer for text that is built piece by piece. */
#ifndef BX_BASE_BUF_H
#define BX_BASE_BUF_H

#include "base/str.h"

typedef struct bx_buf {
    char *p; /* NUL-terminated once anything was added, else NULL */
    size_t n, room;
    bool failed; /* memory ran out: the text is incomplete */
    bool *whole; /* NULL, or `failed` of the text that this one will be a part of */
} bx_buf;

void bx_buf_add(bx_buf *b, const char *bytes, size_t n);
void bx_buf_str(bx_buf *b, bx_str s);
void bx_buf_z(bx_buf *b, const char *z);
void bx_buf_f(bx_buf *b, const char *format, ...) __attribute__((format(printf, 2, 3)));
void bx_buf_fail(bx_buf *b);              /* memory ran out for what should have been added */
const char *bx_buf_text(const bx_buf *b); /* what was added so far, "" at first */
void bx_buf_free(bx_buf *b);

#endif

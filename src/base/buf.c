/* A growing byte buffer for text. */
#include "base/buf.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void bx_buf_fail(bx_buf *b)
{
    b->failed = true;
    if (b->whole)
        *b->whole = true;
}

void bx_buf_add(bx_buf *b, const char *bytes, size_t n)
{
    if (b->failed)
        return;
    if (b->room - b->n < n + 1) {
        size_t room = (b->n + n + 1) * 2;
        char *p = realloc(b->p, room);
        if (!p) {
            bx_buf_fail(b);
            return;
        }
        b->p = p;
        b->room = room;
    }
    if (n)
        memcpy(b->p + b->n, bytes, n);
    b->n += n;
    b->p[b->n] = '\0';
}

void bx_buf_str(bx_buf *b, bx_str s)
{
    bx_buf_add(b, s.p, s.n);
}

void bx_buf_z(bx_buf *b, const char *z)
{
    bx_buf_add(b, z, strlen(z));
}

void bx_buf_f(bx_buf *b, const char *format, ...)
{
    char small[256];
    va_list args;
    va_start(args, format);
    int n = vsnprintf(small, sizeof small, format, args);
    va_end(args);
    if (n < 0) {
        bx_buf_fail(b);
    } else if ((size_t)n < sizeof small) {
        bx_buf_add(b, small, (size_t)n);
    } else {
        char *large = malloc((size_t)n + 1);
        if (!large) {
            bx_buf_fail(b);
            return;
        }
        va_start(args, format);
        vsnprintf(large, (size_t)n + 1, format, args);
        va_end(args);
        bx_buf_add(b, large, (size_t)n);
        free(large);
    }
}

const char *bx_buf_text(const bx_buf *b)
{
    return b->p ? b->p : "";
}

void bx_buf_free(bx_buf *b)
{
    free(b->p);
    *b = (bx_buf){0};
}

/* A thread's write-combining buffers. */
#include "machine/program/decode/write_combining.h"

#include <string.h>

static bx_combined take_line(bx_write_combining *w, unsigned i)
{
    bx_combined taken = w->of[i];

    memmove(&w->of[i], &w->of[i + 1], (--w->n - i) * sizeof *w->of);
    return taken;
}

static unsigned find_line(const bx_write_combining *w, uint64_t line)
{
    unsigned i = 0;

    while (i < w->n && w->of[i].line != line)
        i++;
    return i;
}

unsigned bx_write_combine(bx_write_combining *w, unsigned buffers, bx_combined bytes,
                          uint64_t whole, bx_combined leaves[2])
{
    unsigned i = find_line(w, bytes.line), n = 0;

    if (i < w->n)
        bytes.written |= take_line(w, i).written;
    else if (w->n && w->n >= buffers)
        leaves[n++] = take_line(w, 0);
    if (bytes.written == whole)
        leaves[n++] = bytes;
    else
        w->of[w->n++] = bytes;
    return n;
}

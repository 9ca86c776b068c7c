/* Writes text into a caller's buffer. */
#include "event/format/out.h"

void bx_out_char(bx_out *o, char ch)
{
    if (o->n < o->room)
        o->to[o->n] = ch;
    o->n++;
}

void bx_out_z(bx_out *o, const char *z)
{
    while (*z)
        bx_out_char(o, *z++);
}

static void digits(bx_out *o, uint64_t value, unsigned base)
{
    char reversed[20];
    unsigned n = 0;
    do
        reversed[n++] = "0123456789abcdef"[value % base];
    while (value /= base);
    while (n)
        bx_out_char(o, reversed[--n]);
}

void bx_out_decimal(bx_out *o, uint64_t value)
{
    digits(o, value, 10);
}

void bx_out_hex(bx_out *o, uint64_t value)
{
    bx_out_z(o, "0x");
    digits(o, value, 16);
}

size_t bx_out_end(bx_out *o)
{
    if (o->room)
        o->to[o->n < o->room ? o->n : o->room - 1] = '\0';
    return o->n;
}

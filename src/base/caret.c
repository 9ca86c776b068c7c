/* Shows the line with an error, and carets under the span. */
#include "base/error.h"

#include "base/str.h"

#include <string.h>

static bx_str line_around(bx_str text, size_t at)
{
    size_t from = at, to = at;
    while (from > 0 && text.p[from - 1] != '\n')
        from--;
    while (to < text.n && text.p[to] != '\n')
        to++;
    return (bx_str){text.p + from, to - from};
}

struct out {
    char *to;
    size_t room, n;
};

static void put(struct out *o, char c, size_t times)
{
    for (; times; times--, o->n++)
        if (o->n + 1 < o->room)
            o->to[o->n] = c;
}

/* The number of characters. Carets are placed by characters: by bytes, they would shift after a
 * character outside ASCII. */
static size_t characters(bx_str s)
{
    size_t n = 0;
    for (size_t i = 0; i < s.n; i++)
        n += ((unsigned char)s.p[i] & 0xc0) != 0x80;
    return n;
}

size_t bx_error_caret(const bx_error *e, bx_str text, size_t columns, char *to, size_t room)
{
    static const char dots[] = "...";
    struct out o = {.to = to, .room = room};
    size_t at = e->at < text.n ? e->at : text.n;
    bx_str line = line_around(text, at);
    at -= (size_t)(line.p - text.p);
    size_t len = e->len < line.n - at ? e->len : line.n - at;

    /* A long line is shown from a little before the span. */
    size_t skip = 0;
    if (line.n > columns && at + len + 3 > columns)
        skip = at > columns / 4 ? at - columns / 4 : 0;
    bx_str shown = bx_str_sub(line, skip, columns);
    if (skip) {
        for (size_t i = 0; i < 3; i++)
            put(&o, dots[i], 1);
    }
    for (size_t i = 0; i < shown.n; i++)
        put(&o, (unsigned char)shown.p[i] < ' ' ? ' ' : shown.p[i], 1);
    put(&o, '\n', 1);
    put(&o, ' ', (skip ? 3 : 0) + characters(bx_str_sub(shown, 0, at - skip)));
    size_t carets = characters(bx_str_sub(shown, at - skip, len));
    put(&o, '^', carets ? carets : 1);
    if (room)
        to[o.n < room ? o.n : room - 1] = '\0';
    return o.n;
}

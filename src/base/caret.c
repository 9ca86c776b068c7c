/* Shows the line with an error, and carets under the span. */
#include "base/error.h"

#include "base/printable.h"

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

static void put_out(struct out *o, bx_str s)
{
    for (size_t i = 0; i < s.n; i++, o->n++)
        if (o->n + 1 < o->room)
            o->to[o->n] = s.p[i];
}

static void repeat(struct out *o, const char *c, size_t times)
{
    while (times-- > 0)
        put_out(o, (bx_str){c, 1});
}

/* Puts text so that it is safe to print, and each of its characters takes a column. Returns their
 * number. Carets are placed by characters: by bytes, they would shift after a character outside
 * ASCII. */
static size_t put_printable(struct out *o, bx_str s)
{
    size_t n = 0;
    for (; s.n; n++) {
        bool blank =
            (unsigned char)*s.p < ' '; /* such as a tab, whose width depends on where it is */
        bx_str character = bx_next_printable(&s);
        put_out(o, blank ? BX_STR(" ") : character);
    }
    return n;
}

size_t bx_error_caret(const bx_error *e, bx_str text, size_t columns, char *to, size_t room)
{
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
    put_out(&o, skip ? BX_STR("...") : BX_STR(""));
    size_t before = put_printable(&o, bx_str_sub(shown, 0, at - skip));
    size_t carets = put_printable(&o, bx_str_sub(shown, at - skip, len));
    put_printable(&o, bx_str_sub(shown, at - skip + len, shown.n));
    put_out(&o, BX_STR("\n"));
    repeat(&o, " ", (skip ? 3 : 0) + before);
    repeat(&o, "^", carets ? carets : 1);
    if (room)
        to[o.n < room ? o.n : room - 1] = '\0';
    return o.n;
}

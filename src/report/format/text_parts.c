/* Parts of lines of text, for people. */
#include "report/format/text_parts.h"

#include "base/printable.h"

#include <string.h>

size_t bx_text_width(const char *text)
{
    size_t n = 0;
    for (; *text; text++)
        n += (*text & 0xc0) != 0x80;
    return n;
}

void bx_text_pad(bx_buf *to, size_t n)
{
    while (n-- > 0)
        bx_buf_add(to, " ", 1);
}

void bx_text_left(bx_buf *to, const char *text, size_t width)
{
    size_t n = strlen(text); /* that of its printable form, too */
    bx_buf_name(to, text);
    bx_text_pad(to, n < width ? width - n : 0);
}

void bx_text_trim(bx_buf *to)
{
    while (to->n && to->p[to->n - 1] == ' ')
        to->p[--to->n] = '\0';
}

void bx_text_right(bx_buf *to, const char *text, size_t width)
{
    size_t n = bx_text_width(text);
    bx_text_pad(to, n < width ? width - n : 0);
    bx_buf_z(to, text);
}

void bx_text_lines_of(const char *text, const char *before, bx_buf *to)
{
    bx_buf_z(to, before);
    for (bx_str rest = bx_str_of(text); rest.p;) {
        bx_buf_printable(to, bx_str_cut(&rest, '\n'));
        bx_buf_z(to, "\n");
    }
}

void bx_text_undocumented(const bx_report *r, const char *before, bx_buf *to)
{
    if (r->of->undocumented)
        bx_text_lines_of(r->of->undocumented, before, to);
}

void bx_text_drivers(const bx_report *r, const char *before, bx_buf *to)
{
    static const unsigned ways[] = {BX_DRIVER_PERF, BX_DRIVER_REGISTERS};
    unsigned seen = 0;
    for (size_t i = 0; i < r->of->events_n; i++)
        seen |= 1u << r->records[r->sum_of[i]].driver;
    bool mixed = seen >> BX_DRIVER_PERF & seen >> BX_DRIVER_REGISTERS & 1;
    for (size_t w = 0; w < sizeof ways / sizeof *ways; w++) {
        bool begun = false;
        for (size_t i = 0; i < r->of->events_n; i++) {
            const bx_record *record = &r->records[r->sum_of[i]];
            if (record->driver != ways[w] || (begun && !mixed))
                continue;
            if (!begun)
                bx_buf_f(to, "%sthrough %s", before, bx_record_driver(record));
            if (mixed) {
                bx_buf_z(to, begun ? ", " : ": ");
                bx_buf_name(to, record->event);
            }
            begun = true;
        }
        bx_buf_z(to, begun ? "\n" : "");
    }
}

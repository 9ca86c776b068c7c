#include "cli/common/page.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

enum { LABEL = 14, WIDTH = 96 };

/* Cuts off as many words as fit on a line. A word longer than a line gets its own. */
static bx_str line_of(bx_str *text, size_t width)
{
    size_t end = 0, at = 0;
    while (at < text->n && (at <= width || end == 0)) {
        at++;
        if (at == text->n || text->p[at] == ' ')
            end = at <= width || end == 0 ? at : end;
    }
    bx_str line = bx_str_sub(*text, 0, end);
    *text = bx_str_trim(bx_str_sub(*text, end, text->n));
    return line;
}

static void wrap(bx_buf *to, bx_str text, size_t column)
{
    bool first = true;
    do {
        if (!first)
            bx_buf_f(to, "%*s", (int)column, "");
        bx_buf_str(to, line_of(&text, WIDTH - column));
        bx_buf_z(to, "\n");
        first = false;
    } while (text.n);
}

void bx_page_row(bx_buf *to, const char *label, const char *format, ...)
{
    char *text;
    va_list args;
    va_start(args, format);
    int n = vasprintf(&text, format, args);
    va_end(args);
    if (n < 0) {
        to->failed = true;
        return;
    }
    if (n) {
        bx_buf_f(to, "%-*s", LABEL, label);
        wrap(to, (bx_str){text, (size_t)n}, LABEL);
    }
    free(text);
}

void bx_page_item(bx_buf *to, size_t column, const char *text, const char *name, ...)
{
    char *expanded;
    va_list args;
    va_start(args, name);
    int n = vasprintf(&expanded, name, args);
    va_end(args);
    if (n < 0) {
        to->failed = true;
        return;
    }
    size_t used = (size_t)n + 2;
    bx_buf_f(to, "  %s", expanded);
    free(expanded);
    if (used + 2 > column)
        bx_buf_f(to, "\n%*s", (int)column, "");
    else
        bx_buf_f(to, "%*s", (int)(column - used), "");
    wrap(to, bx_str_of(text), column);
}

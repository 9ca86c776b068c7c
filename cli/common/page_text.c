/* Pages as text for a terminal: labels and names, and wrapped text beside them. */
#include "cli/common/page.h"

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

static void row(bx_page *p, const char *label, const char *text)
{
    bx_buf_f(p->to, "%-*s", LABEL, label);
    wrap(p->to, bx_str_of(text), LABEL);
}

static void begin_text(bx_page *p, const char *name, unsigned section, const char *title)
{
    bx_buf_f(p->to, "%s(%u): %s\n", name, section, title);
}

static void title(bx_page *p, const char *title)
{
    bx_buf_f(p->to, "%s%s\n\n", p->to->n ? "\n" : "", title);
}

static void subject(bx_page *p, const char *label, const char *name, const char *title, bool below)
{
    bx_buf text = {.whole = &p->to->failed};
    if (p->to->n >= 2 && p->to->p[p->to->n - 2] != '\n') /* a title ends with a blank line */
        bx_buf_z(p->to, "\n");
    bx_buf_f(&text, below ? "%s" : "%s: %s", name, title);
    row(p, label, bx_buf_text(&text));
    bx_buf_free(&text);
    if (below)
        row(p, "", title);
}

static void paragraph(bx_page *p, const char *text)
{
    wrap(p->to, bx_str_of(text), 0);
}

static void code(bx_page *p, const char *text)
{
    for (bx_str rest = bx_str_of(text); rest.p;) {
        bx_buf_z(p->to, "  ");
        bx_buf_str(p->to, bx_str_cut(&rest, '\n'));
        bx_buf_z(p->to, "\n");
    }
}

static void list(bx_page *p, const char *heading)
{
    if (*heading)
        bx_buf_f(p->to, "%s\n", heading);
}

static void remark(bx_page *p, const char *text)
{
    bx_buf_f(p->to, "  %s\n", text);
}

static void item(bx_page *p, bx_str names, const char *text)
{
    size_t line = p->to->n, column = p->columns->text_at;
    bx_buf_z(p->to, "  ");
    for (size_t i = 0; names.p; i++) {
        bx_str name = bx_str_cut(&names, '\t');
        bx_buf_str(p->to, name);
        if (names.p) {
            size_t width = i < BX_PAGE_CELLS ? p->columns->widths[i] : 0;
            bx_buf_f(p->to, "%*s", name.n < width ? (int)(width - name.n) : 2, "");
        }
    }
    size_t used = p->to->n - line;
    if (used + 2 > column)
        bx_buf_f(p->to, "\n%*s", (int)column, "");
    else
        bx_buf_f(p->to, "%*s", (int)(column - used), "");
    wrap(p->to, bx_str_of(text), column);
}

static void example(bx_page *p, const char *line, const char *does)
{
    bx_buf_f(p->to, "  $ %s\n      %s\n", line, does);
}

const bx_page_form bx_page_as_text = {
    .begin = begin_text,
    .title = title,
    .subject = subject,
    .paragraph = paragraph,
    .code = code,
    .row = row,
    .list = list,
    .remark = remark,
    .item = item,
    .example = example,
};

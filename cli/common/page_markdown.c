/* Pages as Markdown, with the definition lists and targets of MyST. */
#include "cli/common/page.h"

#include <string.h>

/* Adds text, and escapes what would be markup. */
static void add_markdown(bx_buf *to, const char *text)
{
    for (const char *c = text; *c; c++)
        bx_buf_f(to, "%s%c", strchr("\\`*_[]{}<>#|~$&", *c) ? "\\" : "", *c);
}

/* Adds text as code. In a table, a bar is escaped even within code. */
static void add_code(bx_buf *to, bx_str text, bool in_table)
{
    bx_buf_z(to, "`");
    for (size_t i = 0; i < text.n; i++)
        bx_buf_f(to, "%s%c", in_table && text.p[i] == '|' ? "\\" : "", text.p[i]);
    bx_buf_z(to, "`");
}

/* Ends the rows or the list that is open. */
static void close_block(bx_page *p)
{
    if (p->to->n)
        bx_buf_z(p->to, "\n");
}

static void begin_markdown(bx_page *p, const char *name, unsigned section, const char *title)
{
    bx_buf_f(p->to, "# %s(%u)\n\n", name, section);
    add_markdown(p->to, title);
    bx_buf_z(p->to, "\n");
}

static void title(bx_page *p, const char *title)
{
    close_block(p);
    bx_buf_f(p->to, "## %s\n", title);
}

/* The heading is only the name, because links are made from it: see add_target(). */
static void heading(bx_page *p, const char *marks, const char *name, const char *title)
{
    close_block(p);
    bx_buf_f(p->to, "%s ", marks);
    add_code(p->to, bx_str_of(name), false);
    bx_buf_z(p->to, "\n\n");
    add_markdown(p->to, title);
    bx_buf_z(p->to, "\n");
}

static void subject(bx_page *p, const char *label, const char *name, const char *title, bool below)
{
    (void)label;
    (void)below;
    heading(p, "###", name, title);
}

static void part(bx_page *p, const char *name, const char *title)
{
    heading(p, "####", name, title);
}

static void paragraph(bx_page *p, const char *text)
{
    close_block(p);
    add_markdown(p->to, text);
    bx_buf_z(p->to, "\n");
}

static void code(bx_page *p, const char *text)
{
    close_block(p);
    bx_buf_f(p->to, "```text\n%s\n```\n", text);
}

static void row(bx_page *p, const char *label, const char *text)
{
    if (p->open != BX_PAGE_ROWS || *label) {
        close_block(p);
        add_markdown(p->to, label);
        bx_buf_z(p->to, "\n");
    }
    bx_buf_z(p->to, ": ");
    add_markdown(p->to, text);
    bx_buf_z(p->to, "\n");
}

static void list(bx_page *p, const char *heading)
{
    if (*heading) {
        close_block(p);
        bx_buf_z(p->to, "**");
        add_markdown(p->to, heading);
        bx_buf_z(p->to, "**\n");
    }
}

static void remark(bx_page *p, const char *text)
{
    close_block(p);
    add_markdown(p->to, text);
    bx_buf_z(p->to, "\n");
}

static void head_of_table(bx_page *p)
{
    unsigned columns = 1;
    close_block(p);
    bx_buf_z(p->to, "| ");
    for (const char *c = p->columns->heads; *c; c++) {
        columns += *c == '\t';
        bx_buf_f(p->to, *c == '\t' ? " | " : "%c", *c);
    }
    bx_buf_z(p->to, " | |\n|");
    for (unsigned i = 0; i <= columns; i++)
        bx_buf_z(p->to, " --- |");
    bx_buf_z(p->to, "\n");
}

/* Adds the anchor of a subject. MyST, like GitHub, makes it from the heading: small letters,
 * digits, `_` and `-`. */
static void add_target(bx_page *p)
{
    bx_buf_f(p->to, "](%s.md%s", p->link, p->link_subject ? "#" : "");
    for (const char *c = p->link_subject; c && *c; c++)
        if (bx_is_letter(*c) || bx_is_digit(*c) || *c == '-')
            bx_buf_f(p->to, "%c", bx_lower(*c));
    bx_buf_z(p->to, ")");
}

static void item(bx_page *p, bx_str names, const char *text)
{
    if (p->open != BX_PAGE_LIST)
        head_of_table(p);
    bx_buf_z(p->to, "|");
    while (names.p) {
        bx_str name = bx_str_cut(&names, '\t');
        bool link = !names.p && p->link;
        bx_buf_z(p->to, link ? " [" : " ");
        if (name.n)
            add_code(p->to, name, true);
        if (link)
            add_target(p);
        bx_buf_z(p->to, " |");
    }
    bx_buf_z(p->to, " ");
    add_markdown(p->to, text);
    bx_buf_z(p->to, " |\n");
}

static void example(bx_page *p, const char *line, const char *does)
{
    close_block(p);
    add_markdown(p->to, does);
    bx_buf_f(p->to, ":\n\n```console\n$ %s\n```\n", line);
}

const bx_page_form bx_page_as_markdown = {
    .begin = begin_markdown,
    .title = title,
    .subject = subject,
    .part = part,
    .paragraph = paragraph,
    .code = code,
    .row = row,
    .list = list,
    .remark = remark,
    .item = item,
    .example = example,
};

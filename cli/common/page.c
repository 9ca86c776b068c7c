/* Passes the calls of a page to its form: text, manual page or Markdown. */
#include "cli/common/page.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

/* The text of a format, which the caller frees. NULL: out of memory, which is noted in *p. */
static char *expanded(bx_page *p, const char *format, va_list args)
{
    char *text = NULL;
    if (vasprintf(&text, format, args) >= 0)
        return text;
    p->to->failed = true;
    return NULL;
}

void bx_page_begin(bx_page *p, const char *name, unsigned section, const char *title)
{
    p->form->begin(p, name, section, title);
    p->open = BX_PAGE_NOTHING;
}

void bx_page_title(bx_page *p, const char *title)
{
    p->form->title(p, title);
    p->open = BX_PAGE_NOTHING;
}

void bx_page_subject(bx_page *p, const char *label, const char *name, const char *title, bool below)
{
    p->form->subject(p, label, name, title, below);
    p->open = BX_PAGE_NOTHING;
}

void bx_page_part(bx_page *p, const char *name, const char *title)
{
    p->form->part(p, name, title);
    p->open = BX_PAGE_NOTHING;
}

void bx_page_paragraph(bx_page *p, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    char *text = expanded(p, format, args);
    va_end(args);
    if (text && *text) {
        p->form->paragraph(p, text);
        p->open = BX_PAGE_NOTHING;
    }
    free(text);
}

void bx_page_code(bx_page *p, const char *text)
{
    p->form->code(p, text);
    p->open = BX_PAGE_NOTHING;
}

void bx_page_row(bx_page *p, const char *label, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    char *text = expanded(p, format, args);
    va_end(args);
    if (text && *text) {
        p->form->row(p, label, text);
        p->open = BX_PAGE_ROWS;
    }
    free(text);
}

void bx_page_list(bx_page *p, const bx_page_columns *columns, const char *heading)
{
    p->columns = columns;
    p->form->list(p, heading);
    p->open = BX_PAGE_NOTHING;
}

void bx_page_remark(bx_page *p, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    char *text = expanded(p, format, args);
    va_end(args);
    if (text) {
        p->form->remark(p, text);
        p->open = BX_PAGE_NOTHING;
    }
    free(text);
}

void bx_page_item(bx_page *p, const char *text, const char *names, ...)
{
    va_list args;
    va_start(args, names);
    char *cells = expanded(p, names, args);
    va_end(args);
    if (cells) {
        p->form->item(p, bx_str_of(cells), text);
        p->open = BX_PAGE_LIST;
    }
    p->link = NULL;
    free(cells);
}

void bx_page_example(bx_page *p, const char *line, const char *does)
{
    p->form->example(p, line, does);
    p->open = BX_PAGE_NOTHING;
}

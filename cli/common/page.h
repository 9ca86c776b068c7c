/* Pages of facts: titles, rows of a label and a text, lists of names and texts. The same calls
 * write text for a terminal, a manual page in the macros of man(7), or Markdown with MyST's
 * definition lists and targets. */
#ifndef BX_CLI_COMMON_PAGE_H
#define BX_CLI_COMMON_PAGE_H

#include "base/buf.h"

typedef struct bx_page bx_page;

enum { BX_PAGE_CELLS = 4 };

/* The columns of a list. */
typedef struct bx_page_columns {
    const char *heads; /* heads of all columns, separated by tabs: "value\tunit mask" */
    unsigned char widths[BX_PAGE_CELLS]; /* text form: widths of the columns before the last name */
    unsigned char text_at;               /* text form: column of the text beside the names */
    bool apart;                          /* manual page: blank lines between the items */
} bx_page_columns;

/* The functions of a form. Texts are one line, without the form's escapes. */
typedef struct bx_page_form {
    void (*begin)(bx_page *p, const char *name, unsigned section, const char *title);
    void (*title)(bx_page *p, const char *title);
    void (*subject)(bx_page *p, const char *label, const char *name, const char *title, bool below);
    void (*part)(bx_page *p, const char *name, const char *title); /* NULL: it has no parts */
    void (*paragraph)(bx_page *p, const char *text);
    void (*code)(bx_page *p, const char *text);
    void (*row)(bx_page *p, const char *label, const char *text);
    void (*list)(bx_page *p, const char *heading);
    void (*remark)(bx_page *p, const char *text);
    void (*item)(bx_page *p, bx_str names, const char *text);
    void (*example)(bx_page *p, const char *line, const char *does);
} bx_page_form;

extern const bx_page_form bx_page_as_text, bx_page_as_man, bx_page_as_markdown;

enum bx_page_open { BX_PAGE_NOTHING, BX_PAGE_ROWS, BX_PAGE_LIST };

struct bx_page {
    bx_buf *to;
    const bx_page_form *form;
    const bx_page_columns *columns;  /* of the list that is open */
    const char *link, *link_subject; /* target of the next item's last name; NULL: no link */
    unsigned char open;              /* enum bx_page_open */
    bool compact;                    /* manual page: no blank lines between paragraphs */
};

/* A page of text for a terminal, of 96 columns. */
static inline bx_page bx_page_text(bx_buf *to)
{
    return (bx_page){.to = to, .form = &bx_page_as_text};
}

/* Begins a page of the manual: boxscore-skl-cbo(7). */
void bx_page_begin(bx_page *p, const char *name, unsigned section, const char *title);

/* Begins a section. */
void bx_page_title(bx_page *p, const char *title);

/* Begins the facts about one thing: its kind, name and title. below: in text form, the title has
 * its own row. */
void bx_page_subject(bx_page *p, const char *label, const char *name, const char *title,
                     bool below);

/* Begins the facts about a part of this subject, a target of links. Nothing if the form has no
 * parts. */
void bx_page_part(bx_page *p, const char *name, const char *title);

void bx_page_paragraph(bx_page *p, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Writes lines without changes. */
void bx_page_code(bx_page *p, const char *text);

/* Writes a row of a label and a text. Writes nothing if the text is empty. A label of "" continues
 * the row before. */
void bx_page_row(bx_page *p, const char *label, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* Begins a list. heading: "" for none. */
void bx_page_list(bx_page *p, const bx_page_columns *columns, const char *heading);

/* Writes a line between the items of a list, or after them. */
void bx_page_remark(bx_page *p, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Writes an item: one name, or several separated by tabs, and a text beside them. */
void bx_page_item(bx_page *p, const char *text, const char *names, ...)
    __attribute__((format(printf, 3, 4)));

/* Makes the next item's last name a link to a page of the manual, "boxscore-skl-cbo", and there to
 * the facts about a subject; subject NULL: to the page's beginning. */
static inline void bx_page_link(bx_page *p, const char *page, const char *subject)
{
    p->link = page;
    p->link_subject = subject;
}

/* Writes a line for a shell, and what the line does. */
void bx_page_example(bx_page *p, const char *line, const char *does);

#endif

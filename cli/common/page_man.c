/* Pages of the manual, in the macros of man(7). */
#include "cli/common/page.h"

#include <boxscore/boxscore.h>

#include <string.h>

#define RELEASED "2026-11-24" /* date of BX_VERSION */

enum { LABEL = 14, LONG = 20, LONGEST_TAG = 60 };

/* Escapes text for roff: a backslash, a dash, or a control character at the start of a line has a
 * meaning there. breaks: a long word may be broken after a comma and the like. */
static void escape(bx_buf *to, bx_str text, bool breaks)
{
    size_t word = 0; /* letters of the present word */
    bool begins = !to->n || to->p[to->n - 1] == '\n';
    for (size_t i = 0; i < text.n; i++) {
        static const char special[] = "\\-'`^~", *const names[] = {"\\e",   "\\-",   "\\(aq",
                                                                   "\\(ga", "\\(ha", "\\(ti"};
        const char c = text.p[i], *found = c ? strchr(special, c) : NULL;
        if (begins && (c == '.' || c == '\''))
            bx_buf_z(to, "\\&");
        if (found)
            bx_buf_z(to, names[found - special]);
        else
            bx_buf_add(to, &c, 1);
        begins = c == '\n';
        word = c == ' ' ? 0 : word + 1;
        if (breaks && word > LONG && strchr(",/|:=-", c) && i + 1 < text.n)
            bx_buf_z(to, "\\:");
    }
}

static void add_roff(bx_buf *to, bx_str text)
{
    escape(to, text, false);
}

static void add_line(bx_buf *to, const char *text)
{
    escape(to, bx_str_of(text), true);
    bx_buf_z(to, "\n");
}

static void bold_line(bx_buf *to, const char *text)
{
    bx_buf_z(to, "\\fB");
    add_roff(to, bx_str_of(text));
    bx_buf_z(to, "\\fR\n");
}

static void begin_man(bx_page *p, const char *name, unsigned section, const char *title)
{
    static const char *const volumes[] = {[1] = "User Commands", [7] = "Miscellaneous"};
    bx_buf_z(p->to, ".TH ");
    for (const char *c = name; *c; c++)
        bx_buf_f(p->to, "%s%c", *c == '-' ? "\\" : "",
                 *c >= 'a' && *c <= 'z' ? *c - 'a' + 'A' : *c);
    bx_buf_f(p->to,
             " %u \"" RELEASED "\" \"boxscore " BX_VERSION "\" \"%s\"\n.ad l\n.nh\n.SH NAME\n",
             section, volumes[section]);
    add_roff(p->to, bx_str_of(name));
    bx_buf_z(p->to, " \\- ");
    add_line(p->to, title);
}

/* Switches blank lines between paragraphs off or on. */
static void compact(bx_page *p, bool on)
{
    if (p->compact != on)
        bx_buf_z(p->to, on ? ".PD 0\n" : ".PD\n");
    p->compact = on;
}

/* Begins a paragraph. The title has already begun the first paragraph of a section. */
static void begin_paragraph(bx_page *p)
{
    size_t line = p->to->n ? p->to->n - 1 : 0;
    while (line && p->to->p[line - 1] != '\n')
        line--;
    compact(p, false);
    if (!p->to->n || strncmp(p->to->p + line, ".SH ", 4))
        bx_buf_z(p->to, ".PP\n");
}

static void title(bx_page *p, const char *title)
{
    compact(p, false);
    bx_buf_z(p->to, ".SH ");
    for (const char *c = title; *c; c++)
        bx_buf_f(p->to, "%c", *c >= 'a' && *c <= 'z' ? *c - 'a' + 'A' : *c);
    bx_buf_z(p->to, "\n");
}

static void subject(bx_page *p, const char *label, const char *name, const char *title, bool below)
{
    (void)label;
    (void)below;
    compact(p, false);
    bx_buf_z(p->to, ".SS ");
    add_roff(p->to, bx_str_of(name));
    bx_buf_z(p->to, "\n");
    add_line(p->to, title);
}

static void paragraph(bx_page *p, const char *text)
{
    begin_paragraph(p);
    add_line(p->to, text);
}

static void code(bx_page *p, const char *text)
{
    begin_paragraph(p);
    bx_buf_z(p->to, ".nf\n");
    add_roff(p->to, bx_str_of(text));
    bx_buf_z(p->to, "\n.fi\n");
}

static void row(bx_page *p, const char *label, const char *text)
{
    if (p->open != BX_PAGE_ROWS)
        compact(p, false);
    if (*label) {
        bx_buf_f(p->to, ".TP %d\n", LABEL);
        bold_line(p->to, label);
    } else {
        bx_buf_z(p->to, ".br\n");
    }
    add_line(p->to, text);
    compact(p, true);
}

static void list(bx_page *p, const char *heading)
{
    compact(p, false);
    if (*heading) {
        begin_paragraph(p);
        bold_line(p->to, heading);
        compact(p, true);
    }
}

static void remark(bx_page *p, const char *text)
{
    begin_paragraph(p);
    add_line(p->to, text);
    compact(p, true);
}

/* Names other than the last are padded to their widths, so that those of all items align. */
static void add_names(bx_page *p, bx_str names, bool breaks)
{
    for (size_t i = 0; names.p; i++) {
        bx_str name = bx_str_cut(&names, '\t');
        bx_buf_z(p->to, names.p ? "" : "\\fB");
        escape(p->to, name, breaks);
        if (names.p) {
            size_t width = i < BX_PAGE_CELLS ? p->columns->widths[i] : 0;
            for (size_t at = name.n; at < width || at < name.n + 2; at++)
                bx_buf_z(p->to, "\\ ");
        }
    }
    bx_buf_z(p->to, "\\fR\n");
}

/* A tag of TP cannot be broken, so a long name becomes a paragraph. */
static void item(bx_page *p, bx_str names, const char *text)
{
    bool breaks = names.n > LONGEST_TAG;
    if (p->columns->apart)
        compact(p, false);
    if (breaks)
        bx_buf_z(p->to, ".PP\n");
    else
        bx_buf_f(p->to, ".TP %u\n", p->columns->text_at);
    add_names(p, names, breaks);
    if (breaks)
        bx_buf_f(p->to, ".RS %u\n", p->columns->text_at);
    add_line(p->to, text);
    if (breaks)
        bx_buf_z(p->to, ".RE\n");
    compact(p, true);
}

static void example(bx_page *p, const char *line, const char *does)
{
    begin_paragraph(p);
    bx_buf_z(p->to, ".nf\n\\fB$ ");
    add_roff(p->to, bx_str_of(line));
    bx_buf_z(p->to, "\\fR\n.fi\n.RS\n");
    add_line(p->to, does);
    bx_buf_z(p->to, ".RE\n");
}

const bx_page_form bx_page_as_man = {
    .begin = begin_man,
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

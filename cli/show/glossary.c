/* Looks for a term in the tables of GLOSSARY.md: | term | meaning | or | term | Chinese | meaning
 * |. The build makes the file a part of the command. */
#include "cli/show/glossary.h"

#include <string.h>

extern const unsigned char bx_glossary_text[];

enum { CELLS = 3 };

/* A row of a table: its cells, the meaning last. */
typedef struct row {
    bx_str cell[CELLS];
    unsigned n;
} row;

/* The next row of a table from *at on. Heads of tables and the lines below them are no rows. */
static bool next_row(size_t *at, row *to)
{
    const char *text = (const char *)bx_glossary_text;
    while (text[*at]) {
        bx_str line = {text + *at, strcspn(text + *at, "\n")};
        *at += line.n + (text[*at + line.n] == '\n');
        bool head = bx_str_starts_fold(bx_str_of(text + *at), BX_STR("| ---"));
        if (!line.n || line.p[0] != '|' || head || bx_str_starts_fold(line, BX_STR("| ---")))
            continue;
        *to = (row){.n = 0};
        bx_str_cut(&line, '|');
        while (line.p && to->n < CELLS) {
            bx_str cell = bx_str_cut(&line, '|');
            if (line.p)
                to->cell[to->n++] = bx_str_trim(cell);
        }
        if (to->n >= 2)
            return true;
    }
    return false;
}

/* Whether the term is one of those in a cell, which commas separate. */
static bool has_term(bx_str cell, bx_str term, bx_nearest *near)
{
    bool has = false;
    while (cell.p) {
        char name[64];
        bx_str one = bx_str_trim(bx_str_cut(&cell, ','));
        size_t n = one.n < sizeof name ? one.n : sizeof name - 1;
        memcpy(name, one.p, n);
        name[n] = '\0';
        if (n)
            bx_nearest_offer(near, name);
        has |= n && bx_str_eq_fold(one, term);
    }
    return has;
}

static void show_term(bx_page *to, const row *r)
{
    bx_str meaning = r->cell[r->n - 1];
    bx_page_row(to, "term", "%.*s", (int)r->cell[0].n, r->cell[0].p);
    if (r->n == CELLS)
        bx_page_row(to, "Chinese", "%.*s", (int)r->cell[1].n, r->cell[1].p);
    bx_page_row(to, "means", "%.*s", (int)meaning.n, meaning.p);
}

size_t bx_glossary_show(bx_page *to, bx_str term, bx_nearest *near, size_t shown)
{
    size_t found = 0;
    row r;
    for (size_t at = 0; next_row(&at, &r);) {
        bool has = has_term(r.cell[0], term, near);
        has |= r.n == CELLS && has_term(r.cell[1], term, near);
        if (!has)
            continue;
        if (shown + found++)
            bx_buf_z(to->to, "\n");
        show_term(to, &r);
    }
    return found;
}

bool bx_glossary_next(size_t *at, bx_str *term)
{
    row r;
    if (!next_row(at, &r))
        return false;
    *term = bx_str_trim(bx_str_cut(&r.cell[0], ','));
    return true;
}

/* Reads nodes of the tree, and makes messages that point into a file. */
#include "compile/read/notation.h"

#include "base/error.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

const bx_clause *bx_clause_find(const bx_clause *from, const char *word)
{
    while (from && strcmp(from->word, word) != 0)
        from = from->next;
    return from;
}

static const bx_clause *clause_or_head(const bx_syntax_node *node, const char *word)
{
    return word ? bx_clause_find(node->clauses, word) : &node->head;
}

bx_str bx_syntax_arg(const bx_syntax_node *node, const char *word, unsigned i)
{
    const bx_clause *c = clause_or_head(node, word);
    return c && i < c->n ? c->args[i] : (bx_str){NULL, 0};
}

bool bx_syntax_has(const bx_syntax_node *node, const char *word)
{
    return bx_clause_find(node->clauses, word) != NULL;
}

uint64_t bx_syntax_number(const bx_syntax_node *node, const char *word, uint64_t preset)
{
    bx_str s = bx_syntax_arg(node, word, 0);
    return s.p ? bx_form_number(s) : preset;
}

bool bx_syntax_is(const bx_syntax_node *node, const char *keyword)
{
    return node->kind && strcmp(node->kind->name, keyword) == 0;
}

const char *bx_file_ending(const bx_cat_file *file)
{
    static const char *const endings[] = {".cpu", ".pmu", ".metric", "passive"};
    for (size_t i = 0; i < sizeof endings / sizeof *endings; i++) {
        bx_str ending = bx_str_of(endings[i]);
        if (file->name.n >= ending.n &&
            bx_str_eq(bx_str_sub(file->name, file->name.n - ending.n, ending.n), ending))
            return endings[i];
    }
    return NULL;
}

static unsigned line_of(const bx_cat_file *file, size_t offset)
{
    unsigned line = 1;
    for (size_t i = 0; i < offset; i++)
        line += file->text.p[i] == '\n';
    return line;
}

unsigned bx_syntax_line(const bx_syntax_node *node)
{
    return line_of(node->file, (size_t)(node->head.key.p - node->file->text.p));
}

int bx_complain(bx_error *e, const bx_cat_file *file, bx_str at, const char *check,
                const char *format, ...)
{
    if (!e || e->code != BX_OK)
        return BX_BAD_INPUT;
    enum { NAME_MOST = 80 };
    char cause[112];
    va_list args;
    va_start(args, format);
    vsnprintf(cause, sizeof cause, format, args);
    va_end(args);

    size_t offset = at.p ? (size_t)(at.p - file->text.p) : 0, start = offset;
    while (start && file->text.p[start - 1] != '\n')
        start--;
    int name_n = file->name.n < NAME_MOST ? (int)file->name.n : NAME_MOST;
    bx_fail(e, BX_BAD_INPUT, offset, at.n, "%.*s:%u:%zu: %s [%s]", name_n, file->name.p,
            line_of(file, offset), offset - start + 1, cause, check);
    size_t n = strlen(e->message);
    if (n + 40 < sizeof e->message) { /* enough room to show the line */
        size_t columns = (sizeof e->message - n) / 2 - 8;
        e->message[n++] = '\n';
        bx_error_caret(e, file->text, columns, e->message + n, sizeof e->message - n);
    }
    return BX_BAD_INPUT;
}

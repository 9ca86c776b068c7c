/* What all checks use: the place of a row, and how a check fails. */
#include "compile/check/check.h"

#include "base/bits.h"

#include <stdarg.h>
#include <stdio.h>

const bx_syntax_node *bx_check_from(const bx_check *k, enum bx_table_id id, unsigned i)
{
    return k->b->tables[id].from[i];
}

void bx_check_fail(const bx_check *k, const bx_syntax_node *node, const char *word, unsigned arg,
                   const char *format, ...)
{
    char cause[128];
    va_list args;
    va_start(args, format);
    vsnprintf(cause, sizeof cause, format, args);
    va_end(args);
    bx_str at = bx_syntax_arg(node, word, arg);
    if (!at.p && word && bx_syntax_has(node, word))
        at = bx_clause_find(node->clauses, word)->key;
    bx_build_fail(k->b, node, at, k->name, "%s", cause);
}

uint64_t bx_check_field_most(const bx_check *k, uint16_t field)
{
    const bx_cat_field *f = &bx_cat_fields(k->c)[field];
    return bx_mask_width(f->hi - f->lo + 1U);
}

/* Functions that all builders share: rows, texts, names. */
#include "compile/build/build.h"

#include "base/buf.h"
#include "base/nearest.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

void bx_build_fail_memory(bx_build *b)
{
    bx_out_of_memory(b->e);
    b->failed = true;
}

/* Makes a larger copy; the old one stays in the arena until the end. */
static void *grown(bx_build *b, const void *old, size_t used, size_t size)
{
    void *p = bx_arena_get(b->arena, size);
    if (!p)
        bx_build_fail_memory(b);
    else if (used)
        memcpy(p, old, used);
    return p;
}

static void table_grow(bx_build *b, enum bx_table_id id, uint32_t room)
{
    bx_table *t = &b->tables[id];
    size_t size = bx_table_row_size[id];
    void *rows = grown(b, t->rows, t->n * size, room * size);
    void *from = grown(b, t->from, t->n * sizeof *t->from, room * sizeof *t->from);
    if (rows && from)
        *t = (bx_table){.rows = rows, .from = from, .n = t->n, .room = room};
}

void bx_build_start(bx_build *b)
{
    for (int id = 0; id < BX_TABLES; id++)
        table_grow(b, (enum bx_table_id)id, 16);
    if (!bx_pool_start(&b->pool, b->arena, NULL))
        bx_build_fail_memory(b);
}

uint16_t bx_build_add(bx_build *b, enum bx_table_id id, const bx_syntax_node *from)
{
    bx_table *t = &b->tables[id];
    if (t->n >= BX_NONE - 1)
        bx_build_fail(b, from, from->head.key, "size", "more than %d of a kind", BX_NONE - 1);
    else if (t->n == t->room)
        table_grow(b, id, 2 * t->room);
    if (b->failed)
        return 0;
    t->from[t->n] = from;
    return (uint16_t)t->n++;
}

uint16_t bx_build_n(const bx_build *b, enum bx_table_id id)
{
    return (uint16_t)b->tables[id].n;
}

bx_span bx_build_span(const bx_build *b, enum bx_table_id id, uint16_t first)
{
    return (bx_span){first, (uint16_t)(b->tables[id].n - first)};
}

bx_str bx_build_string(const bx_build *b, bx_cat_text t)
{
    return bx_pool_str(&b->pool, t);
}

bx_cat_text bx_build_text(bx_build *b, bx_str s)
{
    bx_cat_text text = b->failed ? 0 : bx_pool_add(&b->pool, s);
    if (!b->failed && (b->pool.full || b->arena->failed))
        bx_build_fail_memory(b);
    return text;
}

bx_cat_text bx_build_clause_text(bx_build *b, const bx_syntax_node *node, const char *word)
{
    return bx_build_text(b, bx_syntax_arg(node, word, 0));
}

bx_cat_text bx_build_notes(bx_build *b, const bx_syntax_node *node)
{
    size_t n = 0;
    const bx_clause *c;
    for (c = bx_clause_find(node->clauses, "note"); c; c = bx_clause_find(c->next, "note"))
        n += c->args[0].n + 2;
    char *joined = n ? grown(b, NULL, 0, n) : NULL;
    if (!joined)
        return 0;
    n = 0;
    for (c = bx_clause_find(node->clauses, "note"); c; c = bx_clause_find(c->next, "note")) {
        if (n) {
            joined[n++] = ';';
            joined[n++] = ' ';
        }
        memcpy(joined + n, c->args[0].p, c->args[0].n);
        n += c->args[0].n;
    }
    return bx_build_text(b, (bx_str){joined, n});
}

bx_cat_text bx_build_also(bx_build *b, const bx_syntax_node *node)
{
    bx_buf names = {0};
    for (unsigned i = 0; bx_syntax_arg(node, "also", i).p; i++) {
        bx_buf_z(&names, i ? " " : "");
        bx_buf_str(&names, bx_syntax_arg(node, "also", i));
    }
    if (names.failed)
        bx_build_fail_memory(b);
    bx_cat_text text = bx_build_text(b, bx_str_of(bx_buf_text(&names)));
    bx_buf_free(&names);
    return text;
}

/* Adds a hint that names the PMU that copies the item: the mistake may be there. */
static void hint_at_heir(bx_error *e, const bx_syntax_node *node)
{
    if (!node->heir)
        return;
    bx_str name = bx_syntax_arg(node->heir, NULL, 0);
    bx_hint(e, "the PMU '%.*s', %.*s:%u, is `like` this one, so it has this line, too",
            BX_QUOTED(name), BX_QUOTED(node->heir->file->name), bx_syntax_line(node->heir));
}

void bx_build_fail(bx_build *b, const bx_syntax_node *node, bx_str at, const char *check,
                   const char *format, ...)
{
    char cause[128];
    va_list args;
    va_start(args, format);
    vsnprintf(cause, sizeof cause, format, args);
    va_end(args);
    if (!b->failed) {
        bx_complain(b->e, node->file, at.p ? at : node->head.key, check, "%s", cause);
        hint_at_heir(b->e, node);
    } else if (b->e) {
        b->e->later = true; /* bx_hint() leaves the first hint */
    }
    b->failed = true;
}

unsigned bx_build_keyword(bx_build *b, const bx_syntax_node *node, bx_str word, const char *what,
                          const char *const *keywords, unsigned n)
{
    bx_nearest nearest = bx_nearest_to(word);
    for (unsigned i = 0; i < n; i++) {
        if (bx_str_eq(word, bx_str_of(keywords[i])))
            return i;
        bx_nearest_offer(&nearest, keywords[i]);
    }
    bx_build_fail(b, node, word, "choice", "no %s is called '%.*s'", what, BX_QUOTED(word));
    bx_nearest_hint(b->e, &nearest);
    return 0;
}

bool bx_build_no_libpfm(bx_build *b, const bx_syntax_node *node, bool or_name)
{
    bx_str name = bx_syntax_arg(node, "libpfm", 0);
    bool none = bx_str_eq(name, BX_STR("none"));
    if (name.p && !none && !or_name)
        bx_build_fail(b, node, name, "choice", "the only word here is 'none'");
    else if (name.p && !bx_form_fits('M', name))
        bx_build_fail(b, node, name, "form", "'%.*s' is not a name", BX_QUOTED(name));
    return none;
}

/* The first braces of a pattern from `from` on, such as "{0..3}"; empty if there are none. */
static bx_str braces(bx_str pattern, size_t from)
{
    ptrdiff_t open = bx_str_find(pattern, '{', from);
    ptrdiff_t close = open < 0 ? -1 : bx_str_find(pattern, '}', (size_t)open);
    return close < 0 ? (bx_str){NULL, 0}
                     : bx_str_sub(pattern, (size_t)open, (size_t)(close - open) + 1);
}

static bx_str inside(bx_str with_braces)
{
    return bx_str_sub(with_braces, 1, with_braces.n - 2);
}

/* The text in braces before a "+8u". The "+8u" adds 8 for each unit and stays for bx_cat_expand().
 */
static bx_str without_step(bx_str in_braces)
{
    return bx_str_cut(&in_braces, '+');
}

/* The pattern with a number in place of a part of it. If the part has a step, the number replaces
 * the text before the step. */
static bx_str replaced(bx_build *b, bx_str pattern, bx_str part, uint64_t n)
{
    char number[24];
    bx_str number_at = without_step(inside(part));
    if (number_at.n < part.n - 2)
        part = number_at;
    size_t digits = (size_t)snprintf(number, sizeof number, "%llu", (unsigned long long)n);
    size_t before = (size_t)(part.p - pattern.p), after = pattern.n - before - part.n;
    char *p = grown(b, NULL, 0, before + digits + after);
    if (!p)
        return pattern;
    memcpy(p, pattern.p, before);
    memcpy(p + before, number, digits);
    memcpy(p + before + digits, part.p + part.n, after);
    return (bx_str){p, before + digits + after};
}

bx_str bx_build_fill(bx_build *b, bx_str pattern, const char *key, uint64_t n)
{
    bx_str part = braces(pattern, 0);
    while (part.p && !bx_str_eq(without_step(inside(part)), bx_str_of(key)))
        part = braces(pattern, (size_t)(part.p - pattern.p) + part.n);
    return part.p ? replaced(b, pattern, part, n) : pattern;
}

/* Whether the braces have a range or a number. A number with a step is the name of a single
 * register. */
static bool is_range(bx_str in_braces)
{
    bx_str range = without_step(in_braces);
    return bx_form_begins('R', range) && bx_form_fits('R', range) &&
           (range.n == in_braces.n || bx_str_find(range, '.', 0) >= 0);
}

static bx_str range_part(bx_str pattern)
{
    bx_str part = braces(pattern, 0);
    while (part.p && !is_range(inside(part)))
        part = braces(pattern, (size_t)(part.p - pattern.p) + part.n);
    return part;
}

bool bx_build_range(bx_str pattern, uint64_t *lo, uint64_t *hi)
{
    bx_str part = range_part(pattern);
    *lo = *hi = 0;
    if (part.p)
        bx_form_pair(without_step(inside(part)), lo, hi);
    return part.p != NULL;
}

bx_str bx_build_fill_range(bx_build *b, bx_str pattern, uint64_t n)
{
    bx_str part = range_part(pattern);
    return part.p ? replaced(b, pattern, part, n) : pattern;
}

/* The name of a row of a table with names, which is its first member. */
static bx_str name_in(const bx_build *b, enum bx_table_id id, uint16_t row)
{
    bx_cat_text name;
    memcpy(&name, b->tables[id].rows + row * bx_table_row_size[id], sizeof name);
    return bx_build_string(b, name);
}

uint16_t bx_build_find(const bx_build *b, enum bx_table_id id, bx_span among, bx_str name)
{
    for (uint16_t i = among.first; i < among.first + among.n; i++)
        if (bx_str_eq(name, name_in(b, id, i)))
            return i;
    return BX_NONE;
}

static void fail_reference(bx_build *b, const bx_syntax_node *node, bx_str at, bx_str name,
                           enum bx_table_id id, bx_span among, const char *what)
{
    bx_nearest nearest = bx_nearest_to(name);
    if (b->failed)
        return;
    for (uint16_t i = among.first; i < among.first + among.n; i++)
        bx_nearest_offer(&nearest, name_in(b, id, i).p);
    bx_build_fail(b, node, at, "reference", "no %s is called '%.*s'", what, BX_QUOTED(name));
    bx_nearest_hint(b->e, &nearest);
}

uint16_t bx_build_find_reg(bx_build *b, const bx_syntax_node *node, uint16_t pmu, bx_str name,
                           bx_str at)
{
    bx_span among = bx_build_span(b, BX_T_REGS, b->cpu_first_reg);
    uint16_t found = BX_NONE;
    for (uint16_t i = among.first; i < among.first + among.n; i++)
        if (bx_str_eq(name, name_in(b, BX_T_REGS, i)) &&
            (found == BX_NONE || BX_ROW(b, bx_cat_reg, BX_T_REGS, i)->pmu == pmu))
            found = i;
    if (found == BX_NONE)
        fail_reference(b, node, at, name, BX_T_REGS, among, "register");
    return found;
}

uint16_t bx_build_find_field(bx_build *b, const bx_syntax_node *node, uint16_t reg, bx_str name,
                             bx_str at)
{
    if (reg == BX_NONE)
        return BX_NONE;
    bx_span among = BX_ROW(b, bx_cat_reg, BX_T_REGS, reg)->fields;
    uint16_t found = bx_build_find(b, BX_T_FIELDS, among, name);
    if (found == BX_NONE)
        fail_reference(b, node, at, name, BX_T_FIELDS, among, "field of the register");
    return found;
}

uint16_t bx_build_resolve(bx_build *b, const bx_syntax_node *node, uint16_t pmu, uint16_t own_reg,
                          bx_str name, bx_str at, uint16_t *reg)
{
    bx_str field = name, owner = bx_str_cut(&field, '.');
    *reg = field.p || own_reg == BX_NONE ? bx_build_find_reg(b, node, pmu, owner, at) : own_reg;
    return bx_build_find_field(b, node, *reg, field.p ? field : owner, at);
}

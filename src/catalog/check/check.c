#include "catalog/check/check.h"

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
    bx_build_fail(k->b, node, bx_syntax_arg(node, word, arg), k->name, "%s", cause);
}

static void run(bx_build *b, const struct bx_catalog *c, const char *name,
                void (*check)(const bx_check *k))
{
    if (!b->failed)
        check(&(bx_check){.name = name, .b = b, .c = c});
}

/* In this order: a later check may rely on what an earlier one has made sure of. Each has a folder
 * of its name under tests/bad that it must refuse; catalog/NOTATION.md says what they are for. */
bool bx_check_all(bx_build *b, const struct bx_catalog *c)
{
    run(b, c, "source", bx_check_source);
    run(b, c, "duplicate", bx_check_duplicate);
    run(b, c, "width", bx_check_field_width);
    run(b, c, "overlap", bx_check_overlap);
    run(b, c, "reset", bx_check_reset);
    run(b, c, "address", bx_check_address);
    run(b, c, "resets", bx_check_resets);
    run(b, c, "extends", bx_check_extends);
    run(b, c, "guard", bx_check_precondition);
    run(b, c, "clears", bx_check_clears);
    run(b, c, "gathers", bx_check_gathers);
    run(b, c, "units", bx_check_units);
    run(b, c, "counter", bx_check_counters);
    run(b, c, "condition", bx_check_conditions);
    run(b, c, "modifier", bx_check_modifier);
    run(b, c, "masked", bx_check_masked);
    run(b, c, "twin", bx_check_twin);
    run(b, c, "value", bx_check_value);
    run(b, c, "shared", bx_check_shared);
    run(b, c, "registers", bx_check_registers);
    run(b, c, "slot", bx_check_slot);
    run(b, c, "hidden", bx_check_hidden);
    run(b, c, "reachable", bx_check_reachable);
    run(b, c, "code", bx_check_code);
    run(b, c, "codes", bx_check_codes);
    run(b, c, "umask", bx_check_umask);
    run(b, c, "bit", bx_check_bit);
    run(b, c, "tally", bx_check_tally);
    run(b, c, "sets", bx_check_sets);
    run(b, c, "group", bx_check_group);
    run(b, c, "needs", bx_check_needs);
    run(b, c, "canonical", bx_check_canonical);
    run(b, c, "shadow", bx_check_shadow);
    run(b, c, "shape", bx_check_shape);
    run(b, c, "event-string", bx_check_strings);
    return !b->failed;
}

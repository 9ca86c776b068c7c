#include "catalog/check.h"

#include <stdarg.h>
#include <stdio.h>

/* In this order: a later check may rely on what an earlier one has made sure of. Each has a folder
 * of its name under tests/bad that it must refuse; catalog/NOTATION.md says what they are for. */
static const struct {
    const char *name;
    void (*run)(const bx_check *k);
} checks[] = {
    {"source", bx_check_source},
    {"duplicate", bx_check_duplicate},
    {"width", bx_check_field_width},
    {"overlap", bx_check_overlap},
    {"kind", bx_check_kinds},
    {"reset", bx_check_reset},
    {"address", bx_check_address},
    {"resets", bx_check_resets},
    {"extends", bx_check_extends},
    {"units", bx_check_units},
    {"counter", bx_check_counters},
    {"condition", bx_check_conditions},
    {"modifier", bx_check_modifier},
    {"shared", bx_check_shared},
    {"hidden", bx_check_hidden},
    {"reachable", bx_check_reachable},
    {"code", bx_check_code},
    {"umask", bx_check_umask},
    {"bit", bx_check_bit},
    {"sets", bx_check_sets},
    {"group", bx_check_group},
    {"needs", bx_check_needs},
    {"canonical", bx_check_canonical},
    {"shadow", bx_check_shadow},
    {"shape", bx_check_shape},
    {"event-string", bx_check_strings},
};

const bx_node *bx_check_from(const bx_check *k, enum bx_table_id id, unsigned i)
{
    return k->b->tables[id].from[i];
}

void bx_check_fail(const bx_check *k, const bx_node *node, const char *word, unsigned arg,
                   const char *format, ...)
{
    char cause[128];
    va_list args;
    va_start(args, format);
    vsnprintf(cause, sizeof cause, format, args);
    va_end(args);
    bx_build_fail(k->b, node, bx_node_arg(node, word, arg), k->name, "%s", cause);
}

bool bx_check_all(bx_build *b, const struct bx_catalog *c)
{
    for (size_t i = 0; i < sizeof checks / sizeof *checks && !b->failed; i++)
        checks[i].run(&(bx_check){.name = checks[i].name, .b = b, .c = c});
    return !b->failed;
}

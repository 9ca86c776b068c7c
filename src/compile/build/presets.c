/* Real processors and memories: values of shape keys under one name. */
#include "compile/build/build.h"

#include "catalog/policies.h"

/* The value of a key: the number of a name, or a number. */
static uint64_t value_of(bx_build *b, const bx_syntax_node *node, bx_str key, bx_str value)
{
    uint64_t number;

    if (!bx_is_named_key(key))
        return bx_form_number(value);
    if (bx_named_number(key, value, &number))
        return number;
    bx_build_fail(b, node, value, "reference", "there is no %s '%.*s'", bx_named_kind(key),
                  (int)value.n, value.p);
    return 0;
}

static void add_value(bx_build *b, const bx_syntax_node *node, bx_span shapes, bx_str setting)
{
    bx_str value = setting, name = bx_str_cut(&value, '=');
    uint16_t shape = bx_build_find(b, BX_T_SHAPES, shapes, name);
    if (shape == BX_NONE) {
        bx_build_fail(b, node, setting, "reference", "the machine string has no key '%.*s'",
                      (int)name.n, name.p);
        return;
    }
    uint16_t i = bx_build_add(b, BX_T_PRESET_VALUES, node);
    *BX_ROW(b, bx_cat_preset_value, BX_T_PRESET_VALUES, i) =
        (bx_cat_preset_value){.value = value_of(b, node, name, value), .shape = shape};
}

static bx_span add_values(bx_build *b, const bx_syntax_node *node, bx_span shapes)
{
    uint16_t first = bx_build_n(b, BX_T_PRESET_VALUES);
    for (const bx_clause *c = bx_clause_find(node->clauses, "sets"); c;
         c = bx_clause_find(c->next, "sets"))
        for (unsigned i = 0; i < c->n; i++)
            add_value(b, node, shapes, c->args[i]);
    return bx_build_span(b, BX_T_PRESET_VALUES, first);
}

static uint16_t find_memory(bx_build *b, const bx_syntax_node *node, bx_span memories)
{
    bx_str name = bx_syntax_arg(node, "fits", 0);
    if (!name.p)
        return BX_NONE;
    uint16_t found = bx_build_find(b, BX_T_PRESETS, memories, name);
    if (found == BX_NONE)
        bx_build_fail(b, node, name, "reference", "there is no memory '%.*s'", (int)name.n, name.p);
    return found;
}

bx_span bx_build_presets(bx_build *b, const bx_syntax_node *file, const char *keyword,
                         bx_span shapes, bx_span memories)
{
    uint16_t first = bx_build_n(b, BX_T_PRESETS);
    for (const bx_syntax_node *node = file->first; node; node = node->next) {
        if (!bx_syntax_is(node, keyword))
            continue;
        bx_cat_preset preset = {
            .name = bx_build_text(b, bx_syntax_arg(node, NULL, 0)),
            .title = bx_build_clause_text(b, node, "title"),
            .source = bx_build_clause_text(b, node, "source"),
            .note = bx_build_notes(b, node),
            .called = bx_build_also(b, node),
            .values = add_values(b, node, shapes),
            .fits = find_memory(b, node, memories),
            .cpu = bx_build_n(b, BX_T_CPUS),
        };
        uint16_t i = bx_build_add(b, BX_T_PRESETS, node);
        *BX_ROW(b, bx_cat_preset, BX_T_PRESETS, i) = preset;
    }
    return bx_build_span(b, BX_T_PRESETS, first);
}

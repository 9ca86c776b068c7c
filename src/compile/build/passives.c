/* Passive registers: MSRs and PCI functions that tools access and that no PMU file describes. */
#include "compile/build/build.h"

static uint16_t add_passive(bx_build *b, const bx_syntax_node *node, bx_cat_passive passive)
{
    uint64_t first, last;
    bx_form_pair(bx_syntax_arg(node, NULL, 0), &first, &last);
    passive.title = bx_build_clause_text(b, node, "title");
    passive.first = (uint32_t)first;
    passive.last = (uint32_t)last;
    passive.preset = bx_syntax_number(node, "preset", 0);
    uint16_t i = bx_build_add(b, BX_T_PASSIVES, node);
    *BX_ROW(b, bx_cat_passive, BX_T_PASSIVES, i) = passive;
    return i;
}

void bx_build_passives(bx_build *b, const bx_syntax_node *file)
{
    for (const bx_syntax_node *node = file->first; node; node = node->next) {
        uint64_t first, last;
        if (!bx_syntax_is(node, "passive"))
            continue;
        bx_form_pair(bx_syntax_arg(node, NULL, 0), &first, &last);
        if (last < first || last > UINT32_MAX) {
            bx_build_fail(b, node, bx_syntax_arg(node, NULL, 0), "range", "no such range of MSRs");
            return;
        }
        add_passive(b, node,
                    (bx_cat_passive){.scope = bx_build_scope(b, node),
                                     .prefetchers = bx_syntax_has(node, "prefetchers")});
    }
}

/* ---- PCI functions ---- */

/* Adds words of configuration space: whole words of 32 bits, which contain the preset. */
static void add_words(bx_build *b, const bx_syntax_node *node)
{
    enum { SPACE = 4096, WORD = 4 };
    uint64_t first, last;
    bx_str range = bx_syntax_arg(node, NULL, 0);
    bx_form_pair(range, &first, &last);
    if (last < first || last >= SPACE || first % WORD || (last + 1) % WORD) {
        bx_build_fail(b, node, range, "range", "no range of whole words within 4096 bytes");
        return;
    }
    const bx_cat_passive words = {.scope = BX_SCOPE_PACKAGE,
                                  .step = bx_syntax_number(node, "stride", 0)};
    uint16_t i = add_passive(b, node, words);
    if (BX_ROW(b, bx_cat_passive, BX_T_PASSIVES, i)->preset > UINT32_MAX || words.step > UINT32_MAX)
        bx_build_fail(b, node, range, "range", "a word has 32 bits");
}

static void add_function(bx_build *b, const bx_syntax_node *node)
{
    enum { KIND_BITS = 24 };
    uint64_t vendor, device;
    bx_form_pair(bx_syntax_arg(node, "device", 0), &vendor, &device);
    uint64_t kind = bx_syntax_number(node, "class", 0);
    if (kind >> KIND_BITS)
        bx_build_fail(b, node, bx_syntax_arg(node, "class", 0), "range", "a class has 24 bits");
    bx_cat_function function = {
        .title = bx_build_clause_text(b, node, "title"),
        .source = bx_build_clause_text(b, node, "source"),
        .address = bx_form_address(bx_syntax_arg(node, NULL, 0)),
        .stride = bx_build_package_stride(b, node, "stride"),
        .vendor = (uint16_t)vendor,
        .device = (uint16_t)device,
        .kind = (uint32_t)kind,
        .passives.first = bx_build_n(b, BX_T_PASSIVES),
    };
    for (const bx_syntax_node *words = node->first; words && !b->failed; words = words->next)
        add_words(b, words);
    function.passives = bx_build_span(b, BX_T_PASSIVES, function.passives.first);
    uint16_t i = bx_build_add(b, BX_T_FUNCTIONS, node);
    *BX_ROW(b, bx_cat_function, BX_T_FUNCTIONS, i) = function;
}

void bx_build_functions(bx_build *b, const bx_syntax_node *file)
{
    for (const bx_syntax_node *node = file->first; node && !b->failed; node = node->next)
        if (bx_syntax_is(node, "function"))
            add_function(b, node);
}

/* Modifiers: named values for fields of a counter's control register, or of a register that the
 * counters of a unit share. */
#include "compile/build/build.h"

#include "base/error.h"

uint16_t bx_build_find_modifier(bx_build *b, const bx_syntax_node *node, uint16_t pmu, bx_str name,
                                bx_str at)
{
    bx_span span = BX_ROW(b, bx_cat_pmu, BX_T_PMUS, pmu)->modifiers;
    uint16_t found = bx_build_find(b, BX_T_MODIFIERS, span, name);
    if (found == BX_NONE)
        bx_build_fail(b, node, at, "reference", "no modifier is called '%.*s'", BX_QUOTED(name));
    return found;
}

uint32_t bx_build_modifier_mask(bx_build *b, const bx_syntax_node *node, uint16_t pmu,
                                const char *word)
{
    uint16_t first = BX_ROW(b, bx_cat_pmu, BX_T_PMUS, pmu)->modifiers.first;
    const bx_clause *c = bx_clause_find(node->clauses, word);
    uint32_t mask = 0;
    for (unsigned i = 0; c && i < c->n && !b->failed; i++) {
        uint16_t modifier = bx_build_find_modifier(b, node, pmu, c->args[i], c->args[i]);
        if (modifier != BX_NONE)
            mask |= UINT32_C(1) << (modifier - first);
    }
    return mask;
}

bx_span bx_build_sets(bx_build *b, const bx_syntax_node *node, uint16_t pmu, const char *word)
{
    const bx_clause *c = bx_clause_find(node->clauses, word);
    uint16_t first = bx_build_n(b, BX_T_SETS);
    for (unsigned i = 0; c && i < c->n; i++) {
        bx_str value = c->args[i], name = bx_str_cut(&value, '=');
        bx_cat_set set = {.modifier = bx_build_find_modifier(b, node, pmu, name, c->args[i]),
                          .value = bx_form_number(value)};
        uint16_t row = bx_build_add(b, BX_T_SETS, node);
        *BX_ROW(b, bx_cat_set, BX_T_SETS, row) = set;
    }
    return bx_build_span(b, BX_T_SETS, first);
}

/* Whether a field selects the privilege levels at which the PMU's counters count. */
static bool is_level(const bx_build *b, uint16_t pmu, uint16_t field)
{
    bx_span counters = BX_ROW(b, bx_cat_pmu, BX_T_PMUS, pmu)->counters;
    for (uint16_t i = counters.first; i < counters.first + counters.n; i++) {
        const bx_cat_counter *counter = BX_ROW(b, bx_cat_counter, BX_T_COUNTERS, i);
        if (field != BX_NONE && (counter->user == field || counter->os == field))
            return true;
    }
    return false;
}

static uint8_t flags_of(const bx_syntax_node *node)
{
    return (uint8_t)((bx_syntax_has(node, "hidden") ? BX_MODIFIER_HIDDEN : 0) |
                     (bx_syntax_has(node, "bits") ? BX_MODIFIER_BITS : 0) |
                     (bx_syntax_has(node, "nodes") ? BX_MODIFIER_NODES : 0) |
                     (bx_syntax_has(node, "unmodelled") ? BX_MODIFIER_UNMODELLED : 0));
}

/* Sets the range of values that libpfm4 accepts, if it is another one. */
static void set_libpfm_range(bx_build *b, const bx_syntax_node *node, bx_cat_modifier *m)
{
    bx_str range = bx_syntax_arg(node, "libpfm", 0);
    uint64_t lo = m->lo;
    m->libpfm_hi = m->hi;
    if (range.p && !bx_form_fits('R', range))
        bx_build_fail(b, node, range, "form", "'%.*s' is not %s", BX_QUOTED(range),
                      bx_form_what('R'));
    else if (range.p)
        bx_form_pair(range, &lo, &m->libpfm_hi);
    if (lo != m->lo)
        bx_build_fail(b, node, range, "range", "both ranges begin with the same number");
}

static void add_modifier(bx_build *b, const bx_syntax_node *node, uint16_t pmu)
{
    bx_str range = bx_syntax_arg(node, "range", 0), field = bx_syntax_arg(node, "field", 0);
    bx_cat_modifier modifier = {
        .name = bx_build_text(b, bx_syntax_arg(node, NULL, 0)),
        .title = bx_build_clause_text(b, node, "title"),
        .kernel = bx_build_clause_text(b, node, "kernel"),
        .likwid = bx_build_clause_text(b, node, "likwid"),
        .pmu = pmu,
        .reg = BX_NONE,
        .flag = bx_syntax_has(node, "flag"),
        .flags = flags_of(node),
        .hi = 1,
        .preset = bx_syntax_number(node, "preset", 0),
        .masked = BX_NONE,
        .twin = BX_NONE,
        .on = bx_build_named_counters(b, node, pmu, "on"),
        .keeps = (uint8_t)bx_syntax_number(node, "keeps", 0),
    };
    if (bx_str_find(field, '.', 0) >= 0)
        modifier.field = bx_build_resolve(b, node, pmu, BX_NONE, field, field, &modifier.reg);
    else
        modifier.field = bx_build_field_of_control(b, node, pmu, field);
    modifier.flags |= is_level(b, pmu, modifier.field) ? BX_MODIFIER_LEVEL : 0;
    if (range.p)
        bx_form_pair(range, &modifier.lo, &modifier.hi);
    if (modifier.flag == (range.p != NULL))
        bx_build_fail(b, node, range, "range", "a modifier is a flag or has a range");
    set_libpfm_range(b, node, &modifier);
    uint16_t row = bx_build_add(b, BX_T_MODIFIERS, node);
    *BX_ROW(b, bx_cat_modifier, BX_T_MODIFIERS, row) = modifier;
}

/* The item that has a modifier's values: its own, or that of the modifier whose twin it is. */
static const bx_syntax_node *node_of_values(const bx_build *b, uint16_t modifier, bx_span all)
{
    const bx_syntax_node *own = b->tables[BX_T_MODIFIERS].from[modifier];
    for (uint16_t i = all.first; !own->first && i < all.first + all.n; i++)
        if (BX_ROW(b, bx_cat_modifier, BX_T_MODIFIERS, i)->twin == modifier)
            return b->tables[BX_T_MODIFIERS].from[i];
    return own;
}

/* The settings of the other modifier's value, for the twins. */
static bx_span sets_of_twins(bx_build *b, bx_span sets)
{
    for (uint16_t i = sets.first; !b->failed && i < sets.first + sets.n; i++) {
        bx_cat_set *set = BX_ROW(b, bx_cat_set, BX_T_SETS, i);
        uint16_t twin = BX_ROW(b, bx_cat_modifier, BX_T_MODIFIERS, set->modifier)->twin;
        set->modifier = twin != BX_NONE ? twin : set->modifier;
    }
    return sets;
}

static bx_span add_values(bx_build *b, uint16_t modifier, uint16_t pmu)
{
    bx_span all = BX_ROW(b, bx_cat_pmu, BX_T_PMUS, pmu)->modifiers;
    const bx_syntax_node *from = node_of_values(b, modifier, all);
    bool shared = from != b->tables[BX_T_MODIFIERS].from[modifier];
    uint16_t first = bx_build_n(b, BX_T_VALUES);
    for (const bx_syntax_node *node = from->first; node && !b->failed; node = node->next) {
        bx_span sets = bx_build_sets(b, node, pmu, "sets");
        bx_cat_value value = {
            .name = bx_build_text(b, bx_syntax_arg(node, NULL, 0)),
            .title = bx_build_clause_text(b, node, "title"),
            .value = bx_form_number(bx_syntax_arg(node, NULL, 1)),
            .sets = shared ? sets_of_twins(b, sets) : sets,
        };
        uint16_t row = bx_build_add(b, BX_T_VALUES, node);
        *BX_ROW(b, bx_cat_value, BX_T_VALUES, row) = value;
    }
    return bx_build_span(b, BX_T_VALUES, first);
}

/* The modifier that a clause names, or BX_NONE. */
static uint16_t named(bx_build *b, const bx_syntax_node *node, uint16_t pmu, const char *word)
{
    bx_str name = bx_syntax_arg(node, word, 0);
    return name.p ? bx_build_find_modifier(b, node, pmu, name, name) : BX_NONE;
}

/* Links a mask. A mask that is not given compares no bit. So if its preset is all ones, a 1 means
 * that a bit is not compared. */
static void link_mask(bx_build *b, uint16_t mask)
{
    bx_cat_modifier *row = BX_ROW(b, bx_cat_modifier, BX_T_MODIFIERS, mask);
    row->flags |= row->preset && row->preset == row->hi ? BX_MODIFIER_IGNORES : 0;
}

/* References from a modifier to others, resolved when all modifiers and their twins are known. */
static void link_modifier(bx_build *b, uint16_t i)
{
    const bx_syntax_node *node = b->tables[BX_T_MODIFIERS].from[i];
    uint16_t pmu = BX_ROW(b, bx_cat_modifier, BX_T_MODIFIERS, i)->pmu;
    uint16_t masked = named(b, node, pmu, "masked");
    bx_span values = add_values(b, i, pmu);
    uint32_t needs = bx_build_modifier_mask(b, node, pmu, "needs");
    bx_span sets = bx_build_sets(b, node, pmu, "sets");
    bx_cat_modifier *row = BX_ROW(b, bx_cat_modifier, BX_T_MODIFIERS, i);
    row->needs = needs;
    row->sets = sets;
    row->masked = masked;
    row->values = values;
    if (masked != BX_NONE)
        link_mask(b, masked);
}

/* Adds the names of other tools that stand for terms, from items of one or two kinds. */
static bx_span add_names(bx_build *b, const bx_syntax_node *file, const char *kind,
                         const char *generic_kind)
{
    uint16_t first = bx_build_n(b, BX_T_OTHER_NAMES);
    for (const bx_syntax_node *node = file->first; node && !b->failed; node = node->next) {
        bool generic = generic_kind && bx_syntax_is(node, generic_kind);
        if (!generic && !bx_syntax_is(node, kind))
            continue;
        bx_cat_other_name name = {
            .name = bx_build_text(b, bx_syntax_arg(node, NULL, 0)),
            .terms = bx_build_text(b, bx_syntax_arg(node, NULL, 1)),
            .generic = generic,
        };
        uint16_t row = bx_build_add(b, BX_T_OTHER_NAMES, node);
        *BX_ROW(b, bx_cat_other_name, BX_T_OTHER_NAMES, row) = name;
    }
    return bx_build_span(b, BX_T_OTHER_NAMES, first);
}

void bx_build_modifiers(bx_build *b, const bx_syntax_node *file, uint16_t pmu)
{
    uint16_t first = bx_build_n(b, BX_T_MODIFIERS);
    for (const bx_syntax_node *node = file->first; node && !b->failed; node = node->next)
        if (bx_syntax_is(node, "modifier"))
            add_modifier(b, node, pmu);
    bx_span span = bx_build_span(b, BX_T_MODIFIERS, first);
    if (span.n > BX_MODIFIERS)
        bx_build_fail(b, file->first, file->first->head.key, "size", "more than %d modifiers",
                      BX_MODIFIERS);
    bx_span perf = add_names(b, file, "perf", "generic");
    bx_span likwid = add_names(b, file, "likwid", NULL);
    BX_ROW(b, bx_cat_pmu, BX_T_PMUS, pmu)->modifiers = span;
    BX_ROW(b, bx_cat_pmu, BX_T_PMUS, pmu)->perf_names = perf;
    BX_ROW(b, bx_cat_pmu, BX_T_PMUS, pmu)->likwid_names = likwid;
    for (uint16_t i = span.first; i < span.first + span.n && !b->failed; i++)
        BX_ROW(b, bx_cat_modifier, BX_T_MODIFIERS, i)->twin =
            named(b, b->tables[BX_T_MODIFIERS].from[i], pmu, "twin");
    for (uint16_t i = span.first; i < span.first + span.n && !b->failed; i++)
        link_modifier(b, i);
}

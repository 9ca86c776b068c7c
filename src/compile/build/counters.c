/* Counters, and the links from a PMU's line to registers. */
#include "compile/build/build.h"

#include "base/bits.h"
#include "base/error.h"

enum { COUNTERS_MOST = 32 }; /* an event's counters are a mask of 32 bits */

/* A counters item with one counter's number filled in. */
struct one {
    const bx_syntax_node *node;
    uint16_t pmu;
    uint64_t n;
};

static bx_str filled(bx_build *b, const struct one *o, const char *word, unsigned arg, bx_str *at)
{
    *at = bx_syntax_arg(o->node, word, arg);
    return at->p ? bx_build_fill(b, *at, "n", o->n) : *at;
}

/* An argument that names a field, of the control register unless it names another one. */
static uint16_t field(bx_build *b, const struct one *o, const char *word, unsigned arg,
                      uint16_t control, uint16_t *reg)
{
    bx_str at, name = filled(b, o, word, arg, &at);
    return name.p ? bx_build_resolve(b, o->node, o->pmu, control, name, at, reg) : BX_NONE;
}

static uint16_t control_field(bx_build *b, const struct one *o, const char *word, unsigned arg,
                              uint16_t control)
{
    uint16_t reg;
    bx_str at = bx_syntax_arg(o->node, word, arg);
    if (at.p && control == BX_NONE) {
        bx_build_fail(b, o->node, at, "control", "%s needs a control register", word);
        return BX_NONE;
    }
    return field(b, o, word, arg, control, &reg);
}

/* A field that several counters share in one register, for a counter without a control register. */
static uint16_t switch_field(bx_build *b, const struct one *o, const char *word, unsigned arg,
                             uint16_t control, uint16_t *reg)
{
    bx_str at = bx_syntax_arg(o->node, word, arg);
    bool elsewhere = bx_str_find(at, '.', 0) >= 0 && bx_syntax_has(o->node, "when");
    if (control == BX_NONE && elsewhere)
        return field(b, o, word, arg, control, reg);
    *reg = control;
    return control_field(b, o, word, arg, control);
}

static void add_condition(bx_build *b, const struct one *o, bx_cat_cond cond)
{
    uint16_t row = bx_build_add(b, BX_T_CONDS, o->node);
    *BX_ROW(b, bx_cat_cond, BX_T_CONDS, row) = cond;
}

/* The bits that let a counter count: first those of the counter alone, then those for several
 * counters, which are set last. */
static bx_span add_conditions(bx_build *b, const struct one *o, uint16_t control)
{
    const bx_clause *c = bx_clause_find(o->node->clauses, "when");
    uint16_t first = bx_build_n(b, BX_T_CONDS);
    for (unsigned i = 0; control == BX_NONE && bx_syntax_arg(o->node, "levels", i).p; i++) {
        bx_cat_cond cond = {.value = 1};
        cond.field = switch_field(b, o, "levels", i, control, &cond.reg);
        add_condition(b, o, cond);
    }
    for (unsigned i = 0; c && i < c->n; i++) {
        bx_str value = c->args[i], name = bx_str_cut(&value, '=');
        bx_cat_cond cond = {.value = bx_form_number(value)};
        cond.field = bx_build_resolve(b, o->node, o->pmu, control,
                                      bx_build_fill(b, name, "n", o->n), c->args[i], &cond.reg);
        add_condition(b, o, cond);
    }
    return bx_build_span(b, BX_T_CONDS, first);
}

static uint8_t tally_bits(bx_build *b, const bx_syntax_node *node)
{
    bx_str bits = bx_syntax_arg(node, "tally", 1);
    uint64_t n = bits.p ? bx_form_number(bits) : 0;
    if (bits.p && (n < 1 || n > 64))
        bx_build_fail(b, node, bits, "width", "a queue tally has 1 to 64 bits");
    return (uint8_t)n;
}

static uint8_t erratum_bits(bx_build *b, const bx_syntax_node *node)
{
    uint64_t n = bx_syntax_number(node, "erratum", 1);
    if (n < 1 || n >= 64)
        bx_build_fail(b, node, bx_syntax_arg(node, "erratum", 0), "range",
                      "1 to 63 of the lowest bits");
    return bx_syntax_has(node, "erratum") ? (uint8_t)n : 0;
}

/* The flags of a counter. A counter that nothing stops is free-running. With `pmi` but without
 * `enable`, an overflow always sets its status bit. */
static uint8_t flags_of(const bx_syntax_node *node)
{
    bool free = bx_syntax_has(node, "fixed") && !bx_syntax_has(node, "control") &&
                !bx_syntax_has(node, "when");
    bool tells = bx_syntax_has(node, "pmi") && bx_syntax_has(node, "overflow");
    return (uint8_t)((bx_syntax_has(node, "fixed") ? BX_COUNTER_FIXED : 0) |
                     (tells ? BX_COUNTER_TELLS : 0) | (free ? BX_COUNTER_FREE : 0));
}

/* The field that enables the effects of an overflow. */
static uint16_t overflow_enable(bx_build *b, const struct one *o, uint16_t control)
{
    bx_str more = bx_syntax_arg(o->node, "pmi", 1);
    if (more.p)
        bx_build_fail(b, o->node, more, "form", "a counter names one field");
    uint16_t reg;
    const char *word = bx_syntax_has(o->node, "pmi") ? "pmi" : "enable";
    return switch_field(b, o, word, 0, control, &reg);
}

static void add_counter(bx_build *b, const struct one *o)
{
    uint16_t reg;
    bx_str at, control = filled(b, o, "control", 0, &at);
    bx_cat_counter counter = {
        .pmu = o->pmu,
        .index = (uint8_t)o->n,
        .width = (uint8_t)bx_syntax_number(o->node, "width", 0),
        .flags = flags_of(o->node),
        .control = control.p ? bx_build_find_reg(b, o->node, o->pmu, control, at) : BX_NONE,
        .likwid = bx_build_text(b, filled(b, o, "likwid", 0, &at)),
        .erratum = erratum_bits(b, o->node),
    };
    counter.value_field = field(b, o, "value", 0, BX_NONE, &counter.value);
    counter.counts = add_conditions(b, o, counter.control);
    counter.edge = control_field(b, o, "edge", 0, counter.control);
    counter.invert = control_field(b, o, "invert", 0, counter.control);
    counter.threshold = control_field(b, o, "threshold", 0, counter.control);
    counter.overflow = field(b, o, "overflow", 0, BX_NONE, &reg);
    counter.overflow_en = overflow_enable(b, o, counter.control);
    counter.user = switch_field(b, o, "levels", 0, counter.control, &reg);
    counter.os = switch_field(b, o, "levels", 1, counter.control, &reg);
    counter.wrap = control_field(b, o, "modes", 0, counter.control);
    counter.mode = control_field(b, o, "modes", 1, counter.control);
    counter.storage = control_field(b, o, "modes", 2, counter.control);
    counter.tally = control_field(b, o, "tally", 0, counter.control);
    counter.tally_bits = tally_bits(b, o->node);
    uint16_t row = bx_build_add(b, BX_T_COUNTERS, o->node);
    *BX_ROW(b, bx_cat_counter, BX_T_COUNTERS, row) = counter;
}

static void add_counters(bx_build *b, const bx_syntax_node *node, uint16_t pmu, uint64_t next)
{
    uint64_t lo, hi, width = bx_syntax_number(node, "width", 0);
    bx_form_pair(bx_syntax_arg(node, NULL, 0), &lo, &hi);
    if (lo != next || hi < lo || hi >= COUNTERS_MOST)
        bx_build_fail(b, node, bx_syntax_arg(node, NULL, 0), "range",
                      "counters are numbered from 0 on, up to %d", COUNTERS_MOST - 1);
    if (width < 1 || width > 64)
        bx_build_fail(b, node, bx_syntax_arg(node, "width", 0), "width",
                      "a counter has 1 to 64 bits");
    for (uint64_t n = lo; n <= hi && !b->failed; n++)
        add_counter(b, &(struct one){.node = node, .pmu = pmu, .n = n});
}

void bx_build_counters(bx_build *b, const bx_syntax_node *file, uint16_t pmu)
{
    uint16_t first = bx_build_n(b, BX_T_COUNTERS);
    for (const bx_syntax_node *node = file->first; node && !b->failed; node = node->next)
        if (bx_syntax_is(node, "counters"))
            add_counters(b, node, pmu, bx_build_span(b, BX_T_COUNTERS, first).n);
    BX_ROW(b, bx_cat_pmu, BX_T_PMUS, pmu)->counters = bx_build_span(b, BX_T_COUNTERS, first);
}

uint16_t bx_build_any_control(const bx_build *b, uint16_t pmu)
{
    bx_span counters = BX_ROW(b, bx_cat_pmu, BX_T_PMUS, pmu)->counters;
    for (uint16_t i = counters.first; i < counters.first + counters.n; i++) {
        uint16_t control = BX_ROW(b, bx_cat_counter, BX_T_COUNTERS, i)->control;
        if (control != BX_NONE)
            return control;
    }
    return BX_NONE;
}

uint16_t bx_build_field_of_control(bx_build *b, const bx_syntax_node *node, uint16_t pmu,
                                   bx_str name)
{
    uint16_t control = bx_build_any_control(b, pmu);
    if (control == BX_NONE) {
        bx_build_fail(b, node, name, "control", "no counter has a control register");
        return BX_NONE;
    }
    return bx_build_find_field(b, node, control, name, name);
}

void bx_build_pmu_links(bx_build *b, const bx_syntax_node *file, uint16_t pmu)
{
    const bx_syntax_node *node = file->first;
    bx_str count = bx_syntax_arg(node, "count", 0);
    bx_cat_pmu *row = BX_ROW(b, bx_cat_pmu, BX_T_PMUS, pmu);
    uint16_t reg;
    if (count.p)
        row->unit_field = bx_build_resolve(b, node, pmu, BX_NONE, count, count, &reg);
    if (bx_syntax_has(node, "select")) {
        row->select_event =
            bx_build_field_of_control(b, node, pmu, bx_syntax_arg(node, "select", 0));
        bx_str umask = bx_syntax_arg(node, "select", 1), more = bx_syntax_arg(node, "select", 2);
        if (umask.p)
            row->select_umask = bx_build_field_of_control(b, node, pmu, umask);
        if (more.p)
            bx_build_fail(b, node, more, "form", "an event has a code and a unit mask, no more");
    }
}

uint32_t bx_build_named_counters(bx_build *b, const bx_syntax_node *node, uint16_t pmu,
                                 const char *word)
{
    unsigned n = BX_ROW(b, bx_cat_pmu, BX_T_PMUS, pmu)->counters.n;
    uint32_t mask = 0;
    for (unsigned i = 0; bx_syntax_arg(node, word, i).p; i++) {
        uint64_t lo, hi;
        bx_form_pair(bx_syntax_arg(node, word, i), &lo, &hi);
        if (hi < lo || hi >= n) {
            bx_build_fail(b, node, bx_syntax_arg(node, word, i), "reference",
                          "the PMU has %u counters", n);
            bx_hint(b->e, "counters count from 0, and a range from the lower to the higher number");
        } else {
            mask |= (uint32_t)bx_mask_bits((unsigned)lo, (unsigned)hi);
        }
    }
    return mask;
}

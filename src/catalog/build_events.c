/* Events and their unit masks. */
#include "catalog/build.h"

#include "base/bits.h"
#include "base/error.h"

static const char *const confidences[] = {
    [BX_SURE] = "sure", [BX_LIKELY] = "likely", [BX_WEAK] = "weak"};

static uint8_t confidence(bx_build *b, const bx_node *node, uint8_t preset)
{
    bx_str word = bx_node_arg(node, "confidence", 0);
    return word.p ? (uint8_t)bx_build_choice(b, node, word, "confidence", confidences, 3) : preset;
}

static uint16_t find_modifier(bx_build *b, const bx_node *node, uint16_t pmu, bx_str name,
                              bx_str at)
{
    bx_span span = BX_ROW(b, bx_cat_pmu, BX_T_PMUS, pmu)->modifiers;
    for (uint16_t i = span.first; i < span.first + span.n; i++)
        if (bx_str_eq(name,
                      bx_build_string(b, BX_ROW(b, bx_cat_modifier, BX_T_MODIFIERS, i)->name)))
            return i;
    bx_build_fail(b, node, at, "reference", "no modifier is called \"%.*s\"", BX_QUOTED(name));
    return BX_NONE;
}

static bx_span add_sets(bx_build *b, const bx_node *node, uint16_t pmu)
{
    const bx_clause *c = bx_clause_find(node->clauses, "sets");
    uint16_t first = bx_build_n(b, BX_T_SETS);
    for (unsigned i = 0; c && i < c->n; i++) {
        bx_str value = c->args[i], name = bx_str_cut(&value, '=');
        bx_cat_set set = {.modifier = find_modifier(b, node, pmu, name, c->args[i]),
                          .value = bx_form_number(value)};
        uint16_t row = bx_build_add(b, BX_T_SETS, node);
        *BX_ROW(b, bx_cat_set, BX_T_SETS, row) = set;
    }
    return bx_build_span(b, BX_T_SETS, first);
}

/* Where the unit masks that follow have their names from. */
struct naming {
    uint8_t rank;
    bx_cat_text source;
};

static void start_names(bx_build *b, const bx_node *node, struct naming *naming)
{
    uint64_t rank = bx_node_number(node, "rank", 0);
    if (rank > UINT8_MAX)
        bx_build_fail(b, node, bx_node_arg(node, "rank", 0), "range", "a rank of at most 255");
    naming->rank = (uint8_t)rank;
    naming->source = bx_build_clause_text(b, node, "source");
}

static void add_umask(bx_build *b, const bx_node *node, uint16_t event, const struct naming *naming)
{
    const bx_cat_event *owner = BX_ROW(b, bx_cat_event, BX_T_EVENTS, event);
    uint16_t pmu = owner->pmu;
    bx_str value = bx_node_arg(node, NULL, 1);
    bx_cat_umask umask = {
        .name = bx_build_text(b, bx_node_arg(node, NULL, 0)),
        .title = bx_build_clause_text(b, node, "title"),
        .source =
            bx_node_has(node, "source") ? bx_build_clause_text(b, node, "source") : naming->source,
        .note = bx_build_notes(b, node),
        .unit = bx_build_clause_text(b, node, "counts"),
        .likwid = bx_build_clause_text(b, node, "likwid"),
        .event = event,
        .value = (uint16_t)bx_form_number(value),
        .rank = naming->rank,
        .flags = (uint8_t)((bx_node_is(node, "bit") ? BX_UMASK_BIT : 0) |
                           (bx_node_has(node, "alias") ? BX_UMASK_ALIAS : 0)),
        .confidence = confidence(b, node, owner->confidence),
        .sets = add_sets(b, node, pmu),
    };
    if (bx_form_number(value) > UINT16_MAX)
        bx_build_fail(b, node, value, "umask", "unit mask beyond 16 bits");
    uint16_t row = bx_build_add(b, BX_T_UMASKS, node);
    *BX_ROW(b, bx_cat_umask, BX_T_UMASKS, row) = umask;
}

static bx_span add_umasks(bx_build *b, const bx_node *event_node, uint16_t event)
{
    uint16_t first = bx_build_n(b, BX_T_UMASKS);
    struct naming naming = {.source = BX_ROW(b, bx_cat_event, BX_T_EVENTS, event)->source};
    for (const bx_node *node = event_node->first; node && !b->failed; node = node->next) {
        if (bx_node_is(node, "names"))
            start_names(b, node, &naming);
        else
            add_umask(b, node, event, &naming);
    }
    return bx_build_span(b, BX_T_UMASKS, first);
}

static uint16_t find_default(bx_build *b, const bx_node *node, bx_span umasks)
{
    bx_str name = bx_node_arg(node, "default", 0);
    if (!name.p)
        return BX_NONE;
    for (uint16_t i = umasks.first; i < umasks.first + umasks.n; i++)
        if (bx_str_eq(name, bx_build_string(b, BX_ROW(b, bx_cat_umask, BX_T_UMASKS, i)->name)))
            return i;
    bx_build_fail(b, node, name, "reference", "no unit mask is called \"%.*s\"", BX_QUOTED(name));
    return BX_NONE;
}

/* The counters that a range names; all of the PMU's if none is given. */
static uint32_t counter_mask(bx_build *b, const bx_node *node, uint16_t pmu)
{
    unsigned n = BX_ROW(b, bx_cat_pmu, BX_T_PMUS, pmu)->counters.n;
    bx_str range = bx_node_arg(node, "counters", 0);
    if (!range.p)
        return (uint32_t)bx_mask_width(n);
    uint64_t lo, hi;
    bx_form_pair(range, &lo, &hi);
    if (hi < lo || hi >= n) {
        bx_build_fail(b, node, range, "reference", "the PMU has %u counters", n);
        return 0;
    }
    return (uint32_t)bx_mask_bits((unsigned)lo, (unsigned)hi);
}

static uint32_t modifier_mask(bx_build *b, const bx_node *node, uint16_t pmu)
{
    bx_span all = BX_ROW(b, bx_cat_pmu, BX_T_PMUS, pmu)->modifiers;
    const bx_clause *c = bx_clause_find(node->clauses, "takes");
    if (!c)
        return (uint32_t)bx_mask_width(all.n);
    if (c->n == 1 && bx_str_eq(c->args[0], BX_STR("none")))
        return 0;
    uint32_t mask = 0;
    for (unsigned i = 0; i < c->n && !b->failed; i++) {
        uint16_t modifier = find_modifier(b, node, pmu, c->args[i], c->args[i]);
        if (modifier != BX_NONE)
            mask |= UINT32_C(1) << (modifier - all.first);
    }
    return mask;
}

static uint16_t small_number(bx_build *b, const bx_node *node, const char *word)
{
    uint64_t n = bx_node_number(node, word, 0);
    if (n > UINT16_MAX)
        bx_build_fail(b, node, bx_node_arg(node, word, 0), "code", "%s beyond 16 bits", word);
    return (uint16_t)n;
}

static void add_event(bx_build *b, const bx_node *node, uint16_t pmu)
{
    bx_cat_event event = {
        .name = bx_build_text(b, bx_node_arg(node, NULL, 0)),
        .title = bx_build_clause_text(b, node, "title"),
        .source = bx_build_clause_text(b, node, "source"),
        .note = bx_build_notes(b, node),
        .alias = bx_build_clause_text(b, node, "also"),
        .kernel = bx_build_clause_text(b, node, "kernel"),
        .unit = bx_build_clause_text(b, node, "counts"),
        .pmu = pmu,
        .code = small_number(b, node, "code"),
        .counters = counter_mask(b, node, pmu),
        .modifiers = modifier_mask(b, node, pmu),
        .max = small_number(b, node, "max"),
        .confidence = confidence(b, node, BX_SURE),
        .umask_default = BX_NONE,
    };
    uint16_t row = bx_build_add(b, BX_T_EVENTS, node);
    *BX_ROW(b, bx_cat_event, BX_T_EVENTS, row) = event;
    event.umasks = add_umasks(b, node, row);
    event.umask_default = find_default(b, node, event.umasks);
    *BX_ROW(b, bx_cat_event, BX_T_EVENTS, row) = event;
}

void bx_build_events(bx_build *b, const bx_node *file, uint16_t pmu)
{
    uint16_t first = bx_build_n(b, BX_T_EVENTS);
    for (const bx_node *node = file->first; node && !b->failed; node = node->next)
        if (bx_node_is(node, "event"))
            add_event(b, node, pmu);
    BX_ROW(b, bx_cat_pmu, BX_T_PMUS, pmu)->events = bx_build_span(b, BX_T_EVENTS, first);
}

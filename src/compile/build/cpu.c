/* A CPU model: its line, its shape, and the items of the package. */
#include "compile/build/build.h"

static const char *const scopes[] = {
    [BX_SCOPE_PACKAGE] = "package", [BX_SCOPE_CORE] = "core", [BX_SCOPE_CPU] = "cpu"};

uint8_t bx_build_scope(bx_build *b, const bx_syntax_node *node)
{
    return (uint8_t)bx_build_keyword(b, node, bx_syntax_arg(node, "scope", 0), "scope", scopes, 3);
}

static bx_span add_ids(bx_build *b, const bx_syntax_node *node, const char *word)
{
    const bx_clause *c = bx_clause_find(node->clauses, word);
    uint16_t first = bx_build_n(b, BX_T_IDS);
    for (unsigned i = 0; c && i < c->n; i++) {
        uint64_t family, model;
        bx_form_pair(c->args[i], &family, &model);
        uint16_t id = bx_build_add(b, BX_T_IDS, node);
        *BX_ROW(b, bx_cat_id, BX_T_IDS, id) = (bx_cat_id){(uint16_t)family, (uint16_t)model};
    }
    return bx_build_span(b, BX_T_IDS, first);
}

static bx_span add_shapes(bx_build *b, const bx_syntax_node *file)
{
    uint16_t first = bx_build_n(b, BX_T_SHAPES);
    for (const bx_syntax_node *node = file->first; node; node = node->next) {
        if (!bx_syntax_is(node, "shape"))
            continue;
        bx_cat_shape shape = {
            .name = bx_build_text(b, bx_syntax_arg(node, NULL, 0)),
            .title = bx_build_clause_text(b, node, "title"),
            .preset = bx_syntax_number(node, "preset", 0),
        };
        bx_form_pair(bx_syntax_arg(node, "range", 0), &shape.lo, &shape.hi);
        uint16_t i = bx_build_add(b, BX_T_SHAPES, node);
        *BX_ROW(b, bx_cat_shape, BX_T_SHAPES, i) = shape;
    }
    bx_span span = bx_build_span(b, BX_T_SHAPES, first);
    if (span.n > BX_SHAPES)
        bx_build_fail(b, file->first, file->first->head.key, "size", "more than %d shape keys",
                      BX_SHAPES);
    return span;
}

static bx_span add_picks(bx_build *b, const bx_syntax_node *file)
{
    uint16_t first = bx_build_n(b, BX_T_PICKS);
    for (const bx_syntax_node *node = file->first; node; node = node->next) {
        if (!bx_syntax_is(node, "pick"))
            continue;
        uint16_t i = bx_build_add(b, BX_T_PICKS, node);
        bx_cat_text event = bx_build_text(b, bx_syntax_arg(node, NULL, 0));
        BX_ROW(b, bx_cat_pick, BX_T_PICKS, i)->event = event;
    }
    return bx_build_span(b, BX_T_PICKS, first);
}

/* The shape key with the delay from an interrupt request to the end of counting; "" if there is
 * none. */
static bx_cat_text freeze_delay(const bx_build *b, bx_span shapes)
{
    uint16_t found = bx_build_find(b, BX_T_SHAPES, shapes, BX_STR("freeze"));
    return found == BX_NONE ? 0 : BX_ROW(b, bx_cat_shape, BX_T_SHAPES, found)->name;
}

/* The stored form of `first`: its number plus 1, or 0. */
static uint16_t mark_of(bx_build *b, const bx_syntax_node *node)
{
    uint64_t number = bx_syntax_number(node, "first", 0);
    if (number >= UINT16_MAX)
        bx_build_fail(b, node, bx_syntax_arg(node, "first", 0), "range", "a number of at most %d",
                      UINT16_MAX - 1);
    return bx_syntax_has(node, "first") ? (uint16_t)(number + 1) : 0;
}

void bx_build_cpu(bx_build *b, const bx_syntax_node *file)
{
    const bx_syntax_node *node = file->first;
    bx_str clock = bx_syntax_arg(node, "clock", 0);
    bx_cat_cpu cpu = {
        .name = bx_build_text(b, bx_syntax_arg(node, NULL, 0)),
        .title = bx_build_clause_text(b, node, "title"),
        .source = bx_build_clause_text(b, node, "source"),
        .note = bx_build_notes(b, node),
        .model = bx_build_clause_text(b, node, "model"),
        .features = bx_build_clause_text(b, node, "features"),
        .called = bx_build_also(b, node),
        .clock = bx_build_text(b, clock.p ? clock : BX_STR("cycles")),
        .ids = add_ids(b, node, "id"),
        .relatives = add_ids(b, node, "relatives"),
        .shapes = add_shapes(b, file),
        .defaults = add_picks(b, file),
        .freeze = BX_NONE,
        .freezes = BX_NONE,
        .wake = BX_NONE,
        .noted = BX_NONE,
        .changed = BX_NONE,
        .first = mark_of(b, node),
    };
    cpu.delay = freeze_delay(b, cpu.shapes);
    cpu.memories = bx_build_presets(b, file, "memory", cpu.shapes, (bx_span){0, 0});
    cpu.parts = bx_build_presets(b, file, "part", cpu.shapes, cpu.memories);
    uint16_t i = bx_build_add(b, BX_T_CPUS, node);
    *BX_ROW(b, bx_cat_cpu, BX_T_CPUS, i) = cpu;
    b->cpu_first_reg = bx_build_n(b, BX_T_REGS);
    b->cpu_first_pmu = bx_build_n(b, BX_T_PMUS);
}

static uint16_t package_field(bx_build *b, const bx_syntax_node *node, const char *word,
                              unsigned arg)
{
    bx_str name = bx_syntax_arg(node, word, arg);
    uint16_t reg;
    return name.p ? bx_build_resolve(b, node, BX_NONE, BX_NONE, name, name, &reg) : BX_NONE;
}

/* The fields "REGISTER.FIELD{0..3}", one for each core, which are consecutive in their register. */
static bx_span link_pmi(bx_build *b, const bx_syntax_node *node)
{
    bx_span span = {0, 0};
    bx_str pattern = bx_syntax_arg(node, "pmi", 0);
    uint64_t lo, hi;
    if (!pattern.p)
        return span;
    if (!bx_build_range(pattern, &lo, &hi) || hi < lo || hi - lo > 255) {
        bx_build_fail(b, node, pattern, "range", "no cores in braces, such as CORE{0..3}");
        return span;
    }
    for (uint64_t n = lo; n <= hi && !b->failed; n++) {
        uint16_t reg;
        bx_str name = bx_build_fill_range(b, pattern, n);
        uint16_t field = bx_build_resolve(b, node, BX_NONE, BX_NONE, name, pattern, &reg);
        if (span.n == 0)
            span.first = field;
        else if (field != span.first + span.n)
            bx_build_fail(b, node, pattern, "range",
                          "the fields are not adjacent in their register");
        span.n++;
    }
    return span;
}

void bx_build_cpu_links(bx_build *b, const bx_syntax_node *file, uint16_t cpu)
{
    const bx_syntax_node *node = file->first;
    bx_cat_cpu *row = BX_ROW(b, bx_cat_cpu, BX_T_CPUS, cpu);
    row->freeze = package_field(b, node, "freeze", 0);
    row->freezes = package_field(b, node, "clears", 0);
    row->wake = package_field(b, node, "wake", 0);
    row->noted = package_field(b, node, "pmi", 1);
    row->changed = package_field(b, node, "overflow", 0);
    row->pmi = link_pmi(b, node);
}

void bx_build_metrics(bx_build *b, const bx_syntax_node *file)
{
    for (const bx_syntax_node *node = file->first; node; node = node->next) {
        if (!bx_syntax_is(node, "metric"))
            continue;
        bx_cat_metric metric = {
            .name = bx_build_text(b, bx_syntax_arg(node, NULL, 0)),
            .title = bx_build_clause_text(b, node, "title"),
            .also = bx_build_also(b, node),
            .note = bx_build_notes(b, node),
            .topics = bx_build_clause_text(b, node, "topics"),
            .means = bx_build_clause_text(b, node, "means"),
            .caution = bx_build_clause_text(b, node, "caution"),
            .source = bx_build_clause_text(b, node, "source"),
            .unit = bx_build_clause_text(b, node, "unit"),
            .formula = bx_build_clause_text(b, node, "formula"),
        };
        uint16_t i = bx_build_add(b, BX_T_METRICS, node);
        *BX_ROW(b, bx_cat_metric, BX_T_METRICS, i) = metric;
    }
}

/* The metrics of the CPU that a group lists. */
static bx_span add_members(bx_build *b, const bx_syntax_node *node, bx_span metrics)
{
    uint16_t first = bx_build_n(b, BX_T_METRIC_MEMBERS);
    bx_str name;
    for (unsigned i = 0; (name = bx_syntax_arg(node, "metrics", i)).p; i++) {
        uint16_t at = metrics.first, end = (uint16_t)(metrics.first + metrics.n);
        while (at < end &&
               !bx_str_eq_fold(bx_build_string(b, BX_ROW(b, bx_cat_metric, BX_T_METRICS, at)->name),
                               name))
            at++;
        if (at == end)
            bx_build_fail(b, node, name, "reference", "there is no such metric");
        uint16_t row = bx_build_add(b, BX_T_METRIC_MEMBERS, node);
        BX_ROW(b, bx_cat_metric_member, BX_T_METRIC_MEMBERS, row)->metric = at;
    }
    return bx_build_span(b, BX_T_METRIC_MEMBERS, first);
}

void bx_build_metric_groups(bx_build *b, const bx_syntax_node *file, bx_span metrics)
{
    for (const bx_syntax_node *node = file->first; node; node = node->next) {
        if (!bx_syntax_is(node, "group"))
            continue;
        bx_cat_metric_group group = {
            .name = bx_build_text(b, bx_syntax_arg(node, NULL, 0)),
            .title = bx_build_clause_text(b, node, "title"),
            .topics = bx_build_clause_text(b, node, "topics"),
            .members = add_members(b, node, metrics),
        };
        uint16_t i = bx_build_add(b, BX_T_METRIC_GROUPS, node);
        *BX_ROW(b, bx_cat_metric_group, BX_T_METRIC_GROUPS, i) = group;
    }
}

/* Checks of names, sources and shapes. */
#include "compile/check/check.h"

#include "base/error.h"

#include <stdio.h>
#include <string.h>

static void fail_source(const bx_check *k, enum bx_table_id id, unsigned i, const char *what)
{
    bx_check_fail(k, bx_check_from(k, id, i), NULL, 0, "this %s names no document", what);
    bx_hint(k->b->e, "add an indented line `source DOCUMENT, TABLE OR PAGE`");
}

void bx_check_source(const bx_check *k)
{
    for (uint16_t i = 0; i < k->c->regs.n; i++)
        if (!bx_cat_regs(k->c)[i].source)
            fail_source(k, BX_T_REGS, i, "register");
    for (uint16_t i = 0; i < k->c->events.n; i++)
        if (!bx_cat_events(k->c)[i].source)
            fail_source(k, BX_T_EVENTS, i, "event");
}

/* Fails because row i has the name of an earlier row. */
static void duplicate(const bx_check *k, enum bx_table_id id, unsigned i, unsigned other)
{
    const bx_syntax_node *first = bx_check_from(k, id, other);
    bx_check_fail(k, bx_check_from(k, id, i), NULL, 0, "this name is taken by %.*s:%u",
                  BX_QUOTED(first->file->name), bx_syntax_line(first));
    if (id == BX_T_CPUS || id == BX_T_PMUS)
        bx_hint(k->b->e, BX_HINT_OWN_NAMES);
}

/* Checks that a name finds its own item; the index finds the first of equal names. */
static void check_leads_back(const bx_check *k, enum bx_table_id id, uint16_t i, uint16_t found)
{
    if (found != i)
        duplicate(k, id, i, found);
}

/* Checks rows of a span whose first member is their name. */
static void check_span(const bx_check *k, enum bx_table_id id, bx_span span, const char *rows)
{
    size_t size = bx_table_row_size[id];
    for (unsigned i = span.first; i < (unsigned)span.first + span.n; i++)
        for (unsigned other = span.first; other < i; other++) {
            bx_cat_text a, b;
            memcpy(&a, rows + i * size, sizeof a);
            memcpy(&b, rows + other * size, sizeof b);
            if (bx_str_eq_fold(bx_cat_str(k->c, a), bx_cat_str(k->c, b)))
                duplicate(k, id, i, other);
        }
}

static void check_registers(const bx_check *k)
{
    const bx_cat_reg *regs = bx_cat_regs(k->c);
    for (uint16_t i = 0; i < k->c->regs.n; i++)
        for (uint16_t other = 0; other < i; other++)
            if (regs[i].name == regs[other].name &&
                bx_cat_pmus(k->c)[regs[i].pmu].cpu == bx_cat_pmus(k->c)[regs[other].pmu].cpu)
                duplicate(k, BX_T_REGS, i, other);
}

static void check_found(const bx_check *k)
{
    const struct bx_catalog *c = k->c;
    for (uint16_t i = 0; i < c->cpus.n; i++)
        check_leads_back(k, BX_T_CPUS, i,
                         bx_cat_find_cpu(c, bx_cat_str(c, bx_cat_cpus(c)[i].name)));
    for (uint16_t i = 0; i < c->pmus.n; i++)
        check_leads_back(k, BX_T_PMUS, i,
                         bx_cat_find_pmu(c, bx_cat_str(c, bx_cat_pmus(c)[i].name)));
    for (uint16_t i = 0; i < c->events.n; i++) {
        const bx_cat_event *e = &bx_cat_events(c)[i];
        check_leads_back(k, BX_T_EVENTS, i, bx_cat_find_event(c, e->pmu, bx_cat_str(c, e->name)));
    }
    for (uint16_t i = 0; i < c->aliases.n; i++) {
        const bx_cat_alias *a = &bx_cat_aliases(c)[i];
        const bx_cat_event *e = &bx_cat_events(c)[a->event];
        if (bx_cat_find_event(c, e->pmu, bx_cat_str(c, a->name)) != a->event)
            bx_check_fail(k, bx_check_from(k, BX_T_ALIASES, i), NULL, 0,
                          "its other name '%s' is taken", bx_cat_z(c, a->name));
    }
    for (uint16_t i = 0; i < c->umasks.n; i++) {
        const bx_cat_umask *u = &bx_cat_umasks(c)[i];
        check_leads_back(k, BX_T_UMASKS, i, bx_cat_find_umask(c, u->event, bx_cat_str(c, u->name)));
        if (u->likwid && bx_cat_find_likwid_umask(c, u->event, bx_cat_str(c, u->likwid)) != i)
            bx_check_fail(k, bx_check_from(k, BX_T_UMASKS, i), "likwid", 0, "this name is taken");
    }
    for (uint16_t i = 0; i < c->modifiers.n; i++) {
        const bx_cat_modifier *m = &bx_cat_modifiers(c)[i];
        check_leads_back(k, BX_T_MODIFIERS, i,
                         bx_cat_find_modifier(c, m->pmu, bx_cat_str(c, m->name)));
    }
}

static bool is_given_before(const bx_check *k, bx_span ids, unsigned i)
{
    const bx_cat_id *id = &bx_cat_ids(k->c)[ids.first];
    unsigned other = 0;
    while (id[other].family != id[i].family || id[other].model != id[i].model)
        other++;
    return other < i;
}

static void fail_id(const bx_check *k, uint16_t cpu, const char *word, unsigned i,
                    const char *cause, const char *hint)
{
    bx_check_fail(k, bx_check_from(k, BX_T_CPUS, cpu), word, i, "%s", cause);
    bx_hint(k->b->e, "%s", hint);
}

/* Checks that a processor is only one CPU of the catalogue, and a relative of others only if it is
 * none. */
static void check_ids(const bx_check *k, uint16_t cpu, const char *word, bx_span ids)
{
    for (unsigned i = 0; i < ids.n; i++) {
        const bx_cat_id *id = &bx_cat_ids(k->c)[ids.first + i];
        uint16_t owner = bx_cat_find_cpu_by_id(k->c, id->family, id->model);
        bool is_relative = bx_str_eq(bx_str_of(word), BX_STR("relatives"));
        if (is_given_before(k, ids, i))
            fail_id(k, cpu, word, i, "this processor is given twice", "take one of them out");
        if (owner == BX_NONE || (owner == cpu && !is_relative))
            continue;
        const bx_syntax_node *node = bx_check_from(k, BX_T_CPUS, owner);
        char cause[100];
        snprintf(cause, sizeof cause, "this is '%s', of %.*s:%u",
                 bx_cat_z(k->c, bx_cat_cpus(k->c)[owner].name), BX_QUOTED(node->file->name),
                 bx_syntax_line(node));
        fail_id(k, cpu, word, i, cause,
                is_relative
                    ? "`relatives` are processors that the catalogue does not have: take it "
                      "out here"
                    : "a processor is one CPU of the catalogue: compare both with the "
                      "document");
    }
}

/* Whether the register owns its fields: equal registers share the fields of the first one. */
static bool owns_fields(const struct bx_catalog *c, uint16_t reg)
{
    bx_span fields = bx_cat_regs(c)[reg].fields;
    return fields.n > 0 && bx_cat_fields(c)[fields.first].reg == reg;
}

/* Checks the numbers of `first`: if two CPUs had the same number, a name that both have would be
 * ambiguous. */
static void check_marks(const bx_check *k)
{
    const bx_cat_cpu *cpus = bx_cat_cpus(k->c);
    for (unsigned i = 0; i < k->c->cpus.n; i++)
        for (unsigned j = 0; j < i; j++)
            if (cpus[i].first && cpus[i].first == cpus[j].first) {
                bx_check_fail(k, bx_check_from(k, BX_T_CPUS, i), "first", 0,
                              "'%s' is `first` with the same number", bx_cat_z(k->c, cpus[j].name));
                bx_hint(k->b->e, "give the newer one another number, or none: its events are then "
                                 "named with their PMU");
            }
}

/* Checks that each former name of a metric leads to it, and to no group. */
static void check_former_names(const bx_check *k, uint16_t cpu)
{
    bx_span metrics = bx_cat_cpus(k->c)[cpu].metrics;
    for (uint16_t i = metrics.first; i < metrics.first + metrics.n; i++) {
        unsigned arg = 0;
        for (bx_str rest = bx_cat_str(k->c, bx_cat_metrics(k->c)[i].also); rest.n; arg++) {
            bx_str name = bx_str_cut(&rest, ' ');
            if (bx_cat_find_metric(k->c, cpu, name) != i ||
                bx_cat_find_metric_group(k->c, cpu, name) != BX_NONE)
                bx_check_fail(k, bx_check_from(k, BX_T_METRICS, i), "also", arg,
                              "another metric or group has this name");
        }
    }
}

/* Checks names of metrics and of groups together, because `stat -M` takes both. */
static void check_metric_groups(const bx_check *k, uint16_t cpu)
{
    const struct bx_catalog *c = k->c;
    bx_span groups = bx_cat_cpus(c)[cpu].metric_groups;
    check_span(k, BX_T_METRIC_GROUPS, groups, (const char *)bx_cat_metric_groups(c));
    for (unsigned i = groups.first; i < (unsigned)groups.first + groups.n; i++)
        if (bx_cat_find_metric(c, cpu, bx_cat_str(c, bx_cat_metric_groups(c)[i].name)) != BX_NONE)
            bx_check_fail(k, bx_check_from(k, BX_T_METRIC_GROUPS, i), NULL, 0,
                          "a metric has this name");
}

void bx_check_duplicate(const bx_check *k)
{
    const struct bx_catalog *c = k->c;
    check_marks(k);
    check_found(k);
    check_registers(k);
    for (uint16_t i = 0; i < c->regs.n; i++)
        if (owns_fields(c, i))
            check_span(k, BX_T_FIELDS, bx_cat_regs(c)[i].fields, (const char *)bx_cat_fields(c));
    for (uint16_t i = 0; i < c->cpus.n; i++) {
        check_ids(k, i, "id", bx_cat_cpus(c)[i].ids);
        check_ids(k, i, "relatives", bx_cat_cpus(c)[i].relatives);
        check_span(k, BX_T_SHAPES, bx_cat_cpus(c)[i].shapes, (const char *)bx_cat_shapes(c));
        check_span(k, BX_T_PRESETS, bx_cat_cpus(c)[i].parts, (const char *)bx_cat_presets(c));
        check_span(k, BX_T_PRESETS, bx_cat_cpus(c)[i].memories, (const char *)bx_cat_presets(c));
        check_span(k, BX_T_METRICS, bx_cat_cpus(c)[i].metrics, (const char *)bx_cat_metrics(c));
        check_metric_groups(k, i);
        check_former_names(k, i);
    }
    for (uint16_t i = 0; i < c->pmus.n; i++) {
        check_span(k, BX_T_SLOTS, bx_cat_pmus(c)[i].slots, (const char *)bx_cat_slots(c));
        check_span(k, BX_T_OTHER_NAMES, bx_cat_pmus(c)[i].perf_names,
                   (const char *)bx_cat_other_names(c));
        check_span(k, BX_T_OTHER_NAMES, bx_cat_pmus(c)[i].likwid_names,
                   (const char *)bx_cat_other_names(c));
    }
}

/* Whether a unit mask's name has dots, and each part of it is a name that may stand in its place.
 */
static bool is_compound(const bx_check *k, const bx_cat_umask *umask)
{
    uint16_t pmu = bx_cat_events(k->c)[umask->event].pmu;
    bx_str name = bx_cat_str(k->c, umask->name);
    bool all = bx_str_find(name, '.', 0) >= 0;
    while (all && name.p) {
        bx_str part = bx_str_cut(&name, '.');
        all = bx_cat_find_umask(k->c, umask->event, part) != BX_NONE ||
              bx_cat_find_modifier(k->c, pmu, part) != BX_NONE;
    }
    return all;
}

/* Checks hidden names. Unit masks are looked up before modifiers, so a unit mask hides a modifier
 * with the same name. If both must have this name, the unit mask must have the flag, and the
 * modifier is given with its value. A unit mask with dots must not look like several. */
void bx_check_shadow(const bx_check *k)
{
    for (uint16_t i = 0; i < k->c->umasks.n; i++) {
        const bx_cat_umask *umask = &bx_cat_umasks(k->c)[i];
        uint16_t pmu = bx_cat_events(k->c)[umask->event].pmu;
        bool hides = bx_cat_find_modifier(k->c, pmu, bx_cat_str(k->c, umask->name)) != BX_NONE;
        if (hides != ((umask->flags & BX_UMASK_HIDES) != 0))
            bx_check_fail(k, bx_check_from(k, BX_T_UMASKS, i), NULL, 0,
                          hides ? "a modifier has this name and could not be given"
                                : "no modifier has this name");
        if (is_compound(k, umask))
            bx_check_fail(k, bx_check_from(k, BX_T_UMASKS, i), NULL, 0,
                          "its parts are separate names");
    }
}

/* Whether a text differs from unit to unit. */
static bool has_hole(const bx_check *k, bx_cat_text name)
{
    const char *text = bx_cat_z(k->c, name);
    return bx_cat_expand(NULL, 0, text, 0, 0) != bx_cat_expand(NULL, 0, text, 1000000, 0);
}

static uint16_t find_shape(const bx_check *k, const bx_cat_cpu *cpu, bx_str name)
{
    for (uint16_t i = cpu->shapes.first; i < cpu->shapes.first + cpu->shapes.n; i++)
        if (bx_str_eq(name, bx_cat_str(k->c, bx_cat_shapes(k->c)[i].name)))
            return i;
    return BX_NONE;
}

/* Checks the key that gives the number of a PMU's units: it exists, and its range ends at the units
 * that the PMU has registers for. */
static void check_unit_key(const bx_check *k, const bx_cat_pmu *pmu, const bx_syntax_node *node)
{
    bx_str key = bx_cat_str(k->c, pmu->unit_key);
    const bx_cat_cpu *cpu = &bx_cat_cpus(k->c)[pmu->cpu];
    if (!key.n)
        return;
    uint16_t i = find_shape(k, cpu, key);
    if (i == BX_NONE) {
        bx_check_fail(k, node, "units", 1, "the machine string has no such key");
        bx_hint(k->b->e, "add a line `shape %.*s` to the file of '%s', or take the key out here",
                BX_QUOTED(key), bx_cat_z(k->c, cpu->name));
        return;
    }
    const bx_cat_shape *shape = &bx_cat_shapes(k->c)[i];
    if (shape->hi <= pmu->unit_max)
        return;
    bx_check_fail(k, node, "units", 0, "there are %u units, and the shape '%.*s' goes to %llu",
                  pmu->unit_max, BX_QUOTED(key), (unsigned long long)shape->hi);
    bx_hint(k->b->e, "units count from 0: 0..3 are 4 of them");
}

/* Checks that several units have a known number, and that names distinguish them. */
void bx_check_units(const bx_check *k)
{
    for (uint16_t i = 0; i < k->c->pmus.n; i++) {
        const bx_cat_pmu *pmu = &bx_cat_pmus(k->c)[i];
        const bx_syntax_node *node = bx_check_from(k, BX_T_PMUS, i);
        check_unit_key(k, pmu, node);
        if (pmu->stride && pmu->stride < pmu->counters.n)
            bx_check_fail(k, node, "stride", 0, "counters of two units would have one number");
        if (pmu->unit_max * pmu->ports > UINT8_MAX)
            bx_check_fail(k, node, NULL, 0, "more than %d ports of all units", UINT8_MAX);
        if (pmu->unit_max > 1 && !has_hole(k, pmu->unit_label))
            bx_check_fail(k, node, "label", 0, "the label of several units has no {unit}");
    }
    for (uint16_t i = 0; i < k->c->regs.n; i++) {
        const bx_cat_reg *reg = &bx_cat_regs(k->c)[i];
        const bx_cat_pmu *pmu = &bx_cat_pmus(k->c)[reg->pmu];
        if (pmu->unit_max > 1 && pmu->scope != BX_SCOPE_CORE && !has_hole(k, reg->name))
            bx_check_fail(k, bx_check_from(k, BX_T_REGS, i), NULL, 0,
                          "the name of a register of several units has no {unit}");
    }
}

/* Checks that a value is allowed for its key. */
void bx_check_preset(const bx_check *k)
{
    for (uint16_t i = 0; i < k->c->presets.n; i++) {
        bx_span values = bx_cat_presets(k->c)[i].values;
        for (uint16_t v = values.first; v < values.first + values.n; v++) {
            const bx_cat_preset_value *value = &bx_cat_preset_values(k->c)[v];
            const bx_cat_shape *shape = &bx_cat_shapes(k->c)[value->shape];
            if (value->value < shape->lo || value->value > shape->hi)
                bx_check_fail(k, bx_check_from(k, BX_T_PRESETS, i), "sets", 0,
                              "a value of '%s' that is not in its range",
                              bx_cat_z(k->c, shape->name));
        }
    }
}

void bx_check_shape(const bx_check *k)
{
    for (uint16_t i = 0; i < k->c->shapes.n; i++) {
        const bx_cat_shape *shape = &bx_cat_shapes(k->c)[i];
        if (shape->lo > shape->hi || shape->preset < shape->lo || shape->preset > shape->hi)
            bx_check_fail(k, bx_check_from(k, BX_T_SHAPES, i), "preset", 0,
                          "the preset is not in the range");
    }
}

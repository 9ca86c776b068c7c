/* Reports the accesses of a program, and the counters that it starts and stops. */
#include "explain/internal.h"

#include "base/error.h"

#include <inttypes.h>
#include <stdlib.h>

bx_explain *bx_explain_new(const bx_topology *t, bool all, bx_error *e)
{
    bx_explain *x = calloc(1, sizeof *x);
    if (!x) {
        bx_out_of_memory(e);
        return NULL;
    }
    x->topology = *t;
    x->c = t->catalog;
    x->cpu = &bx_cat_cpus(x->c)[t->cpu];
    x->all = all;
    if (bx_shadow_make(x, e)) {
        bx_explain_free(x);
        return NULL;
    }
    return x;
}

void bx_explain_free(bx_explain *x)
{
    if (!x)
        return;
    free(x->shadow);
    free(x->state);
    free(x);
}

/* ---- counters that start and stop ---- */

/* The hash function FNV-1a. */
static uint32_t hash(const bx_buf *text)
{
    uint32_t h = UINT32_C(2166136261);
    for (size_t i = 0; i < text->n; i++)
        h = (h ^ (unsigned char)text->p[i]) * UINT32_C(16777619);
    return h;
}

/* Reports a counter that starts or stops, or that now counts another event. */
static void update_counter(bx_explain *x, const bx_unit_counter *n, bx_buf *to)
{
    bx_counter_state *state = bx_state_of(x, n), was = *state;
    bx_buf text = {.whole = &to->failed};
    bx_evsel event;
    state->runs = bx_shadow_counts(x, n);
    state->ran |= state->runs;
    if (state->runs && bx_selection_of(x, n, &event, to))
        bx_say_event(x, &event, &text);
    state->event = hash(&text);
    if (state->runs != was.runs || (state->runs && state->event != was.event)) {
        bx_buf_z(to, "  ");
        bx_say_counter(x, n, to);
        bx_buf_z(to, state->runs ? " counts" : " stops");
        bx_buf_z(to, text.n ? " " : "");
        bx_buf_add(to, bx_buf_text(&text), text.n);
        bx_buf_z(to, "\n");
        if (state->runs)
            bx_check_start(x, n, to);
    }
    bx_buf_free(&text);
}

/* Checks all counters of the register's scope: an enable of the package concerns every box. */
static void update_counters(bx_explain *x, bx_register_instance at, bx_buf *to)
{
    const bx_cat_pmu *own = &bx_cat_pmus(x->c)[bx_cat_regs(x->c)[at.reg].pmu];
    for (unsigned i = 0; i < x->cpu->pmus.n; i++) {
        uint16_t index = (uint16_t)(x->cpu->pmus.first + i);
        const bx_cat_pmu *pmu = &bx_cat_pmus(x->c)[index];
        bool by_cpu = pmu->scope == BX_SCOPE_CORE; /* at.scope is the unit's CPU */
        unsigned units = by_cpu ? 1 : bx_topology_units(&x->topology, index);
        for (unsigned u = 0; pmu->scope == own->scope && u < units; u++)
            for (unsigned k = 0; k < pmu->counters.n; k++) {
                const bx_cat_counter *facts = &bx_cat_counters(x->c)[pmu->counters.first + k];
                const bx_unit_counter n = {facts, {facts->control, (uint16_t)u, at.scope}};
                update_counter(x, &n, to);
            }
    }
}

/* ---- an access ---- */

static void begin_access(const bx_reglog_access *a, bx_buf *to)
{
    if (a->at.space == BX_SPACE_MSR)
        bx_buf_f(to, "cpu %u ", a->at.cpu);
    bx_buf_z(to, a->write ? "writes " : "reads ");
    bx_say_address(&a->at, to);
    bx_buf_z(to, ": ");
}

static void written(bx_explain *x, bx_register_instance at, const bx_reglog_access *a, bx_buf *to)
{
    bx_unit_counter n = bx_controlled_by(x, at), of = bx_value_of(x, at);
    if (n.facts) {
        bx_say_counter(x, &n, to);
        bx_buf_z(to, " ← ");
        bx_say_selection(x, &n, a->value, to);
    } else if (of.facts) {
        bx_say_counter(x, &of, to);
        bx_buf_f(to, " ← count %" PRIu64,
                 bx_field_of(&bx_cat_fields(x->c)[of.facts->value_field], a->value));
    } else {
        bx_say_unit(x, at, bx_cat_regs(x->c)[at.reg].pmu, to);
        bx_buf_z(to, ", ");
        bx_say_name(x, at, to);
        bx_buf_z(to, " ← ");
        bx_say_fields(x, at.reg, a->value, to);
    }
    bx_buf_z(to, "\n");
}

static void write_register(bx_explain *x, bx_register_instance at, const bx_reglog_access *a,
                           bx_buf *to)
{
    bool taken = !a->faulted;
    bx_shadow *shadow = bx_shadow_at(x, at), before = *shadow;
    bx_buf warnings = {.whole = &to->failed};
    if (taken)
        bx_take_unit(x, at);
    /* Checked in the state before the write. */
    taken &= !bx_check_write(x, at, a->value, &warnings);
    if (taken)
        bx_check_wiped(x, at, a->value, &warnings);
    if (taken)
        bx_shadow_write(x, at, a->value);
    else
        shadow->value = a->value & bx_cat_regs(x->c)[at.reg].bits.stored; /* for the report */
    begin_access(a, to);
    written(x, at, a, to);
    if (taken)
        bx_check_written(x, at, &warnings);
    bx_buf_add(to, bx_buf_text(&warnings), warnings.n);
    bx_buf_free(&warnings);
    if (!taken)
        *shadow = before;
    if (a->faulted)
        bx_buf_z(to, "  it faulted\n");
    update_counters(x, at, to);
}

static void explain_read(bx_explain *x, bx_register_instance at, const bx_reglog_access *a,
                         bx_buf *to)
{
    bx_unit_counter of = bx_value_of(x, at);
    if (!x->all && !of.facts && !a->faulted && bx_shadow_at(x, at)->value == a->value) {
        bx_shadow_at(x, at)->seen = true;
        return;
    }
    begin_access(a, to);
    if (of.facts) {
        bx_say_counter(x, &of, to);
    } else {
        bx_say_unit(x, at, bx_cat_regs(x->c)[at.reg].pmu, to);
        bx_buf_z(to, ", ");
        bx_say_name(x, at, to);
    }
    if (a->faulted) {
        bx_buf_z(to, "\n  it faulted\n");
        return;
    }
    bx_take_unit(x, at);
    bx_buf_z(to, " = ");
    if (of.facts)
        bx_buf_f(to, "%" PRIu64,
                 bx_field_of(&bx_cat_fields(x->c)[of.facts->value_field], a->value));
    else
        bx_say_fields(x, at.reg, a->value, to);
    bx_buf_z(to, "\n");
    bx_check_read(x, at, a->value, to);
    bx_shadow_read(x, at, a->value);
    update_counters(x, at, to);
}

/* Reports an access to a register of no PMU: it is passive, or not in the catalogue. */
static void other(const bx_explain *x, const bx_reglog_access *a, bx_buf *to)
{
    const char *function = NULL, *title = NULL;
    bx_mapped at = bx_map_find(x->c, x->topology.cpu, a->at.space, a->at.offset, NULL, NULL),
              in = at;
    if (!at.row && a->at.space == BX_SPACE_PCI)
        in = bx_map_function(x->c, x->topology.cpu, a->at.offset);
    if (in.row && in.row->function != BX_NONE && in.package < x->topology.packages)
        function = bx_cat_z(x->c, bx_cat_functions(x->c)[in.row->function].title);
    if (at.row && at.row->passive != BX_NONE && (function || a->at.space == BX_SPACE_MSR))
        title = bx_cat_z(x->c, bx_cat_passives(x->c)[at.row->passive].title);
    begin_access(a, to);
    if (function)
        bx_buf_f(to, "%s%s", function, title ? ", " : "");
    else if (!title)
        title = "not in the catalogue";
    bx_buf_f(to, "%s %s 0x%" PRIx64 "\n", title ? title : "", a->write ? "←" : "=", a->value);
    if (a->faulted)
        bx_buf_z(to, "  it faulted\n");
}

/* The register that was at the written MSR in earlier generations; BX_NONE: none. For reads there
 * is none: the MSR may have another meaning today. */
static uint16_t register_formerly_at(const bx_explain *x, const bx_reglog_access *a)
{
    bool msr = a->write && a->at.space == BX_SPACE_MSR && a->at.offset;

    for (unsigned i = 0; msr && i < x->regs; i++)
        if (bx_cat_regs(x->c)[x->reg + i].former == a->at.offset)
            return (uint16_t)(x->reg + i);
    return BX_NONE;
}

/* Handles an access to an address without a PMU register. */
static void foreign_access(bx_explain *x, const bx_reglog_access *a, bx_buf *to)
{
    uint16_t former = register_formerly_at(x, a);
    if (x->all || a->faulted || former != BX_NONE)
        other(x, a, to);
    if (former != BX_NONE)
        bx_warn(x, to, "this is not %s, as in earlier generations; it is MSR %" PRIX64 "H",
                bx_cat_z(x->c, bx_cat_regs(x->c)[former].name),
                bx_register_offset(x->c, former, 0));
}

void bx_explain_access(bx_explain *x, const bx_reglog_access *a, bx_buf *to)
{
    bx_register_instance at = bx_instance_of(x, &a->at);
    x->accesses++;
    if (at.reg == BX_NONE) {
        foreign_access(x, a, to);
        return;
    }
    x->own++;
    if (a->write)
        write_register(x, at, a, to);
    else
        explain_read(x, at, a, to);
}

void bx_explain_end(bx_explain *x, bx_buf *to)
{
    bx_buf left = {.whole = &to->failed};
    bx_check_end(x, &left);
    if (left.n)
        bx_buf_f(to, "at the end\n%s", left.p);
    bx_buf_free(&left);
    bx_buf_f(to, "%lu access%s, %lu of them to registers of PMUs; %lu warning%s\n", x->accesses,
             x->accesses == 1 ? "" : "es", x->own, x->warnings, x->warnings == 1 ? "" : "s");
}

/* Writes event selections in perf's spelling, where the Linux kernel can express them. */
#include "event/event.h"
#include "event/foreign_names.h"
#include "event/format/out.h"
#include "event/format/spell.h"
#include "register/register.h"

#include <stdio.h>

enum { KERNEL_NAME = 64 };

/* Writes "uncore_cbox_2", or "uncore_cbox" for all units. A code that names a port is of one unit.
 */
static void kernel_name(const struct bx_catalog *c, const bx_evsel *event, char to[KERNEL_NAME])
{
    bx_str pattern = bx_cat_str(c, bx_cat_pmus(c)[event->pmu].kernel);
    bx_str stem = bx_kernel_stem(pattern);
    if (event->unit == BX_ANY && !bx_cat_pmus(c)[event->pmu].ports && stem.n < pattern.n)
        snprintf(to, KERNEL_NAME, "%.*s", (int)stem.n, stem.p);
    else
        bx_cat_expand(to, KERNEL_NAME, pattern.p, event->unit < 0 ? 0 : (unsigned)event->unit, 0);
}

/* Whether the kernel uses this code under this name for another event (0xff: the clock). */
static bool means_another(const struct bx_catalog *c, const bx_evsel *event, const char *kernel)
{
    bx_span pmus = bx_cat_cpus(c)[bx_cat_pmus(c)[event->pmu].cpu].pmus;
    int32_t unit;
    for (uint16_t pmu = pmus.first; pmu < pmus.first + pmus.n; pmu++)
        if (bx_kernel_pmu(c, pmu, bx_str_of(kernel), &unit) &&
            bx_kernel_event_numbered(c, pmu, event->code, event->umask) != BX_NONE)
            return true;
    return false;
}

/* Whether the event itself fixes the modifier: the kernel then fixes it too. */
static bool is_fixed(const struct bx_catalog *c, const bx_evsel *event, unsigned local)
{
    const bx_cat_event *of = event->event == BX_RAW ? NULL : &bx_cat_events(c)[event->event];
    unsigned modifier = bx_cat_pmus(c)[event->pmu].modifiers.first + local;
    for (unsigned i = 0; of && i < of->sets.n; i++)
        if (bx_cat_sets(c)[of->sets.first + i].modifier == modifier)
            return true;
    return false;
}

/* Whether a register that the event needs has bits of this modifier. */
static bool is_needed(const bx_evsel *event, const bx_cat_modifier *m)
{
    for (unsigned i = 0; i < event->extras; i++)
        if (event->extra[i].reg == m->reg && event->extra[i].mask & m->mask)
            return true;
    return m->reg == BX_NONE;
}

/* A term that modifiers of neighbouring fields may share. Its value starts at the lowest field. */
typedef struct term_value {
    uint64_t value;
    bool silent; /* it is 0, which is Linux's default */
} term_value;

static term_value term_of(const struct bx_catalog *c, const bx_evsel *event, bx_term term)
{
    const bx_cat_modifier *m = &bx_cat_modifiers(c)[bx_cat_pmus(c)[event->pmu].modifiers.first];
    term_value t = {0, true};
    bool used = false;
    for (uint32_t left = term.modifiers; left; left &= left - 1) {
        unsigned i = bx_lowest_bit(left);
        bool needed = is_needed(event, &m[i]);
        t.value |= event->modifier[i] << (m[i].at - term.lo);
        if (!needed && event->modifier[i] == m[i].preset)
            continue;
        used = true;
        /* A preset of the catalogue that is not 0 differs from Linux's default, which is 0. */
        t.silent &= !(needed && m[i].preset) &&
                    !(m[i].flags & BX_MODIFIER_HIDDEN && bx_zero_matters(c, event, i));
    }
    t.silent &= !used || !t.value;
    return t;
}

static void put_decimal_term(bx_out *o, const char *name, uint64_t value)
{
    bx_out_char(o, ',');
    bx_out_z(o, name);
    bx_out_char(o, '=');
    if (value > UINT16_MAX)
        bx_out_hex(o, value);
    else
        bx_out_decimal(o, value);
}

/* Writes ",edge=1,cmask=3". false: the kernel has no name for a modifier that is set. */
static bool put_kernel_modifiers(const struct bx_catalog *c, const bx_evsel *event, bx_out *o)
{
    bx_span all = bx_cat_pmus(c)[event->pmu].modifiers;
    for (unsigned i = 0; i < all.n; i++) {
        const bx_cat_modifier *m = &bx_cat_modifiers(c)[all.first + i];
        const char *name = bx_cat_z(c, m->kernel);
        bool whole = m->reg != BX_NONE && bx_cat_regs(c)[m->reg].kernel; /* has a term */
        if (m->flags & BX_MODIFIER_LEVEL || whole || is_fixed(c, event, i))
            continue;
        if (!*name && event->modifier[i] &&
            (event->modifier[i] != m->preset || is_needed(event, m)))
            return false;
        bx_term term = bx_kernel_term(c, event->pmu, bx_str_of(name));
        if (!*name || bx_lowest_bit(term.modifiers) != i)
            continue;
        term_value t = term_of(c, event, term);
        if (!t.silent)
            put_decimal_term(o, name, t.value);
    }
    return true;
}

/* Writes perf's suffix for privilege levels; no suffix means all levels. false: perf cannot express
 * that no level is counted. */
static bool put_kernel_levels(const struct bx_catalog *c, const bx_evsel *event, bx_out *o)
{
    const bx_cat_pmu *pmu = &bx_cat_pmus(c)[event->pmu];
    uint32_t levels = pmu->levels;
    uint32_t on = levels & bx_event_used(event, pmu->modifiers.n);
    for (uint32_t left = on == levels ? 0 : on; left; left &= left - 1)
        bx_out_z(o,
                 bx_cat_z(c, bx_cat_modifiers(c)[pmu->modifiers.first + bx_lowest_bit(left)].name));
    return on || !levels;
}

/* ---- terms for whole registers, which only some PMUs have in Linux ---- */

static void put_term(bx_out *o, const char *name, uint64_t value)
{
    bx_out_char(o, ',');
    bx_out_z(o, name);
    bx_out_char(o, '=');
    bx_out_hex(o, value);
}

/* Writes the counter: Linux needs it where codes differ between counters. */
static void put_counter(const struct bx_catalog *c, const bx_evsel *event, bx_out *o)
{
    if (!bx_codes_differ(c, event->pmu))
        return;
    int lowest = bx_event_lowest_counter(c, event);
    put_term(o, "counter", lowest < 0 ? 0 : (uint64_t)lowest);
}

/* Writes the control register's fields that have terms of their own. */
static void put_fields(const struct bx_catalog *c, uint16_t reg, uint64_t control,
                       uint16_t select_event, bx_out *o)
{
    bx_span fields = bx_cat_regs(c)[reg].fields;
    for (uint16_t i = fields.first; i < fields.first + fields.n; i++) {
        const bx_cat_field *f = &bx_cat_fields(c)[i];
        if (f->kernel && i != select_event && bx_field_of(f, control))
            put_term(o, bx_cat_z(c, f->kernel), bx_field_of(f, control));
    }
}

/* Writes shared registers that have terms of their own; modifiers express the others. false: Linux
 * cannot express other contents of such a register. */
static bool put_registers(const struct bx_catalog *c, const bx_evsel *event, bx_out *o)
{
    bx_span all = bx_cat_pmus(c)[event->pmu].modifiers;
    for (unsigned i = 0; i < event->extras; i++) {
        const bx_regvalue *r = &event->extra[i];
        bx_cat_text term = bx_cat_regs(c)[r->reg].kernel;
        uint64_t known = 0;
        for (unsigned j = 0; j < all.n; j++)
            if (bx_cat_modifiers(c)[all.first + j].reg == r->reg)
                known |= bx_cat_modifiers(c)[all.first + j].mask;
        if (term && r->value)
            put_term(o, bx_cat_z(c, term), r->value);
        else if (r->value & ~known)
            return false;
    }
    return true;
}

/* ---- imported events ---- */

/* Whether a modifier that was given replaces the term. */
static bool is_replaced(const struct bx_catalog *c, const bx_evsel *event, bx_str key)
{
    uint32_t of = bx_kernel_term(c, event->pmu, key).modifiers;
    return of && event->modifier[bx_lowest_bit(of)];
}

/* Writes the terms that select an imported event, and those of its modifiers. */
static size_t put_terms(const struct bx_catalog *c, const bx_evsel *event, const char *name,
                        bx_out *o)
{
    bx_str rest = bx_cat_str(c, bx_cat_events(c)[event->event].kernel);
    if (!rest.n)
        return 0;
    bx_out_z(o, name);
    for (char before = '/'; rest.p; before = ',') {
        bx_str term = bx_str_cut(&rest, ','), digits = term;
        if (is_replaced(c, event, bx_str_cut(&digits, '=')))
            continue;
        bx_out_char(o, before);
        for (size_t i = 0; i < term.n; i++)
            bx_out_char(o, term.p[i]);
    }
    if (!put_kernel_modifiers(c, event, o))
        return 0;
    bx_out_char(o, '/');
    return put_kernel_levels(c, event, o) ? bx_out_end(o) : 0;
}

/* ---- a selection ---- */

size_t bx_event_format_perf(const bx_catalog *c, const bx_evsel *event, char *to, size_t room)
{
    room = to ? room : 0;
    if (!c || !event)
        return 0;
    if (!bx_event_is_valid(c, event)) /* for a kernel's event there is bx_machine_event_format() */
        return 0;
    const bx_cat_pmu *pmu = &bx_cat_pmus(c)[event->pmu];
    if (event->event != BX_RAW && bx_cat_events(c)[event->event].flags & BX_EVENT_TERMS) {
        char own[KERNEL_NAME];
        bx_out terms = {to, room, 0};
        kernel_name(c, event, own);
        return put_terms(c, event, own, &terms);
    }
    bx_kernel_event kernel;
    bool special =
        event->event != BX_RAW && bx_kernel_special(c, &bx_cat_events(c)[event->event], &kernel);
    /* The kernel also sets what the event of this code fixes. */
    if (event->event == BX_RAW && bx_code_fixes(c, event) & event->given)
        return 0;
    if (!pmu->kernel || (special && kernel.none) || (!special && pmu->select_event == BX_NONE))
        return 0;
    bx_regvalue control = {0};
    if (!special) {
        bx_regvalue registers[1 + BX_EXTRAS];
        if (!bx_event_registers(c, event, BX_LOWEST, registers))
            return 0; /* no code selects a fixed counter */
        control = registers[0];
        kernel = (bx_kernel_event){
            .event = bx_field_of(&bx_cat_fields(c)[pmu->select_event], control.value),
            .umask = pmu->select_umask == BX_NONE
                         ? 0
                         : bx_field_of(&bx_cat_fields(c)[pmu->select_umask], control.value),
        };
    }
    char name[KERNEL_NAME];
    kernel_name(c, event, name);
    if (!special && means_another(c, event, name))
        return 0;
    bx_out o = {to, room, 0};
    bx_cat_text word = special ? 0 : bx_cat_fields(c)[pmu->select_event].kernel;
    bx_out_z(&o, name);
    bx_out_char(&o, '/');
    bx_out_z(&o, word ? bx_cat_z(c, word) : "event");
    bx_out_char(&o, '=');
    bx_out_hex(&o, kernel.event);
    if (special ? kernel.umask != 0 : pmu->select_umask != BX_NONE)
        put_term(&o, "umask", kernel.umask);
    if (!special) {
        put_counter(c, event, &o);
        put_fields(c, control.reg, control.value, pmu->select_event, &o);
    }
    if (!put_registers(c, event, &o) || !put_kernel_modifiers(c, event, &o))
        return 0;
    bx_out_char(&o, '/');
    if (!put_kernel_levels(c, event, &o))
        return 0;
    return bx_out_end(&o);
}

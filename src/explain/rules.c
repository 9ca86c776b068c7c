/* Warns where an access breaks a rule of the catalogue. */
#include "explain/internal.h"

#include "base/bits.h"
#include "event/decode/recognize.h"
#include "event/format/spell.h"
#include "event/hint.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>

void bx_warn(bx_explain *x, bx_buf *to, const char *format, ...)
{
    char text[400];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    bx_buf_f(to, "  warning: %s\n", text);
    x->warnings++;
}

/* A name for a message. */
typedef struct word {
    char text[160];
} word;

static word take_text(bx_buf *b)
{
    word w;
    snprintf(w.text, sizeof w.text, "%s", bx_buf_text(b));
    bx_buf_free(b);
    return w;
}

static word unit_word(const bx_explain *x, bx_register_instance at, uint16_t pmu, bx_buf *to)
{
    bx_buf b = {.whole = &to->failed};
    bx_say_unit(x, at, pmu, &b);
    return take_text(&b);
}

static word counter_word(const bx_explain *x, const bx_unit_counter *n, bx_buf *to)
{
    bx_buf b = {.whole = &to->failed};
    bx_say_counter(x, n, &b);
    return take_text(&b);
}

static word field_word(const bx_explain *x, bx_register_instance at, uint16_t field, bx_buf *to)
{
    bx_buf b = {.whole = &to->failed};
    bx_say_field(x, at, field, &b);
    return take_text(&b);
}

/* "IA32_PERFEVTSEL0.USR and OS are 0: no privilege level is counted" */
static word levels_word(const bx_explain *x, const bx_unit_counter *n, bx_buf *to)
{
    bx_buf b = {.whole = &to->failed};
    const bx_cat_field *fields = bx_cat_fields(x->c);
    uint16_t user = n->facts->user, own = n->facts->control;
    uint16_t reg = own != BX_NONE ? own : fields[user].reg;
    bx_say_field(x, bx_instance_of_counter(x, n, reg), user, &b);
    bx_buf_f(&b, " and %s are 0: no privilege level is counted",
             bx_cat_z(x->c, fields[n->facts->os].name));
    return take_text(&b);
}

/* ---- writes ---- */

/* Returns whether the write faults. */
static bool check_precondition(bx_explain *x, bx_register_instance at, bx_buf *to)
{
    const bx_cat_reg *r = &bx_cat_regs(x->c)[at.reg];
    const bx_cat_cond *cond = bx_register_precondition(x->c, at.reg);
    if (!cond)
        return false;
    bx_register_instance precondition = bx_instance_beside(x, at, r->pmu, cond->reg);
    if (bx_condition_holds(x->c, cond, bx_shadow_at(x, precondition)->value))
        return false;
    bx_warn(x, to, "it may be written only while %s is %" PRIu64 "%s",
            field_word(x, precondition, cond->field, to).text, cond->value,
            r->flags & BX_REG_FAULTS ? ": the write faults" : "");
    return r->flags & BX_REG_FAULTS;
}

/* Warns of a start value that an erratum forbids: all ones, or one less, in the lowest bits. */
static void check_start_value(bx_explain *x, bx_register_instance at, uint64_t value, bx_buf *to)
{
    bx_unit_counter n = bx_value_of(x, at);
    if (!n.facts || !n.facts->erratum)
        return;
    uint64_t low = value & bx_mask_width(n.facts->erratum);
    if (low >= bx_mask_width(n.facts->erratum) - 1)
        bx_warn(x, to, "an erratum: no count may start where its lowest %u bits are 0x%" PRIx64,
                n.facts->erratum, low);
}

/* The effect of a write that a register does not accept. */
static const char *fate(const bx_explain *x, bx_register_instance at)
{
    return bx_cat_regs(x->c)[at.reg].space == BX_SPACE_MSR ? "the write faults"
                                                           : "what is written is dropped";
}

bool bx_check_write(bx_explain *x, bx_register_instance at, uint64_t value, bx_buf *to)
{
    uint16_t pmu = bx_cat_regs(x->c)[at.reg].pmu;
    const bx_cat_bits *b = &bx_cat_regs(x->c)[at.reg].bits;
    uint64_t foreign = value & b->reserved;
    bool clears_only = !b->stored && (b->clears | b->w1c);
    if (at.unit >= bx_topology_units(&x->topology, pmu))
        bx_warn(x, to, "the machine has no %s: %s", unit_word(x, at, pmu, to).text, fate(x, at));
    bool refused = bx_bits_refuse(b, value) && bx_cat_regs(x->c)[at.reg].space == BX_SPACE_MSR;
    if (bx_bits_are_read_only(b))
        bx_warn(x, to, "the register is read-only: %s", fate(x, at));
    if (foreign)
        bx_warn(x, to, "bits 0x%" PRIx64 " are reserved: %s", foreign, fate(x, at));
    bool faults = check_precondition(x, at, to) || refused;
    check_start_value(x, at, value, to);
    if (clears_only && !value)
        bx_buf_z(to, "  note: this clears nothing, which takes a 1\n");
    if (value & b->ignored)
        bx_buf_f(to, "  note: bits 0x%" PRIx64 " are ignored\n", value & b->ignored);
    return faults;
}

/* Warns of a reset of control registers that were set and whose counts were not read since. */
void bx_check_wiped(bx_explain *x, bx_register_instance at, uint64_t value, bx_buf *to)
{
    uint16_t pmu = bx_cat_regs(x->c)[at.reg].pmu;
    bx_span all = bx_cat_pmus(x->c)[pmu].counters;
    if (!(bx_register_resets(x->c, at.reg, value) >> BX_RESETS_CONTROLS & 1))
        return;
    for (unsigned i = 0; i < all.n; i++) {
        const bx_cat_counter *facts = &bx_cat_counters(x->c)[all.first + i];
        if (facts->control == BX_NONE)
            continue;
        const bx_unit_counter n = {facts, bx_instance_beside(x, at, pmu, facts->control)};
        if (bx_shadow_at(x, n.at)->fresh)
            bx_warn(x, to, "this resets the control of %s, which was just set",
                    counter_word(x, &n, to).text);
    }
}

/* Whether a fixed counter was set: a privilege level, or an enable of its own. */
static bool is_fixed_set(const bx_explain *x, const bx_unit_counter *n)
{
    bool set = false;
    for (unsigned i = 0; !set && i < n->facts->counts.n; i++) {
        const bx_cat_cond *cond = &bx_cat_conds(x->c)[n->facts->counts.first + i];
        bx_register_instance at = bx_instance_of_counter(x, n, cond->reg);
        set =
            bx_shadow_at(x, at)->seen && bx_condition_holds(x->c, cond, bx_shadow_at(x, at)->value);
    }
    return set;
}

/* Remembers, when a count is read, what the counter lacked to count. */
static void note_missing(bx_explain *x, const bx_unit_counter *n)
{
    bx_counter_state *state = bx_state_of(x, n);
    const bx_cat_cond *missing = bx_shadow_missing(x, n);
    bool fixed = n->at.reg == BX_NONE;
    bool set = fixed ? is_fixed_set(x, n) : bx_shadow_at(x, n->at)->fresh;
    if (set && !state->missing && !bx_shadow_levels(x, n))
        state->missing = BX_MISSES_LEVEL;
    else if (set && !state->missing && missing)
        state->missing = (uint16_t)(missing - bx_cat_conds(x->c)) + 1;
    if (!fixed)
        bx_shadow_at(x, n->at)->fresh = false;
}

void bx_check_read(bx_explain *x, bx_register_instance at, uint64_t value, bx_buf *to)
{
    bx_unit_counter n = bx_value_of(x, at);
    if (n.facts && !(n.facts->flags & BX_COUNTER_FREE))
        note_missing(x, &n);
    if (n.facts && n.facts->erratum && value >> n.facts->erratum &&
        (value & bx_mask_width(n.facts->erratum)) < 2)
        bx_warn(x, to,
                "an erratum: a count read that ends in 0 or 1 here is 0x%" PRIx64 " too high",
                UINT64_C(1) << n.facts->erratum);
}

/* ---- a counter that starts to count ---- */

/* Warns of a modifier without effect, because another one is 0. */
static void check_needs(bx_explain *x, const bx_evsel *event, bx_buf *to)
{
    const bx_cat_pmu *pmu = &bx_cat_pmus(x->c)[event->pmu];
    const bx_cat_modifier *all = &bx_cat_modifiers(x->c)[pmu->modifiers.first];
    for (unsigned i = 0; i < pmu->modifiers.n; i++) {
        for (uint32_t left = event->modifier[i] ? all[i].needs : 0; left; left &= left - 1) {
            const bx_cat_modifier *needed = &all[bx_lowest_bit(left)];
            if (!event->modifier[bx_lowest_bit(left)])
                bx_warn(x, to, "modifier '%s' needs '%s', which is 0", bx_cat_z(x->c, all[i].name),
                        bx_cat_z(x->c, needed->name));
        }
    }
}

/* Warns of an invert without a threshold: there is no comparison to invert, so all is counted (SDM
 * volume 3B, IA32_PERFEVTSELx; 334060-001 table 2-1). */
static void check_invert(bx_explain *x, const bx_unit_counter *n, const bx_evsel *event, bx_buf *to)
{
    const bx_cat_pmu *pmu = &bx_cat_pmus(x->c)[event->pmu];
    const bx_cat_modifier *invert = NULL, *threshold = NULL;
    for (unsigned i = 0; i < pmu->modifiers.n; i++) {
        const bx_cat_modifier *m = &bx_cat_modifiers(x->c)[pmu->modifiers.first + i];
        if (m->field == n->facts->invert && event->modifier[i])
            invert = m;
        if (m->field == n->facts->threshold && !event->modifier[i])
            threshold = m;
    }
    if (n->facts->invert != BX_NONE && invert && threshold)
        bx_warn(x, to, "modifier '%s' needs '%s', which is 0: nothing is inverted, all is counted",
                bx_cat_z(x->c, invert->name), bx_cat_z(x->c, threshold->name));
}

/* Warns of off-core response without a kind of request: a bit for each is in a register of its own.
 */
static void check_choice(bx_explain *x, const bx_unit_counter *n, const bx_evsel *event, bx_buf *to)
{
    uint16_t reg = bx_shadow_choice(x, n);
    bool of_core = bx_cat_pmus(x->c)[event->pmu].scope == BX_SCOPE_CORE;
    bool none =
        of_core && event->event != BX_RAW && !event->umask && bx_event_spell(x->c, event).number;
    if (reg == BX_NONE || !none)
        return;
    bx_buf b = {.whole = &to->failed};
    bx_say_name(x, bx_instance_of_counter(x, n, reg), &b);
    bx_warn(x, to, "%s chooses nothing, which lets nothing through: it counts nothing",
            take_text(&b).text);
}

/* Warns of a unit mask that lacks a kind of bits, such as a state of a lookup. */
static void check_half(bx_explain *x, const bx_evsel *event, bx_buf *to)
{
    uint16_t which = event->event == BX_RAW ? bx_event_meant(x->c, event) : event->event;
    const bx_cat_event *of = which == BX_RAW ? NULL : &bx_cat_events(x->c)[which];
    int lacks = of ? bx_event_lacks(of, event->umask) : -1;
    if (lacks >= 0)
        bx_warn(x, to,
                "the unit mask 0x%x chooses no %s, which lets nothing through: it counts nothing",
                event->umask, bx_cat_z(x->c, of->each_name[lacks]));
}

/* The first modifier in a register of its own that this unit mask sets; BX_NONE: none. */
static uint16_t set_elsewhere(const bx_explain *x, const bx_cat_umask *u)
{
    for (unsigned i = 0; i < u->sets.n; i++) {
        uint16_t modifier = bx_cat_sets(x->c)[u->sets.first + i].modifier;
        if (bx_cat_modifiers(x->c)[modifier].reg != BX_NONE)
            return modifier;
    }
    return BX_NONE;
}

/* Warns of an event whose unit masks all need a value in a register of its own, such as the
 * threshold of load latency, where that register has 0: no name of the event means that. */
static void check_own_register(bx_explain *x, const bx_unit_counter *n, const bx_evsel *event,
                               bx_buf *to)
{
    const bx_cat_event *of = event->event == BX_RAW ? NULL : &bx_cat_events(x->c)[event->event];
    if (!of || bx_shadow_choice(x, n) != BX_NONE || !bx_event_spell(x->c, event).number)
        return;
    for (unsigned i = 0; i < of->umasks.n; i++) {
        const bx_cat_umask *u = &bx_cat_umasks(x->c)[of->umasks.first + i];
        uint16_t modifier = u->value == event->umask ? set_elsewhere(x, u) : BX_NONE;
        if (modifier == BX_NONE)
            continue;
        const bx_cat_modifier *m = &bx_cat_modifiers(x->c)[modifier];
        bx_register_instance at = bx_instance_of_counter(x, n, m->reg);
        if (!bx_shadow_field(x, at, m->field))
            bx_warn(x, to, "%s is 0: no unit mask of %s has this, what it counts is not known",
                    field_word(x, at, m->field, to).text, bx_cat_z(x->c, of->name));
        return;
    }
}

/* Warns of a filter with a bit for each choice that passes nothing, for example no state of a
 * lookup. */
static void check_filters(bx_explain *x, const bx_unit_counter *n, const bx_evsel *event,
                          bx_buf *to)
{
    uint16_t of = event->event == BX_RAW ? bx_event_meant(x->c, event) : event->event;
    const bx_cat_pmu *pmu = &bx_cat_pmus(x->c)[event->pmu];
    for (unsigned i = 0; of != BX_RAW && i < pmu->modifiers.n; i++) {
        const bx_cat_modifier *m = &bx_cat_modifiers(x->c)[pmu->modifiers.first + i];
        if (!(m->flags & BX_MODIFIER_BITS) || m->reg == BX_NONE || m->lo ||
            !bx_event_names_modifier(x->c, &bx_cat_events(x->c)[of], i))
            continue;
        bx_register_instance at = bx_instance_of_counter(x, n, m->reg);
        if (!bx_shadow_field(x, at, m->field))
            bx_warn(x, to, "%s is 0, which lets nothing through: it counts nothing",
                    field_word(x, at, m->field, to).text);
    }
}

/* Whether the status bit of an overflow was read as set, and nothing has cleared it since. */
static bool is_pending(const bx_explain *x, bx_register_instance at, uint16_t field)
{
    return bx_shadow_at(x, at)->seen && bx_shadow_field(x, at, field);
}

/* Warns of a freeze by overflows that no counter reports: 334060-001 table 2-2, 323535-001 p13. */
static void check_freeze(bx_explain *x, bx_register_instance at, bx_buf *to)
{
    uint16_t freeze = x->cpu->freeze, reports = BX_NONE;
    if (freeze == BX_NONE || bx_cat_fields(x->c)[freeze].reg != at.reg ||
        !bx_shadow_field(x, at, freeze))
        return;
    bool counts = false;
    for (unsigned unit = 0; unit < x->units; unit++)
        for (unsigned i = 0; i < x->counters; i++) {
            const bx_cat_counter *facts = &bx_cat_counters(x->c)[x->counter + i];
            const bx_unit_counter n = {facts, {facts->control, (uint16_t)unit, at.scope}};
            if (facts->control == BX_NONE || facts->overflow_en == BX_NONE ||
                bx_cat_pmus(x->c)[facts->pmu].scope != BX_SCOPE_PACKAGE)
                continue;
            if (bx_shadow_field(x, n.at, facts->overflow_en))
                return;
            reports = facts->overflow_en;
            counts |= bx_shadow_counts(x, &n);
        }
    if (counts)
        bx_warn(x, to, "%s freezes nothing: no counter that counts has %s set",
                field_word(x, at, freeze, to).text,
                bx_cat_z(x->c, bx_cat_fields(x->c)[reports].name));
}

void bx_check_written(bx_explain *x, bx_register_instance at, bx_buf *to)
{
    check_freeze(x, at, to);
    bx_unit_counter n = bx_controlled_by(x, at);
    bx_evsel event;
    if (!n.facts || !bx_is_enabled(x, &n) || !bx_selection_of(x, &n, &event, to))
        return;
    if (!bx_shadow_levels(x, &n))
        bx_warn(x, to, "%s", levels_word(x, &n, to).text);
    bx_names can = bx_names_of_other_counters(x->c, &event);
    if (can.n)
        bx_warn(x, to, "code 0x%x counts nothing on counter %u; counters that can: %s", event.code,
                n.facts->index, can.text);
}

void bx_check_start(bx_explain *x, const bx_unit_counter *n, bx_buf *to)
{
    bx_evsel event;
    if (bx_selection_of(x, n, &event, to)) {
        check_needs(x, &event, to);
        check_invert(x, n, &event, to);
        check_choice(x, n, &event, to);
        check_half(x, &event, to);
        check_own_register(x, n, &event, to);
        check_filters(x, n, &event, to);
        if (event.event == BX_RAW && !bx_names_of_other_counters(x->c, &event).n)
            bx_warn(x, to, "%s can count no event of this code", counter_word(x, n, to).text);
    }
    if (n->facts->overflow == BX_NONE)
        return;
    bx_register_instance at =
        bx_instance_of_counter(x, n, bx_cat_fields(x->c)[n->facts->overflow].reg);
    if (is_pending(x, at, n->facts->overflow))
        bx_warn(x, to, "%s, of an earlier overflow, has not been cleared",
                field_word(x, at, n->facts->overflow, to).text);
}

/* ---- the final state ---- */

static bool is_status(const bx_explain *x, uint16_t field)
{
    for (unsigned i = 0; i < x->counters; i++)
        if (bx_cat_counters(x->c)[x->counter + i].overflow == field)
            return true;
    return false;
}

static void check_status(bx_explain *x, bx_register_instance at, bx_buf *to)
{
    bx_span fields = bx_cat_regs(x->c)[at.reg].fields;
    for (unsigned i = 0; i < fields.n; i++) {
        uint16_t field = (uint16_t)(fields.first + i);
        if (is_pending(x, at, field) && is_status(x, field))
            bx_warn(x, to, "%s is left set", field_word(x, at, field, to).text);
        /* 323535-001 p15: to be 0 again when the counters are enabled. */
        if (bx_cat_fields(x->c)[field].resets == BX_RESETS_PACKAGE && bx_shadow_field(x, at, field))
            bx_warn(x, to, "%s is left 1: a reset ends with a write of 0",
                    field_word(x, at, field, to).text);
    }
}

static void check_counter(bx_explain *x, bx_register_instance at, const bx_cat_counter *facts,
                          bx_buf *to)
{
    const bx_unit_counter n = {facts, at};
    const bx_counter_state *state = bx_state_of(x, &n);
    if (state->runs)
        bx_warn(x, to, "%s is left running", counter_word(x, &n, to).text);
    if (!state->missing || state->ran)
        return;
    if (state->missing == BX_MISSES_LEVEL) {
        bx_warn(x, to, "%s was set and read, and never counted: %s", counter_word(x, &n, to).text,
                levels_word(x, &n, to).text);
        return;
    }
    const bx_cat_cond *cond = &bx_cat_conds(x->c)[state->missing - 1];
    bx_warn(x, to, "%s was set and read, and never counted: %s was not %" PRIu64,
            counter_word(x, &n, to).text,
            field_word(x, bx_instance_of_counter(x, &n, cond->reg), cond->field, to).text,
            cond->value);
}

void bx_check_end(bx_explain *x, bx_buf *to)
{
    for (unsigned scope = 0; scope < x->scopes; scope++)
        for (unsigned unit = 0; unit < x->units; unit++) {
            for (unsigned i = 0; i < x->counters; i++) {
                const bx_cat_counter *facts = &bx_cat_counters(x->c)[x->counter + i];
                check_counter(x, (bx_register_instance){facts->control, (uint16_t)unit, scope},
                              facts, to);
            }
            for (unsigned i = 0; i < x->regs; i++)
                check_status(
                    x, (bx_register_instance){(uint16_t)(x->reg + i), (uint16_t)unit, scope}, to);
        }
}

/* Finds the event that the terms of perf's spelling choose. */
#include "event/foreign/perf_reader.h"

#include "base/bits.h"
#include "event/hint.h"
#include "event/foreign_names.h"
#include "event/foreign/perf_registers.h"
#include "register/register.h"

#include <inttypes.h>

/* Whether the word is a flag of a PMU of this name. */
static bool is_flag(const bx_event_builder *d, bx_str pmu, bx_str word)
{
    int32_t unit;
    for (unsigned i = d->pmus.first; i < d->pmus.first + d->pmus.n; i++)
        if (bx_kernel_pmu(d->c, (uint16_t)i, pmu, &unit) &&
            bx_kernel_term(d->c, (uint16_t)i, word).modifiers)
            return true;
    return false;
}

/* Whether a PMU of this name has an event of this whole name. */
static bool is_event(const bx_event_builder *d, bx_str pmu, bx_str word)
{
    int32_t unit;
    for (unsigned i = d->pmus.first; i < d->pmus.first + d->pmus.n; i++)
        if (bx_kernel_pmu(d->c, (uint16_t)i, pmu, &unit) &&
            bx_cat_find_event(d->c, (uint16_t)i, word) != BX_NONE)
            return true;
    return false;
}

bool bx_perf_has_field(const bx_event_builder *d, bx_str pmu, bx_str key, bool other)
{
    int32_t unit;
    for (unsigned i = d->pmus.first; i < d->pmus.first + d->pmus.n; i++) {
        uint16_t field = bx_kernel_pmu(d->c, (uint16_t)i, pmu, &unit)
                             ? bx_perf_field(d->c, (uint16_t)i, key)
                             : BX_NONE;
        if (field != BX_NONE && (field != bx_cat_pmus(d->c)[i].select_event) == other)
            return true;
    }
    return false;
}

bool bx_perf_changes_nothing(const bx_event_builder *d, bx_str pmu, bx_str key)
{
    static const char *const keys[] = {"name", "period", "freq"};
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
        if (bx_str_eq_fold(key, bx_str_of(keys[i])) && !is_flag(d, pmu, key))
            return true;
    return false;
}

bx_perf_number *bx_perf_selecting(const bx_event_builder *d, bx_perf_choice *ch, bx_str key)
{
    return bx_str_eq_fold(key, BX_STR("event")) || bx_perf_has_field(d, ch->pmu, key, false)
               ? &ch->event
           : bx_str_eq_fold(key, BX_STR("umask"))  ? &ch->umask
           : bx_str_eq_fold(key, BX_STR("config")) ? &ch->config
                                                   : NULL;
}

static int collect_number(bx_event_builder *d, bx_perf_number *n, bx_str term, bx_str digits)
{
    if (n->part.p)
        return BX_REFUSE(d, BX_BAD_INPUT, term, "two values: '%s' and '%s'", bx_quote(n->part).text,
                         bx_quote(term).text);
    if (digits.n == 0)
        return BX_REFUSE(d, BX_BAD_INPUT, term, "no value after '%s'", bx_quote(term).text);
    n->part = term;
    return bx_builder_number(d, digits, &n->value);
}

/* The name of a term for a field of the control register, other than `event`, that selects events.
 */
static bx_str selecting_field(const bx_event_builder *d, const bx_perf_choice *ch)
{
    bx_str rest = ch->terms;
    while (rest.p) {
        bx_str term = bx_str_cut(&rest, ',');
        bx_str digits = term;
        if (bx_perf_has_field(d, ch->pmu, bx_str_cut(&digits, '='), true))
            return term;
    }
    return (bx_str){NULL, 0};
}

int bx_perf_collect_terms(bx_event_builder *d, bx_perf_choice *ch)
{
    bx_str rest = ch->terms;
    while (rest.p) {
        bx_str term = bx_str_cut(&rest, ',');
        bx_str digits = term;
        bx_str key = bx_str_cut(&digits, '=');
        bool whole = digits.p && !ch->at.p && is_event(d, ch->pmu, term);
        if (whole) { /* its name contains '=' */
            ch->at = ch->name = term;
            continue;
        }
        bx_perf_number *n = bx_perf_selecting(d, ch, key);
        uint64_t config;
        if (key.n == 0)
            return BX_REFUSE(d, BX_BAD_INPUT, ((bx_str){term.p, 1}), "a term is missing here");
        if (!n && (digits.p || ch->at.p || is_flag(d, ch->pmu, term)))
            continue; /* a modifier, which is read when the PMU is known */
        int code = n ? collect_number(d, n, term, digits) : BX_OK;
        if (code)
            return code;
        if (!n && bx_kernel_raw_word(key, &config)) { /* cpu/r3c/ */
            n = &ch->config;
            *n = (bx_perf_number){term, config};
        }
        if (n == &ch->umask)
            continue;
        if (ch->at.p)
            return BX_REFUSE(d, BX_BAD_INPUT, term, "a second event after '%s'",
                             bx_quote(ch->at).text);
        ch->at = term;
        if (!n)
            ch->name = term;
    }
    if (!ch->at.p)
        ch->at = selecting_field(d, ch);
    if (ch->at.p)
        return BX_OK;
    int code = BX_REFUSE(d, BX_BAD_INPUT, ch->terms.n ? ch->terms : ch->pmu, "no event is chosen");
    bx_hint(d->e, "event=0x34,umask=0x88, or the name of an event");
    return code;
}

/* The PMU's event of the chosen name, or of a number that only the kernel uses. */
static uint16_t chosen(const bx_event_builder *d, const bx_perf_choice *ch, uint16_t pmu)
{
    if (ch->name.p)
        return bx_kernel_event_named(d->c, pmu, ch->name);
    if (ch->config.part.p)
        return bx_kernel_event_numbered(d->c, pmu, ch->config.value & 0xff, ch->config.value >> 8);
    return bx_kernel_event_numbered(d->c, pmu, ch->event.value, ch->umask.value);
}

/* Reads config=, the contents of the control register. */
static int read_config(bx_event_builder *d, bx_perf_choice *ch)
{
    const bx_perf_number *config = &ch->config;
    const bx_cat_field *fields = bx_cat_fields(d->c);
    uint64_t left = config->value;
    int code = BX_OK;
    for (unsigned i = 0; !code && i < d->pmu->modifiers.n; i++) {
        const bx_cat_modifier *m = &bx_cat_modifiers(d->c)[d->pmu->modifiers.first + i];
        if (m->reg != BX_NONE)
            continue; /* config sets only the control register */
        if (left & m->mask)
            code = bx_builder_modifier(d, (uint16_t)(d->pmu->modifiers.first + i),
                                       (left & m->mask) >> m->at, config->part);
        left &= ~m->mask;
    }
    if (!code && d->pmu->slots.n)
        code = bx_perf_select(d, left, config->part, &ch->place);
    if (!code && d->pmu->select_umask != BX_NONE && ch->place == BX_NONE) {
        const bx_cat_field *umask = &fields[d->pmu->select_umask];
        code = bx_builder_umask_number(d, bx_field_of(umask, left), config->part);
        left &= ~bx_cat_field_mask(umask);
    }
    if (code || d->pmu->slots.n)
        return code;
    const bx_cat_field *event = &fields[d->pmu->select_event];
    code = bx_builder_code(d, bx_field_of(event, left), config->part);
    left &= ~bx_cat_field_mask(event);
    if (!code && left)
        code = BX_REFUSE(d, BX_BAD_INPUT, config->part,
                         "bits 0x%" PRIx64 " of config select nothing", left);
    return code;
}

static bool has_code(const bx_event_builder *d, const bx_perf_choice *ch, uint16_t pmu)
{
    uint64_t code = ch->config.part.p ? ch->config.value & 0xff : ch->event.value;
    return code <= UINT16_MAX && bx_cat_event_by_code(d->c, pmu, (uint16_t)code) != BX_NONE;
}

/* Chooses the event for a PMU that has terms for fields of its control register. */
static int choose_fields(bx_event_builder *d, bx_perf_choice *ch)
{
    const bx_cat_field *event = &bx_cat_fields(d->c)[d->pmu->select_event];
    uint64_t control = ch->event.value << event->lo & bx_cat_field_mask(event);
    int32_t unit;
    bx_kernel_pmu(d->c, d->to.pmu, ch->pmu, &unit);
    int code = unit == BX_ANY ? BX_OK : bx_builder_unit(d, (uint64_t)unit, ch->pmu);
    if (!code && bx_field_of(event, control) != ch->event.value)
        code = bx_builder_code(d, ch->event.value, ch->at); /* out of range */
    bx_str rest = ch->terms;
    while (!code && rest.p) {
        bx_str term = bx_str_cut(&rest, ',');
        bx_str digits = term;
        uint16_t field = bx_perf_field(d->c, d->to.pmu, bx_str_cut(&digits, '='));
        uint64_t value = 1;
        if (field == BX_NONE || field == d->pmu->select_event)
            continue;
        const bx_cat_field *f = &bx_cat_fields(d->c)[field];
        code = digits.p ? bx_builder_number(d, digits, &value) : BX_OK;
        if (!code && value > bx_mask_width(f->hi - f->lo + 1u))
            code = BX_REFUSE(d, BX_BAD_INPUT, term, "%s is out of range 0..0x%" PRIx64,
                             bx_quote(term).text, bx_mask_width(f->hi - f->lo + 1u));
        control |= value << f->lo;
    }
    if (d->pmu->select_umask != BX_NONE) {
        const bx_cat_field *umask = &bx_cat_fields(d->c)[d->pmu->select_umask];
        control |= ch->umask.value << umask->lo & bx_cat_field_mask(umask);
    }
    return code ? code : bx_perf_select(d, control, ch->at, &ch->place);
}

int bx_perf_choose(bx_event_builder *d, bx_perf_choice *ch)
{
    uint16_t coded =
        BX_NONE; /* any code is accepted: the first PMU with an event of this code, or the first */
    int32_t unit;
    bool any = false;
    for (unsigned i = d->pmus.first; i < d->pmus.first + d->pmus.n; i++) {
        uint16_t pmu = (uint16_t)i;
        if (!bx_kernel_pmu(d->c, pmu, ch->pmu, &unit))
            continue;
        any = true;
        uint16_t event = chosen(d, ch, pmu);
        if (event != BX_NONE) {
            bx_builder_event(d, pmu, event);
            return BX_OK;
        }
        if (bx_cat_pmus(d->c)[pmu].select_event != BX_NONE &&
            (coded == BX_NONE || (!has_code(d, ch, coded) && has_code(d, ch, pmu))))
            coded = pmu;
    }
    if (!any)
        return bx_perf_unknown_pmu(d, ch->pmu);
    if (ch->name.p || coded == BX_NONE)
        return bx_perf_unknown_event(d, ch);
    bx_builder_raw(d, coded);
    return ch->config.part.p ? read_config(d, ch)
           : bx_kernel_has_registers(d->c, coded)
               ? choose_fields(d, ch)
               : bx_builder_code(d, ch->event.value, ch->event.part);
}

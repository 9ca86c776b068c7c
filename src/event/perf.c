/* Linux perf's spelling: uncore_cbox_0/event=0x34,umask=0x88,edge/. */
#include "base/bits.h"
#include "event/draft.h"
#include "event/hint.h"
#include "event/kernel.h"
#include "event/perf_registers.h"

#include <inttypes.h>
#include <string.h>

/* A term with a number; its part is empty if it was not given. */
typedef struct number {
    bx_str part;
    uint64_t value;
} number;

/* The text, and its terms that choose the event. */
typedef struct choice {
    bx_str pmu, terms;
    bx_str name; /* a word that is no modifier: an event's name */
    number event, umask, config;
    bx_str at;      /* the term that names the event, for messages */
    uint16_t place; /* that the terms select; BX_NONE */
} choice;

/* ---- messages ---- */

static int unknown_pmu(bx_draft *d, bx_str name)
{
    if (name.n == 0)
        return BX_REFUSE(d, BX_BAD_INPUT, ((bx_str){name.p, 1}), "no PMU before '/'");
    bx_nearest near = bx_nearest_to(name);
    bx_names all = {0};
    for (unsigned i = 0; i < d->pmus.n; i++) {
        char kernel[64];
        const char *pattern = bx_cat_z(d->c, bx_cat_pmus(d->c)[d->pmus.first + i].kernel);
        bx_cat_expand(kernel, sizeof kernel, pattern, 0, 0);
        if (!*pattern)
            continue;
        bx_nearest_offer(&near, kernel);
        if (!strstr(all.text, kernel)) /* the clock's is a C-Box's too */
            bx_names_add(&all, kernel);
    }
    int code =
        BX_REFUSE(d, BX_NOT_FOUND, name, "no PMU that Linux calls '%s'", bx_quote(name).text);
    bx_hint_nearest(d->e, &near, "there are", &all);
    return code;
}

static int unknown_event(bx_draft *d, const choice *ch)
{
    bx_nearest near = bx_nearest_to(ch->at);
    bx_names all = {0};
    for (unsigned i = 0; i < d->pmus.n; i++) {
        int32_t unit;
        const bx_cat_pmu *pmu = &bx_cat_pmus(d->c)[d->pmus.first + i];
        if (!bx_kernel_pmu(d->c, (uint16_t)(d->pmus.first + i), ch->pmu, &unit))
            continue;
        bx_nearest_offer_events(&near, d->c, pmu);
        for (unsigned j = 0; j < pmu->events.n; j++)
            bx_names_add(&all, bx_cat_z(d->c, bx_cat_events(d->c)[pmu->events.first + j].name));
    }
    int code = BX_REFUSE(d, BX_NOT_FOUND, ch->at, "%s has no event '%s'", bx_quote(ch->pmu).text,
                         bx_quote(ch->at).text);
    bx_hint_nearest(d->e, &near, "it has", &all);
    return code;
}

static int unknown_term(bx_draft *d, bx_str key)
{
    static const char selecting[][8] = {"event", "umask", "config"};
    bx_nearest near = bx_nearest_to(key);
    bx_names all = {0};
    for (size_t i = 0; i < sizeof selecting / sizeof *selecting; i++) {
        bx_nearest_offer(&near, selecting[i]);
        bx_names_add(&all, selecting[i]);
    }
    for (unsigned i = 0; i < d->pmu->modifiers.n; i++) {
        const char *z = bx_cat_z(d->c, bx_cat_modifiers(d->c)[d->pmu->modifiers.first + i].kernel);
        if (!*z || bx_lowest_bit(bx_kernel_term(d->c, d->to.pmu, bx_str_of(z)).modifiers) != i)
            continue;
        bx_nearest_offer(&near, z);
        bx_names_add(&all, z);
    }
    int code = BX_REFUSE(d, BX_NOT_FOUND, key, "unknown term '%s'", bx_quote(key).text);
    bx_hint_nearest(d->e, &near, "terms", &all);
    return code;
}

/* ---- which event is meant ---- */

/* A word that is a flag of some PMU of this name. */
static bool is_flag(const bx_draft *d, bx_str pmu, bx_str word)
{
    int32_t unit;
    for (unsigned i = d->pmus.first; i < d->pmus.first + d->pmus.n; i++)
        if (bx_kernel_pmu(d->c, (uint16_t)i, pmu, &unit) &&
            bx_kernel_term(d->c, (uint16_t)i, word).modifiers)
            return true;
    return false;
}

/* Whether some PMU of this name has a field of this name in its control register: the one that
 * selects events, or (`other`) another one. */
static bool is_field(const bx_draft *d, bx_str pmu, bx_str key, bool other)
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

static number *selecting(const bx_draft *d, choice *ch, bx_str key)
{
    return bx_str_eq_fold(key, BX_STR("event")) || is_field(d, ch->pmu, key, false) ? &ch->event
           : bx_str_eq_fold(key, BX_STR("umask"))                                   ? &ch->umask
           : bx_str_eq_fold(key, BX_STR("config"))                                  ? &ch->config
                                                                                    : NULL;
}

static int gather_number(bx_draft *d, number *n, bx_str term, bx_str digits)
{
    if (n->part.p)
        return BX_REFUSE(d, BX_BAD_INPUT, term, "two values: '%s' and '%s'", bx_quote(n->part).text,
                         bx_quote(term).text);
    if (digits.n == 0)
        return BX_REFUSE(d, BX_BAD_INPUT, term, "no value after '%s'", bx_quote(term).text);
    n->part = term;
    return bx_draft_number(d, digits, &n->value);
}

/* A term for a field of the control register that selects events beside `event`. */
static bx_str selecting_field(const bx_draft *d, const choice *ch)
{
    bx_str rest = ch->terms;
    while (rest.p) {
        bx_str term = bx_str_cut(&rest, ',');
        bx_str digits = term;
        if (is_field(d, ch->pmu, bx_str_cut(&digits, '='), true))
            return term;
    }
    return (bx_str){NULL, 0};
}

static int gather(bx_draft *d, choice *ch)
{
    bx_str rest = ch->terms;
    while (rest.p) {
        bx_str term = bx_str_cut(&rest, ',');
        bx_str digits = term;
        bx_str key = bx_str_cut(&digits, '=');
        number *n = selecting(d, ch, key);
        if (key.n == 0)
            return BX_REFUSE(d, BX_BAD_INPUT, ((bx_str){term.p, 1}), "a term is missing here");
        if (!n && (digits.p || ch->at.p || is_flag(d, ch->pmu, term)))
            continue; /* a modifier: read when the PMU is known */
        int code = n ? gather_number(d, n, term, digits) : BX_OK;
        if (code)
            return code;
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

/* The event that a PMU has under the chosen name, or under a number that is the kernel's own. */
static uint16_t chosen(const bx_draft *d, const choice *ch, uint16_t pmu)
{
    if (ch->name.p)
        return bx_kernel_event_named(d->c, pmu, ch->name);
    if (ch->config.part.p)
        return bx_kernel_event_numbered(d->c, pmu, ch->config.value & 0xff, ch->config.value >> 8);
    return bx_kernel_event_numbered(d->c, pmu, ch->event.value, ch->umask.value);
}

/* config= holds what the control register does. */
static int read_config(bx_draft *d, choice *ch)
{
    const number *config = &ch->config;
    const bx_cat_field *fields = bx_cat_fields(d->c);
    uint64_t left = config->value;
    int code = BX_OK;
    for (unsigned i = 0; !code && i < d->pmu->modifiers.n; i++) {
        const bx_cat_modifier *m = &bx_cat_modifiers(d->c)[d->pmu->modifiers.first + i];
        if (m->reg != BX_NONE)
            continue; /* config is the control register alone */
        if (left & m->mask)
            code = bx_draft_modifier(d, (uint16_t)(d->pmu->modifiers.first + i),
                                     (left & m->mask) >> m->at, config->part);
        left &= ~m->mask;
    }
    if (!code && d->pmu->select_umask != BX_NONE) {
        const bx_cat_field *umask = &fields[d->pmu->select_umask];
        code = bx_draft_umask_number(d, bx_field_of(umask, left), config->part);
        left &= ~bx_cat_field_mask(umask);
    }
    if (!code && d->pmu->slots.n)
        return bx_perf_select(d, left, config->part, &ch->place);
    const bx_cat_field *event = &fields[d->pmu->select_event];
    if (!code)
        code = bx_draft_code(d, bx_field_of(event, left), config->part);
    left &= ~bx_cat_field_mask(event);
    if (!code && left)
        code = BX_REFUSE(d, BX_BAD_INPUT, config->part,
                         "bits 0x%" PRIx64 " of config select nothing", left);
    return code;
}

static bool has_code(const bx_draft *d, const choice *ch, uint16_t pmu)
{
    uint64_t code = ch->config.part.p ? ch->config.value & 0xff : ch->event.value;
    return code <= UINT16_MAX && bx_cat_event_by_code(d->c, pmu, (uint16_t)code) != BX_NONE;
}

/* The control register of a PMU whose fields have terms. */
static int choose_fields(bx_draft *d, choice *ch)
{
    const bx_cat_field *event = &bx_cat_fields(d->c)[d->pmu->select_event];
    uint64_t control = ch->event.value << event->lo & bx_cat_field_mask(event);
    int32_t unit;
    bx_kernel_pmu(d->c, d->to.pmu, ch->pmu, &unit);
    int code = unit == BX_ANY ? BX_OK : bx_draft_unit(d, (uint64_t)unit, ch->pmu);
    if (!code && bx_field_of(event, control) != ch->event.value)
        code = bx_draft_code(d, ch->event.value, ch->at); /* out of range */
    bx_str rest = ch->terms;
    while (!code && rest.p) {
        bx_str term = bx_str_cut(&rest, ',');
        bx_str digits = term;
        uint16_t field = bx_perf_field(d->c, d->to.pmu, bx_str_cut(&digits, '='));
        uint64_t value = 1;
        if (field == BX_NONE || field == d->pmu->select_event)
            continue;
        const bx_cat_field *f = &bx_cat_fields(d->c)[field];
        code = digits.p ? bx_draft_number(d, digits, &value) : BX_OK;
        if (!code && value > bx_mask_width(f->hi - f->lo + 1u))
            code = BX_REFUSE(d, BX_BAD_INPUT, term, "%s is out of range 0..0x%" PRIx64,
                             bx_quote(term).text, bx_mask_width(f->hi - f->lo + 1u));
        control |= value << f->lo;
    }
    return code ? code : bx_perf_select(d, control, ch->at, &ch->place);
}

/* Settles PMU and event: one that is named, one of the kernel's own numbers, or a code as it is. */
static int choose(bx_draft *d, choice *ch)
{
    uint16_t coded =
        BX_NONE; /* takes any code: the first that has an event of this one, or the first */
    int32_t unit;
    bool any = false;
    for (unsigned i = d->pmus.first; i < d->pmus.first + d->pmus.n; i++) {
        uint16_t pmu = (uint16_t)i;
        if (!bx_kernel_pmu(d->c, pmu, ch->pmu, &unit))
            continue;
        any = true;
        uint16_t event = chosen(d, ch, pmu);
        if (event != BX_NONE) {
            bx_draft_event(d, pmu, event);
            return BX_OK;
        }
        if (bx_cat_pmus(d->c)[pmu].select_event != BX_NONE &&
            (coded == BX_NONE || (!has_code(d, ch, coded) && has_code(d, ch, pmu))))
            coded = pmu;
    }
    if (!any)
        return unknown_pmu(d, ch->pmu);
    if (ch->name.p || coded == BX_NONE)
        return unknown_event(d, ch);
    bx_draft_raw(d, coded);
    return ch->config.part.p ? read_config(d, ch)
           : bx_kernel_has_registers(d->c, coded)
               ? choose_fields(d, ch)
               : bx_draft_code(d, ch->event.value, ch->event.part);
}

/* ---- the rest of the terms ---- */

/* A term for a whole register, or for the counter where codes depend on it. */
static int read_register(bx_draft *d, uint16_t place, bx_str term, bx_str key, bx_str digits)
{
    uint64_t value;
    bool counter = bx_str_eq_fold(key, BX_STR("counter")) && bx_codes_differ(d->c, d->to.pmu);
    bool known = bx_kernel_has_registers(d->c, d->to.pmu);
    if (!digits.n || !(counter || known))
        return unknown_term(d, key);
    int code = bx_draft_number(d, digits, &value);
    if (!code && counter)
        return bx_draft_counter(d, value, term);
    if (!code && known)
        code = bx_perf_register(d, place, key, value, term, &known);
    return code || known ? code : unknown_term(d, key);
}

static int read_modifier(bx_draft *d, uint16_t place, bx_str term)
{
    bx_str digits = term;
    bx_str key = bx_str_cut(&digits, '=');
    bx_term known = bx_kernel_term(d->c, d->to.pmu, key);
    if (!known.modifiers)
        return read_register(d, place, term, key, digits);
    uint64_t value = 1;
    unsigned first = d->pmu->modifiers.first + bx_lowest_bit(known.modifiers);
    if (digits.p ? digits.n == 0 : !bx_cat_modifiers(d->c)[first].flag)
        return BX_REFUSE(d, BX_BAD_INPUT, term, "the term '%s' needs a value", bx_quote(key).text);
    int code = digits.p ? bx_draft_number(d, digits, &value) : BX_OK;
    return code ? code : bx_draft_term(d, known, value, term);
}

/* Unit masks that follow an event's name after '.', and all terms that did not choose it. */
static int read_rest(bx_draft *d, choice *ch)
{
    int code = BX_OK;
    ptrdiff_t joint = bx_str_find(ch->name, '.', 0);
    if (joint >= 0)
        code = bx_read_attributes(d, bx_str_sub(ch->name, (size_t)joint, 1),
                                  bx_str_sub(ch->name, (size_t)joint + 1, ch->name.n));
    bool numbered = d->event && !ch->name.p; /* by a number of the kernel's own, umask included */
    if (!code && ch->umask.part.p && !numbered)
        code = bx_draft_umask_number(d, ch->umask.value, ch->umask.part);
    bx_str rest = ch->terms;
    while (!code && rest.p) {
        bx_str term = bx_str_cut(&rest, ',');
        bx_str value = term;
        bx_str key = bx_str_cut(&value, '=');
        if (!selecting(d, ch, key) && term.p != ch->name.p && !is_field(d, ch->pmu, key, true))
            code = read_modifier(d, ch->place, term);
    }
    return code;
}

/* What follows the closing '/': privilege levels, where the PMU knows them. */
static int read_suffix(bx_draft *d, bx_str suffix)
{
    int code = BX_OK;
    for (size_t i = 0; !code && i < suffix.n; i++) {
        bx_str letter = bx_str_sub(suffix, i, 1);
        uint16_t level = bx_cat_find_modifier(d->c, d->to.pmu, letter);
        if (level == BX_NONE || !(bx_cat_modifiers(d->c)[level].flags & BX_MODIFIER_LEVEL)) {
            code = BX_REFUSE(d, BX_BAD_INPUT, suffix, "'%s' after the closing '/'",
                             bx_quote(suffix).text);
            bx_hint(d->e, "perf's suffixes choose privilege levels and sampling, which counters "
                          "outside the cores do not know");
        } else {
            code = bx_draft_modifier(d, level, 1, letter);
        }
    }
    return code;
}

int bx_read_perf(bx_draft *d, bx_str part)
{
    choice ch = {.place = BX_NONE};
    d->zero_masks = true;
    size_t open = (size_t)bx_str_find(part, '/', 0);
    ptrdiff_t close = bx_str_find(part, '/', open + 1);
    ch.pmu = bx_str_sub(part, 0, open);
    if (close < 0) {
        int code = BX_REFUSE(d, BX_BAD_INPUT, bx_str_sub(part, open, 1), "this '/' is not closed");
        bx_hint(d->e, "PMU/term,term/");
        return code;
    }
    bx_str suffix = bx_str_sub(part, (size_t)close + 1, part.n);
    ch.terms = bx_str_sub(part, open + 1, (size_t)close - open - 1);
    int32_t unit;
    int code = gather(d, &ch);
    if (!code)
        code = choose(d, &ch);
    if (code)
        return code;
    bx_kernel_pmu(d->c, d->to.pmu, ch.pmu, &unit);
    if (unit != BX_ANY)
        code = bx_draft_unit(d, (uint64_t)unit, ch.pmu);
    if (!code)
        code = read_suffix(d, suffix);
    return code ? code : read_rest(d, &ch);
}

/* The Linux kernel's names and codes of PMUs and events, and the terms of other tools. */
#include "event/foreign_names.h"

#include "event/pattern.h"

/* Whether the name has the number of a single unit, "uncore_arb_0", which Linux leaves out. A
 * pattern that ends in a number already has one. */
static bool is_only_unit(bx_str pattern, bx_str name)
{
    uint32_t value;
    return pattern.n && name.n == pattern.n + 2 && bx_str_starts_fold(name, pattern) &&
           bx_str_eq(bx_str_sub(name, pattern.n, name.n), BX_STR("_0")) &&
           !bx_digits(bx_str_sub(pattern, pattern.n - 1, pattern.n), &value);
}

/* "uncore_cbox" of "uncore_cbox_*" and "uncore_cbox*": all units. */
static bx_str without_glob(bx_str name)
{
    if (!name.n || name.p[name.n - 1] != '*')
        return name;
    name.n--;
    name.n -= name.n && name.p[name.n - 1] == '_';
    return name;
}

bool bx_kernel_pmu(const struct bx_catalog *c, uint16_t pmu, bx_str name, int32_t *unit)
{
    name = without_glob(name);
    bx_str pattern = bx_cat_str(c, bx_cat_pmus(c)[pmu].kernel);
    bx_numbers found;
    *unit = BX_ANY;
    if (bx_pattern_match(pattern.p, name, &found)) {
        if (found.unit != BX_NO_NUMBER)
            *unit = (int32_t)(found.unit < INT16_MAX ? found.unit : INT16_MAX);
        return true;
    }
    if (is_only_unit(pattern, name)) {
        *unit = 0;
        return true;
    }
    if (name.n == 0 || !bx_str_starts_fold(pattern, name) || pattern.p[name.n] != '_')
        return false;
    bx_str number = bx_str_sub(pattern, name.n + 1, pattern.n);
    uint32_t value;
    return bx_str_eq(number, BX_STR("{unit}")) ||
           (number.n && bx_digits(number, &value) == number.n);
}

bx_str bx_kernel_stem(bx_str pattern)
{
    const bx_str unit = BX_STR("_{unit}");
    bool has =
        pattern.n > unit.n && bx_str_eq(bx_str_sub(pattern, pattern.n - unit.n, unit.n), unit);
    return has ? bx_str_sub(pattern, 0, pattern.n - unit.n) : pattern;
}

bool bx_kernel_special(const struct bx_catalog *c, const bx_cat_event *event, bx_kernel_event *k)
{
    *k = (bx_kernel_event){0};
    if (!event->kernel || event->flags & BX_EVENT_TERMS)
        return false;
    bx_str rest = bx_cat_str(c, event->kernel);
    k->none = bx_str_eq(rest, BX_STR("none"));
    if (k->none)
        return true;
    while (rest.p) {
        bx_str digits = bx_str_cut(&rest, ',');
        bx_str key = bx_str_cut(&digits, '=');
        uint64_t *number = bx_str_eq(key, BX_STR("umask")) ? &k->umask : &k->event;
        if (!digits.p)
            k->name = key;
        else if (bx_str_eq(key, BX_STR("scale")))
            k->scale = digits;
        else if (bx_str_eq(key, BX_STR("unit")))
            k->unit = digits;
        else if (!bx_str_u64(digits, number))
            return false;
    }
    return true;
}

uint16_t bx_kernel_event_named(const struct bx_catalog *c, uint16_t pmu, bx_str name)
{
    bx_span events = bx_cat_pmus(c)[pmu].events;
    for (unsigned i = 0; i < events.n; i++) {
        bx_kernel_event k;
        if (bx_kernel_special(c, &bx_cat_events(c)[events.first + i], &k) && k.name.n &&
            bx_str_eq_fold(name, k.name))
            return (uint16_t)(events.first + i);
    }
    uint16_t whole = bx_cat_find_event(c, pmu, name); /* dots are a part of an imported name */
    ptrdiff_t separator = bx_str_find(name, '.', 0);
    if (whole != BX_NONE)
        return whole;
    return bx_cat_find_event(c, pmu, separator < 0 ? name : bx_str_sub(name, 0, (size_t)separator));
}

uint16_t bx_kernel_event_numbered(const struct bx_catalog *c, uint16_t pmu, uint64_t event,
                                  uint64_t umask)
{
    bx_span events = bx_cat_pmus(c)[pmu].events;
    for (unsigned i = 0; i < events.n; i++) {
        bx_kernel_event k;
        if (bx_kernel_special(c, &bx_cat_events(c)[events.first + i], &k) && !k.none &&
            k.event == event && k.umask == umask)
            return (uint16_t)(events.first + i);
    }
    return BX_NONE;
}

bx_kernel_named bx_kernel_named_parts(bx_str terms)
{
    static const char scale[] = ",scale=";
    bx_kernel_named parts = {.terms = terms};
    for (size_t i = 0; i < terms.n; i++) {
        bx_str rest = bx_str_sub(terms, i, terms.n);
        if (!bx_str_starts_fold(rest, bx_str_of(scale)))
            continue;
        parts.terms = bx_str_sub(terms, 0, i);
        rest = bx_str_sub(rest, sizeof scale - 1, rest.n);
        parts.scale = bx_str_cut(&rest, ',');
        bx_str_cut(&rest, '=');
        parts.unit = rest;
        break;
    }
    return parts;
}

/* What one of these names stands for; no string: none of them is `name`. */
static bx_str terms_among(const struct bx_catalog *c, bx_span names, bx_str name)
{
    for (unsigned i = names.first; i < (unsigned)names.first + names.n; i++)
        if (bx_str_eq_fold(name, bx_cat_str(c, bx_cat_other_names(c)[i].name)))
            return bx_kernel_named_parts(bx_cat_str(c, bx_cat_other_names(c)[i].terms)).terms;
    return (bx_str){NULL, 0};
}

bx_str bx_kernel_terms(const struct bx_catalog *c, uint16_t pmu, bx_str name)
{
    return terms_among(c, bx_cat_pmus(c)[pmu].perf_names, name);
}

bx_str bx_likwid_terms(const struct bx_catalog *c, uint16_t pmu, bx_str name)
{
    return terms_among(c, bx_cat_pmus(c)[pmu].likwid_names, name);
}

bool bx_kernel_is_word(const struct bx_catalog *c, uint16_t pmu, unsigned i)
{
    int32_t unit;
    bx_span names = bx_cat_pmus(c)[pmu].perf_names;
    return i < names.n && (bx_cat_other_names(c)[names.first + i].generic ||
                           bx_kernel_pmu(c, pmu, BX_STR("cpu"), &unit));
}

bool bx_kernel_raw_word(bx_str word, uint64_t *config)
{
    enum { DIGITS = 16 };
    *config = 0;
    if (word.n < 2 || word.n > DIGITS + 1 || bx_lower(*word.p) != 'r')
        return false;
    for (size_t i = 1; i < word.n; i++) {
        unsigned digit = bx_digit_value(word.p[i]);
        if (digit >= 16)
            return false;
        *config = *config << 4 | digit;
    }
    return true;
}

bool bx_kernel_has_registers(const struct bx_catalog *c, uint16_t pmu)
{
    bx_span regs = bx_cat_pmus(c)[pmu].regs;
    for (unsigned i = 0; i < regs.n; i++)
        if (bx_cat_regs(c)[regs.first + i].kernel)
            return true;
    return false;
}

bool bx_codes_differ(const struct bx_catalog *c, uint16_t pmu)
{
    bx_span events = bx_cat_pmus(c)[pmu].events;
    const bx_cat_event *all = &bx_cat_events(c)[events.first];
    for (unsigned i = 0; i < events.n; i++)
        for (unsigned j = 0; j < i; j++)
            if (all[i].slot == BX_NONE && all[j].slot == BX_NONE && all[i].code == all[j].code &&
                !(all[i].counters & all[j].counters))
                return true;
    return false;
}

/* `member`: offset of the name within the row of a modifier. */
static bx_term term_of(const struct bx_catalog *c, uint16_t pmu, bx_str name, size_t member)
{
    bx_span all = bx_cat_pmus(c)[pmu].modifiers;
    bx_term term = {0, UINT8_MAX};
    for (unsigned i = 0; name.n && i < all.n; i++) {
        const bx_cat_modifier *m = &bx_cat_modifiers(c)[all.first + i];
        const char *row = (const char *)m;
        if (!bx_str_eq_fold(name,
                            bx_cat_str(c, *(const bx_cat_text *)(const void *)(row + member))))
            continue;
        unsigned lo = bx_cat_fields(c)[m->field].lo;
        term.modifiers |= UINT32_C(1) << i;
        term.lo = lo < term.lo ? lo : term.lo;
    }
    return term;
}

bx_term bx_kernel_term(const struct bx_catalog *c, uint16_t pmu, bx_str name)
{
    return term_of(c, pmu, name, offsetof(bx_cat_modifier, kernel));
}

bx_term bx_likwid_term(const struct bx_catalog *c, uint16_t pmu, bx_str name)
{
    return term_of(c, pmu, name, offsetof(bx_cat_modifier, likwid));
}

/* libpfm4's grammar. Its rules for what was read are in libpfm_words.c. */
#include "event/foreign/libpfm_internal.h"
#include "event/pattern.h"

#include <stdio.h>

/* Cuts *rest at its next ':' or '.'; at the end rest->p is NULL. */
static bx_str cut(bx_str *rest)
{
    bx_str s = *rest;
    size_t n = 0;
    while (n < s.n && s.p[n] != ':' && s.p[n] != '.')
        n++;
    *rest = n < s.n ? (bx_str){s.p + n + 1, s.n - n - 1} : (bx_str){NULL, 0};
    return (bx_str){s.p, n};
}

/* ---- numbers: as strtoull(…, 0) reads them ---- */

/* Reads digits up to the end of s, which is not empty. *over: they exceed 64 bits. */
static bool read_digits(bx_str s, unsigned base, uint64_t *value, bool *over)
{
    *value = 0;
    *over = false;
    for (size_t i = 0; i < s.n; i++) {
        unsigned d = bx_digit_value(s.p[i]);
        if (d >= base)
            return false;
        *over |= *value > (UINT64_MAX - d) / base;
        *value = *value * base + d;
    }
    return s.n > 0;
}

bool bx_pfm_number(bx_str s, uint64_t *value)
{
    while (s.n && (*s.p == '\v' || *s.p == '\f' || *s.p == '\r'))
        s = bx_str_sub(s, 1, s.n);
    bool minus = s.n && *s.p == '-', over;
    if (s.n && (*s.p == '-' || *s.p == '+'))
        s = bx_str_sub(s, 1, s.n);
    bool hex = s.n > 2 && *s.p == '0' && bx_lower(s.p[1]) == 'x';
    bool octal = !hex && s.n > 1 && *s.p == '0';
    if (!read_digits(hex ? bx_str_sub(s, 2, s.n) : s, hex ? 16 : octal ? 8 : 10, value, &over))
        return false;
    if (over)
        *value = UINT64_MAX;
    else if (minus)
        *value = 0 - *value;
    return true;
}

/* ---- attributes ---- */

static int add_attribute(bx_pfm_event *p, bx_str part, bx_pfm_attr attr)
{
    if (p->n == BX_PFM_ATTRS)
        return bx_pfm_refuse(p, BX_PFM_TOOMANY, part, "more than 64 attributes");
    p->attr[p->n++] = attr;
    return BX_PFM_SUCCESS;
}

static int add_raw(bx_pfm_event *p, bx_str part, bx_str name, bool has_value)
{
    uint64_t value;
    for (unsigned i = 0; i < p->n; i++)
        if (p->attr[i].kind != BX_PFM_MODIFIER)
            return bx_pfm_refuse(p, BX_PFM_ATTR, part, "a raw unit mask beside another one");
    if (!bx_pfm_number(name, &value))
        return bx_pfm_refuse(p, BX_PFM_ATTR, part, "this is no raw unit mask");
    if (has_value)
        return bx_pfm_refuse(p, BX_PFM_ATTR_VAL, part, "a unit mask takes no value");
    return add_attribute(p, part, (bx_pfm_attr){BX_PFM_NUMBER, 0, value});
}

static int add_umask(bx_pfm_event *p, bx_str part, uint16_t umask)
{
    for (unsigned i = 0; i < p->n; i++)
        if (p->attr[i].kind == BX_PFM_NUMBER)
            return bx_pfm_refuse(p, BX_PFM_ATTR, part, "a unit mask beside a raw one");
    return add_attribute(p, part, (bx_pfm_attr){BX_PFM_UMASKS, umask, 0});
}

static bool read_flag(bx_str s, uint64_t *value)
{
    if (s.n != 1)
        return false;
    unsigned char ch = bx_lower(*s.p);
    *value = ch == 'y' || ch == 't' || ch == '1';
    return *value || ch == 'n' || ch == 'f' || ch == '0';
}

/* `value`: what follows the '='; value.p is NULL if there is none. */
static int add_modifier(bx_pfm_event *p, bx_str part, uint16_t modifier, bx_str value)
{
    const bx_cat_modifier *m = &bx_cat_modifiers(p->c)[modifier];
    bx_pfm_attr attr = {BX_PFM_MODIFIER, modifier, 1};
    if (!value.p && !m->flag)
        return bx_pfm_refuse(p, BX_PFM_ATTR_VAL, part, "this modifier needs a value");
    if (value.p && !value.n)
        return bx_pfm_refuse(p, BX_PFM_ATTR_VAL, part, "no value after '='");
    if (p->n == BX_PFM_ATTRS)
        return bx_pfm_refuse(p, BX_PFM_TOOMANY, part, "more than 64 attributes");
    if (value.p && !(m->flag ? read_flag(value, &attr.value) : bx_pfm_number(value, &attr.value)))
        return bx_pfm_refuse(p, BX_PFM_ATTR_VAL, part, "not a value for this modifier");
    return add_attribute(p, part, attr);
}

/* The unit mask of this name that libpfm4 has, or BX_NONE. */
static uint16_t find_umask(const bx_pfm_event *p, bx_str name)
{
    uint16_t event = (uint16_t)(p->event - bx_cat_events(p->c));
    uint16_t umask = bx_cat_find_umask(p->c, event, name);
    bool has = umask != BX_NONE && !(bx_cat_umasks(p->c)[umask].flags & BX_UMASK_NO_LIBPFM);
    return has ? umask : BX_NONE;
}

static uint16_t find_modifier(const bx_pfm_event *p, bx_str name)
{
    uint16_t pmu = (uint16_t)(p->pmu - bx_cat_pmus(p->c));
    uint16_t modifier = bx_cat_find_modifier(p->c, pmu, name);
    if (modifier == BX_NONE || bx_cat_modifiers(p->c)[modifier].flags & BX_MODIFIER_HIDDEN)
        return BX_NONE;
    return p->event->modifiers >> (modifier - p->pmu->modifiers.first) & 1 ? modifier : BX_NONE;
}

static int read_attribute(bx_pfm_event *p, bx_str part)
{
    bx_str value = part;
    bx_str name = bx_str_cut(&value, '=');
    if (name.n >= 2 && name.p[0] == '0' && bx_lower(name.p[1]) == 'x')
        return add_raw(p, part, name, value.p != NULL);
    uint16_t umask = value.p ? BX_NONE : find_umask(p, name);
    if (umask != BX_NONE)
        return add_umask(p, part, umask);
    uint16_t modifier = find_modifier(p, name);
    if (modifier == BX_NONE)
        return bx_pfm_refuse(p, BX_PFM_ATTR, part, "libpfm4 has no such unit mask or modifier");
    return add_modifier(p, part, modifier, value);
}

/* libpfm4 drops repeated attributes, but skips the attribute that moves to the index of a dropped
 * one. So of three equal ones, two remain. */
static int drop_repeated(bx_pfm_event *p)
{
    for (unsigned i = 0; i < p->n; i++)
        for (unsigned j = i + 1; j < p->n; j++) {
            const bx_pfm_attr *a = &p->attr[i], *b = &p->attr[j];
            if (a->kind != b->kind || a->index != b->index)
                continue;
            if (a->value != b->value)
                return bx_pfm_refuse(p, BX_PFM_ATTR_SET, p->text, "a modifier with two values");
            p->n--;
            for (unsigned k = j; k < p->n; k++)
                p->attr[k] = p->attr[k + 1];
        }
    return BX_PFM_SUCCESS;
}

/* ---- PMU and event ---- */

static bool has_pmu(const struct bx_catalog *c, const bx_cat_pmu *pmu)
{
    const bx_cat_event *events = &bx_cat_events(c)[pmu->events.first];
    for (unsigned i = 0; i < pmu->events.n; i++)
        if (!(events[i].flags & BX_EVENT_NO_LIBPFM))
            return true;
    return false;
}

/* Whether this is libpfm4's name of a unit of the PMU. If there may be several units, the name ends
 * in a number. */
static bool is_named(const struct bx_catalog *c, const bx_cat_pmu *pmu, bx_str name, int16_t *unit)
{
    bx_str own = bx_cat_str(c, pmu->name);
    uint32_t number = 0;
    *unit = -1;
    if (!bx_str_eq_fold(own, bx_str_sub(name, 0, own.n)) || !has_pmu(c, pmu))
        return false;
    bx_str digits = bx_str_sub(name, own.n, name.n);
    if (pmu->unit_max == 1)
        return digits.n == 0;
    if (!digits.n || bx_digits(digits, &number) != digits.n || number >= pmu->unit_max ||
        (digits.n > 1 && *digits.p == '0'))
        return false;
    *unit = (int16_t)number;
    return true;
}

static bool has_event(bx_pfm_event *p, const bx_cat_pmu *pmu, bx_str name)
{
    uint16_t at = (uint16_t)(pmu - bx_cat_pmus(p->c));
    uint16_t found = bx_cat_find_event(p->c, at, name);
    if (found == BX_NONE)
        return false;
    const bx_cat_event *event = &bx_cat_events(p->c)[found];
    if (event->flags & BX_EVENT_NO_LIBPFM ||
        !bx_str_eq_fold(bx_cat_str(p->c, bx_pfm_name(event)), name))
        return false;
    p->pmu = pmu;
    p->event = event;
    return true;
}

/* Reads "pmu::" and the event; *rest is the text after it. */
static int find_event(bx_pfm_event *p, int cpu, bx_str *rest, int16_t *unit)
{
    const char *separator = NULL;
    for (size_t i = 0; !separator && i + 1 < p->text.n; i++)
        if (p->text.p[i] == ':' && p->text.p[i + 1] == ':')
            separator = p->text.p + i;
    bx_str pmu_name = {p->text.p, separator ? (size_t)(separator - p->text.p) : 0};
    *rest = separator ? bx_str_sub(p->text, pmu_name.n + 2, p->text.n) : p->text;
    bx_str name = cut(rest);
    bx_span pmus = {0, (uint16_t)p->c->pmus.n};
    if (!separator)
        pmus = cpu < 0 ? (bx_span){0, 0} : bx_cat_cpus(p->c)[cpu].pmus;
    for (unsigned i = 0; i < pmus.n; i++) {
        const bx_cat_pmu *pmu = &bx_cat_pmus(p->c)[pmus.first + i];
        *unit = pmu->unit_max > 1 ? 0 : -1; /* without a PMU name: the first unit */
        if (separator ? is_named(p->c, pmu, pmu_name, unit) : has_pmu(p->c, pmu)) {
            if (has_event(p, pmu, name))
                return BX_PFM_SUCCESS;
        }
    }
    return bx_pfm_refuse(p, BX_PFM_NOTFOUND, separator ? p->text : name,
                         separator ? "libpfm4 has no such PMU or event"
                                   : "libpfm4 looks for events without a PMU on the host alone");
}

/* Reads the text. bx_pfm_words() checks whether its parts fit each other. */
static int read_event(bx_pfm_event *p, int cpu, bx_pfm_code *to)
{
    bx_str rest, text = p->text;
    for (size_t i = 0; i < text.n; i++)
        if (text.p[i] == ',' || text.p[i] == ' ' || text.p[i] == '\t' || text.p[i] == '\n')
            return bx_pfm_refuse(p, BX_PFM_INVAL, bx_str_sub(text, i, 1),
                                 "libpfm4 takes one event, without blanks");
    int code = find_event(p, cpu, &rest, &to->unit);
    while (!code && rest.p)
        code = read_attribute(p, cut(&rest));
    if (!code)
        code = drop_repeated(p);
    if (code)
        return code;
    to->pmu = (uint16_t)(p->pmu - bx_cat_pmus(p->c));
    to->event = (uint16_t)(p->event - bx_cat_events(p->c));
    return BX_PFM_SUCCESS;
}

int bx_pfm_find(const struct bx_catalog *c, int cpu, bx_str text, bx_pfm_code *to, bx_error *e)
{
    bx_pfm_event p = {.c = c, .text = text, .e = e};
    bx_pfm_code out = {0};
    int code = read_event(&p, cpu, &out);
    if (!code)
        *to = out;
    return code;
}

int bx_pfm_encode(const struct bx_catalog *c, int cpu, bx_str text, unsigned plm, bx_pfm_code *to,
                  bx_error *e)
{
    bx_pfm_event p = {.c = c, .plm = plm, .text = text, .e = e};
    bx_pfm_code out = {0};
    int code = read_event(&p, cpu, &out);
    if (!code)
        code = bx_pfm_words(&p, &out);
    if (!code)
        *to = out;
    return code;
}

/* Reads event strings of the tables' PMUs, as libpfm4 does. */
#include "pfm/tabled_rows.h"

#include <string.h>

static bx_str cut_part(bx_str *rest)
{
    size_t n = 0;
    while (n < rest->n && rest->p[n] != ':' && rest->p[n] != '.')
        n++;
    bx_str part = bx_str_sub(*rest, 0, n);
    *rest = n < rest->n ? bx_str_sub(*rest, n + 1, rest->n) : (bx_str){NULL, 0};
    return part;
}

/* ---- attributes ---- */

static const bx_tabled_row *find_mask(const bx_tabled_event *e, bx_str name)
{
    const bx_tabled_row *mask = bx_tabled_masks(e->pmu, e->event);
    while (mask && !bx_str_eq_fold(bx_str_of(mask->name), name))
        mask = bx_tabled_next_mask(e->pmu, mask);
    return mask;
}

static int add(bx_tabled_event *e, bx_tabled_attribute attribute)
{
    if (e->n == BX_TABLED_ATTRIBUTES)
        return BX_PFM_TOOMANY;
    e->attribute[e->n++] = attribute;
    return BX_PFM_SUCCESS;
}

/* perf's own u and k replace the PMU's. */
static bool takes(const bx_tabled_event *e, int os, unsigned modifier)
{
    bool level = LEVELS >> modifier & 1;
    return e->pmu->core && e->event->modifiers >> modifier & 1 &&
           !(level && os != BX_PFMLIB_OS_NONE);
}

static int take_modifier(bx_tabled_event *e, int os, bx_str name, bx_str text)
{
    uint64_t value;
    unsigned i = 0;
    while (i < BX_TABLED_MODIFIERS &&
           !(takes(e, os, i) && bx_str_eq_fold(bx_str_of(bx_tabled_modifiers[i]), name)))
        i++;
    if (i == BX_TABLED_MODIFIERS)
        return bx_pfmlib_perf_give(&e->perf, bx_tabled_has(e->pmu, e->event), os, name, text);
    if (!(bx_tabled_is_flag(i) ? bx_pfmlib_flag(text, &value)
                               : text.n && bx_pfm_number(text, &value)))
        return BX_PFM_ATTR_VAL;
    return add(e, (bx_tabled_attribute){NULL, (uint8_t)i, value});
}

/* What was read of one string: a number of a unit mask does not go with a name in the same one. */
typedef struct level {
    bool raw, mask;
} level;

static int take_raw(bx_tabled_event *e, level *at, bx_str name, bool has_value)
{
    if (!e->pmu->core || at->raw || at->mask || !bx_pfm_number(name, &e->raw))
        return BX_PFM_ATTR;
    at->raw = e->has_raw = true;
    return has_value ? BX_PFM_ATTR_VAL : BX_PFM_SUCCESS;
}

static int read_attributes(bx_tabled_event *e, int os, bx_str rest);

/* A unit mask that equals others is read as these. */
static int read_attribute(bx_tabled_event *e, int os, level *at, bx_str text)
{
    bx_str name = bx_str_cut(&text, '=');
    if (name.n >= 2 && name.p[0] == '0' && bx_lower(name.p[1]) == 'x')
        return take_raw(e, at, name, text.p != NULL);
    const bx_tabled_row *mask = text.p ? NULL : find_mask(e, name);
    if (!mask)
        return take_modifier(e, os, name, text);
    at->mask = true;
    if (at->raw)
        return BX_PFM_ATTR;
    return mask->equals ? read_attributes(e, os, bx_str_of(mask->equals))
                        : add(e, (bx_tabled_attribute){.mask = mask});
}

static int read_attributes(bx_tabled_event *e, int os, bx_str rest)
{
    level at = {false, false};
    int code = BX_PFM_SUCCESS;
    while (!code && rest.p)
        code = read_attribute(e, os, &at, cut_part(&rest));
    return code;
}

/* libpfm4 drops repeated attributes, but overlooks the one that moves to the place of a dropped
 * one. */
static int drop_repeated(bx_tabled_event *e)
{
    for (unsigned i = 0; i < e->n; i++)
        for (unsigned j = i + 1; j < e->n; j++) {
            const bx_tabled_attribute *a = &e->attribute[i], *b = &e->attribute[j];
            if (a->mask != b->mask || a->modifier != b->modifier)
                continue;
            if (a->value != b->value)
                return BX_PFM_ATTR_SET;
            e->n--;
            memmove(&e->attribute[j], &e->attribute[j + 1], (e->n - j) * sizeof *e->attribute);
        }
    return BX_PFM_SUCCESS;
}

/* ---- events ---- */

/* perf_raw: the config word after an r. */
static bool read_word(bx_str name, uint64_t *word)
{
    *word = 0;
    for (size_t i = 1; i < name.n; i++) {
        unsigned digit = bx_digit_value(name.p[i]);
        if (digit >= 16 || *word >> 60)
            return false;
        *word = *word << 4 | digit;
    }
    return name.n > 1 && *name.p == 'r';
}

static bool find_event(bx_tabled_event *e, bx_str name)
{
    if (e->pmu == &bx_tabled_perf_raw)
        e->event = read_word(name, &e->raw) ? e->pmu->rows : NULL;
    else
        e->event = bx_tabled_named(e->pmu, name);
    return e->event;
}

/* Reads "EVENT:attribute…". */
static int read_named(bx_tabled_event *e, int os, bx_str rest)
{
    int code = BX_PFM_SUCCESS;
    if (!find_event(e, cut_part(&rest)))
        return BX_PFM_NOTFOUND;
    if (e->event->equals) {
        bx_str equals = bx_str_of(e->event->equals);
        e->event = bx_tabled_named(e->pmu, cut_part(&equals));
        code = read_attributes(e, os, equals);
    }
    if (!code)
        code = read_attributes(e, os, rest);
    return code ? code : drop_repeated(e);
}

int bx_tabled_read(const char *text, int os, unsigned active, unsigned nameable,
                   bx_tabled_event *to)
{
    const char *separator = strstr(text, "::");
    bx_str name = {text, separator ? (size_t)(separator - text) : 0};
    bx_str event = bx_str_of(separator ? separator + 2 : text);
    int code = BX_PFM_NOTFOUND;
    if (strpbrk(text, " \t\n,"))
        return BX_PFM_INVAL;
    for (unsigned i = 0; i < BX_TABLED_PMUS && code == BX_PFM_NOTFOUND; i++) {
        const bx_tabled_pmu *p = bx_tabled_pmus[i];
        if ((separator && !bx_str_eq_fold(name, bx_str_of(p->name))) ||
            !((separator ? nameable : active) >> i & 1))
            continue;
        *to = (bx_tabled_event){.pmu = p};
        code = read_named(to, os, event);
    }
    return code;
}

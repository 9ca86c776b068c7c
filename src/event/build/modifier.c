/* Values of modifiers: the names that set them, and settings that contradict each other. */
#include "base/bits.h"
#include "event/build/builder.h"
#include "event/hint.h"

#include <inttypes.h>
#include <stdio.h>

static const char *name_of(const bx_event_builder *d, bx_cat_text t)
{
    return bx_cat_z(d->c, t);
}

static unsigned local_of(const bx_event_builder *d, uint16_t modifier)
{
    return (unsigned)(modifier - d->pmu->modifiers.first);
}

static bool takes(const bx_event_builder *d, uint16_t modifier)
{
    return !d->event || d->event->modifiers >> local_of(d, modifier) & 1;
}

uint16_t bx_builder_twin(const bx_event_builder *d, uint16_t modifier)
{
    /* A twin may have a twin; the last one has none: the catalogue's check `twin`. */
    for (uint16_t twin = modifier; twin != BX_NONE; twin = bx_cat_modifiers(d->c)[twin].twin)
        if (takes(d, twin))
            return twin;
    return modifier;
}

/* ---- contradictions ---- */

/* A setting as text: "mc=DRS", or with a number if the value has no name. */
typedef struct setting_text {
    char text[64];
} setting_text;

static setting_text format_setting(const bx_event_builder *d, const bx_cat_modifier *m,
                                   uint64_t value)
{
    setting_text s;
    for (unsigned i = 0; i < m->values.n; i++) {
        const bx_cat_value *v = &bx_cat_values(d->c)[m->values.first + i];
        if (v->value != value || v->sets.n)
            continue;
        snprintf(s.text, sizeof s.text, "%s=%s", name_of(d, m->name), name_of(d, v->name));
        return s;
    }
    snprintf(s.text, sizeof s.text, "%s=%" PRIu64, name_of(d, m->name), value);
    return s;
}

/* The name that fixed a modifier's value. */
static const char *fixed_by(const bx_event_builder *d, enum bx_setter_kind from, uint16_t item)
{
    if (from == BX_FROM_UMASK)
        return name_of(d, bx_cat_umasks(d->c)[item].name);
    return name_of(d, from == BX_FROM_EVENT ? bx_cat_events(d->c)[item].name
                                            : bx_cat_values(d->c)[item].name);
}

/* Refuses a name whose value for a modifier differs from the value that the modifier already has.
 */
static int refuse_conflict(bx_event_builder *d, enum bx_setter_kind from, uint16_t item,
                           const bx_cat_modifier *m, uint64_t stands_for, uint64_t value,
                           bx_str part)
{
    const char *name = name_of(d, m->name);
    int code = BX_REFUSE(d, BX_BAD_INPUT, part, "%s stands for %s, not %s", fixed_by(d, from, item),
                         format_setting(d, m, stands_for).text, format_setting(d, m, value).text);
    bx_hint(d->e,
            from == BX_FROM_UMASK   ? "leave out '%s', or choose another unit mask"
            : from == BX_FROM_VALUE ? "leave out '%s', or choose another name"
                                    : "leave out '%s'",
            name);
    return code;
}

static int two_values(bx_event_builder *d, const bx_cat_modifier *m, uint64_t before,
                      uint64_t value, bx_str part)
{
    return BX_REFUSE(d, BX_BAD_INPUT, part, "'%s' has two values: %" PRIu64 " and %" PRIu64,
                     name_of(d, m->name), before, value);
}

static int out_of_range(bx_event_builder *d, bx_str part, uint64_t lo, uint64_t hi)
{
    bx_quoted what = bx_quote(part);
    if (hi > UINT16_MAX)
        return BX_REFUSE(d, BX_BAD_INPUT, part, "%s is out of range 0x%" PRIx64 "..0x%" PRIx64,
                         what.text, lo, hi);
    return BX_REFUSE(d, BX_BAD_INPUT, part, "%s is out of range %" PRIu64 "..%" PRIu64, what.text,
                     lo, hi);
}

static void put_value(bx_event_builder *d, unsigned local, uint64_t value)
{
    d->to.modifier[local] = value;
    d->to.given |= UINT32_C(1) << local;
}

/* ---- settings by names ---- */

int bx_builder_set(bx_event_builder *d, enum bx_setter_kind from, uint16_t item,
                   const bx_cat_set *set, bx_str part)
{
    uint16_t modifier = from == BX_FROM_VALUE ? bx_builder_twin(d, set->modifier) : set->modifier;
    const bx_cat_modifier *m = &bx_cat_modifiers(d->c)[modifier];
    unsigned local = local_of(d, modifier);
    if (from == BX_FROM_VALUE && !takes(d, modifier))
        return BX_OK; /* an opcode whose class the event does not check */
    uint32_t bit = UINT32_C(1) << local;
    uint64_t value = set->value;
    /* Several names may each set bits of one modifier. */
    if (d->fixed & bit && m->flags & BX_MODIFIER_BITS)
        value |= d->to.modifier[local];
    else if (d->to.given & bit && d->to.modifier[local] != value)
        return d->fixed & bit && d->setter[local].from == BX_FROM_VALUE
                   ? refuse_conflict(d, BX_FROM_VALUE, d->setter[local].item, m,
                                     d->to.modifier[local], value, part)
                   : refuse_conflict(d, from, item, m, value, d->to.modifier[local], part);
    put_value(d, local, value);
    d->fixed |= bit;
    d->setter[local] = (bx_modifier_setter){from, item};
    return BX_OK;
}

/* Applies the settings that naming a modifier makes: for example, the thread filter sets its
 * enable. */
static int modifier_sets(bx_event_builder *d, const bx_cat_modifier *m, unsigned local, bx_str part)
{
    for (unsigned i = 0; i < m->sets.n; i++) {
        const bx_cat_set *set = &bx_cat_sets(d->c)[m->sets.first + i];
        unsigned other = local_of(d, set->modifier);
        if (d->to.given >> other & 1 && d->to.modifier[other] != set->value)
            return two_values(d, &bx_cat_modifiers(d->c)[set->modifier], d->to.modifier[other],
                              set->value, part);
        put_value(d, other, set->value);
    }
    if (m->sets.n || d->to.modifier[local])
        d->relevant |= m->partners;
    return BX_OK;
}

int bx_builder_modifier(bx_event_builder *d, uint16_t modifier, uint64_t value, bx_str part)
{
    const bx_cat_modifier *m = &bx_cat_modifiers(d->c)[modifier];
    unsigned local = local_of(d, modifier);
    if (!takes(d, modifier))
        return BX_REFUSE(d, BX_BAD_INPUT, part, "%s does not take the modifier '%s'",
                         name_of(d, d->event->name), name_of(d, m->name));
    const bx_cat_field *field = &bx_cat_fields(d->c)[m->field];
    uint64_t lo = d->event ? m->lo : 0;
    uint64_t hi = d->event ? m->hi : bx_mask_width(field->hi - field->lo + 1u);
    if (value < lo || value > hi)
        return out_of_range(d, part, lo, hi);
    uint64_t before = d->to.modifier[local];
    if (d->fixed >> local & 1 && before != value)
        return refuse_conflict(d, d->setter[local].from, d->setter[local].item, m, before, value,
                               part);
    if (d->to.given >> local & 1 && before != value)
        return two_values(d, m, before, value, part);
    put_value(d, local, value);
    return m->sets.n || m->flags & BX_MODIFIER_HIDDEN ? modifier_sets(d, m, local, part) : BX_OK;
}

/* ---- names of values ---- */

/* Whether the settings of the value's name agree with all that was given. */
static bool agrees(const bx_event_builder *d, const bx_cat_value *v)
{
    for (unsigned i = 0; i < v->sets.n; i++) {
        const bx_cat_set *set = &bx_cat_sets(d->c)[v->sets.first + i];
        uint16_t modifier = bx_builder_twin(d, set->modifier);
        unsigned local = local_of(d, modifier);
        if (takes(d, modifier) && d->to.given >> local & 1 && d->to.modifier[local] != set->value)
            return false;
    }
    return true;
}

static int unknown_value(bx_event_builder *d, const bx_cat_modifier *m, bx_str name)
{
    int code = BX_REFUSE(d, BX_NOT_FOUND, name, "'%s' is no value of '%s'", bx_quote(name).text,
                         name_of(d, m->name));
    bx_nearest near = bx_nearest_to(name);
    bx_names all = {0};
    for (unsigned i = 0; i < m->values.n; i++) {
        const char *known = name_of(d, bx_cat_values(d->c)[m->values.first + i].name);
        bx_nearest_offer(&near, known);
        bx_names_add(&all, known);
    }
    bx_hint_nearest(d->e, &near, "numbers, and", &all);
    return code;
}

int bx_builder_value(bx_event_builder *d, uint16_t named, bx_str name, bx_str part)
{
    const bx_cat_modifier *m = &bx_cat_modifiers(d->c)[named];
    uint16_t found = BX_NONE; /* the first one that agrees */
    for (unsigned i = 0; i < m->values.n; i++) {
        uint16_t at = (uint16_t)(m->values.first + i);
        const bx_cat_value *v = &bx_cat_values(d->c)[at];
        if (!bx_str_eq_fold(bx_cat_str(d->c, v->name), name))
            continue;
        if (found == BX_NONE || (!agrees(d, &bx_cat_values(d->c)[found]) && agrees(d, v)))
            found = at;
    }
    if (found == BX_NONE)
        return unknown_value(d, m, name);
    const bx_cat_value *v = &bx_cat_values(d->c)[found];
    int code = bx_builder_modifier(d, bx_builder_twin(d, named), v->value, part);
    for (unsigned i = 0; !code && i < v->sets.n; i++)
        code = bx_builder_set(d, BX_FROM_VALUE, found, &bx_cat_sets(d->c)[v->sets.first + i], part);
    return code;
}

/* ---- other tools' terms ---- */

int bx_builder_term(bx_event_builder *d, bx_term term, uint64_t value, bx_str part)
{
    const bx_cat_modifier *all = &bx_cat_modifiers(d->c)[d->pmu->modifiers.first];
    bool one = !(term.modifiers & (term.modifiers - 1));
    uint64_t left = value;
    int code = BX_OK;
    for (uint32_t rest = term.modifiers; !code && rest; rest &= rest - 1) {
        unsigned i = bx_lowest_bit(rest);
        const bx_cat_field *field = &bx_cat_fields(d->c)[all[i].field];
        uint64_t mask = bx_mask_bits(field->lo - term.lo, field->hi - term.lo);
        uint64_t mine = one ? value : (value & mask) >> (field->lo - term.lo);
        left &= ~mask;
        /* A 0 in the pattern of a whole register selects nothing. */
        bool idle = all[i].masked != BX_NONE || all[i].lo ||
                    !takes(d, (uint16_t)(d->pmu->modifiers.first + i));
        if (!one && !mine && idle)
            continue;
        code = bx_builder_modifier(d, (uint16_t)(d->pmu->modifiers.first + i), mine, part);
    }
    if (!code && left)
        code = BX_REFUSE(d, BX_BAD_INPUT, part, "bits 0x%" PRIx64 " of %s filter nothing", left,
                         bx_quote(part).text);
    return code;
}

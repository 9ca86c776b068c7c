#include "event/draft.h"

#include "base/bits.h"
#include "event/hint.h"

#include <inttypes.h>
#include <stdio.h>

static const char *name_of(const bx_draft *d, bx_cat_text t)
{
    return bx_cat_z(d->c, t);
}

void bx_draft_event(bx_draft *d, uint16_t pmu, uint16_t event)
{
    d->pmu = &bx_cat_pmus(d->c)[pmu];
    d->event = &bx_cat_events(d->c)[event];
    d->to.pmu = pmu;
    d->to.event = event;
    d->to.code = d->event->code;
}

void bx_draft_raw(bx_draft *d, uint16_t pmu)
{
    d->pmu = &bx_cat_pmus(d->c)[pmu];
    d->event = NULL;
    d->to.pmu = pmu;
    d->to.event = BX_RAW;
}

int bx_draft_unit(bx_draft *d, uint64_t unit, bx_str part)
{
    unsigned max = d->pmu->unit_max;
    if (unit >= max) {
        int code =
            BX_REFUSE(d, BX_NOT_FOUND, part, "%s has no such unit", name_of(d, d->pmu->name));
        if (max == 1)
            bx_hint(d->e, "there is one only; its number is 0 or left out");
        else
            bx_hint(d->e, "units are 0 to %u; without a number all are counted", max - 1);
        return code;
    }
    d->to.unit = (int16_t)unit;
    return BX_OK;
}

int bx_draft_counter(bx_draft *d, uint64_t index, bx_str part)
{
    if (d->to.counter != BX_ANY && (uint64_t)d->to.counter != index)
        return BX_REFUSE(d, BX_BAD_INPUT, part, "a second counter for one event");
    if (index > INT16_MAX || !bx_pmu_counter(d->c, d->to.pmu, (unsigned)index)) {
        int code = BX_REFUSE(d, BX_NOT_FOUND, part, "%s has no counter %" PRIu64,
                             name_of(d, d->pmu->name), index);
        bx_hint(d->e, "counters are 0 to %d", d->pmu->counters.n - 1);
        return code;
    }
    d->to.counter = (int16_t)index;
    d->pin = part;
    return BX_OK;
}

/* A unit mask whose name stands for one value of a modifier, besides another value. */
static int against_umask(bx_draft *d, uint16_t umask, const bx_cat_modifier *m, uint64_t stands_for,
                         uint64_t value, bx_str part)
{
    const char *name = name_of(d, m->name);
    int code =
        BX_REFUSE(d, BX_BAD_INPUT, part, "%s stands for %s=%" PRIu64 ", not %s=%" PRIu64,
                  name_of(d, bx_cat_umasks(d->c)[umask].name), name, stands_for, name, value);
    bx_hint(d->e, "leave out '%s', or choose another unit mask", name);
    return code;
}

/* What a unit mask's name sets. Several names may set bits of one modifier together. */
static int umask_sets(bx_draft *d, uint16_t umask, const bx_cat_set *set, bx_str part)
{
    const bx_cat_modifier *m = &bx_cat_modifiers(d->c)[set->modifier];
    unsigned local = (unsigned)(set->modifier - d->pmu->modifiers.first);
    uint32_t bit = UINT32_C(1) << local;
    uint64_t value = set->value;
    if (d->fixed & bit && m->flags & BX_MODIFIER_BITS)
        value |= d->to.modifier[local];
    else if (d->to.given & bit && d->to.modifier[local] != value)
        return against_umask(d, umask, m, value, d->to.modifier[local], part);
    d->to.modifier[local] = value;
    d->to.given |= bit;
    d->fixed |= bit;
    d->fixer[local] = umask;
    return BX_OK;
}

/* One unit mask of a group beside another. */
static int pick(bx_draft *d, uint16_t umask, bx_str part)
{
    const bx_cat_umask *u = &bx_cat_umasks(d->c)[umask];
    unsigned group = (unsigned)(u->group - d->event->groups.first);
    if (!(d->picked >> group & 1)) {
        d->picked |= UINT32_C(1) << group;
        d->pick[group] = umask;
        return BX_OK;
    }
    const bx_cat_umask *first = &bx_cat_umasks(d->c)[d->pick[group]];
    bool same = u == first || (u->value == first->value && !u->sets.n && !first->sets.n);
    if (same || !((u->flags | first->flags) & BX_UMASK_ALONE))
        return BX_OK;
    int code = BX_REFUSE(d, BX_BAD_INPUT, part, "%s does not go with %s", name_of(d, u->name),
                         name_of(d, first->name));
    bx_hint(d->e, "an event has one of them; name two events to count both");
    return code;
}

int bx_draft_umask(bx_draft *d, uint16_t umask, bx_str part)
{
    const bx_cat_umask *u = &bx_cat_umasks(d->c)[umask];
    int code = u->group == BX_NONE ? BX_OK : pick(d, umask, part);
    for (unsigned i = 0; !code && i < u->sets.n; i++)
        code = umask_sets(d, umask, &bx_cat_sets(d->c)[u->sets.first + i], part);
    d->to.umask |= u->value;
    d->takes |= u->takes | u->needs;
    d->needs |= u->needs;
    d->has_umask = true;
    return code;
}

/* A number for a field that events are selected with: select_umask or select_event. */
static int select_number(bx_draft *d, uint16_t field, const char *what, uint64_t value, bx_str part)
{
    if (field == BX_NONE)
        return BX_REFUSE(d, BX_BAD_INPUT, part, "%s has no register that takes a %s",
                         name_of(d, d->pmu->name), what);
    const bx_cat_field *f = &bx_cat_fields(d->c)[field];
    uint64_t most = bx_mask_width(f->hi - f->lo + 1u);
    if (value > most)
        return BX_REFUSE(d, BX_BAD_INPUT, part, "%s is out of range 0..0x%" PRIx64,
                         bx_quote(part).text, most);
    return BX_OK;
}

int bx_draft_umask_number(bx_draft *d, uint64_t value, bx_str part)
{
    int code = select_number(d, d->pmu->select_umask, "umask", value, part);
    if (code)
        return code;
    if (d->has_number && d->number != value)
        return BX_REFUSE(d, BX_BAD_INPUT, part,
                         "'umask' has two values: 0x%" PRIx32 " and 0x%" PRIx64, d->number, value);
    d->number = (uint32_t)value;
    d->has_number = d->has_umask = true;
    d->to.umask |= d->number;
    return BX_OK;
}

int bx_draft_code(bx_draft *d, uint64_t value, bx_str part)
{
    if (d->event) {
        int code = BX_REFUSE(d, BX_BAD_INPUT, part, "%s has a code of its own",
                             name_of(d, d->event->name));
        bx_hint(d->e, "the event word RAW takes any code");
        return code;
    }
    int code = select_number(d, d->pmu->select_event, "code", value, part);
    if (code)
        return code;
    if (d->has_code && d->to.code != value)
        return BX_REFUSE(d, BX_BAD_INPUT, part, "'code' has two values: 0x%x and 0x%" PRIx64,
                         d->to.code, value);
    d->to.code = (uint16_t)value;
    d->has_code = true;
    return BX_OK;
}

static int two_values(bx_draft *d, const bx_cat_modifier *m, uint64_t before, uint64_t value,
                      bx_str part)
{
    return BX_REFUSE(d, BX_BAD_INPUT, part, "'%s' has two values: %" PRIu64 " and %" PRIu64,
                     name_of(d, m->name), before, value);
}

/* What naming a modifier sets besides: the thread filter its enable. */
static int modifier_sets(bx_draft *d, const bx_cat_modifier *m, unsigned local, bx_str part)
{
    for (unsigned i = 0; i < m->sets.n; i++) {
        const bx_cat_set *set = &bx_cat_sets(d->c)[m->sets.first + i];
        unsigned other = (unsigned)(set->modifier - d->pmu->modifiers.first);
        if (d->to.given >> other & 1 && d->to.modifier[other] != set->value)
            return two_values(d, &bx_cat_modifiers(d->c)[set->modifier], d->to.modifier[other],
                              set->value, part);
        d->to.modifier[other] = set->value;
        d->to.given |= UINT32_C(1) << other;
    }
    if (m->sets.n || d->to.modifier[local])
        d->cares |= m->partners;
    return BX_OK;
}

int bx_draft_modifier(bx_draft *d, uint16_t modifier, uint64_t value, bx_str part)
{
    const bx_cat_modifier *m = &bx_cat_modifiers(d->c)[modifier];
    /* A PMU has no more: the catalogue's check `size`. */
    unsigned local = (unsigned)(modifier - d->pmu->modifiers.first) % BX_MODIFIERS;
    if (d->event && !(d->event->modifiers >> local & 1))
        return BX_REFUSE(d, BX_BAD_INPUT, part, "%s does not take the modifier '%s'",
                         name_of(d, d->event->name), name_of(d, m->name));
    uint64_t lo = m->flag ? 0 : m->lo, hi = m->flag ? 1 : m->hi;
    if (value < lo || value > hi)
        return BX_REFUSE(d, BX_BAD_INPUT, part, "%s is out of range %" PRIu64 "..%" PRIu64,
                         bx_quote(part).text, lo, hi);
    uint64_t before = d->to.modifier[local];
    if (d->fixed >> local & 1 && before != value)
        return against_umask(d, d->fixer[local], m, before, value, part);
    if (d->to.given >> local & 1 && before != value)
        return two_values(d, m, before, value, part);
    d->to.modifier[local] = value;
    d->to.given |= UINT32_C(1) << local;
    return m->sets.n || m->flags & BX_MODIFIER_HIDDEN ? modifier_sets(d, m, local, part) : BX_OK;
}

int bx_draft_term(bx_draft *d, bx_term term, uint64_t value, bx_str part)
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
        code = bx_draft_modifier(d, (uint16_t)(d->pmu->modifiers.first + i), mine, part);
    }
    if (!code && left)
        code = BX_REFUSE(d, BX_BAD_INPUT, part, "bits 0x%" PRIx64 " of %s filter nothing", left,
                         bx_quote(part).text);
    return code;
}

int bx_draft_number(bx_draft *d, bx_str digits, uint64_t *value)
{
    if (digits.n && bx_str_u64(digits, value))
        return BX_OK;
    int code = BX_REFUSE(d, BX_BAD_INPUT, digits, "'%s' is not a number", bx_quote(digits).text);
    bx_hint(d->e, "numbers are decimal, or hexadecimal with 0x, of at most 64 bits");
    return code;
}

static void counter_name(const bx_draft *d, const bx_cat_counter *counter, char *to, size_t room)
{
    unsigned unit = d->to.unit < 0 ? 0 : (unsigned)d->to.unit;
    if (!d->likwid)
        snprintf(to, room, "%u", counter->index);
    else
        bx_cat_expand(to, room, name_of(d, counter->likwid ? counter->likwid : d->pmu->likwid),
                      unit, counter->index);
}

void bx_draft_hint_counters(bx_draft *d)
{
    uint32_t can = bx_event_counters(d->c, &d->to);
    bx_names names = {0};
    for (unsigned i = 0; i < d->pmu->counters.n; i++) {
        const bx_cat_counter *counter = &bx_cat_counters(d->c)[d->pmu->counters.first + i];
        char name[32];
        if (can >> counter->index & 1) {
            counter_name(d, counter, name, sizeof name);
            bx_names_add(&names, name);
        }
    }
    bx_hint(d->e, "counters that can: %s", names.text);
}

int bx_draft_wrong_counter(bx_draft *d)
{
    int code = BX_REFUSE(d, BX_NO_FIT, d->pin, "%s cannot be counted on this counter",
                         d->event ? name_of(d, d->event->name) : "RAW");
    bx_draft_hint_counters(d);
    return code;
}

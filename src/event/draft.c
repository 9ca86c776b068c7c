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

int bx_draft_umask(bx_draft *d, uint16_t umask, bx_str part)
{
    const bx_cat_umask *u = &bx_cat_umasks(d->c)[umask];
    for (unsigned i = 0; i < u->sets.n; i++) {
        const bx_cat_set *set = &bx_cat_sets(d->c)[u->sets.first + i];
        unsigned local = (unsigned)(set->modifier - d->pmu->modifiers.first);
        if (d->to.given >> local & 1 && d->to.modifier[local] != set->value)
            return against_umask(d, umask, &bx_cat_modifiers(d->c)[set->modifier], set->value,
                                 d->to.modifier[local], part);
        d->to.modifier[local] = set->value;
        d->to.given |= UINT32_C(1) << local;
        d->fixed |= UINT32_C(1) << local;
        d->fixer[local] = umask;
    }
    d->to.umask |= u->value;
    d->has_umask = true;
    return BX_OK;
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
        return BX_REFUSE(d, BX_BAD_INPUT, part, "'%s' has two values: %" PRIu64 " and %" PRIu64,
                         name_of(d, m->name), before, value);
    d->to.modifier[local] = value;
    d->to.given |= UINT32_C(1) << local;
    return BX_OK;
}

int bx_draft_number(bx_draft *d, bx_str digits, uint64_t *value)
{
    if (digits.n && bx_str_u64(digits, value))
        return BX_OK;
    int code = BX_REFUSE(d, BX_BAD_INPUT, digits, "'%s' is not a number", bx_quote(digits).text);
    bx_hint(d->e, "numbers are decimal, or hexadecimal with 0x, of at most 64 bits");
    return code;
}

/* A raw code that an event has is that event, so that equal registers have one canonical string. */
static int settle_raw(bx_draft *d, bx_str part)
{
    if (!d->has_code) {
        int code = BX_REFUSE(d, BX_BAD_INPUT, part, "RAW without a code");
        bx_hint(d->e, "write %s::RAW:code=0x34:umask=0x88", name_of(d, d->pmu->name));
        return code;
    }
    d->has_umask = true;
    uint32_t used = 0;
    for (unsigned i = 0; i < d->pmu->modifiers.n; i++)
        used |= (uint32_t)(d->to.modifier[i] != 0) << i;
    uint16_t event = bx_event_of_code(d->c, d->to.pmu, d->to.code, used);
    if (event != BX_RAW)
        bx_draft_event(d, d->to.pmu, event);
    return BX_OK;
}

static int settle_umask(bx_draft *d, bx_str part)
{
    if (d->event->umask_default != BX_NONE)
        return bx_draft_umask(d, d->event->umask_default, part);
    int code = BX_REFUSE(d, BX_BAD_INPUT, part, "%s needs a unit mask", name_of(d, d->event->name));
    bx_names names = bx_names_of_umasks(d->c, d->event);
    bx_hint(d->e, "one or more of %s", names.text);
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

int bx_draft_finish(bx_draft *d, bx_str part)
{
    int code = BX_OK;
    if (!d->event)
        code = settle_raw(d, part);
    if (!code && !d->has_umask && d->event->umasks.n)
        code = settle_umask(d, part);
    if (code)
        return code;
    uint32_t can = bx_event_counters(d->c, &d->to);
    if (d->to.counter != BX_ANY && !(can >> d->to.counter & 1))
        return bx_draft_wrong_counter(d);
    unsigned index = d->to.counter != BX_ANY ? (unsigned)d->to.counter : bx_lowest_bit(can);
    d->to.control = bx_event_control(d->c, &d->to, bx_pmu_counter(d->c, d->to.pmu, index));
    d->to.at = (size_t)(part.p - d->text.p);
    d->to.len = part.n;
    return BX_OK;
}

/* Builds an event selection part by part. */
#include "event/build/builder.h"

#include "base/bits.h"
#include "event/hint.h"

#include <inttypes.h>
#include <stdio.h>

static const char *name_of(const bx_event_builder *d, bx_cat_text t)
{
    return bx_cat_z(d->c, t);
}

void bx_builder_event(bx_event_builder *d, uint16_t pmu, uint16_t event)
{
    d->pmu = &bx_cat_pmus(d->c)[pmu];
    d->event = &bx_cat_events(d->c)[event];
    d->to.pmu = pmu;
    d->to.event = event;
    d->to.code = d->event->code;
    for (unsigned i = 0; i < d->event->sets.n; i++) /* not given, or the event's code */
        bx_builder_set(d, BX_FROM_EVENT, event, &bx_cat_sets(d->c)[d->event->sets.first + i],
                       (bx_str){0});
}

void bx_builder_raw(bx_event_builder *d, uint16_t pmu)
{
    d->pmu = &bx_cat_pmus(d->c)[pmu];
    d->event = NULL;
    d->to.pmu = pmu;
    d->to.event = BX_RAW;
}

int bx_builder_unit(bx_event_builder *d, uint64_t unit, bx_str part)
{
    unsigned max = d->pmu->unit_max;
    if (unit >= max) {
        int code =
            BX_REFUSE(d, BX_NOT_FOUND, part, "%s has no such unit", name_of(d, d->pmu->name));
        if (max == 1)
            bx_hint(d->e, "there is only one: write 0, or no number");
        else
            bx_hint(d->e, "units are 0 to %u; without a number all are counted", max - 1);
        return code;
    }
    d->to.unit = (int16_t)unit;
    return BX_OK;
}

static int no_counter(bx_event_builder *d, uint64_t number, bx_str part)
{
    unsigned units = d->to.unit == BX_ANY ? d->pmu->unit_max : (unsigned)d->to.unit + 1;
    unsigned first = d->to.unit == BX_ANY ? 0 : d->pmu->stride * (unsigned)d->to.unit;
    int code = BX_REFUSE(d, BX_NOT_FOUND, part, "%s has no counter %" PRIu64,
                         name_of(d, d->pmu->name), number);
    bx_hint(d->e, "counters are %u to %u", first,
            d->pmu->stride * (units - 1) + d->pmu->counters.n - 1u);
    return code;
}

/* Sets the counter. `number` as it is printed: if a PMU's counter numbers continue from unit to
 * unit, it also determines the unit. */
int bx_builder_counter(bx_event_builder *d, uint64_t number, bx_str part)
{
    uint64_t index = number;
    if (d->pmu->stride && !d->likwid) {
        uint64_t unit = number / d->pmu->stride;
        if (unit >= d->pmu->unit_max || (d->to.unit != BX_ANY && unit != (uint64_t)d->to.unit))
            return no_counter(d, number, part);
        d->to.unit = (int16_t)unit;
        index = number % d->pmu->stride;
    }
    if (d->to.counter != BX_ANY && (uint64_t)d->to.counter != index)
        return BX_REFUSE(d, BX_BAD_INPUT, part, "a second counter for one event");
    if (index > INT16_MAX || !bx_pmu_counter(d->c, d->to.pmu, (unsigned)index))
        return no_counter(d, number, part);
    d->to.counter = (int16_t)index;
    d->counter_part = part;
    return BX_OK;
}

/* The PMU of the same CPU model that has ports, or NULL. */
static const bx_cat_pmu *pmu_with_ports(const bx_event_builder *d)
{
    bx_span pmus = bx_cat_cpus(d->c)[d->pmu->cpu].pmus;
    for (unsigned i = 0; i < pmus.n; i++)
        if (bx_cat_pmus(d->c)[pmus.first + i].ports)
            return &bx_cat_pmus(d->c)[pmus.first + i];
    return NULL;
}

int bx_builder_port(bx_event_builder *d, uint64_t port, bx_str part)
{
    const char *pmu = name_of(d, d->pmu->name);
    unsigned ports = d->pmu->ports, all = ports * d->pmu->unit_max;
    if (!ports) {
        int code = BX_REFUSE(d, BX_BAD_INPUT, part, "%s has no ports", pmu);
        const bx_cat_pmu *other = pmu_with_ports(d);
        if (other)
            bx_hint(d->e, "'port' is a word of %s", name_of(d, other->name));
        return code;
    }
    if (port >= all) {
        int code = BX_REFUSE(d, BX_NOT_FOUND, part, "%s has no port %" PRIu64, pmu, port);
        bx_hint(d->e, "ports are 0 to %u; without a number all are counted", all - 1);
        return code;
    }
    if (d->to.port != BX_ANY && (uint64_t)d->to.port != port)
        return BX_REFUSE(d, BX_BAD_INPUT, part, "'port' has two values: %d and %" PRIu64,
                         d->to.port, port);
    unsigned unit = (unsigned)port / ports;
    if (d->to.unit != BX_ANY && (unsigned)d->to.unit != unit) {
        int code = BX_REFUSE(d, BX_BAD_INPUT, part, "port %" PRIu64 " is one of unit %u, not %d",
                             port, unit, d->to.unit);
        bx_hint(d->e, "unit %d has ports %u to %u", d->to.unit, ports * (unsigned)d->to.unit,
                ports * (unsigned)d->to.unit + ports - 1);
        return code;
    }
    d->to.port = (int16_t)port;
    d->to.unit = (int16_t)unit;
    return BX_OK;
}

int bx_builder_place(bx_event_builder *d, uint64_t place, bx_str part)
{
    if (d->to.place != BX_ANY && (uint64_t)d->to.place != place)
        return BX_REFUSE(d, BX_BAD_INPUT, part, "'place' has two values: %d and %" PRIu64,
                         d->to.place, place);
    d->to.place = (int16_t)(place < INT16_MAX ? place : INT16_MAX);
    d->place_part = part;
    return BX_OK;
}

/* Checks a unit mask against another named one of its group. */
static int name_in_group(bx_event_builder *d, uint16_t umask, bx_str part)
{
    const bx_cat_umask *u = &bx_cat_umasks(d->c)[umask];
    unsigned group = (unsigned)(u->group - d->event->groups.first);
    if (!(d->named_groups >> group & 1)) {
        d->named_groups |= UINT32_C(1) << group;
        d->first_named[group] = umask;
        return BX_OK;
    }
    const bx_cat_umask *first = &bx_cat_umasks(d->c)[d->first_named[group]];
    bool same = u == first || (u->value == first->value && !u->sets.n && !first->sets.n);
    if (same || !((u->flags | first->flags) & BX_UMASK_ALONE))
        return BX_OK;
    int code = BX_REFUSE(d, BX_BAD_INPUT, part, "%s does not go with %s", name_of(d, u->name),
                         name_of(d, first->name));
    bx_hint(d->e, "an event has one of them; name two events to count both");
    return code;
}

int bx_builder_umask(bx_event_builder *d, uint16_t umask, bx_str part)
{
    const bx_cat_umask *u = &bx_cat_umasks(d->c)[umask];
    int code = u->group == BX_NONE ? BX_OK : name_in_group(d, umask, part);
    for (unsigned i = 0; !code && i < u->sets.n; i++)
        code = bx_builder_set(d, BX_FROM_UMASK, umask, &bx_cat_sets(d->c)[u->sets.first + i], part);
    d->to.umask |= u->value;
    d->takes |= u->takes | u->needs;
    d->needs |= u->needs;
    d->has_umask = true;
    return code;
}

/* Sets a field that selects events (select_umask or select_event) to a number. */
static int select_number(bx_event_builder *d, uint16_t field, const char *what, uint64_t value,
                         bx_str part)
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

/* Whether a raw code is the code of a place. */
static bool is_place_code(const bx_event_builder *d, uint64_t code)
{
    for (unsigned s = 0; s < d->pmu->slots.n; s++) {
        bx_span places = bx_cat_slots(d->c)[d->pmu->slots.first + s].places;
        for (unsigned i = 0; i < places.n; i++)
            if (bx_cat_places(d->c)[places.first + i].code == code)
                return true;
    }
    return false;
}

/* Whether a unit mask may go to the register of a slot: that of the event, or of a raw code, which
 * may follow. */
static bool has_choice(const bx_event_builder *d)
{
    for (unsigned s = 0; s < d->pmu->slots.n; s++) {
        uint16_t slot = (uint16_t)(d->pmu->slots.first + s);
        bool possible = !d->event || d->event->slot == slot;
        if (possible && bx_cat_places(d->c)[bx_cat_slots(d->c)[slot].places.first].has)
            return true;
    }
    return false;
}

/* Whether no control register selects the event: it is the only one of its counter. */
static bool is_fixed(const bx_event_builder *d)
{
    const bx_cat_counter *on =
        d->event ? bx_pmu_counter(d->c, d->to.pmu, bx_lowest_bit(d->event->counters)) : NULL;
    return on && bx_counts_one(on);
}

int bx_builder_umask_number(bx_event_builder *d, uint64_t value, bx_str part)
{
    uint16_t field = is_fixed(d) ? BX_NONE : d->pmu->select_umask;
    int code = has_choice(d) && value <= UINT32_MAX ? BX_OK
                                                    : select_number(d, field, "umask", value, part);
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

int bx_builder_code(bx_event_builder *d, uint64_t value, bx_str part)
{
    if (d->event) {
        int code =
            BX_REFUSE(d, BX_BAD_INPUT, part, "%s has a different code", name_of(d, d->event->name));
        bx_hint(d->e, "the event word RAW takes any code");
        return code;
    }
    int code = is_place_code(d, value)
                   ? BX_OK
                   : select_number(d, d->pmu->select_event, "code", value, part);
    if (code)
        return code;
    if (d->has_code && d->to.code != value)
        return BX_REFUSE(d, BX_BAD_INPUT, part,
                         "'code' has two values: 0x%" PRIx32 " and 0x%" PRIx64, d->to.code, value);
    d->to.code = (uint32_t)value;
    d->has_code = true;
    return BX_OK;
}

int bx_builder_number(bx_event_builder *d, bx_str digits, uint64_t *value)
{
    if (digits.n && bx_str_u64(digits, value))
        return BX_OK;
    int code = BX_REFUSE(d, BX_BAD_INPUT, digits, "'%s' is not a number", bx_quote(digits).text);
    bx_hint(d->e, "numbers are decimal, or hexadecimal with 0x, of at most 64 bits");
    return code;
}

static void counter_name(const bx_event_builder *d, const bx_cat_counter *counter, char *to,
                         size_t room)
{
    unsigned unit = d->to.unit < 0 ? 0 : (unsigned)d->to.unit;
    if (!d->likwid)
        snprintf(to, room, "%u", d->pmu->stride * unit + counter->index);
    else
        bx_cat_expand(to, room, name_of(d, counter->likwid ? counter->likwid : d->pmu->likwid),
                      unit, counter->index);
}

void bx_builder_hint_among(bx_event_builder *d, uint32_t can)
{
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

void bx_builder_hint_counters(bx_event_builder *d)
{
    bx_builder_hint_among(d, bx_event_counters(d->c, &d->to));
}

int bx_builder_wrong_counter(bx_event_builder *d)
{
    int code = BX_REFUSE(d, BX_NO_FIT, d->counter_part, "%s cannot be counted on this counter",
                         d->event ? name_of(d, d->event->name) : "RAW");
    bx_builder_hint_counters(d);
    return code;
}

/* Resolves a raw code: the event that has it, or the code as it is. */
#include "event/build/resolve.h"

#include "base/bits.h"
#include "event/hint.h"
#include "event/decode/recognize.h"

#include <inttypes.h>
#include <stdio.h>

/* Refuses a code that belongs to no place although the control register selects a place by it. That
 * place has a code of its own. */
static int check_code(bx_event_builder *d, bx_str part)
{
    const bx_cat_counter *counter = bx_pmu_counter(d->c, d->to.pmu, 0);
    uint64_t control = bx_event_control_at(d->c, &d->to, counter, BX_NONE);
    if (!d->pmu->slots.n || bx_place_selected(d->c, d->pmu, control) == BX_NONE)
        return BX_OK;
    int code = BX_REFUSE(d, BX_BAD_INPUT, part, "%s has no code 0x%" PRIx32,
                         bx_builder_name_of(d, d->pmu->name), d->to.code);
    bx_names names = {0};
    for (unsigned i = 0; i < d->pmu->slots.n; i++) {
        const bx_cat_slot *slot = &bx_cat_slots(d->c)[d->pmu->slots.first + i];
        char name[48];
        snprintf(name, sizeof name, "%u %s", bx_cat_places(d->c)[slot->places.first].code,
                 bx_builder_name_of(d, slot->name));
        bx_names_add(&names, name);
    }
    bx_hint(d->e, "codes are those of its registers: %s", names.text);
    return code;
}

/* Turns a raw code into the event that has it. false: there is none. */
static bool as_event(bx_event_builder *d, uint32_t unusual)
{
    uint16_t reference = bx_event_reference_place(d->c, &d->to);
    uint32_t counters = d->to.counter == BX_ANY ? UINT32_MAX : UINT32_C(1) << d->to.counter;
    uint16_t event = reference == BX_NONE
                         ? bx_event_of_code(d->c, &d->to, counters, unusual & ~d->pmu->shared)
                         : bx_event_of_choice(d->c, &d->to, reference);
    if (event == BX_RAW)
        return false;
    bx_builder_event(d, d->to.pmu, event);
    d->to.umask &= reference == BX_NONE ? UINT32_MAX : ~d->event->code;
    return true;
}

/* Whether the modifiers have values that an event can have. */
static bool in_range(const bx_event_builder *d, uint32_t modifiers)
{
    for (uint32_t left = modifiers; left; left &= left - 1) {
        const bx_cat_modifier *m = bx_builder_local_modifier(d, bx_lowest_bit(left));
        uint64_t value = d->to.modifier[bx_lowest_bit(left)];
        if (value < m->lo || value > m->hi)
            return false;
    }
    return true;
}

static int refuse_modifier(bx_event_builder *d, uint32_t modifiers, bx_str part)
{
    return BX_REFUSE(
        d, BX_BAD_INPUT, part, "%s does not take the modifier '%s'",
        d->event ? bx_builder_name_of(d, d->event->name) : "RAW",
        bx_builder_name_of(d, bx_builder_local_modifier(d, bx_lowest_bit(modifiers))->name));
}

/* Keeps a raw code: its registers may have any contents. But it refuses the mask of a pattern that
 * is off, because that belongs to another event. */
static int resolve_code(bx_event_builder *d, uint32_t unusual, bx_str part)
{
    d->relevant |= unusual | (bx_code_fixes(d->c, &d->to) & d->to.given);
    d->relevant = bx_event_with_masks(d->c, d->to.pmu, d->relevant);
    bool borrows = bx_event_reference_place(d->c, &d->to) != BX_NONE;
    int code = borrows ? BX_OK : check_code(d, part);
    if (!code)
        code = bx_refuse_unused_masks(d, unusual, part);
    return code ? code : bx_resolve_place(d, part);
}

int bx_resolve_raw(bx_event_builder *d, bx_str part)
{
    if (!d->has_code) {
        int code = BX_REFUSE(d, BX_BAD_INPUT, part, "RAW without a code");
        bx_hint(d->e, "write %s::RAW:code=0x34:umask=0x88", bx_builder_name_of(d, d->pmu->name));
        return code;
    }
    d->has_umask = d->has_number = true;
    bx_resolve_levels(d);
    bx_resolve_presets(d);
    bx_resolve_masks(d);
    uint32_t unusual = bx_event_unusual(d->c, &d->to);
    bx_event_builder named = *d;
    if (!as_event(&named, unusual)) {
        uint32_t loose = unusual & ~bx_code_takes(d->c, &d->to);
        return loose ? refuse_modifier(d, loose, part) : resolve_code(d, unusual, part);
    }
    bx_event_builder tried = named;
    tried.e = NULL;
    bool takes = !(unusual & ~named.event->modifiers);
    if (takes && in_range(d, unusual) && !bx_resolve_event(&tried, part)) {
        tried.e = d->e;
        *d = tried;
        return BX_OK;
    }
    /* A modifier that belongs to other events or unit masks is refused for this event. */
    if (!takes)
        return refuse_modifier(&named, unusual & ~named.event->modifiers, part);
    if (unusual & ~bx_event_takes(d->c, &named.to))
        return bx_resolve_event(&named, part);
    if (d->to.counter == BX_ANY && bx_codes_differ(d->c, d->to.pmu))
        d->to.counter = (int16_t)bx_lowest_bit(named.event->counters);
    return resolve_code(d, unusual, part);
}

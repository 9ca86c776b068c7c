/* Resolves a raw code: the event that has it, or the code as it is. */
#include "event/build/resolve.h"

#include "base/bits.h"
#include "event/hint.h"
#include "event/decode/recognize.h"

#include <inttypes.h>
#include <stdio.h>

/* Refuses a code that belongs to no place, where the PMU's control register would select one by it.
 * That place has a code of its own. */
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

int bx_resolve_raw(bx_event_builder *d, bx_str part)
{
    if (!d->has_code) {
        int code = BX_REFUSE(d, BX_BAD_INPUT, part, "RAW without a code");
        bx_hint(d->e, "write %s::RAW:code=0x34:umask=0x88", bx_builder_name_of(d, d->pmu->name));
        return code;
    }
    d->has_umask = d->has_number = true;
    bx_resolve_presets(d);
    bx_resolve_masks(d);
    uint32_t unusual = bx_event_unusual(d->c, &d->to);
    uint16_t reference = bx_event_reference_place(d->c, &d->to);
    uint32_t counters = d->to.counter == BX_ANY ? UINT32_MAX : UINT32_C(1) << d->to.counter;
    uint16_t event = reference == BX_NONE
                         ? bx_event_of_code(d->c, &d->to, counters, unusual & ~d->pmu->shared)
                         : bx_event_of_choice(d->c, &d->to, reference);
    uint32_t takes = UINT32_MAX;
    if (reference != BX_NONE)
        takes = ~d->pmu->shared | bx_cat_slots(d->c)[bx_cat_places(d->c)[reference].slot].modifiers;
    if (event != BX_RAW) {
        bx_builder_event(d, d->to.pmu, event);
        d->to.umask &= reference == BX_NONE ? UINT32_MAX : ~d->event->code;
        takes = d->event->modifiers;
    }
    if (!(unusual & ~takes))
        return reference == BX_NONE && event == BX_RAW ? check_code(d, part) : BX_OK;
    return BX_REFUSE(
        d, BX_BAD_INPUT, part, "%s does not take the modifier '%s'",
        d->event ? bx_builder_name_of(d, d->event->name) : "RAW",
        bx_builder_name_of(d, bx_builder_local_modifier(d, bx_lowest_bit(unusual & ~takes))->name));
}

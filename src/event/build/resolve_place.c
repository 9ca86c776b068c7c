/* Checks a named place: whether the event can borrow it. */
#include "event/build/resolve.h"

#include "base/bits.h"
#include "event/hint.h"

#include <inttypes.h>

static int no_place(bx_event_builder *d)
{
    bx_evsel free = d->to;
    free.place = BX_ANY;
    uint16_t first;
    uint16_t reference = bx_event_reference_place(d->c, &free);
    const char *name = d->event ? bx_builder_name_of(d, d->event->name) : "RAW";
    if (reference == BX_NONE) {
        int code =
            BX_REFUSE(d, BX_BAD_INPUT, d->place_part, "%s has no places to choose from", name);
        bx_hint(d->e, "leave out '%s'", bx_quote(d->place_part).text);
        return code;
    }
    unsigned n = bx_event_places(d->c, &free, bx_cat_places(d->c)[reference].port, &first);
    unsigned lowest = bx_cat_places(d->c)[first].index;
    int code = BX_REFUSE(d, BX_NOT_FOUND, d->place_part, "%s has no such place", name);
    if (n == 1)
        bx_hint(d->e, "it has only one, %u: leave the number out", lowest);
    else
        bx_hint(d->e, "places are %u to %u; without a number any that is free is taken", lowest,
                lowest + n - 1);
    return code;
}

/* An event at a named place may have another event's name there: uses that name. */
static void resolve_name(bx_event_builder *d)
{
    if (d->event->place != BX_ANY_PLACE || d->event->slot == BX_NONE)
        return;
    for (unsigned i = 0; i < d->pmu->events.n; i++) {
        const bx_cat_event *other = &bx_cat_events(d->c)[d->pmu->events.first + i];
        if (other->slot != d->event->slot || other->place != d->to.place ||
            other->code != d->event->code || d->event->modifiers & ~other->modifiers)
            continue;
        d->event = other;
        d->to.event = (uint16_t)(d->pmu->events.first + i);
        d->to.place = BX_ANY;
        return;
    }
}

/* The largest value of the field that the choice goes to: that of a place, or of the control
 * register. */
static uint64_t most_of(const bx_event_builder *d, uint16_t reference)
{
    if (reference != BX_NONE) {
        const bx_cat_place *p = &bx_cat_places(d->c)[reference];
        return p->has ? bx_mask_width(p->hi - p->lo + 1u) : 0;
    }
    const bx_cat_field *f = &bx_cat_fields(d->c)[d->pmu->select_umask];
    return d->pmu->select_umask == BX_NONE ? UINT64_MAX : bx_mask_width(f->hi - f->lo + 1u);
}

static int check_choice(bx_event_builder *d, uint16_t reference, bx_str part)
{
    uint64_t most = most_of(d, reference);
    if (d->to.umask <= most)
        return BX_OK;
    return BX_REFUSE(d, BX_BAD_INPUT, part, "umask=0x%" PRIx32 " is out of range 0..0x%" PRIx64,
                     d->to.umask, most);
}

int bx_resolve_place(bx_event_builder *d, bx_str part)
{
    uint16_t reference = bx_event_reference_place(d->c, &d->to);
    int code = check_choice(d, reference, part);
    if (code || d->to.place == BX_ANY)
        return code;
    if (reference == BX_NONE)
        return no_place(d);
    if (d->event && d->event->place == d->to.place)
        d->to.place = BX_ANY; /* the event's name implies the place */
    else if (d->event)
        resolve_name(d);
    return BX_OK;
}

/* A place that was named: whether the event can borrow it. */
#include "event/build/resolve.h"

#include "base/bits.h"
#include "event/hint.h"

#include <inttypes.h>

static int no_place(bx_draft *d)
{
    bx_evsel free = d->to;
    free.place = BX_ANY;
    uint16_t first;
    uint16_t home = bx_event_home(d->c, &free);
    const char *name = d->event ? bx_settle_name_of(d, d->event->name) : "RAW";
    if (home == BX_NONE) {
        int code =
            BX_REFUSE(d, BX_BAD_INPUT, d->pin_place, "%s has no places to choose from", name);
        bx_hint(d->e, "leave out '%s'", bx_quote(d->pin_place).text);
        return code;
    }
    unsigned n = bx_event_places(d->c, &free, bx_cat_places(d->c)[home].port, &first);
    unsigned lowest = bx_cat_places(d->c)[first].index;
    int code = BX_REFUSE(d, BX_NOT_FOUND, d->pin_place, "%s has no such place", name);
    if (n == 1)
        bx_hint(d->e, "it has one only, %u; its number is left out", lowest);
    else
        bx_hint(d->e, "places are %u to %u; without a number any that is free is taken", lowest,
                lowest + n - 1);
    return code;
}

/* An event that is pinned to a place and is another's there by a name of its own is that one. */
static void settle_name(bx_draft *d)
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

/* Whether the choice fits the field that it goes to. */
static int check_choice(bx_draft *d, uint16_t home, bx_str part)
{
    const bx_cat_place *p = &bx_cat_places(d->c)[home];
    uint64_t most = p->has ? bx_mask_width(p->hi - p->lo + 1u) : 0;
    if (d->to.umask <= most)
        return BX_OK;
    return BX_REFUSE(d, BX_BAD_INPUT, part, "umask=0x%" PRIx32 " is out of range 0..0x%" PRIx64,
                     d->to.umask, most);
}

int bx_settle_place(bx_draft *d, bx_str part)
{
    uint16_t home = bx_event_home(d->c, &d->to);
    int code = home == BX_NONE ? BX_OK : check_choice(d, home, part);
    if (code || d->to.place == BX_ANY)
        return code;
    if (home == BX_NONE)
        return no_place(d);
    if (d->event && d->event->place == d->to.place)
        d->to.place = BX_ANY; /* its name says so */
    else if (d->event)
        settle_name(d);
    return BX_OK;
}

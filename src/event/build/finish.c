/* Finishes an event: resolves it, and derives the contents of its registers. */
#include "event/build/resolve.h"

#include "base/bits.h"
#include "event/event.h"

int bx_builder_finish(bx_event_builder *d, bx_str part)
{
    int code = d->event ? bx_resolve_event(d, part) : bx_resolve_raw(d, part);
    if (code)
        return code;
    uint32_t can = bx_event_counters(d->c, &d->to);
    if (d->to.counter != BX_ANY && !(can >> d->to.counter & 1))
        return bx_builder_wrong_counter(d);
    unsigned index = d->to.counter != BX_ANY ? (unsigned)d->to.counter : bx_lowest_bit(can);
    d->to.control =
        bx_event_control(d->c, &d->to, &bx_cat_counters(d->c)[d->pmu->counters.first + index]);
    bx_event_extras(d->c, &d->to, d->relevant);
    d->to.at = (size_t)(part.p - d->text.p);
    d->to.len = part.n;
    return BX_OK;
}

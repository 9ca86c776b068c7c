/* Compares the node filters of events with the packages of the machine. */
#include "measure/nodes.h"

#include "base/bits.h"
#include "event/event.h"

#include <inttypes.h>

static void compare_nodes(const bx_listener *to, const bx_topology *t, const bx_evsel *event)
{
    const struct bx_catalog *c = t->catalog;
    bx_span all = bx_cat_pmus(c)[event->pmu].modifiers;
    for (unsigned i = 0; i < all.n; i++) {
        const bx_cat_modifier *m = &bx_cat_modifiers(c)[all.first + i];
        uint64_t beyond = event->modifier[i] & ~bx_mask_width(t->packages);
        if (m->flags & BX_MODIFIER_NODES && event->given >> i & 1 && beyond)
            bx_tell(to,
                    "warning: %s=0x%" PRIx64 " names nodes that this machine does not have: "
                    "nothing is counted of 0x%" PRIx64 ", it has 0 to %u",
                    bx_cat_z(c, m->name), event->modifier[i], beyond, t->packages - 1);
    }
}

void bx_note_nodes(const bx_listener *to, const bx_topology *t, const bx_evsel *events, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (bx_event_is_valid(t->catalog, &events[i]))
            compare_nodes(to, t, &events[i]);
}

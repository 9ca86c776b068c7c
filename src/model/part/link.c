/* Lines on a link between packages. */
#include "model/part/link.h"

enum { MEGA = 1000000 };

void bx_link_power_on(struct bx_link *l, const bx_model_times *times, uint32_t line_bytes,
                      uint64_t hz)
{
    uint64_t rate = (uint64_t)times->link_rate * MEGA; /* bytes a second */

    l->latency = times->link;
    l->latency_modified = times->link_modified ? times->link_modified : times->link;
    l->line = rate ? (((uint64_t)line_bytes * hz << BX_FINE_TIME_BITS) + rate - 1) / rate : 0;
    l->direction[0].shortest = l->direction[1].shortest = l->line;
}

uint64_t bx_link_send(struct bx_link *l, unsigned from, bool modified, uint64_t t)
{
    uint64_t latency = modified ? l->latency_modified : l->latency;

    if (!l->line)
        return t + latency;
    struct bx_use_gap gap = bx_use_gap_of(&l->direction[from], t << BX_FINE_TIME_BITS, l->line);
    bx_use_put(&l->direction[from], gap, l->line);
    return ((gap.begin + (1 << BX_FINE_TIME_BITS) - 1) >> BX_FINE_TIME_BITS) + latency;
}

/* Asks who causes what a pass counts. */
#include "measure/pass.h"

#include "base/error.h"
#include "session/counter.h"

#include <stdlib.h>

int bx_pass_attribute(const bx_pass *p, bool *told, bx_error *e)
{
    size_t n, asked = 0;
    const bx_measured *measured = p->of->measured;
    const bx_reading *list = bx_session_readings(p->session, &n);
    bx_attribute_ask *ask = calloc(n + 1, sizeof *ask);
    if (!ask)
        return bx_out_of_memory(e);
    for (size_t i = 0; i < n; i++) {
        if (list[i].event >= measured->events_n) /* the event of --sample */
            continue;
        bx_attribute_ask *to = &ask[asked];
        *to = (bx_attribute_ask){.event = measured->events[list[i].event],
                                 .package = list[i].package,
                                 .unit = list[i].unit,
                                 .number = list[i].event,
                                 .reading = (uint32_t)i,
                                 .scale = list[i].scale ? list[i].scale : 1};
        bool there = list[i].state <= BX_SCALED || list[i].state == BX_NOT_MEASURED;
        if (there && bx_session_counter(p->session, i, &to->event.counter, &to->place))
            asked++;
    }
    int code = bx_machine_attribute(p->machine, ask, asked, (unsigned)measured->events_n, told, e);
    free(ask);
    return code;
}

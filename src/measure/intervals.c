/* Makes intervals of the readings at their ends. */
#include "measure/pass.h"

#include "base/error.h"

#include <stdlib.h>
#include <string.h>

/* The first interval determines the lines of all. */
static int open_interval(bx_measurement *m, const bx_readings *now, bx_error *e)
{
    bx_result *r = m->result;
    if (r->interval)
        return BX_OK;
    m->before = bx_arena_get(m->arena, (now->n + 1) * sizeof *m->before);
    r->interval = bx_arena_get(m->arena, sizeof *r->interval);
    if (m->arena->failed)
        return bx_out_of_memory(e);
    return bx_result_open(r->interval, m->measured, now->list, now->n, m->arena, e);
}

int bx_measurement_end_interval(bx_measurement *m, const bx_readings *now, bool partial,
                                bx_error *e)
{
    int code = open_interval(m, now, e);
    bx_reading *grown = code ? NULL : malloc((now->n + 1) * sizeof *grown);
    if (!grown)
        return code ? code : bx_out_of_memory(e);
    for (size_t i = 0; i < now->n; i++)
        grown[i] = bx_reading_since(&now->list[i], &m->before[i]);
    bx_result *r = m->result->interval;
    bx_report_clear(&r->report);
    bx_result_add(r, grown, now->time - m->reported);
    free(grown);
    memcpy(m->before, now->list, now->n * sizeof *now->list);
    m->reported = now->time;
    r->at = (double)now->at / m->measured->hz;
    r->partial = partial;
    return m->o.at_interval ? m->o.at_interval(m->o.context, r, e) : BX_OK;
}

/* Events of a virtual machine as selections of its model. */
#include "machine/backend/virtual_events.h"

#include "base/bits.h"
#include "base/error.h"
#include "event/event.h"
#include "model/engine/attribution_course.h"
#include "vpmu/vpmu.h"

#include <stdlib.h>

/* The registers of an event on a counter. */
typedef struct planned {
    bx_regvalue reg[1 + BX_EXTRAS];
    size_t n;
} planned;

static uint64_t planned_value(const void *of, uint16_t reg)
{
    const planned *p = of;
    for (size_t i = 0; i < p->n; i++)
        if (p->reg[i].reg == reg)
            return p->reg[i].value;
    return 0;
}

static uint64_t planned_field(const struct bx_catalog *c, const planned *p, uint16_t field)
{
    const bx_cat_field *f = field != BX_NONE ? &bx_cat_fields(c)[field] : NULL;
    return f ? bx_bits_get(planned_value(p, f->reg), f->lo, f->hi) : 0;
}

/* The threshold that the model compares with; 0: it does not compare. */
static uint32_t compared(const bx_backend *b, bx_selection sel, uint32_t threshold, bool inverted)
{
    bx_signals *signals = bx_model_signals(b->model);
    sel.threshold = threshold;
    return threshold && !inverted && signals->compares(signals, &sel) ? threshold : 0;
}

/* The selection that an event of this CPU makes at a place, in a counter of its own. *by_cycle: the
 * counter compares the level with a threshold, or counts rises. */
bx_selection bx_virtual_selection(const bx_backend *b, const bx_evsel *event, uint16_t place,
                                  bool *by_cycle)
{
    const bx_topology *t = &b->topology;
    const struct bx_catalog *c = t->catalog;
    unsigned index = event->counter != BX_ANY ? (unsigned)event->counter
                                              : bx_lowest_bit(bx_event_counters(c, event));
    const bx_cat_counter *counter = bx_pmu_counter(c, event->pmu, index);
    planned p = {.n = 0};
    bx_selection sel = {
        .box = (uint16_t)(event->pmu - bx_cat_cpus(c)[t->cpu].pmus.first),
        .code = event->code,
        .umask = event->umask,
        .levels = (uint8_t)bx_event_levels(c, event),
    };
    *by_cycle = false;
    if (!counter)
        return sel;
    p.n = bx_event_registers_at(c, event, counter, place, p.reg);
    bx_vpmu_select(c, counter, &(bx_vreg_reader){planned_value, &p}, &sel);
    uint32_t threshold = (uint32_t)planned_field(c, &p, counter->threshold);
    sel.threshold = compared(b, sel, threshold, planned_field(c, &p, counter->invert));
    *by_cycle = threshold != sel.threshold || planned_field(c, &p, counter->edge);
    return sel;
}

static bool is_of_its_cpu(const bx_backend *b, const bx_evsel *event)
{
    const bx_topology *t = &b->topology;
    return bx_event_is_valid(t->catalog, event) &&
           bx_cat_pmus(t->catalog)[event->pmu].cpu == t->cpu;
}

/* Whether the event's counter counts what another counter counts. */
static bool follows(const bx_backend *b, const bx_evsel *event)
{
    return event->event != BX_RAW &&
           bx_cat_events(b->topology.catalog)[event->event].follows != BX_NO_COUNTER;
}

bool bx_virtual_produces(const bx_backend *b, const bx_evsel *event, uint16_t place)
{
    if (!is_of_its_cpu(b, event))
        return false;
    if (follows(b, event))
        return true;
    bool by_cycle;
    bx_selection sel = bx_virtual_selection(b, event, place, &by_cycle);
    return by_cycle ? bx_model_reports(b->model, &sel) : bx_model_produces(b->model, &sel);
}

bool bx_virtual_describe(const bx_backend *b, const bx_evsel *event, uint16_t place, bx_buf *to)
{
    if (!is_of_its_cpu(b, event))
        return false;
    if (follows(b, event)) {
        bx_buf_f(to, "what counter %u counts",
                 bx_cat_events(b->topology.catalog)[event->event].follows);
        return true;
    }
    bool by_cycle;
    bx_selection sel = bx_virtual_selection(b, event, place, &by_cycle);
    return bx_model_describe(b->model, &sel, to);
}

bool bx_virtual_needs_remarks(const bx_backend *b, const bx_evsel *event, uint16_t place)
{
    if (!is_of_its_cpu(b, event) || follows(b, event))
        return false;
    bool by_cycle;
    bx_selection sel = bx_virtual_selection(b, event, place, &by_cycle);
    return bx_model_needs_remarks(b->model, &sel);
}

/* ---- who causes them: model/engine/attribution.h ---- */

/* The selection of a reading. false: no tallies alone are its count. */
static bool is_told(const bx_backend *b, const bx_attribute_ask *ask, bx_attributed *to)
{
    bool by_cycle;
    if (!is_of_its_cpu(b, &ask->event) || follows(b, &ask->event))
        return false;
    bx_selection sel = bx_virtual_selection(b, &ask->event, ask->place, &by_cycle);
    sel.package = ask->package;
    sel.unit = ask->unit;
    to->event = ask->number;
    to->reading = ask->reading;
    return !by_cycle && ask->scale == 1 && bx_model_signal_of(b->model, &sel, &to->signal) &&
           bx_attribution_can(b->model, &to->signal);
}

int bx_virtual_attribute(bx_backend *b, const bx_attribute_ask *ask, size_t n, unsigned events,
                         bool *told, bx_error *e)
{
    bx_attributed *of = calloc(n + 1, sizeof *of);
    size_t made = 0;
    if (!of)
        return bx_out_of_memory(e);
    for (unsigned i = 0; i < events; i++)
        told[i] = false;
    for (size_t i = 0; i < n; i++)
        told[ask[i].number] = true;
    for (size_t i = 0; i < n; i++)
        told[ask[i].number] &= is_told(b, &ask[i], &of[0]);
    for (size_t i = 0; i < n; i++)
        if (told[ask[i].number] && is_told(b, &ask[i], &of[made]))
            made++;
    if (bx_attribution_begin(b->model, of, made, events))
        return BX_OK;
    free(of);
    return bx_out_of_memory(e);
}

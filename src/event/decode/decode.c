/* Turns register values back into events. */
#include "base/bits.h"
#include "base/error.h"
#include "event/event.h"
#include "event/decode/recognize.h"
#include "event/decode/decode.h"

#include <inttypes.h>

static const bx_cat_counter *controlled_by(const struct bx_catalog *c, uint16_t reg)
{
    bx_span counters = bx_cat_pmus(c)[bx_cat_regs(c)[reg].pmu].counters;
    for (unsigned i = 0; i < counters.n; i++) {
        const bx_cat_counter *counter = &bx_cat_counters(c)[counters.first + i];
        if (counter->control == reg)
            return counter;
    }
    return NULL;
}

/* A selection for any event of a counter, on any unit. */
static bx_evsel any_event(const bx_cat_counter *counter)
{
    return (bx_evsel){
        .pmu = counter->pmu,
        .event = BX_RAW,
        .unit = BX_ANY,
        .package = BX_ANY,
        .port = BX_ANY,
        .place = BX_ANY,
        .counter = counter->index,
    };
}

/* Sets the one event of a counter whose control register selects nothing. */
static void only_event(const struct bx_catalog *c, unsigned index, bx_evsel *event)
{
    bx_span events = bx_cat_pmus(c)[event->pmu].events;
    for (uint16_t i = events.first; i < events.first + events.n; i++) {
        const bx_cat_event *e = &bx_cat_events(c)[i];
        if (!(e->counters >> index & 1))
            continue;
        event->event = i;
        event->code = e->code;
        if (e->umask_default != BX_NONE)
            event->umask = bx_cat_umasks(c)[e->umask_default].value;
        return;
    }
}

bx_evsel bx_event_of_counter(const struct bx_catalog *c, const bx_cat_counter *counter)
{
    bx_evsel event = any_event(counter);
    only_event(c, counter->index, &event);
    event.given = bx_cat_pmus(c)[counter->pmu].levels; /* it counts at all levels */
    for (uint32_t left = event.given; left; left &= left - 1)
        event.modifier[bx_lowest_bit(left)] = 1;
    return event;
}

/* Whether the registers of the selection have these bits, as far as they were read. */
static bool holds(const bx_register_values *r, const bx_evsel *event, const bx_regvalue *bits)
{
    for (size_t i = 0; i < r->n; i++)
        if (bx_register_is_raw(r->c, bits->reg, (unsigned)event->unit, &r->raw[i]))
            return (r->raw[i].value & bits->mask) == bits->value;
    return true;
}

/* Whether the selection's string can be read, and gives the same registers. */
static bool is_read_again(const bx_register_values *r, const bx_cat_counter *on,
                          const bx_evsel *event)
{
    char text[1024];
    bx_evsel again;
    size_t n = bx_event_format(r->c, event, text, sizeof text);
    if (n >= sizeof text ||
        bx_event_parse(r->c, bx_cat_pmus(r->c)[event->pmu].cpu, text, n, &again, NULL))
        return false;
    bool same = again.event == event->event && again.extras >= event->extras &&
                bx_event_control(r->c, &again, on) == bx_event_control(r->c, event, on);
    for (unsigned i = 0; same && i < again.extras; i++)
        same = holds(r, event, &again.extra[i]);
    return same;
}

static void recognize(const bx_register_values *r, const bx_cat_counter *on, uint64_t control,
                      bx_evsel *event)
{
    bx_evsel code = *event;
    bool named = bx_recognize(r, control, event);
    if (named && is_read_again(r, on, event))
        return;
    uint32_t takes = named ? bx_event_takes(r->c, event) : UINT32_MAX;
    *event = code;
    bx_recognize_code(r, control, takes, event);
}

static bx_decoded decode(const bx_register_values *r, const bx_cat_counter *counter,
                         bx_unit_register at, uint64_t value)
{
    const struct bx_catalog *c = r->c;
    bx_decoded d = {.reg = at.reg, .value = value, .event = any_event(counter)};
    d.event.unit = (int16_t)at.unit;
    const bx_cat_pmu *pmu = &bx_cat_pmus(c)[counter->pmu];
    if (bx_counts_one(counter) || (pmu->select_event == BX_NONE && !pmu->slots.n))
        only_event(c, counter->index, &d.event);
    else
        recognize(r, counter, value, &d.event);
    d.event.control = bx_event_control(c, &d.event, counter);
    if (pmu->scope == BX_SCOPE_CORE)
        d.event.unit = BX_ANY; /* the CPU determines the unit, not the address */
    return d;
}

/* Whether a control value of an event has only enables. An event with selectable privilege levels
 * counts nothing if none is selected. */
static bool enables_only(const struct bx_catalog *c, const bx_cat_counter *counter, uint64_t value)
{
    const bx_cat_pmu *pmu = &bx_cat_pmus(c)[counter->pmu];
    for (unsigned i = 0; i < counter->counts.n; i++) {
        const bx_cat_cond *cond = &bx_cat_conds(c)[counter->counts.first + i];
        if (cond->reg == counter->control)
            value &= ~bx_cat_field_mask(&bx_cat_fields(c)[cond->field]);
    }
    return !value && pmu->levels;
}

/* The event that a register selects; false if it selects nothing: by the event's own bits, because
 * others, such as those of a pin or an interrupt, tell nothing of what is counted. */
static bool selects(const bx_register_values *r, unsigned cpu, const bx_raw *raw, bx_decoded *d)
{
    bx_unit_register at = bx_register_at(r->c, cpu, raw->space, raw->address);
    const bx_cat_counter *counter = raw->value ? controlled_by(r->c, at.reg) : NULL;
    if (!counter)
        return false;
    *d = decode(r, counter, at, raw->value);
    return !enables_only(r->c, counter, d->event.control);
}

static bool has_register(const struct bx_catalog *c, unsigned cpu, const bx_raw *raw)
{
    return raw->space <= BX_SPACE_MMIO &&
           bx_register_at(c, cpu, raw->space, raw->address).reg != BX_NONE;
}

int bx_decode(const bx_catalog *c, int cpu, const bx_raw *raw, size_t raws, bx_decoded *to,
              size_t room, size_t *n, bx_error *e)
{
    static const char *const spaces[] = {"msr", "pci", "mmio"};
    if (cpu < 0 || (size_t)cpu >= c->cpus.n)
        return bx_fail(e, BX_BAD_INPUT, 0, 0, "no CPU model to decode registers of");
    for (size_t i = 0; i < raws; i++)
        if (!has_register(c, (unsigned)cpu, &raw[i]))
            return bx_fail(e, BX_NOT_FOUND, 0, 0, "%s has no register at %s:0x%" PRIx64,
                           bx_cat_z(c, bx_cat_cpus(c)[cpu].name),
                           raw[i].space > BX_SPACE_MMIO ? "?" : spaces[raw[i].space],
                           raw[i].address);
    bx_register_values r = {c, raw, raws};
    size_t found = 0;
    for (size_t i = 0; i < raws; i++) {
        bx_decoded d;
        if (!selects(&r, (unsigned)cpu, &raw[i], &d))
            continue;
        if (found == room)
            return bx_fail(e, BX_BAD_INPUT, 0, 0, "more than %zu events", room);
        to[found++] = d;
    }
    *n = found;
    return BX_OK;
}

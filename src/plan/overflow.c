/* Checks and programs the counter that stops all others when it overflows. */
#include "plan/overflow.h"

#include "base/bits.h"
#include "base/error.h"
#include "event/event.h"
#include "register/register.h"

#include <inttypes.h>

bool bx_counts_down(const struct bx_catalog *c, const bx_cat_counter *counter,
                    const bx_evsel *event)
{
    return counter->mode != BX_NONE &&
           bx_field_of(&bx_cat_fields(c)[counter->mode], event->control) == 1;
}

/* Any counter of the event: they have the same properties here. */
static const bx_cat_counter *counter_of(const struct bx_catalog *c, const bx_evsel *event)
{
    return bx_pmu_counter(c, event->pmu, bx_lowest_bit(bx_event_counters(c, event)));
}

/* The most counts before an overflow. A register that copies a bit upwards (P6: bit 31) cannot hold
 * every start value. */
static uint64_t most_counts(const struct bx_catalog *c, const bx_cat_counter *counter)
{
    unsigned extends = bx_cat_regs(c)[counter->value].extends;
    return extends ? UINT64_C(1) << extends : bx_mask_width(counter->width);
}

uint64_t bx_overflow_start(const struct bx_catalog *c, const bx_cat_counter *counter,
                           const bx_evsel *event, uint64_t counts)
{
    return bx_counts_down(c, counter, event) ? counts - 1
                                             : (0 - counts) & bx_mask_width(counter->width);
}

int bx_overflow_check(const struct bx_catalog *c, const bx_evsel *event, bx_error *e)
{
    const bx_cat_counter *counter = counter_of(c, event);
    if (counter && counter->flags & BX_COUNTER_FREE)
        return bx_fail(e, BX_NO_FIT, 0, 0, "its counter is free-running: no start can be written");
    if (!counter || counter->overflow_en == BX_NONE)
        return bx_fail(e, BX_NO_FIT, 0, 0,
                       "no document at hand describes what its counters do at an overflow");
    return BX_OK;
}

int bx_overflow_check_counts(const struct bx_catalog *c, const bx_evsel *event, uint64_t counts,
                             bx_error *e)
{
    const bx_cat_counter *counter = counter_of(c, event);
    uint64_t most = most_counts(c, counter), risky = bx_mask_width(counter->erratum);
    if (counts == 0 || counts > most)
        return bx_fail(e, BX_BAD_INPUT, 0, 0,
                       "its counter can overflow after 1 to %" PRIu64 " counts", most);
    uint64_t start = bx_overflow_start(c, counter, event, counts);
    if (!counter->erratum || (start & risky) < risky - 1)
        return BX_OK;
    bx_fail(e, BX_BAD_INPUT, 0, 0,
            "the counter would start at 0x%" PRIx64 ", which the manual's errata forbid", start);
    bx_hint(e, "no count starts where its lowest %u bits are all ones, or one less",
            counter->erratum);
    return BX_BAD_INPUT;
}

/* Names one of several counters as an example. */
static int fail_several(const bx_topology *t, const bx_evsel *event, const bx_assignment *first,
                        unsigned n, bx_error *e)
{
    char text[256];
    bx_evsel one = *event;
    one.unit = (int16_t)first->unit;
    one.package = t->packages > 1 ? (int16_t)first->package : BX_ANY;
    one.port = (int16_t)bx_assignment_port(t->catalog, first);
    bx_event_format(t->catalog, &one, text, sizeof text);
    bx_fail(e, BX_NO_FIT, event->at, event->len,
            "%u counters count this at once: name the one that shall overflow", n);
    bx_hint(e, "name one of them: %s", text);
    return BX_NO_FIT;
}

int bx_overflow_find(const bx_topology *t, const bx_evsel *events, const bx_schedule *s,
                     size_t event, bx_overflow *to, bx_error *e)
{
    size_t first = s->n;
    unsigned n = 0;
    for (size_t i = s->n; i-- > 0;)
        if (s->assignments[i].event == event) {
            first = i;
            n++;
        }
    if (n != 1)
        return n ? fail_several(t, &events[event], &s->assignments[first], n, e)
                 : bx_fail(e, BX_NO_FIT, events[event].at, events[event].len,
                           "the machine does not produce this event: its counter never overflows");
    to->assignment = (uint16_t)first;
    return BX_OK;
}

int bx_overflow_fits(const bx_topology *t, const bx_evsel *events, const bx_schedule *s,
                     bx_error *e)
{
    bx_error why = {0};
    if (!bx_schedule_explain(t, events, s, &why))
        return BX_OK;
    bx_hint(&why, "all counters are read at one moment: leave out what does not fit at once");
    if (e)
        *e = why;
    return why.code;
}

/* The field's bits if they are in this register. */
static uint64_t bits_of(const struct bx_catalog *c, uint16_t field, bool here)
{
    return here && field != BX_NONE ? bx_cat_field_mask(&bx_cat_fields(c)[field]) : 0;
}

static bool is_in(const struct bx_catalog *c, uint16_t field, uint16_t reg)
{
    return field != BX_NONE && bx_cat_fields(c)[field].reg == reg;
}

uint64_t bx_overflow_bits(const bx_topology *t, const bx_cat_counter *counter, uint16_t reg)
{
    const struct bx_catalog *c = t->catalog;
    const bx_cat_cpu *cpu = &bx_cat_cpus(c)[t->cpu];
    uint16_t core = cpu->pmi.n ? cpu->pmi.first : BX_NONE;
    return bits_of(c, counter->overflow_en, reg == counter->control) |
           bits_of(c, cpu->freeze, is_in(c, cpu->freeze, reg)) |
           bits_of(c, core, is_in(c, core, reg));
}

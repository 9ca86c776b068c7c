/* Implements mux.h. */
#include "mux.h"

#include "../cmocked.h"

#include "plan/plan.h"
#include "event/event.h"

#include <inttypes.h>
#include <stdio.h>

static uint64_t held_by(const rig *r, const bx_evsel *e, const bx_cat_counter *counter,
                        unsigned reg)
{
    const bx_topology *t = &r->twin->topology;
    unsigned unit = bx_cat_regs(t->catalog)[reg].pmu == counter->pmu ? (unsigned)e->unit : 0;
    bx_address at = bx_plan_address(t, (unsigned)e->package, unit, reg);
    uint64_t value;
    bx_bus *bus = r->d.machine->bus;
    assert_int_equal(bus->read(bus, &at, &value), 0);
    return value;
}

/* Whether that counter counts the event now: its own and shared registers select it, and all
 * enables are set. During a rotation the box may be frozen. */
static bool is_on(const rig *r, const bx_evsel *e, unsigned index)
{
    const bx_catalog *c = r->twin->topology.catalog;
    const bx_cat_counter *counter =
        &bx_cat_counters(c)[bx_cat_pmus(c)[e->pmu].counters.first + index];
    bx_regvalue wants[1 + BX_EXTRAS];
    size_t n = bx_event_registers(c, e, index, wants);
    for (size_t i = 0; i < n; i++)
        if ((held_by(r, e, counter, wants[i].reg) ^ wants[i].value) & wants[i].mask)
            return false;
    for (unsigned i = 0; i < counter->counts.n; i++) {
        const bx_cat_cond *cond = &bx_cat_conds(c)[counter->counts.first + i];
        const bx_cat_field *f = &bx_cat_fields(c)[cond->field];
        if ((held_by(r, e, counter, cond->reg) & bx_cat_field_mask(f)) >> f->lo != cond->value)
            return false;
    }
    return n > 0;
}

static bool is_on_any(const rig *r, const bx_evsel *e)
{
    unsigned counters = bx_cat_pmus(r->twin->topology.catalog)[e->pmu].counters.n;
    for (unsigned i = 0; i < counters; i++)
        if (is_on(r, e, i))
            return true;
    return false;
}

/* Whether each event has been counted in some rounds, and not in others. */
static bool all_multiplexed(const unsigned *held, size_t n, unsigned rounds)
{
    for (size_t i = 0; i < n; i++)
        if (held[i] == 0 || held[i] == rounds)
            return false;
    return true;
}

enum {
    PATIENCE = 10
}; /* rounds are repeated up to this factor, in case they coincide with the kernel's rotation */

void mux_counts(rig *r, const char *const *events, size_t n, unsigned least, const char *work)
{
    unsigned rounds = 0;
    rig_event e[RIG_EVENTS];
    uint64_t truth[RIG_EVENTS] = {0};
    unsigned held[RIG_EVENTS] = {0};
    assert_in_range(n, 2, RIG_EVENTS);
    for (size_t i = 0; i < n; i++)
        e[i] = rig_open(r, events[i], NULL, true);
    for (; rounds < least || (!all_multiplexed(held, n, rounds) && rounds < PATIENCE * least);
         rounds++) {
        rig_event on[RIG_EVENTS];
        size_t which[RIG_EVENTS], n_on = 0;
        for (size_t i = 0; i < n; i++)
            if (is_on_any(r, &e[i].what)) {
                which[n_on] = i;
                on[n_on++] = e[i];
                held[i]++;
            }
        if (n_on == 0) {
            rig_work(r, work);
        } else {
            rig_truth_of t = rig_watch(r, on, n_on);
            rig_work(r, work);
            rig_truth_end(&t);
            for (size_t i = 0; i < n_on; i++)
                truth[which[i]] += rig_truth(&t, i);
            bx_session_close(t.session);
        }
        /* The kernel rotates every 4 ms, so each round waits for another time. */
        char wait[16];
        snprintf(wait, sizeof wait, "wait %u", 3 + rounds * 5 % 11);
        guest_ask(r->d.guest, "%s", wait);
    }
    for (size_t i = 0; i < n; i++) {
        rig_value v = rig_read(r, &e[i]);
        if (v.count != truth[i])
            fail_msg("%s: the guest counts %" PRIu64 ", the model %" PRIu64 " in %u of %u rounds",
                     e[i].name, v.count, truth[i], held[i], rounds);
        if (v.running == 0 || v.running >= v.enabled || held[i] == 0 || held[i] == rounds)
            fail_msg("%s: on for %u of %u rounds, %" PRIu64 " of %" PRIu64 " ns", e[i].name,
                     held[i], rounds, v.running, v.enabled);
    }
    for (size_t i = 0; i < n; i++)
        rig_close(r, &e[i]);
}

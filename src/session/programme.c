/* Makes the programme of a measurement: which events take which counters, and the operations that
 * program these. */
#include "session/programme.h"

#include "base/error.h"
#include "event/event.h"
#include "guard/read_surely.h"

#include <errno.h>
#include <stdlib.h>

/* ---- events ---- */

/* The counter of the unit that the event follows; BX_NO_COUNTER: none. */
static unsigned followed(const struct bx_catalog *c, const bx_evsel *event)
{
    bool named = event->pmu != BX_KERNEL && event->event != BX_NONE;
    return named ? bx_cat_events(c)[event->event].follows : BX_NO_COUNTER;
}

static bool is_beside(const bx_evsel *a, const bx_evsel *b)
{
    return a->pmu == b->pmu && a->group == b->group;
}

/* Whether the followed counter could only have events that the machine does not produce. They take
 * no counter, so the followed counter would count 0. */
static bool follows_absent(const bx_machine *m, const bx_evsel *events, size_t n, size_t i)
{
    const struct bx_catalog *c = m->topology.catalog;
    unsigned counter = followed(c, &events[i]);
    bool absent = false;
    for (size_t k = 0; counter != BX_NO_COUNTER && k < n; k++) {
        if (!is_beside(&events[k], &events[i]) ||
            !(bx_event_counters(c, &events[k]) >> counter & 1))
            continue;
        if (bx_machine_produces(m, &events[k]))
            return false;
        absent = true;
    }
    return absent;
}

static bool is_produced(const bx_machine *m, const bx_evsel *events, size_t n, size_t i)
{
    return bx_machine_produces(m, &events[i]) && !follows_absent(m, events, n, i);
}

void bx_programme_sort(const bx_machine *m, const bx_evsel *events, size_t n, const bool *kernels,
                       bx_sorted *to)
{
    for (int absent = 0; absent <= 1; absent++) {
        for (size_t i = 0; i < n; i++) {
            if (kernels[i] || is_produced(m, events, n, i) == absent)
                continue;
            to->events[to->n] = events[i];
            to->origin[to->n++] = (uint16_t)i;
        }
        if (!absent)
            to->produced = to->n;
    }
}

/* ---- counters and operations ---- */

/* If each pass has a bank, a box whose events all fit is counted in the first bank only. */
static void count_at_once(bx_programme *p)
{
    p->at_once &= p->schedule.passes > 1;
    for (size_t i = 0; p->at_once && i < p->schedule.n; i++)
        p->schedule.assignments[i].passes = (uint16_t)p->schedule.passes;
}

int bx_programme_schedule(bx_programme *p, size_t n, bx_error *e)
{
    int code = bx_schedule_make(p->topology, p->events, n, &p->schedule, e);
    if (code == BX_OK)
        count_at_once(p);
    return code;
}

int bx_programme_plan(bx_programme *p, bx_error *e)
{
    int code =
        bx_plan_make(p->topology, p->events, &p->schedule, p->interval, &p->overflow, &p->plan, e);
    if (code != BX_OK)
        return code;
    p->refused = calloc(p->plan.n + 1, sizeof *p->refused);
    p->written = calloc(p->plan.n + 1, sizeof *p->written);
    p->outcomes = calloc(p->schedule.n + 1, sizeof *p->outcomes);
    return p->refused && p->written && p->outcomes ? BX_OK : bx_out_of_memory(e);
}

void bx_programme_free(bx_programme *p)
{
    bx_banks_close(p);
    bx_schedule_free(&p->schedule);
    bx_plan_free(&p->plan);
    free(p->events);
    free(p->refused);
    free(p->written);
    free(p->outcomes);
}

/* ---- base addresses ---- */

/* Reads the register that holds the base address of op's register. */
static int read_base(const bx_programme *p, const bx_op *op, uint64_t *base)
{
    const struct bx_catalog *c = p->topology->catalog;
    uint16_t holder = bx_register_base_holder(c, op->reg);
    bx_address at = bx_plan_address(p->topology, op->package, 0, holder);
    uint64_t value;
    int err = bx_read_surely(p->bus, c, holder, &at, &value);
    if (err == 0)
        *base = bx_register_base(c, op->reg, value);
    return err;
}

void bx_programme_find_bases(bx_programme *p)
{
    const bx_op *before = NULL; /* the last operation whose base was found */
    uint64_t base = 0;
    for (size_t i = 0; i < p->plan.n; i++) {
        bx_op *op = &p->plan.ops[i];
        const bx_cat_reg *reg = &bx_cat_regs(p->topology->catalog)[op->reg];
        if (reg->space != BX_SPACE_MMIO || reg->base == BX_NONE)
            continue;
        bool known = before && before->package == op->package &&
                     bx_cat_regs(p->topology->catalog)[before->reg].base == reg->base;
        int err = known ? 0 : read_base(p, op, &base);
        if (err == 0 && base == 0)
            err = ENXIO; /* nothing is mapped at the base address */
        if (err != 0) {
            bx_blame_failed(p, op, err);
            continue;
        }
        op->at.offset += base;
        before = op;
    }
}

/* Compares the contents of registers with the conditions under which a counter counts. */
#include "host/discover/in_use.h"
#include "event/decode/decode.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>

typedef struct scan {
    const bx_topology *t;
    struct bx_bus *bus;
    const bx_plan *plan;
    unsigned package;
} scan;

/* Whether the plan may change a register. A register that the plan saves may change without being
 * written. */
static bool is_changed(const scan *s, unsigned unit, unsigned reg)
{
    for (size_t i = 0; i < s->plan->n; i++) {
        const bx_op *op = &s->plan->ops[i];
        if ((op->write || op->step == BX_STEP_SAVE) && op->package == s->package &&
            op->unit == unit && op->reg == reg)
            return true;
    }
    return false;
}

/* Whether the plan changes the counter, or a register that the counter needs to count. */
static bool is_disturbed(const scan *s, const bx_cat_counter *counter, unsigned unit)
{
    if (!s->plan || is_changed(s, unit, counter->value))
        return true;
    for (unsigned i = 0; i < counter->counts.n; i++) {
        unsigned reg = bx_cat_conds(s->t->catalog)[counter->counts.first + i].reg;
        if (is_changed(s, bx_register_unit(s->t->catalog, reg, counter->pmu, unit), reg))
            return true;
    }
    return false;
}

static int read_register(const void *of, uint16_t reg, unsigned unit, uint64_t *value)
{
    const scan *s = of;
    bx_address at = bx_plan_address(s->t, s->package, unit, reg);
    return at.space == BX_SPACE_MMIO ? ENXIO : s->bus->read(s->bus, &at, value);
}

static bool counts(const scan *s, const bx_cat_counter *counter, unsigned unit)
{
    bool enabled;
    return !bx_counter_is_enabled(s->t->catalog, counter, unit, read_register, s, &enabled) &&
           enabled && counter->counts.n > 0;
}

/* Whether the plan writes to this package. In other packages no counter is disturbed. */
static bool is_touched(const scan *s)
{
    for (size_t i = 0; s->plan && i < s->plan->n; i++)
        if (s->plan->ops[i].write && s->plan->ops[i].package == s->package)
            return true;
    return !s->plan;
}

static void scan_pmu(const scan *s, unsigned pmu, bx_inuse *to, size_t room, size_t *n)
{
    const struct bx_catalog *c = s->t->catalog;
    bx_span counters = bx_cat_pmus(c)[pmu].counters;
    for (unsigned unit = 0; unit < bx_topology_units(s->t, (uint16_t)pmu); unit++) {
        for (unsigned i = counters.first; i < (unsigned)counters.first + counters.n; i++) {
            const bx_cat_counter *counter = &bx_cat_counters(c)[i];
            if (counter->flags & BX_COUNTER_FREE || !is_disturbed(s, counter, unit) ||
                !counts(s, counter, unit))
                continue;
            if (*n < room)
                to[*n] = (bx_inuse){(uint16_t)i, (uint16_t)s->package, (uint16_t)unit};
            ++*n;
        }
    }
}

size_t bx_inuse_find(const bx_topology *t, struct bx_bus *bus, const bx_plan *plan, bx_inuse *to,
                     size_t room)
{
    bx_span pmus = bx_cat_cpus(t->catalog)[t->cpu].pmus;
    size_t n = 0;
    for (unsigned package = 0; package < t->packages; package++) {
        const scan s = {t, bus, plan, package};
        for (unsigned p = pmus.first; is_touched(&s) && p < (unsigned)pmus.first + pmus.n; p++)
            scan_pmu(&s, p, to, room, &n);
    }
    return n;
}

/* ---- what a counter counts ---- */

/* Reads the registers of the counter's unit. */
static size_t read_unit(const bx_topology *t, struct bx_bus *bus, const bx_inuse *u, bx_raw *raws,
                        size_t room)
{
    const struct bx_catalog *c = t->catalog;
    const bx_cat_pmu *pmu = &bx_cat_pmus(c)[bx_cat_counters(c)[u->counter].pmu];
    size_t n = 0;
    for (unsigned i = 0; i < pmu->regs.n && n < room; i++) {
        unsigned reg = pmu->regs.first + i;
        bx_address at = bx_plan_address(t, u->package, u->unit, reg);
        uint64_t value;
        if (at.space != BX_SPACE_MMIO && bus->read(bus, &at, &value) == 0)
            raws[n++] = bx_register_raw(c, reg, u->unit, value);
    }
    return n;
}

void bx_inuse_event(const bx_topology *t, struct bx_bus *bus, const bx_inuse *u, char *to,
                    size_t room)
{
    enum { MOST = 128, EVENTS = 32 };
    const struct bx_catalog *c = t->catalog;
    const bx_cat_counter *counter = &bx_cat_counters(c)[u->counter];
    bx_raw raws[MOST];
    bx_decoded found[EVENTS];
    bx_error e = {0};
    size_t n = 0;
    size_t read = read_unit(t, bus, u, raws, MOST);
    if (bx_decode(c, t->cpu, raws, read, found, EVENTS, &n, &e) != BX_OK)
        n = 0;
    for (size_t i = 0; i < n; i++) {
        if (found[i].reg != counter->control || found[i].event.event == BX_NONE)
            continue;
        found[i].event.unit = (int16_t)u->unit;
        bx_event_format(c, &found[i].event, to, room);
        return;
    }
    uint64_t value = 0;
    char name[64] = "a counter";
    if (counter->control != BX_NONE) {
        bx_address at = bx_plan_address(t, u->package, u->unit, counter->control);
        bus->read(bus, &at, &value);
        bx_cat_expand(name, sizeof name, bx_cat_z(c, bx_cat_regs(c)[counter->control].name),
                      u->unit, 0);
    }
    snprintf(to, room, "%s = 0x%" PRIx64, name, value);
}

#include "vpmu/internal.h"

/* ---- what the registers ask for ---- */

bx_vreg *bx_vpmu_reg_of(const bx_vpmu *v, const bx_vcounter *c, uint16_t reg)
{
    bx_vlocation at = v->locations[reg];
    if (bx_cat_regs(v->topology.catalog)[reg].pmu == c->facts->pmu)
        at.index += c->unit;
    return bx_vpmu_at(v, at, c->cpu);
}

/* A field of the control register; `otherwise` if the counter has no such field. */
static uint64_t control_field(const bx_vpmu *v, const bx_vcounter *c, uint16_t field,
                              uint64_t otherwise)
{
    if (field == BX_NONE)
        return otherwise;
    const bx_cat_field *f = &bx_cat_fields(v->topology.catalog)[field];
    return bx_bits_get(bx_vpmu_reg_of(v, c, c->facts->control)->value, f->lo, f->hi);
}

static bool enabled(const bx_vpmu *v, const bx_vcounter *c)
{
    const struct bx_catalog *cat = v->topology.catalog;
    for (unsigned i = 0; i < c->facts->counts.n; i++) {
        const bx_cat_cond *cond = &bx_cat_conds(cat)[c->facts->counts.first + i];
        const bx_cat_field *f = &bx_cat_fields(cat)[cond->field];
        uint64_t value = bx_vpmu_reg_of(v, c, cond->reg)->value;
        if (bx_bits_get(value, f->lo, f->hi) != cond->value)
            return false;
    }
    return true;
}

/* Privilege levels that are counted: all, where the control does not distinguish them. */
static uint8_t levels(const bx_vpmu *v, const bx_vcounter *c)
{
    return (uint8_t)((control_field(v, c, c->facts->os, 1) ? BX_LEVEL_OS : 0) |
                     (control_field(v, c, c->facts->user, 1) ? BX_LEVEL_USER : 0));
}

typedef struct held_by {
    const bx_vpmu *v;
    const bx_vcounter *c;
} held_by;

static uint64_t read_held(const void *of, uint16_t reg)
{
    const held_by *by = of;
    return bx_vpmu_reg_of(by->v, by->c, reg)->value;
}

/* What is selected, whether or not it is counted. */
static void select_source(const bx_vpmu *v, const bx_vcounter *c, bx_vconfig *mode)
{
    const struct bx_catalog *cat = v->topology.catalog;
    held_by by = {v, c};
    mode->source = c->sees; /* a fixed or free-running counter keeps its nominal code */
    mode->source.levels = levels(v, c);
    uint16_t i = bx_vpmu_select(cat, c->facts, &(bx_vreg_reader){read_held, &by}, &mode->source);
    if (i == BX_NONE)
        return;
    const bx_cat_event *event = &bx_cat_events(cat)[i];
    mode->tally = event->flags & BX_EVENT_TALLY ? c->facts->tally_bits : 0;
    while (event->scale >> mode->shift > 1)
        mode->shift++;
}

static bx_vconfig configured(const bx_vpmu *v, const bx_vcounter *c)
{
    const bx_cat_counter *f = c->facts;
    bx_vconfig mode = {.counting = enabled(v, c) && levels(v, c)};
    if (!mode.counting)
        return mode;
    bool tells = f->overflow != BX_NONE && f->flags & BX_COUNTER_TELLS;
    mode.edge = control_field(v, c, f->edge, 0);
    mode.invert = control_field(v, c, f->invert, 0);
    mode.threshold = (uint32_t)control_field(v, c, f->threshold, 0);
    mode.asks = control_field(v, c, f->overflow_en, f->overflow != BX_NONE);
    mode.stops = !control_field(v, c, f->wrap, 1);
    mode.down = control_field(v, c, f->mode, 0) == 1;
    mode.reports = tells || mode.asks || mode.stops;
    mode.counting = !(mode.stops && c->stopped);
    select_source(v, c, &mode);
    mode.gated = control_field(v, c, f->storage, 0);
    if (mode.gated) {
        held_by by = {v, c};
        mode.gate = mode.source;
        bx_vpmu_select_flag(v->topology.catalog, f, &(bx_vreg_reader){read_held, &by}, &mode.gate);
    }
    return mode;
}

static bool same_filters(const bx_selection *a, const bx_selection *b)
{
    for (unsigned i = 0; i < BX_FILTERS; i++)
        if (a->applies[i] != b->applies[i] || (a->filter[i] ^ b->filter[i]) & a->applies[i])
            return false;
    return true;
}

static bool same_source(const bx_selection *a, const bx_selection *b)
{
    return a->code == b->code && a->umask == b->umask && a->port == b->port &&
           a->levels == b->levels && same_filters(a, b);
}

static bool same_condition(const bx_vconfig *a, const bx_vconfig *b)
{
    return a->counting == b->counting && a->edge == b->edge && a->invert == b->invert &&
           a->threshold == b->threshold && same_source(&a->source, &b->source) &&
           a->gated == b->gated && same_source(&a->gate, &b->gate);
}

static bool same(const bx_vconfig *a, const bx_vconfig *b)
{
    return same_condition(a, b) && a->reports == b->reports && a->asks == b->asks &&
           a->stops == b->stops && a->down == b->down;
}

/* ---- watching ---- */

/* More than any signal adds in one cycle, and the shortest time for which it pays to go without the
 * levels of every cycle. */
enum { MOST_A_CYCLE = 1 << 20, LONG_ENOUGH = 1 << 12 };

/* Cycles in which a plain counter cannot overflow. */
static uint64_t cycles_without_overflow(const bx_vcounter *c)
{
    return bx_vpmu_headroom(c) / (MOST_A_CYCLE + c->seen.injected);
}

static bool needs_watch(const bx_vcounter *c)
{
    const bx_vconfig *m = &c->mode;
    /* A queue of the model has fewer entries than a tally can tell. */
    bool tally = m->tally && (c->tally_offset || c->seen.injected);
    return m->counting && (m->edge || m->threshold || m->gated || tally ||
                           (m->reports && cycles_without_overflow(c) < LONG_ENOUGH));
}

static unsigned number_of(const bx_vpmu *v, const bx_vcounter *c)
{
    return (unsigned)(c - v->counters);
}

static void stop_watch(bx_vpmu *v, bx_vcounter *c)
{
    v->signals->unwatch(v->signals, number_of(v, c));
    if (c->gate_watch != BX_NONE)
        v->signals->unwatch(v->signals, c->gate_watch);
    c->watched = false;
    c->seen.from = c->seen.until = c->gate.from = c->gate.until = 0;
}

static void start_watch(bx_vpmu *v, bx_vcounter *c)
{
    c->watched = true;
    v->signals->watch(v->signals, number_of(v, c), &c->sees);
    if (c->mode.gated)
        v->signals->watch(v->signals, c->gate_watch, &c->mode.gate);
}

void bx_vpmu_update_watch(bx_vpmu *v, bx_vcounter *c, uint64_t now)
{
    bx_vpmu_advance(v, c, now);
    bool needed = needs_watch(c);
    if (needed && !c->watched)
        start_watch(v, c);
    if (!needed && c->watched) {
        stop_watch(v, c);
        c->tally = bx_vpmu_tally(v, c);
    }
    c->recheck = c->mode.counting && c->mode.reports && !c->watched
                     ? now + cycles_without_overflow(c)
                     : BX_NEVER;
    c->overflow = bx_vpmu_predict(c);
}

/* ---- changes ---- */

/* Another event begins: with an empty accumulator, and a tally that is its queue's. */
static void begin(bx_vcounter *c, const bx_vconfig *mode)
{
    c->base = (c->base & bx_vpmu_mask(c)) >> c->shift << mode->shift;
    c->shift = mode->shift;
    c->tally_offset = 0;
    c->sees = mode->source;
}

void bx_vpmu_reconfigure(bx_vpmu *v, bx_vcounter *c, uint64_t now)
{
    bx_vconfig mode = configured(v, c), was = c->mode;
    if (same(&mode, &was))
        return;
    bx_vpmu_advance(v, c, now);
    /* No document says what the edge logic remembers. We read it as: a counter that is enabled or
     * set to another condition begins as if that had not held before, so that a signal which is
     * already high counts as one rise. */
    c->high = c->high && same_condition(&mode, &was);
    bool other = mode.counting && (mode.shift != c->shift || !same_source(&mode.source, &c->sees));
    bool other_gate = mode.gated != was.gated || !same_source(&mode.gate, &was.gate);
    if (c->watched && (other || other_gate || !mode.counting))
        stop_watch(v, c);
    c->mode = mode;
    if (other)
        begin(c, &mode);
    c->seen.injected = bx_vpmu_injected(v, c, &c->sees);
    c->gate.injected = mode.gated ? bx_vpmu_injected(v, c, &mode.gate) : 0;
    if (mode.counting && !c->watched)
        c->tally = bx_vpmu_tally(v, c);
    bx_vpmu_update_watch(v, c, now);
}

void bx_vpmu_set_injected(bx_vpmu *v, bx_vcounter *c, uint64_t now)
{
    uint64_t level = bx_vpmu_injected(v, c, &c->sees);
    uint64_t gate = c->mode.gated ? bx_vpmu_injected(v, c, &c->mode.gate) : 0;
    if (level == c->seen.injected && gate == c->gate.injected)
        return;
    bx_vpmu_advance(v, c, now);
    if (level < c->seen.injected)
        c->fell = now;
    c->seen.injected = level;
    c->gate.injected = gate;
    bx_vpmu_update_watch(v, c, now);
}

void bx_vpmu_reset_tally(bx_vpmu *v, bx_vcounter *c)
{
    uint64_t now = v->signals->now(v->signals);
    bx_vconfig mode = {.counting = false};
    select_source(v, c, &mode);
    if (!mode.tally)
        return;
    bx_vpmu_advance(v, c, now);
    if (!same_source(&mode.source, &c->sees))
        begin(c, &mode);
    c->seen.injected = bx_vpmu_injected(v, c, &c->sees);
    if (c->watched)
        stop_watch(v, c);
    start_watch(v, c); /* which reports the level of this very cycle */
    c->tally_offset =
        c->seen.injected + (now >= c->seen.from && now < c->seen.until ? c->seen.level : 0);
    bx_vpmu_update_watch(v, c, now);
}

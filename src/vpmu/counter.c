#include "vpmu/inside.h"

/* ---- what the registers ask for ---- */

bx_vreg *bx_vpmu_reg_of(const bx_vpmu *v, const bx_vcounter *c, uint16_t reg)
{
    bx_vslot at = v->slots[reg];
    if (bx_cat_regs(v->topology.catalog)[reg].pmu == c->facts->pmu)
        at.slot += c->unit;
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

/* Privilege levels that are counted: all, where the control does not tell them apart. */
static uint8_t levels(const bx_vpmu *v, const bx_vcounter *c)
{
    return (uint8_t)((control_field(v, c, c->facts->os, 1) ? BX_LEVEL_OS : 0) |
                     (control_field(v, c, c->facts->user, 1) ? BX_LEVEL_USER : 0));
}

static bx_vmode wanted(const bx_vpmu *v, const bx_vcounter *c)
{
    const bx_cat_counter *f = c->facts;
    const bx_cat_pmu *pmu = &bx_cat_pmus(v->topology.catalog)[f->pmu];
    bx_vmode mode = {
        .counting = enabled(v, c) && levels(v, c),
        .edge = control_field(v, c, f->edge, 0),
        .invert = control_field(v, c, f->invert, 0),
        .notify = control_field(v, c, f->overflow_en, f->overflow != BX_NONE),
        .threshold = (uint32_t)control_field(v, c, f->threshold, 0),
        /* A fixed or free-running counter keeps its nominal code. */
        .code = (uint16_t)control_field(v, c, pmu->select_event, c->sees.code),
        .umask = (uint32_t)control_field(v, c, pmu->select_umask, c->sees.umask),
        .levels = levels(v, c),
    };
    bx_vpmu_filters(v, c, &mode);
    return mode;
}

static bool same_filters(const bx_vmode *a, const bx_vmode *b)
{
    for (unsigned i = 0; i < BX_FILTERS; i++)
        if (a->applies[i] != b->applies[i] || (a->filter[i] ^ b->filter[i]) & a->applies[i])
            return false;
    return true;
}

static bool same_source(const bx_vmode *a, const bx_vmode *b)
{
    return a->code == b->code && a->umask == b->umask && a->levels == b->levels &&
           same_filters(a, b);
}

static bool same_condition(const bx_vmode *a, const bx_vmode *b)
{
    return same_source(a, b) && a->counting == b->counting && a->edge == b->edge &&
           a->invert == b->invert && a->threshold == b->threshold;
}

/* ---- counting ---- */

/* 334060-001 table 2-7: a threshold of 0 disables the comparison, the invert bit then included. */
static bool condition(const bx_vmode *m, uint64_t level)
{
    return m->threshold ? (level >= m->threshold) != m->invert : level != 0;
}

/* What one cycle adds, but for a rise. */
static uint64_t rate(const bx_vmode *m, uint64_t level)
{
    if (m->edge)
        return 0;
    return m->threshold ? condition(m, level) : level;
}

static bool rises(const bx_vmode *m, bool high, uint64_t level)
{
    return m->edge && !high && condition(m, level);
}

/* The level of a watched counter in the cycle `at`, and until when it stays. */
static uint64_t level_at(const bx_vcounter *c, uint64_t at, uint64_t *until)
{
    bool on = at >= c->from && at < c->until;
    *until = on ? c->until : at < c->from ? c->from : BX_NEVER;
    return c->injected + (on ? c->level : 0);
}

static uint64_t tally(const bx_vpmu *v, const bx_vcounter *c)
{
    uint64_t sum = 0; /* stays 0 where the model does not produce the signal */
    v->signals->tally(v->signals, &c->sees, &sum);
    return sum;
}

void bx_vpmu_settle(bx_vpmu *v, bx_vcounter *c, uint64_t now)
{
    if (now < c->since)
        return;
    if (c->watched) {
        for (uint64_t at = c->since, until; at < now; at = until) {
            uint64_t level = level_at(c, at, &until);
            until = until < now ? until : now;
            c->base += rises(&c->mode, c->high, level) + rate(&c->mode, level) * (until - at);
            c->high = condition(&c->mode, level);
        }
    } else if (c->mode.counting) {
        uint64_t sum = tally(v, c);
        c->base += sum - c->tally + c->injected * (now - c->since);
        c->tally = sum;
    }
    c->since = now;
}

/* When the counter will have overflowed: the end of the cycle that carries out of its width. */
static uint64_t predict(const bx_vcounter *c)
{
    if (!c->watched || !c->mode.notify)
        return BX_NEVER;
    uint64_t left = c->mask - (c->base & c->mask); /* what still fits */
    bool high = c->high;
    for (uint64_t at = c->since, until; at != BX_NEVER; at = until) {
        uint64_t level = level_at(c, at, &until), add = rate(&c->mode, level);
        if (rises(&c->mode, high, level) && left-- == 0)
            return at + 1;
        high = condition(&c->mode, level);
        if (add == 0)
            continue;
        if (left / add < until - at)
            return at + left / add + 1;
        left -= add * (until - at);
    }
    return BX_NEVER;
}

void bx_vpmu_pass_overflow(bx_vpmu *v, bx_vcounter *c, uint64_t now)
{
    bx_vpmu_settle(v, c, now);
    c->overflow = predict(c);
}

uint64_t bx_vpmu_count(bx_vpmu *v, bx_vcounter *c)
{
    if (!c->mode.counting)
        return c->base & c->mask;
    if (!c->watched && !c->injected)
        return (c->base + tally(v, c) - c->tally) & c->mask;
    bx_vpmu_settle(v, c, v->signals->now(v->signals));
    return c->base & c->mask;
}

void bx_vpmu_set_count(bx_vpmu *v, bx_vcounter *c, uint64_t value)
{
    bx_vpmu_settle(v, c, v->signals->now(v->signals));
    c->base = value & c->mask;
    c->overflow = predict(c);
}

/* ---- changes of mode and level ---- */

static bool needs_watch(const bx_vmode *m)
{
    return m->counting && (m->edge || m->threshold || m->notify);
}

static void stop_watch(bx_vpmu *v, bx_vcounter *c)
{
    v->signals->unwatch(v->signals, (unsigned)(c - v->counters));
    c->watched = false;
    c->from = c->until = 0;
}

static void show(const bx_vmode *m, bx_selection *sees)
{
    sees->code = m->code;
    sees->umask = m->umask;
    sees->levels = m->levels;
    for (unsigned i = 0; i < BX_FILTERS; i++) {
        sees->filter[i] = m->filter[i];
        sees->applies[i] = m->applies[i];
    }
}

void bx_vpmu_retune(bx_vpmu *v, bx_vcounter *c, uint64_t now)
{
    bx_vmode mode = wanted(v, c), was = c->mode;
    if (same_condition(&mode, &was) && mode.notify == was.notify)
        return;
    bx_vpmu_settle(v, c, now);
    /* No document says what the edge logic remembers. Held: a counter that is enabled or set to
     * another condition begins as if that had not held before, so that a signal which is already
     * high counts as one rise. */
    c->high = c->high && same_condition(&mode, &was);
    if (c->watched && !(needs_watch(&mode) && same_source(&mode, &was)))
        stop_watch(v, c);
    c->mode = mode;
    show(&mode, &c->sees);
    c->injected = bx_vpmu_injected(v, c);
    if (needs_watch(&mode) && !c->watched) {
        c->watched = true;
        v->signals->watch(v->signals, (unsigned)(c - v->counters), &c->sees);
    } else if (mode.counting && !c->watched) {
        c->tally = tally(v, c);
    }
    c->overflow = predict(c);
}

void bx_vpmu_set_injected(bx_vpmu *v, bx_vcounter *c, uint64_t level, uint64_t now)
{
    if (level == c->injected)
        return;
    bx_vpmu_settle(v, c, now);
    if (level < c->injected)
        c->fell = now;
    c->injected = level;
    c->overflow = predict(c);
}

void bx_vpmu_rearm(bx_vpmu *v, bx_vcounter *c, uint64_t now)
{
    if (!c->watched || c->fell != now)
        return;
    uint64_t until;
    bx_vpmu_settle(v, c, now);
    c->high = c->high && condition(&c->mode, level_at(c, now - 1, &until));
    c->overflow = predict(c);
}

void bx_vpmu_see(struct bx_watcher *w, unsigned id, uint64_t start, uint64_t cycles, uint32_t level)
{
    bx_vpmu *v = bx_vpmu_of_watcher(w);
    bx_vcounter *c = &v->counters[id];
    bx_vpmu_settle(v, c, start);
    c->level = level;
    c->from = start;
    c->until = cycles < BX_OPEN - start ? start + cycles : BX_NEVER;
    c->overflow = predict(c);
    if (c->overflow < v->due) {
        v->due = c->overflow;
        v->signals->set_alarm(v->signals, v->due);
    }
}

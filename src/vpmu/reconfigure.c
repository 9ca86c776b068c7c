/* A counter's configuration: enables, source, and whether it is watched. */
#include "vpmu/internal.h"

/* ---- the configuration in the registers ---- */

bx_vreg *bx_vpmu_reg_of(const bx_vpmu *v, const bx_vcounter *c, uint16_t reg)
{
    bx_vlocation at = v->locations[reg];
    at.index += bx_register_unit(v->topology.catalog, reg, c->facts->pmu, c->unit);
    return bx_vpmu_at(v, at, c->cpu);
}

/* A field of the counter's control register, or of one that several counters share. `otherwise`:
 * the value if there is no such field. */
static uint64_t control_field(const bx_vpmu *v, const bx_vcounter *c, uint16_t field,
                              uint64_t otherwise)
{
    if (field == BX_NONE)
        return otherwise;
    const bx_cat_field *f = &bx_cat_fields(v->topology.catalog)[field];
    uint16_t reg = c->facts->control != BX_NONE ? c->facts->control : f->reg;
    return bx_bits_get(bx_vpmu_reg_of(v, c, reg)->value, f->lo, f->hi);
}

/* Whether the counter, or another one of its unit, is enabled. It does not use
 * bx_counter_is_enabled(): an error there would be repeated here, and no test would find it. It
 * must also be fast: every write calls it. */
static bool is_enabled(const bx_vpmu *v, const bx_vcounter *c, const bx_cat_counter *facts)
{
    const struct bx_catalog *cat = v->topology.catalog;
    for (unsigned i = 0; i < facts->counts.n; i++) {
        const bx_cat_cond *cond = &bx_cat_conds(cat)[facts->counts.first + i];
        if (!bx_condition_is_level(facts, cond) &&
            !bx_condition_holds(cat, cond, bx_vpmu_reg_of(v, c, cond->reg)->value))
            return false;
    }
    return true;
}

/* The privilege levels that are counted: all levels if the control register does not distinguish
 * them. */
static uint8_t levels(const bx_vpmu *v, const bx_vcounter *c)
{
    return (uint8_t)((control_field(v, c, c->facts->os, 1) ? BX_LEVEL_OS : 0) |
                     (control_field(v, c, c->facts->user, 1) ? BX_LEVEL_USER : 0));
}

typedef struct unit_of_counter {
    const bx_vpmu *v;
    const bx_vcounter *c;
} unit_of_counter;

static uint64_t read_register(const void *of, uint16_t reg)
{
    const unit_of_counter *by = of;
    return bx_vpmu_reg_of(by->v, by->c, reg)->value;
}

/* The counter of the same unit that an event follows; NULL: the event has a level of its own. */
static const bx_cat_counter *followed(const bx_vpmu *v, const bx_vcounter *c, uint16_t event)
{
    const struct bx_catalog *cat = v->topology.catalog;
    unsigned index = event == BX_NONE ? BX_NO_COUNTER : bx_cat_events(cat)[event].follows;
    if (index == BX_NO_COUNTER)
        return NULL;
    return &bx_cat_counters(cat)[bx_cat_pmus(cat)[c->facts->pmu].counters.first + index];
}

/* The selection of a counter, even if it does not count. */
static void select_source(const bx_vpmu *v, const bx_vcounter *c, bx_vconfig *config)
{
    const struct bx_catalog *cat = v->topology.catalog;
    unit_of_counter by = {v, c};
    config->source = c->selected; /* a fixed or free-running counter keeps its nominal code */
    config->source.levels = levels(v, c);
    config->source.rises = config->edge;
    config->source.threshold = 0;
    uint16_t i =
        bx_vpmu_select(cat, c->facts, &(bx_vreg_reader){read_register, &by}, &config->source);
    const bx_cat_counter *other = followed(v, c, i);
    if (other && is_enabled(v, c, other))
        i = bx_vpmu_select(cat, other, &(bx_vreg_reader){read_register, &by}, &config->source);
    if (i == BX_NONE)
        return;
    const bx_cat_event *event = &bx_cat_events(cat)[i];
    config->tally = event->flags & BX_EVENT_TALLY ? c->facts->tally_bits : 0;
    while (event->scale >> config->shift > 1)
        config->shift++;
}

/* If an event is defined only with its threshold, the model makes the comparison. */
static void leave_comparison(const bx_vpmu *v, bx_vconfig *config)
{
    bx_selection compared = config->source;
    compared.threshold = config->threshold;
    if (!config->threshold || config->invert || !v->signals->compares ||
        !v->signals->compares(v->signals, &compared))
        return;
    config->source = compared;
    config->threshold = 0;
}

static bx_vconfig configured(const bx_vpmu *v, const bx_vcounter *c)
{
    const bx_cat_counter *f = c->facts;
    bx_vconfig config = {.counting = is_enabled(v, c, f) && levels(v, c)};
    if (!config.counting)
        return config;
    bool sets_status = f->overflow != BX_NONE && f->flags & BX_COUNTER_TELLS;
    config.edge = control_field(v, c, f->edge, 0);
    config.invert = control_field(v, c, f->invert, 0);
    config.threshold = (uint32_t)control_field(v, c, f->threshold, 0);
    config.interrupts = control_field(v, c, f->overflow_en, f->overflow != BX_NONE);
    config.stops = !control_field(v, c, f->wrap, 1);
    config.down = control_field(v, c, f->mode, 0) == 1;
    config.reports = sets_status || config.interrupts || config.stops;
    config.counting = !(config.stops && c->stopped);
    select_source(v, c, &config);
    leave_comparison(v, &config);
    config.under_flag = control_field(v, c, f->storage, 0);
    if (config.under_flag) {
        unit_of_counter by = {v, c};
        config.flag = config.source;
        bx_vpmu_select_flag(v->topology.catalog, f, &(bx_vreg_reader){read_register, &by},
                            &config.flag);
    }
    return config;
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
           a->levels == b->levels && a->threshold == b->threshold &&
           a->unmodelled == b->unmodelled && same_filters(a, b);
}

static bool same_condition(const bx_vconfig *a, const bx_vconfig *b)
{
    return a->counting == b->counting && a->edge == b->edge && a->invert == b->invert &&
           a->threshold == b->threshold && same_source(&a->source, &b->source) &&
           a->under_flag == b->under_flag && same_source(&a->flag, &b->flag);
}

static bool same(const bx_vconfig *a, const bx_vconfig *b)
{
    return same_condition(a, b) && a->reports == b->reports && a->interrupts == b->interrupts &&
           a->stops == b->stops && a->down == b->down;
}

/* ---- watching ---- */

/* MOST_A_CYCLE: more than any signal adds in one cycle. LONG_ENOUGH: the shortest time for which it
 * pays not to watch every cycle. */
enum { MOST_A_CYCLE = 1 << 20, LONG_ENOUGH = 1 << 12 };

/* The number of cycles in which a counter cannot overflow. */
static uint64_t cycles_without_overflow(const bx_vcounter *c)
{
    const bx_vconfig *m = &c->config;
    uint64_t most = m->edge || m->threshold ? 1 : MOST_A_CYCLE + c->source_level.injected;
    return bx_vpmu_headroom(c) / most;
}

static bool may_overflow(const bx_vcounter *c)
{
    return c->config.reports && cycles_without_overflow(c) < LONG_ENOUGH;
}

static bool needs_watch(const bx_vcounter *c)
{
    const bx_vconfig *m = &c->config;
    /* A tally without an offset is the level: no queue of the model makes it overflow. */
    bool tally = m->tally && (c->tally_offset || c->source_level.injected);
    return m->counting && (m->edge || m->threshold || m->under_flag || tally || may_overflow(c));
}

static unsigned number_of(const bx_vpmu *v, const bx_vcounter *c)
{
    return (unsigned)(c - v->counters);
}

static void stop_watch(bx_vpmu *v, bx_vcounter *c)
{
    v->signals->unwatch(v->signals, number_of(v, c));
    if (c->flag_watch != BX_NONE)
        v->signals->unwatch(v->signals, c->flag_watch);
    c->watched = false;
    c->source_level.from = c->source_level.until = c->flag_level.from = c->flag_level.until = 0;
}

static void start_watch(bx_vpmu *v, bx_vcounter *c)
{
    c->watched = true;
    v->signals->watch(v->signals, number_of(v, c), &c->selected);
    if (c->config.under_flag)
        v->signals->watch(v->signals, c->flag_watch, &c->config.flag);
}

/* The model may take a watched counter for one that does nothing by itself before it is checked
 * again. */
static void relax(bx_vpmu *v, const bx_vcounter *c)
{
    bool relaxed = !may_overflow(c);
    if (!c->watched || !v->signals->relax)
        return;
    v->signals->relax(v->signals, number_of(v, c), relaxed);
    if (c->config.under_flag)
        v->signals->relax(v->signals, c->flag_watch, relaxed);
}

/* The counter's base is that of now. */
static void update_watch(bx_vpmu *v, bx_vcounter *c, uint64_t now)
{
    uint64_t overflow = c->overflow, recheck = c->recheck;
    bool needed = needs_watch(c);
    if (needed && !c->watched)
        start_watch(v, c);
    if (!needed && c->watched) {
        stop_watch(v, c);
        c->tally = bx_vpmu_tally(v, c);
    }
    relax(v, c);
    c->recheck = c->config.counting && c->config.reports && !may_overflow(c)
                     ? now + cycles_without_overflow(c)
                     : BX_NEVER;
    c->overflow = bx_vpmu_predict(c);
    v->rescheduled |= c->overflow != overflow || c->recheck != recheck;
}

void bx_vpmu_update_watch(bx_vpmu *v, bx_vcounter *c, uint64_t now)
{
    bx_vpmu_advance(v, c, now);
    update_watch(v, c, now);
}

/* ---- changes ---- */

/* Begins to count another event, with an empty accumulator. The tally equals the entries of the
 * event's queue. */
static void begin_counting(bx_vcounter *c, const bx_vconfig *config)
{
    c->base = (c->base & bx_vpmu_mask(c)) >> c->shift << config->shift;
    c->shift = config->shift;
    c->tally_offset = 0;
    c->selected = config->source;
    c->driven = false;
}

void bx_vpmu_reconfigure(bx_vpmu *v, bx_vcounter *c, uint64_t now)
{
    bx_vconfig config = configured(v, c), was = c->config;
    if (same(&config, &was))
        return;
    bx_vpmu_advance(v, c, now);
    /* No document says what the edge logic remembers. We read it as: when a counter is enabled or
     * set to another condition, it begins as if that condition had not held before. So a signal
     * that is already high counts as one rise. */
    c->high = c->high && same_condition(&config, &was);
    bool other =
        config.counting && (config.shift != c->shift || !same_source(&config.source, &c->selected));
    bool other_flag = config.under_flag != was.under_flag || !same_source(&config.flag, &was.flag);
    if (c->watched && (other || other_flag || !config.counting))
        stop_watch(v, c);
    c->config = config;
    c->has_counted |= config.counting;
    if (other)
        begin_counting(c, &config);
    c->source_level.injected = bx_vpmu_injected(v, c, &c->selected);
    c->flag_level.injected = config.under_flag ? bx_vpmu_injected(v, c, &config.flag) : 0;
    if (config.counting && !c->watched)
        c->tally = bx_vpmu_tally(v, c);
    update_watch(v, c, now);
}

void bx_vpmu_reconfigure_by(bx_vpmu *v, const bx_vreg *r, uint64_t now)
{
    for (unsigned i = r->first; i < r->end; i++)
        bx_vpmu_reconfigure(v, &v->counters[i], now);
}

static void set_injected(bx_vpmu *v, bx_vcounter *c, uint64_t now)
{
    uint64_t level = bx_vpmu_injected(v, c, &c->selected);
    uint64_t flag = c->config.under_flag ? bx_vpmu_injected(v, c, &c->config.flag) : 0;
    if (level == c->source_level.injected && flag == c->flag_level.injected)
        return;
    bx_vpmu_advance(v, c, now);
    if (level < c->source_level.injected)
        c->fell = now;
    c->source_level.injected = level;
    c->flag_level.injected = flag;
    update_watch(v, c, now);
}

void bx_vpmu_set_injected(bx_vpmu *v, uint64_t now)
{
    for (unsigned i = 0; i < v->counter_count; i++)
        set_injected(v, &v->counters[i], now);
}

void bx_vpmu_reset_tally(bx_vpmu *v, bx_vcounter *c)
{
    uint64_t now = v->signals->now(v->signals);
    bx_vconfig config = {.counting = false};
    select_source(v, c, &config);
    if (!config.tally)
        return;
    bx_vpmu_advance(v, c, now);
    if (!same_source(&config.source, &c->selected))
        begin_counting(c, &config);
    c->source_level.injected = bx_vpmu_injected(v, c, &c->selected);
    if (c->watched)
        stop_watch(v, c);
    start_watch(v, c); /* this reports the level of the present cycle, too */
    c->tally_offset =
        c->source_level.injected +
        (now >= c->source_level.from && now < c->source_level.until ? c->source_level.level : 0);
    bx_vpmu_update_watch(v, c, now);
}

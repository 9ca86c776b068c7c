/* The counting of a counter: threshold, invert, edge, direction, accumulator, queue tally. */
#include "vpmu/internal.h"

/* ---- one cycle ---- */

/* The level to add. For a queue, it is the counter's own tally of its entries. */
static uint64_t counted_level(const bx_vcounter *c, uint64_t level)
{
    return c->config.tally ? (level - c->tally_offset) & bx_mask_width(c->config.tally) : level;
}

/* 334060-001 table 2-7: a threshold of 0 disables the comparison, also the invert bit. */
static bool condition(const bx_vconfig *m, uint64_t level)
{
    return m->threshold ? (level >= m->threshold) != m->invert : level != 0;
}

/* The number that one cycle adds, except rises. */
static uint64_t rate(const bx_vconfig *m, uint64_t level)
{
    if (m->edge)
        return 0;
    return m->threshold ? condition(m, level) : level;
}

static bool rises(const bx_vconfig *m, bool high, uint64_t level)
{
    return m->edge && !high && condition(m, level);
}

static uint64_t reported_at(const bx_vlevel *l, uint64_t at, uint64_t *until)
{
    bool on = at >= l->from && at < l->until;
    *until = on ? l->until : at < l->from ? l->from : BX_NEVER;
    return l->injected + (on ? l->level : 0);
}

/* The level of a watched counter in the cycle `at`. *until: the cycle at which the level may
 * change. */
static uint64_t level_at(const bx_vcounter *c, uint64_t at, uint64_t *until)
{
    uint64_t level = reported_at(&c->source_level, at, until), flag_until;
    if (c->config.under_flag) {
        level = reported_at(&c->flag_level, at, &flag_until) ? level : 0;
        *until = flag_until < *until ? flag_until : *until;
    }
    return counted_level(c, level);
}

uint64_t bx_vpmu_tally(const bx_vpmu *v, bx_vcounter *c)
{
    uint64_t sum = 0; /* stays 0 if the model does not produce the signal */
    c->driven = v->signals->tally(v->signals, &c->selected, &sum);
    return sum;
}

/* ---- sums ---- */

static uint64_t moved(const bx_vcounter *c, uint64_t by)
{
    return c->config.down ? c->base - by : c->base + by;
}

void bx_vpmu_advance(bx_vpmu *v, bx_vcounter *c, uint64_t now)
{
    if (now < c->since)
        return;
    if (c->watched) {
        for (uint64_t at = c->since, until; at < now; at = until) {
            uint64_t level = level_at(c, at, &until);
            until = until < now ? until : now;
            c->base = moved(c, rises(&c->config, c->high, level) +
                                   rate(&c->config, level) * (until - at));
            c->high = condition(&c->config, level);
        }
    } else if (c->config.counting) {
        uint64_t sum = bx_vpmu_tally(v, c);
        c->base = moved(c, sum - c->tally + c->source_level.injected * (now - c->since));
        c->tally = sum;
    }
    c->since = now;
}

uint64_t bx_vpmu_headroom(const bx_vcounter *c)
{
    uint64_t mask = bx_vpmu_mask(c), sum = c->base & mask;
    return c->config.down ? sum : mask - sum;
}

uint64_t bx_vpmu_predict(const bx_vcounter *c)
{
    if (!c->watched || !c->config.reports)
        return BX_NEVER;
    uint64_t headroom = bx_vpmu_headroom(c);
    bool high = c->high;
    for (uint64_t at = c->since, until; at != BX_NEVER; at = until) {
        uint64_t level = level_at(c, at, &until), add = rate(&c->config, level);
        if (rises(&c->config, high, level) && headroom-- == 0)
            return at + 1;
        high = condition(&c->config, level);
        if (add == 0)
            continue;
        if (headroom / add < until - at)
            return at + headroom / add + 1;
        headroom -= add * (until - at);
    }
    return BX_NEVER;
}

static uint64_t count_of(const bx_vcounter *c, uint64_t sum)
{
    return (sum & bx_vpmu_mask(c)) >> c->shift;
}

uint64_t bx_vpmu_count(bx_vpmu *v, bx_vcounter *c)
{
    if (!c->config.counting)
        return count_of(c, c->base);
    if (!c->watched && !c->source_level.injected)
        return count_of(c, moved(c, bx_vpmu_tally(v, c) - c->tally));
    bx_vpmu_advance(v, c, v->signals->now(v->signals));
    return count_of(c, c->base);
}

/* ---- levels that are reported ---- */

void bx_vpmu_rearm(bx_vpmu *v, bx_vcounter *c, uint64_t now)
{
    if (!c->watched || c->fell != now)
        return;
    uint64_t until;
    bx_vpmu_advance(v, c, now);
    c->high = c->high && condition(&c->config, level_at(c, now - 1, &until));
    c->overflow = bx_vpmu_predict(c);
    v->rescheduled = true;
}

void bx_vpmu_on_level(struct bx_watcher *w, unsigned id, uint64_t start, uint64_t cycles,
                      uint32_t level)
{
    bx_vpmu *v = bx_vpmu_of_watcher(w);
    bool is_flag = id >= v->counter_count;
    bx_vcounter *c = &v->counters[is_flag ? v->flag_counters[id - v->counter_count] : id];
    bx_vlevel *l = is_flag ? &c->flag_level : &c->source_level;
    bx_vpmu_advance(v, c, start);
    l->level = level;
    l->from = start;
    l->until = cycles < BX_OPEN_ENDED - start ? start + cycles : BX_NEVER;
    c->overflow = bx_vpmu_predict(c);
    v->rescheduled = true;
    if (c->overflow < v->due) {
        v->due = c->overflow;
        v->signals->set_alarm(v->signals, v->due);
    }
}

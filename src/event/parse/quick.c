#include "event/parse/quick.h"

#include "catalog/lookup.h"

#include <string.h>

typedef struct quick {
    const struct bx_catalog *c;
    const bx_cat_entry *slots;   /* the index of names, */
    uint32_t last;               /* and the number of its last slot */
    const char *p, *begin, *end; /* the text goes from begin to end, p is where it is read */
    const bx_cat_pmu *pmu;
    const bx_cat_event *event;
    uint16_t pmu_at, event_at; /* catalogue indices */
    int32_t unit;
    uint32_t umask, given, fixed, relevant;
    uint32_t named_groups, alone; /* groups: one is named; it goes with no other */
    uint32_t takes, needs;
    uint64_t modifier[BX_MODIFIERS]; /* those that are given */
} quick;

/* A name at q->p, and the index that it has. */
typedef struct token {
    uint64_t head;
    bx_str name;
} token;

static inline token scan(const quick *q)
{
    token t;
    t.name.p = q->p;
    t.name.n = bx_name_scan(q->p, q->begin, q->end, &t.head);
    return t;
}

static inline uint16_t find(const quick *q, enum bx_name_kind kind, uint16_t parent, const token *t)
{
    return bx_index_find_exact(q->c, q->slots, q->last, bx_index_key(kind, parent), t->name,
                               t->head);
}

/* The end, or a separator; the other one, '.', is not usual. */
static inline bool is_stop(const quick *q, const char *p)
{
    return p == q->end || *p == ':';
}

static inline bool read_pmu(quick *q)
{
    token t = scan(q);
    size_t n = t.name.n, stem = n;
    if (q->end - q->p < (ptrdiff_t)n + 2 || q->p[n] != ':' || q->p[n + 1] != ':')
        return false;
    while (stem && bx_is_digit(q->p[stem - 1]))
        stem--;
    /* Digits are the unit's number, unless they belong to the name: "p6". */
    if (stem > 1 && stem < n) {
        t.name.n = stem;
        t.head = stem < 8 ? t.head & ((UINT64_C(1) << 8 * stem) - 1) : t.head;
    }
    q->pmu_at = find(q, BX_NAME_PMU, BX_NONE, &t);
    if (q->pmu_at == BX_NONE || n - t.name.n > 2)
        return false;
    q->pmu = &bx_cat_pmus(q->c)[q->pmu_at];
    q->unit = n > t.name.n ? 0 : BX_ANY;
    for (const char *p = q->p + t.name.n; p < q->p + n; p++)
        q->unit = q->unit * 10 + (*p - '0');
    q->p += n + 2;
    return q->unit < q->pmu->unit_max;
}

static inline bool read_event(quick *q)
{
    token t = scan(q);
    q->event_at = find(q, BX_NAME_EVENT, q->pmu_at, &t);
    q->p += t.name.n;
    if (q->event_at == BX_NONE || !is_stop(q, q->p))
        return false;
    q->event = &bx_cat_events(q->c)[q->event_at];
    return !(q->event->flags & BX_EVENT_GENERAL_PATH);
}

/* ---- attributes ---- */

static bool take_sets(quick *q, const bx_cat_umask *u)
{
    for (unsigned i = 0; i < u->sets.n; i++) {
        const bx_cat_set *set = &bx_cat_sets(q->c)[u->sets.first + i];
        unsigned local = set->modifier - q->pmu->modifiers.first;
        uint32_t bit = UINT32_C(1) << local;
        uint64_t value = set->value;
        if (q->given & bit) {
            if (!(q->fixed & bit && bx_cat_modifiers(q->c)[set->modifier].flags & BX_MODIFIER_BITS))
                return false;
            value |= q->modifier[local];
        }
        q->modifier[local] = value;
        q->given |= bit;
        q->fixed |= bit;
    }
    return true;
}

static inline bool take_umask(quick *q, uint16_t umask)
{
    const bx_cat_umask *u = &bx_cat_umasks(q->c)[umask];
    if (u->group != BX_NONE) {
        uint32_t bit = UINT32_C(1) << (u->group - q->event->groups.first);
        uint32_t alone = u->flags & BX_UMASK_ALONE ? bit : 0;
        if ((q->named_groups & alone) | (q->alone & bit))
            return false;
        q->named_groups |= bit;
        q->alone |= alone;
        q->takes |= u->takes | u->needs;
        q->needs |= u->needs;
    } else {
        q->named_groups = 1;
    }
    q->umask |= u->value;
    return !u->sets.n || take_sets(q, u);
}

static bool take_modifier_sets(quick *q, const bx_cat_modifier *m)
{
    for (unsigned i = 0; i < m->sets.n; i++) {
        const bx_cat_set *set = &bx_cat_sets(q->c)[m->sets.first + i];
        unsigned local = set->modifier - q->pmu->modifiers.first;
        if (q->given >> local & 1 && q->modifier[local] != set->value)
            return false;
        q->modifier[local] = set->value;
        q->given |= UINT32_C(1) << local;
    }
    q->relevant |= m->partners;
    return true;
}

static inline bool take_modifier(quick *q, uint16_t modifier, uint64_t value)
{
    const bx_cat_modifier *m = &bx_cat_modifiers(q->c)[modifier];
    unsigned local = modifier - q->pmu->modifiers.first;
    uint32_t bit = UINT32_C(1) << local;
    if (!(q->event->modifiers & ~q->given & ~q->pmu->hidden & bit) || value - m->lo > m->hi - m->lo)
        return false;
    q->modifier[local] = value;
    q->given |= bit;
    return !m->sets.n || take_modifier_sets(q, m);
}

/* A number of at most three digits, without a zero before it: that would be octal. */
static inline bool read_value(quick *q, uint64_t *value)
{
    const char *p = q->p;
    *value = 0;
    while (p < q->end && bx_is_digit(*p) && p - q->p < 3)
        *value = *value * 10 + (uint64_t)(*p++ - '0');
    bool plain = p > q->p && is_stop(q, p) && (*q->p != '0' || p == q->p + 1);
    q->p = p;
    return plain;
}

/* The modifier of one letter, or BX_NONE. */
static inline uint16_t find_letter(const quick *q, char letter)
{
    unsigned i = (unsigned)(letter - 'a');
    unsigned local = i < sizeof q->pmu->letters ? q->pmu->letters[i] : 0;
    return local ? (uint16_t)(q->pmu->modifiers.first + local - 1) : BX_NONE;
}

static inline bool read_attribute(quick *q)
{
    token t = scan(q);
    uint64_t value = 1;
    q->p += t.name.n;
    bool bare = is_stop(q, q->p);
    uint16_t modifier = t.name.n == 1 ? find_letter(q, *t.name.p) : BX_NONE;
    if (modifier != BX_NONE && bare && q->event->flags & BX_EVENT_HIDES)
        return false; /* it may be a unit mask in the other case */
    if (modifier == BX_NONE && bare && q->event->umasks.n) {
        uint16_t umask = find(q, BX_NAME_UMASK, q->event_at, &t);
        if (umask != BX_NONE)
            return take_umask(q, umask);
    }
    if (modifier == BX_NONE)
        modifier = find(q, BX_NAME_MODIFIER, q->pmu_at, &t);
    if (modifier == BX_NONE)
        return false;
    if (bare)
        return bx_cat_modifiers(q->c)[modifier].flag && take_modifier(q, modifier, 1);
    if (*q->p++ != '=' || !read_value(q, &value))
        return false;
    return take_modifier(q, modifier, value);
}

/* ---- the whole ---- */

/* What a preset sets was set otherwise. */
static bool is_set(const quick *q, const bx_cat_umask *preset)
{
    for (unsigned i = 0; i < preset->sets.n; i++) {
        uint16_t modifier = bx_cat_sets(q->c)[preset->sets.first + i].modifier;
        if (q->given >> (modifier - q->pmu->modifiers.first) & 1)
            return true;
    }
    return false;
}

static inline bool fill_in(quick *q)
{
    const bx_cat_event *event = q->event;
    if (!event->groups.n)
        return q->named_groups || !event->umasks.n ||
               (event->umask_default != BX_NONE && take_umask(q, event->umask_default));
    const bx_cat_group *groups = &bx_cat_groups(q->c)[event->groups.first];
    for (unsigned i = 0; i < event->groups.n; i++) {
        if (q->named_groups >> i & 1)
            continue;
        if (groups[i].preset == BX_NONE) {
            if (groups[i].flags & BX_GROUP_REQUIRED)
                return false;
        } else if (!is_set(q, &bx_cat_umasks(q->c)[groups[i].preset]) &&
                   !take_umask(q, groups[i].preset)) {
            return false;
        }
    }
    return true;
}

/* Whether all goes together; *control is the part that modifiers make. */
static inline bool is_consistent(quick *q, uint64_t *control)
{
    const bx_cat_modifier *modifiers = &bx_cat_modifiers(q->c)[q->pmu->modifiers.first];
    uint32_t levels = q->given & q->pmu->levels ? 0 : q->pmu->levels;
    uint32_t used = levels, needs = q->needs;
    for (uint32_t left = q->given; left; left &= left - 1) {
        unsigned i = bx_lowest_bit(left);
        const bx_cat_modifier *m = &modifiers[i];
        if (!q->modifier[i])
            continue;
        used |= UINT32_C(1) << i;
        needs |= m->needs;
        if (m->reg == BX_NONE)
            *control |= q->modifier[i] << m->at;
    }
    *control |= levels ? q->pmu->level_bits : 0;
    for (q->given |= levels; levels; levels &= levels - 1)
        q->modifier[bx_lowest_bit(levels)] = 1;
    q->relevant |= used | q->takes | (q->given & q->event->modifiers & ~q->event->bound);
    return !((needs & ~used) | (used & q->event->bound & ~q->takes));
}

static inline void write_out(const quick *q, uint64_t control, bx_evsel *event)
{
    const bx_cat_event *of = q->event;
    const bx_cat_pmu *pmu = q->pmu;
    const bx_cat_counter *counter =
        &bx_cat_counters(q->c)[pmu->counters.first + bx_lowest_bit(of->counters)];
    if (pmu->select_event != BX_NONE)
        control |= (uint64_t)of->code << pmu->event_at;
    if (pmu->select_umask != BX_NONE)
        control |= (uint64_t)q->umask << pmu->umask_at;
    event->pmu = q->pmu_at;
    event->event = q->event_at;
    event->unit = (int16_t)q->unit;
    /* package, counter, port and place: BX_ANY, in one store. */
    memset((char *)event + offsetof(bx_evsel, package), 0xff, 4 * sizeof event->place);
    event->group = 0;
    event->code = of->code;
    event->umask = q->umask;
    event->given = q->given;
    /* In thirds: all at once would be a loop. */
    memset(event->modifier, 0, sizeof event->modifier / 3);
    memset(event->modifier + BX_MODIFIERS / 3, 0, sizeof event->modifier / 3);
    memset(event->modifier + BX_MODIFIERS * 2 / 3, 0, sizeof event->modifier / 3);
    for (uint32_t left = q->given; left; left &= left - 1)
        event->modifier[bx_lowest_bit(left)] = q->modifier[bx_lowest_bit(left)];
    event->control = counter->control == BX_NONE ? 0 : control | counter->enable;
    event->extras = 0;
    event->at = 0;
    event->len = (size_t)(q->end - q->begin);
    if (q->relevant & pmu->shared)
        bx_event_fill_extras(pmu, &bx_cat_modifiers(q->c)[pmu->modifiers.first], event,
                             q->relevant);
}

bool bx_event_quick(const struct bx_catalog *c, const char *text, size_t len, bx_evsel *event)
{
    quick q;
    q.c = c;
    q.slots = bx_cat_index(c);
    q.last = c->index.n - 1;
    q.p = q.begin = text;
    q.end = text + len;
    q.umask = q.given = q.fixed = q.relevant = q.named_groups = q.alone = q.takes = q.needs = 0;
    if (!read_pmu(&q) || !read_event(&q))
        return false;
    while (q.p < q.end) {
        q.p++;
        if (!read_attribute(&q))
            return false;
    }
    uint64_t control = 0;
    if (!fill_in(&q) || !is_consistent(&q, &control))
        return false;
    write_out(&q, control, event);
    return true;
}

int bx_event_parse(const bx_catalog *c, int cpu, const char *text, size_t len, bx_evsel *event,
                   bx_error *e)
{
    if (bx_event_quick(c, text, len, event))
        return BX_OK;
    return bx_event_read_any(c, cpu, (bx_str){text, len}, event, e);
}

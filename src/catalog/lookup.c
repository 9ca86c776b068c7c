/* Looks up names in the catalogue's index. */
#include "catalog/lookup.h"

#include "base/bits.h"

#include <stdio.h>
#include <string.h>

enum bx_name_kind {
    BX_NAME_CPU = 1,
    BX_NAME_PMU,
    BX_NAME_EVENT,
    BX_NAME_EVENT_ALIAS,
    BX_NAME_UMASK,
    BX_NAME_UMASK_LIKWID,
    BX_NAME_MODIFIER,
};

/* The name and the parent by which an item is found. */
struct key {
    bx_cat_text name;
    uint16_t parent, item;
};

static struct key key_of(const struct bx_catalog *c, enum bx_name_kind kind, uint16_t i)
{
    switch (kind) {
    case BX_NAME_CPU:
        return (struct key){bx_cat_cpus(c)[i].name, BX_NONE, i};
    case BX_NAME_PMU:
        return (struct key){bx_cat_pmus(c)[i].name, BX_NONE, i};
    case BX_NAME_EVENT:
        return (struct key){bx_cat_events(c)[i].name, bx_cat_events(c)[i].pmu, i};
    case BX_NAME_EVENT_ALIAS:
        return (struct key){bx_cat_aliases(c)[i].name,
                            bx_cat_events(c)[bx_cat_aliases(c)[i].event].pmu,
                            bx_cat_aliases(c)[i].event};
    case BX_NAME_UMASK:
        return (struct key){bx_cat_umasks(c)[i].name, bx_cat_umasks(c)[i].event, i};
    case BX_NAME_UMASK_LIKWID:
        return (struct key){bx_cat_umasks(c)[i].likwid, bx_cat_umasks(c)[i].event, i};
    default:
        return (struct key){bx_cat_modifiers(c)[i].name, bx_cat_modifiers(c)[i].pmu, i};
    }
}

static const struct {
    enum bx_name_kind kind;
    size_t table; /* offset of its bx_cat_table in the header */
} indexed[] = {
    {BX_NAME_CPU, offsetof(bx_catalog_header, cpus)},
    {BX_NAME_PMU, offsetof(bx_catalog_header, pmus)},
    {BX_NAME_EVENT, offsetof(bx_catalog_header, events)},
    {BX_NAME_EVENT_ALIAS, offsetof(bx_catalog_header, aliases)},
    {BX_NAME_UMASK, offsetof(bx_catalog_header, umasks)},
    {BX_NAME_UMASK_LIKWID, offsetof(bx_catalog_header, umasks)},
    {BX_NAME_MODIFIER, offsetof(bx_catalog_header, modifiers)},
};

enum { INDEXED = sizeof indexed / sizeof *indexed };

static uint32_t items(const struct bx_catalog *c, size_t which)
{
    const char *table = (const char *)c + indexed[which].table;
    return ((const bx_cat_table *)(const void *)table)->n;
}

uint32_t bx_index_names(const struct bx_catalog *c)
{
    uint32_t n = 0;
    for (size_t k = 0; k < INDEXED; k++)
        n += items(c, k);
    return n;
}

/* Where a name is unique: never 0. */
static uint32_t scope_of(enum bx_name_kind kind, uint16_t parent)
{
    return (uint32_t)kind << 16 | parent;
}

static void put_name(struct bx_catalog *c, enum bx_name_kind kind, uint16_t row)
{
    bx_cat_entry *buckets = (bx_cat_entry *)(void *)((char *)c + c->index.at);
    struct key key = key_of(c, kind, row);
    bx_str name = bx_cat_str(c, key.name);
    if (!key.name)
        return;
    /* An alias is looked up in the same way as an event. */
    uint32_t scope = scope_of(kind == BX_NAME_EVENT_ALIAS ? BX_NAME_EVENT : kind, key.parent);
    uint32_t last = c->index.n - 1, i = bx_str_hash_fold(name, scope) & last;
    while (buckets[i].scope)
        i = (i + 1) & last;
    buckets[i] = (bx_cat_entry){scope, key.name, (uint32_t)name.n, key.item, 0};
}

void bx_index_fill(struct bx_catalog *c)
{
    for (size_t k = 0; k < INDEXED; k++)
        for (uint32_t i = 0, n = items(c, k); i < n; i++)
            put_name(c, indexed[k].kind, (uint16_t)i);
}

/* The item of this kind, parent and name, or BX_NONE. Probing starts at the hash of all three. */
static uint16_t find_row(const struct bx_catalog *c, enum bx_name_kind kind, uint16_t parent,
                         bx_str name)
{
    const bx_cat_entry *buckets = bx_cat_index(c);
    uint32_t scope = scope_of(kind, parent), last = c->index.n - 1;
    for (uint32_t i = bx_str_hash_fold(name, scope) & last; buckets[i].scope; i = (i + 1) & last)
        if (buckets[i].scope == scope && buckets[i].length == name.n &&
            bx_str_eq_fold((bx_str){bx_cat_z(c, buckets[i].name), name.n}, name))
            return buckets[i].item;
    return BX_NONE;
}

uint16_t bx_cat_find_cpu(const struct bx_catalog *c, bx_str name)
{
    return find_row(c, BX_NAME_CPU, BX_NONE, name);
}

uint16_t bx_cat_find_pmu(const struct bx_catalog *c, bx_str name)
{
    return find_row(c, BX_NAME_PMU, BX_NONE, name);
}

uint16_t bx_cat_find_event(const struct bx_catalog *c, uint16_t pmu, bx_str name)
{
    return find_row(c, BX_NAME_EVENT, pmu, name);
}

uint16_t bx_cat_find_umask(const struct bx_catalog *c, uint16_t event, bx_str name)
{
    return find_row(c, BX_NAME_UMASK, event, name);
}

uint16_t bx_cat_find_likwid_umask(const struct bx_catalog *c, uint16_t event, bx_str name)
{
    uint16_t umask = find_row(c, BX_NAME_UMASK_LIKWID, event, name);
    return umask != BX_NONE ? umask : find_row(c, BX_NAME_UMASK, event, name);
}

uint16_t bx_cat_find_modifier(const struct bx_catalog *c, uint16_t pmu, bx_str name)
{
    return find_row(c, BX_NAME_MODIFIER, pmu, name);
}

/* The same by scanning some items of a table. The name is the first member of each. */
static uint16_t find_in(const struct bx_catalog *c, bx_span some, const bx_cat_table *table,
                        size_t size, bx_str name)
{
    const char *items = (const char *)c + table->at;
    for (uint16_t i = some.first; i < some.first + some.n; i++) {
        const bx_cat_text *text = (const void *)(items + i * size);
        if (bx_str_eq_fold(bx_cat_str(c, *text), name))
            return i;
    }
    return BX_NONE;
}

uint16_t bx_cat_find_reg(const struct bx_catalog *c, uint16_t pmu, bx_str name)
{
    return find_in(c, bx_cat_pmus(c)[pmu].regs, &c->regs, sizeof(bx_cat_reg), name);
}

uint16_t bx_cat_find_field(const struct bx_catalog *c, uint16_t reg, bx_str name)
{
    return find_in(c, bx_cat_regs(c)[reg].fields, &c->fields, sizeof(bx_cat_field), name);
}

static bool has_id(const struct bx_catalog *c, bx_span ids, unsigned family, unsigned model)
{
    for (uint16_t i = ids.first; i < ids.first + ids.n; i++)
        if (bx_cat_ids(c)[i].family == family && bx_cat_ids(c)[i].model == model)
            return true;
    return false;
}

uint16_t bx_cat_find_cpu_by_id(const struct bx_catalog *c, unsigned family, unsigned model)
{
    for (uint16_t cpu = 0; cpu < c->cpus.n; cpu++)
        if (has_id(c, bx_cat_cpus(c)[cpu].ids, family, model))
            return cpu;
    return BX_NONE;
}

uint16_t bx_cat_find_relative(const struct bx_catalog *c, unsigned family, unsigned model)
{
    for (uint16_t cpu = 0; cpu < c->cpus.n; cpu++)
        if (has_id(c, bx_cat_cpus(c)[cpu].relatives, family, model))
            return cpu;
    return BX_NONE;
}

uint16_t bx_cat_event_by_code(const struct bx_catalog *c, uint16_t pmu, uint32_t code)
{
    return bx_cat_event_by_code_on(c, pmu, code, UINT32_MAX);
}

uint16_t bx_cat_event_by_code_on(const struct bx_catalog *c, uint16_t pmu, uint32_t code,
                                 uint32_t counters)
{
    bx_span events = bx_cat_pmus(c)[pmu].events;
    for (uint16_t i = events.first; i < events.first + events.n; i++) {
        const bx_cat_event *event = &bx_cat_events(c)[i];
        if (event->code == code && event->slot == BX_NONE && event->counters & counters)
            return i;
    }
    return BX_NONE;
}

uint32_t bx_cat_counters_of_code(const struct bx_catalog *c, uint16_t pmu, uint32_t code)
{
    const bx_cat_pmu *p = &bx_cat_pmus(c)[pmu];
    uint32_t on = 0;
    for (unsigned i = 0; i < p->events.n; i++) {
        const bx_cat_event *event = &bx_cat_events(c)[p->events.first + i];
        on |= event->code == code && event->slot == BX_NONE ? event->counters : 0;
    }
    for (unsigned i = 0; i < p->counters.n; i++) {
        const bx_cat_counter *counter = &bx_cat_counters(c)[p->counters.first + i];
        if (counter->flags & BX_COUNTER_FIXED)
            on &= ~(UINT32_C(1) << counter->index);
    }
    return on ? on : UINT32_MAX;
}

uint16_t bx_cat_find_value(const struct bx_catalog *c, uint16_t modifier, bx_str name)
{
    return find_in(c, bx_cat_modifiers(c)[modifier].values, &c->values, sizeof(bx_cat_value), name);
}

uint16_t bx_cat_find_metric(const struct bx_catalog *c, uint16_t cpu, bx_str name)
{
    bx_span metrics = bx_cat_cpus(c)[cpu].metrics;
    uint16_t found = find_in(c, metrics, &c->metrics, sizeof(bx_cat_metric), name);
    for (uint16_t i = metrics.first; found == BX_NONE && i < metrics.first + metrics.n; i++)
        for (bx_str rest = bx_cat_str(c, bx_cat_metrics(c)[i].also); rest.n;)
            if (bx_str_eq_fold(bx_str_cut(&rest, ' '), name))
                found = i;
    return found;
}

uint16_t bx_cat_find_metric_group(const struct bx_catalog *c, uint16_t cpu, bx_str name)
{
    return find_in(c, bx_cat_cpus(c)[cpu].metric_groups, &c->metric_groups,
                   sizeof(bx_cat_metric_group), name);
}

bool bx_cat_metric_is_in(const struct bx_catalog *c, uint16_t metric,
                         const bx_cat_metric_group *group)
{
    for (unsigned i = 0; i < group->members.n; i++)
        if (bx_cat_metric_members(c)[group->members.first + i].metric == metric)
            return true;
    return false;
}

uint64_t bx_cat_field_mask(const bx_cat_field *f)
{
    return bx_mask_bits(f->lo, f->hi);
}

/* Reads a decimal number at *p and moves *p to its end. false: there is none, or it needs more than
 * 32 bits. */
static bool take_number(const char **p, unsigned *n)
{
    const char *begin = *p;
    uint64_t value = 0;
    while (bx_is_digit(**p) && value <= UINT32_MAX)
        value = 10 * value + (uint64_t)(*(*p)++ - '0');
    *n = (unsigned)value;
    return *p > begin && value <= UINT32_MAX;
}

/* The length of a placeholder in a pattern: {unit}, {n}, {5+8u} or {n+8u}; 0: it is none of these.
 */
static size_t hole(const char *pattern, unsigned unit, unsigned n, unsigned *number)
{
    const char *p = pattern + 1;
    unsigned step = 0;
    *number = n;
    if (*pattern != '{')
        return 0;
    if (strncmp(p, "unit", 4) == 0) {
        *number = unit;
        p += 4;
    } else {
        bool letter = *p == 'n';
        if (letter)
            p++;
        else if (!take_number(&p, number))
            return 0;
        if (*p == '+' && (p++, !take_number(&p, &step) || *p++ != 'u'))
            return 0;
        if (!letter && !step)
            return 0;
        *number += step * unit;
    }
    return *p == '}' ? (size_t)(p + 1 - pattern) : 0;
}

size_t bx_cat_expand(char *to, size_t room, const char *pattern, unsigned unit, unsigned n)
{
    size_t length = 0;
    while (*pattern) {
        char number[16] = {*pattern};
        unsigned filled;
        size_t skip = hole(pattern, unit, n, &filled);
        if (skip)
            snprintf(number, sizeof number, "%u", filled);
        else
            skip = 1;
        for (const char *p = number; *p; p++, length++)
            if (length + 1 < room)
                to[length] = *p;
        pattern += skip;
    }
    if (room)
        to[length < room ? length : room - 1] = '\0';
    return length;
}

/* Checks a blob that was read from a file: every reference lies within its table. */
#include "catalog/check.h"

#include "catalog/tables.h"

#include <string.h>

enum kind { TEXT, SPAN, ITEM, OPTION }; /* OPTION: an item, or BX_NONE */

typedef struct reference {
    uint8_t table, kind, to; /* to: the table that it refers to */
    uint16_t at;             /* offset in the row */
} reference;

#define T(id, type, member)                                                                        \
    {                                                                                              \
        BX_T_##id, TEXT, 0, offsetof(type, member)                                                 \
    }
#define S(id, type, member, other)                                                                 \
    {                                                                                              \
        BX_T_##id, SPAN, BX_T_##other, offsetof(type, member)                                      \
    }
#define I(id, type, member, other)                                                                 \
    {                                                                                              \
        BX_T_##id, ITEM, BX_T_##other, offsetof(type, member)                                      \
    }
#define O(id, type, member, other)                                                                 \
    {                                                                                              \
        BX_T_##id, OPTION, BX_T_##other, offsetof(type, member)                                    \
    }

/* By table: each table's rows are walked once for each of its references. */
static const reference references[] = {
    T(CPUS, bx_cat_cpu, name),
    T(CPUS, bx_cat_cpu, title),
    T(CPUS, bx_cat_cpu, source),
    T(CPUS, bx_cat_cpu, note),
    T(CPUS, bx_cat_cpu, model),
    T(CPUS, bx_cat_cpu, features),
    T(CPUS, bx_cat_cpu, called),
    T(CPUS, bx_cat_cpu, clock),
    T(CPUS, bx_cat_cpu, delay),
    S(CPUS, bx_cat_cpu, ids, IDS),
    S(CPUS, bx_cat_cpu, relatives, IDS),
    S(CPUS, bx_cat_cpu, pmus, PMUS),
    S(CPUS, bx_cat_cpu, passives, PASSIVES),
    S(CPUS, bx_cat_cpu, functions, FUNCTIONS),
    S(CPUS, bx_cat_cpu, windows, WINDOWS),
    S(CPUS, bx_cat_cpu, metrics, METRICS),
    S(CPUS, bx_cat_cpu, metric_groups, METRIC_GROUPS),
    S(CPUS, bx_cat_cpu, defaults, PICKS),
    S(CPUS, bx_cat_cpu, shapes, SHAPES),
    S(CPUS, bx_cat_cpu, parts, PRESETS),
    S(CPUS, bx_cat_cpu, memories, PRESETS),
    O(CPUS, bx_cat_cpu, freeze, FIELDS),
    O(CPUS, bx_cat_cpu, freezes, FIELDS),
    O(CPUS, bx_cat_cpu, wake, FIELDS),
    S(CPUS, bx_cat_cpu, pmi, FIELDS),
    O(CPUS, bx_cat_cpu, noted, FIELDS),
    O(CPUS, bx_cat_cpu, changed, FIELDS),
    T(SHAPES, bx_cat_shape, name),
    T(SHAPES, bx_cat_shape, title),
    T(PRESETS, bx_cat_preset, name),
    T(PRESETS, bx_cat_preset, title),
    T(PRESETS, bx_cat_preset, source),
    T(PRESETS, bx_cat_preset, note),
    T(PRESETS, bx_cat_preset, called),
    S(PRESETS, bx_cat_preset, values, PRESET_VALUES),
    O(PRESETS, bx_cat_preset, fits, PRESETS),
    I(PRESETS, bx_cat_preset, cpu, CPUS),
    T(PMUS, bx_cat_pmu, name),
    T(PMUS, bx_cat_pmu, title),
    T(PMUS, bx_cat_pmu, source),
    T(PMUS, bx_cat_pmu, note),
    T(PMUS, bx_cat_pmu, kernel),
    T(PMUS, bx_cat_pmu, likwid),
    T(PMUS, bx_cat_pmu, unit_label),
    T(PMUS, bx_cat_pmu, unit_key),
    I(PMUS, bx_cat_pmu, cpu, CPUS),
    O(PMUS, bx_cat_pmu, unit_field, FIELDS),
    O(PMUS, bx_cat_pmu, select_event, FIELDS),
    O(PMUS, bx_cat_pmu, select_umask, FIELDS),
    S(PMUS, bx_cat_pmu, regs, REGS),
    S(PMUS, bx_cat_pmu, counters, COUNTERS),
    S(PMUS, bx_cat_pmu, events, EVENTS),
    S(PMUS, bx_cat_pmu, modifiers, MODIFIERS),
    S(PMUS, bx_cat_pmu, slots, SLOTS),
    S(PMUS, bx_cat_pmu, perf_names, OTHER_NAMES),
    S(PMUS, bx_cat_pmu, likwid_names, OTHER_NAMES),
    T(REGS, bx_cat_reg, name),
    T(REGS, bx_cat_reg, title),
    T(REGS, bx_cat_reg, source),
    T(REGS, bx_cat_reg, note),
    T(REGS, bx_cat_reg, kernel),
    T(REGS, bx_cat_reg, also),
    I(REGS, bx_cat_reg, pmu, PMUS),
    O(REGS, bx_cat_reg, base, FIELDS),
    S(REGS, bx_cat_reg, fields, FIELDS),
    O(REGS, bx_cat_reg, precondition, CONDS),
    O(REGS, bx_cat_reg, shows, REGS),
    T(FIELDS, bx_cat_field, name),
    T(FIELDS, bx_cat_field, title),
    T(FIELDS, bx_cat_field, note),
    T(FIELDS, bx_cat_field, kernel),
    I(FIELDS, bx_cat_field, reg, REGS),
    O(FIELDS, bx_cat_field, clears, FIELDS),
    S(FIELDS, bx_cat_field, gathers, GATHERS),
    I(CONDS, bx_cat_cond, reg, REGS),
    I(CONDS, bx_cat_cond, field, FIELDS),
    I(COUNTERS, bx_cat_counter, pmu, PMUS),
    O(COUNTERS, bx_cat_counter, control, REGS),
    O(COUNTERS, bx_cat_counter, value, REGS),
    O(COUNTERS, bx_cat_counter, value_field, FIELDS),
    S(COUNTERS, bx_cat_counter, counts, CONDS),
    O(COUNTERS, bx_cat_counter, edge, FIELDS),
    O(COUNTERS, bx_cat_counter, invert, FIELDS),
    O(COUNTERS, bx_cat_counter, threshold, FIELDS),
    O(COUNTERS, bx_cat_counter, overflow, FIELDS),
    O(COUNTERS, bx_cat_counter, overflow_en, FIELDS),
    O(COUNTERS, bx_cat_counter, user, FIELDS),
    O(COUNTERS, bx_cat_counter, os, FIELDS),
    O(COUNTERS, bx_cat_counter, wrap, FIELDS),
    O(COUNTERS, bx_cat_counter, mode, FIELDS),
    O(COUNTERS, bx_cat_counter, storage, FIELDS),
    O(COUNTERS, bx_cat_counter, tally, FIELDS),
    O(COUNTERS, bx_cat_counter, other_condition, CONDS),
    T(COUNTERS, bx_cat_counter, likwid),
    T(EVENTS, bx_cat_event, name),
    T(EVENTS, bx_cat_event, title),
    T(EVENTS, bx_cat_event, source),
    T(EVENTS, bx_cat_event, note),
    T(EVENTS, bx_cat_event, alias),
    T(EVENTS, bx_cat_event, libpfm),
    T(EVENTS, bx_cat_event, kernel),
    T(EVENTS, bx_cat_event, unit),
    T(EVENTS, bx_cat_event, topics),
    T(EVENTS, bx_cat_event, unlike),
    T(EVENTS, bx_cat_event, caution),
    T(EVENTS, bx_cat_event, each_name[0]),
    T(EVENTS, bx_cat_event, each_name[1]),
    I(EVENTS, bx_cat_event, pmu, PMUS),
    O(EVENTS, bx_cat_event, slot, SLOTS),
    S(EVENTS, bx_cat_event, umasks, UMASKS),
    S(EVENTS, bx_cat_event, groups, GROUPS),
    S(EVENTS, bx_cat_event, aliases, ALIASES),
    O(EVENTS, bx_cat_event, umask_default, UMASKS),
    S(EVENTS, bx_cat_event, sets, SETS),
    S(EVENTS, bx_cat_event, implied, SETS),
    T(ALIASES, bx_cat_alias, name),
    I(ALIASES, bx_cat_alias, event, EVENTS),
    T(GROUPS, bx_cat_group, name),
    T(GROUPS, bx_cat_group, title),
    I(GROUPS, bx_cat_group, event, EVENTS),
    O(GROUPS, bx_cat_group, preset, UMASKS),
    S(GROUPS, bx_cat_group, umasks, UMASKS),
    T(UMASKS, bx_cat_umask, name),
    T(UMASKS, bx_cat_umask, title),
    T(UMASKS, bx_cat_umask, source),
    T(UMASKS, bx_cat_umask, note),
    T(UMASKS, bx_cat_umask, unit),
    T(UMASKS, bx_cat_umask, likwid),
    T(UMASKS, bx_cat_umask, unlike),
    I(UMASKS, bx_cat_umask, event, EVENTS),
    S(UMASKS, bx_cat_umask, sets, SETS),
    O(UMASKS, bx_cat_umask, group, GROUPS),
    I(SETS, bx_cat_set, modifier, MODIFIERS),
    T(MODIFIERS, bx_cat_modifier, name),
    T(MODIFIERS, bx_cat_modifier, title),
    T(MODIFIERS, bx_cat_modifier, kernel),
    T(MODIFIERS, bx_cat_modifier, likwid),
    I(MODIFIERS, bx_cat_modifier, pmu, PMUS),
    I(MODIFIERS, bx_cat_modifier, field, FIELDS),
    O(MODIFIERS, bx_cat_modifier, reg, REGS),
    S(MODIFIERS, bx_cat_modifier, sets, SETS),
    S(MODIFIERS, bx_cat_modifier, values, VALUES),
    O(MODIFIERS, bx_cat_modifier, masked, MODIFIERS),
    O(MODIFIERS, bx_cat_modifier, twin, MODIFIERS),
    T(VALUES, bx_cat_value, name),
    T(VALUES, bx_cat_value, title),
    S(VALUES, bx_cat_value, sets, SETS),
    T(OTHER_NAMES, bx_cat_other_name, name),
    T(OTHER_NAMES, bx_cat_other_name, terms),
    T(PASSIVES, bx_cat_passive, title),
    T(FUNCTIONS, bx_cat_function, title),
    T(FUNCTIONS, bx_cat_function, source),
    S(FUNCTIONS, bx_cat_function, passives, PASSIVES),
    O(WINDOWS, bx_cat_window, base, FIELDS),
    S(WINDOWS, bx_cat_window, mapped, MAP_ROWS),
    O(MAP_ROWS, bx_cat_map_row, reg, REGS),
    O(MAP_ROWS, bx_cat_map_row, passive, PASSIVES),
    O(MAP_ROWS, bx_cat_map_row, function, FUNCTIONS),
    T(METRICS, bx_cat_metric, name),
    T(METRICS, bx_cat_metric, title),
    T(METRICS, bx_cat_metric, also),
    T(METRICS, bx_cat_metric, note),
    T(METRICS, bx_cat_metric, topics),
    T(METRICS, bx_cat_metric, means),
    T(METRICS, bx_cat_metric, caution),
    T(METRICS, bx_cat_metric, source),
    T(METRICS, bx_cat_metric, unit),
    T(METRICS, bx_cat_metric, formula),
    S(METRICS, bx_cat_metric, operands, OPERANDS),
    O(METRICS, bx_cat_metric, beside, OPERANDS),
    T(METRIC_GROUPS, bx_cat_metric_group, name),
    T(METRIC_GROUPS, bx_cat_metric_group, title),
    T(METRIC_GROUPS, bx_cat_metric_group, topics),
    S(METRIC_GROUPS, bx_cat_metric_group, members, METRIC_MEMBERS),
    I(METRIC_MEMBERS, bx_cat_metric_member, metric, METRICS),
    S(OPERANDS, bx_cat_operand, sets, SETS),
    T(PICKS, bx_cat_pick, event),
    I(GATHERS, bx_cat_gather, reg, REGS),
    T(SLOTS, bx_cat_slot, name),
    T(SLOTS, bx_cat_slot, title),
    S(SLOTS, bx_cat_slot, places, PLACES),
    I(SLOTS, bx_cat_slot, pmu, PMUS),
    I(PLACES, bx_cat_place, slot, SLOTS),
    O(PLACES, bx_cat_place, reg[0], REGS),
    O(PLACES, bx_cat_place, reg[1], REGS),
    O(PLACES, bx_cat_place, reg[2], REGS),
};

/* A command may check a file each time it opens it: the loops have no branches but their own. */
static bool refers_well(bx_catalog_header *h, const char *bytes, const reference *r)
{
    size_t size = bx_table_row_size[r->table];
    const bx_cat_table *table = bx_table_of(h, (enum bx_table_id)r->table);
    uint32_t most = r->kind == TEXT ? h->strings.n : bx_table_of(h, (enum bx_table_id)r->to)->n;
    const char *at = bytes + table->at + r->at, *end = at + table->n * size;
    uint32_t none = r->kind == OPTION ? BX_NONE : most, wrong = 0;
    if (r->kind == TEXT)
        for (; at < end; at += size)
            wrong |= *(const bx_cat_text *)(const void *)at >= most;
    else if (r->kind == SPAN)
        for (; at < end; at += size) {
            const bx_span *span = (const void *)at;
            wrong |= (uint32_t)span->first + span->n > most && span->n;
        }
    else
        for (; at < end; at += size) {
            uint32_t item = *(const uint16_t *)(const void *)at;
            wrong |= (item >= most) & (item != none || none == most);
        }
    return !wrong;
}

/* The sign bit of a sum of these is set if one of the texts lies beyond `last`, below 1 << 31. */
static inline uint32_t beyond(uint32_t text, uint32_t last)
{
    return (last - text) | text;
}

/* Whether all events are as imported ones are, with most members empty, and the others refer to
 * texts and a PMU. They are most of an imported catalogue: this saves most of the time of a check.
 */
static bool events_are_plain(const struct bx_catalog *c)
{
    typedef uint32_t four __attribute__((vector_size(16)));
    const uint32_t last = c->strings.n - 1, pmus = c->pmus.n;
    const bx_cat_event *e = bx_cat_events(c), *end = e + c->events.n;
    four sum = {0}, lasts = {last, last, last, last};
    uint32_t texts = 0;
    bool wrong = false;
    for (; e < end; e++) {
        four first; /* name, title, source, note */
        memcpy(&first, &e->name, sizeof first);
        sum |= (lasts - first) | first;
        texts |= beyond(e->kernel, last) | beyond(e->unit, last) | beyond(e->caution, last);
        uint32_t others = e->alias | e->libpfm | e->topics | e->each_name[0] | e->each_name[1] |
                          e->unlike | e->umasks.n | e->groups.n | e->aliases.n | e->sets.n |
                          e->implied.n | (uint32_t)(e->slot ^ BX_NONE) |
                          (uint32_t)(e->umask_default ^ BX_NONE);
        wrong |= e->pmu >= pmus;
        wrong |= others != 0;
    }
    texts |= sum[0] | sum[1] | sum[2] | sum[3];
    return !wrong && !(texts >> 31);
}

_Static_assert(offsetof(bx_cat_event, note) == 3 * sizeof(bx_cat_text), "four texts come first");

static bool lies_within(const bx_cat_table *table, size_t row, uint32_t size)
{
    return table->at % 8 == 0 && table->at <= size && table->n <= (size - table->at) / row;
}

static const char *check_layout(bx_catalog_header *h)
{
    for (int id = 0; id < BX_TABLES; id++) {
        const bx_cat_table *table = bx_table_of(h, (enum bx_table_id)id);
        if (!lies_within(table, bx_table_row_size[id], h->size) || table->n >= BX_NONE)
            return "a table is not within the file";
    }
    if (!lies_within(&h->index, sizeof(bx_cat_entry), h->size) || !h->index.n ||
        h->index.n & (h->index.n - 1))
        return "the index is not within the file";
    if (!lies_within(&h->strings, 1, h->size) || !h->strings.n || h->strings.n > INT32_MAX)
        return "the texts are not within the file";
    return NULL;
}

/* Probing must end at an empty bucket, and what it finds must be there. */
static bool index_is_sound(const bx_catalog_header *h, const char *bytes)
{
    const bx_cat_entry *entry = (const void *)(bytes + h->index.at);
    uint32_t empty = 0;
    /* Kinds of names, in their order: CPU, PMU, event, alias, unit mask, LIKWID's, modifier. */
    const uint32_t most[] = {0,           h->cpus.n,   h->pmus.n,   h->events.n,
                             h->events.n, h->umasks.n, h->umasks.n, h->modifiers.n};
    const bx_cat_entry *end = entry + h->index.n;
    const uint32_t texts = h->strings.n;
    for (; entry < end; entry++) {
        uint32_t kind = entry->scope >> 16;
        if (!entry->scope) {
            empty++;
            continue;
        }
        if (kind >= sizeof most / sizeof *most || entry->item >= most[kind] ||
            entry->name >= texts || entry->length > texts - entry->name)
            return false;
    }
    return empty > 0;
}

/* A topology has room for so many. */
static bool cpus_are_sound(const struct bx_catalog *c)
{
    for (uint32_t i = 0; i < c->cpus.n; i++)
        if (bx_cat_cpus(c)[i].shapes.n > BX_SHAPES || bx_cat_cpus(c)[i].pmus.n > BX_PMUS)
            return false;
    return true;
}

const char *bx_catalog_check(const void *bytes, size_t size)
{
    bx_catalog_header h;
    if (size < sizeof h)
        return "it is too short";
    memcpy(&h, bytes, sizeof h);
    if (h.magic != BX_CAT_MAGIC)
        return "it is no catalogue";
    if (h.version != BX_CAT_VERSION)
        return "it is of another version";
    if (h.size != size)
        return "it has another size than it says";
    const char *wrong = check_layout(&h);
    if (wrong)
        return wrong;
    if (((const char *)bytes)[h.strings.at + h.strings.n - 1])
        return "its last text does not end";
    bool plain = events_are_plain(bytes);
    for (size_t i = 0; i < sizeof references / sizeof *references; i++)
        if ((references[i].table != BX_T_EVENTS || !plain) &&
            !refers_well(&h, bytes, &references[i]))
            return "a row refers to nothing";
    if (!index_is_sound(&h, bytes))
        return "its index refers to nothing";
    if (!cpus_are_sound(bytes))
        return "a CPU has too many keys or PMUs";
    return bx_catalog_pmus_are_sound(bytes) ? NULL : "a PMU contradicts itself";
}

bool bx_catalog_adds_no_register(const struct bx_catalog *c, const struct bx_catalog *to)
{
    size_t addresses = to->addrs.n * sizeof(uint32_t);
    if (c->addrs.n >= to->addrs.n && memcmp(bx_cat_addrs(c), bx_cat_addrs(to), addresses) != 0)
        return false;
    for (uint32_t i = 0; i < c->pmus.n; i++) {
        bx_span regs = bx_cat_pmus(c)[i].regs;
        for (unsigned k = regs.first; k < (unsigned)regs.first + regs.n; k++) {
            if (k >= to->regs.n || c->addrs.n < to->addrs.n)
                return false;
            bx_cat_reg mine = bx_cat_regs(c)[k];
            mine.pmu = bx_cat_regs(to)[k].pmu; /* PMUs have moved */
            if (memcmp(&mine, &bx_cat_regs(to)[k], sizeof mine) != 0)
                return false;
        }
    }
    return c->passives.n <= to->passives.n && c->functions.n <= to->functions.n;
}

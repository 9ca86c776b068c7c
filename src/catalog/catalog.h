/* The catalogue in memory: one flat, read-only blob of tables (their rows: rows.h) and one string
 * pool.
 *
 * Every reference is an index or a byte offset, never a pointer: the built-in catalogue needs no
 * relocation and is shared by all processes; a user's own files, compiled at run time, give the
 * same blob. The notation that it is compiled from is described in catalog/NOTATION.md. */
#ifndef BX_CATALOG_CATALOG_H
#define BX_CATALOG_CATALOG_H

#include "base/str.h"
#include "catalog/rows.h"

#include <boxscore/boxscore.h>

#define BX_CAT_MAGIC   UINT32_C(0x43425842) /* "BXBC" */
#define BX_CAT_VERSION 19

#ifndef __clang__ /* one process checks many files: tools/suite/clang.py */
#pragma GCC diagnostic push
#pragma GCC diagnostic error "-Wpadded"
#endif

/* A name in the index. */
typedef struct bx_cat_entry {
    uint32_t scope; /* kind of name, and the item that contains it; 0: the bucket is empty */
    bx_cat_text name;
    uint32_t length; /* of the name */
    uint16_t item;   /* catalogue index */
    uint16_t pad;
} bx_cat_entry;

/* One table of the blob. */
typedef struct bx_cat_table {
    uint32_t at, n; /* byte offset from the header, number of items */
} bx_cat_table;

typedef struct bx_catalog {
    uint32_t magic, version;
    uint32_t size; /* of the whole blob in bytes */
    bx_cat_table cpus, ids, shapes, pmus, regs, addrs, fields, conds, counters, events, groups,
        aliases, umasks, sets, modifiers, passives, functions, metrics, operands, picks, gathers,
        slots, places, values, other_names, presets, preset_values, metric_groups, metric_members,
        windows, map_rows;
    bx_cat_table index; /* bx_cat_entry: a hash table, a power of two: see lookup.h */
    bx_cat_table strings;
} bx_catalog_header;
#ifndef __clang__
#pragma GCC diagnostic pop
#endif

/* The tables of a catalogue: bx_cat_events(c)[i], and their lengths: c->events.n. */
#define BX_CAT_TABLE(type, name)                                                                   \
    static inline const type *bx_cat_##name(const struct bx_catalog *c)                            \
    {                                                                                              \
        return (const type *)(const void *)((const char *)c + c->name.at);                         \
    }
BX_CAT_TABLE(bx_cat_cpu, cpus)
BX_CAT_TABLE(bx_cat_id, ids)
BX_CAT_TABLE(bx_cat_shape, shapes)
BX_CAT_TABLE(bx_cat_pmu, pmus)
BX_CAT_TABLE(bx_cat_reg, regs)
BX_CAT_TABLE(uint32_t, addrs)
BX_CAT_TABLE(bx_cat_field, fields)
BX_CAT_TABLE(bx_cat_cond, conds)
BX_CAT_TABLE(bx_cat_counter, counters)
BX_CAT_TABLE(bx_cat_event, events)
BX_CAT_TABLE(bx_cat_group, groups)
BX_CAT_TABLE(bx_cat_alias, aliases)
BX_CAT_TABLE(bx_cat_umask, umasks)
BX_CAT_TABLE(bx_cat_set, sets)
BX_CAT_TABLE(bx_cat_modifier, modifiers)
BX_CAT_TABLE(bx_cat_passive, passives)
BX_CAT_TABLE(bx_cat_function, functions)
BX_CAT_TABLE(bx_cat_metric, metrics)
BX_CAT_TABLE(bx_cat_operand, operands)
BX_CAT_TABLE(bx_cat_pick, picks)
BX_CAT_TABLE(bx_cat_gather, gathers)
BX_CAT_TABLE(bx_cat_slot, slots)
BX_CAT_TABLE(bx_cat_place, places)
BX_CAT_TABLE(bx_cat_value, values)
BX_CAT_TABLE(bx_cat_other_name, other_names)
BX_CAT_TABLE(bx_cat_preset, presets)
BX_CAT_TABLE(bx_cat_preset_value, preset_values)
BX_CAT_TABLE(bx_cat_metric_group, metric_groups)
BX_CAT_TABLE(bx_cat_metric_member, metric_members)
BX_CAT_TABLE(bx_cat_window, windows)
BX_CAT_TABLE(bx_cat_map_row, map_rows)
BX_CAT_TABLE(bx_cat_entry, index)
BX_CAT_TABLE(char, strings)
#undef BX_CAT_TABLE

static inline const char *bx_cat_z(const struct bx_catalog *c, bx_cat_text t)
{
    return bx_cat_strings(c) + t;
}

static inline bx_str bx_cat_str(const struct bx_catalog *c, bx_cat_text t)
{
    return bx_str_of(bx_cat_z(c, t));
}

/* Look-ups by name through the hash index: no scanning, no allocation. ASCII case is folded; names
 * contain no ':', and only names of unit masks may contain '.'. The functions return an index into
 * the table, or BX_NONE. */
uint16_t bx_cat_find_cpu(const struct bx_catalog *c, bx_str name);
uint16_t bx_cat_find_pmu(const struct bx_catalog *c, bx_str name);
uint16_t bx_cat_find_event(const struct bx_catalog *c, uint16_t pmu, bx_str name); /* or alias */
uint16_t bx_cat_find_umask(const struct bx_catalog *c, uint16_t event, bx_str name);
/* By LIKWID's name for the event, or by its own name. */
uint16_t bx_cat_find_likwid_umask(const struct bx_catalog *c, uint16_t event, bx_str name);
uint16_t bx_cat_find_modifier(const struct bx_catalog *c, uint16_t pmu, bx_str name);

/* Look-ups for messages, checks and the set-up of virtual PMUs. They scan the tables. */
uint16_t bx_cat_find_reg(const struct bx_catalog *c, uint16_t pmu, bx_str name);
uint16_t bx_cat_find_field(const struct bx_catalog *c, uint16_t reg, bx_str name);
uint16_t bx_cat_find_cpu_by_id(const struct bx_catalog *c, unsigned family, unsigned model);
/* The entry of a table, and back: boxscore.h. */
bx_entry bx_entry_of(enum bx_entry_type type, unsigned index);
unsigned bx_entry_index(bx_entry entry);

/* The catalogue's CPU model that is nearest to one that the catalogue lacks. */
uint16_t bx_cat_find_relative(const struct bx_catalog *c, unsigned family, unsigned model);

/* Whether a machine model imitates the CPU. Without one there is no machine virtual:NAME. */
bool bx_cat_is_virtual(const struct bx_catalog *c, const bx_cat_cpu *cpu);

uint16_t bx_cat_find_value(const struct bx_catalog *c, uint16_t modifier, bx_str name);
/* By its name, or else by a former one. */
uint16_t bx_cat_find_metric(const struct bx_catalog *c, uint16_t cpu, bx_str name);
uint16_t bx_cat_find_metric_group(const struct bx_catalog *c, uint16_t cpu, bx_str name);

/* Whether a metric is in a group. */
bool bx_cat_metric_is_in(const struct bx_catalog *c, uint16_t metric,
                         const bx_cat_metric_group *group);

/* The first event of the PMU with this code, or BX_NONE. An event in a slot has no code of its own
 * in the counter's control register: it is not found. One code may mean different events on
 * different counters: `_on` finds one that a counter of the mask can count. */
uint16_t bx_cat_event_by_code(const struct bx_catalog *c, uint16_t pmu, uint32_t code);
uint16_t bx_cat_event_by_code_on(const struct bx_catalog *c, uint16_t pmu, uint32_t code,
                                 uint32_t counters);

/* The counters (mask) on which a code in the control register is an event of the PMU. Returns all
 * counters if no control register has the code, like the code of a fixed counter. */
uint32_t bx_cat_counters_of_code(const struct bx_catalog *c, uint16_t pmu, uint32_t code);

/* The mask of a field, in place; the mask of all fields of a register that a write may change. */
uint64_t bx_cat_field_mask(const bx_cat_field *f);

/* A name with `{unit}`, `{n}` and `{5+8u}` or `{n+8u}` (8 more for each unit) filled in. Returns
 * the length of the whole text. */
size_t bx_cat_expand(char *to, size_t room, const char *pattern, unsigned unit, unsigned n);

/* A file to compile. The caller reads it: floor 1 makes no system call. */
typedef struct bx_cat_file {
    /* shown in messages; its ending tells the kind: *.cpu *.pmu *.metric, or "passive" */
    bx_str name;
    bx_str text;
} bx_cat_file;

#endif

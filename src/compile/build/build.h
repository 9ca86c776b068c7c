/* Turns trees into tables: resolves names, expands patterns, and gives each item its index. The
 * tables grow here one by one; flatten.c lays them out as one blob. */
#ifndef BX_COMPILE_BUILD_BUILD_H
#define BX_COMPILE_BUILD_BUILD_H

#include "catalog/pool.h"
#include "catalog/tables.h"
#include "compile/read/notation.h"

/* A table that grows: rows, and the item of a file that each row comes from. */
typedef struct bx_table {
    char *rows;
    const bx_syntax_node **from;
    uint32_t n, room;
} bx_table;

typedef struct bx_build {
    bx_arena *arena;
    bx_error *e;
    bool failed; /* the first failure is in *e; rows built after it are not used */
    bx_table tables[BX_TABLES];
    bx_pool pool;
    uint16_t cpu_first_reg, cpu_first_pmu; /* where the rows of the current CPU begin */
} bx_build;

/* Row i of a table as its type. The pointer holds until a row is added. */
#define BX_ROW(b, type, id, i) (&((type *)(void *)(b)->tables[id].rows)[i])

/* Initialises *b, of which only arena and e are set. */
void bx_build_start(bx_build *b);

/* Adds a zeroed row and returns its index. After a failure it returns an index that is safe to
 * write to. */
uint16_t bx_build_add(bx_build *b, enum bx_table_id id, const bx_syntax_node *from);
uint16_t bx_build_n(const bx_build *b, enum bx_table_id id);
bx_span bx_build_span(const bx_build *b, enum bx_table_id id, uint16_t first); /* first … end */

bx_cat_text bx_build_text(bx_build *b, bx_str s);
bx_cat_text bx_build_clause_text(bx_build *b, const bx_syntax_node *node, const char *word);
bx_cat_text bx_build_notes(bx_build *b, const bx_syntax_node *node); /* all its notes, joined */
bx_cat_text bx_build_also(bx_build *b, const bx_syntax_node *node);  /* its other names */
bx_str bx_build_string(const bx_build *b, bx_cat_text t);

/* Complains about an argument of an item; sets b->failed. */
void bx_build_fail(bx_build *b, const bx_syntax_node *node, bx_str at, const char *check,
                   const char *format, ...) __attribute__((format(printf, 5, 6)));

/* The same when memory has run out. */
void bx_build_fail_memory(bx_build *b);

/* The index of a clause's word among `keywords`; complains and returns 0 if it is none of them. */
unsigned bx_build_keyword(bx_build *b, const bx_syntax_node *node, bx_str word, const char *what,
                          const char *const *keywords, unsigned n);

/* A name with `{key}` replaced by a number, in the arena; `{key+8u}` becomes `{1+8u}`. */
bx_str bx_build_fill(bx_build *b, bx_str pattern, const char *key, uint64_t n);
/* The range in a name's braces ("{0..3}", "{0..7+8u}"), and the name with one number of it; false
 * if it has none. */
bool bx_build_range(bx_str pattern, uint64_t *lo, uint64_t *hi);
bx_str bx_build_fill_range(bx_build *b, bx_str pattern, uint64_t n);

/* The row of these with a name; BX_NONE: none has it. The rows of the table begin with their names.
 */
uint16_t bx_build_find(const bx_build *b, enum bx_table_id id, bx_span among, bx_str name);

/* These functions resolve names within the current CPU. A PMU's own registers come first. If there
 * is no such register or field, they set an error that points at `at` and return BX_NONE. `name` is
 * a slice of the file, or is built from one. */
uint16_t bx_build_find_reg(bx_build *b, const bx_syntax_node *node, uint16_t pmu, bx_str name,
                           bx_str at);
uint16_t bx_build_find_field(bx_build *b, const bx_syntax_node *node, uint16_t reg, bx_str name,
                             bx_str at);
/* "REGISTER.FIELD", or "FIELD" of `own_reg` if that is not BX_NONE. */
uint16_t bx_build_resolve(bx_build *b, const bx_syntax_node *node, uint16_t pmu, uint16_t own_reg,
                          bx_str name, bx_str at, uint16_t *reg);

/* The control register of the PMU's first counter that has one, or BX_NONE. The second function
 * returns a field of it. */
uint16_t bx_build_any_control(const bx_build *b, uint16_t pmu);
uint16_t bx_build_field_of_control(bx_build *b, const bx_syntax_node *node, uint16_t pmu,
                                   bx_str name);

/* The modifiers that an item's clause names, as a mask over those of the PMU; and the settings in
 * another clause; and the counters that ranges in a clause name, 0 if there are none. */
uint16_t bx_build_find_modifier(bx_build *b, const bx_syntax_node *node, uint16_t pmu, bx_str name,
                                bx_str at);
uint32_t bx_build_modifier_mask(bx_build *b, const bx_syntax_node *node, uint16_t pmu,
                                const char *word);
bx_span bx_build_sets(bx_build *b, const bx_syntax_node *node, uint16_t pmu, const char *word);
uint32_t bx_build_named_counters(bx_build *b, const bx_syntax_node *node, uint16_t pmu,
                                 const char *word);

/* The slot that an event's clause `in` names; BX_NONE if it has none. */
uint16_t bx_build_find_slot(bx_build *b, const bx_syntax_node *node, uint16_t pmu);

/* The items `part` or `memory` of a `.cpu` file. memories: those that fit parts. */
bx_span bx_build_presets(bx_build *b, const bx_syntax_node *file, const char *keyword,
                         bx_span shapes, bx_span memories);

/* Whether an item has `libpfm none`. If no name is allowed, any other word is an error. */
bool bx_build_no_libpfm(bx_build *b, const bx_syntax_node *node, bool or_name);

/* The distance from package to package in a clause, in whole buses of PCI; 0: it is not given. */
uint32_t bx_build_package_stride(bx_build *b, const bx_syntax_node *node, const char *word);

uint8_t bx_build_scope(bx_build *b, const bx_syntax_node *node); /* its clause `scope` */

/* The builders, one per kind of item. They are called in this order for each CPU and its PMUs. */
void bx_build_cpu(bx_build *b, const bx_syntax_node *file);
void bx_build_pmu(bx_build *b, const bx_syntax_node *file, uint16_t cpu); /* the PMU's own line */
void bx_build_regs(bx_build *b, const bx_syntax_node *file, uint16_t pmu);
void bx_build_reg_links(bx_build *b, const bx_syntax_node *file, uint16_t pmu);
void bx_build_counters(bx_build *b, const bx_syntax_node *file, uint16_t pmu);
void bx_build_pmu_links(bx_build *b, const bx_syntax_node *file, uint16_t pmu);
void bx_build_slots(bx_build *b, const bx_syntax_node *file, uint16_t pmu);
void bx_build_modifiers(bx_build *b, const bx_syntax_node *file, uint16_t pmu);
void bx_build_events(bx_build *b, const bx_syntax_node *file, uint16_t pmu);
void bx_build_cpu_links(bx_build *b, const bx_syntax_node *file, uint16_t cpu);
void bx_build_metrics(bx_build *b, const bx_syntax_node *file);
void bx_build_metric_groups(bx_build *b, const bx_syntax_node *file, bx_span metrics);
void bx_build_passives(bx_build *b, const bx_syntax_node *file);
void bx_build_functions(bx_build *b, const bx_syntax_node *file);
bx_span bx_build_map(bx_build *b, const bx_cat_cpu *cpu); /* its windows */

/* Lays the tables out as one blob (malloc), with the index of names. On failure it returns NULL and
 * sets b->failed. */
struct bx_catalog *bx_flatten(bx_build *b);

#endif

/* The tables of a catalogue's blob: their order, the sizes of their rows, and their layout. Both
 * compilers use them: that of the notation (src/compile/) and that of imported files
 * (src/perfmon/). */
#ifndef BX_CATALOG_TABLES_H
#define BX_CATALOG_TABLES_H

#include "catalog/catalog.h"

/* The tables, in the order of the blob's header. */
enum bx_table_id {
    BX_T_CPUS,
    BX_T_IDS,
    BX_T_SHAPES,
    BX_T_PMUS,
    BX_T_REGS,
    BX_T_ADDRS,
    BX_T_FIELDS,
    BX_T_CONDS,
    BX_T_COUNTERS,
    BX_T_EVENTS,
    BX_T_GROUPS,
    BX_T_ALIASES,
    BX_T_UMASKS,
    BX_T_SETS,
    BX_T_MODIFIERS,
    BX_T_PASSIVES,
    BX_T_FUNCTIONS,
    BX_T_METRICS,
    BX_T_OPERANDS,
    BX_T_PICKS,
    BX_T_GATHERS,
    BX_T_SLOTS,
    BX_T_PLACES,
    BX_T_VALUES,
    BX_T_OTHER_NAMES,
    BX_T_PRESETS,
    BX_T_PRESET_VALUES,
    BX_T_METRIC_GROUPS,
    BX_T_METRIC_MEMBERS,
    BX_T_WINDOWS,
    BX_T_MAP_ROWS,
    BX_TABLES
};

extern const size_t bx_table_row_size[BX_TABLES];

static inline bx_cat_table *bx_table_of(bx_catalog_header *header, enum bx_table_id id)
{
    return (bx_cat_table *)(void *)((char *)header + offsetof(bx_catalog_header, cpus)) + id;
}

/* The header of a blob with so many rows in each table: offsets and its size. */
bx_catalog_header bx_tables_lay_out(const uint32_t n[BX_TABLES], uint32_t strings_n);

#endif

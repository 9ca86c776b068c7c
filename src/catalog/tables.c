/* The tables, the index of names and the string pool, laid out one after the other in one blob. */
#include "catalog/tables.h"

#include "catalog/lookup.h"

/* The tables of the header, in the order of enum bx_table_id, are one array. */
_Static_assert(offsetof(bx_catalog_header, map_rows) ==
                   offsetof(bx_catalog_header, cpus) + BX_T_MAP_ROWS * sizeof(bx_cat_table),
               "the header lists the tables in the order of enum bx_table_id");

const size_t bx_table_row_size[BX_TABLES] = {
    [BX_T_CPUS] = sizeof(bx_cat_cpu),
    [BX_T_IDS] = sizeof(bx_cat_id),
    [BX_T_SHAPES] = sizeof(bx_cat_shape),
    [BX_T_PMUS] = sizeof(bx_cat_pmu),
    [BX_T_REGS] = sizeof(bx_cat_reg),
    [BX_T_ADDRS] = sizeof(uint32_t),
    [BX_T_FIELDS] = sizeof(bx_cat_field),
    [BX_T_CONDS] = sizeof(bx_cat_cond),
    [BX_T_COUNTERS] = sizeof(bx_cat_counter),
    [BX_T_EVENTS] = sizeof(bx_cat_event),
    [BX_T_GROUPS] = sizeof(bx_cat_group),
    [BX_T_ALIASES] = sizeof(bx_cat_alias),
    [BX_T_UMASKS] = sizeof(bx_cat_umask),
    [BX_T_SETS] = sizeof(bx_cat_set),
    [BX_T_MODIFIERS] = sizeof(bx_cat_modifier),
    [BX_T_PASSIVES] = sizeof(bx_cat_passive),
    [BX_T_METRICS] = sizeof(bx_cat_metric),
    [BX_T_OPERANDS] = sizeof(bx_cat_operand),
    [BX_T_PICKS] = sizeof(bx_cat_pick),
    [BX_T_GATHERS] = sizeof(bx_cat_gather),
    [BX_T_SLOTS] = sizeof(bx_cat_slot),
    [BX_T_PLACES] = sizeof(bx_cat_place),
    [BX_T_VALUES] = sizeof(bx_cat_value),
    [BX_T_OTHER_NAMES] = sizeof(bx_cat_other_name),
    [BX_T_FUNCTIONS] = sizeof(bx_cat_function),
    [BX_T_PRESETS] = sizeof(bx_cat_preset),
    [BX_T_PRESET_VALUES] = sizeof(bx_cat_preset_value),
    [BX_T_METRIC_GROUPS] = sizeof(bx_cat_metric_group),
    [BX_T_METRIC_MEMBERS] = sizeof(bx_cat_metric_member),
    [BX_T_WINDOWS] = sizeof(bx_cat_window),
    [BX_T_MAP_ROWS] = sizeof(bx_cat_map_row),
};

static uint32_t reserve(bx_catalog_header *header, uint64_t bytes)
{
    uint32_t at = (header->size + 7) & ~UINT32_C(7);
    header->size = (uint32_t)(at + bytes);
    return at;
}

static uint32_t power_of_two(uint32_t least)
{
    uint32_t n = 1;
    while (n < least)
        n *= 2;
    return n;
}

bx_catalog_header bx_tables_lay_out(const uint32_t n[BX_TABLES], uint32_t strings_n)
{
    bx_catalog_header header = {
        .magic = BX_CAT_MAGIC, .version = BX_CAT_VERSION, .size = sizeof header};
    for (int id = 0; id < BX_TABLES; id++)
        *bx_table_of(&header, (enum bx_table_id)id) =
            (bx_cat_table){reserve(&header, n[id] * bx_table_row_size[id]), n[id]};
    uint32_t buckets = power_of_two(2 * bx_index_names(&header) + 2);
    header.index = (bx_cat_table){reserve(&header, buckets * sizeof(bx_cat_entry)), buckets};
    header.strings = (bx_cat_table){reserve(&header, strings_n), strings_n};
    header.size = (header.size + 7) & ~UINT32_C(7);
    return header;
}

/* Tables of a catalogue that grow row by row, and become one blob. They may begin as a copy of
 * another catalogue. */
#ifndef BX_PERFMON_ASSEMBLY_H
#define BX_PERFMON_ASSEMBLY_H

#include "base/arena.h"
#include "catalog/tables.h"

typedef struct bx_assembly {
    bx_arena *arena;
    struct {
        char *rows;
        uint32_t n, room;
    } tables[BX_TABLES];
    char *strings;
    uint32_t strings_n, strings_room;
    uint32_t *buckets; /* hash table of offsets into the strings: equal texts are stored once */
    uint32_t buckets_n, buckets_used;
    bool full; /* a table has no room for another row */
} bx_assembly;

/* Row i of a table as its type. The pointer holds until a row is added. */
#define BX_ASSEMBLED(a, type, id, i) (&((type *)(void *)(a)->tables[id].rows)[i])

/* from: the catalogue to begin with; NULL: none. false: out of memory. */
bool bx_assembly_start(bx_assembly *a, bx_arena *arena, const struct bx_catalog *from);

/* Adds a row of zeros. After a failure (a->full, or the arena's) the index is that of a row that is
 * safe to write to. */
uint16_t bx_assembly_add(bx_assembly *a, enum bx_table_id id);

static inline uint16_t bx_assembly_n(const bx_assembly *a, enum bx_table_id id)
{
    return (uint16_t)a->tables[id].n;
}

bx_cat_text bx_assembly_text(bx_assembly *a, bx_str s);

/* The blob (malloc; free with free()), with its index of names. NULL: out of memory, or full. */
struct bx_catalog *bx_assembly_finish(const bx_assembly *a);

#endif

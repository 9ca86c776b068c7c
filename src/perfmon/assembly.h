/* Tables of a catalogue that grow row by row, and become one blob. They may begin as a copy of
 * another catalogue. */
#ifndef BX_PERFMON_ASSEMBLY_H
#define BX_PERFMON_ASSEMBLY_H

#include "catalog/pool.h"
#include "catalog/tables.h"

typedef struct bx_assembly {
    bx_arena *arena;
    struct {
        char *rows;
        uint32_t n, room;
    } tables[BX_TABLES];
    bx_pool pool;
    bool full; /* a table or the pool has no room for more */
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

bx_cat_text bx_assembly_text(bx_assembly *a, bx_str s); /* up to a NUL in it */

/* The blob (malloc; free with free()), with its index of names. NULL: out of memory, or full. */
struct bx_catalog *bx_assembly_finish(const bx_assembly *a);

#endif

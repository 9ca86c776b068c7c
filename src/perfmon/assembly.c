/* Tables of a catalogue that grow row by row. */
#include "perfmon/assembly.h"

#include "catalog/lookup.h"

#include <stdlib.h>
#include <string.h>

enum { FIRST_ROWS = 16 };

static bool grow_table(bx_assembly *a, enum bx_table_id id, uint32_t room)
{
    size_t size = bx_table_row_size[id];
    char *rows = bx_arena_get(a->arena, room * size);
    if (!rows)
        return false;
    if (a->tables[id].n)
        memcpy(rows, a->tables[id].rows, a->tables[id].n * size);
    a->tables[id].rows = rows;
    a->tables[id].room = room;
    return true;
}

bool bx_assembly_start(bx_assembly *a, bx_arena *arena, const struct bx_catalog *from)
{
    *a = (bx_assembly){.arena = arena};
    if (!bx_pool_start(&a->pool, arena, from))
        return false;
    bx_catalog_header header = from ? *from : (bx_catalog_header){0};
    for (int id = 0; id < BX_TABLES; id++) {
        uint32_t n = bx_table_of(&header, (enum bx_table_id)id)->n;
        if (!grow_table(a, (enum bx_table_id)id, n + FIRST_ROWS))
            return false;
        if (n)
            memcpy(a->tables[id].rows,
                   (const char *)from + bx_table_of(&header, (enum bx_table_id)id)->at,
                   n * bx_table_row_size[id]);
        a->tables[id].n = n;
    }
    return true;
}

uint16_t bx_assembly_add(bx_assembly *a, enum bx_table_id id)
{
    uint32_t n = a->tables[id].n;
    a->full |= n >= BX_NONE - 1;
    if (a->full || (n == a->tables[id].room && !grow_table(a, id, 2 * n)))
        return (uint16_t)(n ? n - 1 : 0);
    return (uint16_t)a->tables[id].n++;
}

bx_cat_text bx_assembly_text(bx_assembly *a, bx_str s)
{
    const char *nul = s.n ? memchr(s.p, '\0', s.n) : NULL;
    if (nul)
        s.n = (size_t)(nul - s.p);
    bx_cat_text text = a->full ? 0 : bx_pool_add(&a->pool, s);
    a->full |= a->pool.full;
    return text;
}

struct bx_catalog *bx_assembly_finish(const bx_assembly *a)
{
    uint32_t n[BX_TABLES];
    for (int id = 0; id < BX_TABLES; id++)
        n[id] = a->tables[id].n;
    if (a->full || a->arena->failed)
        return NULL;
    bx_catalog_header header = bx_tables_lay_out(n, a->pool.n);
    struct bx_catalog *c = calloc(1, header.size);
    if (!c)
        return NULL;
    *c = header;
    for (int id = 0; id < BX_TABLES; id++)
        if (n[id])
            memcpy((char *)c + bx_table_of(&header, (enum bx_table_id)id)->at, a->tables[id].rows,
                   n[id] * bx_table_row_size[id]);
    memcpy((char *)c + c->strings.at, a->pool.strings, a->pool.n);
    bx_index_fill(c);
    return c;
}

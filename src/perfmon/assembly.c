/* Tables of a catalogue that grow row by row. */
#include "perfmon/assembly.h"

#include "catalog/lookup.h"

#include <stdlib.h>
#include <string.h>

enum { FIRST_ROWS = 16, FIRST_BUCKETS = 4096, STRINGS_MOST = 1 << 28 };

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

static bool grow_strings(bx_assembly *a, size_t least)
{
    size_t room = a->strings_room ? a->strings_room : 1 << 16;
    while (room < least)
        room *= 2;
    if (room > STRINGS_MOST)
        return false;
    char *strings = bx_arena_get(a->arena, room);
    if (!strings)
        return false;
    if (a->strings_n)
        memcpy(strings, a->strings, a->strings_n);
    a->strings = strings;
    a->strings_room = (uint32_t)room;
    return true;
}

bool bx_assembly_start(bx_assembly *a, bx_arena *arena, const struct bx_catalog *from)
{
    *a = (bx_assembly){.arena = arena};
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
    if (!grow_strings(a, header.strings.n + 1))
        return false;
    a->strings_n = 1; /* offset 0 is "" */
    if (from) {
        memcpy(a->strings, bx_cat_strings(from), header.strings.n);
        a->strings_n = header.strings.n;
    }
    a->buckets_n = FIRST_BUCKETS;
    a->buckets = bx_arena_get(arena, FIRST_BUCKETS * sizeof *a->buckets);
    return a->buckets != NULL;
}

uint16_t bx_assembly_add(bx_assembly *a, enum bx_table_id id)
{
    uint32_t n = a->tables[id].n;
    a->full |= n >= BX_NONE - 1;
    if (a->full || (n == a->tables[id].room && !grow_table(a, id, 2 * n)))
        return (uint16_t)(n ? n - 1 : 0);
    return (uint16_t)a->tables[id].n++;
}

static uint32_t *bucket(const bx_assembly *a, bx_str s)
{
    uint32_t i = bx_str_hash_fold(s, 0) & (a->buckets_n - 1);
    while (a->buckets[i] && !bx_str_eq(s, bx_str_of(a->strings + a->buckets[i])))
        i = (i + 1) & (a->buckets_n - 1);
    return &a->buckets[i];
}

static bool grow_buckets(bx_assembly *a)
{
    const uint32_t *old = a->buckets;
    uint32_t n = a->buckets_n;
    uint32_t *more = bx_arena_get(a->arena, 2 * n * sizeof *more);
    if (!more)
        return false;
    a->buckets = more;
    a->buckets_n = 2 * n;
    for (uint32_t i = 0; i < n; i++)
        if (old[i])
            *bucket(a, bx_str_of(a->strings + old[i])) = old[i];
    return true;
}

bx_cat_text bx_assembly_text(bx_assembly *a, bx_str s)
{
    const char *nul = s.n ? memchr(s.p, '\0', s.n) : NULL;
    if (nul)
        s.n = (size_t)(nul - s.p);
    if (!s.n || a->full || a->arena->failed)
        return 0;
    uint32_t *at = bucket(a, s);
    if (*at)
        return *at;
    if (a->strings_n + s.n + 1 > a->strings_room && !grow_strings(a, a->strings_n + s.n + 1)) {
        a->full = true;
        return 0;
    }
    uint32_t text = a->strings_n;
    memcpy(a->strings + text, s.p, s.n);
    a->strings[text + s.n] = '\0';
    a->strings_n += (uint32_t)s.n + 1;
    *at = text;
    if (2 * ++a->buckets_used > a->buckets_n && !grow_buckets(a))
        a->full = true;
    return text;
}

struct bx_catalog *bx_assembly_finish(const bx_assembly *a)
{
    uint32_t n[BX_TABLES];
    for (int id = 0; id < BX_TABLES; id++)
        n[id] = a->tables[id].n;
    if (a->full || a->arena->failed)
        return NULL;
    bx_catalog_header header = bx_tables_lay_out(n, a->strings_n);
    struct bx_catalog *c = calloc(1, header.size);
    if (!c)
        return NULL;
    *c = header;
    for (int id = 0; id < BX_TABLES; id++)
        if (n[id])
            memcpy((char *)c + bx_table_of(&header, (enum bx_table_id)id)->at, a->tables[id].rows,
                   n[id] * bx_table_row_size[id]);
    memcpy((char *)c + c->strings.at, a->strings, a->strings_n);
    bx_index_fill(c);
    return c;
}

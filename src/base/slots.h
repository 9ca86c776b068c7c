/* A hash table of the numbers of rows: it finds a row of an array by a key. The array is the
 * caller's, and its rows have their key in them. */
#ifndef BX_BASE_SLOTS_H
#define BX_BASE_SLOTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* All 0: none. */
typedef struct bx_slots {
    uint32_t *slot; /* [n], a power of two: 1 + index of the row; 0: none */
    size_t n;
} bx_slots;

/* What a table's rows are. The functions see a row as its key, and a key as a row. */
typedef struct bx_slots_kind {
    size_t size; /* of a row */
    uint64_t (*hash)(const void *row);
    bool (*same)(const void *row, const void *key);
} bx_slots_kind;

/* The slot of the row with that key, or the empty one where it belongs. There must be slots. */
static inline uint32_t *bx_slots_find(const bx_slots *s, const bx_slots_kind *kind,
                                      const void *rows, const void *key)
{
    size_t i = kind->hash(key) & (s->n - 1);

    while (s->slot[i] && !kind->same((const char *)rows + (s->slot[i] - 1) * kind->size, key))
        i = (i + 1) & (s->n - 1);
    return &s->slot[i];
}

/* Makes room for one more row than n; at least half of the slots stay empty. They begin with
 * `first` slots, a power of two. false: out of memory, and nothing has changed. */
bool bx_slots_make_room(bx_slots *s, const bx_slots_kind *kind, const void *rows, size_t n,
                        size_t first);

/* All rows have gone. */
void bx_slots_clear(bx_slots *s);
void bx_slots_free(bx_slots *s);

#endif

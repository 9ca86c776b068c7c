/* A hash table of records. The first member of a record is a uint64_t: its key plus 1, or 0 in an
 * empty place. */
#ifndef BX_BASE_KEYED_H
#define BX_BASE_KEYED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct bx_keyed {
    void *at;         /* [places]: records of `size` bytes, of which n are used */
    size_t places, n; /* places: a power of two; 0: none */
    unsigned shift;   /* of a hash, to an index */
    size_t size;
} bx_keyed;

/* Where a key's record is, or the first place that may be it. */
static inline size_t bx_keyed_place(const bx_keyed *k, uint64_t key)
{
    return (size_t)(key * UINT64_C(0x9e3779b97f4a7c15) >> k->shift);
}

static inline uint64_t *bx_keyed_record(const bx_keyed *k, size_t place)
{
    return (uint64_t *)(void *)((char *)k->at + place * k->size);
}

/* The record of a key, or the empty one where it belongs. There must be places. */
static inline void *bx_keyed_find(const bx_keyed *k, uint64_t key)
{
    size_t i = bx_keyed_place(k, key);

    while (*bx_keyed_record(k, i) && *bx_keyed_record(k, i) != key + 1)
        i = (i + 1) & (k->places - 1);
    return bx_keyed_record(k, i);
}

/* Gives the table so many places, a power of two and more than twice its records. keeps: which
 * records stay; NULL: all. false: out of memory, and nothing has changed. */
bool bx_keyed_resize(bx_keyed *k, size_t places, bool (*keeps)(const void *context, const void *at),
                     const void *context);
/* Makes room for one more record; at least half of the places stay empty. */
bool bx_keyed_make_room(bx_keyed *k, size_t first);
/* Removes a record. Others may move. */
void bx_keyed_remove(bx_keyed *k, void *record);

#endif

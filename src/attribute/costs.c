/* A hash table of rows, in the order in which they began. */
#include "attribute/costs.h"

#include "attribute/who.h"
#include "base/grow.h"

#include <stdlib.h>
#include <string.h>

enum { FIRST_SLOTS = 1 << 12, FIRST_ROWS = 1 << 10 };

enum { KEY_WORDS = 4 };
_Static_assert(sizeof(bx_cost_key) == KEY_WORDS * sizeof(uint64_t), "it is hashed as words");

static uint64_t hash_of(const bx_cost_key *key)
{
    uint64_t word[KEY_WORDS];
    memcpy(word, key, sizeof word);
    uint64_t h = word[0] ^ word[1] * UINT64_C(0x9e3779b97f4a7c15);
    h = (h ^ h >> 32 ^ word[2] * UINT64_C(0x94d049bb133111eb)) * UINT64_C(0xbf58476d1ce4e5b9);
    h = (h ^ h >> 31 ^ word[3]) * UINT64_C(0x94d049bb133111eb);
    return h ^ h >> 29;
}

static bool is_key(const bx_cost *row, const bx_cost_key *key)
{
    return memcmp(&row->key, key, sizeof *key) == 0;
}

/* The slot of the key, or the empty one where it belongs. */
static uint32_t *slot_of_key(const bx_costs *c, const bx_cost_key *key)
{
    size_t i = hash_of(key) & (c->slots - 1);
    while (c->slot[i] && !is_key(&c->row[c->slot[i] - 1], key))
        i = (i + 1) & (c->slots - 1);
    return &c->slot[i];
}

static bool make_more_slots(bx_costs *c)
{
    size_t slots = c->slots ? 2 * c->slots : FIRST_SLOTS;
    uint32_t *slot = calloc(slots, sizeof *slot);
    if (!slot)
        return false;
    free(c->slot);
    c->slot = slot;
    c->slots = slots;
    for (size_t i = 0; i < c->n; i++)
        *slot_of_key(c, &c->row[i].key) = (uint32_t)i + 1;
    return true;
}

static bx_cost *append_row(bx_costs *c, const bx_cost_key *key)
{
    if (2 * (c->n + 1) > c->slots && !make_more_slots(c))
        return NULL;
    bx_cost *rows = bx_grow(c->row, c->n, &c->room, sizeof *rows, FIRST_ROWS);
    if (!rows)
        return NULL;
    c->row = rows;
    *slot_of_key(c, key) = (uint32_t)c->n + 1;
    rows[c->n] = (bx_cost){.key = *key};
    return &rows[c->n++];
}

static bool note_change(bx_costs *c, bx_cost *row)
{
    uint32_t *list = bx_grow(c->changed, c->changed_n, &c->changed_room, sizeof *list, FIRST_ROWS);
    if (!list)
        return false;
    c->changed = list;
    list[c->changed_n++] = (uint32_t)(row - c->row);
    row->changed = true;
    return true;
}

static bx_cost *find_row(bx_costs *c, const bx_cost_key *key)
{
    uint32_t found = c->slots ? *slot_of_key(c, key) : 0;
    return found ? &c->row[found - 1] : NULL;
}

/* Makes a key coarser, by one level more. */
static void make_coarser(bx_cost_key *key, unsigned level)
{
    if (level == 0) {
        key->span = BX_COST_NO_SPAN;
        key->address = 0;
    } else if (level == 1) {
        key->context = BX_COST_MERGED;
    } else if (level == 2) {
        key->object = BX_COST_MERGED;
    } else {
        key->code = BX_CODE_OTHER;
    }
}

/* With too many rows, a new key loses its span and address, then its context, its object, and at
 * last its code. Each level has room for some more rows; the last one's keys are few. */
static bx_cost *coarser_row(bx_costs *c, bx_cost_key key, uint64_t count)
{
    bx_cost *row = NULL;
    size_t room = c->most;
    for (unsigned level = 0; level < BX_COST_LEVELS && !row; level++) {
        make_coarser(&key, level);
        room += c->most / 16;
        row = find_row(c, &key);
        if (!row && (c->n < room || level + 1 == BX_COST_LEVELS))
            row = append_row(c, &key);
        if (row)
            c->merged[level] += count;
    }
    return row;
}

void bx_costs_add(bx_costs *c, bx_cost_key key, uint64_t count, uint64_t by_prefetch)
{
    if (count == 0)
        return;
    bx_cost *row = find_row(c, &key);
    if (!row)
        row = c->most && c->n >= c->most ? coarser_row(c, key, count) : append_row(c, &key);
    if (!row || (!row->changed && !note_change(c, row))) {
        c->failed = true;
        return;
    }
    row->count += count;
    row->by_prefetch += by_prefetch;
}

void bx_costs_halve_spans(bx_costs *c)
{
    bx_cost *old = c->row;
    size_t n = c->n, most = c->most;
    c->row = NULL;
    c->most = 0; /* they become fewer */
    c->n = c->room = c->changed_n = 0;
    if (c->slot)
        memset(c->slot, 0, c->slots * sizeof *c->slot);
    for (size_t i = 0; i < n; i++) {
        bx_cost_key key = old[i].key;
        if (key.span != BX_COST_NO_SPAN)
            key.span /= 2;
        bx_costs_add(c, key, old[i].count, old[i].by_prefetch);
    }
    free(old);
    c->most = most;
    c->rewrite = true;
}

void bx_costs_settle(bx_costs *c)
{
    for (size_t i = 0; i < c->changed_n; i++)
        c->row[c->changed[i]].changed = false;
    c->changed_n = 0;
    c->rewrite = false;
}

void bx_costs_free(bx_costs *c)
{
    free(c->row);
    free(c->slot);
    free(c->changed);
    *c = (bx_costs){0};
}

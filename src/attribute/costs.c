/* A hash table of rows, in the order in which they began. */
#include "attribute/costs.h"

#include "attribute/who.h"
#include "base/grow.h"

#include <stdlib.h>
#include <string.h>

enum { FIRST_SLOTS = 1 << 12, FIRST_ROWS = 1 << 10 };

enum { KEY_WORDS = 4 };
_Static_assert(sizeof(bx_cost_key) == KEY_WORDS * sizeof(uint64_t), "it is hashed as words");

static uint64_t hash_of_key(const void *row)
{
    uint64_t word[KEY_WORDS];
    memcpy(word, row, sizeof word);
    uint64_t h = word[0] ^ word[1] * UINT64_C(0x9e3779b97f4a7c15);
    h = (h ^ h >> 32 ^ word[2] * UINT64_C(0x94d049bb133111eb)) * UINT64_C(0xbf58476d1ce4e5b9);
    h = (h ^ h >> 31 ^ word[3]) * UINT64_C(0x94d049bb133111eb);
    return h ^ h >> 29;
}

static bool has_key(const void *row, const void *key)
{
    return memcmp(row, key, sizeof(bx_cost_key)) == 0;
}

_Static_assert(offsetof(bx_cost, key) == 0, "a row begins with its key");
static const bx_slots_kind costs_by_key = {sizeof(bx_cost), hash_of_key, has_key};

static bx_cost *append_row(bx_costs *c, const bx_cost_key *key)
{
    if (!bx_slots_make_room(&c->by_key, &costs_by_key, c->row, c->n, FIRST_SLOTS))
        return NULL;
    bx_cost *rows = bx_grow(c->row, c->n, &c->room, sizeof *rows, FIRST_ROWS);
    if (!rows)
        return NULL;
    c->row = rows;
    *bx_slots_find(&c->by_key, &costs_by_key, rows, key) = (uint32_t)c->n + 1;
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
    uint32_t found = c->by_key.n ? *bx_slots_find(&c->by_key, &costs_by_key, c->row, key) : 0;
    return found ? &c->row[found - 1] : NULL;
}

static void add_to_row(bx_costs *c, bx_cost *row, uint64_t count, uint64_t by_prefetch)
{
    if (!row || (!row->changed && !note_change(c, row))) {
        c->failed = true;
        return;
    }
    row->count += count;
    row->by_prefetch += by_prefetch;
}

/* The cheaper a row is among those of its event, the higher: by powers of two. */
static int rank_of(const bx_cost *row, const uint64_t *total)
{
    return 63 - __builtin_clzll(total[row->key.event] / row->count);
}

/* Gives all rows other keys. Those that are alike then become one. */
static void change_keys(bx_costs *c, void (*change)(bx_cost_key *key, int rank, int least),
                        const uint64_t *total, int least)
{
    bx_cost *old = c->row;
    size_t n = c->n;
    c->row = NULL;
    c->n = c->room = c->changed_n = 0;
    bx_slots_clear(&c->by_key);
    for (size_t i = 0; i < n; i++) {
        bx_cost_key key = old[i].key;
        change(&key, total ? rank_of(&old[i], total) : 0, least);
        bx_cost *row = find_row(c, &key);
        add_to_row(c, row ? row : append_row(c, &key), old[i].count, old[i].by_prefetch);
    }
    free(old);
    c->rewrite = true;
}

/* ---- too many rows ---- */

unsigned bx_cost_level(const bx_cost_key *key)
{
    return key->code == BX_CODE_OTHER       ? 4
           : key->object == BX_COST_MERGED  ? 3
           : key->context == BX_COST_MERGED ? 2
           : key->span == BX_COST_NO_SPAN   ? 1
                                            : 0;
}

static void make_coarser(bx_cost_key *key, int rank, int least)
{
    if (rank < least)
        return;
    switch (bx_cost_level(key)) {
    case 0:
        key->span = BX_COST_NO_SPAN;
        key->address = 0;
        break;
    case 1:
        key->context = BX_COST_MERGED;
        break;
    case 2:
        key->object = BX_COST_MERGED;
        break;
    default:
        key->code = BX_CODE_OTHER;
    }
}

/* The rank from which on rows are a quarter of those that can lose something; -1: none can. */
static int rank_to_merge(const bx_costs *c, const uint64_t *total)
{
    enum { RANKS = 64 };
    size_t of[RANKS] = {0}, all = 0, sum = 0;
    for (size_t i = 0; i < c->n; i++)
        if (bx_cost_level(&c->row[i].key) < BX_COST_LEVELS) {
            of[rank_of(&c->row[i], total)]++;
            all++;
        }
    for (int rank = RANKS; all && rank-- > 0;)
        if ((sum += of[rank]) >= (all + 3) / 4)
            return rank;
    return -1;
}

/* Makes room for an eighth of the rows. */
static void merge_cheapest(bx_costs *c)
{
    enum { EVENTS = UINT16_MAX + 1 };
    uint64_t *total = calloc(EVENTS, sizeof *total);
    int rank = 0;
    c->failed |= !total;
    for (size_t i = 0; total && i < c->n; i++)
        total[c->row[i].key.event] += c->row[i].count;
    while (total && !c->failed && rank >= 0 && c->n > c->most - c->most / 8)
        if ((rank = rank_to_merge(c, total)) >= 0)
            change_keys(c, make_coarser, total, rank);
    free(total);
}

/* ---- all rows ---- */

void bx_costs_add(bx_costs *c, bx_cost_key key, uint64_t count, uint64_t by_prefetch)
{
    if (count == 0)
        return;
    bx_cost *row = find_row(c, &key);
    if (!row && c->most && c->n >= c->most)
        merge_cheapest(c);
    if (!row)
        row = append_row(c, &key);
    add_to_row(c, row, count, by_prefetch);
}

static void halve_span(bx_cost_key *key, int rank, int least)
{
    (void)rank, (void)least;
    if (key->span != BX_COST_NO_SPAN)
        key->span /= 2;
}

void bx_costs_halve_spans(bx_costs *c)
{
    change_keys(c, halve_span, NULL, 0);
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
    bx_slots_free(&c->by_key);
    free(c->changed);
    *c = (bx_costs){0};
}

/* Tagged tables: the longest history that knows the branch decides. */
#include "model/part/branch_tables.h"

#include <stdlib.h>

enum {
    WEAKLY_TAKEN = 2,
    COUNTER_MOST = 3, /* of two bits */
    TABLE_MOST = 3,   /* of three bits, from -4 */
    USEFUL_MOST = 3,
    BASE = 0x1e3779b1,
    MIX = 0x2c1b3c6d,  /* odd numbers that mix bits */
    LENGTHS_SHIFT = 2, /* each table's history is four times as long as the one's before */
    LEAST_LENGTH = 2,
};

static unsigned index_bits(uint32_t entries)
{
    return (unsigned)__builtin_ctz(entries);
}

static uint32_t power(uint32_t base, uint32_t n)
{
    uint32_t product = 1;
    for (; n; n--)
        product *= base;
    return product;
}

bool bx_branch_tables_power_on(struct bx_branch_tables *t, const bx_predictor_sizes *sizes)
{
    bool good = (t->base = malloc(sizes->base)) != NULL;

    for (uint32_t i = 0; good && i < sizes->base; i++)
        t->base[i] = WEAKLY_TAKEN - 1;
    t->base_mask = sizes->base - 1;
    t->table_shift = 32 - index_bits(sizes->table);
    t->indirect_shift = 32 - index_bits(sizes->indirect);
    for (unsigned i = 0; i < BX_BRANCH_TABLES; i++) {
        struct bx_branch_history *h = &t->history[i];
        h->length = sizes->history >> (BX_BRANCH_TABLES - 1 - i) * LENGTHS_SHIFT;
        h->length = h->length < LEAST_LENGTH ? LEAST_LENGTH : h->length;
        h->last_power = power(BASE, h->length);
        t->entry[i] = calloc(sizes->table, sizeof *t->entry[i]);
        good &= t->entry[i] != NULL;
    }
    t->indirect = calloc(sizes->indirect, sizeof *t->indirect);
    t->latest = calloc(sizes->indirect, sizeof *t->latest);
    return good && t->indirect && t->latest;
}

void bx_branch_tables_free(struct bx_branch_tables *t)
{
    free(t->base);
    for (unsigned i = 0; i < BX_BRANCH_TABLES; i++)
        free(t->entry[i]);
    free(t->indirect);
    free(t->latest);
}

/* An address as 32 bits of which each depends on all. */
static uint32_t mixed(uint64_t address)
{
    uint32_t x = (uint32_t)(address ^ address >> 32) * MIX;
    return (x ^ x >> 15) * (uint32_t)BASE;
}

/* The index is in the upper bits of this, the tag in its lowest 16. */
static uint32_t place(uint32_t branch, const struct bx_branch_history *h)
{
    uint32_t x = (branch ^ h->sum) * MIX;
    return x ^ x >> 15;
}

void bx_branch_tables_follow(struct bx_branch_tables *t, uint64_t branch, uint64_t target)
{
    uint16_t now = (uint16_t)(mixed(branch ^ target << 1) >> 16);

    for (unsigned i = 0; i < BX_BRANCH_TABLES; i++) {
        struct bx_branch_history *h = &t->history[i];
        uint16_t gone = t->path[(uint8_t)(t->at - h->length)];
        h->sum = h->sum * BASE + now - gone * h->last_power;
    }
    t->path[t->at++] = now;
}

/* ---- outcomes ---- */

static void learn_base(uint8_t *counter, bool taken)
{
    if (taken)
        *counter += *counter < COUNTER_MOST;
    else
        *counter -= *counter > 0;
}

static void learn_entry(struct bx_table_entry *e, bool taken)
{
    if (taken)
        e->counter = (int8_t)(e->counter + (e->counter < TABLE_MOST));
    else
        e->counter = (int8_t)(e->counter - (e->counter > -TABLE_MOST - 1));
}

static bool is_new(const struct bx_table_entry *e)
{
    return e->useful == 0 && (e->counter == 0 || e->counter == -1);
}

/* A misprediction: the branch gets an entry in a table with a longer history. */
static void give_entry(struct bx_branch_tables *t, unsigned from, const uint32_t *at, bool taken)
{
    for (unsigned i = from; i < BX_BRANCH_TABLES; i++) {
        struct bx_table_entry *e = &t->entry[i][at[i] >> t->table_shift];
        if (e->useful)
            continue;
        *e = (struct bx_table_entry){(uint16_t)at[i], taken ? 0 : -1, 0};
        return;
    }
    for (unsigned i = from; i < BX_BRANCH_TABLES; i++)
        t->entry[i][at[i] >> t->table_shift].useful--;
}

bool bx_branch_tables_predict(struct bx_branch_tables *t, uint64_t branch, bool taken)
{
    uint32_t number = mixed(branch), at[BX_BRANCH_TABLES];
    uint8_t *base = &t->base[branch & t->base_mask];
    struct bx_table_entry *knows = NULL;
    bool other = *base >= WEAKLY_TAKEN, predicted = other;
    unsigned longer = 0;

    for (unsigned i = 0; i < BX_BRANCH_TABLES; i++) {
        at[i] = place(number, &t->history[i]);
        struct bx_table_entry *e = &t->entry[i][at[i] >> t->table_shift];
        if (e->tag != (uint16_t)at[i])
            continue;
        other = predicted;
        predicted = e->counter >= 0;
        knows = e;
        longer = i + 1;
    }
    bool says = predicted;
    if (knows && is_new(knows))
        predicted = other;
    if (!knows) {
        learn_base(base, taken);
    } else {
        if (says != other && says == taken)
            knows->useful += knows->useful < USEFUL_MOST;
        else if (says != other)
            knows->useful -= knows->useful > 0;
        if (is_new(knows))
            learn_base(base, taken);
        learn_entry(knows, taken);
    }
    if (predicted != taken)
        give_entry(t, longer, at, taken);
    return predicted;
}

/* ---- targets ---- */

static void learn_target(struct bx_indirect_target *e, uint32_t tag, uint64_t target)
{
    if (e->tag == tag && e->target == target)
        e->sure = true;
    else if (e->tag == tag && e->sure)
        e->sure = false;
    else
        *e = (struct bx_indirect_target){target, tag, false};
}

uint64_t bx_branch_tables_target(struct bx_branch_tables *t, uint64_t branch, uint64_t target)
{
    uint32_t number = mixed(branch), at = place(number, &t->history[1]);
    struct bx_indirect_target *with = &t->indirect[at >> t->indirect_shift],
                              *alone = &t->latest[number >> t->indirect_shift];
    uint32_t tag = at | 1; /* 0: no branch */
    bool known = with->tag == tag;
    uint64_t predicted = known ? with->target : alone->tag == (number | 1) ? alone->target : 0;

    if (known || predicted != target)
        learn_target(with, tag, target);
    *alone = (struct bx_indirect_target){target, number | 1, false};
    return predicted;
}

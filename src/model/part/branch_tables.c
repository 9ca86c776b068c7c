/* Tagged tables: the longest history that knows the branch decides. */
#include "model/part/branch_tables.h"

#include <stdlib.h>

enum {
    WEAKLY_TAKEN = 2,
    COUNTER_MOST = 3,       /* of two bits */
    ENTRY_WEAKLY_TAKEN = 4, /* of three bits */
    ENTRY_MOST = 7,
    USEFUL_MOST = 3,
    TAG_BITS = 16,
    TAG_SHIFT = 15,    /* see bx_branch_tables_tag() */
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

/* ---- what is learnt ---- */

static unsigned counted(unsigned counter, unsigned most, bool up)
{
    return up ? counter + (counter < most) : counter - (counter > 0);
}

static uint8_t base_learnt(unsigned counter, bool taken)
{
    bool good = (counter >= WEAKLY_TAKEN) == taken;
    return (uint8_t)(counted(counter, COUNTER_MOST, taken) | (good ? BX_LEARNT_GOOD : 0));
}

/* other: what would be predicted without the entry. */
static uint8_t entry_learnt(unsigned state, bool other, bool taken)
{
    unsigned counter = state % BX_ENTRY_USEFUL, useful = state / BX_ENTRY_USEFUL;
    bool weak = counter == ENTRY_WEAKLY_TAKEN || counter == ENTRY_WEAKLY_TAKEN - 1;
    bool says = counter >= ENTRY_WEAKLY_TAKEN, is_new = weak && !useful;
    bool good = (is_new ? other : says) == taken;

    if (says != other)
        useful = counted(useful, USEFUL_MOST, says == taken);
    return (uint8_t)(counted(counter, ENTRY_MOST, taken) | useful * BX_ENTRY_USEFUL |
                     (good ? BX_LEARNT_GOOD : 0) | (weak && !useful ? BX_LEARNT_BASE : 0));
}

static void work_out(struct bx_branch_tables *t)
{
    for (unsigned taken = 0; taken < 2; taken++) {
        for (unsigned i = 0; i < BX_BASE_STATES; i++)
            t->base_learnt[i + taken * BX_BASE_STATES] = base_learnt(i, taken);
        for (unsigned i = 0; i < BX_ENTRY_STATES; i++)
            for (unsigned other = 0; other < 2; other++)
                t->learnt[i + other * BX_OUTCOME_OTHER + taken * BX_OUTCOME_TAKEN] =
                    entry_learnt(i, other, taken);
    }
}

/* ---- power-on ---- */

/* Entries have the tag 0. */
static struct bx_table_entry *entries_of(uint32_t n)
{
    struct bx_table_entry *e = malloc(n * sizeof *e);
    unsigned shift = 32 - index_bits(n);

    for (uint32_t i = 0; e && i < n; i++) {
        uint32_t mixed = i << shift, place = mixed ^ mixed >> TAG_SHIFT ^ mixed >> 2 * TAG_SHIFT;
        e[place >> shift] = (struct bx_table_entry){place, ENTRY_WEAKLY_TAKEN};
    }
    return e;
}

bool bx_branch_tables_power_on(struct bx_branch_tables *t, const bx_predictor_sizes *sizes)
{
    bool good = (t->base = malloc(sizes->base)) != NULL;

    for (uint32_t i = 0; good && i < sizes->base; i++)
        t->base[i] = WEAKLY_TAKEN - 1;
    t->base_mask = sizes->base - 1;
    t->table_shift = 32 - index_bits(sizes->table);
    t->indirect_shift = 32 - index_bits(sizes->indirect);
    /* A bit of the tag is the difference of two bits, of which the index may have the upper one. */
    unsigned least = t->table_shift > TAG_SHIFT ? t->table_shift - TAG_SHIFT : 0;
    t->tag_mask = least < TAG_BITS ? UINT16_MAX & ~((1u << least) - 1) : 0;
    work_out(t);
    for (unsigned i = 0; i < BX_BRANCH_TABLES; i++) {
        struct bx_branch_history *h = &t->history[i];
        uint32_t length = sizes->history >> (BX_BRANCH_TABLES - 1 - i) * LENGTHS_SHIFT;
        length = length < LEAST_LENGTH ? LEAST_LENGTH : length;
        h->from = BX_BRANCH_PATH - length;
        h->power = power(BX_BRANCH_BASE, length);
        t->entry[i] = entries_of(sizes->table);
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

/* ---- outcomes ---- */

void bx_branch_tables_give(struct bx_branch_tables *t, uint32_t number, unsigned from, bool taken)
{
    for (unsigned pass = 0; pass < 2; pass++)
        for (unsigned i = from; i < BX_BRANCH_TABLES; i++) {
            uint32_t place = bx_branch_tables_place(number, &t->history[i]);
            struct bx_table_entry *e = &t->entry[i][place >> t->table_shift];
            if (pass) { /* all are useful */
                e->state -= BX_ENTRY_USEFUL;
            } else if (e->state < BX_ENTRY_USEFUL) {
                *e = (struct bx_table_entry){place,
                                             taken ? ENTRY_WEAKLY_TAKEN : ENTRY_WEAKLY_TAKEN - 1};
                return;
            }
        }
}

bool bx_branch_tables_predict(struct bx_branch_tables *t, const bx_branch *b, bool taken)
{
    return bx_branch_tables_learn(t, b, taken, true);
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

uint64_t bx_branch_tables_target(struct bx_branch_tables *t, const bx_branch *b, uint64_t target)
{
    uint32_t number = b->number, at = bx_branch_tables_place(number, &t->history[1]);
    at ^= at >> TAG_SHIFT;
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

/* Predictor with tagged tables: counters by the branch's address, and tables that also know the
 * latest taken branches, each more of them than the one before. After Seznec and Michaud, "A case
 * for (partially) TAgged GEometric history length branch prediction", JILP 8, 2006. */
#ifndef BX_MODEL_PART_BRANCH_TABLES_H
#define BX_MODEL_PART_BRANCH_TABLES_H

#include "model/part/branch_predictor.h"

#include <stddef.h>

enum { BX_BRANCH_TABLES = 3, BX_BRANCH_PATH = BX_BRANCH_HISTORY_MOST + 1 };

/* Odd numbers that mix bits. */
#define BX_BRANCH_BASE UINT32_C(0x1e3779b1)
#define BX_BRANCH_MIX  UINT32_C(0x2c1b3c6d)

/* What an entry says: a counter of three bits, taken from 4 on; above it, its usefulness. */
enum { BX_ENTRY_TAKEN = 1 << 2, BX_ENTRY_USEFUL = 1 << 3, BX_ENTRY_STATES = 1 << 5 };
struct bx_table_entry {
    uint32_t place; /* see bx_branch_tables_place() */
    uint8_t state;
};

/* What an outcome makes of a state, for each outcome and each prediction without the entry; with
 * these flags. The same for the counters by address, which have two bits. */
enum {
    BX_OUTCOME_TAKEN = BX_ENTRY_STATES << 1,
    BX_OUTCOME_OTHER = BX_ENTRY_STATES,
    BX_OUTCOMES = BX_ENTRY_STATES << 2,
    BX_LEARNT_GOOD = BX_ENTRY_STATES,      /* it was predicted */
    BX_LEARNT_BASE = BX_ENTRY_STATES << 1, /* the counter by address learns it, too */
    BX_BASE_TAKEN = 1 << 1,
    BX_BASE_STATES = 1 << 2,
};

/* The latest taken branches as one number, a polynomial of them. */
struct bx_branch_history {
    uint32_t sum;
    uint32_t power; /* the factor in `sum` of what was before them */
    size_t from;    /* where that is: BX_BRANCH_PATH less their number */
};

struct bx_indirect_target {
    uint64_t target;
    uint32_t tag;
    bool sure;
};

struct bx_branch_tables {
    uint8_t *base; /* [sizes.base] */
    struct bx_table_entry *entry[BX_BRANCH_TABLES];
    struct bx_branch_history history[BX_BRANCH_TABLES];
    uint32_t base_mask;
    unsigned table_shift, indirect_shift; /* 32 less the bits of an index */
    uint32_t tag_mask; /* bits that two places of one index differ in, if their tags do; not all */
    uint8_t learnt[BX_OUTCOMES], base_learnt[2 * BX_BASE_STATES];
    struct bx_indirect_target *indirect, *latest; /* by address and history; by address alone */
    /* The polynomial of all taken branches so far, and those before each of the latest ones: twice,
     * so that they follow each other from any of them on. */
    uint32_t sum, before[2 * BX_BRANCH_PATH];
    size_t at;
};

bool bx_branch_tables_power_on(struct bx_branch_tables *t, const bx_predictor_sizes *sizes);
void bx_branch_tables_free(struct bx_branch_tables *t);

/* An address as 32 bits of which each depends on all. */
static inline uint32_t bx_branch_tables_mix(uint64_t address)
{
    uint32_t x = (uint32_t)(address ^ address >> 32) * BX_BRANCH_MIX;
    return (x ^ x >> 15) * BX_BRANCH_BASE;
}

/* A branch with a history as one number. Its upper bits are the index in a table. */
static inline uint32_t bx_branch_tables_place(uint32_t number, const struct bx_branch_history *h)
{
    return (number ^ h->sum) * BX_BRANCH_MIX;
}

/* Its tag has 16 bits. The tag of two places together is that of the bits in which they differ. */
static inline uint16_t bx_branch_tables_tag(uint32_t place)
{
    return (uint16_t)(place ^ place >> 15);
}

/* The entry of the longest history that knows the branch, of the tables before *table. NULL: none.
 * *table: its table. */
static inline struct bx_table_entry *bx_branch_tables_find(const struct bx_branch_tables *t,
                                                           uint32_t number, unsigned *table)
{
    while (*table) {
        uint32_t place = bx_branch_tables_place(number, &t->history[--*table]);
        struct bx_table_entry *e = &t->entry[*table][place >> t->table_shift];
        uint32_t differ = place ^ e->place;
        if (!(differ & t->tag_mask) && !bx_branch_tables_tag(differ))
            return e;
    }
    return NULL;
}

/* A misprediction: the branch gets an entry in a table with a longer history, from that one on. */
void bx_branch_tables_give(struct bx_branch_tables *t, uint32_t number, unsigned from, bool taken);

/* Learns the outcome of a conditional branch, and returns whether it was predicted. missed: learns
 * it even if not. */
static inline bool bx_branch_tables_learn(struct bx_branch_tables *t, const bx_branch *b,
                                          bool taken, bool missed)
{
    unsigned table = BX_BRANCH_TABLES, learnt;
    struct bx_table_entry *knows = bx_branch_tables_find(t, b->number, &table);
    uint8_t *base = &t->base[b->last & t->base_mask];

    if (knows) {
        unsigned next = table;
        struct bx_table_entry *other = bx_branch_tables_find(t, b->number, &next);
        bool says = other ? other->state & BX_ENTRY_TAKEN : *base & BX_BASE_TAKEN;
        learnt = t->learnt[knows->state + says * BX_OUTCOME_OTHER + taken * BX_OUTCOME_TAKEN];
    } else {
        learnt = t->base_learnt[*base + taken * BX_BASE_STATES];
    }
    bool good = learnt & BX_LEARNT_GOOD;
    if (!good && !missed)
        return false;
    if (knows)
        knows->state = learnt % BX_ENTRY_STATES;
    if (!knows || learnt & BX_LEARNT_BASE)
        *base = t->base_learnt[*base + taken * BX_BASE_STATES] % BX_BASE_STATES;
    if (!good)
        bx_branch_tables_give(t, b->number, knows ? table + 1 : 0, taken);
    return good;
}

/* Predicts a conditional branch, learns its outcome, and returns whether it was predicted. */
bool bx_branch_tables_predict(struct bx_branch_tables *t, const bx_branch *b, bool taken);

/* Predicts the target of a branch, learns the one that it has, and returns the one predicted. */
uint64_t bx_branch_tables_target(struct bx_branch_tables *t, const bx_branch *b, uint64_t target);

/* A branch was taken. mixed: its address; of an indirect one, with its target. */
static inline void bx_branch_tables_follow(struct bx_branch_tables *t, uint32_t mixed)
{
    size_t at = t->at;

    t->before[at] = t->before[at + BX_BRANCH_PATH] = t->sum;
    t->sum = t->sum * BX_BRANCH_BASE + (mixed >> 16);
    t->at = at = (at + 1) % BX_BRANCH_PATH;
    const uint32_t *before = t->before + at;
    for (unsigned i = 0; i < BX_BRANCH_TABLES; i++)
        t->history[i].sum = t->sum - before[t->history[i].from] * t->history[i].power;
}

#endif

/* Predictor with tagged tables: counters by the branch's address, and tables that also know the
 * latest taken branches, each more of them than the one before. After Seznec and Michaud, "A case
 * for (partially) TAgged GEometric history length branch prediction", JILP 8, 2006. */
#ifndef BX_MODEL_PART_BRANCH_TABLES_H
#define BX_MODEL_PART_BRANCH_TABLES_H

#include "model/part/branch_predictor.h"

enum { BX_BRANCH_TABLES = 3 };

struct bx_table_entry {
    uint16_t tag;
    int8_t counter; /* -4 … 3: taken from 0 on */
    uint8_t useful; /* 0 … 3 */
};

/* The latest taken branches as one number: a polynomial of them. */
struct bx_branch_history {
    uint32_t length, sum, last_power; /* last_power: the factor of the one that falls out */
};

struct bx_indirect_target {
    uint64_t target;
    uint32_t tag;
    bool sure;
};

struct bx_branch_tables {
    uint8_t *base; /* [sizes.base]: two-bit counters */
    struct bx_table_entry *entry[BX_BRANCH_TABLES];
    struct bx_branch_history history[BX_BRANCH_TABLES];
    uint32_t base_mask;
    unsigned table_shift, indirect_shift;         /* 32 less the bits of an index */
    struct bx_indirect_target *indirect, *latest; /* by address and history; by address alone */
    uint16_t path[256];                           /* of the latest taken branches */
    uint8_t at;
};

bool bx_branch_tables_power_on(struct bx_branch_tables *t, const bx_predictor_sizes *sizes);
void bx_branch_tables_free(struct bx_branch_tables *t);

/* Predicts a conditional branch, learns its outcome, and returns what was predicted. */
bool bx_branch_tables_predict(struct bx_branch_tables *t, uint64_t branch, bool taken);

/* The same for the target of a branch. */
uint64_t bx_branch_tables_target(struct bx_branch_tables *t, uint64_t branch, uint64_t target);

/* A branch was taken. target: 0 if the instruction has it. */
void bx_branch_tables_follow(struct bx_branch_tables *t, uint64_t branch, uint64_t target);

#endif

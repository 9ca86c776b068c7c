/* What the instructions of a stream do in addition to its accesses. The maker of a stream says
 * between which accesses they retire. The engine counts it when those accesses are executed. */
#ifndef BX_MODEL_ENGINE_RETIREMENT_H
#define BX_MODEL_ENGINE_RETIREMENT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* What a predictor tells of a branch. Mispredictions come first. */
enum bx_branch_count {
    BX_MISS_NOT_TAKEN, /* a conditional branch that was not taken was predicted otherwise */
    BX_MISS_TAKEN,     /* the same of one that was taken */
    BX_MISS_INDIRECT_JUMP,
    BX_MISS_INDIRECT_CALL,
    BX_MISS_RETURN,
    BX_BRANCH_MISSES,                 /* the number of kinds of mispredictions */
    BX_BTB_MISSES = BX_BRANCH_MISSES, /* the branch target buffer does not have the branch, … */
    BX_BTB_RESTEERS,                  /* … and the decoder goes where it leads */
    BX_BTB_BOGUS,                     /* the buffer has a branch where there is none any more */
    BX_BRANCH_COUNTS,
};
enum { BX_BRANCH_MISS_SET = (1 << BX_BRANCH_MISSES) - 1 };
extern const char *const bx_branch_miss_names[BX_BRANCH_MISSES];

enum bx_retired_count {
    BX_RETIRED_INSTRUCTIONS,
    /* Branches: all; then by class, as in enum bx_instruction_class; then those taken. */
    BX_RETIRED_BRANCHES,
    BX_RETIRED_CONDITIONAL,
    BX_RETIRED_JUMPS,
    BX_RETIRED_INDIRECT_JUMPS,
    BX_RETIRED_CALLS,
    BX_RETIRED_INDIRECT_CALLS,
    BX_RETIRED_RETURNS,
    BX_RETIRED_TAKEN,
    BX_RETIRED_CONDITIONAL_TAKEN,
    /* Loads and stores of instructions. An instruction that modifies memory makes one of each. */
    BX_RETIRED_LOADS,
    BX_RETIRED_STORES,
    BX_RETIRED_LOCKED_LOADS,
    BX_RETIRED_LOADS_TO_OWN, /* of the loads: those whose access is a store, because they ask for
                                ownership */
    BX_RETIRED_SPLIT_LOADS, /* loads that cross a boundary of lines, counted at the second access */
    BX_RETIRED_SPLIT_STORES,
    BX_RETIRED_NON_TEMPORAL, /* of the stores: those that bypass the caches */
    /* Operations of floating point: scalar and packed, and those of x87. What computes twice, as
     * FMA does, counts twice. */
    BX_RETIRED_SCALAR_SINGLE,
    BX_RETIRED_SCALAR_DOUBLE,
    BX_RETIRED_PACKED_SINGLE, /* of 128 bits */
    BX_RETIRED_PACKED_DOUBLE,
    BX_RETIRED_PACKED_SINGLE_256,
    BX_RETIRED_PACKED_DOUBLE_256,
    BX_RETIRED_X87,
    /* Translations that miss the first TLB, by the kind of the access. They hit the second TLB, or
     * need a walk, to a page of 4 KiB or of 2 MiB. */
    BX_RETIRED_STLB_HITS,
    BX_RETIRED_WALKS = BX_RETIRED_STLB_HITS + 3,
    BX_RETIRED_WALKS_2M = BX_RETIRED_WALKS + 3,
    /* Uncore cycles in which accesses waited for their translation, but not for lines. */
    BX_RETIRED_TLB_CYCLES = BX_RETIRED_WALKS_2M + 3,
    BX_RETIRED_COUNTS,
    /* Beside them: mispredicted branches, as in enum bx_branch_count. */
    BX_RETIRED_MISSES = BX_RETIRED_COUNTS,
    BX_RETIRED_ALL = BX_RETIRED_MISSES + BX_BRANCH_MISSES,
};

/* What retires at once: one execution of a block, or of a part of it. */
typedef struct bx_retired {
    int16_t n[BX_RETIRED_ALL];
} bx_retired;

/* Adds an instruction of a class: enum bx_instruction_class. taken: of a branch. */
void bx_retired_add_instruction(bx_retired *to, unsigned class, bool taken);

/* All that can retire in some streams; equal rows are stored once. Only one thread adds rows. Other
 * threads may read a row after that thread has passed its number to them. */
typedef struct bx_retired_table bx_retired_table;

#define BX_RETIRED_NONE UINT32_MAX

bx_retired_table *bx_retired_table_new(void);    /* NULL: out of memory */
void bx_retired_table_free(bx_retired_table *t); /* NULL is fine */
/* Returns the index of the row; BX_RETIRED_NONE: out of memory. */
uint32_t bx_retired_table_add(bx_retired_table *t, const bx_retired *what);

/* The same for a row with a single count. count: below BX_RETIRED_ALL; n: its value. */
uint32_t bx_retired_table_add_one(bx_retired_table *t, unsigned count, int16_t n);

/* A number below bx_retired_table_n(). */
const bx_retired *bx_retired_table_at(const bx_retired_table *t, uint32_t number);
uint32_t bx_retired_table_n(const bx_retired_table *t);

/* A row of the table retires when all accesses of a stream before number `before` are executed. */
typedef struct bx_retirement {
    uint32_t before;
    uint32_t what; /* row in the table */
} bx_retirement;

/* Merges n retirements that happen at once into as few as possible. Returns how many are written to
 * `to`, at most n; SIZE_MAX: out of memory. */
size_t bx_retired_table_merge(bx_retired_table *t, const bx_retirement *from, size_t n,
                              bx_retirement *to);

/* Where the maker of a stream writes retirements: from `next` on. Those before it are of the same
 * stream. origin: the access (bx_access) from which `before` is counted. */
typedef struct bx_retire_to {
    bx_retirement *begin, *next, *end;
    const uint64_t *origin;
    struct bx_who *who; /* beside the accesses from `origin` on; NULL: nobody asks who made them */
} bx_retire_to;

#endif

/* What the instructions of a stream do that its accesses do not tell: who makes a stream says
 * between which accesses they retire, and the engine adds it up as the accesses are executed. */
#ifndef BX_MODEL_ENGINE_RETIREMENT_H
#define BX_MODEL_ENGINE_RETIREMENT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum bx_retired_count {
    BX_RETIRED_INSTRUCTIONS,
    /* Branches: all, then by what they are (enum bx_instruction_class), then those taken. */
    BX_RETIRED_BRANCHES,
    BX_RETIRED_CONDITIONAL,
    BX_RETIRED_JUMPS,
    BX_RETIRED_INDIRECT_JUMPS,
    BX_RETIRED_CALLS,
    BX_RETIRED_INDIRECT_CALLS,
    BX_RETIRED_RETURNS,
    BX_RETIRED_TAKEN,
    BX_RETIRED_CONDITIONAL_TAKEN,
    /* Loads and stores of instructions; a modification is one of each. */
    BX_RETIRED_LOADS,
    BX_RETIRED_STORES,
    BX_RETIRED_LOCKED_LOADS,
    BX_RETIRED_LOADS_TO_OWN, /* of these: whose accesses are stores */
    BX_RETIRED_SPLIT_LOADS,  /* that cross a boundary of lines: the second access of such a load */
    BX_RETIRED_SPLIT_STORES,
    BX_RETIRED_NON_TEMPORAL, /* of the stores: past the caches */
    /* Instructions that compute with floating point, and x87's. */
    BX_RETIRED_SCALAR_SINGLE,
    BX_RETIRED_SCALAR_DOUBLE,
    BX_RETIRED_PACKED_SINGLE,
    BX_RETIRED_PACKED_DOUBLE,
    BX_RETIRED_X87,
    /* Translations that the first TLB does not have, by the kind of the access: found in the second
     * one, or by a walk, to a page of 4 KiB or of 2 MiB. */
    BX_RETIRED_STLB_HITS,
    BX_RETIRED_WALKS = BX_RETIRED_STLB_HITS + 3,
    BX_RETIRED_WALKS_2M = BX_RETIRED_WALKS + 3,
    BX_RETIRED_COUNTS = BX_RETIRED_WALKS_2M + 3,
};

/* What retires at once: an execution of a block, or a part of it. */
typedef struct bx_retired {
    int16_t n[BX_RETIRED_COUNTS];
} bx_retired;

/* All that retires in some streams, each once. Who adds is one thread; others read what it had
 * added when it handed them numbers. */
typedef struct bx_retired_table bx_retired_table;

#define BX_RETIRED_NONE UINT32_MAX

bx_retired_table *bx_retired_table_new(void);    /* NULL: out of memory */
void bx_retired_table_free(bx_retired_table *t); /* NULL is fine */
/* Returns the index of the row; BX_RETIRED_NONE: out of memory. */
uint32_t bx_retired_table_add(bx_retired_table *t, const bx_retired *what);

/* The same of one count alone: enum bx_retired_count, and how many. */
uint32_t bx_retired_table_add_one(bx_retired_table *t, unsigned count, int16_t n);

/* A number below bx_retired_table_n(). */
const bx_retired *bx_retired_table_at(const bx_retired_table *t, uint32_t number);
uint32_t bx_retired_table_n(const bx_retired_table *t);

/* It retires when all accesses of a stream before number `before` are executed. */
typedef struct bx_retirement {
    uint32_t before;
    uint32_t what; /* in the table */
} bx_retirement;

/* n of them in as few as possible, which retire at once. Returns how many stand at `to`, n at most;
 * SIZE_MAX: out of memory. */
size_t bx_retired_table_merge(bx_retired_table *t, const bx_retirement *from, size_t n,
                              bx_retirement *to);

/* Where what retires is written: from `next` on; what stands before it is of the same stream.
 * origin: the access (bx_access) that `before` is counted from. */
typedef struct bx_retire_to {
    bx_retirement *begin, *next, *end;
    const uint64_t *origin;
} bx_retire_to;

#endif

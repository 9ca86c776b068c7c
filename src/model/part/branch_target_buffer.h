/* The branch target buffer of the P6 family: branches by the address of their last byte, each with
 * its latest outcomes and a two-bit counter for each series of them. */
#ifndef BX_MODEL_PART_BRANCH_TARGET_BUFFER_H
#define BX_MODEL_PART_BRANCH_TARGET_BUFFER_H

#include "model/part/branch_predictor.h"

struct bx_btb_entry {
    uint64_t last, target; /* last: 0 if the entry is free */
    uint64_t used;
    uint8_t history;
    uint8_t counter[1 << BX_BTB_HISTORY_MOST];
};

struct bx_btb {
    struct bx_btb_entry *entry; /* [sets][ways] */
    uint32_t sets, ways, history_mask;
    uint64_t time;
};

bool bx_btb_power_on(struct bx_btb *b, const bx_predictor_sizes *sizes); /* false: no memory */

/* NULL: the buffer does not have the branch. */
struct bx_btb_entry *bx_btb_find(struct bx_btb *b, uint64_t last);
/* Replaces the entry of its set that was used longest ago. */
struct bx_btb_entry *bx_btb_add(struct bx_btb *b, uint64_t last);
/* Removes the branches whose last bytes are at these addresses. Returns their number. */
unsigned bx_btb_forget(struct bx_btb *b, uint64_t first, uint64_t last);

bool bx_btb_predicts_taken(const struct bx_btb_entry *e);
void bx_btb_learn(const struct bx_btb *b, struct bx_btb_entry *e, bool taken);

#endif

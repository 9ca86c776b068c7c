/* Branch predictors of cores. One sees the branches of a program in order, and says what the core
 * had expected wrongly. Two kinds: that of the P6 family, with a history for each branch in its
 * branch target buffer, and one with tagged tables, which stands for those of later cores.
 * docs/explanation/model-branches.md */
#ifndef BX_MODEL_PART_BRANCH_PREDICTOR_H
#define BX_MODEL_PART_BRANCH_PREDICTOR_H

#include "model/engine/core_time.h"
#include "model/engine/retirement.h"
#include "tracer/instruction_class.h"

#include <boxscore/boxscore.h>

enum {
    BX_BTB_HISTORY_MOST = 6,
    BX_BRANCH_HISTORY_MOST = 255,
    BX_RETURN_STACK_MOST = 64,
};

/* A branch of the program. */
typedef struct bx_branch {
    uint64_t last;   /* the address of its last byte; the next instruction follows it */
    uint32_t number; /* the address as the tagged tables mix it */
    uint8_t class;   /* enum bx_instruction_class */
    bool backward;   /* a conditional branch: it leads to a lower address */
    uint8_t exit;    /* of its block: the one that shows its outcome, or BX_BRANCH_NO_EXIT */
    bool passed;     /* whether it is taken if the block is not left there; if so, the contrary */
} bx_branch;

enum { BX_BRANCH_NO_EXIT = 0xff };

/* A branch whose outcome no exit shows. */
bx_branch bx_branch_at(uint64_t last, unsigned class, bool taken);

static inline bool bx_branch_is_taken(const bx_branch *b, unsigned exit)
{
    return (b->exit == exit) ^ b->passed;
}

typedef struct bx_branch_predictor bx_branch_predictor;

/* BX_OK, or BX_BAD_INPUT and *e: there is no predictor of these sizes. */
int bx_predictor_check(const bx_predictor_sizes *sizes, bx_error *e);

bx_branch_predictor *bx_branch_predictor_new(const bx_predictor_sizes *sizes); /* NULL: no memory */
void bx_branch_predictor_free(bx_branch_predictor *p);                         /* NULL is fine */

/* A branch to an address in the instruction is executed. Returns a set of enum bx_branch_count. */
unsigned bx_predict_direct(bx_branch_predictor *p, const bx_branch *b, bool taken);

/* The same for returns, and for branches to an address in a register or in memory. */
unsigned bx_predict_indirect(bx_branch_predictor *p, const bx_branch *b, uint64_t target);

/* An instruction without a branch is at these addresses now. Returns how many branches of the
 * branch target buffer were there. */
unsigned bx_predictor_forget(bx_branch_predictor *p, uint64_t first, uint64_t last);

#endif

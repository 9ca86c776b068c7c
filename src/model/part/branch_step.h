/* The usual branch: tagged tables predict it rightly. Inline, because a program has one in every
 * few instructions. */
#ifndef BX_MODEL_PART_BRANCH_STEP_H
#define BX_MODEL_PART_BRANCH_STEP_H

#include "model/part/branch_tables.h"
#include "model/part/branch_target_buffer.h"

struct bx_branch_predictor {
    uint32_t kind;
    struct bx_btb btb;
    struct bx_branch_tables tables;
    /* The addresses after the latest calls. Deeper ones are overwritten. */
    uint64_t returns[BX_RETURN_STACK_MOST];
    uint32_t depth, stack; /* depth: of those that are known; stack: the place of the next one */
    uint32_t stack_mask;
};

/* The branches of a block are executed, which is left by that exit: from b on, as long as they are
 * usual. Returns the first one that is not, of which nothing is learnt yet, or `end`. */
static inline const bx_branch *bx_predict_usual(bx_branch_predictor *p, const bx_branch *b,
                                                const bx_branch *end, unsigned exit)
{
    if (p->kind != BX_PREDICTOR_TAGGED)
        return b;
    for (; b < end; b++) {
        bool taken = bx_branch_is_taken(b, exit);
        if (b->class == BX_CLASS_CONDITIONAL_BRANCH
                ? !bx_branch_tables_learn(&p->tables, b, taken, false)
                : b->class != BX_CLASS_JUMP)
            break;
        if (taken)
            bx_branch_tables_follow(&p->tables, b->number);
    }
    return b;
}

#endif

/* The branches of a program's threads go through branch predictors, one for each thread, as on a
 * core of its own: docs/explanation/model-branches.md. */
#ifndef BX_MACHINE_PROGRAM_DECODE_BRANCHES_H
#define BX_MACHINE_PROGRAM_DECODE_BRANCHES_H

#include "machine/program/decode/decoder_state.h"
#include "model/part/branch_step.h"

/* The predictor of a thread. */
struct bx_thread_branches {
    bx_branch_predictor *predictor;
    bool pends; /* the target of `pending` is not known before the next block begins */
    bx_branch pending;
    unsigned bogus; /* branches that the predictor had where now are none */
};

/* Makes the predictor of the running thread, if it has none. */
void bx_decoder_has_predictor(bx_decoder *d);
void bx_decoder_free_predictors(bx_decoder *d);
/* The thread does not run again. */
void bx_decoder_end_predictor(bx_decoder *d, const struct bx_thread_branches *its);

/* New code was described: branches that were there are not any more. */
void bx_decoder_forget_branches(bx_decoder *d, const uint64_t *entries, size_t n);

/* A block begins: the branch before has gone there. Writes what the predictor tells of it to `to`,
 * and returns the end. */
bx_access *bx_decoder_arrive(bx_decoder *d, uint64_t first, bx_access *to);

/* From the first branch on that is not usual. */
bx_access *bx_decoder_predict_from(bx_decoder *d, const bx_branch *i, const bx_branch *end,
                                   unsigned exit, uint32_t code, bx_access *to);

/* A block was left by that exit. code: of the last instruction, for those who ask. */
static inline bx_access *bx_decoder_predict_block(bx_decoder *d, const bx_block *b,
                                                  const bx_block_exit *left, uint32_t code,
                                                  bx_access *to)
{
    unsigned exit = left->number % BX_BLOCK_LEFT_TAKEN;
    const bx_branch *end = b->branch + left->branches,
                    *i = bx_predict_usual(d->branches->predictor, b->branch, end, exit);

    return i < end ? bx_decoder_predict_from(d, i, end, exit, code, to) : to;
}

#endif

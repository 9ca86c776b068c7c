/* Branches of executed blocks: their outcomes, and what follows from those that were not
 * expected. */
#include "machine/program/decode/branches.h"

#include "base/grow.h"

#include <stdlib.h>

/* ---- predictors of threads ---- */

static bool add_predictor(bx_decoder *d)
{
    struct bx_thread_branches **all =
        bx_grow(d->all_branches, d->predictors, &d->predictors_room, sizeof *all, 1);
    struct bx_thread_branches *made = all ? calloc(1, sizeof *made) : NULL;
    if (all)
        d->all_branches = all;
    if (!made || !(made->predictor = bx_branch_predictor_new(&d->sizes))) {
        free(made);
        return false;
    }
    d->branches = d->all_branches[d->predictors++] = made;
    return true;
}

void bx_decoder_has_predictor(bx_decoder *d)
{
    if (d->sizes.kind && !d->branches && !add_predictor(d))
        bx_decoder_no_memory(d, "no memory for its branch predictors");
}

static void free_predictor(struct bx_thread_branches *b)
{
    bx_branch_predictor_free(b->predictor);
    free(b);
}

void bx_decoder_end_predictor(bx_decoder *d, const struct bx_thread_branches *its)
{
    for (size_t i = 0; i < d->predictors; i++)
        if (d->all_branches[i] == its) {
            free_predictor(d->all_branches[i]);
            d->all_branches[i] = d->all_branches[--d->predictors];
            return;
        }
}

void bx_decoder_free_predictors(bx_decoder *d)
{
    for (size_t i = 0; i < d->predictors; i++)
        free_predictor(d->all_branches[i]);
    free(d->all_branches);
}

void bx_decoder_forget_branches(bx_decoder *d, const uint64_t *entries, size_t n)
{
    if (!d->branches || d->sizes.kind != BX_PREDICTOR_LOCAL)
        return;
    for (size_t i = 0; i < n; i++) {
        if (bx_trace_entry_kind(entries[i]) != BX_TRACE_INSTRUCTION ||
            bx_class_is_branch(bx_trace_instruction_class(entries[i])))
            continue;
        uint64_t first = bx_trace_entry_address(entries[i]);
        unsigned size = bx_trace_instruction_size(entries[i]);
        if (size)
            d->branches->bogus +=
                bx_predictor_forget(d->branches->predictor, first, first + size - 1);
        d->told_late |= d->branches->bogus != 0;
    }
}

/* ---- what is told ---- */

/* For machines that ask for remarks, all that the predictor tells; else mispredictions alone. */
static bx_access *tell(bx_decoder *d, unsigned what, uint32_t code, bx_access *to)
{
    bx_access *from = to;
    unsigned misses = what & BX_BRANCH_MISS_SET;

    if (d->draft.remarks) {
        *to++ = bx_access_remark(what << BX_REMARK_BRANCH, 0);
    } else if (misses) {
        bx_decoder_retire(d, d->retired_as.missed[__builtin_ctz(misses)], to);
        if (d->refill)
            *to++ = bx_access_mispredicted(d->refill);
    }
    if (d->witness)
        bx_decoder_note(d, from, to, (bx_who){.code = code});
    return to;
}

static inline bx_access *tell_if_any(bx_decoder *d, unsigned what, uint32_t code, bx_access *to)
{
    return what ? tell(d, what, code, to) : to;
}

bx_access *bx_decoder_arrive(bx_decoder *d, uint64_t first, bx_access *to)
{
    struct bx_thread_branches *t = d->branches;

    d->told_late = false;
    for (; t->bogus; t->bogus--)
        to = tell(d, 1u << BX_BTB_BOGUS, d->code, to);
    if (!t->pends)
        return to;
    t->pends = false;
    return tell_if_any(d, bx_predict_indirect(t->predictor, &t->pending, first), d->code, to);
}

/* A branch was executed that is not usual. */
static __attribute__((noinline)) bx_access *predict_other(bx_decoder *d, const bx_branch *b,
                                                          bool taken, uint32_t code, bx_access *to)
{
    struct bx_thread_branches *t = d->branches;

    if (!bx_class_is_indirect(b->class))
        return tell_if_any(d, bx_predict_direct(t->predictor, b, taken), code, to);
    t->pends = d->told_late = true;
    t->pending = *b;
    return to;
}

bx_access *bx_decoder_predict_from(bx_decoder *d, const bx_branch *i, const bx_branch *end,
                                   unsigned exit, uint32_t code, bx_access *to)
{
    do
        to = predict_other(d, i, bx_branch_is_taken(i, exit), code, to);
    while ((i = bx_predict_usual(d->branches->predictor, i + 1, end, exit)) < end);
    return to;
}

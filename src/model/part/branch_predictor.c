/* A branch predictor: the outcomes and targets of a kind of predictor, and a stack of returns. */
#include "model/part/branch_predictor.h"

#include "base/error.h"
#include "model/part/branch_step.h"

#include <inttypes.h>
#include <stdlib.h>

/* A size of a predictor: its key in the machine string. */
struct size {
    const char *key;
    uint32_t n, least;
};

static int check_size(const struct size *s, bx_error *e)
{
    if (s->n >= s->least && !(s->n & (s->n - 1)))
        return BX_OK;
    bx_fail(e, BX_BAD_INPUT, 0, 0, "a branch predictor cannot have %s=%" PRIu32, s->key, s->n);
    bx_hint(e, "%" PRIu32 " or more, a power of two", s->least);
    return BX_BAD_INPUT;
}

int bx_predictor_check(const bx_predictor_sizes *s, bx_error *e)
{
    const struct size of_local[] = {{"return_stack", s->return_stack, 1},
                                    {"btb_ways", s->btb_ways, 1},
                                    {"btb", s->btb, s->btb_ways}},
                      of_tagged[] = {{"return_stack", s->return_stack, 1},
                                     {"branch_base", s->base, 1},
                                     {"branch_table", s->table, 2},
                                     {"branch_targets", s->indirect, 2}};
    bool local = s->kind == BX_PREDICTOR_LOCAL;
    const struct size *of = local ? of_local : of_tagged;
    size_t n = local ? sizeof of_local / sizeof *of : sizeof of_tagged / sizeof *of;
    int code = BX_OK;

    if (s->kind == BX_PREDICTOR_NONE)
        return BX_OK;
    if (local ? !s->btb : !s->table) {
        bx_fail(e, BX_BAD_INPUT, 0, 0, "this machine has no predictor of that kind");
        bx_hint(e, local ? "predictor=none or tagged" : "predictor=none or local");
        return BX_BAD_INPUT;
    }
    for (size_t i = 0; i < n && code == BX_OK; i++)
        code = check_size(&of[i], e);
    return code;
}

bx_branch_predictor *bx_branch_predictor_new(const bx_predictor_sizes *sizes)
{
    bx_branch_predictor *p = calloc(1, sizeof *p);
    bool good = p != NULL;

    if (!good)
        return NULL;
    p->kind = sizes->kind;
    p->stack_mask = sizes->return_stack - 1;
    if (p->kind == BX_PREDICTOR_LOCAL)
        good = bx_btb_power_on(&p->btb, sizes);
    else
        good = bx_branch_tables_power_on(&p->tables, sizes);
    if (good)
        return p;
    bx_branch_predictor_free(p);
    return NULL;
}

void bx_branch_predictor_free(bx_branch_predictor *p)
{
    if (!p)
        return;
    free(p->btb.entry);
    bx_branch_tables_free(&p->tables);
    free(p);
}

bx_branch bx_branch_at(uint64_t last, unsigned class, bool taken)
{
    return (bx_branch){.last = last,
                       .number = bx_branch_tables_mix(last),
                       .class = (uint8_t) class,
                       .exit = BX_BRANCH_NO_EXIT,
                       .passed = taken};
}

static void call(bx_branch_predictor *p, const bx_branch *b)
{
    p->returns[p->stack++ & p->stack_mask] = b->last + 1;
    p->depth += p->depth <= p->stack_mask;
}

static bool returns_to(bx_branch_predictor *p, uint64_t target)
{
    if (!p->depth)
        return false;
    p->depth--;
    return p->returns[--p->stack & p->stack_mask] == target;
}

static unsigned missed(bool taken)
{
    return 1u << (taken ? BX_MISS_TAKEN : BX_MISS_NOT_TAKEN);
}

/* What the buffer does not have, the decoder predicts: jumps, calls, and conditional branches that
 * lead back are taken. */
static unsigned local_direct(bx_branch_predictor *p, const bx_branch *b, bool taken)
{
    struct bx_btb_entry *e = bx_btb_find(&p->btb, b->last);
    bool conditional = b->class == BX_CLASS_CONDITIONAL_BRANCH;
    bool predicted = !conditional || (e ? bx_btb_predicts_taken(e) : b->backward);
    unsigned what = conditional && predicted != taken ? missed(taken) : 0;

    if (!e)
        what |= 1u << BX_BTB_MISSES | (unsigned)predicted << BX_BTB_RESTEERS;
    if (!e && taken)
        e = bx_btb_add(&p->btb, b->last);
    if (e && conditional)
        bx_btb_learn(&p->btb, e, taken);
    return what;
}

unsigned bx_predict_direct(bx_branch_predictor *p, const bx_branch *b, bool taken)
{
    unsigned what = 0;

    if (b->class == BX_CLASS_CALL)
        call(p, b);
    if (p->kind == BX_PREDICTOR_LOCAL)
        return local_direct(p, b, taken);
    if (b->class == BX_CLASS_CONDITIONAL_BRANCH && !bx_branch_tables_predict(&p->tables, b, taken))
        what = missed(taken);
    if (taken)
        bx_branch_tables_follow(&p->tables, b->number);
    return what;
}

/* The buffer knows one target of each branch. */
static unsigned local_indirect(bx_branch_predictor *p, const bx_branch *b, uint64_t target,
                               bool *good)
{
    struct bx_btb_entry *e = bx_btb_find(&p->btb, b->last);
    bool returns = b->class == BX_CLASS_RETURN;
    unsigned what = 0;

    if (!e)
        what = 1u << BX_BTB_MISSES | (unsigned)returns << BX_BTB_RESTEERS;
    if (!returns)
        *good = e && e->target == target;
    if (!e)
        e = bx_btb_add(&p->btb, b->last);
    e->target = target;
    return what;
}

unsigned bx_predict_indirect(bx_branch_predictor *p, const bx_branch *b, uint64_t target)
{
    bool returns = b->class == BX_CLASS_RETURN;
    bool good = returns && returns_to(p, target);
    unsigned what = 0;

    if (p->kind == BX_PREDICTOR_LOCAL) {
        what = local_indirect(p, b, target, &good);
    } else {
        if (!returns)
            good = bx_branch_tables_target(&p->tables, b, target) == target;
        bx_branch_tables_follow(&p->tables, bx_branch_tables_mix(b->last ^ target << 1));
    }
    if (b->class == BX_CLASS_INDIRECT_CALL)
        call(p, b);
    if (!good)
        what |= 1u << (returns                              ? BX_MISS_RETURN
                       : b->class == BX_CLASS_INDIRECT_CALL ? BX_MISS_INDIRECT_CALL
                                                            : BX_MISS_INDIRECT_JUMP);
    return what;
}

unsigned bx_predictor_forget(bx_branch_predictor *p, uint64_t first, uint64_t last)
{
    return p->kind == BX_PREDICTOR_LOCAL ? bx_btb_forget(&p->btb, first, last) : 0;
}

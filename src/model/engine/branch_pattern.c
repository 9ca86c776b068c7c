/* Branches with known outcomes and targets, through a core's predictor: `branches`. */
#include "model/engine/instruction_pattern.h"

#include "model/engine/permute.h"

/* Where the code is: the branch, that of the loop around it, and what it leads to. */
enum {
    BRANCH = 0x401010,
    LOOP = 0x401040,
    TARGETS = 0x402000,
    TARGET_BYTES = 64,
    TARGETS_N = 3,
    RETURN_AT = 8,
};

/* `recursion`: as many calls, as many returns, and a jump. */
enum { DEPTH = 20, RECURSION = 2 * DEPTH + 1 };

/* A branch of the program. */
struct executed {
    unsigned class;
    bool taken, backward;
    uint64_t last, target; /* target: of an indirect branch */
};

static const struct executed loop = {BX_CLASS_CONDITIONAL_BRANCH, true, true, LOOP, 0};

static struct executed conditional(bool taken)
{
    return (struct executed){BX_CLASS_CONDITIONAL_BRANCH, taken, false, BRANCH, 0};
}

static uint64_t target_of(uint64_t turn)
{
    return TARGETS + turn % TARGETS_N * TARGET_BYTES;
}

static struct executed call_or_return(uint64_t n)
{
    uint64_t target = target_of(n / 2);

    if (n % 2 == 0)
        return (struct executed){BX_CLASS_INDIRECT_CALL, true, false, BRANCH, target};
    return (struct executed){BX_CLASS_RETURN, true, false, target + RETURN_AT, BRANCH + 1};
}

static struct executed recursion(uint64_t n)
{
    unsigned at = (unsigned)(n % RECURSION);

    if (at < DEPTH)
        return (struct executed){BX_CLASS_CALL, true, false, BRANCH, 0};
    if (at < 2 * DEPTH)
        return (struct executed){BX_CLASS_RETURN, true, false, TARGETS + RETURN_AT, BRANCH + 1};
    return (struct executed){BX_CLASS_JUMP, true, false, TARGETS + TARGET_BYTES, 0};
}

static struct executed next_branch(struct bx_generator *g)
{
    uint64_t n = g->done;

    switch ((enum bx_pattern_outcomes)g->key[BX_KEY_PATTERN]) {
    case BX_PATTERN_ALTERNATING:
        return conditional(n % 2 == 0);
    case BX_PATTERN_SEVEN:
        return conditional("1101000"[n % 7] == '1');
    case BX_PATTERN_ROUNDS:
        return (struct executed){BX_CLASS_CONDITIONAL_BRANCH, n % 7 != 6, true, BRANCH, 0};
    case BX_PATTERN_JUMPS:
        return (struct executed){BX_CLASS_INDIRECT_JUMP, true, false, BRANCH, target_of(n)};
    case BX_PATTERN_CALLS:
        return call_or_return(n);
    case BX_PATTERN_RECURSION:
        return recursion(n);
    case BX_PATTERN_CHANGED:
        return (struct executed){BX_CLASS_JUMP, true, false, BRANCH, 0};
    case BX_PATTERN_COIN:
    case BX_PATTERN_OUTCOMES:
        break;
    }
    return conditional(bx_random(&g->random) % 2);
}

/* Whether the loop's branch follows. */
static bool ends_round(const struct bx_generator *g)
{
    uint64_t n = g->done;

    switch ((enum bx_pattern_outcomes)g->key[BX_KEY_PATTERN]) {
    case BX_PATTERN_ROUNDS:
        return n % 7 == 6;
    case BX_PATTERN_CALLS:
        return n % 2 == 1;
    case BX_PATTERN_RECURSION:
        return n % RECURSION == RECURSION - 1;
    default:
        return true;
    }
}

/* What the predictor tells: to a machine that asks for remarks all, else mispredictions alone. */
static void tell_branch(struct bx_generator *g, unsigned what)
{
    struct bx_generator_instructions *i = g->instructions;
    unsigned misses = what & BX_BRANCH_MISS_SET;

    if (i->remarks && what) {
        bx_generator_remark(g, what << BX_REMARK_BRANCH);
    } else if (misses) {
        bx_generator_retire(g, BX_RETIRED_MISSES + (unsigned)__builtin_ctz(misses), 1);
        if (i->refill) {
            g->buffer[g->n++] = bx_access_mispredicted(i->refill) | (bx_access)i->cost << 4;
            i->cost = 0;
        }
    }
}

static void execute_branch(struct bx_generator *g, const struct executed *e)
{
    bx_branch_predictor *p = g->instructions->predictor;
    bx_branch b = bx_branch_at(e->last, e->class, e->taken);

    b.backward = e->backward;
    bx_generator_execute(g, e->class, e->taken, 1);
    if (p)
        tell_branch(g, bx_class_is_indirect(e->class) ? bx_predict_indirect(p, &b, e->target)
                                                      : bx_predict_direct(p, &b, e->taken));
}

/* Every second time another instruction is where the jump was. */
static bool is_other(const struct bx_generator *g)
{
    return g->key[BX_KEY_PATTERN] == BX_PATTERN_CHANGED && g->done % 2;
}

/* It is stored to the line of the code, and fetched from there. */
static void execute_other(struct bx_generator *g)
{
    bx_branch_predictor *p = g->instructions->predictor;
    uint64_t code = UINT64_C(1) << g->line_shift;

    bx_generator_execute(g, BX_CLASS_OTHER, false, 1);
    bx_generator_retire(g, BX_RETIRED_STORES, 1);
    bx_generator_access(g, code, BX_STORE, 0);
    bx_generator_access(g, code, BX_FETCH, 0);
    if (p && bx_predictor_forget(p, BRANCH, BRANCH))
        tell_branch(g, 1u << BX_BTB_BOGUS);
    bx_generator_execute(g, BX_CLASS_OTHER, false, 1);
}

void bx_step_branches(struct bx_generator *g)
{
    unsigned others = (unsigned)g->key[BX_KEY_PERIOD] - 1;

    g->instructions->cost += others;
    bx_generator_retire(g, BX_RETIRED_INSTRUCTIONS, (int)others);
    if (is_other(g)) {
        execute_other(g);
    } else {
        struct executed e = next_branch(g);
        execute_branch(g, &e);
    }
    if (ends_round(g))
        execute_branch(g, &loop);
    bx_generator_load(g, 0);
}

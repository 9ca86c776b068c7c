/* Tree-PLRU (docs/explanation/model.md): a heap of bits, root at bit 0, children of i at 2i+1 and
 * 2i+2. A 1 means that the next victim is in the upper half of the ways. A touch makes every bit on
 * the way's path point to the other half. */
#include "model/part/replacement_state.h"

static uint64_t tree_touch(uint64_t bits, unsigned ways, unsigned way)
{
    unsigned node = 0;

    for (unsigned half = ways / 2; half; half /= 2) {
        unsigned upper = (way & half) != 0;
        bits = (bits & ~(UINT64_C(1) << node)) | (uint64_t)!upper << node;
        node = 2 * node + 1 + upper;
    }
    return bits;
}

/* The way that the bits point to. */
static unsigned tree_victim(uint64_t bits, unsigned ways)
{
    unsigned node = 0, way = 0;

    for (unsigned half = ways / 2; half; half /= 2) {
        unsigned upper = bits >> node & 1;
        way += upper * half;
        node = 2 * node + 1 + upper;
    }
    return way;
}

static unsigned plru_bits(unsigned ways)
{
    return ways & (ways - 1) ? BX_NO_SUCH_SET : ways - 1;
}

static void plru_use(const struct bx_replacement *r, uint8_t *set, unsigned way, bool fill)
{
    (void)fill;
    bx_state_put(r, set, tree_touch(bx_state_of(r, set), r->ways, way));
}

static unsigned plru_victim(const struct bx_replacement *r, const uint8_t *set)
{
    return tree_victim(bx_state_of(r, set), r->ways);
}

const struct bx_policy bx_policy_plru = {
    .name = "PLRU",
    .bits = plru_bits,
    .use = plru_use,
    .victim = plru_victim,
    .settles = true,
};

/* ---- three groups of four ways: docs/explanation/model-memory.md, "Sets and replacement" ---- */

enum { GROUP = 4, GROUPS = 3, TREE_BITS = 4, LAST = GROUPS * TREE_BITS };

static unsigned grouped_bits(unsigned ways)
{
    return ways == GROUPS * GROUP ? LAST + 2 : BX_NO_SUCH_SET;
}

static void grouped_use(const struct bx_replacement *r, uint8_t *set, unsigned way, bool fill)
{
    uint64_t state = bx_state_of(r, set), last = way / GROUP;
    unsigned at = (unsigned)last * TREE_BITS;
    const uint64_t mask = UINT64_C(7) << at;

    (void)fill;
    state = (state & ~mask) | (tree_touch(state >> at & 7, GROUP, way % GROUP) << at & mask);
    bx_state_put(r, set, (state & ((UINT64_C(1) << LAST) - 1)) | last << LAST);
}

/* In the group after the one touched last. */
static unsigned grouped_victim(const struct bx_replacement *r, const uint8_t *set)
{
    uint64_t state = bx_state_of(r, set);
    unsigned group = ((unsigned)(state >> LAST) + 1) % GROUPS;

    return group * GROUP + tree_victim(state >> group * TREE_BITS & 7, GROUP);
}

const struct bx_policy bx_policy_grouped_plru = {
    .name = "grouped_PLRU",
    .bits = grouped_bits,
    .use = grouped_use,
    .victim = grouped_victim,
    .settles = true,
};

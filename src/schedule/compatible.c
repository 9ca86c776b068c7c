#include "schedule/compatible.h"
#include "schedule/match.h"

/* Counters and places are independent: any counter can listen to any place. */

/* Bits that two choices want differently; the register is *reg. 0: they go together. */
static uint64_t apart(const bx_choice *a, const bx_choice *b, uint16_t *reg)
{
    for (unsigned i = 0; i < a->n; i++) {
        for (unsigned j = 0; j < b->n; j++) {
            if (a->reg[i].reg != b->reg[j].reg)
                continue;
            uint64_t bits = (a->reg[i].value ^ b->reg[j].value) & a->reg[i].mask & b->reg[j].mask;
            *reg = a->reg[i].reg;
            if (bits)
                return bits;
        }
    }
    return 0;
}

static const bx_choice *chosen(const bx_member *m)
{
    return &m->choice[m->chosen];
}

static bool goes_with_those_before(bx_member *const *members, size_t i)
{
    uint16_t reg;
    for (size_t j = 0; j < i; j++)
        if (apart(chosen(members[j]), chosen(members[i]), &reg))
            return false;
    return true;
}

static bool find_places(bx_member *const *members, size_t n, size_t i)
{
    if (i == n)
        return true;
    bx_member *m = members[i];
    for (m->chosen = 0; m->chosen < m->choices; m->chosen++)
        if (goes_with_those_before(members, i) && find_places(members, n, i + 1))
            return true;
    return false;
}

static bool find_counters(bx_member *const *members, size_t n)
{
    uint32_t can[BX_MATCH_COUNTERS] = {0};
    uint8_t counter[BX_MATCH_COUNTERS];
    uint16_t pass[BX_MATCH_COUNTERS];
    size_t counted = 0;
    for (size_t i = 0; i < n; i++) {
        if (!members[i]->can)
            continue;
        if (counted == BX_MATCH_COUNTERS)
            return false;
        can[counted++] = members[i]->can;
    }
    if (bx_match(can, counted, counter, pass) > 1)
        return false;
    counted = 0;
    for (size_t i = 0; i < n; i++)
        if (members[i]->can)
            members[i]->counter = counter[counted++];
    return true;
}

bool bx_together(bx_member *const *members, size_t n)
{
    return find_counters(members, n) && find_places(members, n, 0);
}

/* Of all ways to put two members, the one in which least is apart: what is left is what no choice
 * of places avoids. */
static uint64_t always_apart(const bx_member *a, const bx_member *b, uint16_t *reg)
{
    uint64_t least = 0;
    for (unsigned i = 0; i < a->choices; i++) {
        for (unsigned j = 0; j < b->choices; j++) {
            uint16_t at;
            uint64_t bits = apart(&a->choice[i], &b->choice[j], &at);
            if (!bits)
                return 0;
            if (least && __builtin_popcountll(bits) >= __builtin_popcountll(least))
                continue;
            least = bits;
            *reg = at;
        }
    }
    return least;
}

bx_clash bx_clash_of(bx_member *const *members, size_t n)
{
    bx_clash clash = {.cause = BX_CAUSE_REGISTER};
    for (clash.b = 1; clash.b < n; clash.b++) {
        for (clash.a = 0; clash.a < clash.b; clash.a++) {
            clash.bits = always_apart(members[clash.a], members[clash.b], &clash.reg);
            if (clash.bits)
                return clash;
        }
    }
    clash.cause = BX_CAUSE_COUNTERS;
    clash.a = 0;
    for (clash.b = 0; clash.b < n; clash.b++) {
        if (!find_counters(members, clash.b + 1))
            return clash;
        if (!find_places(members, clash.b + 1, 0))
            break;
    }
    clash.cause = BX_CAUSE_PLACES;
    return clash;
}

/* Tests whether members of a box can count at the same time. */
#include "schedule/compatible.h"
#include "schedule/match.h"

/* Counters and places are independent: any counter can count events of any place. */

/* The bits of *reg in which the requirements of two alternatives differ. 0: they are compatible. */
static uint64_t conflicting_bits(const bx_requirement *a, const bx_requirement *b, uint16_t *reg)
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

static const bx_requirement *chosen(const bx_member *m)
{
    return &m->alternative[m->chosen];
}

static bool compatible_with_earlier(bx_member *const *members, size_t i)
{
    uint16_t reg;
    if (chosen(members[i])->n == 0)
        return true;
    for (size_t j = 0; j < i; j++)
        if (conflicting_bits(chosen(members[j]), chosen(members[i]), &reg))
            return false;
    return true;
}

static bool find_places(bx_member *const *members, size_t n, size_t i)
{
    if (i == n)
        return true;
    bx_member *m = members[i];
    for (m->chosen = 0; m->chosen < m->alternatives; m->chosen++)
        if (compatible_with_earlier(members, i) && find_places(members, n, i + 1))
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

bool bx_compatible(bx_member *const *members, size_t n)
{
    return find_counters(members, n) && find_places(members, n, 0);
}

/* The smallest conflict of two members over all pairs of their places. A choice of places cannot
 * avoid it. */
static uint64_t unavoidable_conflict(const bx_member *a, const bx_member *b, uint16_t *reg)
{
    uint64_t least = 0;
    for (unsigned i = 0; i < a->alternatives; i++) {
        for (unsigned j = 0; j < b->alternatives; j++) {
            uint16_t at;
            uint64_t bits = conflicting_bits(&a->alternative[i], &b->alternative[j], &at);
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

bx_conflict bx_find_conflict(bx_member *const *members, size_t n)
{
    bx_conflict conflict = {.cause = BX_CONFLICT_REGISTER};
    for (conflict.b = 1; conflict.b < n; conflict.b++) {
        for (conflict.a = 0; conflict.a < conflict.b; conflict.a++) {
            conflict.bits =
                unavoidable_conflict(members[conflict.a], members[conflict.b], &conflict.reg);
            if (conflict.bits)
                return conflict;
        }
    }
    conflict.cause = BX_CONFLICT_COUNTERS;
    conflict.a = 0;
    for (conflict.b = 0; conflict.b < n; conflict.b++) {
        if (!find_counters(members, conflict.b + 1))
            return conflict;
        if (!find_places(members, conflict.b + 1, 0))
            break;
    }
    conflict.cause = BX_CONFLICT_PLACES;
    return conflict;
}

/* LRU: the way used least recently. The state has a byte for each way: how many ways of the set
 * were used after it. Eight ways are compared at once, as the bytes of a word. */
#include "model/part/replacement.h"

#include <string.h>

enum { AT_ONCE = 8 };
#define ONES  UINT64_C(0x0101010101010101)
#define HIGHS UINT64_C(0x8080808080808080)

static unsigned lru_bits(unsigned ways)
{
    return (ways + AT_ONCE - 1) / AT_ONCE * 64;
}

/* Bytes without a way are never the smaller ones. */
static void lru_power_on(const struct bx_replacement *r, uint8_t *set)
{
    memset(set, 0xff, r->bytes);
    for (unsigned way = 0; way < r->ways; way++)
        set[way] = (uint8_t)way;
}

/* The ways used after `way` until now count one more. */
static void lru_use(const struct bx_replacement *r, uint8_t *set, unsigned way, bool fill)
{
    uint64_t after = set[way] * ONES;

    (void)fill;
    for (unsigned i = 0; i < r->bytes; i += AT_ONCE) {
        uint64_t of;
        memcpy(&of, set + i, AT_ONCE);
        of += (~((of | HIGHS) - after) & HIGHS) >> 7;
        memcpy(set + i, &of, AT_ONCE);
    }
    set[way] = 0;
}

static unsigned lru_victim(const struct bx_replacement *r, const uint8_t *set)
{
    for (unsigned i = 0; i < r->bytes; i += AT_ONCE) {
        uint64_t of;
        memcpy(&of, set + i, AT_ONCE);
        of ^= (r->ways - 1) * ONES; /* zero: the way that all others were used after */
        uint64_t zero = (of - ONES) & ~of & HIGHS;
        if (zero)
            return i + (unsigned)__builtin_ctzll(zero) / 8;
    }
    return 0;
}

const struct bx_policy bx_policy_lru = {
    .name = "LRU",
    .bits = lru_bits,
    .power_on = lru_power_on,
    .use = lru_use,
    .victim = lru_victim,
    .settles = true,
};

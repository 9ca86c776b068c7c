/* MRU (uops.info/cache.html: Nehalem's last-level cache): each way has a bit, set while it was not
 * used recently. When all bits have become clear, all others are set. */
#include "model/part/replacement_state.h"

static unsigned mru_bits(unsigned ways)
{
    return ways;
}

static void mru_power_on(const struct bx_replacement *r, uint8_t *set)
{
    bx_state_put(r, set, bx_all_ways(r));
}

static void mru_use(const struct bx_replacement *r, uint8_t *set, unsigned way, bool fill)
{
    uint64_t used = UINT64_C(1) << way, unused = bx_state_of(r, set) & ~used;

    (void)fill;
    bx_state_put(r, set, unused ? unused : bx_all_ways(r) & ~used);
}

static unsigned mru_victim(const struct bx_replacement *r, const uint8_t *set)
{
    uint64_t unused = bx_state_of(r, set);

    return unused ? (unsigned)__builtin_ctzll(unused) : 0;
}

const struct bx_policy bx_policy_mru = {
    .name = "MRU",
    .bits = mru_bits,
    .power_on = mru_power_on,
    .use = mru_use,
    .victim = mru_victim,
    .settles = true,
};

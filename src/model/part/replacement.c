/* The table of policies, and the tables of those whose state is a byte. */
#include "model/part/replacement.h"

#include <stddef.h>
#include <string.h>

#define ADDRESS(id, name) &bx_policy_##id,
static const struct bx_policy *const policies[] = {BX_POLICIES(ADDRESS)};

const struct bx_policy *bx_policy_at(uint64_t number)
{
    return number - 1 < sizeof policies / sizeof *policies ? policies[number - 1] : NULL;
}

static void tabulate(struct bx_replacement *r, unsigned states)
{
    for (unsigned state = 0; state < states; state++) {
        uint8_t set = (uint8_t)state;
        r->victim[state] = (uint8_t)r->policy->victim(r, &set);
        for (unsigned way = 0; way < r->ways; way++)
            for (unsigned fill = 0; fill < 2; fill++) {
                set = (uint8_t)state;
                r->policy->use(r, &set, way, fill);
                r->next[fill][state * BX_REPLACEMENT_TABULATED + way] = set;
            }
    }
}

bool bx_replacement_make(struct bx_replacement *r, const struct bx_policy *policy, unsigned ways)
{
    unsigned bits = ways && ways <= BX_WAYS_MOST ? policy->bits(ways) : BX_NO_SUCH_SET;

    if (bits == BX_NO_SUCH_SET)
        return false;
    *r = (struct bx_replacement){.policy = policy,
                                 .ways = ways,
                                 .bytes = bits <= 8 ? 1 : (bits + 63) / 64 * 8,
                                 .tabulated = bits <= 8 && ways <= BX_REPLACEMENT_TABULATED};
    if (r->tabulated)
        tabulate(r, 1u << bits);
    return true;
}

void bx_replacement_power_on(const struct bx_replacement *r, uint8_t *set)
{
    memset(set, 0, r->bytes);
    if (r->policy->power_on)
        r->policy->power_on(r, set);
}

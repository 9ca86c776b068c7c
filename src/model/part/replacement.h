/* Replacement: which way of a set a fill takes. A policy is a few functions on the state of one
 * set, and a row of catalog/policies.h. All stores of tags use these policies.
 *
 * State that fits a byte is tabulated, so the policies' functions need not be fast for it. */
#ifndef BX_MODEL_PART_REPLACEMENT_H
#define BX_MODEL_PART_REPLACEMENT_H

#include "catalog/policies.h"

#include <stdbool.h>
#include <stdint.h>

enum {
    BX_WAYS_MOST = 32, /* of a set */
    BX_NO_SUCH_SET = 9999,
    BX_REPLACEMENT_TABULATED = 8 /* most ways of a set whose state is a byte */
};

struct bx_replacement;
struct bx_qlru;

/* Ways are numbered from 0. A set's state is all zeros before `power_on`. */
struct bx_policy {
    const char *name; /* its name in catalog/policies.h */
    /* Bits of state of a set; BX_NO_SUCH_SET: there are no sets of so many ways. */
    unsigned (*bits)(unsigned ways);
    void (*power_on)(const struct bx_replacement *r, uint8_t *set); /* NULL: zeros are right */
    /* A way is hit or filled. */
    void (*use)(const struct bx_replacement *r, uint8_t *set, unsigned way, bool fill);
    /* A way becomes empty. NULL: that changes nothing. */
    void (*empty)(const struct bx_replacement *r, uint8_t *set, unsigned way);
    unsigned (*victim)(const struct bx_replacement *r, const uint8_t *set); /* of a full set */
    bool takes_highest; /* a fill takes the highest empty way, otherwise the lowest */
    bool settles;       /* after a hit or fill, a hit of the same way changes nothing */
    const struct bx_qlru *qlru;
};

/* A policy for sets of so many ways. It belongs to the machine whose caches use it. */
struct bx_replacement {
    const struct bx_policy *policy;
    unsigned ways;
    unsigned bytes; /* of a set's state: 1, or a multiple of 8 */
    bool tabulated; /* if bytes is 1: */
    uint8_t victim[256];
    uint8_t next[2][256 * BX_REPLACEMENT_TABULATED]; /* [fill][state * 8 + way]: the next state */
};

#define BX_POLICY_DECLARE(id, name) extern const struct bx_policy bx_policy_##id;
BX_POLICIES(BX_POLICY_DECLARE)
#undef BX_POLICY_DECLARE

/* The policies by their numbers from 1 (catalog/policies.h); NULL: there is no such policy. */
const struct bx_policy *bx_policy_at(uint64_t number);

/* false: the policy has no sets of so many ways. */
bool bx_replacement_make(struct bx_replacement *r, const struct bx_policy *policy, unsigned ways);

/* The state of an empty set. */
void bx_replacement_power_on(const struct bx_replacement *r, uint8_t *set);

static inline void bx_replacement_use(const struct bx_replacement *r, uint8_t *set, unsigned way,
                                      bool fill)
{
    if (r->tabulated)
        *set = r->next[fill][*set * BX_REPLACEMENT_TABULATED + way];
    else
        r->policy->use(r, set, way, fill);
}

static inline void bx_replacement_empty(const struct bx_replacement *r, uint8_t *set, unsigned way)
{
    if (r->policy->empty)
        r->policy->empty(r, set, way);
}

/* The way that a fill takes. empty: a mask of the empty ways. */
static inline unsigned bx_replacement_choose(const struct bx_replacement *r, const uint8_t *set,
                                             uint32_t empty)
{
    if (empty)
        return r->policy->takes_highest ? 31u - (unsigned)__builtin_clz(empty)
                                        : (unsigned)__builtin_ctz(empty);
    return r->tabulated ? r->victim[*set] : r->policy->victim(r, set);
}

#endif

/* The caches of the server machines: lookup, ages and choice of victims. */
#include "model/server/lru.h"

#include <stdlib.h>

enum { QLRU_OLDEST = 3, QLRU_NEW = 1, MRU_UNUSED = 1 };

bool bx_lru_power_on(struct bx_lru *c, unsigned sets, unsigned ways, enum bx_policy policy)
{
    static const uint8_t first[] = {[BX_POLICY_QLRU] = QLRU_OLDEST, [BX_POLICY_MRU] = MRU_UNUSED};

    *c = (struct bx_lru){.sets = sets, .ways = ways, .policy = policy};
    c->way = calloc((size_t)sets * ways, sizeof *c->way);
    for (size_t i = 0; c->way && bx_lru_has_ages(c) && i < (size_t)sets * ways; i++)
        c->way[i].used = first[policy];
    return c->way;
}

void bx_lru_free(struct bx_lru *c)
{
    free(c->way);
    c->way = NULL;
}

static struct bx_lru_way *set_of(const struct bx_lru *c, uint64_t line)
{
    return c->way + (line & (c->sets - 1)) * c->ways;
}

struct bx_lru_way *bx_lru_find(const struct bx_lru *c, uint64_t line)
{
    struct bx_lru_way *at = set_of(c, line), *end = at + c->ways;

    for (; at < end; at += BX_LRU_AT_ONCE)
        for (unsigned w = 0; w < BX_LRU_AT_ONCE; w++)
            if (at[w].line == line && at[w].state != BX_LINE_I)
                return &at[w];
    return NULL;
}

/* ---- ages ---- */

static bool any_of_age(const struct bx_lru *c, const struct bx_lru_way *set, unsigned age)
{
    for (unsigned w = 0; w < c->ways; w++)
        if (set[w].used == age)
            return true;
    return false;
}

/* Hits H11, fills M1. U2: if no way has the largest age, all ages grow by 1. */
static void age_qlru(const struct bx_lru *c, struct bx_lru_way *set, struct bx_lru_way *way,
                     bool filled)
{
    way->used = filled || way->used > 1 ? QLRU_NEW : 0;
    if (any_of_age(c, set, QLRU_OLDEST))
        return;
    for (unsigned w = 0; w < c->ways; w++)
        set[w].used++;
}

static void age_mru(const struct bx_lru *c, struct bx_lru_way *set, struct bx_lru_way *way)
{
    way->used = 0;
    if (any_of_age(c, set, MRU_UNUSED))
        return;
    for (unsigned w = 0; w < c->ways; w++)
        set[w].used = &set[w] != way;
}

void bx_lru_age(const struct bx_lru *c, struct bx_lru_way *way, bool filled)
{
    struct bx_lru_way *set = set_of(c, way->line);

    if (c->policy == BX_POLICY_QLRU)
        age_qlru(c, set, way, filled);
    else
        age_mru(c, set, way);
}

/* ---- the way to replace ---- */

/* The time of the last use of any of these ways. */
static uint64_t last_use(const struct bx_lru_way *way, unsigned ways)
{
    uint64_t last = 0;

    for (unsigned w = 0; w < ways; w++)
        last = way[w].used > last ? way[w].used : last;
    return last;
}

/* A node of the tree points to the half used less recently. The times of use give that, so no bits
 * are stored. */
static struct bx_lru_way *plru_victim(struct bx_lru_way *way, unsigned ways)
{
    for (unsigned half = ways / 2; half; half /= 2)
        if (last_use(way + half, half) < last_use(way, half))
            way += half;
    return way;
}

static bool goes_before(const struct bx_lru *c, const struct bx_lru_way *way,
                        const struct bx_lru_way *other)
{
    if (c->policy == BX_POLICY_QLRU) /* R1: the first way of age 3, otherwise the first way */
        return way->used == QLRU_OLDEST && other->used != QLRU_OLDEST;
    return c->policy == BX_POLICY_MRU ? way->used > other->used : way->used < other->used;
}

struct bx_lru_way *bx_lru_choose_way(const struct bx_lru *c, uint64_t line)
{
    struct bx_lru_way *set = set_of(c, line), *next = set;

    for (unsigned w = 0; w < c->ways; w++) {
        if (set[w].state == BX_LINE_I)
            return &set[w];
        if (goes_before(c, &set[w], next))
            next = &set[w];
    }
    return c->policy == BX_POLICY_PLRU ? plru_victim(set, c->ways) : next;
}

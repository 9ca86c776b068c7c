#include "model/server/lru.h"

#include <stdlib.h>

bool bx_lru_power_on(struct bx_lru *c, unsigned sets, unsigned ways)
{
    *c = (struct bx_lru){.sets = sets, .ways = ways};
    c->way = calloc((size_t)sets * ways, sizeof *c->way);
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
    struct bx_lru_way *set = set_of(c, line);

    for (unsigned w = 0; w < c->ways; w++)
        if (set[w].line == line && set[w].state != BX_MESIF_I)
            return &set[w];
    return NULL;
}

struct bx_lru_way *bx_lru_choose_way(const struct bx_lru *c, uint64_t line)
{
    struct bx_lru_way *set = set_of(c, line), *oldest = set;

    for (unsigned w = 0; w < c->ways; w++) {
        if (set[w].state == BX_MESIF_I)
            return &set[w];
        if (set[w].used < oldest->used)
            oldest = &set[w];
    }
    return oldest;
}

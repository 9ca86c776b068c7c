/* One cache of the P6 machine, with tree-PLRU. */
#include "machine.h"

static unsigned set_of(const struct p6_cache *c, uint64_t line)
{
    return (unsigned)(line % c->sets);
}

void p6_cache_empty(struct p6_cache *c)
{
    for (unsigned set = 0; set < c->sets; set++)
        for (unsigned way = 0; way < P6_WAYS; way++)
            c->copy[set][way].state = P6_I;
}

struct p6_copy *p6_find(struct p6_cache *c, uint64_t line)
{
    struct p6_copy *copy = c->copy[set_of(c, line)];

    for (unsigned way = 0; way < P6_WAYS; way++)
        if (copy[way].state != P6_I && copy[way].line == line)
            return &copy[way];
    return NULL;
}

enum p6_state p6_state_of(struct p6_cache *c, uint64_t line)
{
    const struct p6_copy *copy = p6_find(c, line);
    return copy ? copy->state : P6_I;
}

/* Bit 0 selects the half, bits 1 and 2 the way in the lower and the upper half. */
static void touch_way(struct p6_cache *c, unsigned set, unsigned way)
{
    bool upper_half = way >= 2, upper_way = way % 2;

    c->upper_next[set][0] = !upper_half;
    c->upper_next[set][upper_half ? 2 : 1] = !upper_way;
}

void p6_touch(struct p6_cache *c, uint64_t line)
{
    unsigned set = set_of(c, line);
    touch_way(c, set, (unsigned)(p6_find(c, line) - c->copy[set]));
}

void p6_drop(struct p6_cache *c, uint64_t line)
{
    struct p6_copy *copy = p6_find(c, line);
    if (copy)
        copy->state = P6_I;
}

static unsigned victim_way(const struct p6_cache *c, unsigned set)
{
    const bool *upper_next = c->upper_next[set];

    for (unsigned way = 0; way < P6_WAYS; way++)
        if (c->copy[set][way].state == P6_I)
            return way;
    return upper_next[0] ? 2 + upper_next[2] : upper_next[1];
}

struct p6_copy p6_fill(struct p6_cache *c, uint64_t line, enum p6_state state)
{
    unsigned set = set_of(c, line), way = victim_way(c, set);
    struct p6_copy victim = c->copy[set][way];

    c->copy[set][way] = (struct p6_copy){line, state};
    touch_way(c, set, way);
    return victim;
}

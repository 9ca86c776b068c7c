#include "model/private.h"

#include <string.h>

/* A copy with this tag is no longer what the key says. */
static inline void drop_key(struct bx_core *c, unsigned kind, unsigned set, uint32_t tag)
{
    uint32_t *key = &c->key[bx_key_at(kind, set)];
    if (*key == tag)
        *key = BX_NO_TAG;
}

static inline enum bx_response answer(struct bx_core *c, bool has_copy, bool dirty)
{
    if (!has_copy)
        return BX_SNOOP_MISS;
    c->snooped = true;
    return dirty ? BX_SNOOP_HITM : BX_SNOOP_HIT;
}

/* Of the ways in `found`, which are none or one. Returns whether it was dirty. */
static inline bool share(uint8_t *state, unsigned found)
{
    if (!found)
        return false;
    uint8_t *way = &state[bx_first_way(found)];
    bool dirty = *way == BX_LINE_M;

    *way = BX_LINE_S;
    return dirty;
}

enum bx_response bx_core_share(struct bx_core *c, uint64_t line)
{
    unsigned index = bx_l1_index(line);
    uint32_t tag = bx_l1_tag(line);
    struct bx_l2_set *l2 = bx_l2_set(c, line);
    unsigned in_l1d = bx_match8(c->l1d[index].tag, tag), in_l2 = bx_l2_match(l2, line);
    unsigned in_l1i = c->has_code ? bx_match8(c->l1i[index].tag, tag) : 0;
    bool dirty = share(c->l1d[index].state, in_l1d);

    dirty |= share(l2->state, in_l2);
    drop_key(c, BX_STORE, index, tag);
    return answer(c, (in_l1d | in_l1i | in_l2) != 0, dirty);
}

/* Empties the way in `found`, if there is one. Returns whether it was dirty. */
static inline bool lose(uint32_t *tag, uint8_t *state, uint8_t *invalid, unsigned found)
{
    if (!found)
        return false;
    unsigned way = bx_first_way(found);
    bool dirty = state[way] == BX_LINE_M;

    tag[way] = BX_NO_TAG;
    state[way] = BX_LINE_I;
    *invalid |= (uint8_t)found;
    return dirty;
}

enum bx_response bx_core_lose(struct bx_core *c, uint64_t line)
{
    unsigned index = bx_l1_index(line);
    uint32_t tag = bx_l1_tag(line);
    struct bx_l1_set *l1d = &c->l1d[index], *l1i = &c->l1i[index];
    struct bx_l2_set *l2 = bx_l2_set(c, line);
    unsigned in_l1d = bx_match8(l1d->tag, tag), in_l2 = bx_l2_match(l2, line);
    unsigned in_l1i = c->has_code ? bx_match8(l1i->tag, tag) : 0;

    if (!(in_l1d | in_l1i | in_l2)) /* the common case: it has long left */
        return BX_SNOOP_MISS;
    bool dirty = lose(l1d->tag, l1d->state, &l1d->invalid, in_l1d);
    dirty |= lose(l2->tag, l2->state, &l2->invalid, in_l2);
    lose(l1i->tag, l1i->state, &l1i->invalid, in_l1i);
    for (unsigned kind = BX_LOAD; kind <= BX_FETCH; kind++)
        drop_key(c, kind, index, tag);
    return answer(c, true, dirty);
}

static void l1_power_on(struct bx_l1_set *set)
{
    memset(set->tag, 0xff, sizeof set->tag);
    set->invalid = 0xff;
}

void bx_core_power_on(struct bx_core *c)
{
    memset(c, 0, sizeof *c);
    memset(c->key, 0xff, sizeof c->key);
    for (unsigned i = 0; i < BX_L1_SETS; i++) {
        l1_power_on(&c->l1d[i]);
        l1_power_on(&c->l1i[i]);
    }
    for (unsigned i = 0; i < BX_L2_SETS; i++) {
        memset(c->l2[i].tag, 0xff, sizeof c->l2[i].tag);
        c->l2[i].invalid = 0xf;
    }
}

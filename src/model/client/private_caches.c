/* Snoops and power-on of a core's private caches. */
#include "model/client/private_caches.h"

#include <string.h>

/* Removes a tag from the filter, because its copy has changed. */
static inline void drop_mru_tag(struct bx_client_core *c, unsigned kind, unsigned set, uint32_t tag)
{
    uint32_t *key = &c->mru_tag[bx_client_mru_index(kind, set)];
    if (*key == tag)
        *key = BX_NO_TAG;
}

/* share() and invalidate() change the copy in the way of `found`, a mask of one way or none. They
 * return whether the copy was dirty. */
static bool share(uint8_t *state, unsigned found)
{
    if (!found)
        return false;
    uint8_t *way = &state[bx_first_way(found)];
    bool dirty = *way == BX_LINE_M;

    *way = BX_LINE_S;
    return dirty;
}

static bool invalidate(uint32_t *tag, uint8_t *state, uint8_t *invalid, unsigned found)
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

enum bx_snoop_response bx_client_core_share_copies(struct bx_client_core *c, uint64_t line,
                                                   struct bx_client_copies at)
{
    unsigned index = bx_l1_index(line);
    bool dirty = share(c->l1d[index].state, at.l1d);

    dirty |= share(bx_l2_set(c, line)->state, at.l2);
    drop_mru_tag(c, BX_STORE, index, bx_l1_tag(line));
    c->snooped = true;
    return dirty ? BX_SNOOP_HITM : BX_SNOOP_HIT;
}

enum bx_snoop_response bx_client_core_invalidate_copies(struct bx_client_core *c, uint64_t line,
                                                        struct bx_client_copies at)
{
    unsigned index = bx_l1_index(line);
    struct bx_l1_set *l1d = &c->l1d[index], *l1i = &c->l1i[index];
    struct bx_l2_set *l2 = bx_l2_set(c, line);
    bool dirty = invalidate(l1d->tag, l1d->state, &l1d->invalid, at.l1d);

    dirty |= invalidate(l2->tag, l2->state, &l2->invalid, at.l2);
    invalidate(l1i->tag, l1i->state, &l1i->invalid, at.l1i);
    for (unsigned kind = BX_LOAD; kind <= BX_FETCH; kind++)
        drop_mru_tag(c, kind, index, bx_l1_tag(line));
    c->snooped = true;
    return dirty ? BX_SNOOP_HITM : BX_SNOOP_HIT;
}

/* The filter is emptied instead of restored, which is always correct. */
void bx_client_core_restore(struct bx_client_core *c)
{
    bx_undo_restore(&c->undo);
    memset(c->mru_tag, 0xff, sizeof c->mru_tag);
}

static void l1_power_on(struct bx_l1_set *set)
{
    memset(set->tag, 0xff, sizeof set->tag);
    set->invalid = 0xff;
}

void bx_client_core_power_on(struct bx_client_core *c, const bx_policy4 *l2_policy)
{
    memset(c, 0, sizeof *c);
    memset(c->mru_tag, 0xff, sizeof c->mru_tag);
    c->l2_policy = l2_policy;
    for (unsigned i = 0; i < BX_L1_SETS; i++) {
        l1_power_on(&c->l1d[i]);
        l1_power_on(&c->l1i[i]);
    }
    for (unsigned i = 0; i < BX_L2_SETS; i++) {
        memset(c->l2[i].tag, 0xff, sizeof c->l2[i].tag);
        c->l2[i].invalid = 0xf;
        c->l2[i].policy = l2_policy->first;
    }
}

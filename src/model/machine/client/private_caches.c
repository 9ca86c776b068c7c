/* Snoops and power-on of a core's private caches. */
#include "model/machine/client/private_caches.h"

#include <stdlib.h>

/* share() and invalidate() change the copy in a cache, if there is one. They return whether it was
 * dirty. */
static bool share(const struct bx_cache *c, uint64_t line)
{
    struct bx_cache_way at = bx_cache_find(c, line);
    bool dirty = bx_cache_state(c, at) == BX_LINE_M;

    if (bx_cache_found(at))
        bx_cache_set_state(c, at, BX_LINE_S);
    return dirty;
}

static bool invalidate(const struct bx_cache *c, uint64_t line)
{
    struct bx_cache_way at = bx_cache_find(c, line);
    bool dirty = bx_cache_state(c, at) == BX_LINE_M;

    if (bx_cache_found(at))
        bx_cache_drop(c, at);
    return dirty;
}

enum bx_snoop_response bx_client_core_share_copies(struct bx_client_core *c, uint64_t line)
{
    bool dirty = share(&c->l1d, line);

    dirty |= share(&c->l2, line);
    bx_last_lines_forget(&c->last, BX_STORE, line);
    c->snooped = true;
    return dirty ? BX_SNOOP_HITM : BX_SNOOP_HIT;
}

enum bx_snoop_response bx_client_core_invalidate_copies(struct bx_client_core *c, uint64_t line)
{
    bool dirty = invalidate(&c->l1d, line);

    dirty |= invalidate(&c->l2, line);
    invalidate(&c->l1i, line);
    bx_last_lines_forget_all(&c->last, line);
    c->snooped = true;
    return dirty ? BX_SNOOP_HITM : BX_SNOOP_HIT;
}

/* The filter is emptied instead of restored, which is always correct. */
void bx_client_core_restore(struct bx_client_core *c)
{
    bx_undo_restore(&c->undo);
    bx_last_lines_clear(&c->last);
}

/* ---- power-on ---- */

struct bx_client_core *bx_client_core_new(const struct bx_core_caches *caches)
{
    void *room;

    if (posix_memalign(&room, _Alignof(struct bx_client_core), sizeof(struct bx_client_core)) != 0)
        return NULL;
    struct bx_client_core *c = memset(room, 0, sizeof *c);
    bx_last_lines_clear(&c->last);
    if (bx_core_cache_power_on(&c->l1d, caches, BX_CORE_L1D) &&
        bx_core_cache_power_on(&c->l1i, caches, BX_CORE_L1I) &&
        bx_core_cache_power_on(&c->l2, caches, BX_CORE_L2))
        return c;
    bx_client_core_free(c);
    return NULL;
}

void bx_client_core_free(struct bx_client_core *c)
{
    if (!c)
        return;
    bx_cache_free(&c->l1d);
    bx_cache_free(&c->l1i);
    bx_cache_free(&c->l2);
    free(c);
}

/* The sizes and policies of the private caches of a machine's cores. */
#ifndef BX_MODEL_PART_CORE_CACHES_H
#define BX_MODEL_PART_CORE_CACHES_H

#include "model/engine/shape.h"
#include "model/part/cache.h"

#include <boxscore/boxscore.h>

enum bx_core_cache { BX_CORE_L1D, BX_CORE_L1I, BX_CORE_L2, BX_CORE_CACHES };

struct bx_core_caches {
    struct bx_replacement replacement[BX_CORE_CACHES];
    uint32_t sets[BX_CORE_CACHES];
};

/* A machine's own sizes, which are used where the shape gives none, and its policies. */
struct bx_core_caches_kind {
    bx_model_cache own[BX_CORE_CACHES];
    const struct bx_policy *policy[BX_CORE_CACHES];
};

/* Returns BX_OK, or BX_BAD_INPUT and *e: there is no such cache. */
int bx_core_caches_make(struct bx_core_caches *caches, const struct bx_core_caches_kind *kind,
                        const bx_model_shape *shape, bx_error *e);

/* Makes one of the caches of a core. `caches` must stay as long as it. false: out of memory. */
bool bx_core_cache_power_on(struct bx_cache *c, const struct bx_core_caches *caches,
                            enum bx_core_cache which);

#endif

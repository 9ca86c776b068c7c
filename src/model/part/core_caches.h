/* The sizes, policies and rules of the private caches of a machine's cores. */
#ifndef BX_MODEL_PART_CORE_CACHES_H
#define BX_MODEL_PART_CORE_CACHES_H

#include "model/engine/shape.h"
#include "model/part/cache.h"

#include <boxscore/boxscore.h>

enum { BX_CORE_LEVELS = 2 /* most levels behind L1 */ };
enum bx_core_cache {
    BX_CORE_L1D,
    BX_CORE_L1I,
    BX_CORE_L2,
    BX_CORE_CACHES = BX_CORE_L2 + BX_CORE_LEVELS
};

struct bx_core_caches {
    struct bx_replacement replacement[BX_CORE_CACHES];
    uint32_t sets[BX_CORE_CACHES]; /* 0: there is no such level */
    uint8_t inclusion[BX_CORE_CACHES];
    struct bx_replacement llc;
    unsigned line_shift; /* a line has 2^line_shift bytes */
    const struct bx_core_caches_kind *kind;
};

/* A machine's own caches, which are used where the shape gives nothing else, and its policies and
 * rules. An L3 that only the shape gives has those of L2: docs/explanation/model.md, "Private
 * caches". */
struct bx_core_caches_kind {
    uint32_t line_bytes;
    bx_model_cache own[BX_CORE_CACHES]; /* of 0 bytes: there is no such level */
    const struct bx_policy *policy[BX_CORE_CACHES], *llc_policy;
    /* With replacement=on, where that differs: as measured. */
    const struct bx_policy *measured[BX_CORE_CACHES], *llc_measured;
    unsigned llc_ways;         /* 0: there is no LLC */
    bool moves_modified;       /* L1D takes over that a line is modified; otherwise L2 stays M */
    bool share_drops_modified; /* a snoop that shares a line takes it from L1D if modified there */
    bool tells_victims;        /* also of clean victims */
    bool
        llc_prefetches; /* the streamer's fill only the LLC while most of the super queue is busy */
};

/* The ways of a slice of the LLC; 0: there is no LLC. */
unsigned bx_llc_ways_of(const struct bx_core_caches_kind *kind, const bx_model_shape *shape);

/* `kind` must stay as long as the caches. Returns BX_OK, or BX_BAD_INPUT and *e: there is no such
 * cache. */
int bx_core_caches_make(struct bx_core_caches *caches, const struct bx_core_caches_kind *kind,
                        const bx_model_shape *shape, bx_error *e);

/* The bytes of a line of such a machine. */
static inline uint32_t bx_line_bytes_of(const struct bx_core_caches_kind *kind,
                                        const bx_model_shape *shape)
{
    return shape->line_bytes ? shape->line_bytes : kind->line_bytes;
}

/* Makes one of the caches of a core. `caches` must stay as long as it. */
void bx_core_cache_power_on(struct bx_cache *c, bx_arena *memory,
                            const struct bx_core_caches *caches, enum bx_core_cache which);

#endif

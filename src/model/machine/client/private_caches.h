/* A core's private caches: L1D, L1I and L2, with a filter in front of L1. */
#ifndef BX_MODEL_MACHINE_CLIENT_PRIVATE_CACHES_H
#define BX_MODEL_MACHINE_CLIENT_PRIVATE_CACHES_H

#include "model/machine/client/counts.h"
#include "model/engine/core_counts.h"
#include "model/part/super_queue.h"
#include "model/part/core_caches.h"
#include "model/part/last_lines.h"

struct bx_client_core {
    struct bx_last_lines last;
    struct bx_cache l1d, l1i, l2;
    uint8_t l2_cycles[2];    /* cycles of a hit: usually; if the access is dependent */
    uint8_t no_copy;         /* writes to copies that L2 does not have go there */
    bool has_code;           /* L1I has been filled at least once */
    bool snooped;            /* a snoop has found a copy since this flag was cleared */
    uint8_t prefetchers_off; /* one bit for each enum bx_prefetcher */
    struct bx_super_queue super_queue;
    struct bx_super_queue llc_queue; /* lines prefetched into the LLC only */
    struct bx_core_counts *counts;   /* of the core's agent */
    struct bx_undo undo;             /* for private accesses */
};

/* The caches must stay as long as the core. NULL: out of memory. */
struct bx_client_core *bx_client_core_new(const struct bx_core_caches *caches);
void bx_client_core_free(struct bx_client_core *c); /* NULL is fine */

/* Undoes the private accesses saved in c->undo. */
void bx_client_core_restore(struct bx_client_core *c);

/* A snoop of a core that has the line. A reader shares the copies; a writer or an eviction
 * invalidates them. Return HIT or HITM. */
enum bx_snoop_response bx_client_core_share_copies(struct bx_client_core *c, uint64_t line);
enum bx_snoop_response bx_client_core_invalidate_copies(struct bx_client_core *c, uint64_t line);

/* Whether the core has a copy of the line. Most snoops find none. */
static inline bool bx_client_core_has(const struct bx_client_core *c, uint64_t line)
{
    int copies = bx_cache_has(&c->l1d, line); /* both without a branch */
    copies |= bx_cache_has(&c->l2, line);
    return copies || (c->has_code && bx_cache_has(&c->l1i, line));
}

static inline void bx_l1i_fill(struct bx_client_core *c, uint64_t line)
{
    bx_cache_put(&c->l1i, bx_cache_choose(&c->l1i, line), line, BX_LINE_E);
    bx_last_lines_fetch(&c->last, line);
    c->has_code = true;
}

#endif

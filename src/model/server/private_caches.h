/* The private caches of one core: L1D, L1I and L2, with lines of 64 bytes. Private accesses are
 * executed here. The core's machine sends all other accesses to its uncore. */
#ifndef BX_MODEL_SERVER_PRIVATE_CACHES_H
#define BX_MODEL_SERVER_PRIVATE_CACHES_H

#include "model/part/core_caches.h"
#include "model/part/last_lines.h"
#include "model/engine/core_counts.h"
#include "model/engine/kind.h"
#include "model/part/super_queue.h"

struct bx_server_caches {
    struct bx_last_lines last;
    struct bx_cache l1d, l1i, l2;
    uint8_t l2_hit, l2_wait; /* cycles of an L2 hit: usually; if the access is dependent */
    uint8_t prefetchers_off; /* one bit for each enum bx_prefetcher */
    struct bx_super_queue super_queue;
    struct bx_core_counts *counts; /* of the core's agent */
    struct bx_undo undo;           /* for private accesses */
};

enum bx_server_core_response {
    BX_SERVER_CORE_NOT_SNOOPED,
    BX_SERVER_CORE_MISS,
    BX_SERVER_CORE_CLEAN,
    BX_SERVER_CORE_DIRTY
};

/* The caches must stay as long as p. false: out of memory. Call bx_server_caches_free() in both
 * cases. */
bool bx_server_caches_power_on(struct bx_server_caches *p, const struct bx_core_caches *caches,
                               const bx_model_times *times);
void bx_server_caches_free(struct bx_server_caches *p);

static inline unsigned bx_server_access_kind(bx_access a)
{
    return (unsigned)a & 3;
}

/* Whether any of the caches has the line. */
bool bx_server_caches_have(const struct bx_server_caches *p, uint64_t line);

/* Snoops a core: its copies of the line become S or, with `invalidate`, I. */
enum bx_server_core_response bx_server_caches_snoop(struct bx_server_caches *p, uint64_t line,
                                                    bool invalidate);

/* Undoes the private accesses saved in p->undo. */
void bx_server_caches_restore(struct bx_server_caches *p);

enum { BX_SERVER_UNCORE = -1, BX_SERVER_LOCK = -2 };

/* Executes an access at t if it is private. Returns its cycles, or one of these. BX_SERVER_UNCORE:
 * the access needs the uncore or waits for a prefetch, or a prefetch is to be requested.
 * BX_SERVER_LOCK: a locked operation begins. With t = BX_NEVER no access waits for a prefetch. */
int bx_server_caches_access(struct bx_server_caches *p, bx_access a, uint64_t t);

/* Of an access that is not private at t: when the line that it waits for arrives. 0: it waits for
 * no line. */
uint64_t bx_server_caches_wait(const struct bx_server_caches *p, bx_access a, uint64_t t);

/* The source of a line that the package's LLC has. response: of the snooped core. */
enum bx_core_count bx_server_source(enum bx_server_core_response response);

/* Count a request that L2 has not served, before its line is filled. The first function is for
 * accesses, the second for prefetches. from: one of BX_CORE_FROM_*. */
void bx_server_count_request(struct bx_server_caches *p, bx_access a, enum bx_core_count from);
void bx_server_count_prefetch(struct bx_server_caches *p, enum bx_core_count from);

/* A victim of L2. If it is modified, it must be written back to the uncore. */
struct bx_server_l2_victim {
    bool dirty;  /* the victim is modified */
    bool in_l1d; /* L1D still has the line, in a clean state */
    uint64_t line;
};

/* Fills the line of an access in the granted state: S, E or, for a store, M. */
struct bx_server_l2_victim bx_server_caches_fill(struct bx_server_caches *p, bx_access a,
                                                 enum bx_line_state granted);

/* The same for a prefetch that was requested at t, into L2 only. The line arrives at `done`. */
struct bx_server_l2_victim bx_server_caches_prefetch(struct bx_server_caches *p, bx_access a,
                                                     enum bx_line_state granted, uint64_t t,
                                                     uint64_t done);

#endif

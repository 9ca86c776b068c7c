/* The core-valid bits of an LLC's lines as a directory: which cores a request snoops, and what
 * their answers change. Each machine says what a snoop does and counts. */
#ifndef BX_MODEL_PART_DIRECTORY_H
#define BX_MODEL_PART_DIRECTORY_H

#include "model/engine/shape.h"
#include "model/part/private_caches.h"

enum { BX_DIRECTORY_NOBODY = 15 /* a number that no core has */ };

/* Snoops a core for a line. of: of the caller. */
typedef enum bx_snoop_response bx_snoop_core(void *of, unsigned core, bool invalidate);

/* Invalidates the line in every core whose bit is set, except `self`. Returns the best response. If
 * a core's copy was modified, the LLC's line becomes M. */
static inline __attribute__((always_inline)) enum bx_snoop_response
bx_directory_invalidate(const struct bx_cache *llc, struct bx_cache_way way, unsigned self,
                        bx_snoop_core *snoop, void *of)
{
    enum bx_snoop_response best = BX_NOT_SNOOPED;
    uint16_t *cores = bx_cache_cores(llc, way);
    unsigned own_bit = *cores & 1u << self;

    for (unsigned rest = *cores & ~own_bit; rest; rest &= rest - 1) {
        enum bx_snoop_response response = snoop(of, bx_first_way(rest), true);
        best = response > best ? response : best;
    }
    *cores = (uint16_t)own_bit;
    if (best == BX_SNOOP_HITM)
        bx_cache_set_state(llc, way, BX_LINE_M);
    return best;
}

/* Snoops a core to share the line, if exactly one core other than `self` has its bit set and the
 * line is in E or M: with more bits all copies are clean. */
static inline __attribute__((always_inline)) enum bx_snoop_response
bx_directory_share(const struct bx_cache *llc, struct bx_cache_way way, unsigned self,
                   bx_snoop_core *snoop, void *of)
{
    uint16_t *cores = bx_cache_cores(llc, way);
    unsigned others = *cores & ~(1u << self);
    enum bx_line_state state = bx_cache_state_of_line(llc, way);

    if (!others || others & (others - 1) || (state != BX_LINE_E && state != BX_LINE_M))
        return BX_NOT_SNOOPED;
    enum bx_snoop_response response = snoop(of, bx_first_way(others), false);
    if (response == BX_SNOOP_MISS)
        *cores &= (uint16_t)~others;
    if (response == BX_SNOOP_HITM)
        bx_cache_set_state(llc, way, BX_LINE_M);
    return response;
}

/* One of the two. */
static inline __attribute__((always_inline)) enum bx_snoop_response
bx_directory_snoop(const struct bx_cache *llc, struct bx_cache_way way, unsigned self,
                   bool invalidate, bx_snoop_core *snoop, void *of)
{
    return invalidate ? bx_directory_invalidate(llc, way, self, snoop, of)
                      : bx_directory_share(llc, way, self, snoop, of);
}

/* Cycles that a snoop of cores adds. */
static inline uint64_t bx_snoop_cycles(const bx_model_times *times, enum bx_snoop_response best)
{
    return best == BX_SNOOP_HITM    ? times->snoop_dirty
           : best != BX_NOT_SNOOPED ? times->snoop_clean
                                    : 0;
}

#endif

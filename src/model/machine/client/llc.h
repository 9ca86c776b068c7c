/* The last-level cache: inclusive, with slices chosen by a hash of the address, and a core-valid
 * bit for each core. This file does not depend on the cores; core.c, device.c and uncore.h send
 * snoops. */
#ifndef BX_MODEL_MACHINE_CLIENT_LLC_H
#define BX_MODEL_MACHINE_CLIENT_LLC_H

#include "model/machine/client/counts.h"
#include "model/part/cache.h"

enum {
    BX_CLIENT_LLC_WAYS = 16,
    BX_CLIENT_LLC_SET_BITS_MIN = 6,
    BX_CLIENT_LLC_SET_BITS_MAX = 20,
};

struct bx_client_llc {
    struct bx_cache slice[BX_CLIENT_SLICES];
    uint32_t hash[2]; /* bit k of the slice is the parity of line & hash[k] */
    unsigned slices;
};

/* A line of the LLC, or where it would be. */
struct bx_client_llc_line {
    const struct bx_cache *cache; /* the slice */
    struct bx_cache_way way;
    unsigned slice;
};

/* The sizes must have passed bx_client_llc_shape_check(). false: out of memory. */
bool bx_client_llc_power_on(struct bx_client_llc *llc, bx_arena *memory,
                            const struct bx_replacement *policy, unsigned slices, uint64_t bytes);

/* Returns BX_OK, or BX_BAD_INPUT and *e. */
int bx_client_llc_shape_check(unsigned slices, uint64_t bytes, bx_error *e);

static inline struct bx_client_llc_line bx_client_llc_find(const struct bx_client_llc *llc,
                                                           uint64_t line)
{
    unsigned slice = (unsigned)__builtin_parity((uint32_t)line & llc->hash[0]) |
                     (unsigned)__builtin_parity((uint32_t)line & llc->hash[1]) << 1;
    const struct bx_cache *cache = &llc->slice[slice];

    return (struct bx_client_llc_line){cache, bx_cache_find(cache, line), slice};
}

static inline bool bx_client_llc_has(struct bx_client_llc_line at)
{
    return bx_cache_found(at.way);
}

/* I: the LLC does not have the line. */
static inline enum bx_line_state bx_client_llc_state(struct bx_client_llc_line at)
{
    return bx_cache_state(at.cache, at.way);
}

/* The functions below are for a line that the LLC has. */

static inline void bx_client_llc_set_state(struct bx_client_llc_line at, enum bx_line_state state)
{
    bx_cache_set_state(at.cache, at.way, state);
}

static inline unsigned bx_client_llc_cores(struct bx_client_llc_line at)
{
    return *bx_cache_cores(at.cache, at.way);
}

static inline void bx_client_llc_set_cores(struct bx_client_llc_line at, unsigned cores)
{
    *bx_cache_cores(at.cache, at.way) = (uint16_t)cores;
}

#endif

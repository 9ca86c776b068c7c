/* The last-level cache: inclusive, with slices chosen by a hash of the address, and a core-valid
 * bit for each core. This file does not depend on the cores; core.c, device.c and uncore.h send
 * snoops. */
#ifndef BX_MODEL_MACHINE_CLIENT_LLC_H
#define BX_MODEL_MACHINE_CLIENT_LLC_H

#include "model/machine/client/counts.h"
#include "model/part/cache.h"

enum { BX_CLIENT_LLC_WAYS = 16 };

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

static inline struct bx_client_llc_line bx_client_llc_find(const struct bx_client_llc *llc,
                                                           uint64_t line)
{
    unsigned slice = (unsigned)__builtin_parity((uint32_t)line & llc->hash[0]) |
                     (unsigned)__builtin_parity((uint32_t)line & llc->hash[1]) << 1;
    const struct bx_cache *cache = &llc->slice[slice];

    return (struct bx_client_llc_line){cache, bx_cache_find(cache, line), slice};
}

#endif

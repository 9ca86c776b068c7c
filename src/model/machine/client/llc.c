/* The size of the last-level cache and its hash of addresses to slices. */
#include "model/machine/client/llc.h"

#include "base/error.h"

/* Masks over the physical address, o0 and o1 in Maurice et al., RAID 2015. */
static const uint64_t address_hash[2] = {0x1b5f575440, 0x2eb5faa880};

enum { LINE_BITS = 6, LINE_BYTES = 1 << LINE_BITS };

int bx_client_llc_shape_check(unsigned slices, uint64_t bytes, bx_error *e)
{
    if (slices != 1 && slices != 2 && slices != 4) {
        bx_fail(e, BX_BAD_INPUT, 0, 0, "a client machine has no %u LLC slices", slices);
        bx_hint(e, "1, 2 or 4");
        return BX_BAD_INPUT;
    }
    uint64_t per_set = (uint64_t)slices * BX_CLIENT_LLC_WAYS * LINE_BYTES, sets = bytes / per_set;
    if (bytes % per_set || sets & (sets - 1) || sets < 1u << BX_CLIENT_LLC_SET_BITS_MIN ||
        sets > 1u << BX_CLIENT_LLC_SET_BITS_MAX) {
        bx_fail(e, BX_BAD_INPUT, 0, 0, "an LLC of %llu bytes cannot be built from %u slices",
                (unsigned long long)bytes, slices);
        bx_hint(e, "a slice has 64K to 1G bytes, a power of two");
        return BX_BAD_INPUT;
    }
    return BX_OK;
}

bool bx_client_llc_power_on(struct bx_client_llc *llc, bx_arena *memory,
                            const struct bx_replacement *policy, unsigned slices, uint64_t bytes)
{
    struct bx_cache_geometry slice = {
        .sets = (uint32_t)(bytes / BX_CLIENT_LLC_WAYS / LINE_BYTES / slices),
        .replacement = policy,
        .tracks_cores = true,
    };

    llc->slices = slices;
    llc->hash[0] = slices > 1 ? (uint32_t)(address_hash[0] >> LINE_BITS) : 0;
    llc->hash[1] = slices > 2 ? (uint32_t)(address_hash[1] >> LINE_BITS) : 0;
    for (unsigned i = 0; i < slices; i++)
        if (!bx_cache_power_on(&llc->slice[i], memory, &slice))
            return false;
    return true;
}

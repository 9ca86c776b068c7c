/* The hash of addresses to slices of the last-level cache. */
#include "model/machine/client/llc.h"

/* Masks over the physical address, o0 and o1 in Maurice et al., RAID 2015. */
static const uint64_t address_hash[2] = {0x1b5f575440, 0x2eb5faa880};

enum { LINE_BITS = 6 };

void bx_client_llc_power_on(struct bx_client_llc *llc, unsigned slices)
{
    llc->slices = slices;
    llc->hash[0] = slices > 1 ? (uint32_t)(address_hash[0] >> LINE_BITS) : 0;
    llc->hash[1] = slices > 2 ? (uint32_t)(address_hash[1] >> LINE_BITS) : 0;
}

/* The last-level cache: inclusive, with slices chosen by a hash of the address, and a core-valid
 * bit for each core. This file does not depend on the cores; core.c, device.c and uncore.h send
 * snoops. */
#ifndef BX_MODEL_CLIENT_LLC_H
#define BX_MODEL_CLIENT_LLC_H

#include "model/client/counts.h"
#include "model/part/tag_match.h"
#include "model/engine/qlru.h"

enum {
    BX_CLIENT_LLC_WAYS = 16,
    BX_CLIENT_LLC_SET_BITS_MIN = 6, /* then tags of 37-bit line numbers stay below BX_NO_TAG */
    BX_CLIENT_LLC_SET_BITS_MAX = 20,
};

struct bx_client_llc_set {
    _Alignas(64) uint32_t tag[BX_CLIENT_LLC_WAYS]; /* line >> set_bits */
    uint8_t meta[BX_CLIENT_LLC_WAYS];              /* core-valid bits << 2 | enum bx_line_state */
    bx_qlru ages;
    uint16_t invalid;
};

struct bx_client_llc {
    struct bx_client_llc_set *set; /* [slices][1 << set_bits] */
    uint32_t hash[2];              /* bit k of the slice is the parity of line & hash[k] */
    unsigned slices, set_bits;
    uint64_t set_mask;
};

/* Where a line is if the LLC has it. */
struct bx_client_llc_location {
    struct bx_client_llc_set *set;
    uint32_t tag;
    unsigned slice;
};

/* The sizes must have passed bx_client_llc_shape_check(). false: out of memory. Call
 * bx_client_llc_free() in both cases. */
bool bx_client_llc_power_on(struct bx_client_llc *llc, unsigned slices, uint64_t bytes);
void bx_client_llc_free(struct bx_client_llc *llc);

/* Returns BX_OK, or BX_BAD_INPUT and *e. */
int bx_client_llc_shape_check(unsigned slices, uint64_t bytes, bx_error *e);

static inline unsigned bx_client_llc_state(uint8_t meta)
{
    return meta & 3;
}

static inline unsigned bx_client_llc_cores(uint8_t meta)
{
    return meta >> 2;
}

static inline uint8_t bx_client_llc_meta(unsigned cores, unsigned state)
{
    return (uint8_t)(cores << 2 | state);
}

static inline struct bx_client_llc_location bx_client_llc_locate(const struct bx_client_llc *llc,
                                                                 uint64_t line)
{
    unsigned slice = (unsigned)__builtin_parity((uint32_t)line & llc->hash[0]) |
                     (unsigned)__builtin_parity((uint32_t)line & llc->hash[1]) << 1;

    return (struct bx_client_llc_location){
        .set = &llc->set[(uint64_t)slice << llc->set_bits | (line & llc->set_mask)],
        .tag = (uint32_t)(line >> llc->set_bits),
        .slice = slice,
    };
}

/* A mask of the way that has the line; 0: the LLC does not have it. */
static inline unsigned bx_client_llc_find(struct bx_client_llc_location at)
{
    return bx_match16(at.set->tag, at.tag);
}

/* The line that is in another way of the set of `line`. */
static inline uint64_t bx_client_llc_line(const struct bx_client_llc *llc,
                                          struct bx_client_llc_location at, uint64_t line,
                                          unsigned way)
{
    return (uint64_t)at.set->tag[way] << llc->set_bits | (line & llc->set_mask);
}

static inline void bx_client_llc_touch(struct bx_client_llc_set *set, unsigned way)
{
    bx_qlru_hit(&set->ages, way);
    if (!set->invalid)
        bx_qlru_update(&set->ages);
}

/* Puts the line into an empty way. */
static inline void bx_client_llc_put(struct bx_client_llc_location at, unsigned way, uint8_t meta)
{
    at.set->tag[way] = at.tag;
    at.set->meta[way] = meta;
    at.set->invalid &= (uint16_t) ~(1u << way);
    bx_qlru_fill(&at.set->ages, way);
    if (!at.set->invalid)
        bx_qlru_update(&at.set->ages);
}

static inline void bx_client_llc_drop(struct bx_client_llc_set *set, unsigned way)
{
    set->tag[way] = BX_NO_TAG;
    set->invalid |= (uint16_t)(1u << way);
}

#endif

/* The requests that a core has outstanding beyond its L2, and the cycles in which it does nothing
 * while it waits for them. Rules: docs/explanation/model-core-counters.md, "Counters of a core". */
#ifndef BX_MODEL_ENGINE_CORE_WAITS_H
#define BX_MODEL_ENGINE_CORE_WAITS_H

#include "model/engine/shape.h"

#include <stdint.h>

enum bx_outstanding {
    /* Requests to the LLC, in the order of enum bx_access_kind. */
    BX_OUTSTANDING_LOAD,
    BX_OUTSTANDING_STORE,
    BX_OUTSTANDING_FETCH,
    BX_OUTSTANDING_LOAD_LLC_MISS, /* loads that the LLC cannot serve */
    /* Loads of instructions that L2 cannot serve, including loads of lines on their way; then those
     * of them that the LLC cannot serve either. */
    BX_OUTSTANDING_BEYOND_L2,
    BX_OUTSTANDING_BEYOND_LLC,
    BX_OUTSTANDINGS,
};

/* Cycles in which a core stalls while loads are outstanding: BEYOND_L2, BEYOND_LLC. `cycles`
 * includes the last span, from … to - 1, which may be still to come. */
struct bx_core_stalls {
    uint64_t cycles[2], from[2], to[2];
};

struct bx_core_waits {
    unsigned serving; /* kinds of the request that is being served: a set of bx_outstanding */
    /* Of each: cycles with any request; the end of its last request; requests times cycles. */
    uint64_t cycles[BX_OUTSTANDINGS], until[BX_OUTSTANDINGS], sum[BX_OUTSTANDINGS];
    struct bx_core_flight {
        uint64_t completion;
        unsigned of;
    } last[BX_FILL_BUFFERS_MOST]; /* a ring, as large as the most requests outstanding at once */
    unsigned next;
    struct bx_core_stalls stalls;
};

/* The present request begins at t. The times of a core's requests never decrease. */
void bx_core_waits_begin(struct bx_core_waits *w, uint64_t t, uint64_t completion);

/* The core does nothing from `from` to `to`. */
void bx_core_waits_stall(struct bx_core_waits *w, uint64_t from, uint64_t to);

/* Sums before the cycle `now`. bx_core_waits_sum: requests of the set `of` times cycles.
 * bx_core_waits_cycles: cycles with any request. bx_core_waits_stalled: cycles in which the core
 * stalls, only for BEYOND_L2 and BEYOND_LLC. */
uint64_t bx_core_waits_sum(const struct bx_core_waits *w, unsigned of, uint64_t now);
uint64_t bx_core_waits_cycles(const struct bx_core_waits *w, enum bx_outstanding of, uint64_t now);
uint64_t bx_core_waits_stalled(const struct bx_core_waits *w, enum bx_outstanding of, uint64_t now);

/* From t on, no request is outstanding. */
void bx_core_waits_end(struct bx_core_waits *w, uint64_t t);

#endif

/* A line at its slice: the cores that have it are snooped, messages leave for the rings. Of the
 * C-Box alone: cbox.c, slice.c. */
#ifndef BX_MODEL_MACHINE_NHMEX_SLICE_H
#define BX_MODEL_MACHINE_NHMEX_SLICE_H

#include "model/machine/nhmex/machine.h"

enum {
    BX_NHMEX_STOP =
        1, /* cycles in the queue between a core and the ring; the first of the ring's */
};

struct bx_nhmex_target {
    struct bx_nhmex *m;
    unsigned package, slice;
    struct bx_nhmex_cbox *c;
    uint64_t line;
};

static inline struct bx_nhmex_target bx_nhmex_at_slice(struct bx_nhmex *m, unsigned package,
                                                       uint64_t line)
{
    unsigned slice = bx_nhmex_slice(m, line);
    return (struct bx_nhmex_target){m, package, slice, &m->package[package].c[slice], line};
}

/* Sends through an egress queue to its ring. Each message takes a cycle. Returns the arrival. */
static inline uint64_t bx_nhmex_slice_sends(const struct bx_nhmex_target *at,
                                            enum bx_nhmex_egress egress, uint64_t t)
{
    bool data = egress == BX_NHMEX_BL_SB || egress == BX_NHMEX_BL_NSB;
    unsigned cycles = data ? BX_NHMEX_LINE_MESSAGES : 1;
    uint64_t end = bx_nhmex_occupy(at->m, &at->c->egress[egress], t, cycles);

    at->c->nack2[BX_NHMEX_EGRESS_FULL] += end - cycles > t;
    return end + at->m->times.ring;
}

static inline void bx_nhmex_count_messages(uint64_t by_ring[BX_NHMEX_RINGS], unsigned ring)
{
    by_ring[ring] += ring == BX_NHMEX_BL ? BX_NHMEX_LINE_MESSAGES : 1;
}

/* The column of a state in unit masks: M, E, S, F. */
static inline unsigned bx_nhmex_column(enum bx_line_state state)
{
    static const uint8_t columns[BX_LINE_STATES] = {
        [BX_LINE_M] = 0, [BX_LINE_E] = 1, [BX_LINE_S] = 2, [BX_LINE_F] = 3};
    return columns[state];
}

/* Core n is at the stop of C-Box n, which counts the queues there. */
static inline struct bx_nhmex_cbox *bx_nhmex_stop(const struct bx_nhmex_target *at, unsigned core)
{
    return &at->m->package[at->package].c[core];
}

/* Snoops the cores that may have the line at t, but not `self`. */
enum bx_snoop_response bx_nhmex_snoop_cores(const struct bx_nhmex_target *at,
                                            struct bx_cache_way way, unsigned self, bool invalidate,
                                            uint64_t t);

#endif

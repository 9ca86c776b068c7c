/* A signal as a model has understood it, and where its levels come from. */
#ifndef BX_MODEL_ENGINE_RESOLVED_SIGNAL_H
#define BX_MODEL_ENGINE_RESOLVED_SIGNAL_H

#include "model/engine/gauge.h"
#include "seam/signal.h"

/* Most counts and gauges that one selection adds up by reference. */
enum { BX_SIGNAL_CELLS = 18, BX_SIGNAL_GAUGES = 16 };

enum bx_signal_kind {
    BX_SIGNAL_PULSES,    /* the sum of some counts: each event is one cycle long */
    BX_SIGNAL_OCCUPANCY, /* living entries of a queue: holds until the next report */
    BX_SIGNAL_CLOCK,     /* 1 in every cycle */
};

/* The kind is common; the rest is the model's own way to remember what was selected. */
struct bx_signal {
    enum bx_signal_kind kind;
    /* Something that is another number when sum or level may have changed, but for what time alone
     * does; NULL: there is no such number. */
    const uint64_t *changes;
    unsigned entries; /* of OCCUPANCY: which kinds of entries */
    unsigned cells;   /* of PULSES: the counts that it adds up */
    const uint64_t *cell[BX_SIGNAL_CELLS];
    unsigned gauges; /* of OCCUPANCY in a model that has gauges: those that it adds up, and what of
                        them */
    enum bx_gauge_sum what;
    struct bx_gauge *gauge[BX_SIGNAL_GAUGES];
    bx_selection selection;
};

/* A model's counts as signals. CLOCK is not asked for. */
struct bx_signal_source {
    uint64_t (*tally)(struct bx_signal_source *source, const struct bx_signal *signal,
                      uint64_t now);
    /* Of OCCUPANCY, in the cycle `now`. */
    uint64_t (*level)(struct bx_signal_source *source, const struct bx_signal *signal,
                      uint64_t now);
    /* When after `now` that level may change although nothing is served; BX_NEVER, or no such
     * function: never. */
    uint64_t (*next_change)(struct bx_signal_source *source, const struct bx_signal *signal,
                            uint64_t now);
};

#endif

/* A selection resolved by a model: the counts and gauges that make the signal, and the functions
 * that read them. */
#ifndef BX_MODEL_ENGINE_RESOLVED_SIGNAL_H
#define BX_MODEL_ENGINE_RESOLVED_SIGNAL_H

#include "model/engine/core_time.h"
#include "model/engine/gauge.h"
#include "seam/signal.h"

/* Most counts and gauges that one selection adds up by reference. */
enum { BX_SIGNAL_CELLS = 18, BX_SIGNAL_GAUGES = 16 };

enum bx_signal_kind {
    BX_SIGNAL_PULSES,    /* the sum of some counts: each event is one cycle long */
    BX_SIGNAL_OCCUPANCY, /* living entries of a queue: holds until the next report */
    BX_SIGNAL_CLOCK,     /* 1 in every cycle */
};

/* What the level of a core is: OCCUPANCY. */
enum bx_core_level {
    BX_CORE_UNHALTED,
    BX_CORE_REQUESTS, /* those of `entries` that are outstanding */
    BX_CORE_ANY,      /* 1 while there is any of them */
    BX_CORE_STALLED,  /* 1 while there is any of them and the core does nothing */
};

/* `kind` and `changes` mean the same in all models; each model uses the rest as it needs. */
struct bx_signal {
    enum bx_signal_kind kind;
    bool of_remarks; /* nothing moves it but what lackey does not tell: remarks, branches … */
    /* A number that differs whenever the sum or the level may have changed for another reason than
     * time. NULL: there is none. */
    const uint64_t *changes;
    unsigned entries; /* of OCCUPANCY: which kinds of entries; of a core: of enum bx_outstanding */
    unsigned cells;   /* of PULSES: the counts that it adds up */
    const uint64_t *cell[BX_SIGNAL_CELLS];
    unsigned gauges; /* of OCCUPANCY in a model that has gauges: those that it adds up, and what of
                        them */
    enum bx_gauge_sum what;
    struct bx_gauge *gauge[BX_SIGNAL_GAUGES];
    /* Of a core (of_core): the sum of its counts of `plus`, less those of `minus` (core_counts.h);
     * of OCCUPANCY: `core_level`, in ticks of a clock that ticks n times in d cycles of the uncore.
     */
    bool of_core;
    unsigned core;
    enum bx_core_level core_level;
    uint64_t plus, minus;
    bx_ratio clock;
    bool compared; /* the selection's threshold is part of it */
    bx_selection selection;
};

/* How a model's counts are read as signals. Never called for CLOCK. */
struct bx_signal_source {
    uint64_t (*tally)(struct bx_signal_source *source, const struct bx_signal *signal,
                      uint64_t now);
    /* Of OCCUPANCY, in the cycle `now`. */
    uint64_t (*level)(struct bx_signal_source *source, const struct bx_signal *signal,
                      uint64_t now);
    /* When after `now` that level may change by time alone; BX_NEVER, or NULL: never. */
    uint64_t (*next_change)(struct bx_signal_source *source, const struct bx_signal *signal,
                            uint64_t now);
};

#endif

/* A selection resolved by a model: the counts and gauges that make the signal, and the functions
 * that read them. */
#ifndef BX_MODEL_ENGINE_RESOLVED_SIGNAL_H
#define BX_MODEL_ENGINE_RESOLVED_SIGNAL_H

#include "model/engine/core_time.h"
#include "model/engine/gauge.h"
#include "seam/signal.h"

/* The most counts and gauges that one selection can refer to. */
enum { BX_SIGNAL_CELLS = 18, BX_SIGNAL_GAUGES = 16 };

enum bx_signal_kind {
    BX_SIGNAL_PULSES,    /* the sum of some counts; each event is a pulse of one cycle */
    BX_SIGNAL_OCCUPANCY, /* living entries of a queue; the level stays until the next report */
    BX_SIGNAL_CLOCK,     /* 1 in every cycle */
};

/* What the level of a signal of a core is. Its kind is BX_SIGNAL_OCCUPANCY. */
enum bx_core_level {
    BX_CORE_UNHALTED,
    BX_CORE_REQUESTS, /* outstanding requests of the kinds in `entries` */
    BX_CORE_ANY,      /* 1 while any of them is outstanding */
    BX_CORE_STALLED,  /* 1 while any of them is outstanding and the core stalls */
};

/* All models use `kind` and `changes` alike. Each model uses the other fields as it needs. */
struct bx_signal {
    enum bx_signal_kind kind;
    bool of_remarks; /* it counts only what lackey does not report: remarks, branches … */
    /* A number that changes whenever the sum or the level may have changed for a reason other than
     * time. NULL: there is no such number. */
    const uint64_t *changes;
    unsigned entries; /* of OCCUPANCY: kinds of entries; for a core a set of enum bx_outstanding */
    unsigned cells;   /* of PULSES: the number of counts that are added up */
    const uint64_t *cell[BX_SIGNAL_CELLS];
    unsigned gauges; /* of OCCUPANCY with gauges: how many are added up; `what`: which sum */
    enum bx_gauge_sum what;
    struct bx_gauge *gauge[BX_SIGNAL_GAUGES];
    /* With of_core: the sum of the core's counts in `plus` minus those in `minus` (core_counts.h).
     * For OCCUPANCY: `core_level`, in ticks of a clock that ticks n times in d uncore cycles. */
    bool of_core;
    unsigned core;
    enum bx_core_level core_level;
    uint64_t plus, minus;
    bx_ratio clock;
    bool compared; /* the signal already includes the selection's threshold */
    bx_selection selection;
};

/* How a model's counts are read as signals. Never called for BX_SIGNAL_CLOCK. */
struct bx_signal_source {
    uint64_t (*tally)(struct bx_signal_source *source, const struct bx_signal *signal,
                      uint64_t now);
    /* The level of an OCCUPANCY signal in the cycle `now`. */
    uint64_t (*level)(struct bx_signal_source *source, const struct bx_signal *signal,
                      uint64_t now);
    /* The next time after `now` at which that level may change by time alone. BX_NEVER, or a NULL
     * function: never. */
    uint64_t (*next_change)(struct bx_signal_source *source, const struct bx_signal *signal,
                            uint64_t now);
};

#endif

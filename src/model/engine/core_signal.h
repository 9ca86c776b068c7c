/* The counts of cores as tallies of signals. They include exactly what a core executes before the
 * model's time, even if the core has run ahead. */
#ifndef BX_MODEL_ENGINE_CORE_SIGNAL_H
#define BX_MODEL_ENGINE_CORE_SIGNAL_H

#include "model/engine/core_time.h"
#include "model/engine/resolved_signal.h"

/* The ratio n / d: a clock of hz ticks n times in d uncore cycles. hz 0: the uncore clock. */
bx_ratio bx_core_clock_of(uint64_t hz, uint64_t uncore_hz);

/* The counts of a core (core_counts.h), along the first axis. */
extern const struct bx_reader bx_read_core_counts;

/* Levels of a core in ticks of its clock, with `what` of the row. Requests are along the first
 * axis: a set of enum bx_outstanding. */
extern const struct bx_reader bx_read_core_levels;
enum bx_core_level {
    BX_CORE_UNHALTED,
    BX_CORE_REFERENCE, /* the same in cycles of the time-stamp counter, which are uncore cycles */
    BX_CORE_REQUESTS,  /* outstanding requests */
    BX_CORE_ANY,       /* 1 while any of them is outstanding */
    BX_CORE_STALLED,   /* 1 while any of them is outstanding and the core stalls */
};

#endif

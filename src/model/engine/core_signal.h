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

/* A core's mispredicted branches (enum bx_branch_count), along the first axis. */
extern const struct bx_reader bx_read_core_missed;

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

/* The cycle stack (cycle_stack.h), along the first axis: one cause, or all of them. */
extern const struct bx_reader bx_read_core_stack;
enum bx_core_needs {
    BX_CORE_HAS_TLB = 1 << 0,
    BX_CORE_HAS_STORES = 1 << 1,
    BX_CORE_HAS_LOCKS = 1 << 2,
    BX_CORE_HAS_CORES = 1 << 3,
    BX_CORE_HAS_PACKAGES = 1 << 4,
    BX_CORE_HAS_BRANCHES = 1 << 5,
    BX_CORE_HAS_TURNS = 1 << 6,
    BX_CORE_HAS_PREDICTOR = 1 << 7,
};

/* What the cores of a machine with turns have, or can wait for. */
unsigned bx_core_has(const bx_model *m, unsigned packages);

#endif

/* The counts of cores as signals. They include exactly what a core executes before the model's
 * time, even if the core has run ahead. */
#ifndef BX_MODEL_ENGINE_CORE_SIGNAL_H
#define BX_MODEL_ENGINE_CORE_SIGNAL_H

#include "model/engine/core_counts.h"
#include "model/engine/resolved_signal.h"

struct bx_model;

struct bx_core_source {
    struct bx_signal_source base;
    struct bx_model *model;
};

/* The ratio n / d: a clock of hz ticks n times in d uncore cycles. hz 0: the uncore clock. */
bx_ratio bx_core_clock_of(uint64_t hz, uint64_t uncore_hz);

/* Whether a counter can compare the signal with a threshold, because the level of each cycle is
 * known. It is unknown for counts of instructions, which are known only for whole blocks. It is
 * unknown for requests per tick, because a cycle of the uncore has several ticks or none. */
bool bx_core_signal_has_levels(const struct bx_signal *signal);

/* Returns source->base. */
struct bx_signal_source *bx_core_source_power_on(struct bx_core_source *source,
                                                 struct bx_model *model);

#endif

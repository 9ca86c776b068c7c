/* The counts of cores as signals. They include exactly what a core has executed by the model's
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

/* Ticks of a clock of that many Hz in d cycles of the uncore: n. hz 0: the same clock. */
bx_ratio bx_core_clock_of(uint64_t hz, uint64_t uncore_hz);

/* Whether the level of the signal is known, so that a counter can compare it with a threshold. It
 * is not known for counts of instructions, which are known block by block only. Nor is it known for
 * requests per tick, because a cycle of the uncore has several ticks or none. */
bool bx_core_signal_has_levels(const struct bx_signal *signal);

/* Returns it. */
struct bx_signal_source *bx_core_source_power_on(struct bx_core_source *source,
                                                 struct bx_model *model);

#endif

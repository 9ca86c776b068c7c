/* How the counts of cores are read as signals: exactly those of what a core has executed by the
 * model's time, wherever it has run ahead to. */
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

/* Whether its level is known, which a counter can compare with a threshold. Of a core: not what
 * instructions do, which is known block by block; nor how many requests there are in a tick, of
 * which a cycle of the uncore has several or none. */
bool bx_core_signal_has_levels(const struct bx_signal *signal);

/* Returns it. */
struct bx_signal_source *bx_core_source_power_on(struct bx_core_source *source,
                                                 struct bx_model *model);

#endif

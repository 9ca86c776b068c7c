/* The events of a core: each code and unit mask is a set of a core's counts (engine/core_counts.h).
 * Rules: docs/explanation/model-core-counters.md, "Counters of a core". */
#ifndef BX_MODEL_CORE_CORE_EVENTS_H
#define BX_MODEL_CORE_CORE_EVENTS_H

#include "model/engine/signal_table.h"

extern const struct bx_box_signals bx_core_skylake, bx_core_ivy_bridge, bx_core_nehalem;

/* The cycles of a core by cause: docs/explanation/cycle-stack.md. */
extern const struct bx_box_signals bx_core_stalls;

#endif

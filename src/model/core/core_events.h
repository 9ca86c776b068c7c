/* The events of a core: each code and unit mask is a set of a core's counts (engine/core_counts.h).
 * Rules: docs/explanation/model-core-counters.md, "Counters of a core". */
#ifndef BX_MODEL_CORE_CORE_EVENTS_H
#define BX_MODEL_CORE_CORE_EVENTS_H

#include "model/engine/turns.h"

enum bx_core_event_kind {
    BX_CORE_EVENT_COUNTS,
    BX_CORE_EVENT_BITS,             /* one bit of a unit mask; several bits are added up */
    BX_CORE_EVENT_CYCLES,           /* unhalted cycles of the core's clock */
    BX_CORE_EVENT_REFERENCE_CYCLES, /* the same in cycles of the time-stamp counter, which are
                                       uncore cycles */
    /* In cycles of the core's clock. `plus` is a set of bx_outstanding. */
    BX_CORE_EVENT_REQUESTS, /* requests, added up cycle by cycle */
    BX_CORE_EVENT_ANY,      /* cycles with any request */
    BX_CORE_EVENT_STALLED,  /* those cycles in which the core stalls */
};

typedef struct bx_core_event {
    uint16_t code; /* of a fixed counter: its address */
    uint8_t umask;
    uint8_t kind;
    uint64_t plus, minus; /* sets of bx_core_count and bx_retired_count */
    uint8_t threshold;    /* the event exists only with this threshold */
} bx_core_event;

enum { BX_CORE_EVENT_TABLES = 4 };

/* The events of a processor: its own, and those that it shares with other processors. */
typedef struct bx_core_events {
    struct {
        const bx_core_event *event;
        size_t n;
    } table[BX_CORE_EVENT_TABLES];
} bx_core_events;

extern const bx_core_events bx_core_events_skylake, bx_core_events_ivy_bridge,
    bx_core_events_nehalem;

/* Resolves a selection of a core's PMU. agent: the core. false: not modelled. */
bool bx_core_signal_of(const bx_core_events *events, const struct bx_turns *turns,
                       const bx_selection *sel, unsigned agent, struct bx_signal *signal);

#endif

/* A bus in front of another one that reports every access to a callback. */
#ifndef BX_STAGE_FILES_BUS_OBSERVER_H
#define BX_STAGE_FILES_BUS_OBSERVER_H

#include "seam/bus.h"

/* value: read or written. err: 0, or the errno of a failed access. */
typedef void (*bx_access_observer)(void *context, const bx_address *at, bool write, uint64_t value,
                                   int err);

typedef struct bx_bus_observer {
    struct bx_bus bus; /* must be first */
    struct bx_bus *to;
    bx_access_observer on_access;
    void *context;
} bx_bus_observer;

/* Initializes *o. `to` must outlive it. Nothing has to be freed. */
void bx_bus_observe(bx_bus_observer *o, struct bx_bus *to, bx_access_observer on_access,
                    void *context);

#endif

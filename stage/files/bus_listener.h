/* A bus in front of another one: somebody is told of every access. */
#ifndef BX_STAGE_FILES_BUS_LISTENER_H
#define BX_STAGE_FILES_BUS_LISTENER_H

#include "seam/bus.h"

/* value: read or written; why: 0, or the errno of an access that failed. */
typedef void (*bx_heard)(void *context, const bx_address *at, bool write, uint64_t value, int why);

typedef struct bx_listener {
    struct bx_bus bus; /* first */
    struct bx_bus *to;
    bx_heard heard;
    void *context;
} bx_listener;

void bx_listen(bx_listener *l, struct bx_bus *to, bx_heard heard, void *context);

#endif

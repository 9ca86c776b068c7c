/* Passes each access to the next bus, then calls the observer with its result. */
#include "stage/files/bus_observer.h"

#include <stddef.h>

static int read_through(struct bx_bus *bus, const bx_address *at, uint64_t *value)
{
    const bx_bus_observer *o = (const bx_bus_observer *)bus;
    int err = o->to->read(o->to, at, value);
    o->on_access(o->context, at, false, err ? 0 : *value, err);
    return err;
}

static int write_through(struct bx_bus *bus, const bx_address *at, uint64_t value)
{
    const bx_bus_observer *o = (const bx_bus_observer *)bus;
    int err = o->to->write(o->to, at, value);
    o->on_access(o->context, at, true, value, err);
    return err;
}

/* We do not own the bus behind this one. */
static void leave(struct bx_bus *bus)
{
    (void)bus;
}

void bx_bus_observe(bx_bus_observer *o, struct bx_bus *to, bx_access_observer on_access,
                    void *context)
{
    *o = (bx_bus_observer){{read_through, write_through, leave, NULL}, to, on_access, context};
}

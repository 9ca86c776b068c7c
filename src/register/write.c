/* Writes a register, and compares what it holds then. */
#include "register/write.h"

#include <errno.h>

int bx_write_execute(struct bx_bus *bus, const bx_write *w)
{
    uint64_t before = 0;
    int err = w->keep ? bus->read(bus, &w->at, &before) : 0;
    return err ? err : bus->write(bus, &w->at, w->value | (before & w->keep));
}

/* Whether a running count continued from the written value, and not from the value before the
 * write. It may have wrapped meanwhile. */
static bool has_grown(const bx_write *w, uint64_t before, uint64_t now)
{
    uint64_t grown = (now - w->value) & w->check;
    return grown <= w->check / 2 && grown <= ((now - before) & w->check);
}

int bx_write_verify(struct bx_bus *bus, const bx_write *w, uint64_t before, uint64_t *now)
{
    int err = w->check | w->clears ? bus->read(bus, &w->at, now) : 0;
    if (err || !(w->check | w->clears))
        return err;
    bool cleared = !(*now & w->value & w->clears);
    bool holds = w->counting ? has_grown(w, before, *now) : !((*now ^ w->value) & w->check);
    return cleared && holds ? 0 : EBADMSG;
}

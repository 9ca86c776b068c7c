/* Builds the chain of buses between a session and a machine's registers. */
#include "machine/bus_chain.h"

#include "guard/write_filter.h"
#include "base/error.h"
#include "machine/backend/backend.h"
#include "seam/bus.h"

/* Puts a link in front of all others. */
static int put_first(bx_machine *m, struct bx_bus *link, bx_error *e)
{
    if (!link)
        return bx_out_of_memory(e);
    m->bus = link;
    return BX_OK;
}

int bx_chain_open(bx_machine *m, const bx_machine_options *o, const bx_log_part *part, bx_error *e)
{
    if (!m->bus) /* a host whose registers are not accessed */
        return o->log_registers ? bx_fail(e, BX_NO_ACCESS, 0, 0, "no registers to log: %s",
                                          bx_machine_no_access(m))
                                : BX_OK;
    int code = m->backend->calls.link ? put_first(m, m->backend->calls.link(m->backend), e) : BX_OK;
    if (code == BX_OK && o->log_registers)
        code = bx_machine_log(m, o, part, e);
    if (code == BX_OK && m->topology.is_this_machine)
        code = put_first(m, bx_write_filter_open(m->bus, &m->topology), e);
    return code;
}

void bx_chain_close(bx_machine *m)
{
    if (m->bus)
        m->bus->close(m->bus);
    m->bus = NULL;
}

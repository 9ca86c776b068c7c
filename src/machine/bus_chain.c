#include "machine/bus_chain.h"

#include "host/safety/write_filter.h"
#include "host/bus/reroute.h"
#include "base/error.h"
#include "seam/bus.h"

/* Puts a link in front of all others. */
static int put_first(bx_machine *m, struct bx_bus *link, bx_error *e)
{
    if (!link)
        return bx_out_of_memory(e);
    m->bus = link;
    return BX_OK;
}

/* Our own CPU matters only if these are the CPUs of the kernel that we run on. */
static struct bx_bus *reroute(const bx_machine *m)
{
    bool ours = !m->host.perf.foreign && !m->host.helper;
    return bx_reroute_open(m->bus, &m->topology, m->host.cpus, ours ? bx_current_cpu : NULL);
}

int bx_chain_open(bx_machine *m, const bx_machine_options *o, bx_error *e)
{
    if (!m->bus) /* a host that is counted without registers */
        return o->record
                   ? bx_fail(e, BX_NO_ACCESS, 0, 0, "no registers to record: %s", m->host.no_access)
                   : BX_OK;
    bool host = m->topology.is_this_machine;
    int rc = host && !m->replay ? put_first(m, reroute(m), e) : BX_OK;
    if (rc == BX_OK && o->record)
        rc = bx_machine_record(m, o, e);
    if (rc == BX_OK && host)
        rc = put_first(m, bx_write_filter_open(m->bus, &m->topology), e);
    return rc;
}

void bx_chain_close(bx_machine *m)
{
    if (m->bus)
        m->bus->close(m->bus);
    m->bus = NULL;
}

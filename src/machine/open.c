/* Opens and closes machines: the host, a virtual one, or a recording of either. */
#include "machine/machine.h"

#include "host/record/replay.h"
#include "base/error.h"
#include "machine/bus_chain.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *model_of(const bx_topology *t)
{
    return bx_cat_z(t->catalog, bx_cat_cpus(t->catalog)[t->cpu].model);
}

static int build(bx_machine *m, bx_error *e)
{
    const bx_topology *t = &m->topology;
    const bx_model_shape shape = {
        .packages = t->packages,
        .cores = t->cores,
        .slices = (uint32_t)bx_topology_shape(t, "slices"),
        .llc_bytes = bx_topology_shape(t, "llc"),
    };
    m->model = bx_model_new(model_of(t), &shape, e);
    if (!m->model)
        return e->code;
    m->vpmu = bx_vpmu_new(t, bx_model_signals(m->model), e);
    if (!m->vpmu)
        return e->code;
    m->bus = bx_vpmu_bus(m->vpmu);
    bx_topology_name(t, m->name, sizeof m->name);
    return BX_OK;
}

static int open_virtual(const bx_catalog *c, const char *spec, bx_machine *m, bx_error *e)
{
    int rc = bx_topology_parse(c, bx_str_of(spec), &m->topology, e);
    return rc == BX_OK ? build(m, e) : rc;
}

static int open_host(const bx_catalog *c, const bx_machine_options *o, bx_machine *m, bx_error *e)
{
    int rc = bx_host_open(c, o, &m->host, e);
    if (rc != BX_OK)
        return rc;
    m->topology = m->host.topology;
    m->bus = m->host.bus;
    m->perf = &m->host.perf;
    m->force = o->force;
    m->root = strdup(o->root ? o->root : "");
    m->journal = o->journal ? strdup(o->journal) : NULL;
    if (!m->root || (o->journal && !m->journal))
        return bx_out_of_memory(e);
    snprintf(m->name, sizeof m->name, "host");
    return BX_OK;
}

/* The default: the host or, if its uncore cannot be counted, a virtual machine of the catalogue's
 * first CPU. */
static int open_any(const bx_catalog *c, const bx_machine_options *o, bx_machine *m, bx_error *e)
{
    char spec[64];
    bx_error err = {0};
    bool opened = open_host(c, o, m, &err) == BX_OK;
    if (opened && m->host.counts_uncore)
        return BX_OK;
    snprintf(m->because, sizeof m->because, "%s", opened ? m->host.no_access : err.message);
    bx_host_close(&m->host);
    m->perf = NULL;
    snprintf(spec, sizeof spec, "virtual:%s", bx_catalog_cpu_name(c, 0));
    return open_virtual(c, spec, m, e);
}

/* The recorded machine. A virtual one has its model, which knows the events that it produces. */
static int open_replay(const bx_catalog *c, const bx_machine_options *o, bx_machine *m, bx_error *e)
{
    int rc = bx_replay_new(c, o->replay, o->part, &m->replay, e);
    if (rc != BX_OK)
        return rc;
    m->topology = *bx_replay_topology(m->replay);
    if (m->topology.is_this_machine)
        snprintf(m->name, sizeof m->name, "host");
    else
        rc = build(m, e);
    m->bus = bx_replay_bus(m->replay);
    return rc;
}

static int open_machine(const bx_catalog *c, const char *spec, const bx_machine_options *o,
                        bx_machine *m, bx_error *e)
{
    bool helper = o->helper && o->helper[0]; /* the helper of this host */
    int rc = o->replay                                         ? open_replay(c, o, m, e)
             : !spec && !helper                                ? open_any(c, o, m, e)
             : !spec                                           ? open_host(c, o, m, e)
             : bx_str_eq_fold(bx_str_of(spec), BX_STR("host")) ? open_host(c, o, m, e)
                                                               : open_virtual(c, spec, m, e);
    return rc == BX_OK ? bx_chain_open(m, o, e) : rc;
}

/* Only register accesses are recorded, and counting through the kernel makes none. */
static int check_driver(bx_machine_options *o, bx_error *e)
{
    if (!o->record && !o->replay)
        return BX_OK;
    if (o->driver == BX_DRIVER_PERF) {
        bx_fail(e, BX_BAD_INPUT, 0, 0, "what the kernel counts cannot be recorded or replayed");
        bx_hint(e, "leave --driver out, or --driver registers");
        return BX_BAD_INPUT;
    }
    o->driver = BX_DRIVER_REGISTERS;
    return BX_OK;
}

int bx_machine_open_with(const bx_catalog *c, const char *spec, const bx_machine_options *given,
                         bx_machine **machine, bx_error *e)
{
    bx_machine_options o = {0};
    bx_error err = {0};
    if (given)
        memcpy(&o, given, given->size < sizeof o ? given->size : sizeof o);
    int rc = check_driver(&o, &err);
    bx_machine *m = rc ? NULL : calloc(1, sizeof *m);
    if (rc == BX_OK)
        rc = m ? open_machine(c, spec, &o, m, &err) : bx_out_of_memory(&err);
    if (rc == BX_OK) {
        *machine = m;
        return BX_OK;
    }
    bx_machine_close(m);
    if (e && e->code == BX_OK)
        *e = err;
    return rc;
}

int bx_machine_open(const bx_catalog *c, const char *spec, bx_machine **machine, bx_error *e)
{
    return bx_machine_open_with(c, spec, NULL, machine, e);
}

void bx_machine_close(bx_machine *m)
{
    if (!m)
        return;
    bx_machine_unload(m);
    bx_chain_close(m);
    bx_vpmu_free(m->vpmu);
    bx_model_free(m->model);
    bx_host_close(&m->host);
    free(m->root);
    free(m->journal);
    free(m->kernel);
    free(m);
}

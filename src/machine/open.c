/* Opens and closes machines: the host, a virtual one, or a register log of either. */
#include "machine/machine.h"

#include "base/error.h"
#include "base/options.h"
#include "machine/backend/backend.h"
#include "machine/bus_chain.h"

#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bx_backend *open_virtual(const bx_catalog *c, const char *spec, const bx_machine_options *o,
                                bx_error *e)
{
    bx_topology t;
    return bx_topology_parse(c, bx_str_of(spec), &t, e) == BX_OK ? bx_backend_virtual(&t, o, e)
                                                                 : NULL;
}

/* Opens the default machine: the host or, if its uncore cannot be counted, a virtual machine of the
 * catalogue's first CPU. because: why the machine is virtual. */
static bx_backend *open_any(const bx_catalog *c, const bx_machine_options *o, char *because,
                            size_t room, bx_error *e)
{
    char spec[64];
    bx_error err = {0};
    bx_backend *b = bx_backend_host(c, o, &err);
    if (b && b->host->counts_uncore)
        return b;
    if (err.code == BX_NO_MEMORY) { /* lack of memory is no reason to count on another machine */
        *e = err;
        return NULL;
    }
    snprintf(because, room, "%s", b ? b->host->no_access : err.message);
    if (b)
        b->calls.close(b);
    if (!bx_cat_is_virtual(c, bx_cat_cpus(c))) /* imported CPUs have no model */
        c = bx_catalog_builtin();
    snprintf(spec, sizeof spec, "virtual:%s", bx_catalog_cpu_name(c, 0));
    return open_virtual(c, spec, o, e);
}

static bx_backend *open_backend(const bx_catalog *c, const char *spec, const bx_machine_options *o,
                                unsigned part, bx_machine *m, bx_error *e)
{
    bool helper = o->helper && o->helper[0]; /* a helper serves this host only */
    return o->replay          ? bx_backend_replayed(c, o, part, e)
           : !spec && !helper ? open_any(c, o, m->because, sizeof m->because, e)
           : !spec || bx_str_eq_fold(bx_str_of(spec), BX_STR("host")) ? bx_backend_host(c, o, e)
                                                                      : open_virtual(c, spec, o, e);
}

static int open_machine(const bx_catalog *c, const char *spec, const bx_machine_options *o,
                        const bx_log_part *part, bx_machine *m, bx_error *e)
{
    m->backend = open_backend(c, spec, o, part->number, m, e);
    if (!m->backend)
        return e->code;
    if (o->threads && !m->backend->can.traces)
        return bx_fail(
            e, BX_BAD_INPUT, 0, 0,
            "threads get cores only on a virtual machine: on a host the kernel places threads");
    m->topology = m->backend->topology;
    m->bus = m->backend->bus;
    m->force = o->force;
    m->journal = o->journal ? strdup(o->journal) : NULL;
    if (o->journal && !m->journal)
        return bx_out_of_memory(e);
    if (m->topology.is_this_machine) {
        snprintf(m->name, sizeof m->name, "host");
    } else {
        bx_topology_name(&m->topology, m->name, sizeof m->name);
        bx_topology_undocumented(&m->topology, m->undocumented, sizeof m->undocumented);
    }
    return bx_chain_open(m, o, part, e);
}

/* A register log has only register accesses, and counting through the kernel makes none. */
static int check_driver(bx_machine_options *o, bx_error *e)
{
    if (o->driver > BX_DRIVER_REGISTERS)
        return bx_fail(e, BX_BAD_INPUT, 0, 0, "there is no driver %u", o->driver);
    if (!o->log_registers && !o->replay)
        return BX_OK;
    if (o->driver == BX_DRIVER_PERF) {
        bx_fail(e, BX_BAD_INPUT, 0, 0, "what the kernel counts cannot be recorded or replayed");
        bx_hint(e, "choose no driver, or that of the registers");
        return BX_BAD_INPUT;
    }
    o->driver = BX_DRIVER_REGISTERS;
    return BX_OK;
}

int bx_machine_options_read(bx_machine_options *to, const bx_machine_options *given, bx_error *e)
{
    enum { FIRST = offsetof(bx_machine_options, force) + sizeof given->force };
    return bx_options_read(to, sizeof *to, FIRST, given, "bx_machine_options", e);
}

int bx_machine_open_part(const bx_catalog *c, const char *spec, const bx_machine_options *given,
                         const bx_log_part *part, bx_machine **machine, bx_error *e)
{
    bx_machine_options o;
    bx_error err = {0};
    int code = bx_machine_options_read(&o, given, &err);
    if (code == BX_OK)
        code = check_driver(&o, &err);
    bx_machine *m = code ? NULL : calloc(1, sizeof *m);
    if (code == BX_OK)
        code = m ? open_machine(c, spec, &o, part, m, &err) : bx_out_of_memory(&err);
    if (code == BX_OK) {
        *machine = m;
        return BX_OK;
    }
    if (m)
        bx_machine_drop_log(m);
    bx_machine_close(m);
    bx_fail_as(e, &err);
    return code;
}

int bx_machine_open_with(const bx_catalog *c, const char *spec, const bx_machine_options *o,
                         bx_machine **machine, bx_error *e)
{
    if (!c)
        return bx_missing(e, "catalogue");
    if (!machine)
        return bx_missing(e, "place for the machine");
    return bx_machine_open_part(c, spec, o, &(bx_log_part){0}, machine, e);
}

int bx_machine_open(const bx_catalog *c, const char *spec, bx_machine **machine, bx_error *e)
{
    return bx_machine_open_with(c, spec, NULL, machine, e);
}

static void free_machine(bx_machine *m)
{
    if (m->backend) {
        bx_machine_unload(m);
        bx_chain_close(m);
        m->backend->calls.close(m->backend);
    }
    free(m->journal);
    free(m->kernel);
    bx_arena_free(&m->kernel_texts);
    free(m);
}

void bx_machine_hold(bx_machine *m)
{
    m->holders++;
}

void bx_machine_let_go(bx_machine *m)
{
    if (--m->holders == 0 && m->closed)
        free_machine(m);
}

void bx_machine_close(bx_machine *m)
{
    if (m && m->holders)
        m->closed = true;
    else if (m)
        free_machine(m);
}

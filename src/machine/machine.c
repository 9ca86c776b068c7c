#include "machine/machine.h"

#include "base/error.h"
#include "event/event.h"
#include "machine/process.h"
#include "machine/tracer.h"
#include "model/frames.h"
#include "model/workload.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Frames are dealt in an order of this seed, whatever the work's own seed is: docs/model.md. */
enum { FRAMES_SEED = 1 };

/* The host's unit of time is the ns; no clock that is counted has more cycles in one. */
enum { NS_A_SECOND = 1000000000, MOST_CYCLES_A_NS = 8 };

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

static int open_virtual(const bx_catalog *c, const char *spec, bx_machine **machine, bx_error *e)
{
    bx_machine *m = calloc(1, sizeof *m);
    if (!m)
        return bx_fail(e, BX_NO_MEMORY, 0, 0, "out of memory");
    bx_error own = {0};
    int rc = bx_topology_parse(c, bx_str_of(spec), &m->topology, &own);
    if (rc == BX_OK)
        rc = build(m, &own);
    if (rc != BX_OK) {
        bx_machine_close(m);
        if (e && e->code == BX_OK)
            *e = own;
        return rc;
    }
    *machine = m;
    return BX_OK;
}

/* Nothing was asked for, and the host cannot be had: the catalogue's first CPU, virtually. */
static int open_any(const bx_catalog *c, const char *because, bx_machine **machine, bx_error *e)
{
    char spec[64];
    snprintf(spec, sizeof spec, "virtual:%s", bx_catalog_cpu_name(c, 0));
    int rc = open_virtual(c, spec, machine, e);
    if (rc == BX_OK)
        snprintf((*machine)->because, sizeof(*machine)->because, "%s", because);
    return rc;
}

static int open_host(const bx_catalog *c, const char *root, bx_machine **machine, bx_error *e)
{
    bx_machine *m = calloc(1, sizeof *m);
    if (!m)
        return bx_fail(e, BX_NO_MEMORY, 0, 0, "out of memory");
    int rc = bx_host_open(c, root, &m->host, e);
    if (rc != BX_OK) {
        bx_machine_close(m);
        return rc;
    }
    m->topology = m->host.topology;
    m->bus = m->host.bus;
    snprintf(m->name, sizeof m->name, "host");
    *machine = m;
    return BX_OK;
}

int bx_machine_open_with(const bx_catalog *c, const char *spec, const bx_machine_options *given,
                         bx_machine **machine, bx_error *e)
{
    bx_machine_options o = {0};
    if (given)
        memcpy(&o, given, given->size < sizeof o ? given->size : sizeof o);
    if (spec && !bx_str_eq_fold(bx_str_of(spec), BX_STR("host")))
        return open_virtual(c, spec, machine, e);
    bx_error why = {0};
    int rc = open_host(c, o.root ? o.root : "", machine, &why);
    if (rc != BX_OK && !spec)
        return open_any(c, why.message, machine, e);
    if (rc != BX_OK && e && e->code == BX_OK)
        *e = why;
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
    bx_vpmu_free(m->vpmu);
    bx_model_free(m->model);
    bx_host_close(&m->host);
    free(m);
}

bool bx_machine_is_virtual(const bx_machine *m)
{
    return m->model != NULL;
}

const char *bx_machine_name(const bx_machine *m)
{
    return m->name;
}

const char *bx_machine_chosen_because(const bx_machine *m)
{
    return *m->because ? m->because : NULL;
}

int bx_machine_cpu(const bx_machine *m)
{
    return m->topology.cpu;
}

unsigned bx_machine_packages(const bx_machine *m)
{
    return m->topology.packages;
}

unsigned bx_machine_cores(const bx_machine *m)
{
    return m->topology.cores;
}

unsigned bx_machine_units(const bx_machine *m, unsigned pmu)
{
    return pmu < BX_NONE ? bx_topology_units(&m->topology, (uint16_t)pmu) : 0;
}

bx_bus *bx_machine_bus(bx_machine *m)
{
    return m->bus;
}

/* An event and a counter that is to count it, and what the unit's registers then hold. */
typedef struct planned {
    const struct bx_catalog *c;
    const bx_evsel *event;
    const bx_cat_counter *counter;
} planned;

static uint64_t planned_value(const void *of, uint16_t reg)
{
    const planned *p = of;
    if (reg == p->counter->control)
        return bx_event_control(p->c, p->event, p->counter);
    for (unsigned i = 0; i < p->event->extras; i++)
        if (p->event->extra[i].reg == reg)
            return p->event->extra[i].value;
    return 0;
}

bool bx_machine_produces(const bx_machine *m, const bx_evsel *event)
{
    const struct bx_catalog *c = m->topology.catalog;
    if (!m->model)
        return true;
    unsigned index = event->counter != BX_ANY ? (unsigned)event->counter
                                              : bx_lowest_bit(bx_event_counters(c, event));
    planned p = {c, event, bx_pmu_counter(c, event->pmu, index)};
    bx_selection sel = {
        .box = (uint16_t)(event->pmu - bx_cat_cpus(c)[m->topology.cpu].pmus.first),
        .code = event->code,
        .umask = event->umask,
        .levels = BX_LEVELS,
    };
    if (p.counter)
        bx_vpmu_select(c, p.counter, &(bx_vheld){planned_value, &p}, &sel);
    return bx_model_produces(m->model, &sel);
}

/* ---- work ---- */

void bx_machine_unload(bx_machine *m)
{
    for (unsigned agent = 0; m->model && agent < BX_AGENTS; agent++)
        bx_model_feed(m->model, agent, NULL);
    bx_workload_free(m->workload);
    bx_tracer_free(m->tracer);
    bx_process_free(m->process);
    bx_frames_free(m->frames);
    m->workload = NULL;
    m->tracer = NULL;
    m->process = NULL;
    m->frames = NULL;
}

/* Makes room for new work: fresh memory, of which nothing has been touched. */
static int clear(bx_machine *m, bx_error *e)
{
    if (!m->model) {
        bx_fail(e, BX_NO_ACCESS, 0, 0, "only a virtual machine can be given a workload");
        bx_hint(e, "name a program: -- PROGRAM");
        return BX_NO_ACCESS;
    }
    bx_machine_unload(m);
    m->frames = bx_frames_new(FRAMES_SEED);
    return m->frames ? BX_OK : bx_fail(e, BX_NO_MEMORY, 0, 0, "out of memory");
}

static void hand_out(bx_machine *m)
{
    for (unsigned agent = 0; agent < BX_AGENTS; agent++)
        bx_model_feed(m->model, agent, bx_workload_feed(m->workload, agent));
}

int bx_machine_load_workload(bx_machine *m, const char *workload, bx_error *e)
{
    int rc = clear(m, e);
    if (rc == BX_OK)
        rc = bx_workload_new(workload, strlen(workload), m->topology.packages * m->topology.cores,
                             m->frames, &m->workload, e);
    if (rc == BX_OK)
        hand_out(m);
    return rc;
}

int bx_machine_load_program(bx_machine *m, char *const argv[], bx_error *e)
{
    if (!argv[0])
        return bx_fail(e, BX_BAD_INPUT, 0, 0, "no program is named");
    if (!m->model) {
        bx_machine_unload(m);
        return bx_process_new(argv, NULL, &m->process, e);
    }
    int rc = clear(m, e);
    if (rc == BX_OK)
        rc = bx_tracer_new(argv, m->frames, &m->tracer, e);
    if (rc == BX_OK)
        bx_model_feed(m->model, 0, bx_tracer_feed(m->tracer));
    return rc;
}

int bx_machine_run(bx_machine *m, uint64_t until, bool *done, bx_error *e)
{
    if (m->process)
        return bx_process_run(m->process, until, done, e);
    if (!m->model)
        return bx_fail(e, BX_BAD_INPUT, 0, 0, "there is no program to run");
    bool all = bx_model_run(m->model, until);
    int rc = m->tracer ? bx_tracer_check(m->tracer, e) : BX_OK;
    if (rc == BX_OK)
        *done = all;
    return rc;
}

void bx_machine_idle(bx_machine *m, uint64_t cycles)
{
    if (m->model)
        bx_model_idle(m->model, cycles);
}

uint64_t bx_machine_now(const bx_machine *m)
{
    if (!m->model)
        return bx_process_clock();
    bx_signals *signals = bx_model_signals(m->model);
    return signals->now(signals);
}

double bx_machine_hz(const bx_machine *m)
{
    return m->model ? (double)bx_topology_shape(&m->topology, "hz") : NS_A_SECOND;
}

int bx_machine_exit_status(const bx_machine *m)
{
    return m->tracer ? bx_tracer_status(m->tracer) : m->process ? bx_process_status(m->process) : 0;
}

pid_t bx_machine_pid(const bx_machine *m)
{
    return m->process ? bx_process_pid(m->process) : bx_tracer_pid(m->tracer);
}

uint64_t bx_machine_time_of(const bx_machine *m, uint64_t cycles)
{
    return m->model ? cycles : cycles / MOST_CYCLES_A_NS;
}

uint64_t bx_machine_accesses(const bx_machine *m)
{
    return m->model ? bx_model_accesses(m->model) : 0;
}

#include "machine/machine.h"

#include "host/helper/client.h"
#include "host/record/recorder.h"
#include "host/record/replay.h"
#include "host/system/owner.h"
#include "host/undo/journal.h"
#include "base/error.h"
#include "event/event.h"
#include "machine/program/host_program.h"
#include "machine/program/tracer.h"
#include "model/engine/frames.h"
#include "model/engine/workload.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* Seed of the order of page frames, whatever the workload's own seed is: docs/model.md. */
enum { FRAMES_SEED = 1 };

/* The host's unit of time is the ns; no counted clock has more cycles in one ns. */
enum { NS_A_SECOND = 1000000000, MOST_CYCLES_A_NS = 8 };

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
    return m->topology.cpu == BX_NONE ? -1 : m->topology.cpu;
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
    return pmu < BX_NONE && m->topology.cpu != BX_NONE
               ? bx_topology_units(&m->topology, (uint16_t)pmu)
               : 0;
}

bx_bus *bx_machine_bus(bx_machine *m)
{
    return m->bus;
}

/* An event on a counter, for computing the registers of its unit. */
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
    if (!m->model || event->pmu == BX_KERNEL)
        return !m->model;
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
        bx_vpmu_select(c, p.counter, &(bx_vreg_reader){planned_value, &p}, &sel);
    return bx_model_produces(m->model, &sel);
}

bx_vpmu *bx_machine_vpmu(const bx_machine *m)
{
    return m->vpmu;
}

bx_model *bx_machine_model(const bx_machine *m)
{
    return m->model;
}

/* ---- registers ---- */

bool bx_machine_is_direct(const bx_machine *m)
{
    return m->vpmu && m->bus == bx_vpmu_bus(m->vpmu);
}

bool bx_machine_is_shared(const bx_machine *m)
{
    return m->bus && m->host.cpus && !m->replay && !m->host.gathered;
}

/* ---- claims ---- */

/* What the process that has the lock counts: as in its journal, else its command line. */
static void tell_holder(pid_t pid, char *to, size_t room)
{
    bx_arena arena = {0};
    *to = '\0';
    for (const char *const *path = bx_journal_list(&arena); pid > 0 && *path && !*to; path++) {
        bx_journal j;
        if (bx_journal_read(*path, &arena, &j, NULL) == BX_OK && j.owner.pid == pid)
            snprintf(to, room, "%s", j.counts);
    }
    bx_arena_free(&arena);
    if (pid > 0 && !*to)
        bx_owner_command(pid, to, room);
}

static int taken(int package, pid_t pid, bx_error *e)
{
    char what[160];
    tell_holder(pid, what, sizeof what);
    if (pid == getpid())
        bx_fail(e, BX_NO_ACCESS, 0, 0, "this process counts on package %d already", package);
    else if (pid > 0)
        bx_fail(e, BX_NO_ACCESS, 0, 0, "process %d counts on package %d already: %s", (int)pid,
                package, what);
    else
        bx_fail(e, BX_NO_ACCESS, 0, 0, "another process counts on package %d already", package);
    if (e && !e->hint[0] && pid > 0)
        bx_hint(e, "wait for it to end, or end it: kill %d", (int)pid);
    return BX_NO_ACCESS;
}

int bx_machine_claim(bx_machine *m, unsigned package, bx_lock *l, bx_error *e)
{
    const bx_host *h = &m->host;
    const char *root = h->perf.root;
    pid_t holder = 0;
    int id = bx_package_of(root, h->cpus->logical[package * h->cpus->cores]);
    int err = h->helper ? bx_helper_claim(h->helper, package, &holder)
                        : bx_lock_take(l, bx_machine_number(root), id, &holder);
    if (err == 0)
        l->package = id;
    if (err == EADDRINUSE)
        return taken(id, holder, e);
    if (h->helper && err)
        return bx_helper_refusal(h->helper, err, e);
    return err ? bx_fail(e, BX_SYSTEM, 0, 0, "package %u cannot be locked: %s", package,
                         strerror(err))
               : BX_OK;
}

void bx_machine_release(bx_machine *m, unsigned package, bx_lock *l)
{
    if (m->host.helper && l->package >= 0)
        bx_helper_release(m->host.helper, package);
    bx_lock_drop(l);
    l->package = -1;
}

/* ---- a host ---- */

const char *bx_machine_no_access(const bx_machine *m)
{
    return m->host.no_access;
}

const char *bx_machine_helper(const bx_machine *m)
{
    return m->host.helper ? m->host.helper_socket : NULL;
}

bool bx_machine_lost_helper(const bx_machine *m)
{
    return m->host.helper && bx_helper_is_gone(m->host.helper);
}

bool bx_machine_is_gathered(const bx_machine *m)
{
    return m->host.gathered;
}

const char *bx_machine_root(const bx_machine *m)
{
    return m->root ? m->root : "";
}

const bx_cpus *bx_machine_cpus(const bx_machine *m)
{
    return m->host.cpus;
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

/* Unloads old work and makes fresh memory for new work. */
static int clear(bx_machine *m, bx_error *e)
{
    if (!m->model) {
        bx_fail(e, BX_NO_ACCESS, 0, 0, "only a virtual machine can be given a workload");
        bx_hint(e, "name a program: -- PROGRAM");
        return BX_NO_ACCESS;
    }
    bx_machine_unload(m);
    m->frames = bx_frames_new(FRAMES_SEED);
    return m->frames ? BX_OK : bx_out_of_memory(e);
}

static void feed_agents(bx_machine *m)
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
        feed_agents(m);
    return rc;
}

int bx_machine_load_program(bx_machine *m, char *const argv[], bx_error *e)
{
    if (!argv[0])
        return bx_fail(e, BX_BAD_INPUT, 0, 0, "no program is named");
    if (!m->model) {
        bx_machine_unload(m);
        return bx_process_new(argv, NULL, NULL, &m->process, e);
    }
    int rc = clear(m, e);
    if (rc == BX_OK)
        rc = bx_tracer_new(argv, m->frames, m->spawner, &m->tracer, e);
    if (rc == BX_OK)
        bx_model_feed(m->model, 0, bx_tracer_feed(m->tracer));
    return rc;
}

static int run(bx_machine *m, uint64_t until, bool *done, bx_error *e)
{
    if (m->process)
        return bx_process_run(m->process, until, done, e);
    if (!m->model)
        return bx_fail(e, BX_BAD_INPUT, 0, 0, "there is no program to run");
    bool all = bx_model_run(m->model, until);
    int rc = m->tracer ? bx_tracer_check(m->tracer, e) : BX_OK;
    if (all && bx_machine_waits(m)) {
        bx_model_feed(m->model, 0, bx_tracer_feed(m->tracer));
        all = false;
    }
    if (rc == BX_OK)
        *done = all;
    return rc;
}

int bx_machine_run(bx_machine *m, uint64_t until, bool *done, bx_error *e)
{
    if (m->replay)
        return bx_replay_run(m->replay, until, done, e);
    int rc = run(m, until, done, e);
    if (rc == BX_OK && m->recorder)
        rc = bx_recorder_ran(m->recorder, until, *done, bx_machine_exit_status(m), e);
    return rc;
}

bool bx_machine_waits(const bx_machine *m)
{
    return m->tracer && bx_tracer_waits(m->tracer);
}

int bx_machine_await(const bx_machine *m, bx_error *e)
{
    bx_tracer_await(m->tracer);
    return bx_tracer_check(m->tracer, e);
}

void bx_machine_spawn_by(bx_machine *m, const struct bx_spawner *spawner)
{
    m->spawner = spawner;
}

void bx_machine_idle(bx_machine *m, uint64_t cycles)
{
    if (m->model)
        bx_model_idle(m->model, cycles);
}

uint64_t bx_machine_now(const bx_machine *m)
{
    if (m->replay)
        return bx_replay_time(m->replay);
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
    if (m->replay)
        return bx_replay_status(m->replay);
    return m->tracer ? bx_tracer_status(m->tracer) : m->process ? bx_process_status(m->process) : 0;
}

int bx_machine_killed_by(const bx_machine *m)
{
    return m->tracer ? bx_tracer_signal(m->tracer) : m->process ? bx_process_signal(m->process) : 0;
}

pid_t bx_machine_pid(const bx_machine *m)
{
    return m->process ? bx_process_pid(m->process) : bx_tracer_pid(m->tracer);
}

bool bx_machine_begun(const bx_machine *m)
{
    return m->process && bx_process_begun(m->process);
}

bool bx_machine_changes_rights(const bx_machine *m)
{
    return m->process && bx_process_changes_rights(m->process);
}

uint64_t bx_machine_time_of(const bx_machine *m, uint64_t cycles)
{
    return m->model ? cycles : cycles / MOST_CYCLES_A_NS;
}

uint64_t bx_machine_accesses(const bx_machine *m)
{
    return m->model ? bx_model_accesses(m->model) : 0;
}

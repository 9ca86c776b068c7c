/* The functions of a machine that are the same for all backends. */
#include "machine/machine.h"

#include "base/error.h"
#include "model/engine/attribution_course.h"
#include "event/event.h"
#include "event/hint.h"
#include "host/helper/client.h"
#include "host/register_log/logger.h"
#include "machine/backend/backend.h"
#include "machine/program/process/attached.h"
#include "machine/program/process/host_program.h"
#include "machine/program/process/mark_server.h"
#include "machine/program/process/trace_tool.h"
#include "machine/program/tracer.h"
#include "tracer/environment.h"

#include <errno.h>
#include <string.h>

/* The host's unit of time is the ns. No counted clock makes more than 8 cycles in one ns. */
enum { MOST_CYCLES_A_NS = 8 };

bool bx_machine_is_virtual(const bx_machine *m)
{
    return m && m->backend->vpmu;
}

const char *bx_machine_name(const bx_machine *m)
{
    if (!m)
        return "";
    return m->name;
}

const char *bx_machine_chosen_because(const bx_machine *m)
{
    if (!m)
        return NULL;
    return *m->because ? m->because : NULL;
}

int bx_machine_cpu(const bx_machine *m)
{
    if (!m)
        return -1;
    return m->topology.cpu == BX_NONE ? -1 : m->topology.cpu;
}

unsigned bx_machine_packages(const bx_machine *m)
{
    if (!m)
        return 0;
    return m->topology.packages;
}

unsigned bx_machine_cores(const bx_machine *m)
{
    if (!m)
        return 0;
    return m->topology.cores;
}

unsigned bx_machine_units(const bx_machine *m, unsigned pmu)
{
    if (!m)
        return 0;
    return pmu < BX_NONE && m->topology.cpu != BX_NONE
               ? bx_topology_units(&m->topology, (uint16_t)pmu)
               : 0;
}

struct bx_bus *bx_machine_bus(bx_machine *m)
{
    return m->bus;
}

bool bx_machine_produces_at(const bx_machine *m, const bx_evsel *event, uint16_t place)
{
    const bx_backend *b = m->backend;
    return !b->calls.produces || b->calls.produces(b, event, place);
}

bool bx_machine_describe(const bx_machine *m, const bx_evsel *event, bx_buf *to)
{
    const struct bx_catalog *c = m->topology.catalog;
    const bx_backend *b = m->backend;
    return b->calls.describe && bx_event_is_valid(c, event) &&
           b->calls.describe(b, event, bx_event_reference_place(c, event), to);
}

bool bx_machine_produces(const bx_machine *m, const bx_evsel *event)
{
    if (!m || !event)
        return false;
    const struct bx_catalog *c = m->topology.catalog;
    uint16_t place = bx_event_is_valid(c, event) ? bx_event_reference_place(c, event) : BX_NONE;
    return bx_machine_produces_at(m, event, place);
}

bx_vpmu *bx_machine_vpmu(const bx_machine *m)
{
    return m->backend->vpmu;
}

bx_model *bx_machine_model(const bx_machine *m)
{
    return m->backend->model;
}

/* ---- registers ---- */

const bx_abilities *bx_machine_can(const bx_machine *m)
{
    return &m->backend->can;
}

bool bx_machine_has_banks(const bx_machine *m)
{
    bx_vpmu *vpmu = bx_machine_vpmu(m);
    return vpmu && m->bus == bx_vpmu_bus(vpmu);
}

bx_vpmu *bx_machine_bank(bx_machine *m, bool own, bx_error *e)
{
    return m->backend->calls.bank(m->backend, own, e);
}

void bx_machine_free_bank(bx_machine *m, bx_vpmu *bank)
{
    m->backend->calls.free_bank(m->backend, bank);
}

int bx_machine_check_interrupts(const bx_machine *m, bx_error *e)
{
    if (bx_machine_has_banks(m))
        return BX_OK;
    if (m->backend->vpmu)
        return bx_fail(e, BX_NO_ACCESS, 0, 0,
                       "a register log has accesses to registers only, and no interrupts (PMI)");
    bx_fail(e, BX_NO_ACCESS, 0, 0,
            "on a host no counter is made to overflow: its interrupt (PMI) would come to the "
            "kernel, which does not expect it");
    bx_hint(e, "a virtual machine has the same counters, as virtual:skl");
    return BX_NO_ACCESS;
}

int bx_machine_claim(bx_machine *m, unsigned package, bx_lock *l, bx_error *e)
{
    return m->backend->calls.claim ? m->backend->calls.claim(m->backend, package, l, e) : BX_OK;
}

void bx_machine_release(bx_machine *m, unsigned package, bx_lock *l)
{
    if (m->backend->calls.release)
        m->backend->calls.release(m->backend, package, l);
}

/* ---- a host ---- */

const char *bx_machine_no_access(const bx_machine *m)
{
    return m->backend->host->no_access;
}

const char *bx_machine_helper(const bx_machine *m)
{
    return m->backend->host->helper ? m->backend->host->helper_socket : NULL;
}

bool bx_machine_lost_helper(const bx_machine *m)
{
    return m->backend->host->helper && bx_helper_is_gone(m->backend->host->helper);
}

const char *bx_machine_root(const bx_machine *m)
{
    return m->backend->host->perf.root;
}

const bx_cpus *bx_machine_cpus(const bx_machine *m)
{
    return m->backend->host->cpus;
}

/* ---- work ---- */

void bx_machine_unload(bx_machine *m)
{
    m->backend->calls.unload(m->backend);
}

int bx_machine_load_workload(bx_machine *m, const char *workload, bx_error *e)
{
    if (!m)
        return bx_missing(e, "machine");
    if (!workload)
        return bx_missing(e, "workload");
    return m->backend->calls.load(m->backend, &(bx_work){.workload = workload}, e);
}

int bx_machine_load_program(bx_machine *m, char *const argv[], bx_error *e)
{
    if (!m)
        return bx_missing(e, "machine");
    if (!argv)
        return bx_missing(e, "program");
    return argv[0] ? m->backend->calls.load(m->backend, &(bx_work){.program = argv}, e)
                   : bx_fail(e, BX_BAD_INPUT, 0, 0, "no program is named");
}

int bx_machine_load_trace(bx_machine *m, const char *file, bx_error *e)
{
    if (!m)
        return bx_missing(e, "machine");
    if (!file)
        return bx_missing(e, "trace");
    return m->backend->calls.load(m->backend, &(bx_work){.trace = file}, e);
}

int bx_machine_attach(bx_machine *m, const int *ids, size_t n, bool threads, bx_error *e)
{
    if (!m)
        return bx_missing(e, "machine");
    if (!ids && n)
        return bx_missing(e, "process");
    if (m->backend->can.takes_running)
        return m->backend->calls.load(m->backend,
                                      &(bx_work){.attach = &(bx_attach){ids, n, threads}}, e);
    bx_fail(e, BX_NO_ACCESS, 0, 0, "on a virtual machine nothing runs that was not started for it");
    bx_hint(e, "attach on the machine 'host', or start the program on the virtual one");
    return BX_NO_ACCESS;
}

int bx_machine_run(bx_machine *m, uint64_t until, bool *done, bx_error *e)
{
    bool ignored;
    done = done ? done : &ignored;
    if (!m)
        return bx_missing(e, "machine");
    int code = m->backend->calls.run(m->backend, until, done, e);
    if (code == BX_OK && m->logger)
        code = bx_register_logger_ran(m->logger, until, *done, bx_machine_exit_status(m), e);
    return code;
}

void bx_machine_end_replay_if(bx_machine *m, bool (*interrupted)(void))
{
    m->backend->interrupted = interrupted;
}

bool bx_machine_waits(const bx_machine *m)
{
    return m->backend->tracer && bx_tracer_waits(m->backend->tracer);
}

int bx_machine_await(const bx_machine *m, bx_error *e)
{
    bx_tracer_await(m->backend->tracer);
    return bx_tracer_check(m->backend->tracer, e);
}

const char *bx_machine_lackey_because(const bx_machine *m, const char *program)
{
    return m->backend->can.traces ? bx_trace_tool_missing(program) : NULL;
}

bool bx_machine_work_tells(const bx_machine *m, const bx_evsel *event, uint16_t place)
{
    const bx_backend *b = m->backend;
    bool by_lackey =
        (b->tracer && bx_tracer_is_lackey(b->tracer)) || bx_machine_note(m, "lackey").n;
    return !by_lackey || !b->calls.needs_remarks || !b->calls.needs_remarks(b, event, place);
}

void bx_machine_spawn_by(bx_machine *m, const struct bx_spawner *spawner)
{
    m->backend->spawner = spawner;
}

bx_surroundings bx_machine_surroundings(const bx_machine *m)
{
    return m->backend->shown;
}

int bx_machine_on_mark(bx_machine *m, bx_mark_fn *fn, void *context, bx_error *e)
{
    bx_backend *b = m->backend;
    if (m->logger || b->can.is_recorded)
        return bx_fail(e, BX_NO_ACCESS, 0, 0, "regions are not recorded");
    if (fn && b->at_mark)
        return bx_fail(e, BX_NO_ACCESS, 0, 0,
                       "another session counts regions on this machine already");
    b->at_mark = fn;
    b->mark_context = context;
    if (!b->calls.takes_marks || b->calls.takes_marks(b, fn))
        return BX_OK;
    b->at_mark = NULL;
    return bx_fail(e, BX_SYSTEM, 0, 0, "regions cannot be counted: %s", strerror(errno));
}

int bx_machine_follow_functions(bx_machine *m, const char *const *regions, size_t n, bx_error *e)
{
    bx_backend *b = m->backend;
    size_t functions = 0;
    for (size_t i = 0; i < n; i++)
        functions += bx_region_function(regions[i]) != NULL;
    if (functions > BX_TRACE_FUNCTIONS)
        return bx_fail(e, BX_NO_FIT, 0, 0, "%zu functions are regions, and %d can be followed",
                       functions, BX_TRACE_FUNCTIONS);
    for (size_t i = 0; i < n; i++)
        if (bx_region_function(regions[i]) && !b->can.traces) {
            bx_fail(e, BX_NO_ACCESS, 0, 0,
                    "'%s': only a virtual machine sees the calls of a function",
                    bx_quote(bx_str_of(regions[i])).text);
            bx_hint(e, "mark the region in the program: boxscore/region.h");
            return BX_NO_ACCESS;
        }
    b->functions = regions;
    b->functions_n = n;
    return BX_OK;
}

void bx_machine_idle(bx_machine *m, uint64_t cycles)
{
    if (m->backend->model)
        bx_model_idle(m->backend->model, cycles);
}

uint64_t bx_machine_now(const bx_machine *m)
{
    if (!m)
        return 0;
    return m->backend->calls.now(m->backend);
}

double bx_machine_hz(const bx_machine *m)
{
    if (!m)
        return 0;
    return m->backend->hz;
}

int bx_machine_exit_status(const bx_machine *m)
{
    if (!m)
        return 0;
    return m->backend->ended.status;
}

int bx_machine_killed_by(const bx_machine *m)
{
    return m->backend->ended.signal;
}

volatile int *bx_machine_end_all(const bx_machine *m)
{
    return m->backend->tracer ? bx_tracer_end_all(m->backend->tracer) : NULL;
}

pid_t bx_machine_pid(const bx_machine *m)
{
    return m->backend->tracer ? bx_tracer_pid(m->backend->tracer)
                              : bx_process_pid(m->backend->process);
}

const char *bx_machine_untraced(const bx_machine *m)
{
    return m->backend->tracer ? bx_tracer_untraced(m->backend->tracer) : NULL;
}

const char *bx_machine_left(const bx_machine *m)
{
    return m->backend->tracer ? bx_tracer_left(m->backend->tracer) : NULL;
}

bool bx_machine_order_waits(const bx_machine *m, bx_machine_waits_in_order *to)
{
    const bx_backend *b = m->backend;
    bx_task_counts tasks;
    if (!b->tracer || !bx_tracer_tasks(b->tracer, &tasks) || !tasks.waits)
        return false;
    double ns = 1e9 / (double)bx_topology_shape(&b->topology, "hz"); /* of a cycle */
    *to = (bx_machine_waits_in_order){.n = tasks.waits,
                                      .sum = ns * (double)tasks.waited,
                                      .longest = ns * (double)tasks.longest_wait,
                                      .time = ns * (double)tasks.time};
    return true;
}

const char *bx_machine_notes(const bx_machine *m, bool *cut)
{
    *cut = false;
    return m->backend->tracer ? bx_tracer_notes(m->backend->tracer, cut) : NULL;
}

uint64_t bx_machine_refused_marks(const bx_machine *m)
{
    const bx_backend *b = m->backend;
    return b->refused_marks + (b->marks ? bx_mark_server_refused(b->marks) : 0);
}

const bx_tracefile_reader *bx_machine_trace(const bx_machine *m)
{
    return m->backend->tracer ? bx_tracer_file(m->backend->tracer) : NULL;
}

const struct bx_attached_thread *bx_machine_attached(const bx_machine *m, size_t *n)
{
    *n = 0;
    return m->backend->attached ? bx_attached_threads(m->backend->attached, n) : NULL;
}

bool bx_machine_begun(const bx_machine *m)
{
    return m->backend->process && bx_process_begun(m->backend->process);
}

bool bx_machine_changes_rights(const bx_machine *m)
{
    return m->backend->process && bx_process_changes_rights(m->backend->process);
}

uint64_t bx_machine_time_of(const bx_machine *m, uint64_t cycles)
{
    return m->backend->can.counts_cycles ? cycles : cycles / MOST_CYCLES_A_NS;
}

uint64_t bx_machine_accesses(const bx_machine *m)
{
    return m && m->backend->model ? bx_model_accesses(m->backend->model) : 0;
}

void bx_machine_bear_witness(bx_machine *m, struct bx_witness *w)
{
    m->backend->witness = w;
}

int bx_machine_attribute(bx_machine *m, const bx_attribute_ask *ask, size_t n, unsigned events,
                         bool *told, bx_error *e)
{
    if (!m->backend->calls.attribute)
        return bx_fail(e, BX_NO_ACCESS, 0, 0, "hardware does not tell who causes what it counts");
    return m->backend->calls.attribute(m->backend, ask, n, events, told, e);
}

struct bx_attribution *bx_machine_attributed(bx_machine *m)
{
    bx_model *model = m->backend->model;
    if (model && model->attribution)
        bx_attribution_settle(model);
    return model ? model->attribution : NULL;
}

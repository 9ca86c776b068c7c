/* The backend of a virtual machine: virtual PMUs, and a model that runs the work. */
#include "machine/backend/backend.h"
#include "machine/backend/virtual_events.h"
#include "machine/virtual_cpuid.h"
#include "machine/virtual_shape.h"

#include "base/bits.h"
#include "base/error.h"
#include "catalog/policies.h"
#include "event/event.h"
#include "machine/program/decode/witness.h"
#include "machine/program/task/core_list.h"
#include "machine/program/tracer.h"
#include "model/core/tlb.h"
#include "model/engine/core_time.h"
#include "model/part/branch_predictor.h"
#include "model/engine/frames.h"
#include "model/engine/workload.h"
#include "vpmu/signal_share.h"

#include <stdlib.h>
#include <string.h>

/* Seed of the order of page frames; the workload has a seed of its own:
 * docs/explanation/model-memory.md.
 */
enum { FRAMES_SEED = 1, HUGE_PAGE_BYTES = 2 << 20 };

typedef struct bx_virtual {
    bx_backend base;
    struct bx_signal_share *share; /* the model's signals, for each bank of registers */
    struct bx_frames *frames;      /* page frames of the work, or NULL */
    bx_core_list threads;          /* the cores that threads of programs run on */
    bx_core_time core;             /* what instructions cost */
    bx_tlb_geometry tlbs;          /* of its cores, with tlb=on */
    bool fixed_threads;            /* programs do not choose their cores */
    bool kernel_accesses;          /* also make the accesses that a kernel makes for programs */
    bool huge_pages;               /* use huge pages for the memory of workloads */
    enum bx_thp thp;               /* the same of programs; never BX_THP_OWN */
    uint64_t claimed;              /* packages (mask) that a session writes to */
    bx_selection cycles;   /* what a core's cycles are counted by; code UINT16_MAX: nothing */
    bx_task_counts before; /* of programs that are no longer loaded */
} bx_virtual;

static bx_virtual *virtual_of(bx_backend *b)
{
    return (bx_virtual *)b;
}

/* ---- what a kernel counts ---- */

static void choose_cycles(bx_virtual *v)
{
    const bx_topology *t = &v->base.topology;
    static const char name[] = "cycles";
    bx_evsel event;
    bool by_cycle;
    v->cycles = (bx_selection){.code = UINT16_MAX};
    if (bx_event_parse(t->catalog, t->cpu, name, sizeof name - 1, &event, NULL) == BX_OK)
        v->cycles = bx_virtual_selection(&v->base, &event, BX_NONE, &by_cycle);
}

/* `cycles` of a clock in ns, rounded down. */
static uint64_t ns_of(uint64_t cycles, uint64_t hz)
{
    enum { NS = 1000000000 };
    return cycles / hz * NS + cycles % hz * NS / hz;
}

/* The cycles in which cores had work. false: the model does not count them. */
static bool busy_cycles(const bx_virtual *v, uint64_t *sum)
{
    const bx_topology *t = &v->base.topology;
    bx_signals *signals = bx_model_signals(v->base.model);
    bx_selection sel = v->cycles;
    *sum = 0;
    for (sel.package = 0; sel.package < t->packages; sel.package++)
        for (sel.unit = 0; sel.unit < t->cores; sel.unit++) {
            uint64_t one;
            if (!signals->tally(signals, &sel, &one))
                return false;
            *sum += one;
        }
    return true;
}

/* The counts of all programs that were loaded. false: the work is no program, or nobody knows. */
static bool task_counts(const bx_virtual *v, bx_task_counts *to)
{
    bx_task_counts now = {0};
    bool known = v->base.tracer ? bx_tracer_tasks(v->base.tracer, &now) : !v->base.workload;
    to->page_faults = v->before.page_faults + now.page_faults;
    to->switches = v->before.switches + now.switches;
    to->migrations = v->before.migrations + now.migrations;
    return known;
}

static bool kernel_count(const bx_backend *b, enum bx_kernel_count which, uint64_t *value)
{
    const bx_virtual *v = (const bx_virtual *)b;
    const bx_topology *t = &b->topology;
    uint64_t hz = bx_topology_shape(t, "hz"), core_hz = bx_topology_shape(t, "core_hz");
    bx_signals *signals = bx_model_signals(b->model);
    bx_task_counts tasks;
    switch (which) {
    case BX_KERNEL_TIME:
        *value = ns_of(signals->now(signals), hz);
        return true;
    case BX_KERNEL_BUSY:
        if (!busy_cycles(v, value))
            return false;
        *value = ns_of(*value, core_hz ? core_hz : hz);
        return true;
    case BX_KERNEL_PAGE_FAULTS:
    case BX_KERNEL_SWITCHES:
    case BX_KERNEL_MIGRATIONS: {
        bool known = task_counts(v, &tasks);
        *value = which == BX_KERNEL_PAGE_FAULTS ? tasks.page_faults
                 : which == BX_KERNEL_SWITCHES  ? tasks.switches
                                                : tasks.migrations;
        return known;
    }
    default:
        return false;
    }
}

/* ---- work ---- */

static bx_feed *feed_of(const bx_virtual *v, unsigned agent)
{
    return v->base.workload ? bx_workload_feed(v->base.workload, agent)
           : v->base.tracer ? bx_tracer_feed(v->base.tracer, agent)
                            : NULL;
}

static void feed_agents(const bx_virtual *v)
{
    for (unsigned agent = 0; agent < BX_AGENTS; agent++)
        bx_model_feed(v->base.model, agent, feed_of(v, agent));
}

static void unload(bx_backend *b)
{
    bx_virtual *v = virtual_of(b);
    struct bx_workload *workload = v->base.workload;
    bx_tracer *tracer = v->base.tracer;
    task_counts(v, &v->before);
    v->base.workload = NULL;
    v->base.tracer = NULL;
    feed_agents(v); /* while the feeds still exist */
    bx_workload_free(workload);
    bx_tracer_free(tracer);
    bx_frames_free(v->frames);
    v->frames = NULL;
    b->ended.status = b->ended.signal = 0;
}

/* The model catches up first, so that the signals have the time of the mark. */
static void at_mark(void *context, const bx_mark *mark)
{
    const bx_virtual *v = context;
    if (!v->base.at_mark)
        return;
    bx_model_catch_up(v->base.model);
    v->base.at_mark(v->base.mark_context, mark);
}

/* RDPMC of a program, at privilege level 3. The first session counts in these registers. */
static bool read_counter(void *context, unsigned core, uint32_t counter, uint64_t *value)
{
    const bx_virtual *v = context;
    bool pce = bx_topology_shape(&v->base.topology, "pce");
    bx_model_catch_up(v->base.model);
    return bx_vpmu_rdpmc(v->base.vpmu, core, counter, 3, pce, BX_MODE_PROTECTED, value) == 0;
}

static bool prefetches(const bx_virtual *v)
{
    return bx_topology_shape(&v->base.topology, "prefetch") != 0;
}

/* Refuses a workload of devices that the machine does not have. */
static int check_devices(bx_virtual *v, const char *spec, bx_error *e)
{
    unsigned missing =
        bx_workload_device_accesses(v->base.workload) & ~bx_model_device_accesses(v->base.model);

    if (!missing)
        return BX_OK;
    bx_workload_free(v->base.workload);
    v->base.workload = NULL;
    int code = bx_fail(e, BX_NO_FIT, 0, strlen(spec), "this machine has no device with %s",
                       missing & BX_DEVICE_PORTS ? "I/O ports" : "registers that cores could use");
    bx_hint(e, "%s",
            missing & BX_DEVICE_PORTS ? "virtual:p6 has one"
                                      : "virtual:nhmex and virtual:p6 have one");
    return code;
}

static int new_workload(bx_virtual *v, const char *spec, unsigned cores, bx_error *e)
{
    const bx_tlb_geometry *tlb = bx_model_tlb(v->base.model);
    int code = bx_workload_new(spec, strlen(spec), cores, v->frames, &v->base.workload, e);
    if (code == BX_OK)
        code = check_devices(v, spec, e);
    if (code == BX_OK && tlb && !bx_workload_translate(v->base.workload, tlb, v->frames))
        code = bx_out_of_memory(e);
    if (code == BX_OK && prefetches(v) && !bx_workload_prefetch(v->base.workload))
        code = bx_out_of_memory(e);
    if (code == BX_OK &&
        !bx_workload_execute(v->base.workload, &v->core, bx_model_wants_remarks(v->base.model)))
        code = bx_out_of_memory(e);
    return code;
}

/* Whether each package has its own part of the memory. If not, packages have pages in turn. */
static bool is_divided(const bx_virtual *v, bool workload)
{
    uint64_t numa = bx_topology_shape(&v->base.topology, "numa");
    return numa == BX_NUMA_FIRST_TOUCH || (numa == BX_NUMA_OWN && !workload);
}

static void divide_memory(bx_virtual *v, bool workload)
{
    unsigned nodes = is_divided(v, workload) ? v->base.topology.packages : 1;
    bx_model_divide_memory(v->base.model, nodes);
    bx_frames_divide(v->frames, nodes);
}

static int load_virtual(bx_backend *b, const bx_work *work, bx_error *e)
{
    bx_virtual *v = virtual_of(b);
    unsigned cores = b->topology.packages * b->topology.cores;
    bx_tracer_options o = {.by = v->base.spawner,
                           .model = v->base.model,
                           .cores = &v->threads,
                           .fixed_cores = v->fixed_threads,
                           .kernel = v->kernel_accesses,
                           .remarks = bx_model_wants_remarks(v->base.model),
                           .tlb = bx_model_tlb(v->base.model),
                           .core = v->core,
                           .prefetch = prefetches(v),
                           .shown = v->base.shown,
                           .at_mark = at_mark,
                           .read_counter = read_counter,
                           .context = v,
                           .interrupted = v->base.interrupted,
                           .witness = v->base.witness};
    unload(b);
    o.shown.functions = v->base.functions;
    o.shown.functions_n = v->base.functions_n;
    if (o.witness)
        o.shown.allocators = o.witness->allocators;
    bool huge = work->workload ? v->huge_pages : v->thp != BX_THP_NEVER;
    v->frames = huge ? bx_frames_new_huge(FRAMES_SEED) : bx_frames_new(FRAMES_SEED);
    if (v->frames) {
        if (v->thp == BX_THP_MADVISE)
            bx_frames_for_advised(v->frames);
        bx_frames_set_line(v->frames, bx_model_line_shift(v->base.model));
        divide_memory(v, work->workload != NULL);
    }
    int code = !v->frames       ? bx_out_of_memory(e)
               : work->workload ? new_workload(v, work->workload, cores, e)
               : work->trace    ? bx_tracer_replay(work->trace, v->frames, &o, &v->base.tracer, e)
                                : bx_tracer_new(work->program, v->frames, &o, &v->base.tracer, e);
    if (v->base.workload)
        bx_workload_time(v->base.workload, &v->core);
    feed_agents(v);
    return code;
}

static int run_virtual(bx_backend *b, uint64_t until, bool *done, bx_error *e)
{
    bx_virtual *v = virtual_of(b);
    if (v->base.tracer)
        bx_tracer_go_on(v->base.tracer);
    bool all = bx_model_run(v->base.model, until);
    if (v->base.tracer && all)
        all = bx_tracer_ends(v->base.tracer);
    bool short_of = bx_model_out_of_memory(v->base.model) ||
                    bx_signal_share_out_of_memory(v->share) ||
                    (v->frames && bx_frames_out_of_memory(v->frames));
    int code = short_of ? bx_out_of_memory(e) : BX_OK;
    if (v->base.tracer && code == BX_OK) {
        code = bx_tracer_check(v->base.tracer, e);
        b->ended.status = bx_tracer_status(v->base.tracer);
        b->ended.signal = bx_tracer_signal(v->base.tracer);
    }
    if (code == BX_OK)
        *done = all;
    return code;
}

static uint64_t now(const bx_backend *b)
{
    bx_signals *signals = bx_model_signals(b->model);
    return signals->now(signals);
}

/* ---- claims ---- */

/* Claims the first bank. A second session has banks of its own, unless its accesses are recorded.
 */
static int claim(bx_backend *b, unsigned package, bx_lock *l, bx_error *e)
{
    uint64_t bit = UINT64_C(1) << package;
    if (virtual_of(b)->claimed & bit) {
        bx_fail(e, BX_NO_ACCESS, 0, 0,
                "another session counts on package %u of this machine already", package);
        bx_hint(e, "stop that session first: only one bank of registers can be recorded");
        return BX_NO_ACCESS;
    }
    virtual_of(b)->claimed |= bit;
    l->package = (int)package;
    return BX_OK;
}

static void release_virtual(bx_backend *b, unsigned package, bx_lock *l)
{
    if (l->package >= 0)
        virtual_of(b)->claimed &= ~(UINT64_C(1) << package);
    l->package = -1;
}

/* ---- banks ---- */

static bx_signals *signals_for_bank(bx_virtual *v, bx_error *e)
{
    bx_signals *signals = bx_signal_share_add(v->share);
    if (!signals)
        bx_out_of_memory(e);
    return signals;
}

/* The first bank, or a new one if another session has claimed that. */
static bx_vpmu *bank(bx_backend *b, bool own, bx_error *e)
{
    bx_virtual *v = virtual_of(b);
    if (!own && !v->claimed)
        return b->vpmu;
    bx_signals *signals = signals_for_bank(v, e);
    bx_vpmu *made = signals ? bx_vpmu_new_bank(b->vpmu, signals, e) : NULL;
    if (!made)
        bx_signal_share_remove(v->share, signals);
    return made;
}

static void free_bank(bx_backend *b, bx_vpmu *bank)
{
    if (!bank || bank == b->vpmu)
        return;
    bx_signals *signals = bx_vpmu_signals(bank);
    bx_vpmu_free(bank);
    bx_signal_share_remove(virtual_of(b)->share, signals);
}

/* ---- opening and closing ---- */

static void close_virtual(bx_backend *b)
{
    bx_vpmu_free(b->vpmu);
    bx_signal_share_free(virtual_of(b)->share);
    bx_model_free(b->model);
    free(b);
}

/* The CPU features of the modelled CPU. */
static const char *features_of(const bx_topology *t)
{
    const char *features = bx_cat_z(t->catalog, bx_cat_cpus(t->catalog)[t->cpu].features);
    return *features ? features : "sse2"; /* all 64-bit CPUs have SSE2 */
}

/* pages: whether they are huge by the key `pages`. */
static enum bx_thp huge_of_programs(const bx_topology *t, bool pages)
{
    enum bx_thp thp = (enum bx_thp)bx_topology_shape(t, "thp");
    if (thp != BX_THP_OWN)
        return thp;
    return pages ? BX_THP_ALWAYS : BX_THP_NEVER;
}

bx_backend *bx_backend_virtual(const bx_topology *t, const bx_machine_options *o, bx_error *e)
{
    static const bx_backend_functions calls = {.load = load_virtual,
                                               .unload = unload,
                                               .run = run_virtual,
                                               .now = now,
                                               .close = close_virtual,
                                               .claim = claim,
                                               .release = release_virtual,
                                               .produces = bx_virtual_produces,
                                               .describe = bx_virtual_describe,
                                               .needs_remarks = bx_virtual_needs_remarks,
                                               .kernel_count = kernel_count,
                                               .attribute = bx_virtual_attribute,
                                               .bank = bank,
                                               .free_bank = free_bank};
    bx_virtual *v = calloc(1, sizeof *v);
    if (!v) {
        bx_out_of_memory(e);
        return NULL;
    }
    v->core = bx_virtual_core_time(t);
    v->tlbs = bx_virtual_tlbs(t);
    bx_model_shape shape = bx_virtual_shape(t);
    shape.tlbs = bx_topology_shape(t, "itlb") ? &v->tlbs : NULL;
    v->base = (bx_backend){.calls = calls,
                           .can = {.counts_cycles = true, .traces = true},
                           .hz = (double)bx_topology_shape(t, "hz"),
                           .topology = *t,
                           .host = &bx_backend_no_facts};
    v->kernel_accesses = !o->no_kernel_accesses;
    v->huge_pages = bx_topology_shape(t, "pages") == HUGE_PAGE_BYTES;
    v->thp = huge_of_programs(t, v->huge_pages);
    v->base.shown.features = o->host_features ? NULL : features_of(t);
    bx_virtual_cpuid_text(t, v->base.shown.cpuid);
    if (bx_core_list_parse(o->threads, t, &v->threads, e) == BX_OK &&
        bx_predictor_check(&v->core.predictor, e) == BX_OK)
        v->base.model = bx_model_new(bx_virtual_model(t), &shape, e);
    v->base.shown.cpus = v->threads.n;
    v->base.topology.socket = v->threads.core[0] / t->cores;
    v->base.shown.nodes = is_divided(v, false) ? t->packages : 1;
    for (unsigned i = 0; v->base.shown.nodes > 1 && i < v->threads.n; i++)
        v->base.shown.cpu_nodes[i] = (char)('0' + v->threads.core[i] / t->cores);
    v->fixed_threads = o->threads != NULL;
    v->base.shown.turn = (unsigned)o->turn;
    v->share = v->base.model ? bx_signal_share_new(bx_model_signals(v->base.model)) : NULL;
    if (v->base.model && !v->share)
        bx_out_of_memory(e);
    bx_signals *signals = v->share ? signals_for_bank(v, e) : NULL;
    v->base.vpmu = signals ? bx_vpmu_new(&v->base.topology, signals, e) : NULL;
    if (!v->base.vpmu) {
        close_virtual(&v->base);
        return NULL;
    }
    v->base.bus = bx_vpmu_bus(v->base.vpmu);
    choose_cycles(v);
    return &v->base;
}

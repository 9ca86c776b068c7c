/* Chooses the events that the kernel counts, and the PMU and CPU for each of them. */
#include "base/grow.h"
#include "session/kernel_counters.h"

#include "base/buf.h"
#include "base/error.h"
#include "event/event.h"
#include "event/foreign_names.h"
#include "machine/kernel_events.h"
#include "machine/program/process/attached.h"
#include "schedule/schedule.h"

#include <string.h>

enum { NO_CPU = -2 };

enum { SOFTWARE = 1 }; /* PERF_TYPE_SOFTWARE, for example page faults and context switches */

static int add_assignment(bx_kernel *k, const bx_kernel_assignment *assignment, bx_error *e)
{
    bx_kernel_assignment *all = bx_grow(k->assignments, k->n, &k->room, sizeof *all, 16);
    if (!all)
        return bx_out_of_memory(e);
    k->assignments = all;
    if (k->n >= BX_NONE)
        return bx_fail(e, BX_BAD_INPUT, 0, 0, "%zu counters at once are too many", k->n);
    k->assignments[k->n++] = *assignment;
    return BX_OK;
}

/* Whether the event may be in a kernel event group that the user did not request. Such a group must
 * not keep an event from being counted. An uncore PMU is safe: the kernel accepts only a group that
 * fits. On a core PMU, the watchdog may use one of the counters. */
static bool can_join(const bx_perf_source *source)
{
    return source->config.type == SOFTWARE || (source->pmu && source->pmu->cpus_n);
}

/* Adds a counter of a CPU, or one for each cgroup. */
static int add_on_cpu(bx_kernel *k, bx_kernel_assignment *assignment, bx_error *e)
{
    int code = BX_OK;
    assignment->cgroup = 0;
    for (size_t i = 0; !code && i < k->cgroups_n; i++) {
        assignment->cgroup = (uint16_t)(i + 1);
        code = add_assignment(k, assignment, e);
    }
    return k->cgroups_n ? code : add_assignment(k, assignment, e);
}

/* Whether the PMU counts on the CPU: one of a hybrid CPU's cores is not on the others. */
static bool is_on(const bx_perf_pmu *pmu, uint16_t cpu)
{
    bool found = !pmu || !pmu->hybrid;
    for (size_t i = 0; !found && i < pmu->cores_n; i++)
        found = pmu->cores[i] == cpu;
    return found;
}

/* "0-3,6" */
static void add_ranges(bx_buf *to, const uint16_t *cpus, size_t n)
{
    for (size_t i = 0, last; i < n; i = last + 1) {
        last = i;
        while (last + 1 < n && cpus[last + 1] == cpus[last] + 1)
            last++;
        bx_buf_f(to, "%s%u", i ? "," : "", cpus[i]);
        if (last > i)
            bx_buf_f(to, "-%u", cpus[last]);
    }
}

/* Refuses an event of core PMUs that count on none of the chosen CPUs; the hint has those that they
 * count on. */
static int refuse_cpus(const bx_perf_source *sources, size_t n, bx_error *e)
{
    bx_buf names = {0}, places = {.whole = &names.failed};
    for (size_t i = 0; i < n; i++) {
        const bx_perf_pmu *pmu = sources[i].pmu;
        bx_buf_f(&names, "%s%s", i ? ", " : "", pmu->name);
        bx_buf_f(&places, "%s%s counts on ", i ? "; " : "", pmu->name);
        add_ranges(&places, pmu->cores, pmu->cores_n);
    }
    int code = names.failed ? bx_out_of_memory(e)
                            : bx_fail(e, BX_NO_FIT, 0, 0, "%s %s on none of these CPUs",
                                      bx_buf_text(&names), n > 1 ? "count" : "counts");
    if (code == BX_NO_FIT)
        bx_hint(e, "%s", bx_buf_text(&places));
    bx_buf_free(&names);
    bx_buf_free(&places);
    return code;
}

/* Adds a counter that follows the program, or one for each attached thread. If CPUs were named,
 * adds those of each CPU instead: none if the PMU counts on none of them. pmu: NULL: it needs no
 * description. */
static int add_following(bx_kernel *k, const bx_perf_pmu *pmu, bx_kernel_assignment *assignment,
                         bx_error *e)
{
    size_t threads;
    const bx_attached_thread *thread = bx_machine_attached(k->machine, &threads);
    int code = BX_OK;
    for (size_t i = 0; !code && i < k->cpus_n; i++) {
        unsigned package, core;
        if (!bx_cpus_locate(bx_machine_cpus(k->machine), k->cpus[i], &package, &core))
            return bx_fail(e, BX_NO_ACCESS, 0, 0, "CPU %u is not online", k->cpus[i]);
        if (!is_on(pmu, k->cpus[i]))
            continue;
        assignment->cpu = k->cpus[i];
        assignment->on_cpu = true;
        assignment->package = (uint16_t)package;
        assignment->unit = (uint16_t)core;
        code = add_on_cpu(k, assignment, e);
    }
    for (size_t i = 0; !code && !k->cpus_n && i < threads; i++) {
        assignment->task = thread[i].id;
        code = add_assignment(k, assignment, e);
    }
    return code || k->cpus_n || threads ? code : add_assignment(k, assignment, e);
}

/* ---- events that only the kernel has ---- */

static int add_of_kernel(bx_kernel *k, size_t which, const bx_perf_event *event, bx_error *e)
{
    size_t before = k->n;
    int code = BX_OK;
    for (size_t s = 0; code == BX_OK && s < event->n; s++) {
        const bx_perf_source *source = &event->sources[s];
        bx_kernel_assignment assignment = {.event = (uint16_t)which,
                                           .unit = event->n > 1 ? (uint16_t)s : BX_PROGRAM,
                                           .port = BX_ANY,
                                           .config = source->config,
                                           .cpu = BX_PERF_TASK,
                                           .joins = can_join(source)};
        size_t cpus = source->pmu ? source->pmu->cpus_n : 0;
        if (!cpus)
            code = add_following(k, source->pmu, &assignment, e);
        for (size_t i = 0; code == BX_OK && i < cpus; i++) {
            unsigned package, unit;
            bx_machine_kernel_location(k->machine, event, s, i, &package, &unit);
            assignment.package = (uint16_t)package;
            assignment.unit = (uint16_t)unit;
            assignment.cpu = source->pmu->cpus[i];
            code = add_assignment(k, &assignment, e);
        }
    }
    /* One type of core is enough: the chosen CPUs may be of one type. */
    return code == BX_OK && k->n == before ? refuse_cpus(event->sources, event->n, e) : code;
}

/* With another root folder, the PMU numbers in its files are not those of the running kernel. */
static bool is_elsewhere(const bx_perf *perf, const bx_perf_event *event)
{
    return perf->foreign && !event->sources[0].config.file &&
           (event->sources[0].pmu || event->sources[0].config.type != SOFTWARE);
}

static int take_of_kernel(bx_kernel *k, size_t which, bx_error *e)
{
    const bx_perf_event *event = bx_machine_kernel_event(k->machine, &k->events[which]);
    if (!event)
        return bx_fail(e, BX_BAD_INPUT, 0, 0, "this event is one of another machine's kernel");
    bool modelled = !bx_machine_perf(k->machine);
    if (modelled ? !bx_machine_has_banks(k->machine)
                 : bx_machine_perf(k->machine)->driver == BX_DRIVER_REGISTERS) {
        bx_fail(e, BX_NO_FIT, 0, 0, "'%s' is counted by the kernel, not by registers", event->name);
        bx_hint(e, modelled ? "a recording has accesses to registers: leave it out"
                            : "choose no driver");
        return BX_NO_FIT;
    }
    if (modelled)
        return add_assignment(
            k,
            &(bx_kernel_assignment){
                .event = (uint16_t)which, .unit = BX_PROGRAM, .port = BX_ANY, .cpu = BX_PERF_TASK},
            e);
    if (is_elsewhere(bx_machine_perf(k->machine), event)) {
        bx_fail(e, BX_NO_ACCESS, 0, 0,
                "'%s' is counted by the kernel of another machine, not of this one", event->name);
        bx_hint(e, "open the machine without a root folder");
        return BX_NO_ACCESS;
    }
    return add_of_kernel(k, which, event, e);
}

/* ---- events of the catalogue ---- */

/* The selection on one unit and port. Registers that ports share are determined again. */
static int on_unit(const struct bx_catalog *c, const bx_evsel *event, unsigned unit, int port,
                   bx_evsel *to, bx_error *e)
{
    *to = *event;
    to->unit = (int16_t)unit;
    to->package = BX_ANY;
    if (port == BX_ANY || port == event->port)
        return BX_OK;
    char text[256];
    to->port = (int16_t)port;
    to->unit = BX_ANY;
    size_t n = bx_event_format(c, to, text, sizeof text);
    if (n >= sizeof text)
        return bx_fail(e, BX_NO_FIT, 0, 0, "its name is too long");
    return bx_event_parse(c, bx_cat_pmus(c)[event->pmu].cpu, text, n, to, e);
}

/* A CPU of the mask in the package: the first one, or that of another die. */
static int cpu_in(const bx_cpus *cpus, const bx_perf_pmu *pmu, unsigned package, unsigned die)
{
    for (size_t i = 0; i < pmu->cpus_n; i++)
        if (bx_perf_package(cpus, pmu->cpus[i]) == package && die-- == 0)
            return pmu->cpus[i];
    return NO_CPU;
}

/* Adds the counters of a unit outside the cores. Each die of a package has such a unit: those of
 * the second die are numbered after those of the first. An event that names a unit means the first
 * die's. */
static int add_on_dies(bx_kernel *k, const bx_evsel *event, const bx_perf_pmu *pmu,
                       bx_kernel_assignment *assignment, bx_error *e)
{
    const bx_cpus *cpus = bx_machine_cpus(k->machine);
    unsigned units = bx_topology_units(&k->machine->topology, event->pmu);
    int code = BX_OK;
    for (unsigned die = 0; !code && (die == 0 || event->unit == BX_ANY); die++) {
        assignment->cpu = cpu_in(cpus, pmu, assignment->package, die);
        if (assignment->cpu < 0 && die)
            break;
        code = assignment->cpu < 0
                   ? bx_fail(e, BX_NO_ACCESS, 0, 0, "the kernel names no CPU of package %u for %s",
                             assignment->package, pmu->name)
                   : add_assignment(k, assignment, e);
        assignment->unit = (uint16_t)(assignment->unit + units);
    }
    return code;
}

/* The CPU of a PMU without a cpumask. A core PMU follows the program, unless the selection names a
 * core. */
static int cpu_of_core(const bx_cpus *cpus, const bx_evsel *event, const bx_assignment *assignment)
{
    if (event->unit == BX_ANY && event->package == BX_ANY)
        return BX_PERF_TASK;
    unsigned core = assignment->unit < cpus->cores ? assignment->unit : 0;
    uint16_t cpu = cpus->logical[assignment->package * cpus->cores + core];
    return cpu == BX_NO_CPU ? NO_CPU : cpu;
}

/* No register selects an imported event. */
static bool is_imported(const struct bx_catalog *c, const bx_evsel *event)
{
    return event->event != BX_RAW && bx_cat_events(c)[event->event].flags & BX_EVENT_TERMS;
}

/* Adds the event on one assignment. done: it is the last one. *e: why it cannot be added. */
static int add_of_catalog(bx_kernel *k, size_t which, const bx_assignment *from, bool *done,
                          bx_error *e)
{
    const bx_cpus *cpus = bx_machine_cpus(k->machine);
    const struct bx_catalog *c = k->machine->topology.catalog;
    const bx_evsel *event = &k->events[which];
    int port = bx_assignment_port(c, from);
    char text[512];
    bx_evsel one;
    bx_perf_event found;
    bool known;
    int code = on_unit(c, event, from->unit, port, &one, e);
    if (code != BX_OK)
        return code;
    size_t n = bx_event_format_perf(c, &one, text, sizeof text);
    if (n == 0 || n >= sizeof text) {
        const char *why = is_imported(c, event) && bx_cat_events(c)[event->event].caution
                              ? bx_cat_z(c, bx_cat_events(c)[event->event].caution)
                              : "Linux has no such event";
        return bx_fail(e, BX_NO_FIT, 0, 0, "%s", why);
    }
    code = bx_perf_parse(bx_machine_perf(k->machine), (bx_str){text, n}, &found, &known, e);
    if (code != BX_OK)
        return code;
    const bx_perf_source *source = &found.sources[0];
    bx_kernel_assignment assignment = {.event = (uint16_t)which,
                                       .package = from->package,
                                       .unit = from->unit,
                                       .port = (int16_t)port,
                                       .config = source->config,
                                       .joins = can_join(source)};
    if (source->pmu->cpus_n)
        return add_on_dies(k, event, source->pmu, &assignment, e);
    assignment.cpu = cpu_of_core(cpus, event, from);
    if (assignment.cpu == BX_PERF_TASK) {
        size_t before = k->n;
        *done = true;
        assignment.package = 0;
        assignment.unit = BX_PROGRAM;
        code = add_following(k, source->pmu, &assignment, e);
        return code == BX_OK && k->n == before ? refuse_cpus(source, 1, e) : code;
    }
    if (assignment.cpu < 0)
        return bx_fail(e, BX_NO_ACCESS, 0, 0, "core %u of package %u is offline", from->unit,
                       from->package);
    return add_assignment(k, &assignment, e);
}

/* Adds all of the event's assignments, or none; *e then has the reason. */
static int take_of_catalog(bx_kernel *k, size_t which, bx_error *e)
{
    const struct bx_catalog *c = k->machine->topology.catalog;
    const bx_evsel *event = &k->events[which];
    bx_schedule alone = {0};
    size_t before = k->n;
    bool done = false;
    if (bx_machine_perf(k->machine)->foreign)
        return bx_fail(e, BX_NO_ACCESS, 0, 0, "its kernel is another one than this machine's");
    if (event->counter != BX_ANY && !bx_codes_differ(c, event->pmu))
        return bx_fail(e, BX_NO_FIT, 0, 0, "the kernel chooses counters itself");
    int code = bx_schedule_make(&k->machine->topology, event, 1, &alone, e);
    for (size_t i = 0; code == BX_OK && !done && i < alone.n; i++)
        code = add_of_catalog(k, which, &alone.assignments[i], &done, e);
    if (code != BX_OK)
        k->n = before;
    bx_schedule_free(&alone);
    return code;
}

/* ---- kernel or registers ---- */

static bool is_free_running(const bx_kernel *k, const bx_evsel *event)
{
    const struct bx_catalog *c = k->machine->topology.catalog;
    const bx_cat_counter *counter =
        bx_pmu_counter(c, event->pmu, bx_lowest_bit(bx_event_counters(c, event)));
    return counter && counter->flags & BX_COUNTER_FREE;
}

/* Refuses an event that neither the kernel nor registers can count. */
static int refuse_assignment(const bx_kernel *k, size_t which, const bx_error *why, bx_error *e)
{
    char name[64];
    bx_machine_event_format(k->machine, &k->events[which], name, sizeof name);
    if (why->code == BX_NO_MEMORY)
        return bx_out_of_memory(e);
    if (bx_machine_perf(k->machine)->driver == BX_DRIVER_PERF)
        bx_fail(e, BX_NO_ACCESS, 0, 0, "perf_event cannot count %s: %.120s", name, why->message);
    else
        bx_fail(e, BX_NO_ACCESS, 0, 0, "%s cannot be counted: %.80s; and %.130s", name,
                why->message, bx_machine_no_access(k->machine));
    bx_hint(e, "%s",
            why->code == BX_NO_FIT && why->hint[0] ? why->hint
                                                   : "boxscore doctor tells what is missing");
    return BX_NO_ACCESS;
}

/* Drops the assignments of events that registers will count. */
static void drop(bx_kernel *k, const bool *takes)
{
    size_t n = 0;
    for (size_t i = 0; i < k->n; i++)
        if (takes[k->assignments[i].event])
            k->assignments[n++] = k->assignments[i];
    k->n = n;
}

/* Whether the kernel programs a PMU for the event, and the catalogue describes the PMU too. */
static bool is_shared(const bx_kernel *k, const bx_evsel *event)
{
    const struct bx_catalog *c = k->machine->topology.catalog;
    const bx_perf_event *own = bx_machine_kernel_event(k->machine, event);
    bx_span pmus = bx_cat_cpus(c)[k->machine->topology.cpu].pmus;
    for (uint16_t i = pmus.first; own && own->sources[0].pmu && i < pmus.first + pmus.n; i++) {
        int32_t unit;
        if (bx_cat_pmus(c)[i].select_event != BX_NONE &&
            bx_kernel_pmu(c, i, bx_str_of(own->sources[0].pmu->name), &unit))
            return true;
    }
    return false;
}

static bool is_refused(const bx_kernel *k, size_t i)
{
    return k->refused && k->refused[i].code;
}

/* The kernel and boxscore would overwrite each other's settings of a package. So all events that
 * need programming use the same driver. Either driver can read free-running counters. */
static int agree(bx_kernel *k, bool *takes, bx_error *e)
{
    for (size_t i = 0; i < k->events_n; i++) {
        if (is_refused(k, i) || (!is_imported(k->machine->topology.catalog, &k->events[i]) &&
                                 !is_shared(k, &k->events[i])))
            continue;
        bx_fail(e, BX_NO_FIT, k->events[i].at, k->events[i].len,
                "the kernel counts this, boxscore another event: in one package both cannot be");
        bx_hint(e, "measure them one after the other");
        return BX_NO_FIT;
    }
    for (size_t i = 0; i < k->events_n; i++)
        if (k->events[i].pmu != BX_KERNEL && !is_free_running(k, &k->events[i]))
            takes[i] = false;
    drop(k, takes);
    return BX_OK;
}

static int choose_driver(bx_kernel *k, size_t i, bool *takes, bx_error *e)
{
    const bx_machine *m = k->machine;
    bx_error own = {0};
    if (k->events[i].pmu == BX_KERNEL) {
        takes[i] = true;
        return take_of_kernel(k, i, e);
    }
    if (m->topology.cpu == BX_NONE)
        return bx_fail(e, BX_NO_ACCESS, 0, 0, "%s", bx_machine_no_access(m));
    bool imported = is_imported(m->topology.catalog, &k->events[i]);
    if (!bx_machine_kernel_may_count(m))
        return imported ? bx_fail(e, BX_NO_FIT, 0, 0,
                                  "Intel's event files have no registers: only a kernel counts "
                                  "their events")
                        : BX_OK;
    takes[i] = take_of_catalog(k, i, &own) == BX_OK;
    bool only_kernel = bx_machine_perf(m)->driver == BX_DRIVER_PERF || !m->bus || imported;
    if (!takes[i] && (only_kernel || own.code == BX_NO_MEMORY))
        return refuse_assignment(k, i, &own, e);
    return BX_OK;
}

/* Whether all assignments from `from` on are counters of CPUs. Linux also opens a unit's counter
 * for a cgroup: it counts whatever everybody causes while the cgroup runs on the CPU that reads it.
 */
static bool counts_cgroups(const bx_kernel *k, size_t from)
{
    for (size_t i = from; i < k->n; i++)
        if (!k->assignments[i].on_cpu)
            return false;
    return true;
}

static int refuse_cgroup(const bx_kernel *k, size_t which, bx_error *e)
{
    char name[96];
    bx_machine_event_format(k->machine, &k->events[which], name, sizeof name);
    bx_fail(e, BX_NO_FIT, 0, 0, "'%s' counts what everybody causes: it knows no cgroup", name);
    bx_hint(e, "without a cgroup it is counted for the whole machine");
    return BX_NO_FIT;
}

int bx_kernel_assign(bx_kernel *k, bool *takes, bx_error *e)
{
    bool by_registers = false; /* registers must be programmed */
    for (size_t i = 0; i < k->events_n; i++) {
        bx_error own = {0};
        size_t before = k->n;
        int code = choose_driver(k, i, takes, &own);
        if (!code && k->cgroups_n && !(takes[i] && counts_cgroups(k, before))) {
            takes[i] = true;
            code = refuse_cgroup(k, i, &own);
        }
        if (code != BX_OK) {
            own.at = k->events[i].at;
            own.len = k->events[i].len;
            if (k->refused && code != BX_NO_MEMORY) {
                k->n = before; /* some of its counters may have been added */
                k->refused[i] = own;
                continue;
            }
            bx_fail_as(e, &own);
            return code;
        }
        by_registers |= !takes[i] && !is_free_running(k, &k->events[i]);
    }
    bool shares = k->n > 0 && by_registers && bx_machine_perf(k->machine);
    return shares ? agree(k, takes, e) : BX_OK;
}

/* Counts events through the host's kernel. */
#include "session/kernel_counters.h"

#include "base/error.h"
#include "machine/cgroup.h"
#include "machine/kernel_events.h"
#include "machine/modelled_events.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

int bx_kernel_new(bx_machine *m, const bx_evsel *events, size_t n, const bx_session_options *o,
                  bx_error *refused, bool *takes, bx_kernel **k, bx_error *e)
{
    bx_kernel *made = calloc(1, sizeof *made);
    bx_evsel *copy = calloc(n, sizeof *copy);
    *k = made;
    if (made)
        *made = (bx_kernel){.machine = m,
                            .events = copy,
                            .events_n = n,
                            .cpus = o->cpus,
                            .cpus_n = o->cpus_n,
                            .refused = refused};
    if (!made || !copy) {
        free(copy);
        return bx_out_of_memory(e);
    }
    memcpy(copy, events, n * sizeof *copy);
    made->cgroups = bx_machine_cgroups(m, &made->cgroups_n);
    int code = bx_kernel_assign(made, takes, e);
    made->cpus = NULL;
    made->specs = calloc(made->n + 1, sizeof *made->specs);
    made->values = calloc(made->n + 1, sizeof *made->values);
    made->errnos = calloc(made->n + 1, sizeof *made->errnos);
    made->apart = calloc(n + 1, sizeof *made->apart);
    if (code == BX_OK && (!made->specs || !made->values || !made->errnos || !made->apart))
        code = bx_out_of_memory(e);
    return code;
}

void bx_kernel_free(bx_kernel *k)
{
    if (!k)
        return;
    bx_perf_counters_close(k->counters);
    free((void *)(uintptr_t)k->events);
    free(k->assignments);
    free(k->specs);
    free(k->values);
    free(k->errnos);
    free(k->apart);
    free(k);
}

/* ---- errors ---- */

static void fail_at(const bx_evsel *event, bx_error *own, bx_error *e)
{
    own->at = event->at;
    own->len = event->len;
    bx_fail_as(e, own);
}

static void explain(const bx_kernel *k, size_t i, bx_error *e)
{
    const bx_evsel *event = &k->events[k->assignments[i].event];
    char name[96];
    bx_error own = {0};
    bx_machine_event_format(k->machine, event, name, sizeof name);
    bx_perf_explain(bx_machine_perf(k->machine), k->errnos[i], name, &k->specs[i], &own);
    fail_at(event, &own, e);
}

/* Why an open counter has no value. */
static void explain_value(const bx_kernel *k, size_t i, bx_error *e)
{
    const bx_evsel *event = &k->events[k->assignments[i].event];
    const char *file = k->specs[i].config.file;
    int err = k->values[i].err;
    char name[96];
    bx_error own = {0};
    bx_machine_event_format(k->machine, event, name, sizeof name);
    if (file)
        bx_perf_explain_file(err, name, file, &own);
    else if (event->pinned && err == EIO)
        bx_fail(&own, BX_NO_FIT, 0, 0,
                "'%s' is pinned, and the kernel had no counter for it at some time", name);
    else
        bx_fail(&own, BX_SYSTEM, 0, 0, "'%s' cannot be read any more: %s", name, strerror(err));
    fail_at(event, &own, e);
}

/* Whether the errno means that the machine lacks the event, as perf takes it (perf_event_open(2)).
 */
static bool is_unsupported(const bx_kernel *k, size_t i)
{
    int err = k->errnos[i];
    return k->refused && !k->specs[i].config.file &&
           (err == ENOENT || err == EOPNOTSUPP || err == EINVAL ||
            (err == ENODEV && k->specs[i].cpu == BX_PERF_TASK));
}

/* Handles a counter that could not be opened. */
static int not_opened(bx_kernel *k, size_t i, bx_error *trouble, bx_error *e)
{
    bx_reading *reading = k->assignments[i].reading;
    if (k->errnos[i] == ESRCH && k->specs[i].task) { /* the thread has ended, and counts no more */
        reading->state = BX_COUNTED;
        return BX_OK;
    }
    bool apart = k->errnos[i] == BX_PERF_NOT_IN_GROUP, lacks = is_unsupported(k, i);
    explain(k, i, apart ? e : lacks ? &k->refused[k->assignments[i].event] : trouble);
    reading->state = lacks ? BX_NOT_SUPPORTED : BX_BLOCKED;
    return apart ? BX_NO_FIT : BX_OK;
}

/* ---- events of a model ---- */

/* k->values then has the counts since power-on at the start. */
static void start_modelled(bx_kernel *k)
{
    for (size_t i = 0; i < k->n; i++) {
        const bx_kernel_assignment *a = &k->assignments[i];
        const bx_perf_event *event = bx_machine_kernel_event(k->machine, &k->events[a->event]);
        a->reading->state =
            (uint8_t)bx_modelled_event_count(k->machine, event, &k->values[i].count);
        k->values[i].enabled = bx_machine_time(k->machine);
    }
}

static void collect_modelled(bx_kernel *k)
{
    for (size_t i = 0; i < k->n; i++) {
        const bx_kernel_assignment *a = &k->assignments[i];
        const bx_perf_event *event = bx_machine_kernel_event(k->machine, &k->events[a->event]);
        uint64_t now;
        if (a->reading->state != BX_COUNTED)
            continue;
        bx_modelled_event_count(k->machine, event, &now);
        a->reading->count = now - k->values[i].count;
        a->reading->enabled = a->reading->running =
            bx_machine_time(k->machine) - k->values[i].enabled;
    }
}

/* ---- open, start, stop ---- */

/* Whether the kernel counts the event in a group only. */
static bool is_led(const bx_kernel *k, const bx_evsel *event)
{
    bool known = event->pmu != BX_KERNEL && event->event != BX_NONE;
    const struct bx_catalog *c = k->machine->topology.catalog;
    return known && bx_cat_events(c)[event->event].flags & (BX_EVENT_LEADS | BX_EVENT_FOLLOWS);
}

static uint16_t group_of(const bx_kernel *k, size_t i)
{
    uint16_t which = k->assignments[i].event;
    const bx_evsel *event = &k->events[which];
    return k->apart[which] && !is_led(k, event) ? 0 : event->group;
}

/* Gives up the weak groups that the kernel refused. false: there are none, or that was done before.
 */
static bool give_up_groups(bx_kernel *k)
{
    bool any = false;
    for (size_t i = 0; i < k->n; i++) {
        const bx_evsel *refused = &k->events[k->assignments[i].event];
        if (k->errnos[i] != BX_PERF_NOT_IN_GROUP || !refused->weak)
            continue;
        for (size_t j = 0; j < k->events_n; j++)
            if (k->events[j].weak && k->events[j].group == refused->group && !k->apart[j])
                any = k->apart[j] = true;
    }
    return any;
}

int bx_kernel_open(bx_kernel *k, bx_error *trouble, bx_error *e)
{
    const bx_perf *perf = bx_machine_perf(k->machine);
    if (!perf)
        return BX_OK;
    pid_t pid = bx_machine_pid(k->machine);
    bx_perf_counters_close(k->counters); /* they may be open from a start that failed later */
    for (size_t i = 0; i < k->n; i++) {
        const bx_kernel_assignment *a = &k->assignments[i];
        k->specs[i] = (bx_perf_counter_spec){.config = a->config,
                                             .cpu = a->cpu,
                                             .task = a->task,
                                             .group = group_of(k, i),
                                             .joins = a->joins,
                                             .of_cgroup = a->cgroup != 0,
                                             .cgroup = a->cgroup ? k->cgroups[a->cgroup - 1] : 0,
                                             .pinned = k->events[a->event].pinned};
    }
    k->counters = bx_perf_counters_open(
        perf->calls, k->specs, k->n,
        (bx_perf_task){.pid = pid, .on_exec = pid && !bx_machine_begun(k->machine)}, k->errnos);
    if (!k->counters)
        return bx_out_of_memory(e);
    if (give_up_groups(k))
        return bx_kernel_open(k, trouble, e);
    for (size_t i = 0; i < k->n; i++) {
        if (k->errnos[i] == 0 && k->specs[i].cpu == BX_PERF_TASK &&
            bx_machine_changes_rights(k->machine))
            k->errnos[i] = BX_PERF_RIGHTS_CHANGE;
        int code = k->errnos[i] ? not_opened(k, i, trouble, e) : BX_OK;
        if (code != BX_OK)
            return code;
    }
    return BX_OK;
}

void bx_kernel_start(bx_kernel *k)
{
    if (bx_machine_perf(k->machine))
        bx_perf_counters_start(k->counters);
    else
        start_modelled(k);
}

void bx_kernel_stop(bx_kernel *k)
{
    if (bx_machine_perf(k->machine))
        bx_perf_counters_stop(k->counters);
}

/* Copies the kernel's values. The kernel multiplexes and gives the running time of each event. */
static void take_value(bx_reading *r, const bx_perf_value *v)
{
    r->count = v->count;
    r->enabled = v->enabled;
    r->running = v->running;
    /* The thread slept all the time, or the cgroup did on this CPU: exactly 0. */
    bool never_ran = (r->thread || r->cgroup) && v->enabled == 0;
    r->state = v->err                    ? BX_BLOCKED
               : never_ran               ? BX_COUNTED
               : v->running == 0         ? BX_NOT_MEASURED
               : v->running < v->enabled ? BX_SCALED
                                         : BX_COUNTED;
}

void bx_kernel_collect(bx_kernel *k, bx_error *trouble)
{
    if (!bx_machine_perf(k->machine)) {
        collect_modelled(k);
        return;
    }
    bx_perf_counters_read(k->counters, k->values);
    for (size_t i = 0; i < k->n; i++) {
        if (k->errnos[i] != 0)
            continue;
        take_value(k->assignments[i].reading, &k->values[i]);
        if (k->values[i].err)
            explain_value(k, i, trouble);
    }
}

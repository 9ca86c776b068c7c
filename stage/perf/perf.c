/* The device whose open files are events: open, read and ioctl. It also advances multiplexing. */
#include "stage/perf/perf.h"

#include "base/error.h"
#include "base/grow.h"
#include "machine/machine.h"
#include "machine/program/process/host_program.h"
#include "host/perf/kernel_pmus.h"
#include "stage/perf/internal.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

/* Our event ids begin at 2^40. No event of the host has such an id. */
enum { FIRST_ID_SHIFT = 40 };

/* NULL: out of memory. */
static bx_staged_perf *make_perf(bx_stage_clock *clock, const char *path)
{
    bx_staged_perf *made = calloc(1, sizeof *made);
    if (!made)
        return NULL;
    made->clock = clock;
    made->next_id = UINT64_C(1) << FIRST_ID_SHIFT;
    made->opener = bx_opener_thread_new(path, bx_staged_prepare, made);
    CPU_ZERO(&made->host);
    sched_getaffinity(0, sizeof made->host, &made->host);
    if (made->opener)
        return made;
    bx_staged_free(made);
    return NULL;
}

int bx_staged_new(bx_stage_clock *clock, const bx_event_sources *sources, struct bx_bus *bus,
                  const char *path, const bx_launcher *launcher, bx_staged_perf **p, bx_error *e)
{
    bx_staged_perf *made = make_perf(clock, path);
    if (!made)
        return bx_out_of_memory(e);
    made->launcher = launcher;
    made->validation = (bx_validation){clock->machine, sources, &made->boxes};
    if (!bx_staged_boxes_new(&made->boxes, sources->t, sources, bus)) {
        bx_staged_free(made);
        return bx_out_of_memory(e);
    }
    *p = made;
    return BX_OK;
}

int bx_staged_new_signalled(bx_stage_clock *clock, const bx_signalled *gathered, const char *path,
                            bx_staged_perf **p, bx_error *e)
{
    bx_staged_perf *made = make_perf(clock, path);
    if (!made)
        return bx_out_of_memory(e);
    made->signalled = gathered;
    *p = made;
    return BX_OK;
}

static void free_event(bx_staged_event *e)
{
    if (e->host >= 0)
        close(e->host);
    free(e->of_program);
    free(e);
}

void bx_staged_free(bx_staged_perf *p)
{
    if (!p)
        return;
    bx_opener_thread_free(p->opener);
    for (size_t i = 0; i < p->n; i++)
        free_event(p->events[i]);
    free(p->events);
    bx_staged_boxes_free(&p->boxes);
    free(p->parsed);
    free(p);
}

bool bx_staged_was_asked_cpus(const bx_staged_perf *p)
{
    return atomic_load(&p->asked_cpus);
}

bool bx_staged_was_asked_task(const bx_staged_perf *p)
{
    return atomic_load(&p->asked_task);
}

bool bx_staged_was_asked_samples(const bx_staged_perf *p)
{
    return atomic_load(&p->asked_samples);
}

/* ---- time ---- */

/* The machine's time in ns. Each call returns a greater value, so the running time of an event that
 * had a counter is not 0. */
static uint64_t now(bx_staged_perf *p)
{
    uint64_t hz = p->clock->hz ? p->clock->hz : bx_stage_clock_hz(p->clock);
    uint64_t cycles = bx_stage_clock_now(p->clock);
    const uint64_t second = 1000000000;
    uint64_t ns =
        hz ? cycles / hz * second + (uint64_t)((double)(cycles % hz) * 1e9 / (double)hz) : cycles;
    p->last_now = ns > p->last_now ? ns : p->last_now + 1;
    return p->last_now;
}

static void update_times(bx_staged_perf *p, bx_staged_event *e, uint64_t time)
{
    if (e->box)
        bx_staged_check_counters(&p->boxes, e->box);
    bx_staged_update_times(e, time);
}

static void update_ticks(bx_staged_perf *p)
{
    p->clock->needs_ticks = false;
    for (size_t i = 0; i < p->boxes.n; i++)
        p->clock->needs_ticks |= p->boxes.all[i].waiting;
}

/* To be called when the event's group has changed. `time` is that of the change: an event that gets
 * a counter at once has the same enabled and running time. */
static void reschedule(bx_staged_perf *p, bx_staged_event *e, uint64_t time, bool shrinks)
{
    if (e->box) {
        bx_staged_box_reschedule(&p->boxes, e->box, time, shrinks);
        update_ticks(p);
        return;
    }
    bx_staged_update_times(e, time);
    for (bx_staged_event *m = e->leader; m; m = m->next)
        bx_staged_set_has_counter(m, !m->of_program && !m->never_counts && bx_staged_is_on(m));
}

/* ---- a gathered machine's time ---- */

/* The event is driven, also on CPUs that a signal leaves out. */
static void note_reached(bx_staged_perf *p, const bx_staged_event *reached)
{
    const struct perf_event_attr *a = &reached->request.attr;
    for (size_t i = 0; i < p->n; i++) {
        const struct perf_event_attr *b = &p->events[i]->request.attr;
        if (p->events[i]->signalled == reached->signalled && a->config == b->config &&
            a->config1 == b->config1 && a->config2 == b->config2)
            p->events[i]->reached = true;
    }
}

static void count_signal(bx_staged_perf *p, const bx_signal *signal, uint64_t cycles)
{
    for (size_t i = 0; i < p->n; i++) {
        bx_staged_event *e = p->events[i];
        if (e->signalled && bx_signalled_count(p->signalled, e, signal, cycles) && !e->reached)
            note_reached(p, e);
    }
    p->counted_until += cycles;
}

/* Up to the present nothing has happened. */
static void count_idle(bx_staged_perf *p)
{
    uint64_t present = bx_stage_clock_now(p->clock);
    if (present > p->counted_until)
        count_signal(p, &(bx_signal){.package = -1, .cpu = -1}, present - p->counted_until);
}

void bx_staged_pass(bx_staged_perf *p, const bx_signal *signal, uint64_t cycles)
{
    count_idle(p);
    p->clock->passed += cycles;
    count_signal(p, signal, cycles);
}

/* ---- multiplexing ---- */

/* Multiplexing intervals are measured with the wall clock, however slowly the machine's time
 * advances. With --pace 0 they are measured with the machine's time, so that a dialogue can be
 * repeated. */
void bx_staged_tick(bx_staged_perf *p)
{
    if (p->signalled)
        count_idle(p);
    if (!p->n || p->signalled)
        return;
    uint64_t time = now(p);
    bx_staged_boxes_tick(&p->boxes, time, p->clock->hz ? bx_process_clock() : time);
    update_ticks(p);
}

/* ---- the file: perf_event_open() itself ---- */

bx_staged_event *bx_staged_by_id(const bx_staged_perf *p, uint64_t id)
{
    for (size_t i = 0; i < p->n; i++)
        if (p->events[i]->id == id)
            return p->events[i];
    return NULL;
}

static int make_event(bx_staged_perf *p, const bx_open_job *job, bx_staged_event *e)
{
    bx_staged_event *leader = NULL;
    int err = bx_attr_check(&e->request);
    if (!err && job->of_program)
        err = bx_validate_of_program(&p->validation, e);
    else if (!err && !job->host)
        err = p->signalled ? bx_signalled_check(p->signalled, e)
                           : bx_validate_event(&p->validation, e);
    if (!err && job->group != -1 && !(leader = bx_staged_by_id(p, job->leader)))
        err = EBADF;
    if (e->request.flags & PERF_FLAG_FD_NO_GROUP)
        leader = NULL;
    return err ? err : bx_validate_group(&p->validation, e, leader);
}

static bool has_room(bx_staged_perf *p)
{
    bx_staged_event **events = bx_grow(p->events, p->n, &p->room, sizeof *events, 64);
    if (events)
        p->events = events;
    return events;
}

static int open_event(void *context, uint64_t *number, pid_t by)
{
    bx_staged_perf *p = context;
    bx_open_job *job = bx_opener_thread_job(p->opener, by);
    bx_staged_event *e = job && has_room(p) ? calloc(1, sizeof *e) : NULL;
    if (!e)
        return job ? ENOMEM : EACCES;
    e->request = job->request;
    e->host = job->host_event;
    job->host_event = -1;
    e->id = p->next_id++;
    e->times_updated = now(p);
    e->state = e->request.attr.disabled ? BX_STAGED_OFF : BX_STAGED_ON;
    int err = make_event(p, job, e);
    if (err) {
        free_event(e);
        return err;
    }
    p->events[p->n++] = e;
    reschedule(p, e, e->times_updated, false);
    *number = (uintptr_t)e;
    return 0;
}

static bx_staged_event *event_of(uint64_t number)
{
    return (bx_staged_event *)(uintptr_t)number;
}

/* A user who wonders at a 0 shall know where it comes from. */
static void note_unsignalled(bx_staged_perf *p, const bx_staged_event *e)
{
    const struct perf_event_attr *a = &e->request.attr;
    if (!e->signalled || !e->looked_at || e->reached || e->count)
        return;
    if (!p->unsignalled++)
        snprintf(p->first_unsignalled, sizeof p->first_unsignalled, "%.40s/config=0x%" PRIx64 "/",
                 e->signalled->name, (uint64_t)a->config);
}

uint64_t bx_staged_unsignalled(const bx_staged_perf *p, const char **first)
{
    *first = p->first_unsignalled;
    return p->unsignalled;
}

static void release_event(void *context, uint64_t number)
{
    bx_staged_perf *p = context;
    bx_staged_event *e = event_of(number);
    uint64_t time = now(p);
    update_times(p, e, time);
    note_unsignalled(p, e);
    bx_staged_leave(e);
    for (size_t i = 0; i < p->n; i++)
        if (p->events[i] == e)
            p->events[i] = p->events[--p->n];
    if (e->box) { /* its counter has become free */
        bx_staged_box_reschedule(&p->boxes, e->box, time, true);
        update_ticks(p);
    }
    for (size_t i = 0; e->leader == e && i < p->n; i++)
        if (!p->events[i]->box) /* an event of the host; it may have been in the group */
            reschedule(p, p->events[i], time, false);
    free_event(e);
}

static int read_event(void *context, uint64_t number, uint64_t offset, char *to, size_t n,
                      size_t *done)
{
    bx_staged_perf *p = context;
    bx_staged_event *e = event_of(number);
    (void)offset;
    if (e->box)
        bx_staged_read_counters(&p->boxes, e->box);
    update_times(p, e, now(p));
    for (bx_staged_event *m = e->leader; m; m = m->next)
        m->looked_at |= m->running > 0;
    long result = bx_staged_read(e, to, n);
    *done = result > 0 ? (size_t)result : 0;
    return result < 0 ? (int)-result : 0;
}

static int write_event(void *context, uint64_t number, uint64_t offset, const char *from, size_t n,
                       size_t *done)
{
    (void)context;
    (void)number;
    (void)offset;
    (void)from;
    (void)n;
    *done = 0;
    return EINVAL;
}

/* ---- ioctl ---- */

static void switch_event(bx_staged_event *e, bool on)
{
    if (on)
        e->state = BX_STAGED_ON;
    else if (e->state == BX_STAGED_ON)
        e->state = BX_STAGED_OFF;
}

static void apply(bx_staged_perf *p, bx_staged_event *e, unsigned command)
{
    if (command == PERF_EVENT_IOC_RESET && e->box)
        bx_staged_read_counters(&p->boxes, e->box);
    if (command == PERF_EVENT_IOC_RESET)
        bx_staged_reset(e);
    else
        switch_event(e, command == PERF_EVENT_IOC_ENABLE);
}

static int control_event(void *context, uint64_t number, unsigned command, uint64_t argument,
                         uint64_t *result)
{
    bx_staged_perf *p = context;
    bx_staged_event *e = event_of(number);
    uint64_t time = now(p);
    switch (command) {
    case PERF_EVENT_IOC_ENABLE:
    case PERF_EVENT_IOC_DISABLE:
    case PERF_EVENT_IOC_RESET:
        update_times(p, e, time);
        if (!(argument & PERF_IOC_FLAG_GROUP))
            apply(p, e, command);
        else
            for (bx_staged_event *m = e->leader; m; m = m->next)
                apply(p, m, command);
        if (command != PERF_EVENT_IOC_RESET)
            reschedule(p, e, time, command == PERF_EVENT_IOC_DISABLE);
        return 0;
    case PERF_EVENT_IOC_ID:
        *result = e->id;
        return 0;
    case PERF_EVENT_IOC_SET_OUTPUT: /* events without samples have no output */
        return (int)argument == -1 ? 0 : EINVAL;
    case PERF_EVENT_IOC_REFRESH: /* for events with samples only */
    case PERF_EVENT_IOC_PERIOD:
    case PERF_EVENT_IOC_SET_FILTER:
    case PERF_EVENT_IOC_SET_BPF:
    case PERF_EVENT_IOC_PAUSE_OUTPUT:
    case PERF_EVENT_IOC_QUERY_BPF: /* for tracepoints only */
        return EINVAL;
    case PERF_EVENT_IOC_MODIFY_ATTRIBUTES:
        return EOPNOTSUPP;
    default:
        return ENOTTY;
    }
}

const bx_device bx_device_perf = {.read = read_event,
                                  .write = write_event,
                                  .open = open_event,
                                  .release = release_event,
                                  .ioctl = control_event};

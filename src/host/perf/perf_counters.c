/* Opens counters in groups, and reads each group with one call or by user pages. */
#include "host/perf/perf_counters.h"

#include "host/perf/file_counter.h"

#include <errno.h>
#include <stdlib.h>

typedef struct counter {
    int fd;        /* -1: not open */
    size_t leader; /* the leader of its group; a leader has itself here */
    size_t next;   /* the next of its group, or NONE */
    size_t n;      /* of a leader: size of its group */
    bool of_task;  /* counts the program, and not a CPU or another thread */
    uint64_t id;
    const volatile struct perf_event_mmap_page *page; /* NULL: the counter is read by read() */
    bx_file_counter file;                             /* if it is one; perf_event has none then */
} counter;

#define NONE SIZE_MAX

struct bx_perf_counters {
    const bx_perf_calls *calls;
    const bx_perf_counter_spec *specs; /* only while counters are opened */
    bx_perf_task task;
    bool singly; /* the kernel refuses groups of inherited counters */
    size_t n;
    counter *all;
    uint64_t *room; /* for the values of the largest group */
};

enum {
    TIMES = PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING | PERF_FORMAT_ID,
    GROUP_HEAD = 3, /* nr, time_enabled, time_running; then value and id of each */
    SINGLE = 4,     /* value, time_enabled, time_running, id */
};

/* ---- opening ---- */

static int try_open(const bx_perf_counters *p, size_t i, int group, bool leads)
{
    const bx_perf_counter_spec *spec = &p->specs[i];
    bool task = spec->cpu == BX_PERF_TASK;
    pid_t pid = !task ? -1 : spec->task ? spec->task : p->task.pid;
    struct perf_event_attr attr = {
        .type = spec->config.type,
        .size = PERF_ATTR_SIZE_VER5,
        .config = spec->config.word[0],
        .config1 = spec->config.word[1],
        .config2 = spec->config.word[2],
        .read_format = TIMES | (p->singly ? 0u : (unsigned)PERF_FORMAT_GROUP),
        .disabled = leads,
        .pinned = leads && spec->pinned,
        .inherit = pid > 0,
        .enable_on_exec = task && leads && !spec->task && p->task.on_exec,
        .exclude_user = spec->config.exclude & BX_PERF_NO_USER ? 1 : 0,
        .exclude_kernel = spec->config.exclude & BX_PERF_NO_KERNEL ? 1 : 0,
        .exclude_hv = spec->config.exclude & BX_PERF_NO_HYPERVISOR ? 1 : 0,
    };
    if (!task && spec->of_cgroup)
        return p->calls->open_cgroup(p->calls->context, &attr, spec->cgroup, spec->cpu, group);
    return p->calls->open(p->calls->context, &attr, pid, spec->cpu, group);
}

/* Whether the counter counts another task than the calling thread. */
static bool follows_other(const bx_perf_counters *p, size_t i)
{
    return p->specs[i].task || p->task.pid;
}

/* Before Linux 4.13 an inherited counter cannot be read with its group. */
static int open_leader(bx_perf_counters *p, size_t i)
{
    int fd = try_open(p, i, -1, true);
    if (fd != -EINVAL || p->singly || p->specs[i].cpu != BX_PERF_TASK || !follows_other(p, i))
        return fd;
    p->singly = true;
    fd = try_open(p, i, -1, true);
    p->singly = fd >= 0;
    return fd;
}

static bool can_share_group(const bx_perf_counter_spec *a, const bx_perf_counter_spec *b)
{
    if (a->config.file || b->config.file)
        return false;
    if (a->cpu != b->cpu || a->task != b->task || a->group != b->group || a->pinned != b->pinned ||
        a->of_cgroup != b->of_cgroup || a->cgroup != b->cgroup)
        return false;
    if (a->config.type == b->config.type)
        return a->group || (a->joins && b->joins);
    return a->group && a->cpu == BX_PERF_TASK;
}

/* The last leader before i whose group i can join; NONE. */
static size_t leader_for(const bx_perf_counters *p, size_t i)
{
    for (size_t j = i; !p->singly && j-- > 0;)
        if (p->all[j].fd >= 0 && p->all[j].leader == j &&
            can_share_group(&p->specs[j], &p->specs[i]))
            return j;
    return NONE;
}

static void join(bx_perf_counters *p, size_t leader, size_t i)
{
    size_t last = leader;
    while (p->all[last].next != NONE)
        last = p->all[last].next;
    p->all[last].next = i;
    p->all[i].leader = leader;
    p->all[leader].n++;
}

static int open_one(bx_perf_counters *p, size_t i)
{
    counter *c = &p->all[i];
    const bx_perf_config *config = &p->specs[i].config;
    if (config->file) /* it counts always, so with all others of its group */
        return bx_file_counter_open(&c->file, config->file, config->level);
    size_t leader = leader_for(p, i);
    bool not_in_group = leader != NONE;
    if (not_in_group) {
        c->fd = try_open(p, i, p->all[leader].fd, false);
        not_in_group = c->fd < 0;
    }
    if (leader == NONE || not_in_group)
        c->fd = open_leader(p, i);
    if (c->fd < 0) {
        int err = -c->fd;
        c->fd = -1;
        return err;
    }
    if (not_in_group && p->specs[i].group) {
        p->calls->close(p->calls->context, c->fd);
        c->fd = -1;
        return BX_PERF_NOT_IN_GROUP;
    }
    if (leader != NONE && !not_in_group)
        join(p, leader, i);
    if (p->calls->control(p->calls->context, c->fd, PERF_EVENT_IOC_ID, &c->id) != 0)
        c->id = 0;
    if (p->specs[i].cpu == BX_PERF_TASK && !follows_other(p, i))
        c->page = p->calls->map(p->calls->context, c->fd);
    return 0;
}

bx_perf_counters *bx_perf_counters_open(const bx_perf_calls *calls,
                                        const bx_perf_counter_spec *specs, size_t n,
                                        bx_perf_task task, int *err)
{
    bx_perf_counters *p = calloc(1, sizeof *p);
    if (!p)
        return NULL;
    *p = (bx_perf_counters){.calls = calls,
                            .specs = specs,
                            .task = task,
                            .n = n,
                            .all = calloc(n + 1, sizeof *p->all),
                            .room = calloc(GROUP_HEAD + 2 * n + 1, sizeof *p->room)};
    if (!p->all || !p->room) {
        p->n = 0;
        bx_perf_counters_close(p);
        return NULL;
    }
    for (size_t i = 0; i < n; i++)
        p->all[i] = (counter){.fd = -1,
                              .file.fd = -1,
                              .leader = i,
                              .next = NONE,
                              .n = 1,
                              .of_task = specs[i].cpu == BX_PERF_TASK && !specs[i].task};
    for (size_t i = 0; i < n; i++)
        err[i] = open_one(p, i);
    p->specs = NULL;
    return p;
}

void bx_perf_counters_close(bx_perf_counters *p)
{
    if (!p)
        return;
    for (size_t i = p->n; i-- > 0;) {
        bx_file_counter_close(&p->all[i].file);
        if (p->all[i].page)
            p->calls->unmap(p->calls->context, p->all[i].page);
        if (p->all[i].fd >= 0)
            p->calls->close(p->calls->context, p->all[i].fd);
    }
    free(p->all);
    free(p->room);
    free(p);
}

/* ---- counting ---- */

/* all: also counters of tasks, which are otherwise enabled by execve(). */
static void control_leaders(bx_perf_counters *p, unsigned long request, bool all)
{
    void *whole_group = (void *)(uintptr_t)PERF_IOC_FLAG_GROUP;
    for (size_t i = 0; i < p->n; i++)
        if (p->all[i].fd >= 0 && p->all[i].leader == i && (all || !p->all[i].of_task))
            p->calls->control(p->calls->context, p->all[i].fd, request, whole_group);
}

void bx_perf_counters_start(bx_perf_counters *p)
{
    control_leaders(p, PERF_EVENT_IOC_ENABLE, !p->task.on_exec);
    for (size_t i = 0; i < p->n; i++)
        if (p->all[i].file.fd >= 0)
            bx_file_counter_start(&p->all[i].file);
}

void bx_perf_counters_stop(bx_perf_counters *p)
{
    control_leaders(p, PERF_EVENT_IOC_DISABLE, true);
    for (size_t i = 0; i < p->n; i++)
        if (p->all[i].file.fd >= 0)
            bx_file_counter_stop(&p->all[i].file);
}

/* ---- reading ---- */

static void fail_group(bx_perf_counters *p, size_t leader, int err, bx_perf_value *values)
{
    for (size_t i = leader; i != NONE; i = p->all[i].next)
        values[i].err = err;
}

/* Values come in the order in which members joined; the ids check that. */
static void read_group(bx_perf_counters *p, size_t leader, bx_perf_value *values)
{
    const counter *first = &p->all[leader];
    uint64_t *got = p->room;
    size_t bytes = (GROUP_HEAD + 2 * first->n) * sizeof *got;
    ssize_t n = p->calls->read(p->calls->context, first->fd, got, bytes);
    if (n != (ssize_t)bytes || got[0] != first->n) {
        fail_group(p, leader, n < 0 ? (int)-n : EIO, values);
        return;
    }
    const uint64_t *member = got + GROUP_HEAD;
    for (size_t i = leader; i != NONE; i = p->all[i].next, member += 2) {
        bool its_own = !p->all[i].id || p->all[i].id == member[1];
        values[i] = (bx_perf_value){member[0], got[1], got[2], its_own ? 0 : EIO};
    }
}

static void read_single(bx_perf_counters *p, size_t i, bx_perf_value *values)
{
    uint64_t got[SINGLE];
    ssize_t n = p->calls->read(p->calls->context, p->all[i].fd, got, sizeof got);
    if (n != (ssize_t)sizeof got)
        values[i] = (bx_perf_value){.err = n < 0 ? (int)-n : EIO};
    else
        values[i] = (bx_perf_value){got[0], got[1], got[2], 0};
}

/* Reads all counters of a group by their user pages, or none: their values must be of one time. */
static bool read_pages(bx_perf_counters *p, size_t leader, bx_perf_value *values)
{
    for (size_t i = leader; i != NONE; i = p->all[i].next)
        if (!p->all[i].page || !bx_perf_page_read(p->calls, p->all[i].page, &values[i]))
            return false;
    return true;
}

void bx_perf_counters_read(bx_perf_counters *p, bx_perf_value *values)
{
    for (size_t i = 0; i < p->n; i++) {
        if (p->all[i].file.fd >= 0)
            values[i] = bx_file_counter_read(&p->all[i].file);
        if (p->all[i].fd < 0 || p->all[i].leader != i || read_pages(p, i, values))
            continue;
        if (p->singly)
            read_single(p, i, values);
        else
            read_group(p, i, values);
    }
}

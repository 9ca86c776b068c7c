/* Counters of perf_event: opened in groups, enabled, and read group by group. */
#ifndef BX_HOST_PERF_PERF_COUNTERS_H
#define BX_HOST_PERF_PERF_COUNTERS_H

#include "host/perf/kernel_pmus.h"
#include "host/perf/perf_calls.h"

/* One counter to be opened. */
typedef struct bx_perf_counter_spec {
    bx_perf_config config;
    int32_t cpu;    /* the CPU to count on; BX_PERF_TASK: a task on any CPU: */
    pid_t task;     /* this task and its future children; 0: the task of bx_perf_task */
    uint16_t group; /* events with the same number are counted at once or not at all; 0: no group */
    /* Without a group: may be read in one group with other counters of its PMU, if they fit. */
    bool joins;
    bool of_cgroup; /* of a CPU, only what one cgroup runs there: */
    int cgroup;     /* … a descriptor of its folder */
    bool pinned;    /* pinned: reading fails with EIO if it was not counted all the time */
} bx_perf_counter_spec;

enum { BX_PERF_TASK = -1 };

/* The task that counters with cpu BX_PERF_TASK count. */
typedef struct bx_perf_task {
    pid_t pid;    /* with children that it starts from now on; 0: the calling thread alone */
    bool on_exec; /* counting begins at its next execve() */
} bx_perf_task;

/* A count, and the times enabled and running in ns. */
typedef struct bx_perf_value {
    uint64_t count, enabled, running;
    int err; /* an errno if it could not be read */
} bx_perf_value;

typedef struct bx_perf_counters bx_perf_counters;

/* Opens all counters that can be opened. They begin disabled. err[i]: 0, or the errno of specs[i];
 * BX_PERF_NOT_IN_GROUP if it can be counted, but not in its group. calls must outlive the counters.
 * NULL: out of memory. */
bx_perf_counters *bx_perf_counters_open(const bx_perf_calls *calls,
                                        const bx_perf_counter_spec *specs, size_t n,
                                        bx_perf_task task, int *err);
void bx_perf_counters_close(bx_perf_counters *p); /* NULL is fine */

/* Error codes in addition to errnos. BX_PERF_RIGHTS_CHANGE: the kernel stops counting a program
 * when its rights change. */
enum { BX_PERF_NOT_IN_GROUP = 1 << 16, BX_PERF_RIGHTS_CHANGE };

/* Enable and disable all counters. With on_exec, execve() enables the counters of the task. */
void bx_perf_counters_start(bx_perf_counters *p);
void bx_perf_counters_stop(bx_perf_counters *p);

/* Reads all counters, in the order of the specs. Counters of the calling thread take no system call
 * if the kernel allows that. */
void bx_perf_counters_read(bx_perf_counters *p, bx_perf_value *values);

/* Reads a counter by its user page (perf_event_open(2), "cap_user_rdpmc"). false: use read(). */
bool bx_perf_page_read(const bx_perf_calls *calls, const volatile struct perf_event_mmap_page *page,
                       bx_perf_value *value);

/* Sets *e to the meaning of an errno from opening or reading `event`, with a hint; returns its
 * code. */
int bx_perf_explain(const bx_perf *p, int err, const char *event, const bx_perf_counter_spec *spec,
                    bx_error *e);

/* Why the file of an event has no value, though it was opened: an errno of bx_perf_value. */
void bx_perf_explain_file(int err, const char *event, const char *file, bx_error *e);

#endif

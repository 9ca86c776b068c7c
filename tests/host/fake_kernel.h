/* A kernel's perf_event as a test wants it: what is opened is kept, what is read comes from here.
 */
#ifndef BX_TESTS_HOST_FAKE_KERNEL_H
#define BX_TESTS_HOST_FAKE_KERNEL_H

#include "host/perf/perf_calls.h"

#include <stdbool.h>

enum { FAKE_MOST = 64, FAKE_FD = 100 };

typedef struct fake_counter {
    struct perf_event_attr attr;
    pid_t pid;
    int cpu, group; /* group: -1 or the leader's descriptor */
    bool open, counts;
    uint64_t count, enabled, running; /* of a group: the leader's times hold */
    struct perf_event_mmap_page *page;
} fake_counter;

typedef struct fake_kernel {
    fake_counter all[FAKE_MOST]; /* that of descriptor FAKE_FD + i is all[i] */
    int n, reads;
    unsigned room; /* counters of a PMU: a group cannot be larger; 0: it can */
    /* Says which errno an open gets; NULL: none does. */
    int (*refuse)(const struct fake_kernel *k, const struct perf_event_attr *attr, pid_t pid,
                  int cpu, int group);
    bool short_reads;
    struct perf_event_mmap_page *page;       /* of whatever is opened; NULL: it has none */
    uint64_t tsc, pmc;                       /* what the instructions read … */
    void (*at_rdpmc)(struct fake_kernel *k); /* … and what happens just then */
} fake_kernel;

void fake_kernel_calls(fake_kernel *k, bx_perf_calls *to);
int fake_kernel_open_now(const fake_kernel *k);

#endif

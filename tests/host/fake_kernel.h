/* A fake perf_event for tests. It stores the opened events, and tests set the values that are
 * read. */
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
    bool of_cgroup;                   /* pid is the descriptor of its folder */
    uint64_t count, enabled, running; /* in a group, the leader's are used */
    struct perf_event_mmap_page *page;
} fake_counter;

typedef struct fake_kernel {
    fake_counter all[FAKE_MOST]; /* all[i] has descriptor FAKE_FD + i */
    int n, reads;
    unsigned room; /* the most counters of a PMU and the largest group; 0: no limit */
    /* Returns the errno of an open; NULL: all succeed. */
    int (*refuse)(const struct fake_kernel *k, const struct perf_event_attr *attr, pid_t pid,
                  int cpu, int group);
    bool short_reads;
    struct perf_event_mmap_page *page;       /* the user page of every counter; NULL: none */
    uint64_t tsc, pmc;                       /* what rdtsc and rdpmc return … */
    void (*at_rdpmc)(struct fake_kernel *k); /* … and a function that rdpmc calls */
} fake_kernel;

void fake_kernel_calls(fake_kernel *k, bx_perf_calls *to);
int fake_kernel_open_now(const fake_kernel *k);

#endif

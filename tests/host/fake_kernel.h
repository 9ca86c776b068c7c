/* A fake perf_event for tests: it stores the events that are opened, and tests set the values that
 * are read. */
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
    uint64_t count, enabled, running; /* of a group: those of its leader count */
    struct perf_event_mmap_page *page;
} fake_counter;

typedef struct fake_kernel {
    fake_counter all[FAKE_MOST]; /* all[i] has descriptor FAKE_FD + i */
    int n, reads;
    unsigned room; /* counters of a PMU, the largest group; 0: no limit */
    /* The errno of an open; NULL: none fails. */
    int (*refuse)(const struct fake_kernel *k, const struct perf_event_attr *attr, pid_t pid,
                  int cpu, int group);
    bool short_reads;
    struct perf_event_mmap_page *page;       /* the user page of every counter; NULL: none */
    uint64_t tsc, pmc;                       /* what rdpmc and rdtsc return … */
    void (*at_rdpmc)(struct fake_kernel *k); /* … and a function that rdpmc calls */
} fake_kernel;

void fake_kernel_calls(fake_kernel *k, bx_perf_calls *to);
int fake_kernel_open_now(const fake_kernel *k);

#endif

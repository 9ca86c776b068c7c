/* The system calls and instructions of counting through perf_event, as function pointers: tests
 * replace them with a fake kernel. */
#ifndef BX_HOST_PERF_PERF_CALLS_H
#define BX_HOST_PERF_PERF_CALLS_H

#include <linux/perf_event.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

typedef struct bx_perf_calls {
    void *context; /* first argument of all */
    /* A descriptor, or minus an errno. */
    int (*open)(void *context, const struct perf_event_attr *attr, pid_t pid, int cpu, int group);
    /* The same for what a cgroup runs on a CPU; folder: a descriptor of its folder. */
    int (*open_cgroup)(void *context, const struct perf_event_attr *attr, int folder, int cpu,
                       int group);
    /* ioctl(): 0 or an errno. */
    int (*control)(void *context, int fd, unsigned long request, void *argument);
    /* Bytes, or minus an errno. */
    ssize_t (*read)(void *context, int fd, void *to, size_t n);
    void (*close)(void *context, int fd);
    /* Maps the user page of a counter; NULL: refused. */
    const volatile struct perf_event_mmap_page *(*map)(void *context, int fd);
    void (*unmap)(void *context, const volatile struct perf_event_mmap_page *page);
    uint64_t (*rdpmc)(void *context, uint32_t counter);
    uint64_t (*tsc)(void *context);
} bx_perf_calls;

/* The real ones of this machine. */
extern const bx_perf_calls bx_perf_calls_real;

#endif

/* The real system calls and instructions of counting through perf_event. */
#include "host/perf/perf_calls.h"

#include <errno.h>
#include <stdbool.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { PAGE = 4096 };

/* Each counter is an open file: raises the limit to the hard limit. Programs started before keep
 * their limit. */
static bool may_open_more(void)
{
    struct rlimit limit;
    if (getrlimit(RLIMIT_NOFILE, &limit) != 0 || limit.rlim_cur == limit.rlim_max) {
        errno = EMFILE;
        return false;
    }
    limit.rlim_cur = limit.rlim_max;
    return setrlimit(RLIMIT_NOFILE, &limit) == 0;
}

/* pid: of a task, or as `flags` say. A descriptor, or minus an errno. */
static int open_event(const struct perf_event_attr *attr, pid_t pid, int cpu, int group,
                      unsigned long flags)
{
    long fd = syscall(SYS_perf_event_open, attr, pid, cpu, group, flags);
    if (fd < 0 && errno == EMFILE && may_open_more())
        fd = syscall(SYS_perf_event_open, attr, pid, cpu, group, flags);
    return fd < 0 ? -errno : (int)fd;
}

static int real_open(void *context, const struct perf_event_attr *attr, pid_t pid, int cpu,
                     int group)
{
    (void)context;
    return open_event(attr, pid, cpu, group, PERF_FLAG_FD_CLOEXEC);
}

static int real_open_cgroup(void *context, const struct perf_event_attr *attr, int folder, int cpu,
                            int group)
{
    (void)context;
    return open_event(attr, folder, cpu, group, PERF_FLAG_FD_CLOEXEC | PERF_FLAG_PID_CGROUP);
}

static int real_control(void *context, int fd, unsigned long request, void *argument)
{
    (void)context;
    return ioctl(fd, request, argument) < 0 ? errno : 0;
}

static ssize_t real_read(void *context, int fd, void *to, size_t n)
{
    (void)context;
    ssize_t got = read(fd, to, n);
    return got < 0 ? -errno : got;
}

static void real_close(void *context, int fd)
{
    (void)context;
    close(fd);
}

static const volatile struct perf_event_mmap_page *real_map(void *context, int fd)
{
    (void)context;
    void *at = mmap(NULL, PAGE, PROT_READ, MAP_SHARED, fd, 0);
    return at == MAP_FAILED ? NULL : at;
}

static void real_unmap(void *context, const volatile struct perf_event_mmap_page *page)
{
    (void)context;
    munmap((void *)(uintptr_t)page, PAGE);
}

static uint64_t real_rdpmc(void *context, uint32_t counter)
{
    (void)context;
#if defined(__x86_64__) || defined(__i386__)
    uint32_t low, high;
    __asm__ volatile("rdpmc" : "=a"(low), "=d"(high) : "c"(counter));
    return (uint64_t)high << 32 | low;
#else
    (void)counter;
    return 0;
#endif
}

static uint64_t real_tsc(void *context)
{
    (void)context;
#if defined(__x86_64__) || defined(__i386__)
    return __builtin_ia32_rdtsc();
#else
    return 0;
#endif
}

const bx_perf_calls bx_perf_calls_real = {
    .open = real_open,
    .open_cgroup = real_open_cgroup,
    .control = real_control,
    .read = real_read,
    .close = real_close,
    .map = real_map,
    .unmap = real_unmap,
    .rdpmc = real_rdpmc,
    .tsc = real_tsc,
};

/* Opens perf events on stage: on virtual:skl,part=plain, with --pace 0. usage: perf_client
 * read|errors|switch|crowd|share|unread. Prints the checks that fail, and then exits with 1.
 * usage: perf_client rights CPU, on any machine. Prints how opening events of the host ends. */
#include "check.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/perf_event.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

enum { ANY_I = 0x8834, ANY_MESI = 0x8f34, NOT_MODELLED = 0x01ee };

static uint32_t type_of(const char *pmu)
{
    char file[128];
    unsigned type = 0;
    snprintf(file, sizeof file, "/sys/bus/event_source/devices/%s/type", pmu);
    FILE *f = fopen(file, "r");
    CHECK(f && fscanf(f, "%u", &type) == 1);
    if (f)
        fclose(f);
    return type;
}

static struct perf_event_attr attr_of(const char *pmu, uint64_t config)
{
    struct perf_event_attr a = {.type = type_of(pmu), .size = 128, .config = config, .disabled = 1};
    return a;
}

static int open_event(const struct perf_event_attr *a, int pid, int cpu, int group,
                      unsigned long flags)
{
    return (int)syscall(SYS_perf_event_open, a, pid, cpu, group, flags);
}

static void work(void)
{
    static const char line[] = "run stream,size=64K\n";
    int fd = open("/dev/boxscore/dialogue", O_WRONLY);
    CHECK(write(fd, line, sizeof line - 1) == sizeof line - 1);
    close(fd);
}

static uint64_t value(int fd)
{
    uint64_t v = UINT64_MAX;
    CHECK(read(fd, &v, sizeof v) == sizeof v);
    return v;
}

static uint64_t msr(uint64_t number)
{
    uint64_t v = UINT64_MAX;
    int fd = open("/dev/cpu/0/msr", O_RDONLY);
    CHECK(pread(fd, &v, sizeof v, (off_t)number) == sizeof v);
    close(fd);
    return v;
}

/* ---- read() ---- */

/* A group of three events, one of them the host's, in each combination of read_format. */
static void read_groups(void)
{
    for (unsigned format = 0; format < 32; format++) {
        bool group = format & PERF_FORMAT_GROUP;
        size_t each = 1u + !!(format & PERF_FORMAT_ID) + !!(format & PERF_FORMAT_LOST);
        size_t times = (size_t) !!(format & PERF_FORMAT_TOTAL_TIME_ENABLED) +
                       !!(format & PERF_FORMAT_TOTAL_TIME_RUNNING);
        size_t words = group ? 1 + times + 3 * each : times + each;
        struct perf_event_attr leader = attr_of("uncore_cbox_0", ANY_MESI),
                               sibling = attr_of("uncore_cbox_0", ANY_I),
                               host = {.type = PERF_TYPE_SOFTWARE,
                                       .size = 128,
                                       .config = PERF_COUNT_SW_PAGE_FAULTS};
        leader.read_format = sibling.read_format = host.read_format = format;
        sibling.disabled = 0;
        int a = open_event(&leader, -1, 0, -1, 0), b = open_event(&sibling, -1, 0, a, 0),
            c = open_event(&host, -1, 0, a, 0);
        CHECK(a >= 0 && b >= 0 && c >= 0);
        CHECK(ioctl(a, PERF_EVENT_IOC_ENABLE, 0) == 0);
        work();
        CHECK(ioctl(a, PERF_EVENT_IOC_DISABLE, 0) == 0);
        uint64_t got[16] = {0}, id_a = 0, id_b = 0;
        CHECK(read(a, got, 8 * words - 1) == -1 && errno == ENOSPC);
        CHECK(read(a, got, sizeof got) == (ssize_t)(8 * words));
        CHECK(ioctl(a, PERF_EVENT_IOC_ID, &id_a) == 0 && ioctl(b, PERF_EVENT_IOC_ID, &id_b) == 0);
        CHECK(id_a != id_b);
        size_t at = group ? 1 + times : 0;
        CHECK(!group || got[0] == 3);
        CHECK(got[at] > 100);
        const uint64_t *time = &got[1];
        if (format & PERF_FORMAT_TOTAL_TIME_ENABLED)
            CHECK(time[0] > 100);
        if (times == 2)
            CHECK(time[0] == time[1]);
        if (format & PERF_FORMAT_ID)
            CHECK(got[group ? at + 1 : 1 + times] == id_a);
        if (group && format & PERF_FORMAT_ID)
            CHECK(got[at + each + 1] == id_b);
        if (group) /* a read of any member returns the whole group */
            CHECK(got[at + each] <= got[at] && read(b, got, sizeof got) == (ssize_t)(8 * words));
        if (format & PERF_FORMAT_LOST)
            CHECK(got[group ? at + each - 1 : times + each - 1] == 0);
        close(a);
        CHECK(read(b, got, sizeof got) > 0); /* it now has its own group */
        close(b);
        close(c);
    }
    puts("all combinations");
}

/* ---- errno ---- */

typedef struct attempt {
    int pid, cpu, group;
    unsigned long flags;
    struct perf_event_attr attr;
    int says; /* errno */
} attempt;

static void try(int line, attempt t)
{
    int fd = open_event(&t.attr, t.pid, t.cpu, t.group, t.flags), err = fd < 0 ? errno : 0;
    if (err != t.says) {
        printf("line %d: %s instead of %s\n", line, strerror(err), strerror(t.says));
        wrong = 1;
    }
    if (fd >= 0)
        close(fd);
}

#define TRY(...) try(__LINE__, (attempt){__VA_ARGS__})

static void errors(void)
{
    struct perf_event_attr good = attr_of("uncore_cbox_0", ANY_I), bad = good;
    TRY(-1, 0, -1, 0, good, 0);
    TRY(-1, 3, -1, 0, good, 0); /* of the package */
    TRY(-1, 4, -1, 0, good, EINVAL);
    TRY(-1, -1, -1, 0, good, EINVAL);
    TRY(0, 0, -1, 0, good, EINVAL);
    TRY(0, -1, -1, 0, good, EINVAL);
    TRY(-1, 0, -1, 1ul << 5, good, EINVAL);
    TRY(-1, 0, -1, PERF_FLAG_PID_CGROUP, good, EINVAL);
    TRY(-1, 0, 99, 0, good, EBADF);
    TRY(-1, 0, STDIN_FILENO, 0, good, EBADF);
    bad.sample_period = 100;
    TRY(-1, 0, -1, 0, bad, EINVAL);
    bad = good, bad.exclude_kernel = 1;
    TRY(-1, 0, -1, 0, bad, EINVAL);
    bad = good, bad.exclude_hv = 1;
    TRY(-1, 0, -1, 0, bad, EINVAL);
    bad = good, bad.read_format = 32;
    TRY(-1, 0, -1, 0, bad, EINVAL);
    bad = good, bad.__reserved_2 = 1;
    TRY(-1, 0, -1, 0, bad, EINVAL);
    bad = good, bad.type = 4000;
    TRY(-1, 0, -1, 0, bad, ENOENT);
    bad = attr_of("uncore_cbox_0", NOT_MODELLED);
    TRY(-1, 0, -1, 0, bad, EOPNOTSUPP);
    bad = attr_of("uncore_imc", 9);
    TRY(-1, 0, -1, 0, bad, EINVAL);
    bad = good, bad.config |= 1 << 22 | 1 << 20; /* Linux drops bits without a term */
    TRY(-1, 0, -1, 0, bad, 0);
    bad = good, bad.config1 = 5;
    TRY(-1, 0, -1, 0, bad, 0);

    struct perf_event_attr sized[2] = {good};
    sized[0].size = 0; /* the first version */
    TRY(-1, 0, -1, 0, sized[0], 0);
    sized[0].size = 63;
    CHECK(open_event(sized, -1, 0, -1, 0) == -1 && errno == E2BIG && sized[0].size == 128);
    sized[0].size = 200;
    CHECK(open_event(sized, -1, 0, -1, 0) >= 0);
    ((char *)sized)[150] = 1;
    CHECK(open_event(sized, -1, 0, -1, 0) == -1 && errno == E2BIG && sized[0].size == 128);
    CHECK(open_event(NULL, -1, 0, -1, 0) == -1 && errno == EFAULT);
    long page = sysconf(_SC_PAGESIZE);
    char *edge =
        mmap(NULL, 2 * (size_t)page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    munmap(edge + page, (size_t)page);
    memcpy(edge + page - 64, &good, 64); /* its size is larger than what can be read */
    CHECK(open_event((void *)(edge + page - 64), -1, 0, -1, 0) == -1 && errno == EFAULT);
}

static void group_errors(void)
{
    struct perf_event_attr good = attr_of("uncore_cbox_0", ANY_I), bad = good,
                           other = attr_of("uncore_cbox_1", ANY_I),
                           host = {.type = PERF_TYPE_SOFTWARE,
                                   .size = 128,
                                   .config = PERF_COUNT_SW_CPU_CLOCK};
    int leader = open_event(&good, -1, 0, -1, 0);
    TRY(-1, 0, leader, 0, other, EINVAL); /* another unit */
    TRY(-1, 1, leader, 0, host, EINVAL);  /* another CPU */
    bad.pinned = 1;
    TRY(-1, 0, leader, 0, bad, EINVAL);
    bad = good, bad.exclusive = 1;
    TRY(-1, 0, leader, 0, bad, EINVAL);
    int second = open_event(&good, -1, 0, leader, 0);
    CHECK(second >= 0);
    TRY(-1, 0, second, 0, good, EINVAL); /* leads no group */
    TRY(-1, 0, leader, 0, good, EINVAL); /* a box has two counters */
    TRY(-1, 0, leader, 0, host, 0);
    TRY(-1, 0, leader, PERF_FLAG_FD_NO_GROUP, good, 0);
    close(leader);
    close(second);
    leader = open_event(&host, -1, 0, -1, PERF_FLAG_FD_CLOEXEC);
    CHECK(fcntl(leader, F_GETFD) == FD_CLOEXEC);
    TRY(-1, 0, leader, 0, good, 0); /* it is closed at once, but the group stays on the box */
    TRY(-1, 0, leader, 0, other, EINVAL);
    second = open_event(&good, -1, 0, leader, 0);
    TRY(-1, 0, leader, 0, other, EINVAL);
    close(leader);
    CHECK(fcntl(second, F_GETFD) == 0);
    close(second);
}

/* ---- ioctl() ---- */

static void switches(void)
{
    struct perf_event_attr a = attr_of("uncore_cbox_0", ANY_MESI);
    uint64_t id = 0, period = 5;
    int fd = open_event(&a, -1, 0, -1, 0), second = open_event(&a, -1, 0, fd, 0);
    work();
    CHECK(value(fd) == 0 && value(second) == 0 && msr(0x700) == 0);
    CHECK(ioctl(second, PERF_EVENT_IOC_ENABLE, 0) == 0); /* its leader is disabled */
    work();
    CHECK(value(second) == 0);
    CHECK(ioctl(fd, PERF_EVENT_IOC_ENABLE, 0) == 0 && msr(0x700) == 0x408f34 &&
          msr(0x701) == 0x408f34);
    work();
    uint64_t once = value(fd);
    CHECK(once > 100 && value(second) == once && value(fd) == once);
    CHECK(ioctl(second, PERF_EVENT_IOC_DISABLE, 0) == 0);
    work();
    CHECK(value(fd) > once && value(second) == once);
    CHECK(ioctl(fd, PERF_EVENT_IOC_RESET, 0) == 0 && value(fd) == 0 && value(second) == once);
    CHECK(ioctl(second, PERF_EVENT_IOC_RESET, PERF_IOC_FLAG_GROUP) == 0 && value(second) == 0);
    CHECK(ioctl(second, PERF_EVENT_IOC_DISABLE, PERF_IOC_FLAG_GROUP) == 0 && msr(0x700) == 0);
    work();
    CHECK(value(fd) == 0);
    CHECK(ioctl(fd, PERF_EVENT_IOC_ENABLE, PERF_IOC_FLAG_GROUP) == 0);
    work();
    CHECK(value(fd) > 100 && value(second) == value(fd));
    CHECK(ioctl(fd, PERF_EVENT_IOC_ID, &id) == 0 && id != 0);
    CHECK(ioctl(fd, PERF_EVENT_IOC_REFRESH, 1) == -1 && errno == EINVAL);
    CHECK(ioctl(fd, PERF_EVENT_IOC_PERIOD, &period) == -1 && errno == EINVAL);
    CHECK(ioctl(fd, PERF_EVENT_IOC_SET_OUTPUT, -1) == 0);
    CHECK(ioctl(fd, PERF_EVENT_IOC_SET_OUTPUT, second) == -1 && errno == EINVAL);
    struct perf_event_query_bpf query = {0};
    CHECK(ioctl(fd, PERF_EVENT_IOC_QUERY_BPF, &query) == -1 && errno == EINVAL);
    CHECK(ioctl(fd, PERF_EVENT_IOC_ID, NULL) == -1 && errno == EFAULT);
    CHECK(ioctl(fd, PERF_EVENT_IOC_PERIOD, NULL) == -1 && errno == EFAULT);
    CHECK(ioctl(fd, 0x2499, 0) == -1 && errno == ENOTTY);
    CHECK(write(fd, "", 1) == -1 && errno == EINVAL);
    struct pollfd waiting = {.fd = fd, .events = POLLIN};
    CHECK(poll(&waiting, 1, 1000) == 1 && waiting.revents == POLLHUP);
    CHECK(lseek(fd, 0, SEEK_SET) == -1 && errno == ESPIPE);
    close(fd);
    close(second);
    CHECK(msr(0x700) == 0 && msr(0x701) == 0);
}

/* Commands of several processes, with any arguments, to events that they share and to their own. */
static void control_wildly(int shared, unsigned seed)
{
    static const unsigned long commands[] = {
        PERF_EVENT_IOC_ENABLE,     PERF_EVENT_IOC_DISABLE,     PERF_EVENT_IOC_REFRESH,
        PERF_EVENT_IOC_RESET,      PERF_EVENT_IOC_PERIOD,      PERF_EVENT_IOC_SET_OUTPUT,
        PERF_EVENT_IOC_SET_FILTER, PERF_EVENT_IOC_ID,          PERF_EVENT_IOC_SET_BPF,
        PERF_EVENT_IOC_QUERY_BPF,  PERF_EVENT_IOC_PAUSE_OUTPUT};
    struct perf_event_attr a = attr_of("uncore_cbox_0", ANY_MESI);
    srandom(seed);
    for (;;) {
        int own = open_event(&a, -1, 0, random() % 2 ? shared : -1, 0);
        for (unsigned i = 0; i < 20; i++) {
            uint64_t room[8] = {(uint64_t)random()};
            void *to = random() % 2 ? (void *)room : (void *)(uintptr_t)(random() % 4);
            (void)ioctl(random() % 2 ? own : shared, commands[random() % 11], to);
        }
        close(own);
    }
}

/* Meanwhile a pinned event counts what it counts alone. */
static void crowd(void)
{
    enum { OTHERS = 3, ROUNDS = 30 };
    struct perf_event_attr a = attr_of("uncore_cbox_0", ANY_MESI), pinned = a;
    pinned.pinned = 1;
    pinned.disabled = 0;
    int fd = open_event(&pinned, -1, 0, -1, 0), shared = open_event(&a, -1, 0, -1, 0);
    pid_t others[OTHERS];
    uint64_t before, alone = 0;
    for (unsigned i = 0; i < 4; i++) { /* then the caches are in a steady state */
        before = value(fd);
        work();
        alone = value(fd) - before;
    }
    CHECK(alone > 100);
    for (unsigned i = 0; i < OTHERS; i++)
        if ((others[i] = fork()) == 0)
            control_wildly(shared, i + 1);
    for (unsigned i = 0; i < ROUNDS; i++) {
        before = value(fd);
        work();
        CHECK(value(fd) - before == alone);
    }
    for (unsigned i = 0; i < OTHERS; i++) {
        int status;
        kill(others[i], SIGKILL);
        CHECK(waitpid(others[i], &status, 0) == others[i] && WIFSIGNALED(status));
    }
    close(shared);
    close(fd);
    /* The stage may still be opening an event for a process that was killed while it waited for
     * that: it closes it then. */
    for (unsigned i = 0; i < 10000 && (msr(0x700) || msr(0x701)); i++)
        usleep(1000);
    CHECK(msr(0x700) == 0 && msr(0x701) == 0);
}

/* A pinned event gets its counter before others, and is in error state without one. An exclusive
 * event is counted alone. */
static void priorities(void)
{
    struct perf_event_attr a = attr_of("uncore_cbox_0", ANY_MESI), pinned = a, alone = a;
    uint64_t word;
    a.disabled = 0;
    pinned.pinned = alone.exclusive = 1;
    int first = open_event(&a, -1, 0, -1, 0), fd = open_event(&pinned, -1, 0, -1, 0),
        second = open_event(&pinned, -1, 0, -1, 0), third = open_event(&pinned, -1, 0, -1, 0);
    CHECK(ioctl(fd, PERF_EVENT_IOC_ENABLE, 0) == 0 && ioctl(second, PERF_EVENT_IOC_ENABLE, 0) == 0);
    work();
    CHECK(value(fd) > 100 && value(second) == value(fd) && value(first) == 0);
    CHECK(ioctl(third, PERF_EVENT_IOC_ENABLE, 0) == 0 && read(third, &word, sizeof word) == 0);
    close(fd);
    close(second);
    close(third);
    close(first);
    alone.disabled = 0;
    first = open_event(&alone, -1, 0, -1, 0);
    fd = open_event(&a, -1, 0, -1, 0);
    work();
    CHECK(value(first) > 100 && value(fd) == 0);
    close(fd);
    close(first);
}

/* ---- processes, threads ---- */

static void *in_a_thread(void *context)
{
    struct perf_event_attr a = attr_of("uncore_cbox_0", ANY_MESI);
    *(int *)context = open_event(&a, -1, 0, -1, 0);
    return NULL;
}

static void shares(void)
{
    pthread_t thread;
    int fd = -1, status = 0;
    CHECK(pthread_create(&thread, NULL, in_a_thread, &fd) == 0 && pthread_join(thread, NULL) == 0);
    CHECK(fd >= 0 && ioctl(fd, PERF_EVENT_IOC_ENABLE, 0) == 0);
    pid_t child = fork();
    if (child == 0) { /* has inherited the event */
        work();
        _exit(value(fd) > 100 ? 0 : 1);
    }
    CHECK(waitpid(child, &status, 0) == child && status == 0);
    uint64_t once = value(fd);
    CHECK(once > 100);
    int copy = dup(fd);
    close(fd);
    CHECK(msr(0x700) == 0x408f34 && value(copy) == once);
    child = fork();
    if (child == 0)
        pause();
    close(copy);
    CHECK(msr(0x700) != 0 && kill(child, SIGKILL) == 0);
    waitpid(child, &status, 0);
    for (int i = 0; i < 100 && msr(0x700); i++) /* the last descriptor is closed soon */
        poll(NULL, 0, 10);
    CHECK(msr(0x700) == 0);
}

/* The attr is in a page of a staged file that nobody has read yet, so the stage must read the file
 * itself. No text of the file is a valid attr. */
static void unread_page(void)
{
    int file = open("/proc/cpuinfo", O_RDONLY);
    void *page = mmap(NULL, 4096, PROT_READ, MAP_SHARED, file, 0);
    CHECK(page != MAP_FAILED);
    CHECK(open_event(page, -1, 0, -1, 0) == -1 && errno == E2BIG);
    munmap(page, 4096);
    close(file);
}

/* ---- rights ---- */

static void try_as_is(const char *what, struct perf_event_attr a, int cpu)
{
    a.size = 128;
    int fd = open_event(&a, -1, cpu, -1, 0);
    printf("%s: %s\n", what, fd < 0 ? strerror(errno) : "opened");
    if (fd >= 0)
        close(fd);
}

/* Events of the host for all processes, with and without samples, kernel mode, raw records. */
static void rights(int cpu)
{
    struct perf_event_attr clock = {.type = PERF_TYPE_SOFTWARE}, sampling = clock, user, raw;
    sampling.sample_period = 1000000;
    sampling.sample_type = PERF_SAMPLE_IP | PERF_SAMPLE_TID;
    user = sampling;
    user.exclude_kernel = 1;
    raw = (struct perf_event_attr){.type = PERF_TYPE_TRACEPOINT, .sample_period = 1};
    FILE *id = fopen("/sys/kernel/tracing/events/sched/sched_switch/id", "r");
    unsigned long long number = 0;
    if (id && fscanf(id, "%llu", &number) == 1)
        raw.config = number;
    if (id)
        fclose(id);
    try_as_is("counting", clock, cpu);
    try_as_is("sampling", sampling, cpu);
    try_as_is("sampling user mode", user, cpu);
    try_as_is("tracepoint", raw, cpu);
    raw.sample_type = PERF_SAMPLE_RAW;
    try_as_is("raw records", raw, cpu);
    raw.sample_period = 0;
    try_as_is("tracepoint, counting", raw, cpu);
    clock.exclude_kernel = 1;
    try_as_is("user mode", clock, cpu);
    clock.config = PERF_COUNT_SW_CONTEXT_SWITCHES;
    try_as_is("context switches", clock, cpu);
    clock.namespaces = 1;
    try_as_is("namespaces", clock, cpu);
}

int main(int argc, char **argv)
{
    const char *scenario = argc > 1 ? argv[1] : "";
    if (strcmp(scenario, "read") == 0)
        read_groups();
    if (strcmp(scenario, "errors") == 0) {
        errors();
        group_errors();
    }
    if (strcmp(scenario, "switch") == 0) {
        switches();
        priorities();
    }
    if (strcmp(scenario, "crowd") == 0)
        crowd();
    if (strcmp(scenario, "share") == 0)
        shares();
    if (strcmp(scenario, "unread") == 0)
        unread_page();
    if (strcmp(scenario, "rights") == 0 && argc > 2)
        rights(atoi(argv[2]));
    return wrong;
}

/* Measures where MSRs should be read.
 *
 * First: the cost of one read that interrupts another CPU, of a read on the own CPU, and of a read
 * after moving to the other CPU; with the other CPU idle and busy. It reads a kernel event that
 * counts on that CPU, because the kernel reads it in the same way as an MSR.
 *
 * Second: the cost of a sweep over two packages, with reader threads and with one register after
 * the other. Plain files stand in for the MSR devices: a read is then only a system call, and the
 * difference is the cost of the threads. usage: bench_readers [SWEEPS] */
#include "host/bus/registers.h"

#include <fcntl.h>
#include <ftw.h>
#include <linux/perf_event.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

enum { MOST = 64 };

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

/* ---- on this CPU and on another one ---- */

static int open_event(int cpu)
{
    struct perf_event_attr attr = {
        .type = PERF_TYPE_SOFTWARE, .size = sizeof attr, .config = PERF_COUNT_SW_CPU_CLOCK};
    return (int)syscall(SYS_perf_event_open, &attr, -1, cpu, -1, PERF_FLAG_FD_CLOEXEC);
}

static void go_to(int cpu)
{
    cpu_set_t set;
    CPU_ZERO(&set);
    CPU_SET(cpu, &set);
    sched_setaffinity(0, sizeof set, &set);
}

static int in_order(const void *a, const void *b)
{
    const double *x = a, *y = b;
    return *x < *y ? -1 : *x > *y;
}

enum { HERE, THERE, MOVING, ASKING, WAYS };

static void print_row(const char *what, const char *share, double *const took[], size_t i)
{
    printf("%-6s %-12s %14.0f %14.0f %14.0f %14.1f\n", what, share, took[HERE][i], took[THERE][i],
           took[MOVING][i], took[ASKING][i] / 100);
}

static bool read_event(int fd)
{
    uint64_t value;
    return read(fd, &value, sizeof value) == sizeof value;
}

static atomic_bool spinning;

static void *spin(void *unused)
{
    go_to(1);
    while (atomic_load(&spinning))
        continue;
    return unused;
}

/* One round on CPU 0. At the end of "moving", the thread may run on all CPUs again. */
static bool go_all_ways(const int event[2], double *took[WAYS], long k)
{
    cpu_set_t both;
    CPU_ZERO(&both);
    CPU_SET(0, &both);
    CPU_SET(1, &both);
    go_to(0);
    double at[WAYS + 1] = {now()};
    bool fine = read_event(event[0]);
    at[1] = now();
    fine &= read_event(event[1]);
    at[2] = now();
    go_to(1);
    fine &= read_event(event[1]);
    sched_setaffinity(0, sizeof both, &both);
    at[3] = now();
    for (unsigned i = 0; i < 100; i++)
        fine &= sched_getcpu() >= 0;
    at[4] = now();
    for (int way = 0; way < WAYS; way++)
        took[way][k] = at[way + 1] - at[way];
    return fine;
}

static void compare_ways(const char *what, long times)
{
    double *took[WAYS];
    const int event[2] = {open_event(0), open_event(1)};
    bool fine = event[0] >= 0 && event[1] >= 0 && times > 0;
    for (int way = 0; way < WAYS; way++)
        fine &= (took[way] = calloc((size_t)times + 1, sizeof **took)) != NULL;
    for (long k = 0; fine && k < times; k++)
        fine = go_all_ways(event, took, k);
    for (int way = 0; fine && way < WAYS; way++)
        qsort(took[way], (size_t)times, sizeof **took, in_order);
    if (fine) {
        print_row(what, "half", took, (size_t)times / 2);
        print_row(what, "nine of ten", took, (size_t)times * 9 / 10);
    } else {
        printf("%s: no second CPU, or no event can be opened there\n", what);
    }
    for (int way = 0; way < WAYS; way++)
        free(took[way]);
    close(event[0]);
    close(event[1]);
}

static void compare_idle_and_busy(long times)
{
    pthread_t spinner;
    printf("%-6s %-12s %14s %14s %14s %14s\n", "other", "take less", "read here ns",
           "read there ns", "moved ns", "asked ns");
    compare_ways("idle", times);
    atomic_store(&spinning, true);
    if (pthread_create(&spinner, NULL, spin, NULL) == 0) {
        compare_ways("busy", times / 10 + 1);
        atomic_store(&spinning, false);
        pthread_join(spinner, NULL);
    }
    printf("\n");
}

/* ---- with reader threads ---- */

static void put_device(const char *root, unsigned cpu)
{
    char path[96];
    const char *const folders[] = {"", "/dev", "/dev/cpu"};
    for (size_t i = 0; i < sizeof folders / sizeof *folders; i++) {
        snprintf(path, sizeof path, "%s%s", root, folders[i]);
        mkdir(path, 0700);
    }
    snprintf(path, sizeof path, "%s/dev/cpu/%u", root, cpu);
    mkdir(path, 0700);
    snprintf(path, sizeof path, "%s/dev/cpu/%u/msr", root, cpu);
    int fd = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
    if (fd < 0 || ftruncate(fd, 4096) != 0)
        exit(1);
    close(fd);
}

static int remove_one(const char *path, const struct stat *about, int kind, struct FTW *ftw)
{
    (void)about;
    (void)kind;
    (void)ftw;
    return remove(path);
}

/* The shortest of all sweeps, because other programs may use the computer. */
static double sweeps(struct bx_bus *bus, const bx_address *at, size_t n, long times, bool batched)
{
    uint64_t values[MOST];
    int err;
    double least = 1e18;
    for (long k = 0; k < times; k++) {
        double began = now();
        if (batched)
            bus->read_many(bus, at, values, n, &err);
        for (size_t i = 0; !batched && i < n; i++)
            bus->read(bus, &at[i], &values[i]);
        double took = now() - began;
        least = took < least ? took : least;
    }
    return least;
}

int main(int argc, char **argv)
{
    long times = argc > 1 ? strtol(argv[1], NULL, 10) : 2000;
    static const uint16_t logical[] = {0, 1};
    static const bx_cpus cpus = {.packages = 2, .cores = 1, .logical = logical};
    char root[] = "/tmp/bench-readers-XXXXXX";
    bx_address at[MOST];
    if (!mkdtemp(root))
        return 1;
    put_device(root, 0);
    put_device(root, 1);
    cpu_set_t before;
    sched_getaffinity(0, sizeof before, &before);
    compare_idle_and_busy(times);
    sched_setaffinity(0, sizeof before, &before);
    struct bx_bus *bus = bx_registers_open(root, &cpus);
    if (!bus)
        return 1;
    for (size_t i = 0; i < MOST; i++)
        at[i] = (bx_address){.width = 64, .cpu = i & 1, .offset = 0x700 + i};
    printf("%9s %14s %14s %30s\n", "registers", "singly ns", "readers ns",
           "handing over is worth reads");
    for (size_t n = 2; n <= MOST; n *= 2) {
        sweeps(bus, at, n, times / 10 + 1, true);
        double singly = sweeps(bus, at, n, times, false);
        double readers = sweeps(bus, at, n, times, true);
        printf("%9zu %14.0f %14.0f %30.1f\n", n, singly, readers,
               (readers - singly / 2) / (singly / (double)n));
    }
    bus->close(bus);
    return nftw(root, remove_one, 16, FTW_DEPTH | FTW_PHYS) != 0;
}

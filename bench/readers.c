/* What a sweep over two packages costs by their reader threads, against one register after the
 * other, on plain files in the place of MSR devices: a read is then a system call and nothing more,
 * so that the difference is what handing over costs. usage: bench_readers [SWEEPS] */
#include "access/registers.h"

#include <fcntl.h>
#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

enum { MOST = 64 };

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

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

/* The shortest of all: others may be using the computer. */
static double sweeps(struct bx_bus *bus, const bx_address *at, size_t n, long times, bool together)
{
    uint64_t values[MOST];
    int err;
    double least = 1e18;
    for (long k = 0; k < times; k++) {
        double began = now();
        if (together)
            bus->read_many(bus, at, values, n, &err);
        for (size_t i = 0; !together && i < n; i++)
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

/* Programs on virtual:skl that attack their stage, whose files are below a folder: "" in place of
 * the host's.
 *   hostile_client memory            /dev/mem cannot be changed
 *   hostile_client texts             nothing of the stage's can be truncated
 *   hostile_client FOLDER SEED N M TRIES
 *                                    N rounds of M random operations; after each, a well-behaved
 *                                    client counts right in one of so many tries. Prints what was
 *                                    tried.
 * Prints the checks that fail, and then exits with 1. */
#include "check.h"

#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <linux/perf_event.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

enum { PATH = 256 };

static const char *folder = "";

static void path_of(char *to, const char *name)
{
    snprintf(to, PATH, "%s%s", folder, name);
}

/* If there is no folder, Linux does not say where the dialogue is. */
static int open_dialogue(void)
{
    char file[PATH];
    path_of(file, *folder ? "/dialogue" : "/dev/boxscore/dialogue");
    return open(file, O_WRONLY | O_CLOEXEC);
}

static bool say(const char *line)
{
    int fd = open_dialogue();
    bool said = write(fd, line, strlen(line)) == (ssize_t)strlen(line);
    close(fd);
    return said;
}

/* ---- single attacks ---- */

/* 334060-001, section 3: DRAM_DATA_READS counts at 5050H of the base address, here FED10000H. */
static void memory(void)
{
    const off_t at = 0xfed15050, page = at & ~(off_t)4095;
    uint32_t value = 0x12345678, got = 0, seen = 0;
    CHECK(say("run stream,size=1M"));
    int fd = open("/dev/mem", O_RDWR);
    void *mapped = mmap(NULL, 4096, PROT_READ, MAP_SHARED, fd, page);
    const volatile uint32_t *shown = mapped;
    CHECK(fd >= 0 && mapped != MAP_FAILED);
    CHECK(pread(fd, &seen, 4, at) == 4 && seen == 49152 && shown[0x50 / 4] == seen);
    CHECK(pwrite(fd, &value, 4, at) == -1 && errno == EPERM);
    CHECK(mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, fd, page) == MAP_FAILED);
    CHECK(mprotect(mapped, 4096, PROT_READ | PROT_WRITE) == -1);
    CHECK(ftruncate(fd, 0) == -1 && truncate("/dev/mem", 0) == -1);
    CHECK(fallocate(fd, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, page, 4096) == -1);
    CHECK(open("/dev/mem", O_RDWR | O_TRUNC) == -1);
    CHECK(pread(fd, &got, 4, at) == 4 && got == seen && shown[0x50 / 4] == seen);
    CHECK(say("run stream,size=16M") && shown[0x50 / 4] > seen);
    close(fd);
}

static void texts(void)
{
    static const char *const files[] = {"/dev/boxscore/lib/preload.so", "/proc/cpuinfo",
                                        "/sys/devices/system/cpu/online"};
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        struct stat before, after;
        CHECK(stat(files[i], &before) == 0 && before.st_size > 0);
        CHECK(open(files[i], O_RDONLY | O_TRUNC) == -1 && errno == EPERM);
        CHECK(open(files[i], O_RDWR | O_TRUNC) == -1);
        CHECK(truncate(files[i], 0) == -1);
        CHECK(stat(files[i], &after) == 0 && after.st_size == before.st_size);
    }
    int config = open("/sys/bus/pci/devices/0000:00:00.0/config", O_RDWR | O_TRUNC);
    struct stat about;
    CHECK(config >= 0 && fstat(config, &about) == 0 && about.st_size == 4096);
    close(config);
}

/* ---- random operations ---- */

enum { FILES = 2000, EVENTS = 8 };

static char *files[FILES];
static size_t n_files;
static dev_t served; /* the device number of the stage's files: no other file is touched */
static uint32_t types[64];
static size_t n_types;
static pid_t reaper;
static int events[EVENTS];

static unsigned below(unsigned n)
{
    return (unsigned)(((uint64_t)random() << 16 ^ (uint64_t)random()) % n);
}

/* A number near a power of two, or a small one. */
static uint64_t number(void)
{
    uint64_t n = (UINT64_C(1) << below(64)) + below(3) - 1;
    return below(3) ? below(4096) : n;
}

static int collect(const char *path, const struct stat *about, int kind, struct FTW *ftw)
{
    (void)ftw;
    bool ours = about->st_dev == served || strcmp(path + strlen(folder), "/dev/mem") == 0;
    if (kind == FTW_F && ours && n_files < FILES)
        files[n_files++] = strdup(path);
    return 0;
}

static void find_files(void)
{
    static const char *const roots[] = {"/dev/cpu",
                                        "/dev/boxscore",
                                        "/dialogue",
                                        "/proc/cpuinfo",
                                        "/proc/bus/pci",
                                        "/sys/bus/pci",
                                        "/sys/firmware",
                                        "/sys/bus/event_source/devices",
                                        "/sys/devices/system/cpu",
                                        "/sys/devices/system/node"};
    char file[PATH];
    struct stat about;
    path_of(file, "/proc/cpuinfo");
    CHECK(stat(file, &about) == 0);
    served = about.st_dev;
    for (size_t i = 0; i < sizeof roots / sizeof *roots; i++) {
        path_of(file, roots[i]);
        nftw(file, collect, 16, FTW_PHYS);
    }
    for (unsigned i = 0; i < 64; i++) { /* half of all operations are on these */
        static const char *const names[] = {"/dev/mem", "/dev/cpu/0/msr", "/dev/cpu/3/msr",
                                            "/proc/bus/pci/00/00.0"};
        path_of(file, names[i % 4]);
        files[n_files++ % FILES] = strdup(file);
    }
    for (size_t i = 0; i < n_files; i++) {
        size_t n = strlen(files[i]);
        FILE *f = n > 5 && strcmp(files[i] + n - 5, "/type") == 0 ? fopen(files[i], "r") : NULL;
        if (f && n_types < 64 && fscanf(f, "%u", &types[n_types]) == 1)
            n_types += types[n_types] > PERF_TYPE_BREAKPOINT; /* the machine's */
        if (f)
            fclose(f);
    }
}

static const char *any_file(void)
{
    return files[below((unsigned)n_files)];
}

static int open_any(void)
{
    static const int flags[] = {O_TRUNC, O_APPEND, O_NONBLOCK, O_DIRECT, O_SYNC, O_NOFOLLOW};
    int how = below(2) ? O_RDWR : (int)below(3);
    for (size_t i = 0; i < sizeof flags / sizeof *flags; i++)
        how |= below(5) ? 0 : flags[i];
    return open(any_file(), how | O_CLOEXEC);
}

static off_t any_offset(void)
{
    static const uint64_t known[] = {0x390, 0x391, 0x394, 0x395, 0x396, 0x3b0, 0x3b2, 0x700,
                                     0x706, 0x707, 0x716, 0xe01, 0xc1,  0x186, 0x48,  0xfed15050};
    return (off_t)(below(2) ? known[below(16)] + below(2) * below(8) : number() >> 1);
}

static char bytes[1 << 17];

static void transfer(void)
{
    int fd = open_any();
    for (int i = 0; fd >= 0 && i < 4; i++) {
        size_t n = below(4) ? 8 * below(9) : below(sizeof bytes);
        for (size_t k = 0; k < 64; k++)
            bytes[k] = (char)(below(2) ? 0 : below(256));
        (void)!(below(2) ? pread(fd, bytes, n, any_offset()) : pwrite(fd, bytes, n, any_offset()));
    }
    close(fd);
}

static void change(void)
{
    const char *file = any_file();
    char other[PATH + 8];
    snprintf(other, sizeof other, "%s.new", file);
    switch (below(6)) {
    case 0:
        (void)!truncate(file, (off_t)number());
        break;
    case 1:
        (void)!chmod(file, below(512));
        break;
    case 2:
        (void)!link(file, other);
        break;
    case 3:
        (void)!rename(file, other);
        break;
    case 4:
        (void)!mkdir(other, 0700);
        break;
    default:
        (void)!utimensat(AT_FDCWD, file, NULL, 0);
        break;
    }
}

static void *map_any(size_t n)
{
    static const off_t pages[] = {0, 0, 4096, 0xfed15000, (off_t)1 << 39, ((off_t)1 << 40) - 4096};
    int fd = open_any(), prot = below(2) ? PROT_READ : PROT_READ | PROT_WRITE;
    void *at = mmap(NULL, n, prot, below(3) ? MAP_SHARED : MAP_PRIVATE, fd, pages[below(6)]);
    close(fd);
    return at == MAP_FAILED ? NULL : at;
}

static void map_and_touch(void)
{
    void *mapped = map_any(8192);
    volatile char *at = mapped;
    for (int i = 0; at && i < 8; i++) {
        unsigned where = below(below(2) ? 8192 : 256);
        if (below(2))
            at[where] = (char)below(256);
        else
            (void)at[where];
    }
    if (at)
        munmap(mapped, 8192);
}

static void control(void)
{
    static const unsigned commands[] = {0x2400,     0x2401,     0x2402,     0x2403,
                                        0x40082404, 0x2405,     0x40082406, 0x80082407,
                                        0x40042408, 0x40042409, 0x5401};
    int fd = below(2) ? events[below(EVENTS)] : open_any();
    uint64_t argument[8] = {number()};
    void *to = below(3) ? (void *)argument : (void *)(uintptr_t)below(3);
    (void)ioctl(fd, below(4) ? commands[below(11)] : (unsigned)number(), to);
    (void)!read(fd, bytes, below(128));
    bool kept = false;
    for (int i = 0; i < EVENTS; i++)
        kept |= events[i] == fd;
    if (!kept)
        close(fd);
}

/* Events of the machine, and of the host's software without samples. */
static void open_an_event(void)
{
    static const uint64_t configs[] = {0x8f34, 0x8834, 0x0180, 0x0181, 0xff, 0x1, 0x2, 0x01ee};
    static const uint32_t sizes[] = {0, 64, 72, 112, 120, 128, 136, 4096, 5000};
    struct perf_event_attr a = {.size = 128, .config = configs[below(8)], .disabled = below(2)};
    a.type = n_types && below(8) ? types[below((unsigned)n_types)] : PERF_TYPE_SOFTWARE;
    a.read_format = below(3) ? below(32) : number();
    if (below(4) == 0) {
        unsigned char *part = (unsigned char *)&a;
        part[8 + below(a.type == PERF_TYPE_SOFTWARE ? 8 : sizeof a - 8)] =
            (unsigned char)below(256);
        a.size = sizes[below(9)];
    }
    const void *at = &a;
    if (below(10) ==
        0) /* in a file that is not read yet, at the end of a page, at an invalid address */
        at = below(2) ? map_any(4096) : (void *)(uintptr_t)(below(2) * 4088);
    int group = below(2) ? -1 : events[below(EVENTS)], pid = below(4) ? -1 : (int)below(2) - 1;
    unsigned slot = below(EVENTS);
    int fd = (int)syscall(SYS_perf_event_open, at, pid, (int)below(6) - 1, group,
                          below(4) ? 0 : number() % 16);
    if (events[slot] > 0)
        close(events[slot]);
    events[slot] = fd;
}

/* Lines that are valid, cut off, have numbers out of range, or take very long. */
static void converse(void)
{
    static const char *const forms[] = {"rdmsr %u 0x%x",
                                        "wrmsr %u 0x%x 0x%x",
                                        "rdpmc %u %u",
                                        "rdpci 0:%u.0 0x%x 4",
                                        "rdmem 0x%x 4",
                                        "cycles %u%03u",
                                        "run stream,size=%uK",
                                        "run random,size=64K,iterations=%u",
                                        "sleep %u",
                                        "wake %u",
                                        "signal skl_unc_cbo%u 0x34 0x8f 1 %u",
                                        "signal skl_unc_cbo0 0x34 0x8f 4294967295 4%09u000000%u",
                                        "cycles 4%09u00000%u",
                                        "run pingpong,iterations=%u000000",
                                        "\n\n%u",
                                        "run stream,size=%uT"};
    static const char *const more[] = {"", "\n", "\nrdmsr 0 0x396\n", " 7"};
    char line[256];
    unsigned form = below(16);
    snprintf(line, sizeof line, forms[form], below(5), below(2) ? 0x700 + below(64) : below(4096),
             below(2) ? 0x400000 : below(1 << 30));
    strcat(line, more[below(4)]);
    if (below(6) == 0)
        line[below((unsigned)strlen(line) + 1)] = (char)below(256);
    const struct itimerval soon = {.it_value.tv_usec = 1000 + below(30000)}, never = {0};
    setitimer(ITIMER_REAL, &soon, NULL); /* SIGALRM interrupts it */
    (void)say(line);
    setitimer(ITIMER_REAL, &never, NULL);
}

/* Signals that do not end a program by default. */
static void disturb(void)
{
    static const int signals[] = {SIGCONT, SIGCHLD, SIGWINCH, SIGURG, SIGINT, SIGTERM, SIGHUP};
    kill(below(2) ? reaper : getppid(), signals[below(7)]);
}

/* Leaves children that no process waits for. */
static void multiply(void)
{
    static unsigned depth;
    for (unsigned i = 0; depth < 2 && i < 3; i++) {
        pid_t child = fork();
        if (child != 0)
            continue;
        depth++;
        if (below(2))
            setsid();
        for (unsigned k = 0; k < 5; k++)
            below(2) ? transfer() : map_and_touch();
        _exit(0);
    }
}

static void ignore(int number)
{
    (void)number;
}

/* A process of a round. A fault in a mapping ends only this process; a child continues with the
 * next operation. */
static void attack(unsigned seed, unsigned operations)
{
    static void (*const kinds[])(void) = {transfer, transfer, map_and_touch, change,
                                          control,  control,  open_an_event, open_an_event,
                                          converse, disturb,  multiply};
    const struct sigaction alarm = {.sa_handler = ignore};
    sigaction(SIGALRM, &alarm, NULL); /* without SA_RESTART */
    for (unsigned i = 0; i < operations; i++) {
        srandom(seed + i);
        unsigned kind = below(sizeof kinds / sizeof *kinds);
        if (kinds[kind] == map_and_touch && fork() == 0) {
            map_and_touch();
            _exit(0);
        }
        if (kinds[kind] != map_and_touch)
            kinds[kind]();
        while (waitpid(-1, NULL, WNOHANG) > 0)
            ;
    }
    while (waitpid(-1, NULL, 0) > 0)
        ;
    _exit(0);
}

/* ---- a well-behaved client ---- */

static bool msr(int fd, off_t number, uint64_t value)
{
    return pwrite(fd, &value, sizeof value, number) == sizeof value;
}

static void work(void)
{
    CHECK(say("wake 0\nwake 1\nwake 2\nwake 3\nrun stream,size=256K"));
}

/* Lookups of C-Box 0, by its registers. */
static uint64_t count_by_registers(void)
{
    char file[PATH];
    uint64_t count = 0;
    path_of(file, "/dev/cpu/0/msr");
    int fd = open(file, O_RDWR | O_CLOEXEC);
    CHECK(msr(fd, 0xe01, 0) && msr(fd, 0x700, 0x408f34) && msr(fd, 0x706, 0));
    CHECK(msr(fd, 0xe01, 0x20000000));
    work();
    CHECK(pread(fd, &count, sizeof count, 0x706) == sizeof count);
    close(fd);
    return count;
}

/* The same by perf. Events of processes that have ended are closed soon afterwards; until then they
 * may occupy the counters. */
static uint64_t count_by_perf(void)
{
    struct perf_event_attr a = {.type = types[0], .size = 128, .config = 0x8f34};
    a.read_format = PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING;
    enum { CALLS = 10 }; /* ns: each call takes some of the machine's time */
    uint64_t read_out[3] = {0, CALLS + 1, 0};
    char file[] = "/sys/bus/event_source/devices/uncore_cbox_0/type";
    FILE *type = fopen(file, "r");
    CHECK(type && fscanf(type, "%u", &a.type) == 1 && fclose(type) == 0);
    for (int i = 0; i < 500 && read_out[1] - read_out[2] > CALLS; i++) {
        int fd = (int)syscall(SYS_perf_event_open, &a, -1, 0, -1, 0);
        CHECK(fd >= 0);
        work();
        CHECK(read(fd, read_out, sizeof read_out) == sizeof read_out);
        close(fd);
    }
    CHECK(read_out[1] - read_out[2] <= CALLS);
    return read_out[0];
}

/* After two runs, a further run leaves the caches as it found them. */
static uint64_t count(void)
{
    work();
    work();
    return *folder ? count_by_registers() : count_by_perf();
}

/* ---- rounds ---- */

/* Whether a child ends by itself, or when it is killed, within two minutes. */
static bool ends(pid_t child)
{
    for (int i = 0; i < 12000; i++) {
        if (waitpid(child, NULL, WNOHANG) == child)
            return true;
        if (i == 6000)
            kill(child, SIGKILL);
        usleep(10000);
    }
    return false;
}

/* `expected` if one of the tries gives that, else what the last one gave. */
static uint64_t count_again(uint64_t expected, unsigned tries)
{
    uint64_t got = count();
    for (unsigned i = 1; i < tries && got != expected; i++)
        got = count();
    return got;
}

/* tries: 1, or more if the stage has work of its own. That runs while the client counts if the
 * host is slow, which disturbs single counts. */
static void rounds(unsigned seed, unsigned n, unsigned operations, unsigned tries)
{
    enum { PROCESSES = 4 };
    pid_t children[PROCESSES];
    reaper = getppid();
    for (int number = SIGHUP; number <= SIGTERM; number += SIGTERM - SIGHUP)
        signal(number, SIG_IGN);
    signal(SIGINT, SIG_IGN);
    find_files();
    CHECK(n_files > 100 && (*folder || n_types >= 6));
    uint64_t expected = count(), again = count();
    for (unsigned i = 1; i < tries && again != expected; i++) {
        expected = again;
        again = count();
    }
    CHECK(expected > 100 && again == expected);
    for (unsigned i = 0; i < n && !wrong; i++) {
        fflush(stdout);
        for (unsigned k = 0; k < PROCESSES; k++) {
            children[k] = fork();
            if (children[k] == 0)
                attack(seed + (i * PROCESSES + k) * operations, operations / PROCESSES);
        }
        for (unsigned k = 0; k < PROCESSES; k++)
            CHECK(ends(children[k]));
        uint64_t got = count_again(expected, tries);
        if (got != expected)
            printf("round %u: %llu, not %llu\n", i, (unsigned long long)got,
                   (unsigned long long)expected);
        wrong |= got != expected;
    }
    printf("%u operations on %zu files in %u rounds\n", n * operations, n_files, n);
}

int main(int argc, char **argv)
{
    if (argc == 2 && strcmp(argv[1], "memory") == 0)
        memory();
    if (argc == 2 && strcmp(argv[1], "texts") == 0)
        texts();
    if (argc == 6) {
        folder = argv[1];
        rounds((unsigned)atol(argv[2]), (unsigned)atol(argv[3]), (unsigned)atol(argv[4]),
               (unsigned)atol(argv[5]));
    }
    return wrong;
}

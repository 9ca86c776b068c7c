/* A program that chooses where its threads run and its pages are. test_placed_programs.c says what
 * comes of it. usage: traced_placed pages | maps | migrate FROM TO… | folder | pin CPU… | limit CPU
 * PROGRAM… | huge BYTES | read | write | dontneed | free | prefetch */
#include <dirent.h>
#include <emmintrin.h>
#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { PAGE = 4096, LINE = 64, HUGE = 2 << 20, SPIN = 250000, MOST = 16 };
enum { BIND = 2, OF_NODE = 1, OF_ADDRESS = 2, MOVES = 2, BITS = 65 }; /* set_mempolicy(2) */

static char *memory(size_t bytes)
{
    char *at = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (at == MAP_FAILED)
        exit(1);
    return at;
}

/* ---- pages ---- */

static int node_of(const char *at)
{
    int node = -1;
    return syscall(SYS_get_mempolicy, &node, NULL, 0L, at, (long)(OF_NODE | OF_ADDRESS)) ? -errno
                                                                                         : node;
}

static void print_policy(const char *at)
{
    int mode = -1;
    unsigned long nodes = 0;
    syscall(SYS_get_mempolicy, &mode, &nodes, (long)BITS, at, (long)OF_ADDRESS);
    printf("%d:%lx ", mode, nodes);
}

/* Asks for all pages; to: NULL, or where they shall move. */
static void print_places(char *at, const int *to)
{
    void *page[MOST];
    int status[MOST];
    for (int i = 0; i < MOST; i++)
        page[i] = at + i * PAGE;
    if (syscall(SYS_move_pages, 0L, (long)MOST, page, to, status, (long)(to ? MOVES : 0)))
        exit(1);
    for (int i = 0; i < MOST; i++)
        printf("%d ", status[i]);
}

static int print_pages(void)
{
    const unsigned long second = 2;
    const int forward[MOST] = {1, 0, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1};
    char *at = memory(MOST * PAGE);
    if (syscall(SYS_mbind, at, 4L * PAGE, (long)BIND, &second, (long)BITS, 0L))
        return 1;
    at[0] = at[PAGE] = at[5 * PAGE] = 1;
    printf("%d %d %d %d ", node_of(at), node_of(at + 5 * PAGE), node_of(at + 8 * PAGE),
           node_of((const char *)PAGE));
    print_policy(at + PAGE);
    print_policy(at + 5 * PAGE);
    printf("| ");
    print_places(at, NULL);
    printf("| ");
    print_places(at, forward);
    puts("");
    return 0;
}

/* Puts a page on each of the four nodes, leaves one untouched, and moves them as often as there are
 * masks. */
static int migrate(int n, char **mask)
{
    enum { NODES = 4 };
    char *at = memory((NODES + 1) * PAGE);
    for (int i = 0; i < NODES; i++) {
        const unsigned long node = 1UL << i;
        if (syscall(SYS_mbind, at + i * PAGE, (long)PAGE, (long)BIND, &node, (long)BITS, 0L))
            return 1;
        at[i * PAGE] = 1;
    }
    for (; n > 1; n -= 2, mask += 2) {
        const unsigned long from = strtoul(mask[0], NULL, 16), to = strtoul(mask[1], NULL, 16);
        long left = syscall(SYS_migrate_pages, 0L, (long)BITS, &from, &to);
        printf("%ld:", left < 0 ? -errno : left);
        for (int i = 0; i < NODES; i++)
            printf(" %d", node_of(at + i * PAGE));
        printf(" | ");
    }
    puts("");
    return 0;
}

/* ---- the kernel's files ---- */

/* Prints the lines of numa_maps about eight pages: four bound to node 1, of which two are written,
 * then one that is written and one that is read. Their addresses are relative. Then whether there
 * is a file of which node 0 has pages. */
static int print_maps(void)
{
    const unsigned long second = 2;
    char line[512], *at = mmap(NULL, 10L * PAGE, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    at += PAGE; /* pages without rights are around them, so that they are a mapping of their own */
    if (mprotect(at, 8L * PAGE, PROT_READ | PROT_WRITE) ||
        syscall(SYS_mbind, at, 4L * PAGE, (long)BIND, &second, (long)BITS, 0L))
        return 1;
    at[0] = at[PAGE] = at[5 * PAGE] = 1;
    (void)((volatile char *)at)[6 * PAGE];
    FILE *f = fopen("/proc/self/numa_maps", "re");
    int files = 0;
    while (f && fgets(line, sizeof line, f)) {
        char *rest;
        unsigned long from = strtoul(line, &rest, 16) - (uintptr_t)at;
        if (from < 8L * PAGE)
            printf("%lx%s", from, rest);
        files |= strstr(line, "file=/") && strstr(line, " N0=") && !strstr(line, " anon=");
    }
    printf("%d\n", files);
    return f ? 0 : 1;
}

static void print_file(const char *path)
{
    char line[128];
    FILE *f = fopen(path, "re");
    if (!f)
        exit(1);
    while (fgets(line, sizeof line, f)) {
        line[strcspn(line, "\n")] = '\0';
        printf("%s|", line);
    }
    fclose(f);
}

static int by_name(const struct dirent **a, const struct dirent **b)
{
    return strcmp((*a)->d_name, (*b)->d_name);
}

static int print_folder(void)
{
    struct dirent **entry;
    char line[256];
    int n = scandir("/sys/devices/system/node", &entry, NULL, by_name);
    for (int i = 0; i < n; i++)
        printf("%s ", entry[i]->d_name);
    n = scandir("/sys/devices/system/node/node1", &entry, NULL, by_name);
    for (int i = 0; i < n; i++)
        printf("%s ", entry[i]->d_name);
    print_file("/sys/devices/system/node/online");
    print_file("/sys/devices/system/node/node1/cpulist");
    print_file("/sys/devices/system/node/node1/cpumap");
    print_file("/sys/devices/system/node/node1/distance");
    printf("%d%d%d ", access("/sys/devices/system/node/node1", F_OK),
           access("/sys/devices/system/node/node2", F_OK),
           access("/sys/devices/system/node/node1/vmstat", F_OK));
    FILE *f = fopen("/proc/self/status", "re");
    while (f && fgets(line, sizeof line, f)) {
        line[strcspn(line, "\n")] = '\0';
        if (strstr(line, "s_allowed"))
            printf("%s|", line);
    }
    puts("");
    return f ? 0 : 1;
}

static int print_topology(void)
{
    print_file("/sys/devices/system/cpu/cpu12/topology/core_id");
    print_file("/sys/devices/system/cpu/cpu12/topology/thread_siblings_list");
    print_file("/sys/devices/system/cpu/cpu12/topology/physical_package_id");
    print_file("/sys/devices/system/cpu/cpu12/topology/package_cpus_list");
    print_file("/sys/devices/system/cpu/cpu12/topology/core_siblings");
    printf("%d%d\n", access("/sys/devices/system/cpu/cpu20/topology/core_id", F_OK),
           access("/sys/devices/system/cpu/cpu12/topology/cluster_id", F_OK));
    return 0;
}

/* ---- threads ---- */

static cpu_set_t only(long cpu)
{
    cpu_set_t set;
    CPU_ZERO(&set);
    CPU_SET((size_t)cpu, &set);
    return set;
}

static volatile long shared[2 * LINE / sizeof(long)]; /* two threads store to one line of these */

static void *spins(void *cpu)
{
    cpu_set_t set = only((long)(intptr_t)cpu);
    if (pthread_setaffinity_np(pthread_self(), sizeof set, &set) ||
        sched_getcpu() != (long)(intptr_t)cpu)
        exit(1);
    for (int i = 0; i < SPIN; i++)
        shared[(intptr_t)cpu & 1]++;
    return NULL;
}

static int pin(int n, char **cpu)
{
    pthread_t thread[MOST];
    for (int i = 0; i < n && i < MOST; i++)
        if (pthread_create(&thread[i], NULL, spins, (void *)(intptr_t)strtol(cpu[i], NULL, 10)))
            return 1;
    for (int i = 0; i < n && i < MOST; i++)
        pthread_join(thread[i], NULL);
    return 0;
}

static int limit(char **words)
{
    cpu_set_t set = only(strtol(words[0], NULL, 10));
    if (sched_setaffinity(0, sizeof set, &set))
        return 1;
    execv(words[1], words + 1);
    return 1;
}

/* ---- what is read and written ---- */

static int touch_pages(char *at, size_t bytes, int writes)
{
    int sum = 0;
    for (size_t i = 0; i < bytes; i += LINE)
        if (writes)
            at[i] = 1;
        else
            sum += ((volatile char *)at)[i];
    return sum;
}

/* Two areas of 2 MiB, of which the second one shall not be in a huge page. */
static int huge(const char *advice)
{
    char *at = memory(3L * HUGE);
    at += HUGE - (uintptr_t)at % HUGE;
    if (!strcmp(advice, "madvise") && madvise(at, HUGE, MADV_HUGEPAGE))
        return 1;
    if (madvise(at + HUGE, HUGE, MADV_NOHUGEPAGE))
        return 1;
    return touch_pages(at, 2L * HUGE, 1);
}

static int give_back(int advice)
{
    const size_t bytes = 1 << 20;
    char *at = memory(bytes);
    for (int round = 0; round < 10; round++) {
        touch_pages(at, bytes, 1);
        if (madvise(at, bytes, advice))
            return 1;
    }
    return 0;
}

enum { PREFETCHES = 5000 };

/* Prefetches the lines of 2 MiB, of which only the first page is in memory. */
static int prefetch(void)
{
    char *at = memory(HUGE);
    at[0] = 1;
    for (int i = 0; i < PREFETCHES; i++)
        _mm_prefetch(at + i * LINE, _MM_HINT_T0);
    return 0;
}

int main(int argc, char **argv)
{
    const char *what = argc > 1 ? argv[1] : "";
    if (!strcmp(what, "pages"))
        return print_pages();
    if (!strcmp(what, "maps"))
        return print_maps();
    if (!strcmp(what, "migrate"))
        return migrate(argc - 2, argv + 2);
    if (!strcmp(what, "topology"))
        return print_topology();
    if (!strcmp(what, "folder"))
        return print_folder();
    if (!strcmp(what, "pin"))
        return pin(argc - 2, argv + 2);
    if (!strcmp(what, "limit") && argc > 3)
        return limit(argv + 2);
    if (!strcmp(what, "huge") && argc > 2)
        return huge(argv[2]);
    if (!strcmp(what, "read"))
        return touch_pages(memory(16 << 20), 16 << 20, 0);
    if (!strcmp(what, "write"))
        return touch_pages(memory(16 << 20), 16 << 20, 1);
    if (!strcmp(what, "prefetch"))
        return prefetch();
    if (!strcmp(what, "dontneed"))
        return give_back(MADV_DONTNEED);
    if (!strcmp(what, "free"))
        return give_back(MADV_FREE);
    return 1;
}

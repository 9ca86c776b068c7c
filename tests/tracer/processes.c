/* Programs for the tests of records; the first argument selects one. The exit status is 0 if it
 * behaved as without a tracer. */
#include <arpa/inet.h>
#include <fcntl.h>
#include <inttypes.h>
#include <pthread.h>
#include <spawn.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

enum { MEGABYTE = 1 << 20 };

extern char **environ;

static int status_of(pid_t pid)
{
    int status = -1;
    waitpid(pid, &status, 0);
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

/* ---- processes ---- */

static int forks(void)
{
    pid_t pid = fork();
    if (pid == 0)
        _exit(5);
    return status_of(pid) == 5 ? 0 : 1;
}

static int vforks(void)
{
    pid_t pid = vfork();
    if (pid == 0) {
        execlp("true", "true", (char *)NULL);
        _exit(127);
    }
    return status_of(pid);
}

static int spawns(void)
{
    char *const argv[] = {(char[]){"true"}, NULL};
    pid_t pid;
    return posix_spawnp(&pid, "true", NULL, NULL, argv, environ) == 0 ? status_of(pid) : 1;
}

static int runs_true(void)
{
    return forks() + vforks();
}

static int closes_all(void)
{
    if (syscall(SYS_close_range, 3, ~0U, 0) != 0)
        return 1;
    closefrom(3);
    for (int i = 3; i < 2048; i++)
        close(i);
    return runs_true();
}

static int lowers_limit(void)
{
    struct rlimit files;
    if (getrlimit(RLIMIT_NOFILE, &files) != 0)
        return 1;
    files.rlim_cur = 8;
    return setrlimit(RLIMIT_NOFILE, &files) == 0 && system("test `ulimit -n` = 8") == 0
               ? runs_true()
               : 2;
}

/* The first process ends, and the last one continues. */
static int is_daemon(void)
{
    if (fork() != 0)
        return 0;
    setsid();
    if (fork() != 0)
        _exit(0);
    usleep(200000);
    return runs_true();
}

/* ---- objects ---- */

static int over_pipe(void)
{
    int ends[2];
    char byte = 0;
    if (pipe(ends) != 0)
        return 1;
    pid_t pid = fork();
    if (pid == 0)
        _exit(write(ends[1], "x", 1) == 1 ? 0 : 1);
    return read(ends[0], &byte, 1) == 1 && byte == 'x' ? status_of(pid) : 1;
}

static int over_eventfds(void)
{
    int one = eventfd(0, 0), two = eventfd(0, 0);
    eventfd_t value;
    eventfd_write(one, 1);
    eventfd_write(two, 1);
    return eventfd_read(two, &value) + eventfd_read(one, &value);
}

static int over_socket_pair(void)
{
    int ends[2];
    char byte;
    if (socketpair(AF_UNIX, SOCK_STREAM, 0, ends) != 0)
        return 1;
    return write(ends[0], "x", 1) == 1 && read(ends[1], &byte, 1) == 1 ? 0 : 1;
}

static int over_internet(void)
{
    struct sockaddr_in here = {.sin_family = AF_INET, .sin_addr = {htonl(INADDR_LOOPBACK)}};
    socklen_t size = sizeof here;
    int listener = socket(AF_INET, SOCK_STREAM, 0), client = socket(AF_INET, SOCK_STREAM, 0);
    char byte;
    if (bind(listener, (struct sockaddr *)&here, size) != 0 || listen(listener, 1) != 0 ||
        getsockname(listener, (struct sockaddr *)&here, &size) != 0 ||
        connect(client, (struct sockaddr *)&here, size) != 0)
        return 1;
    int server = accept(listener, NULL, NULL);
    return write(client, "x", 1) == 1 && read(server, &byte, 1) == 1 ? 0 : 1;
}

/* ---- threads ---- */

static atomic_int spinning;
static volatile long spun[2][64];

static void *spin(void *of)
{
    volatile long *mine = spun[(long)of];
    atomic_fetch_add(&spinning, 1);
    while (spinning < 2)
        ;
    for (long i = 0; i < 1000000; i++)
        mine[i & 7] += i;
    return of;
}

static int two_spin(void)
{
    pthread_t thread[2];
    for (long i = 0; i < 2; i++)
        if (pthread_create(&thread[i], NULL, spin, (void *)i) != 0)
            return 1;
    for (int i = 0; i < 2; i++)
        pthread_join(thread[i], NULL);
    return 0;
}

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pid_t first, second; /* threads */

/* Waits until a thread sleeps on a futex in this memory. */
static void await_sleeper(const pid_t *thread, const void *at, uintptr_t bytes)
{
    uintptr_t futex = 0;
    while (futex - (uintptr_t)at >= bytes) {
        char path[64];
        snprintf(path, sizeof path, "/proc/self/task/%d/syscall", *(const volatile pid_t *)thread);
        FILE *f = fopen(path, "r");
        if (f && fscanf(f, "202 %" SCNxPTR, &futex) != 1)
            futex = 0;
        if (f)
            fclose(f);
        usleep(1000);
    }
}

static void *locks(void *of)
{
    enum { THREAD = 4096 }; /* more than pthread_t points to */
    second = gettid();
    pthread_mutex_lock(&lock);
    pthread_mutex_unlock(&lock);
    await_sleeper(&first, (void *)pthread_self(), THREAD);
    return of;
}

static int futexes(void)
{
    pthread_t thread;
    first = gettid();
    pthread_mutex_lock(&lock);
    if (pthread_create(&thread, NULL, locks, NULL) != 0)
        return 1;
    await_sleeper(&second, &lock, sizeof lock);
    pthread_mutex_unlock(&lock);
    return pthread_join(thread, NULL);
}

/* ---- memory ---- */

static int maps(void)
{
    char *own = mmap(NULL, MEGABYTE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    char *common = mmap(NULL, MEGABYTE, PROT_READ, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    char *file = mmap(NULL, 4096, PROT_READ, MAP_PRIVATE, open("/proc/self/exe", O_RDONLY), 0);
    char *moved = mremap(own, MEGABYTE, 2 * MEGABYTE, MREMAP_MAYMOVE);
    char *end = sbrk(3 * MEGABYTE);
    return own == MAP_FAILED || common == MAP_FAILED || file == MAP_FAILED || moved == MAP_FAILED ||
           end == (void *)-1 || munmap(moved, 2 * MEGABYTE) != 0;
}

/* Writes 100 bytes to a pipe, and asks for 1000 from there. */
static int reads_and_writes(void)
{
    static char from[100], to[1000];
    int ends[2];
    return pipe(ends) != 0 || write(ends[1], from, sizeof from) != sizeof from ||
           read(ends[0], to, sizeof to) != sizeof from;
}

int main(int argc, char *argv[])
{
    static const struct {
        const char *name;
        int (*run)(void);
    } all[] = {
        {"forks", forks},
        {"vforks", vforks},
        {"spawns", spawns},
        {"closes-all", closes_all},
        {"lowers-limit", lowers_limit},
        {"daemon", is_daemon},
        {"pipe", over_pipe},
        {"eventfds", over_eventfds},
        {"socket-pair", over_socket_pair},
        {"internet", over_internet},
        {"two-spin", two_spin},
        {"futexes", futexes},
        {"maps", maps},
        {"reads-and-writes", reads_and_writes},
    };
    for (size_t i = 0; argc > 1 && i < sizeof all / sizeof *all; i++)
        if (strcmp(argv[1], all[i].name) == 0)
            return all[i].run();
    return 127;
}

/* Preloaded into the command, it makes accesses to device files go wrong: pread() and pwrite() of
 * files below a folder, numbered from 0. The environment configures it, for this process only, not
 * for the programs that it starts:
 *
 *   FAULT_UNDER=/folder   the folder
 *   FAULT=KIND:FROM:TO    accesses FROM to TO go wrong. KIND: an errno or signal of failing(),
 * SLOW, LOST (a write does nothing), or one of corrupt() FAULT_AT=0x716        counts only accesses
 * at this offset, and only these go wrong FAULT_COUNT=/file     at its end the number of accesses
 * is written there */
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>
#include <time.h>
#include <unistd.h>

static char under[256], kind[16], counted[256];
static long from, to, only = -1;
static atomic_long n;

static void take(char *into, size_t room, const char *name)
{
    const char *value = getenv(name);
    snprintf(into, room, "%s", value ? value : "");
    unsetenv(name);
}

__attribute__((constructor)) static void begin(void)
{
    char what[64];
    take(what, sizeof what, "FAULT_AT");
    if (what[0])
        only = strtol(what, NULL, 0);
    take(what, sizeof what, "FAULT");
    take(under, sizeof under, "FAULT_UNDER");
    take(counted, sizeof counted, "FAULT_COUNT");
    unsetenv("LD_PRELOAD");
    if (sscanf(what, "%15[^:]:%ld:%ld", kind, &from, &to) != 3)
        kind[0] = '\0';
}

__attribute__((destructor)) static void end(void)
{
    if (!counted[0])
        return;
    FILE *f = fopen(counted, "w");
    if (f) {
        fprintf(f, "%ld\n", atomic_load(&n));
        fclose(f);
    }
}

static bool is_device(int fd, off_t at)
{
    char link[64], path[512];
    snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
    ssize_t length = readlink(link, path, sizeof path - 1);
    if (length <= 0 || !under[0] || (only >= 0 && at != only))
        return false;
    path[length] = '\0';
    size_t folder = strlen(under);
    return strncmp(path, under, folder) == 0 && path[folder] == '/' &&
           (strncmp(path + folder, "/dev/cpu/", 9) == 0 || strstr(path, "/config") ||
            strstr(path, "/mem"));
}

/* An errno with which this access fails. 0: the access is corrupted, or slow. -1: it is not
 * changed. */
static int failing(void)
{
    static const struct {
        const char *kind;
        int err;
    } errors[] = {{"EIO", EIO},     {"ENXIO", ENXIO}, {"EACCES", EACCES}, {"EPERM", EPERM},
                  {"EROFS", EROFS}, {"EINTR", EINTR}, {"ENOENT", ENOENT}};
    static const struct {
        const char *kind;
        int number;
    } signals[] = {{"KILL", SIGKILL}, {"INT", SIGINT}, {"TERM", SIGTERM}, {"HUP", SIGHUP}};
    long i = atomic_fetch_add(&n, 1);
    if (!kind[0] || i < from || i > to)
        return -1;
    for (size_t k = 0; k < sizeof signals / sizeof *signals; k++)
        if (!strcmp(kind, signals[k].kind))
            kill(getpid(), signals[k].number);
    if (!strcmp(kind, "SLOW"))
        nanosleep(&(struct timespec){.tv_nsec = 100000000}, NULL);
    for (size_t k = 0; k < sizeof errors / sizeof *errors; k++)
        if (!strcmp(kind, errors[k].kind))
            return errors[k].err;
    return 0;
}

/* Changes what was read, as a broken device would. Returns the new length. */
static ssize_t corrupt(void *to_bytes, ssize_t length)
{
    uint8_t *bytes = to_bytes;
    if (length <= 0)
        return length;
    if (!strcmp(kind, "ONES"))
        memset(bytes, 0xff, (size_t)length);
    else if (!strcmp(kind, "ZERO"))
        memset(bytes, 0, (size_t)length);
    else if (!strcmp(kind, "FLIP"))
        bytes[(size_t)from % (size_t)length] ^= (uint8_t)(1u << from % 7);
    else if (!strcmp(kind, "SHORT"))
        return length / 2;
    return length;
}

typedef ssize_t reader(int, void *, size_t, off_t);
typedef ssize_t writer(int, const void *, size_t, off_t);

static ssize_t read_at(int fd, void *bytes, size_t length, off_t at)
{
    static reader *next;
    if (!next)
        *(void **)&next = dlsym(RTLD_NEXT, "pread64");
    int err = is_device(fd, at) ? failing() : -1;
    if (err > 0) {
        errno = err;
        return -1;
    }
    ssize_t got = next(fd, bytes, length, at);
    return err == 0 ? corrupt(bytes, got) : got;
}

static ssize_t write_at(int fd, const void *bytes, size_t length, off_t at)
{
    static writer *next;
    if (!next)
        *(void **)&next = dlsym(RTLD_NEXT, "pwrite64");
    int err = is_device(fd, at) ? failing() : -1;
    if (err > 0) {
        errno = err;
        return -1;
    }
    return err == 0 && !strcmp(kind, "LOST") ? (ssize_t)length : next(fd, bytes, length, at);
}

/* With 64-bit offsets, as here, programs call pread64() and pwrite64(). */

__attribute__((visibility("default"))) ssize_t pread(int fd, void *bytes, size_t length, off_t at)
{
    return read_at(fd, bytes, length, at);
}

__attribute__((visibility("default"))) ssize_t pwrite(int fd, const void *bytes, size_t length,
                                                      off_t at)
{
    return write_at(fd, bytes, length, at);
}

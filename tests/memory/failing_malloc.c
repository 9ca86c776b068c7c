/* This library is preloaded into a program and makes the n-th allocation fail. It counts
 * allocations of the C library's own functions, and of processes that the program forks. Other
 * programs that it starts are not affected. */
#include "failing_malloc.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define EXPORTED __attribute__((visibility("default")))

static failing_malloc *shared;
static _Thread_local unsigned aside; /* while above 0, allocations are not the program's */

/* Runs before main(), so that allocations of other libraries while they are loaded are not
 * counted. */
__attribute__((constructor)) static void open_shared(void)
{
    const char *path = getenv("BX_FAILING_MALLOC");
    int fd = path ? open(path, O_RDWR | O_CLOEXEC) : -1;
    unsetenv("LD_PRELOAD");
    if (fd < 0)
        return;
    void *at = mmap(NULL, sizeof *shared, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    close(fd);
    shared = at == MAP_FAILED ? NULL : at;
}

static bool fails(void)
{
    if (!shared || aside)
        return false;
    unsigned long n = atomic_fetch_add(&shared->done, 1) + 1;
    bool failed = shared->nth && (n == shared->nth || (shared->later && n > shared->nth));
    if (failed)
        errno = ENOMEM;
    return failed;
}

/* Finds the function that this library's function replaces. */
static void next(const char *name, void *function)
{
    void *found = dlsym(RTLD_NEXT, name);
    memcpy(function, &found, sizeof found);
}

EXPORTED void *malloc(size_t size)
{
    static void *(*real)(size_t);
    if (!real)
        next("malloc", &real);
    return fails() ? NULL : real(size);
}

EXPORTED void *calloc(size_t n, size_t size)
{
    static void *(*real)(size_t, size_t);
    if (!real)
        next("calloc", &real);
    return fails() ? NULL : real(n, size);
}

EXPORTED void *realloc(void *old, size_t size)
{
    static void *(*real)(void *, size_t);
    if (!real)
        next("realloc", &real);
    return fails() ? NULL : real(old, size);
}

EXPORTED int posix_memalign(void **to, size_t alignment, size_t size)
{
    static int (*real)(void **, size_t, size_t);
    if (!real)
        next("posix_memalign", &real);
    return fails() ? ENOMEM : real(to, alignment, size);
}

/* A sanitizer calls this at the start of a thread, and gives up without memory. */
EXPORTED int pthread_getattr_np(pthread_t thread, pthread_attr_t *to)
{
    int (*real)(pthread_t, pthread_attr_t *);
    next("pthread_getattr_np", &real);
    aside++;
    int err = real(thread, to);
    aside--;
    return err;
}

/* Implements failing.h. */
#include "memory/failing.h"

#include "memory/failing_malloc.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

static const char variable[] = "BX_FAILING_MALLOC";

static failing_malloc *shared;

_Noreturn static void give_up(const char *what)
{
    perror(what);
    exit(1);
}

/* The C library's loader puts the module in front of the sanitizer's own functions. */
static void run_again(void)
{
    char path[64], preload[4096];
    int fd = memfd_create("failing_malloc", 0);
    if (fd < 0 || ftruncate(fd, sizeof *shared))
        give_up("memfd_create");
    snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
    snprintf(preload, sizeof preload, "%s/tests/memory/libfailing_malloc.so", getenv("BUILD_ROOT"));
    setenv(variable, path, 1);
    setenv("LD_PRELOAD", preload, 1);
    setenv("ASAN_OPTIONS", "verify_asan_link_order=0:fast_unwind_on_malloc=0", 1);
    execl("/proc/self/exe", "test", (char *)NULL);
    give_up("execl");
}

void failing_load(void)
{
    const char *path = getenv(variable);
    if (!path)
        run_again();
    int fd = open(path, O_RDWR | O_CLOEXEC);
    shared = mmap(NULL, sizeof *shared, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    if (fd < 0 || shared == MAP_FAILED)
        give_up(path);
    close(fd);
    unsetenv(variable);
    failing_begin(0, false);
    void *volatile some = malloc(1);
    free(some);
    if (failing_end() == 0)
        give_up("failing_malloc is not loaded");
}

void failing_begin(unsigned long nth, bool later)
{
    *shared = (failing_malloc){.nth = nth, .later = later};
}

unsigned long failing_end(void)
{
    unsigned long done = shared->done;
    *shared = (failing_malloc){.nth = 0};
    return done;
}

unsigned long failing_each(failing_try *try, void *context)
{
    unsigned long tried = 0;
    for (unsigned later = 0; later < 2; later++)
        for (unsigned long nth = 1; try(context, nth, later) >= nth; nth++)
            tried++;
    return tried;
}

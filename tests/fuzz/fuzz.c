/* Implements fuzz.h: checks that all fuzz targets use. */
#include "fuzz.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

void fuzz_failed(const char *file, int line, const char *what)
{
    fprintf(stderr, "%s:%d: does not hold: %s\n", file, line, what);
    abort();
}

void fuzz_check_error(const bx_error *e, int code, size_t length)
{
    FUZZ_MUST(e->code == code);
    FUZZ_MUST(memchr(e->message, '\0', sizeof e->message));
    FUZZ_MUST(memchr(e->hint, '\0', sizeof e->hint));
    FUZZ_MUST(!code == !e->message[0]);
    FUZZ_MUST(code || !e->hint[0]);
    FUZZ_MUST(e->at <= length && e->len <= length - e->at);
}

char *fuzz_exact(const uint8_t *data, size_t size)
{
    char *copy = malloc(size ? size : 1);
    FUZZ_MUST(copy);
    if (size)
        memcpy(copy, data, size);
    return copy;
}

char *fuzz_text(const uint8_t *data, size_t size)
{
    char *copy = malloc(size + 1);
    FUZZ_MUST(copy);
    if (size)
        memcpy(copy, data, size);
    copy[size] = '\0';
    return copy;
}

const char *fuzz_file(const void *bytes, size_t n)
{
    static int fd = -1;
    static char path[32];
    if (fd < 0) {
        fd = memfd_create("fuzz", MFD_CLOEXEC);
        FUZZ_MUST(fd >= 0);
        snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
    }
    FUZZ_MUST(ftruncate(fd, 0) == 0 && pwrite(fd, bytes, n, 0) == (ssize_t)n);
    return path;
}

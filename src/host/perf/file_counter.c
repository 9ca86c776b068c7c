/* Reads counts of files such as those of resctrl. */
#include "host/perf/file_counter.h"

#include "host/system/file.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static uint64_t now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_nsec;
}

/* 0, or an errno. resctrl writes "Unavailable" where the hardware has no value yet, and "Error". */
static int read_number(int fd, uint64_t *to)
{
    char text[64];
    ssize_t n = pread(fd, text, sizeof text, 0);
    if (n < 0)
        return errno;
    bx_str number = bx_str_trim((bx_str){text, (size_t)n});
    return bx_str_u64(number, to) ? 0 : bx_str_eq(number, BX_STR("Unavailable")) ? ENODATA : EIO;
}

int bx_file_counter_open(bx_file_counter *c, const char *path, bool level)
{
    *c = (bx_file_counter){.fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK), .level = level};
    return c->fd < 0 ? errno : 0;
}

void bx_file_counter_close(bx_file_counter *c)
{
    if (c->fd >= 0)
        close(c->fd);
    c->fd = -1;
}

void bx_file_counter_start(bx_file_counter *c)
{
    if (c->runs)
        return;
    int err = read_number(c->fd, &c->from);
    c->err = c->err ? c->err : err;
    c->begun = now();
    c->runs = true;
}

void bx_file_counter_stop(bx_file_counter *c)
{
    if (!c->runs)
        return;
    bx_perf_value v = bx_file_counter_read(c);
    c->err = v.err;
    c->counted = v.count;
    c->ns = v.enabled;
    c->runs = false;
}

/* A number that has become smaller is of another count: the group was made again. */
bx_perf_value bx_file_counter_read(const bx_file_counter *c)
{
    bx_perf_value v = {.count = c->counted, .enabled = c->ns, .running = c->ns, .err = c->err};
    if (!c->runs || v.err)
        return v;
    uint64_t number = 0;
    v.err = read_number(c->fd, &number);
    if (!v.err && !c->level && number < c->from)
        v.err = ERANGE;
    v.count = c->level ? number : c->counted + (number - c->from);
    v.enabled = v.running = c->ns + (now() - c->begun);
    return v;
}

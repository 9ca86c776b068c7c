#include "symbols/perf_map.h"

#include "base/grow.h"

#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { MAP_MOST = 1 << 28 };

/* Anybody can put a file into /tmp. */
static int open_own_map(uint32_t pid, size_t *bytes)
{
    char path[64];
    struct stat is;
    snprintf(path, sizeof path, "/tmp/perf-%" PRIu32 ".map", pid);
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY);
    if (fd >= 0 && fstat(fd, &is) == 0 && S_ISREG(is.st_mode) && is.st_uid == geteuid() &&
        is.st_nlink == 1 && is.st_size <= MAP_MOST) {
        *bytes = (size_t)is.st_size;
        return fd;
    }
    if (fd >= 0)
        close(fd);
    return -1;
}

/* "START SIZE NAME", numbers in hexadecimal. */
static bool read_function(char *line, struct bx_perf_function *to)
{
    char *end;
    to->from = strtoull(line, &end, 16);
    if (end == line || *end != ' ')
        return false;
    line = end;
    to->bytes = strtoull(line, &end, 16);
    if (end == line || *end != ' ' || !end[1])
        return false;
    to->name = end + 1;
    return true;
}

static void read_lines(bx_perf_map *m)
{
    size_t room = 0;
    for (char *next = m->text, *line; (line = next) && *line;) {
        struct bx_perf_function function;
        next = strchr(line, '\n');
        if (!next)
            return; /* it is being written */
        *next++ = '\0';
        if (!read_function(line, &function))
            continue;
        struct bx_perf_function *all = bx_grow(m->function, m->n, &room, sizeof *all, 256);
        if (!all)
            return; /* fewer names */
        m->function = all;
        all[m->n++] = function;
    }
}

void bx_perf_map_read(bx_perf_map *m, uint32_t pid)
{
    size_t bytes = 0, done = 0;
    ssize_t n = 1;
    int fd = open_own_map(pid, &bytes);
    *m = (bx_perf_map){0};
    if (fd < 0)
        return;
    m->text = calloc(1, bytes + 1);
    while (m->text && done < bytes && (n = read(fd, m->text + done, bytes - done)) > 0)
        done += (size_t)n;
    close(fd);
    if (m->text)
        read_lines(m);
}

void bx_perf_map_free(bx_perf_map *m)
{
    free(m->function);
    free(m->text);
    *m = (bx_perf_map){0};
}

const char *bx_perf_map_function(const bx_perf_map *m, uint64_t address)
{
    for (size_t i = m->n; i-- > 0;)
        if (address - m->function[i].from < m->function[i].bytes)
            return m->function[i].name;
    return NULL;
}

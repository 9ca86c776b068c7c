#include "access/probe.h"

#include "base/buf.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* ---- files ---- */

static void path_of(bx_buf *path, const char *root, const char *file)
{
    path->n = 0;
    bx_buf_z(path, root);
    bx_buf_z(path, file);
}

static int open_below(const char *root, const char *file, int flags)
{
    bx_buf path = {0};
    path_of(&path, root, file);
    int fd = path.failed ? -1 : open(path.p, flags | O_CLOEXEC);
    int why = errno;
    bx_buf_free(&path);
    errno = why;
    return fd;
}

/* The beginning of a file, at most room - 1 bytes; empty if it cannot be read. */
static bx_str read_file(const char *root, const char *file, char *to, size_t room)
{
    size_t n = 0;
    int fd = open_below(root, file, O_RDONLY);
    for (ssize_t got = 1; fd >= 0 && got > 0 && n<room; n += got> 0 ? (size_t)got : 0)
        got = read(fd, to + n, room - n);
    if (fd >= 0)
        close(fd);
    return (bx_str){to, n};
}

static bool read_int(const char *root, const char *file, int *value)
{
    char bytes[32];
    uint64_t number;
    bx_str s = bx_str_trim(read_file(root, file, bytes, sizeof bytes));
    bool minus = s.n && s.p[0] == '-';
    if (!bx_str_u64(minus ? bx_str_sub(s, 1, s.n) : s, &number) || number > 1000)
        return false;
    *value = minus ? -(int)number : (int)number;
    return true;
}

/* ---- the CPU ---- */

static void copy(char *to, size_t room, bx_str s)
{
    size_t n = s.n < room ? s.n : room - 1;
    memcpy(to, s.p, n);
    to[n] = '\0';
}

static void number(unsigned *to, bx_str s)
{
    uint64_t value;
    if (bx_str_u64(s, &value))
        *to = (unsigned)value;
}

/* One line of /proc/cpuinfo: "cpu family	: 6". */
static void cpu_line(bx_probe *p, bx_str line)
{
    bx_str value = line;
    bx_str key = bx_str_trim(bx_str_cut(&value, ':'));
    value = bx_str_trim(value);
    if (!value.p)
        return;
    if (bx_str_eq(key, BX_STR("processor"))) {
        p->cpus++;
    } else if (bx_str_eq(key, BX_STR("vendor_id"))) {
        copy(p->vendor, sizeof p->vendor, value);
    } else if (bx_str_eq(key, BX_STR("model name"))) {
        copy(p->brand, sizeof p->brand, value);
    } else if (bx_str_eq(key, BX_STR("cpu family"))) {
        number(&p->family, value);
        p->cpu_known = true;
    } else if (bx_str_eq(key, BX_STR("model"))) {
        number(&p->model, value);
    } else if (bx_str_eq(key, BX_STR("stepping"))) {
        number(&p->stepping, value);
    } else if (bx_str_eq(key, BX_STR("flags"))) {
        for (bx_str rest = value; rest.p;)
            p->hypervisor |= bx_str_eq(bx_str_cut(&rest, ' '), BX_STR("hypervisor"));
    }
}

static bool look_at_cpu(const char *root, bx_probe *p)
{
    enum { ROOM = 4 << 20 }; /* about 1.5 KiB per logical CPU */
    char *bytes = malloc(ROOM);
    if (!bytes)
        return false;
    bx_str text = read_file(root, "/proc/cpuinfo", bytes, ROOM);
    while (text.p && text.n)
        cpu_line(p, bx_str_cut(&text, '\n'));
    free(bytes);
    return true;
}

/* ---- the ways to its counters ---- */

static void look_at_msr(const char *root, bx_probe *p)
{
    char bytes[64];
    int fd = open_below(root, "/dev/cpu/0/msr", O_RDWR);
    p->msr = fd < 0 ? errno : 0;
    if (fd >= 0)
        close(fd);
    /* "none [integrity] confidentiality": the one in brackets holds */
    bx_str lockdown = read_file(root, "/sys/kernel/security/lockdown", bytes, sizeof bytes);
    p->lockdown = lockdown.n && !bx_str_starts_fold(lockdown, BX_STR("[none]"));
}

static int by_name(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/* Names of /sys/bus/event_source/devices that begin with "uncore". */
static bool look_at_perf(const char *root, bx_arena *arena, bx_probe *p)
{
    enum { MOST = 512 };
    bx_buf path = {0};
    path_of(&path, root, "/sys/bus/event_source/devices");
    const char **names = bx_arena_get(arena, MOST * sizeof *names);
    DIR *folder = names && !path.failed ? opendir(path.p) : NULL;
    for (struct dirent *d; folder && p->uncore_n < MOST && (d = readdir(folder));)
        if (bx_str_starts_fold(bx_str_of(d->d_name), BX_STR("uncore")))
            names[p->uncore_n++] = bx_arena_copy(arena, bx_str_of(d->d_name));
    if (folder)
        closedir(folder);
    bx_buf_free(&path);
    if (arena->failed)
        return false;
    qsort(names, p->uncore_n, sizeof *names, by_name);
    p->uncore = names;
    return true;
}

static bool look_for_valgrind(const char *root, bx_arena *arena, bx_probe *p)
{
    bx_buf path = {0};
    for (bx_str rest = bx_str_of(getenv("PATH")); rest.p && !p->valgrind;) {
        bx_str folder = bx_str_cut(&rest, ':');
        path_of(&path, root, "");
        bx_buf_str(&path, folder);
        bx_buf_z(&path, "/valgrind");
        if (folder.n && !path.failed && access(path.p, X_OK) == 0)
            p->valgrind = bx_arena_copy(arena, (bx_str){path.p, path.n});
    }
    bx_buf_free(&path);
    return !arena->failed;
}

bool bx_probe_look(const char *root, bx_arena *arena, bx_probe *probe)
{
    *probe = (bx_probe){0};
    int watchdog;
    look_at_msr(root, probe);
    probe->paranoid_known =
        read_int(root, "/proc/sys/kernel/perf_event_paranoid", &probe->paranoid);
    probe->watchdog = read_int(root, "/proc/sys/kernel/nmi_watchdog", &watchdog) && watchdog;
    return look_at_cpu(root, probe) && look_at_perf(root, arena, probe) &&
           look_for_valgrind(root, arena, probe);
}

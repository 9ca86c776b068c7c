/* Reads /proc/cpuinfo and the files that say who may access counters. */
#include "host/discover/probe.h"

#include "host/system/cpus.h"
#include "host/system/file.h"
#include "host/bus/gathered_registers.h"
#include "base/buf.h"
#include "base/printable.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* ---- the CPU ---- */

static void copy(char *to, size_t room, bx_str s)
{
    size_t n = s.n < room ? s.n : room - 1;
    memcpy(to, s.p, n);
    to[n] = '\0';
    bx_printable(to, n);
}

static void read_fact(unsigned *to, bx_str s)
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
        read_fact(&p->family, value);
        p->cpu_known = true;
    } else if (bx_str_eq(key, BX_STR("model"))) {
        read_fact(&p->model, value);
    } else if (bx_str_eq(key, BX_STR("stepping"))) {
        read_fact(&p->stepping, value);
    } else if (bx_str_eq(key, BX_STR("flags"))) {
        for (bx_str rest = value; rest.p;)
            p->hypervisor |= bx_str_eq(bx_str_cut(&rest, ' '), BX_STR("hypervisor"));
    }
}

static bool probe_cpu(const char *root, bx_arena *arena, bx_probe *p)
{
    enum { ROOM = 4 << 20 }; /* about 1.5 KiB per logical CPU */
    char *bytes = malloc(ROOM);
    if (!bytes) {
        arena->failed = true;
        return false;
    }
    bx_str text = bx_file_read(root, "/proc/cpuinfo", bytes, ROOM);
    while (text.p && text.n)
        cpu_line(p, bx_str_cut(&text, '\n'));
    free(bytes);
    return true;
}

/* ---- access to its counters ---- */

static int close_and_errno(int fd)
{
    int err = fd < 0 ? errno : 0;
    if (fd >= 0)
        close(fd);
    return err;
}

/* The MSR device of one CPU, or msr-safe's. 0 or an errno. */
static int try_msr(const char *root, unsigned cpu, bx_probe *p)
{
    char device[sizeof p->device], safe[48];
    snprintf(device, sizeof device, "/dev/cpu/%u/msr", cpu);
    snprintf(safe, sizeof safe, "/dev/cpu/%u/msr_safe", cpu);
    int err = close_and_errno(bx_file_open(root, device, O_RDWR));
    if (err && close_and_errno(bx_file_open(root, safe, O_RDWR)) == 0)
        err = 0;
    p->readable |= close_and_errno(bx_file_open_device(root, device)) == 0;
    if (!*p->device) {
        memcpy(p->device, device, sizeof device);
        p->msr = err;
    }
    return err;
}

/* One device that can be opened is enough: a container may have no other. */
static void probe_msr(const char *root, bx_probe *p)
{
    enum { ENOUGH = 1024 };
    char bytes[4096];
    unsigned tries = 0;
    bx_str online = bx_file_read(root, "/sys/devices/system/cpu/online", bytes, sizeof bytes);
    online = bx_str_trim(online);
    for (uint64_t lo, hi; bx_cpus_range(&online, &lo, &hi);)
        for (; lo <= hi && lo < BX_NO_CPU && tries++ < ENOUGH; lo++)
            if (try_msr(root, (unsigned)lo, p) == 0) {
                p->msr = 0;
                return;
            }
    if (!*p->device)
        try_msr(root, 0, p);
}

/* "none [integrity] confidentiality": the word in brackets is in force */
static void probe_lockdown(const char *root, bx_probe *p)
{
    char bytes[64];
    bx_str lockdown = bx_file_read(root, "/sys/kernel/security/lockdown", bytes, sizeof bytes);
    p->lockdown = lockdown.n && !bx_str_starts_fold(lockdown, BX_STR("[none]"));
}

static int by_name(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/* Names of /sys/bus/event_source/devices that begin with "uncore". */
static bool probe_perf(const char *root, bx_arena *arena, bx_probe *p)
{
    enum { MOST = 512 };
    const char **names = bx_arena_get(arena, MOST * sizeof *names);
    DIR *folder = bx_file_open_folder(root, "/sys/bus/event_source/devices", &arena->failed);
    for (struct dirent *d; names && folder && p->uncore_n < MOST && (d = readdir(folder));)
        if (bx_str_starts_fold(bx_str_of(d->d_name), BX_STR("uncore")))
            names[p->uncore_n++] = bx_arena_copy(arena, bx_str_of(d->d_name));
    if (folder)
        closedir(folder);
    if (arena->failed)
        return false;
    qsort(names, p->uncore_n, sizeof *names, by_name);
    p->uncore = names;
    return true;
}

static bool find_valgrind(const char *root, bx_arena *arena, bx_probe *p)
{
    bx_buf path = {.whole = &arena->failed};
    for (bx_str rest = bx_str_of(getenv("PATH")); rest.p && !p->valgrind;) {
        bx_str folder = bx_str_cut(&rest, ':');
        path.n = 0;
        bx_buf_z(&path, root);
        bx_buf_str(&path, folder);
        bx_buf_z(&path, "/valgrind");
        if (folder.n && !path.failed && access(path.p, X_OK) == 0)
            p->valgrind = bx_arena_copy(arena, (bx_str){path.p, path.n});
    }
    bx_buf_free(&path);
    return !arena->failed;
}

bool bx_probe_read(const char *root, bx_arena *arena, bx_probe *probe)
{
    *probe = (bx_probe){0};
    int watchdog;
    probe->gathered =
        *root && close_and_errno(bx_file_open(root, BX_UNPACKED_REGISTERS, O_RDONLY)) == 0;
    probe_msr(root, probe);
    probe_lockdown(root, probe);
    probe->paranoid_known =
        bx_file_number(root, "/proc/sys/kernel/perf_event_paranoid", &probe->paranoid);
    probe->watchdog = bx_file_number(root, "/proc/sys/kernel/nmi_watchdog", &watchdog) && watchdog;
    return probe_cpu(root, arena, probe) && probe_perf(root, arena, probe) &&
           find_valgrind(root, arena, probe);
}

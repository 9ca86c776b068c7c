/* Reads the kernel's PMUs from sysfs: /sys/bus/event_source/devices/PMU/… */
#include "host/system/cpus.h"
#include "host/perf/perf_calls.h"
#include "host/system/file.h"
#include "host/system/names.h"
#include "host/perf/kernel_pmus.h"
#include "host/perf/resctrl.h"
#include "base/buf.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char devices[] = "/sys/bus/event_source/devices";

enum { FILE_ROOM = 4096 }; /* sysfs writes one page at most */

bool bx_perf_find_pmus(const char *root, bx_arena *arena, bx_perf *p)
{
    bx_file_names found;
    *p = (bx_perf){.root = root, .foreign = *root, .calls = &bx_perf_calls_real, .arena = arena};
    bx_file_number(root, "/proc/sys/kernel/perf_event_paranoid", &p->paranoid);
    if (!bx_file_list(root, devices, "", arena, &found))
        return false;
    p->pmus = bx_arena_get(arena, (found.n + 1) * sizeof *p->pmus);
    if (!p->pmus)
        return false;
    for (; p->n < found.n; p->n++)
        p->pmus[p->n].name = found.name[p->n];
    size_t events = 0;
    if (!p->n) /* else the kernel counts anyway */
        bx_resctrl_events(p, &events);
    p->only_files = events > 0;
    return !arena->failed;
}

/* ---- one PMU ---- */

/* "DEVICES/pmu/folder/name" */
static const char *path_of(bx_buf *to, const bx_perf_pmu *pmu, const char *folder, const char *name)
{
    to->n = 0;
    bx_buf_f(to, "%s/%s%s%s%s%s", devices, pmu->name, *folder ? "/" : "", folder, *name ? "/" : "",
             name);
    return to->failed ? "" : to->p;
}

typedef struct reader {
    bx_perf *perf;
    bx_perf_pmu *pmu;
    bx_buf path;
    char bytes[FILE_ROOM];
} reader;

static bx_str file(reader *r, const char *folder, const char *name)
{
    return bx_str_trim(bx_file_read(r->perf->root, path_of(&r->path, r->pmu, folder, name),
                                    r->bytes, sizeof r->bytes));
}

static bool read_formats(reader *r)
{
    bx_file_names found;
    bx_arena *a = r->perf->arena;
    if (!bx_file_list(r->perf->root, path_of(&r->path, r->pmu, "format", ""), "", a, &found))
        return false;
    bx_perf_format *to = bx_arena_get(a, (found.n + 1) * sizeof *to);
    size_t n = 0;
    for (size_t i = 0; to && i < found.n; i++)
        if (bx_perf_format_read(file(r, "format", found.name[i]), &to[n]))
            to[n++].name = found.name[i];
    r->pmu->formats = to;
    r->pmu->formats_n = n;
    return to;
}

/* Whether the file is no event itself, but describes one, such as "name.unit". */
static bool belongs(const char *name)
{
    static const char *const suffixes[] = {".unit", ".scale", ".snapshot", ".per-pkg"};
    const char *dot = strrchr(name, '.');
    for (size_t i = 0; dot && i < sizeof suffixes / sizeof *suffixes; i++)
        if (strcmp(dot, suffixes[i]) == 0)
            return true;
    return false;
}

static bx_str beside(reader *r, const char *event, const char *suffix)
{
    char name[256];
    size_t n = strlen(event), more = strlen(suffix) + 1;
    if (n + more > sizeof name)
        return (bx_str){r->bytes, 0};
    memcpy(name, event, n);
    memcpy(name + n, suffix, more);
    return file(r, "events", name);
}

static bool read_events(reader *r)
{
    bx_file_names found;
    bx_arena *a = r->perf->arena;
    if (!bx_file_list(r->perf->root, path_of(&r->path, r->pmu, "events", ""), "", a, &found))
        return false;
    bx_perf_named *to = bx_arena_get(a, (found.n + 1) * sizeof *to);
    size_t n = 0;
    for (size_t i = 0; to && i < found.n; i++) {
        bx_str terms = file(r, "events", found.name[i]);
        if (belongs(found.name[i]) || !terms.n)
            continue;
        to[n] = (bx_perf_named){.name = found.name[i], .terms = bx_arena_copy(a, terms)};
        to[n].unit = bx_arena_copy(a, beside(r, found.name[i], ".unit"));
        to[n].scale = 1;
        bx_str scale = beside(r, found.name[i], ".scale");
        if (scale.n && !bx_perf_fraction(scale, &to[n].scale)) {
            to[n].scale = 1;
            to[n].unit = ""; /* rather no scaled value than a wrong one */
        }
        n++;
    }
    r->pmu->events = to;
    r->pmu->events_n = n;
    return to && !a->failed;
}

static bool read_caps(reader *r)
{
    bx_file_names found;
    bx_arena *a = r->perf->arena;
    if (!bx_file_list(r->perf->root, path_of(&r->path, r->pmu, "caps", ""), "", a, &found))
        return false;
    bx_perf_cap *to = bx_arena_get(a, (found.n + 1) * sizeof *to);
    for (size_t i = 0; to && i < found.n; i++)
        to[i] = (bx_perf_cap){found.name[i], bx_arena_copy(a, file(r, "caps", found.name[i]))};
    r->pmu->caps = to;
    r->pmu->caps_n = found.n;
    return to && !a->failed;
}

static bool has_file(reader *r, const char *name)
{
    int fd = bx_file_open(r->perf->root, path_of(&r->path, r->pmu, "", name), O_PATH);
    if (fd >= 0)
        close(fd);
    return fd >= 0;
}

/* A list such as "0,18-19". */
static bool read_list(reader *r, const char *name, const uint16_t **cpus, size_t *cpus_n)
{
    bx_str text = file(r, "", name);
    size_t room = 0, n = 0;
    uint16_t *to = NULL;
    for (int fill = 0; fill <= 1; fill++) {
        bx_str rest = text;
        n = 0;
        for (uint64_t lo, hi; bx_cpus_range(&rest, &lo, &hi);)
            for (; lo <= hi && lo < UINT16_MAX; lo++, n++)
                if (fill && n < room)
                    to[n] = (uint16_t)lo;
        room = n;
        if (!fill)
            to = bx_arena_get(r->perf->arena, (room + 1) * sizeof *to);
        if (!to)
            return false;
    }
    *cpus = to;
    *cpus_n = n;
    return true;
}

static bool read_cpus(reader *r)
{
    bx_perf_pmu *pmu = r->pmu;
    if (!read_list(r, "cpumask", &pmu->cpus, &pmu->cpus_n) ||
        !read_list(r, "cpus", &pmu->cores, &pmu->cores_n))
        return false;
    pmu->hybrid = pmu->cores_n > 0;
    pmu->nowhere = pmu->cpus_n == 0 && has_file(r, "cpumask");
    return true;
}

bool bx_perf_describe(bx_perf *p, bx_perf_pmu *pmu)
{
    if (pmu->described)
        return true;
    reader *r = calloc(1, sizeof *r);
    if (!r) {
        p->arena->failed = true;
        return false;
    }
    r->perf = p;
    r->path.whole = &p->arena->failed;
    r->pmu = pmu;
    uint64_t type;
    bool ok = true;
    pmu->described = true;
    pmu->exists = bx_str_u64(file(r, "", "type"), &type) && type <= UINT32_MAX;
    if (pmu->exists) {
        pmu->type = (uint32_t)type;
        ok = read_formats(r) && read_events(r) && read_caps(r) && read_cpus(r);
    }
    ok = ok && !r->path.failed;
    bx_buf_free(&r->path);
    free(r);
    return ok;
}

bx_perf_pmu *bx_perf_find(bx_perf *p, bx_str name)
{
    for (size_t i = 0; i < p->n; i++)
        if (bx_str_eq(bx_str_of(p->pmus[i].name), name))
            return bx_perf_describe(p, &p->pmus[i]) && p->pmus[i].exists ? &p->pmus[i] : NULL;
    return NULL;
}

unsigned bx_perf_package(const bx_cpus *cpus, unsigned cpu)
{
    for (unsigned i = 0; i < bx_cpus_all(cpus); i++)
        if (cpus->logical[i] == cpu)
            return bx_cpus_package(cpus, i);
    return 0;
}

void bx_perf_names(const bx_perf *p, const char *prefix, char *to, size_t room)
{
    size_t n = 0;
    *to = '\0';
    for (size_t i = 0; i < p->n; i++) {
        const char *name = p->pmus[i].name;
        size_t length = strlen(name);
        if (strncmp(name, prefix, strlen(prefix)) != 0)
            continue;
        if (n + length + sizeof ", …" + 2 > room) {
            memcpy(to + n, ", …", sizeof ", …");
            return;
        }
        if (n) {
            memcpy(to + n, ", ", 2);
            n += 2;
        }
        memcpy(to + n, name, length + 1);
        n += length;
    }
}

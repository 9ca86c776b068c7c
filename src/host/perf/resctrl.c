/* Finds the files of resctrl's groups. */
#include "host/perf/resctrl.h"

#include "event/hint.h"
#include "host/system/file.h"
#include "host/system/names.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char all[] = BX_RESCTRL_FOLDER, prefix[] = "resctrl/";

typedef struct known_event {
    const char *name, *title;
    bool level; /* what there is now; the others only grow */
} known_event;

static const known_event known[] = {
    {"llc_occupancy", "bytes in a last-level cache, at the end", true},
    {"mbm_local_bytes", "bytes between a last-level cache and its package's memory", false},
    {"mbm_total_bytes", "bytes between a last-level cache and all memory", false},
};

bool bx_resctrl_is_event(bx_str text)
{
    return bx_str_starts_fold(bx_str_trim(text), BX_STR(prefix));
}

/* NULL: boxscore knows no more than the name. */
static const known_event *find_known(const char *event)
{
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (strcmp(known[i].name, event) == 0)
            return &known[i];
    return NULL;
}

const char *bx_resctrl_title(const char *event)
{
    const known_event *found = find_known(event);
    return found ? found->title : "";
}

/* ---- folders ---- */

static bx_file_names names_in(bx_perf *p, const char *folder, const char *begins)
{
    bx_file_names found;
    bx_file_list(p->root, folder, begins, p->arena, &found);
    return found;
}

static const char *joined(bx_perf *p, const char *a, const char *b, const char *c)
{
    bx_buf path = {.whole = &p->arena->failed};
    bx_buf_f(&path, "%s%s%s%s%s", a, *b ? "/" : "", b, *c ? "/" : "", c);
    const char *copy = bx_arena_copy(p->arena, (bx_str){path.p, path.n});
    bx_buf_free(&path);
    return copy ? copy : "";
}

const char *const *bx_resctrl_events(bx_perf *p, size_t *n)
{
    const char *data = joined(p, all, "mon_data", "");
    bx_file_names domains = names_in(p, data, "mon_"), events = {0};
    if (domains.n)
        events = names_in(p, joined(p, data, domains.name[0], ""), "");
    *n = 0;
    /* With sub-NUMA clusters a cache also has a folder of each: Linux 6.11. */
    for (size_t i = 0; i < events.n; i++)
        if (strncmp(events.name[i], "mon_", 4) != 0)
            events.name[(*n)++] = events.name[i];
    return events.name;
}

/* ---- the event ---- */

/* A CPU that shares the cache: "mon_L3_08" is that with the id 8. 0 if the kernel does not say. */
static uint16_t cpu_of(const bx_perf *p, const char *domain)
{
    static const char begins[] = "mon_L3_";
    uint64_t id;
    char file[80];
    int is, cpu = 0;
    if (strncmp(domain, begins, sizeof begins - 1) != 0)
        return 0;
    domain += sizeof begins - 1;
    while (domain[0] == '0' && domain[1]) /* not octal */
        domain++;
    if (!bx_str_u64(bx_str_of(domain), &id))
        return 0;
    for (; cpu < BX_NO_CPU; cpu++) {
        snprintf(file, sizeof file, "/sys/devices/system/cpu/cpu%d/cache/index3/id", cpu);
        if (bx_file_number(p->root, file, &is) && (uint64_t)is == id)
            return (uint16_t)cpu;
        snprintf(file, sizeof file, "/sys/devices/system/cpu/cpu%d", cpu);
        if (!bx_file_exists(p->root, file))
            break;
    }
    return 0;
}

static bool read_source(bx_perf *p, const char *data, const char *domain, const char *event,
                        bool level, bx_perf_source *to)
{
    const char *file = joined(p, data, domain, event);
    bx_perf_pmu *cache = bx_arena_get(p->arena, sizeof *cache);
    uint16_t *cpu = bx_arena_get(p->arena, sizeof *cpu);
    if (!cache || !cpu || !bx_file_exists(p->root, file))
        return false;
    *cpu = cpu_of(p, domain);
    *cache =
        (bx_perf_pmu){.name = "L3", .described = true, .exists = true, .cpus = cpu, .cpus_n = 1};
    *to = (bx_perf_source){
        .pmu = cache,
        .config = {.file = *p->root ? joined(p, p->root, file + 1, "") : file, .level = level}};
    return true;
}

/* The folder of a group's counts; "": there is no such group. A control group of tasks is beside
 * the groups that are monitored only. */
static const char *data_of(bx_perf *p, bx_str group)
{
    const char *name = bx_arena_copy(p->arena, group);
    if (!name || (group.n && bx_str_find(group, '.', 0) == 0))
        return "";
    const char *places[] = {joined(p, all, "mon_groups", name), joined(p, all, name, "")};
    if (!group.n)
        return joined(p, all, "mon_data", "");
    for (size_t i = 0; i < 2; i++) {
        const char *data = joined(p, places[i], "mon_data", "");
        if (bx_file_exists(p->root, data))
            return data;
    }
    return "";
}

static int refuse(bx_str text, bx_str part, const char *what, bx_error *e)
{
    return bx_fail(e, BX_NOT_FOUND, (size_t)(part.p - text.p), part.n, "resctrl has no %s '%s'",
                   what, bx_quote(part).text);
}

static void hint_at(bx_str wrong, const char *const *names, size_t n, bx_error *e)
{
    bx_nearest near = bx_nearest_to(wrong);
    bx_names offered = {0};
    for (size_t i = 0; i < n; i++) {
        bx_nearest_offer(&near, names[i]);
        bx_names_add(&offered, names[i]);
    }
    bx_hint_nearest(e, &near, "it has", &offered);
}

static int no_group(bx_perf *p, bx_str text, bx_str group, bx_error *e)
{
    bx_file_names groups = names_in(p, joined(p, all, "mon_groups", ""), "");
    int code = refuse(text, group, "group", e);
    if (groups.n)
        hint_at(group, groups.name, groups.n, e);
    else
        bx_hint(e,
                "mkdir " BX_RESCTRL_FOLDER "/mon_groups/NAME, and write task ids to its 'tasks'");
    return code;
}

static int no_event(bx_perf *p, bx_str text, bx_str name, bx_error *e)
{
    size_t n;
    const char *const *events = bx_resctrl_events(p, &n);
    if (!n) {
        bx_fail(e, BX_NO_ACCESS, (size_t)(name.p - text.p), name.n,
                "resctrl counts nothing here: it is not mounted, or the CPU does not monitor");
        bx_hint(e, "boxscore doctor says whether it can be mounted");
        return BX_NO_ACCESS;
    }
    int code = refuse(text, name, "event", e);
    hint_at(name, events, n, e);
    return code;
}

/* "NAME,group=NAME/": its parts. */
static int read_parts(bx_str text, bx_str *name, bx_str *group, bx_error *e)
{
    bx_str part = bx_str_trim(text);
    bx_str inside = bx_str_sub(part, sizeof prefix - 1, part.n);
    ptrdiff_t close = bx_str_find(inside, '/', 0);
    if (close < 0 || (size_t)close + 1 != inside.n) {
        bx_str rest = close < 0 ? bx_str_sub(part, sizeof prefix - 2, 1)
                                : bx_str_sub(inside, (size_t)close + 1, inside.n);
        bx_fail(e, BX_BAD_INPUT, (size_t)(rest.p - text.p), rest.n,
                close < 0 ? "this '/' is not closed" : "resctrl counts all privilege levels");
        bx_hint(e, "resctrl/EVENT/, or resctrl/EVENT,group=NAME/");
        return BX_BAD_INPUT;
    }
    *group = bx_str_sub(inside, 0, (size_t)close);
    *name = bx_str_cut(group, ',');
    if (!group->p)
        return BX_OK;
    bx_str whole = *group, key = bx_str_cut(group, '=');
    if (bx_str_eq(key, BX_STR("group")) && group->n && bx_str_find(*group, ',', 0) < 0)
        return BX_OK;
    bx_fail(e, BX_BAD_INPUT, (size_t)(whole.p - text.p), whole.n,
            "an event of resctrl has one term, group=NAME");
    return BX_BAD_INPUT;
}

int bx_resctrl_parse(bx_perf *p, bx_str text, bx_perf_event *to, bx_error *e)
{
    bx_str name, group;
    int code = read_parts(text, &name, &group, e);
    if (code)
        return code;
    const char *event = bx_arena_copy(p->arena, name), *data = data_of(p, group);
    if (p->arena->failed)
        return bx_out_of_memory(e);
    if (!*data)
        return no_group(p, text, group, e);
    const known_event *found = find_known(event);
    bx_file_names domains = names_in(p, data, "mon_");
    bx_perf_source *sources = bx_arena_get(p->arena, (domains.n + 1) * sizeof *sources);
    size_t n = 0;
    for (size_t i = 0; sources && i < domains.n; i++)
        n += *event && *event != '.' &&
             read_source(p, data, domains.name[i], event, found && found->level, &sources[n]);
    if (!n && !p->arena->failed)
        return no_event(p, text, name, e);
    bx_str part = bx_str_trim(text);
    const char *spelled = bx_arena_copy(p->arena, part);
    *to = (bx_perf_event){.text = spelled,
                          .name = spelled,
                          .count = found ? "bytes" : "",
                          .unit = found ? "MB" : "",
                          .scale = found ? 1e-6 : 1,
                          .sources = sources,
                          .n = n};
    return p->arena->failed ? bx_out_of_memory(e) : BX_OK;
}

/* What a host has beside the PMUs of cores and uncore: whom it can count apart, and what else its
 * kernel counts. */
#include "cli/doctor/findings.h"

#include "host/perf/kernel_pmus.h"
#include "host/system/file.h"

#include <string.h>

/* Events of a PMU that the kernel names, in stat's spelling; none if it drives no such PMU. */
static void list_events(bx_perf *perf, const char *name, bx_buf *to)
{
    const bx_perf_pmu *pmu = bx_perf_find(perf, bx_str_of(name));
    for (size_t i = 0; pmu && i < pmu->events_n; i++)
        bx_buf_f(to, "%s%s/%s/", to->n ? " " : "", name, pmu->events[i].name);
}

static void put_events(bx_findings *f, bx_perf *perf, const char *topic, const char *const *pmus,
                       size_t n, const char *missing)
{
    bx_buf events = {.whole = &f->arena->failed};
    for (size_t i = 0; i < n; i++)
        list_events(perf, pmus[i], &events);
    bx_find_of_machine(f, topic, "%s", events.n ? bx_buf_text(&events) : "the kernel names none");
    if (!events.n && missing)
        bx_find_todo(f, "%s", missing);
    bx_buf_free(&events);
}

/* Whether /proc/self/mounts has a file system of this type, with this option; NULL: any. */
static bool is_mounted(bx_str mounts, const char *type, const char *option)
{
    while (mounts.p) {
        bx_str line = bx_str_cut(&mounts, '\n');
        bx_str_cut(&line, ' ');
        bx_str_cut(&line, ' ');
        bx_str is = bx_str_cut(&line, ' '), options = bx_str_cut(&line, ' ');
        bool has = !option;
        while (!has && options.p)
            has = bx_str_eq(bx_str_cut(&options, ','), bx_str_of(option));
        if (has && bx_str_eq(is, bx_str_of(type)))
            return true;
    }
    return false;
}

static void cgroups(bx_findings *f, bx_str mounts)
{
    bool mounted =
        is_mounted(mounts, "cgroup", "perf_event") || is_mounted(mounts, "cgroup2", NULL);
    bx_find(f, "cgroups",
            mounted ? "mounted: stat -G NAME counts one, such as a container's"
                    : "none are mounted that perf_event knows");
    if (!mounted)
        bx_find_todo(f, "mount -t cgroup2 none /sys/fs/cgroup");
}

/* Memory bandwidth by groups of tasks: Documentation/arch/x86/resctrl.rst. The CPU's flag of it is
 * cqm_mbm_total. */
static void memory_bandwidth(bx_findings *f, const char *root, bx_str mounts)
{
    bx_buf info = bx_file_read_all(root, "/proc/cpuinfo", 1 << 16);
    const char *text = bx_buf_text(&info);
    bool has = strstr(text, " cqm_mbm_total"), mounted = is_mounted(mounts, "resctrl", NULL);
    f->arena->failed |= info.failed;
    if (mounted)
        bx_find(f, "resctrl",
                "mounted: stat -e resctrl/mbm_total_bytes/ counts the bytes of all tasks, and "
                "resctrl/mbm_total_bytes,group=NAME/ those of a group");
    else if (has)
        bx_find(f, "resctrl",
                "not mounted, although the CPU counts memory traffic by groups of "
                "tasks");
    if (has && !mounted)
        bx_find_todo(f, "mount -t resctrl resctrl /sys/fs/resctrl");
    bx_buf_free(&info);
}

void bx_doctor_beside(bx_findings *f, const char *root, const bx_probe *p)
{
    static const char *const energy[] = {"power"}, *const sleep[] = {"cstate_core", "cstate_pkg"},
                             *const clocks[] = {"msr"};
    bx_perf perf;
    bx_buf mounts = bx_file_read_all(root, "/proc/self/mounts", 1 << 22);
    bx_str text = {bx_buf_text(&mounts), mounts.n};
    f->arena->failed |= mounts.failed;
    if (!bx_perf_find_pmus(root, f->arena, &perf))
        return;
    put_events(f, &perf, "energy", energy, 1,
               p->hypervisor ? NULL : "modprobe rapl (before Linux 5.8 intel_rapl_perf)");
    put_events(f, &perf, "sleep states", sleep, 2, p->hypervisor ? NULL : "modprobe intel_cstate");
    put_events(f, &perf, "clocks", clocks, 1, NULL);
    if (!root[0])
        cgroups(f, text);
    memory_bandwidth(f, root, text);
    bx_buf_free(&mounts);
}

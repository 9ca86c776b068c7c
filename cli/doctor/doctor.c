/* All findings of doctor: the CPU, the kernel's counters and, from the other files here, access to
 * registers and the software that uses them. */
#include "catalog/catalog.h"
#include "cli/doctor/findings.h"
#include "host/discover/probe.h"
#include "host/discover/tables.h"
#include "host/imported/store.h"
#include "host/system/cpus.h"
#include "host/system/file.h"
#include "machine/program/process/trace_tool.h"
#include "seam/bus.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>

static const bx_cat_cpu *known_cpu(const bx_catalog *c, const bx_probe *p)
{
    if (!p->cpu_known || strcmp(p->vendor, "GenuineIntel") != 0)
        return NULL;
    uint16_t cpu = bx_cat_find_cpu_by_id(c, p->family, p->model);
    return cpu == BX_NONE ? NULL : &bx_cat_cpus(c)[cpu];
}

/* Says which of the user's catalogues has the CPU. false: none. */
static bool imported(bx_findings *f, const bx_catalog *c, const bx_probe *p)
{
    bx_imported found;
    bx_error e = {0};
    if (strcmp(p->vendor, "GenuineIntel") != 0 ||
        bx_imported_find(c, p->family, p->model, p->stepping, &found, &e) != BX_OK) {
        bx_find_error(f, &e);
        return false;
    }
    uint16_t cpu = bx_cat_find_cpu_by_id(found.catalog, p->family, p->model);
    if (cpu != BX_NONE)
        bx_find_more(f, "imported as %s",
                     bx_cat_z(found.catalog, bx_cat_cpus(found.catalog)[cpu].title));
    bx_imported_close(&found);
    return cpu != BX_NONE;
}

/* The /proc/cpuinfo of a gathered machine has its first CPU only. */
static unsigned logical_cpus(const char *root, const bx_probe *p)
{
    char bytes[4096];
    unsigned n = 0;
    bx_str list =
        bx_str_trim(bx_file_read(root, "/sys/devices/system/cpu/online", bytes, sizeof bytes));
    for (uint64_t lo, hi; bx_cpus_range(&list, &lo, &hi) && lo <= hi && hi < BX_NO_CPU;)
        n += (unsigned)(hi - lo) + 1;
    return n > p->cpus ? n : p->cpus;
}

static void cpu(bx_findings *f, const bx_catalog *c, const char *root, const bx_probe *p)
{
    if (!p->cpu_known) {
        bx_find_of_machine(f, "CPU", "not told by /proc/cpuinfo");
        bx_find_todo(f, "mount -t proc proc /proc");
        return;
    }
    unsigned n = logical_cpus(root, p);
    bx_find_of_machine(f, "CPU", "%s family %u model 0x%x stepping %u, %u logical CPU%s", p->vendor,
                       p->family, p->model, p->stepping, n, n == 1 ? "" : "s");
    if (p->brand[0])
        bx_find_more(f, "%s", p->brand);
    const bx_cat_cpu *known = known_cpu(c, p);
    if (known) {
        bx_find_more(f, "in the catalogue as %s: %s", bx_cat_z(c, known->name),
                     bx_cat_z(c, known->title));
    } else if (!imported(f, c, p)) {
        bx_find_more(f, "not in the catalogue");
        if (strcmp(p->vendor, "GenuineIntel") == 0)
            bx_find_todo(f, "add Intel's events and metrics of it: boxscore import perfmon DIR");
        if (p->uncore_n)
            bx_find_todo(f, "count what its kernel drives: boxscore list --machine host");
        bx_find_todo(f, "count on a virtual machine: --machine virtual:...");
    }
}

static void hypervisor(bx_findings *f, const bx_probe *p)
{
    if (!p->hypervisor) {
        bx_find_of_machine(f, "hypervisor", p->cpu_known ? "none" : "not told by /proc/cpuinfo");
        return;
    }
    bx_find_of_machine(f, "hypervisor", "this is a virtual machine of another program");
    bx_find_todo(f, "counters outside the core are rarely passed on: use the machine below it");
}

static void paranoid(bx_findings *f, const char *root, const bx_probe *p)
{
    if (!p->paranoid_known) {
        bx_find_of_machine(f, "perf_event",
                           bx_file_exists(root, "/sys/bus/event_source/devices")
                               ? "the kernel has it; /proc does not tell who may use it"
                               : "the kernel does not have it");
        return;
    }
    if (!bx_file_exists(root, "/sys/bus/event_source/devices")) {
        bx_find_of_machine(f, "perf_event",
                           "perf_event_paranoid is %d; /sys does not show its PMUs", p->paranoid);
        bx_find_todo(f, "mount -t sysfs sys /sys");
        return;
    }
    bool above = bx_doctor_may_perf();
    bx_find_of_machine(f, "perf_event", "perf_event_paranoid is %d%s", p->paranoid,
                       p->paranoid > 0 && above ? ": this process has the rights anyway" : "");
    if (p->paranoid <= 0 || above)
        return;
    bx_find_more(f, p->paranoid > 2   ? "nobody without rights counts anything"
                    : p->paranoid > 1 ? "without rights: only a program's own code, EVENT:u"
                                      : "without rights: only what a program does");
    bx_find_todo(f, "counting outside the core needs root, CAP_PERFMON, or: "
                    "sysctl kernel.perf_event_paranoid=0");
}

/* The kernel's PMUs of cores: the requirements of the events `cycles` and `instructions`. */
static void list_core_pmus(const char *root, bx_buf *to)
{
    static const char *const names[] = {"cpu", "cpu_core", "cpu_atom"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        char path[64];
        snprintf(path, sizeof path, "/sys/bus/event_source/devices/%s", names[i]);
        if (bx_file_exists(root, path))
            bx_buf_f(to, "%s%s", to->n ? " " : "", names[i]);
    }
}

bool bx_doctor_finds_no_counters(const char *root, bx_arena *arena)
{
    bx_probe probe;
    bx_buf cores = {.whole = &arena->failed};
    if (!bx_probe_read(root, arena, &probe))
        return false;
    list_core_pmus(root, &cores);
    bool none = !cores.n && !probe.uncore_n;
    bx_buf_free(&cores);
    return none;
}

static void core_pmu(bx_findings *f, const char *root, const bx_probe *p)
{
    bx_buf found = {.whole = &f->arena->failed};
    list_core_pmus(root, &found);
    bx_find_of_machine(f, "core PMU", "%s",
                       found.n ? bx_buf_text(&found) : "the kernel offers none");
    if (!found.n && p->hypervisor)
        bx_find_todo(f, "have the hypervisor pass its counters on (qemu: -cpu host,pmu=on)");
    bx_buf_free(&found);
}

/* Units of the uncore that the CPU describes itself; "type 19" has no name in Linux. */
static void discovered(bx_findings *f, const char *root)
{
    bx_discovery d;
    bx_discovery_read(root, &d);
    bx_buf units = {.whole = &f->arena->failed};
    for (size_t i = 0; i < d.kinds_n; i++) {
        const char *name = bx_discovered_name(d.kinds[i].type);
        bx_buf_f(&units, "%s%u ", i ? ", " : "", d.kinds[i].units);
        if (name)
            bx_buf_z(&units, name);
        else
            bx_buf_f(&units, "type %u", d.kinds[i].type);
    }
    if (d.tables_n)
        bx_find_of_machine(f, "uncore units", "in %zu discovery tables, per package: %s",
                           d.tables_n, units.n ? bx_buf_text(&units) : "none");
    if (d.unreadable) {
        bx_find_of_machine(f, d.tables_n ? NULL : "uncore units",
                           "%u discovery tables cannot be read", d.unreadable);
        bx_find_todo(f, "run doctor as root: the CPU describes its uncore there");
    }
    bx_buf_free(&units);
}

static void perf(bx_findings *f, const char *root, const bx_probe *p)
{
    paranoid(f, root, p);
    core_pmu(f, root, p);
    bx_buf names = {.whole = &f->arena->failed};
    for (size_t i = 0; i < p->uncore_n; i++)
        bx_buf_f(&names, "%s%s", i ? " " : "", p->uncore[i]);
    bx_find_of_machine(f, "uncore PMUs", "%s",
                       names.n ? bx_buf_text(&names) : "the kernel offers none");
    bx_buf_free(&names);
    discovered(f, root);
    bx_find_of_machine(f, "NMI watchdog",
                       p->watchdog ? "on: it holds a counter of every core" : "off");
    if (p->watchdog)
        bx_find_todo(f, "for all counters of the core: sysctl kernel.nmi_watchdog=0");
}

/* How programs are traced for a virtual machine: by our tracer, or by lackey of Valgrind. */
static void traces(bx_findings *f, const bx_probe *p)
{
    static const char self[] = "/proc/self/exe"; /* a program of 64 bits */
    char tool[PATH_MAX];
    bool own = bx_trace_tool_find(self, tool, sizeof tool);
    if (own)
        bx_find(f, "traces", "by boxscore's tracer: %s", tool);
    else
        bx_find(f, "traces", "%s: %s", p->valgrind ? "by lackey" : "none",
                bx_trace_tool_missing(self));
    bx_find(f, "valgrind", "%s", p->valgrind ? p->valgrind : "not found");
    if (p->valgrind && own)
        bx_find_more(f, "its lackey traces programs of 32 bits");
    if (!p->valgrind)
        bx_find_todo(f, "to run %s programs on a virtual machine: apt-get install valgrind",
                     own ? "32-bit" : "real");
}

/* The machine that commands use without --machine. */
static void machine(bx_findings *f, const bx_catalog *c)
{
    bx_error e = {0};
    bx_machine *m;
    if (bx_machine_open(c, NULL, &m, &e)) {
        bx_find_error(f, &e);
        bx_find(f, "machine", "none can be opened: %s", e.message);
        return;
    }
    const char *why = bx_machine_chosen_because(m);
    bx_find(f, "machine", "%s, where --machine names no other", bx_machine_name(m));
    if (why)
        bx_find_more(f, "%s", why);
    bx_machine_close(m);
}

/* What is counted, and by whom. */
static void users(bx_findings *f, const bx_catalog *c, const char *root, const char *helper)
{
    const bx_machine_options o = {.size = sizeof o, .root = root, .helper = helper};
    bx_host h = {0};
    bx_error e = {0};
    bool opened = bx_host_open(c, &o, &h, &e) == BX_OK;
    bx_find_error(f, &e);
    if (opened)
        bx_doctor_pmus(f, &h);
    bx_doctor_others(f, opened ? &h : NULL, root);
    if (h.bus)
        h.bus->close(h.bus);
    bx_host_close(&h);
}

void bx_doctor_find(bx_findings *f, const bx_catalog *c, const char *root, const char *helper)
{
    bx_probe probe;
    if (!bx_probe_read(root, f->arena, &probe))
        return; /* f->arena->failed */
    cpu(f, c, root, &probe);
    hypervisor(f, &probe);
    bx_doctor_ways(f, c, root, helper, &probe);
    perf(f, root, &probe);
    bx_doctor_beside(f, root, &probe);
    users(f, c, root, helper);
    traces(f, &probe);
    if (!root[0])
        machine(f, c);
}

/* Checks how each PMU can be counted, and which other software counts. Looks for journals of killed
 * measurements. */
#include "host/system/file.h"
#include "host/host.h"
#include "host/discover/in_use.h"
#include "guard/journal.h"
#include "guard/lock.h"
#include "cli/doctor/findings.h"
#include "cli/common/names.h"
#include "event/foreign_names.h"

#include <dirent.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* ---- PMUs ---- */

/* The kernel's names of a PMU: "uncore_cbox_0 uncore_cbox_1". */
static void kernel_names(const bx_catalog *c, const bx_host *h, uint16_t pmu, char *to, size_t room)
{
    size_t n = 0;
    *to = '\0';
    for (size_t i = 0; i < h->perf.n && n < room; i++) {
        int32_t unit;
        const char *name = h->perf.pmus[i].name;
        if (bx_kernel_pmu(c, pmu, bx_str_of(name), &unit))
            n += (size_t)snprintf(to + n, room - n, "%s%s", n ? " " : "", name);
    }
}

void bx_doctor_pmus(bx_findings *f, const bx_host *h)
{
    const bx_catalog *c = h->topology.catalog;
    bx_span pmus = {0};
    if (h->topology.cpu != BX_NONE)
        pmus = bx_cat_cpus(c)[h->topology.cpu].pmus;
    const char *topic = "PMUs";
    for (unsigned i = 0; i < pmus.n; i++) {
        uint16_t pmu = (uint16_t)(pmus.first + i);
        char kernel[160];
        kernel_names(c, h, pmu, kernel, sizeof kernel);
        if (!bx_cat_pmus(c)[pmu].counters.n || bx_cat_pmus(c)[pmu].only_virtual)
            continue;
        const char *by = h->helper ? "registers (helper)" : h->bus ? "registers" : "";
        unsigned units = bx_topology_units(&h->topology, pmu);
        bx_find(f, topic, "%s: %u of them a package, %s%s%s%s",
                bx_cat_z(c, bx_cat_pmus(c)[pmu].name), units, by, *by && *kernel ? ", " : "",
                *kernel ? "perf_event: " : "",
                *kernel ? kernel
                : *by   ? ""
                        : "out of reach");
        if (units == 0 && h->bus)
            bx_find_todo(f, "its registers tell of none, as those do that a virtual machine "
                            "makes up: use the machine below it");
        topic = NULL;
    }
}

/* ---- other software that counts ---- */

static void enabled_counters(bx_findings *f, const bx_host *h)
{
    enum { MOST = 64 };
    bx_inuse found[MOST];
    size_t n = bx_inuse_find(&h->topology, h->bus, NULL, found, MOST);
    if (n)
        bx_find(f, "in use", "%zu counter%s counting already:", n, n > 1 ? "s are" : " is");
    for (size_t i = 0; i < n && i < MOST; i++) {
        char event[160];
        bx_inuse_event(&h->topology, h->bus, &found[i], event, sizeof event);
        bx_find_more(f, "package %u: %s", found[i].package, event);
    }
    if (n)
        bx_find_todo(f, "end what counts there; 'boxscore stat --force' takes counters over");
}

static void lock_holders(bx_findings *f, const bx_host *h, const char *root)
{
    for (unsigned i = 0; i < h->topology.packages; i++) {
        bx_owner holder;
        int package = bx_package_of(root, h->cpus->logical[i * h->cpus->cores]);
        if (!bx_lock_is_held(bx_machine_number(root), package, &holder))
            continue;
        if (holder.is_helper) {
            bx_find(f, "lock", "boxscore-helper has lent package %d to one of its clients",
                    package);
            continue;
        }
        char command[160] = "";
        bx_owner_command(holder.pid, command, sizeof command);
        bx_find(f, "lock", "process %ld measures on package %d: %s", (long)holder.pid, package,
                command);
        bx_find_todo(f, "wait for it to end, or end it: kill %ld", (long)holder.pid);
    }
}

/* The number of a process's descriptors that are perf events. */
static unsigned perf_events_of(const char *root, const char *pid, bool *no_memory)
{
    char path[512], target[64];
    unsigned n = 0;
    snprintf(path, sizeof path, "/proc/%.20s/fd", pid);
    DIR *folder = bx_file_open_folder(root, path, no_memory);
    for (struct dirent *d; folder && (d = readdir(folder));) {
        snprintf(path, sizeof path, "%.250s/proc/%.20s/fd/%.20s", root, pid, d->d_name);
        ssize_t length = readlink(path, target, sizeof target - 1);
        target[length > 0 ? length : 0] = '\0';
        n += strcmp(target, "anon_inode:[perf_event]") == 0;
    }
    if (folder)
        closedir(folder);
    return n;
}

static void perf_users(bx_findings *f, const char *root)
{
    char path[300], bytes[64];
    bool *no_memory = &f->arena->failed;
    DIR *folder = bx_file_open_folder(root, "/proc", no_memory);
    const char *topic = "perf users";
    for (struct dirent *d; folder && (d = readdir(folder));) {
        bool process = d->d_name[0] >= '1' && d->d_name[0] <= '9';
        unsigned n = process ? perf_events_of(root, d->d_name, no_memory) : 0;
        if (!n)
            continue;
        snprintf(path, sizeof path, "/proc/%.20s/comm", d->d_name);
        bx_str name = bx_str_trim(bx_file_read(root, path, bytes, sizeof bytes));
        bx_find(f, topic, "process %s (%.*s) has %u perf events open", d->d_name, (int)name.n,
                name.p, n);
        topic = NULL;
    }
    if (folder)
        closedir(folder);
}

/* ---- journals of killed measurements ---- */

static void journals(bx_findings *f, const char *root)
{
    const char *topic = "left over";
    bx_error e = {0};
    if (bx_journal_check_folder(&e)) {
        bx_find_error(f, &e);
        bx_find(f, topic, "%s", e.message);
        bx_find_todo(f, "%s", e.hint);
        return;
    }
    for (const char *const *path = bx_journal_list(f->arena); *path; path++) {
        bx_journal j;
        if (bx_journal_read(*path, f->arena, &j, NULL) != BX_OK ||
            !bx_journal_is_current(&j, root) || bx_owner_lives(j.owner))
            continue;
        bx_find(f, topic, "process %ld has ended without putting its registers back; it counted %s",
                (long)j.owner.pid, j.counts);
        bx_find_todo(f, "boxscore restore%s%s%s", *root ? " --root '" : "", root, *root ? "'" : "");
        topic = NULL;
    }
}

void bx_doctor_others(bx_findings *f, const bx_host *h, const char *root)
{
    size_t before = f->n;
    if (h && h->bus)
        enabled_counters(f, h);
    if (h)
        lock_holders(f, h, root);
    perf_users(f, root);
    if (f->n == before)
        bx_find(f, "in use",
                h && h->bus ? "no other software counts"
                            : "cannot read the registers to find other software that counts");
    journals(f, root);
}

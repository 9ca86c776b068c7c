/* Packs files of /proc and /sys, and the registers that the allow-list has, into an archive. */
#include "host/gather/archive.h"

#include "guard/allow_list.h"
#include "host/discover/tables.h"
#include "host/system/file.h"
#include "host/host.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { LARGEST_FILE = 1 << 20 };

typedef struct gatherer {
    const char *root;
    bx_buf *to;
    char *bytes; /* a buffer of LARGEST_FILE bytes */
} gatherer;

static void begin_file(const gatherer *g, const char *path)
{
    bx_buf_f(g->to, "> %s\n", path);
}

static void add_lines(const gatherer *g, bx_str text)
{
    while (text.p && text.n) {
        bx_buf_z(g->to, "|");
        bx_buf_str(g->to, bx_str_cut(&text, '\n'));
        bx_buf_z(g->to, "\n");
    }
}

static bx_str read_text(const gatherer *g, const char *path)
{
    return bx_file_read(g->root, path, g->bytes, LARGEST_FILE);
}

static void add_file(const gatherer *g, const char *path)
{
    bx_str text = read_text(g, path);
    if (text.n == 0)
        return;
    begin_file(g, path);
    add_lines(g, text);
}

static int by_name(const struct dirent **a, const struct dirent **b)
{
    return strcmp((*a)->d_name, (*b)->d_name);
}

static int no_dots(const struct dirent *d)
{
    return d->d_name[0] != '.';
}

static void each_in(const gatherer *g, const char *folder,
                    void (*each)(const gatherer *g, const char *path, const char *name))
{
    struct dirent **entries = NULL;
    bx_buf real = {.whole = &g->to->failed};
    bx_buf_z(&real, g->root);
    bx_buf_z(&real, folder);
    int n = real.failed ? 0 : scandir(real.p, &entries, no_dots, by_name);
    g->to->failed |= n < 0 && errno == ENOMEM;
    bx_buf_free(&real);
    for (int i = 0; i < n; i++) {
        char path[512];
        snprintf(path, sizeof path, "%.200s/%.255s", folder, entries[i]->d_name);
        each(g, path, entries[i]->d_name);
        free(entries[i]);
    }
    free(entries);
}

/* ---- what there is ---- */

/* Adds the first CPU's part of /proc/cpuinfo, since all CPUs are alike. It has neither a serial
 * number nor a host's name. */
static void add_cpuinfo(const gatherer *g)
{
    bx_str text = read_text(g, "/proc/cpuinfo");
    const char *end = text.n ? memmem(text.p, text.n, "\n\n", 2) : NULL;
    if (end)
        text.n = (size_t)(end - text.p) + 1;
    begin_file(g, "/proc/cpuinfo");
    add_lines(g, text);
}

static void add_topology(const gatherer *g, const char *path, const char *name)
{
    static const char *const files[] = {"physical_package_id", "die_id", "core_id",
                                        "thread_siblings_list"};
    char file[600];
    uint64_t number;
    if (strncmp(name, "cpu", 3) != 0 || !bx_str_u64(bx_str_of(name + 3), &number))
        return;
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        snprintf(file, sizeof file, "%.400s/topology/%s", path, files[i]);
        add_file(g, file);
    }
}

static void add_plain(const gatherer *g, const char *path, const char *name)
{
    (void)name;
    add_file(g, path);
}

static void add_pmu(const gatherer *g, const char *path, const char *name)
{
    static const char *const files[] = {"type", "cpumask", "cpus", "nr_addr_filters"};
    static const char *const folders[] = {"format", "events", "caps"};
    char below[600];
    (void)name;
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        snprintf(below, sizeof below, "%.400s/%s", path, files[i]);
        add_file(g, below);
    }
    for (size_t i = 0; i < sizeof folders / sizeof *folders; i++) {
        snprintf(below, sizeof below, "%.400s/%s", path, folders[i]);
        each_in(g, below, add_plain);
    }
}

/* Adds the names of modules related to counters, without size and address. */
static void add_modules(const gatherer *g)
{
    static const char *const names[] = {
        "msr",          "msr_safe",        "intel_uncore", "intel_uncore_frequency",
        "intel_cstate", "intel_rapl_perf", "rapl",         "kvm_intel"};
    bx_str text = read_text(g, "/proc/modules");
    begin_file(g, "/proc/modules");
    while (text.p && text.n) {
        bx_str line = bx_str_cut(&text, '\n'), name = bx_str_cut(&line, ' ');
        for (size_t i = 0; i < sizeof names / sizeof *names; i++)
            if (bx_str_eq(name, bx_str_of(names[i])))
                bx_buf_f(g->to, "|%s 0 0 - Live 0x0\n", names[i]);
    }
}

/* ---- discovery tables ---- */

static void add_word(void *context, size_t i, uint64_t value)
{
    const gatherer *g = context;
    bx_buf_f(g->to, "= 8 0x%zx 0x%" PRIx64 "\n", i * sizeof value, value);
}

/* The device's identity, its first resources, and the chain of capabilities up to the one that
 * names the table. */
static void add_config(const gatherer *g, const char *path, unsigned cap)
{
    static const unsigned always[] = {0x0, 0x10, 0x14, 0x18, 0x1c, 0x20, 0x24};
    enum { FIRST = 0x100, WORDS = 4 };
    uint32_t value = 0;
    int fd = bx_file_open(g->root, path, O_RDONLY);
    if (fd < 0)
        return;
    begin_file(g, path);
    for (size_t i = 0; i < sizeof always / sizeof *always; i++)
        if (pread(fd, &value, sizeof value, always[i]) == (ssize_t)sizeof value)
            bx_buf_f(g->to, "= 4 0x%x 0x%" PRIx32 "\n", always[i], value);
    for (unsigned at = FIRST; at >= FIRST && at <= cap;) {
        uint32_t head = 0;
        for (unsigned i = 0; i < (at == cap ? WORDS : 1); i++)
            if (pread(fd, &value, sizeof value, at + 4 * i) == (ssize_t)sizeof value) {
                bx_buf_f(g->to, "= 4 0x%x 0x%" PRIx32 "\n", at + 4 * i, value);
                head = i ? head : value;
            }
        if ((head >> 20 & 0xffc) <= at) /* a chain may go back: the rest is left out */
            break;
        at = head >> 20 & 0xffc;
    }
    close(fd);
}

static void add_discovery(const gatherer *g)
{
    static const char *const files[] = {"vendor", "device", "numa_node"};
    bx_discovery d;
    bx_discovery_read(g->root, &d);
    for (size_t i = 0; i < d.tables_n; i++) {
        char path[96];
        for (size_t f = 0; f < sizeof files / sizeof *files; f++) {
            snprintf(path, sizeof path, "/sys/bus/pci/devices/%s/%s", d.tables[i].device, files[f]);
            add_file(g, path);
        }
        snprintf(path, sizeof path, "/sys/bus/pci/devices/%s/config", d.tables[i].device);
        add_config(g, path, d.tables[i].cap);
        snprintf(path, sizeof path, "/sys/bus/pci/devices/%s/resource%u", d.tables[i].device,
                 d.tables[i].resource);
        begin_file(g, path);
        bx_discovery_each_word(g->root, &d.tables[i], add_word, (void *)(uintptr_t)g);
    }
}

/* ---- registers ---- */

/* A device file in the archive. It begins with the first register that can be read. */
typedef struct section {
    char path[64];
    bool begun;
} section;

static void add_one(const gatherer *g, struct bx_bus *bus, section *s, const bx_allowed *r,
                    const bx_address *at)
{
    uint64_t value, offset = at->space == BX_SPACE_PCI ? at->offset & 0xfff : at->offset;
    int err = r->write_only ? 0 : bus->read(bus, at, &value);
    g->to->failed |= err == ENOMEM;
    if (err)
        bx_buf_f(g->to, "# %s 0x%" PRIx64 " cannot be read: %s\n", s->path, offset, strerror(err));
    if (err || r->write_only)
        return;
    if (!s->begun)
        begin_file(g, s->path);
    s->begun = true;
    bx_buf_f(g->to, "= %u 0x%" PRIx64 " 0x%" PRIx64 "\n", at->width / 8u, offset, value);
}

/* Adds the MSRs of one CPU. */
static void add_msrs(const gatherer *g, const bx_host *h, const bx_allow *a, unsigned cpu)
{
    section s = {.begun = false};
    snprintf(s.path, sizeof s.path, "/dev/cpu/%u/msr", h->cpus->logical[cpu]);
    for (size_t i = 0; i < a->n; i++) {
        const bx_address at = {.width = 64, .cpu = (uint16_t)cpu, .offset = a->list[i].offset};
        if (a->list[i].space == BX_SPACE_MSR)
            add_one(g, h->bus, &s, &a->list[i], &at);
    }
}

/* Adds a package's PCI functions, each as a file, and with package 0 memory and what all share. The
 * allow-list is sorted by address. */
static void add_others(const gatherer *g, const bx_host *h, const bx_allow *a, unsigned package)
{
    section s = {.begun = false};
    for (size_t i = 0; i < a->n; i++) {
        const bx_allowed *r = &a->list[i];
        const bx_address at = {.space = r->space, .width = r->width, .offset = r->offset};
        char path[sizeof s.path] = "/dev/mem";
        if (r->space == BX_SPACE_MSR || (r->package == BX_ANY_PACKAGE ? 0 : r->package) != package)
            continue;
        if (r->space == BX_SPACE_PCI)
            snprintf(path, sizeof path, "/sys/bus/pci/devices/0000:%02x:%02x.%x/config",
                     (unsigned)(r->offset >> 20 & 0xff), (unsigned)(r->offset >> 15 & 31),
                     (unsigned)(r->offset >> 12 & 7));
        if (strcmp(path, s.path) != 0) {
            memcpy(s.path, path, sizeof path);
            s.begun = false;
        }
        add_one(g, h->bus, &s, r, &at);
    }
}

static bool add_registers(const gatherer *g, const bx_host *h)
{
    bx_allow a;
    if (!bx_allow_new(&a, &h->topology, h->bus))
        return false;
    for (unsigned cpu = 0; cpu < h->cpus->packages * h->cpus->cores; cpu++)
        if (h->cpus->logical[cpu] != BX_NO_CPU)
            add_msrs(g, h, &a, cpu);
    for (unsigned package = 0; package < h->topology.packages; package++)
        add_others(g, h, &a, package);
    bx_allow_free(&a);
    return true;
}

/* ---- all of it ---- */

static void add_head(const gatherer *g, const char *findings)
{
    bx_buf_z(
        g->to,
        "# boxscore machine 1\n"
        "# by boxscore " BX_VERSION "\n"
        "# What counting needs to know of a machine: its first CPU, where its CPUs sit, the\n"
        "# kernel's version and PMUs, modules that have to do with counters, the discovery\n"
        "# tables of its uncore, and the contents of its monitoring registers. No names of the "
        "machine or of people, no serial\n"
        "# numbers, processes, environment or addresses of the kernel.\n"
        "# '>' begins a file, '|' is a line of it, '=' bytes, offset and value of a register.\n");
    for (bx_str rest = bx_str_of(findings); rest.p && rest.n;) {
        bx_buf_z(g->to, "# ");
        bx_buf_str(g->to, bx_str_cut(&rest, '\n'));
        bx_buf_z(g->to, "\n");
    }
}

int bx_archive_gather(const bx_catalog *c, const char *root, const char *findings, bx_buf *to,
                      bx_error *e)
{
    static const char *const files[] = {
        "/proc/sys/kernel/osrelease",      "/proc/sys/kernel/perf_event_paranoid",
        "/proc/sys/kernel/nmi_watchdog",   "/sys/kernel/security/lockdown",
        "/sys/devices/system/cpu/online",  "/sys/devices/system/cpu/possible",
        "/sys/devices/system/cpu/present", "/sys/devices/system/cpu/offline",
    };
    const gatherer g = {.root = root, .to = to, .bytes = malloc(LARGEST_FILE)};
    bx_host h = {0};
    bool whole = g.bytes;
    if (whole) {
        add_head(&g, findings);
        for (size_t i = 0; i < sizeof files / sizeof *files; i++)
            add_file(&g, files[i]);
        add_cpuinfo(&g);
        add_modules(&g);
        each_in(&g, "/sys/devices/system/cpu", add_topology);
        each_in(&g, "/sys/bus/event_source/devices", add_pmu);
        add_discovery(&g);
    }
    const bx_machine_options o = {.size = sizeof o, .root = root, .driver = BX_DRIVER_REGISTERS};
    bx_error none = {0};
    if (whole && bx_host_open(c, &o, &h, &none) == BX_OK) {
        whole = !h.bus || add_registers(&g, &h);
        if (h.bus)
            h.bus->close(h.bus);
        bx_host_close(&h);
    } else if (whole) {
        whole = none.code != BX_NO_MEMORY;
        bx_buf_f(to, "# no registers: %s\n", none.message);
    }
    free(g.bytes);
    return whole && !to->failed ? BX_OK : bx_out_of_memory(e);
}

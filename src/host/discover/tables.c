/* Implements tables.h. */
#include "host/discover/tables.h"

#include "host/perf/stand_ins.h"
#include "host/system/file.h"

#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

enum {
    CONFIG_FIRST = 0x100, /* extended capabilities of PCI Express */
    CONFIG_END = 0x1000,
    CAPABILITY = 0x23, /* DVSEC: designated, vendor-specific */
    COUNTERS = 1,      /* the entry of it that is about counters */
    INTEL = 0x8086,
    DEVICE = 0x09a7, /* has the table on Sapphire Rapids and later */
    ENTRY_WORDS = 3,
};

/* ---- a table ---- */

static unsigned bits(uint64_t word, unsigned first, unsigned n)
{
    return (unsigned)(word >> first & ((UINT64_C(1) << n) - 1));
}

/* The place of the type, by order; NULL: there are too many. */
static bx_discovered *kind_of(bx_discovery *d, unsigned type)
{
    size_t at = 0;
    while (at < d->kinds_n && d->kinds[at].type < type)
        at++;
    if (at < d->kinds_n && d->kinds[at].type == type)
        return &d->kinds[at];
    if (d->kinds_n == BX_DISCOVERED_KINDS)
        return NULL;
    memmove(&d->kinds[at + 1], &d->kinds[at], (d->kinds_n - at) * sizeof *d->kinds);
    d->kinds_n++;
    d->kinds[at] = (bx_discovered){.type = (uint16_t)type};
    return &d->kinds[at];
}

/* Linux leaves out the same entries (uncore_discovery_invalid_unit). */
static bool is_unit(const uint64_t word[ENTRY_WORDS])
{
    return word[0] && word[1] && ~word[0] && ~word[1] && ~word[2];
}

/* Reads an entry. false: it is no unit. */
static bool read_unit(const bx_discovery_table *table, unsigned i, bx_discovery_word *word,
                      void *context, uint64_t to[ENTRY_WORDS])
{
    for (unsigned w = 0; w < ENTRY_WORDS; w++)
        if (!word(context, (size_t)i * table->stride + w, &to[w]))
            return false;
    return is_unit(to);
}

/* Another table has the units of another package. */
static void merge(bx_discovery *to, const bx_discovery *one)
{
    for (size_t i = 0; i < one->kinds_n; i++) {
        bx_discovered *kind = kind_of(to, one->kinds[i].type);
        if (kind && !kind->units)
            *kind = one->kinds[i];
        else if (kind && kind->units < one->kinds[i].units)
            kind->units = one->kinds[i].units;
    }
}

bool bx_discovery_add(bx_discovery *to, bx_discovery_table *table, bx_discovery_word *word,
                      void *context)
{
    uint64_t head, entry[ENTRY_WORDS];
    bx_discovery one = {.kinds_n = 0};
    if (!word(context, 0, &head) || !head || !~head || bits(head, 8, 8) < ENTRY_WORDS)
        return false;
    table->stride = bits(head, 8, 8);
    table->entries = 1 + bits(head, 16, 10);
    for (unsigned i = 1; i < table->entries; i++) {
        bool any = read_unit(table, i, word, context, entry);
        bx_discovered *kind = any ? kind_of(&one, bits(entry[2], 0, 16)) : NULL;
        if (kind && !kind->units)
            *kind = (bx_discovered){.type = kind->type,
                                    .access = (uint8_t)bits(entry[0], 62, 2),
                                    .counters = (uint8_t)bits(entry[0], 0, 8),
                                    .bits = (uint8_t)bits(entry[0], 16, 8),
                                    .control = entry[1]};
        if (kind)
            kind->units++;
    }
    merge(to, &one);
    return true;
}

const char *bx_discovered_name(unsigned type)
{
    return bx_perf_unit_of_type(type);
}

const char *bx_discovered_access_name(unsigned access)
{
    static const char *const names[] = {"MSR", "MMIO", "PCI"};
    return access < sizeof names / sizeof *names ? names[access] : "unknown";
}

/* ---- a device ---- */

static bool read_config(int fd, unsigned offset, uint32_t *value)
{
    return pread(fd, value, sizeof *value, offset) == (ssize_t)sizeof *value;
}

/* Finds the capability that names the resource with the table. */
static bool find_capability(int fd, bx_discovery_table *to)
{
    uint32_t head, what, where;
    unsigned at = CONFIG_FIRST, most = (CONFIG_END - CONFIG_FIRST) / 4;
    for (; at >= CONFIG_FIRST && most-- && read_config(fd, at, &head) && head && ~head;
         at = head >> 20 & 0xffc) {
        if ((head & 0xffff) != CAPABILITY || !read_config(fd, at + 8, &what) ||
            (what & 0xffff) != COUNTERS || !read_config(fd, at + 12, &where) || where > 5)
            continue;
        to->cap = at;
        to->resource = where;
        return true;
    }
    return false;
}

/* A resource of a device, as memory. */
typedef struct resource {
    const volatile uint64_t *words;
    size_t bytes;
} resource;

static bool word_of(void *context, size_t i, uint64_t *value)
{
    const resource *r = context;
    if (i >= r->bytes / sizeof *r->words)
        return false;
    *value = r->words[i];
    return true;
}

/* A real resource can only be mapped, not read; it is as large as its file says. */
static bool open_resource_of(const char *root, const bx_discovery_table *table, resource *to)
{
    char path[96];
    struct stat s;
    snprintf(path, sizeof path, "/sys/bus/pci/devices/%s/resource%u", table->device,
             table->resource);
    int fd = bx_file_open(root, path, O_RDONLY);
    bool fine = fd >= 0 && fstat(fd, &s) == 0 && s.st_size > 0;
    size_t most = (size_t)(1 + 1023) * 255 * sizeof(uint64_t);
    to->bytes = fine ? (size_t)s.st_size < most ? (size_t)s.st_size : most : 0;
    void *memory = fine ? mmap(NULL, to->bytes, PROT_READ, MAP_SHARED, fd, 0) : MAP_FAILED;
    if (fd >= 0)
        close(fd);
    to->words = memory == MAP_FAILED ? NULL : memory;
    return to->words;
}

static void close_resource(const resource *r)
{
    munmap((void *)(uintptr_t)r->words, r->bytes);
}

static bool read_table(const char *root, bx_discovery *to, bx_discovery_table *table)
{
    resource r;
    if (!open_resource_of(root, table, &r))
        return false;
    bool fine = bx_discovery_add(to, table, word_of, &r);
    close_resource(&r);
    return fine;
}

void bx_discovery_each_word(const char *root, const bx_discovery_table *table,
                            void (*each)(void *context, size_t i, uint64_t value), void *context)
{
    resource r;
    uint64_t value;
    if (!open_resource_of(root, table, &r))
        return;
    for (unsigned entry = 0; entry < table->entries; entry++)
        for (unsigned w = 0; w < ENTRY_WORDS; w++)
            if (word_of(&r, (size_t)entry * table->stride + w, &value))
                each(context, (size_t)entry * table->stride + w, value);
    close_resource(&r);
}

static void read_device(const char *root, const char *name, bx_discovery *to)
{
    char path[96];
    uint32_t id = 0;
    bx_discovery_table table = {.cap = 0};
    snprintf(table.device, sizeof table.device, "%.31s", name);
    snprintf(path, sizeof path, "/sys/bus/pci/devices/%s/config", table.device);
    int fd = bx_file_open(root, path, O_RDONLY);
    if (fd < 0)
        return;
    bool intel = read_config(fd, 0, &id) && (id & 0xffff) == INTEL;
    bool found = intel && find_capability(fd, &table);
    close(fd);
    if (found && to->tables_n < BX_DISCOVERY_TABLES && read_table(root, to, &table))
        to->tables[to->tables_n++] = table;
    else if (found || (intel && id >> 16 == DEVICE))
        to->unreadable++;
}

void bx_discovery_read(const char *root, bx_discovery *to)
{
    struct dirent **devices = NULL;
    char folder[PATH_MAX];
    *to = (bx_discovery){.tables_n = 0};
    int n = snprintf(folder, sizeof folder, "%s/sys/bus/pci/devices", root);
    n = n > 0 && (size_t)n < sizeof folder ? scandir(folder, &devices, NULL, alphasort) : 0;
    for (int i = 0; i < n; i++) {
        if (*devices[i]->d_name != '.')
            read_device(root, devices[i]->d_name, to);
        free(devices[i]);
    }
    free(devices);
}

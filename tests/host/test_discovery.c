/* Discovery tables: read, listed, gathered, and read again; and what is no table. */
#include "../cmocked.h"

#include "host/discover/tables.h"
#include "host/folder.h"
#include "host/gather/archive.h"

#include <boxscore/boxscore.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* One entry: uncore_discovery.h, struct uncore_unit_discovery. */
#define ENTRY(counters, bits, access) ((uint64_t)(access) << 62 | (bits) << 16 | (counters))

enum { STRIDE = 4 };

static const uint64_t units[][3] = {
    {ENTRY(4, 48, BX_DISCOVERED_MSR), 0x2000, 0},
    {ENTRY(4, 48, BX_DISCOVERED_MSR), 0x2010, 0 | 1 << 16},
    {ENTRY(4, 48, BX_DISCOVERED_MMIO), 0x90022800, 6},
    {ENTRY(2, 40, BX_DISCOVERED_PCI), 0xfe60438, 19},
    {~UINT64_C(0), ~UINT64_C(0), ~UINT64_C(0)}, /* none: Linux leaves both out, too */
    {ENTRY(4, 48, BX_DISCOVERED_MSR), 0, 3},
};
enum { UNITS = sizeof units / sizeof *units };

static void put_config(const folder *f, const char *device, unsigned offset, uint32_t value)
{
    char path[96];
    snprintf(path, sizeof path, "/sys/bus/pci/devices/%s/config", device);
    folder_put(f, path, offset, &value, sizeof value);
}

/* A device whose second capability names resource 2 as the table. */
static void put_device(const folder *f, const char *device, size_t first, size_t n)
{
    char path[96];
    snprintf(path, sizeof path, "/sys/bus/pci/devices/%s/vendor", device);
    folder_text(f, path, "0x8086\n");
    put_config(f, device, 0, 0x09a78086);
    put_config(f, device, 0x100, 0x14010001); /* another capability; the next is at 140H */
    put_config(f, device, 0x140, 0x00010023);
    put_config(f, device, 0x148, 1);
    put_config(f, device, 0x14c, 2);
    snprintf(path, sizeof path, "/sys/bus/pci/devices/%s/resource2", device);
    uint64_t head = 4 | STRIDE << 8 | (uint64_t)n << 16;
    folder_put(f, path, 0, &head, sizeof head);
    for (size_t i = 0; i < n; i++)
        folder_put(f, path, (i + 1) * STRIDE * sizeof head, units[first + i], sizeof *units);
}

static void check(const bx_discovery *d)
{
    static const bx_discovered expected[] = {
        {.type = 0,
         .access = BX_DISCOVERED_MSR,
         .counters = 4,
         .bits = 48,
         .units = 2,
         .control = 0x2000},
        {.type = 6,
         .access = BX_DISCOVERED_MMIO,
         .counters = 4,
         .bits = 48,
         .units = 1,
         .control = 0x90022800},
        {.type = 19,
         .access = BX_DISCOVERED_PCI,
         .counters = 2,
         .bits = 40,
         .units = 1,
         .control = 0xfe60438},
    };
    assert_int_equal(d->tables_n, 2);
    assert_string_equal(d->tables[0].device, "0000:7e:00.3");
    assert_int_equal(d->tables[0].resource, 2);
    assert_int_equal(d->kinds_n, 3);
    assert_int_equal(d->unreadable, 0);
    for (size_t i = 0; i < 3; i++) {
        assert_int_equal(d->kinds[i].type, expected[i].type);
        assert_int_equal(d->kinds[i].access, expected[i].access);
        assert_int_equal(d->kinds[i].counters, expected[i].counters);
        assert_int_equal(d->kinds[i].bits, expected[i].bits);
        assert_int_equal(d->kinds[i].units, expected[i].units);
        assert_int_equal(d->kinds[i].control, expected[i].control);
    }
}

/* The second package has fewer units that can be used. */
static folder two_packages(void)
{
    folder f = folder_new();
    folder_text(&f, "/proc/cpuinfo", "vendor_id\t: GenuineIntel\ncpu family\t: 6\nmodel\t: 143\n");
    folder_text(&f, "/sys/devices/system/cpu/online", "0-1\n");
    put_device(&f, "0000:fe:00.3", 1, 3);
    put_device(&f, "0000:7e:00.3", 0, UNITS);
    return f;
}

static void read_and_gathered(void **state)
{
    (void)state;
    folder f = two_packages();
    bx_discovery d;
    bx_discovery_read(f.root, &d);
    check(&d);
    assert_string_equal(bx_discovered_name(6), "imc");
    assert_null(bx_discovered_name(19));
    char path[256], *root = NULL;
    bx_buf text = {0};
    bx_error e = {0};
    assert_int_equal(bx_archive_gather(bx_catalog_builtin(), f.root, "", &text, &e), BX_OK);
    snprintf(path, sizeof path, "%s/gathered", f.root);
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fwrite(text.p, 1, text.n, file);
    fclose(file);
    bx_buf_free(&text);
    if (bx_archive_unpack(path, &root, &e) != BX_OK)
        fail_msg("%s", e.message);
    bx_discovery_read(root, &d);
    check(&d);
    bx_archive_remove(root);
    free(root);
    folder_end(&f);
}

static void what_is_no_table(void **state)
{
    (void)state;
    static const struct {
        const char *what;
        unsigned config;
        uint32_t value;
        uint64_t head;
        unsigned unreadable;
    } of[] = {
        {"another maker's", 0, 0x09a71022, 4 | STRIDE << 8 | 6 << 16, 0},
        {"another capability", 0x148, 2, 4 | STRIDE << 8 | 6 << 16, 1},
        {"a resource that no device has", 0x14c, 6, 4 | STRIDE << 8 | 6 << 16, 1},
        {"a chain without an end", 0x140, 0x10010001, 4 | STRIDE << 8 | 6 << 16, 1},
        {"entries that are too short", 0x20, 0, 4 | 2 << 8 | 6 << 16, 1},
        {"no memory behind it", 0x20, 0, ~UINT64_C(0), 1},
        {"nothing", 0x20, 0, 0, 1},
    };
    for (size_t i = 0; i < sizeof of / sizeof *of; i++) {
        folder f = folder_new();
        bx_discovery d;
        put_device(&f, "0000:7e:00.3", 0, UNITS);
        put_config(&f, "0000:7e:00.3", of[i].config, of[i].value);
        folder_put(&f, "/sys/bus/pci/devices/0000:7e:00.3/resource2", 0, &of[i].head,
                   sizeof of[i].head);
        bx_discovery_read(f.root, &d);
        if (d.tables_n || d.kinds_n || d.unreadable != of[i].unreadable)
            fail_msg("%s: %zu tables, %u unreadable", of[i].what, d.tables_n, d.unreadable);
        folder_end(&f);
    }
    folder f = folder_new(); /* a table that says more than there is */
    bx_discovery d;
    put_device(&f, "0000:7e:00.3", 0, 2);
    uint64_t head = 4 | STRIDE << 8 | UINT64_C(1023) << 16;
    folder_put(&f, "/sys/bus/pci/devices/0000:7e:00.3/resource2", 0, &head, sizeof head);
    bx_discovery_read(f.root, &d);
    assert_int_equal(d.kinds_n, 1);
    assert_int_equal(d.kinds[0].units, 2);
    folder_end(&f);
    bx_discovery_read("/nonexistent", &d);
    assert_int_equal(d.tables_n + d.unreadable, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(read_and_gathered),
        cmocka_unit_test(what_is_no_table),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

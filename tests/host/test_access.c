/* The bus to real registers: file, offset and width of each access, and its errors. */
#include "../cmocked.h"

#include "host/folder.h"
#include "host/bus/registers.h"
#include "catalog/catalog.h"

#include <errno.h>

/* Two packages of one core each, whose logical CPUs are 0 and 3. */
static const uint16_t logical[] = {0, 3};
static const bx_cpus cpus = {.packages = 2, .cores = 1, .logical = logical};

static struct bx_bus *opened(const folder *f)
{
    struct bx_bus *bus = bx_registers_open(f->root, &cpus);
    assert_non_null(bus);
    return bus;
}

static uint64_t pci(unsigned bus, unsigned device, unsigned function, unsigned reg)
{
    return (uint64_t)bus << 20 | device << 15 | function << 12 | reg;
}

static int read_at(struct bx_bus *bus, unsigned space, unsigned width, unsigned cpu,
                   uint64_t offset, uint64_t *value)
{
    const bx_address at = {
        .space = (uint8_t)space, .width = (uint8_t)width, .cpu = (uint16_t)cpu, .offset = offset};
    return bus->read(bus, &at, value);
}

static int write_at(struct bx_bus *bus, unsigned space, unsigned width, unsigned cpu,
                    uint64_t offset, uint64_t value)
{
    const bx_address at = {
        .space = (uint8_t)space, .width = (uint8_t)width, .cpu = (uint16_t)cpu, .offset = offset};
    return bus->write(bus, &at, value);
}

static void msrs_of_each_cpu(void **state)
{
    (void)state;
    folder f = folder_new();
    folder_msr(&f, 0, 0x700, 0x408834);
    folder_msr(&f, 3, 0x700, 0x1122334455667788);
    struct bx_bus *bus = opened(&f);
    uint64_t value = 0;
    assert_int_equal(read_at(bus, BX_SPACE_MSR, 64, 0, 0x700, &value), 0);
    assert_int_equal(value, 0x408834);
    assert_int_equal(read_at(bus, BX_SPACE_MSR, 64, 1, 0x700, &value), 0);
    assert_int_equal(value, 0x1122334455667788);
    assert_int_equal(write_at(bus, BX_SPACE_MSR, 64, 1, 0xe01, 0xf0000000000000ff), 0);
    assert_int_equal(folder_get(&f, "/dev/cpu/3/msr", 0xe01), 0xf0000000000000ff);
    bus->close(bus);
    folder_end(&f);
}

static void what_is_not_there(void **state)
{
    (void)state;
    folder f = folder_new();
    folder_msr(&f, 0, 0x700, 1);
    folder_text(&f, "/sys/bus/pci/devices/0000:00:00.0/config", "short");
    struct bx_bus *bus = opened(&f);
    uint64_t value = 42;
    assert_int_equal(read_at(bus, BX_SPACE_MSR, 64, 2, 0x700, &value), ENXIO);
    assert_int_equal(read_at(bus, BX_SPACE_MSR, 64, 1, 0x700, &value), ENOENT);
    assert_int_equal(read_at(bus, BX_SPACE_MSR, 64, 0, 0x10000, &value), EACCES); /* past its end */
    assert_int_equal(read_at(bus, BX_SPACE_PCI, 32, 0, pci(0, 31, 7, 0), &value), ENXIO);
    assert_int_equal(read_at(bus, BX_SPACE_PCI, 32, 0, pci(0, 0, 0, 4), &value), EACCES);
    assert_int_equal(read_at(bus, BX_SPACE_PCI, 24, 0, pci(0, 0, 0, 0), &value), EINVAL);
    assert_int_equal(read_at(bus, BX_SPACE_MMIO, 32, 0, 0xfed15040, &value), ENOENT);
    assert_int_equal(write_at(bus, BX_SPACE_MMIO, 32, 0, 0xfed15040, 1), ENOENT);
    assert_int_equal(value, 42);
    bus->close(bus);
    folder_end(&f);
}

static void configuration_space(void **state)
{
    (void)state;
    static const uint8_t host[] = {0x86, 0x80, 0x1f, 0x19};
    static const uint8_t other[] = {1, 2, 3, 4, 5, 6, 7, 8};
    folder f = folder_new();
    folder_put(&f, "/sys/bus/pci/devices/0000:00:00.0/config", 0, host, sizeof host);
    folder_put(&f, "/proc/bus/pci/ff/13.1", 0x100, other, sizeof other); /* not in sysfs */
    struct bx_bus *bus = opened(&f);
    uint64_t value = 0;
    assert_int_equal(read_at(bus, BX_SPACE_PCI, 32, 0, pci(0, 0, 0, 0), &value), 0);
    assert_int_equal(value, 0x191f8086);
    assert_int_equal(read_at(bus, BX_SPACE_PCI, 16, 0, pci(0, 0, 0, 2), &value), 0);
    assert_int_equal(value, 0x191f);
    assert_int_equal(read_at(bus, BX_SPACE_PCI, 64, 0, pci(255, 0x13, 1, 0x100), &value), 0);
    assert_int_equal(value, 0x0807060504030201);
    assert_int_equal(write_at(bus, BX_SPACE_PCI, 8, 0, pci(255, 0x13, 1, 0x101), 0xaa), 0);
    assert_int_equal(folder_get(&f, "/proc/bus/pci/ff/13.1", 0x100), 0x080706050403aa01);
    bus->close(bus);
    folder_end(&f);
}

static void memory(void **state)
{
    (void)state;
    const uint64_t there = 0x99887766554433ff;
    folder f = folder_new();
    folder_put(&f, "/dev/mem", 0xfed15050, &there, sizeof there);
    struct bx_bus *bus = opened(&f);
    uint64_t value = 0;
    assert_int_equal(read_at(bus, BX_SPACE_MMIO, 32, 0, 0xfed15050, &value), 0);
    assert_int_equal(value, 0x554433ff);
    assert_int_equal(read_at(bus, BX_SPACE_MMIO, 64, 1, 0xfed15050, &value), 0);
    assert_int_equal(value, there);
    assert_int_equal(write_at(bus, BX_SPACE_MMIO, 16, 0, 0xfed15052, 0xabcd), 0);
    assert_int_equal(folder_get(&f, "/dev/mem", 0xfed15050), 0x99887766abcd33ff);
    bus->close(bus);
    folder_end(&f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(msrs_of_each_cpu),
        cmocka_unit_test(what_is_not_there),
        cmocka_unit_test(configuration_space),
        cmocka_unit_test(memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

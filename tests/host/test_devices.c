/* Which file a register is accessed through, and errors if files are not as expected. */
#include "../cmocked.h"

#include "host/folder.h"
#include "host/bus/registers.h"
#include "catalog/catalog.h"

#include <errno.h>
#include <stdio.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

static const uint16_t logical[] = {0, 2};
static const bx_cpus one = {.packages = 1, .cores = 2, .logical = logical};

static bx_address msr(unsigned cpu, uint64_t number)
{
    return (bx_address){.width = 64, .cpu = (uint16_t)cpu, .offset = number};
}

/* The driver uses the low 32 bits of the offset as the number (Linux, arch/x86/kernel/msr.c). */
static void numbers_of_32_bits(void **state)
{
    (void)state;
    folder f = folder_new();
    folder_msr(&f, 0, 0x700, 1);
    struct bx_bus *bus = bx_registers_open(f.root, &one);
    const bx_address at = msr(0, 0x100000700);
    uint64_t value;
    assert_int_equal(bus->read(bus, &at, &value), EINVAL);
    assert_int_equal(bus->write(bus, &at, 0), EINVAL);
    bus->close(bus);
    folder_end(&f);
}

static void msr_safe_of_a_cpu(void **state)
{
    (void)state;
    const uint64_t there = 0x1234;
    uint64_t value;
    folder f = folder_new();
    folder_put(&f, "/dev/cpu/0/msr_safe", 0x700, &there, sizeof there);
    struct bx_bus *bus = bx_registers_open(f.root, &one);
    const bx_address at = msr(0, 0x700), other = msr(1, 0x700);
    assert_int_equal(bus->read(bus, &at, &value), 0);
    assert_int_equal(value, there);
    assert_int_equal(bus->read(bus, &other, &value), ENOENT);
    bus->close(bus);
    folder_end(&f);
}

static void memory_of_a_device(void **state)
{
    (void)state;
    static const char resource[] = "0x0000000000000000 0x0000000000000000 0x0000000000000000\n"
                                   "0x00000000fed10000 0x00000000fed17fff 0x0000000000040200\n"
                                   "0x000000000000f000 0x000000000000f03f 0x0000000000040101\n";
    const uint64_t there = 0x99887766554433ff, last = 5, elsewhere = 7;
    uint64_t value;
    folder f = folder_new();
    folder_text(&f, "/sys/bus/pci/devices/0000:00:02.0/resource", "nonsense\n\n0x1\n");
    folder_text(&f, "/sys/bus/pci/devices/0000:00:1f.0/resource", resource);
    folder_put(&f, "/sys/bus/pci/devices/0000:00:1f.0/resource1", 0x5050, &there, sizeof there);
    folder_put(&f, "/sys/bus/pci/devices/0000:00:1f.0/resource1", 0x7ff8, &last, sizeof last);
    struct bx_bus *bus = bx_registers_open(f.root, &one);
    bx_address at = {.space = BX_SPACE_MMIO, .width = 64, .offset = 0xfed15050};
    assert_int_equal(bus->read(bus, &at, &value), 0);
    assert_int_equal(value, there);
    at.width = 16;
    assert_int_equal(bus->write(bus, &at, 0xabcd), 0);
    assert_int_equal(folder_get(&f, "/sys/bus/pci/devices/0000:00:1f.0/resource1", 0x5050),
                     0x998877665544abcd);
    at = (bx_address){.space = BX_SPACE_MMIO, .width = 32, .offset = 0xfed18000};
    assert_int_equal(bus->read(bus, &at, &value),
                     ENOENT); /* neither a device nor /dev/mem has it */
    at.offset = 0xf000;       /* I/O ports are not memory */
    assert_int_equal(bus->read(bus, &at, &value), ENOENT);
    folder_put(&f, "/dev/mem", 0xfed19000, &elsewhere, sizeof elsewhere);
    at.offset = 0xfed19000;
    assert_int_equal(bus->read(bus, &at, &value), 0);
    assert_int_equal(value, elsewhere);
    bus->close(bus);
    folder_end(&f);
}

/* A file shorter than its resource: an access past its end would kill the process (SIGBUS). */
static void a_file_that_is_too_short(void **state)
{
    (void)state;
    const uint64_t there = 5;
    uint64_t value;
    folder f = folder_new();
    folder_text(&f, "/sys/bus/pci/devices/0000:00:1f.0/resource",
                "0x00000000fed10000 0x00000000fed17fff 0x0000000000040200\n");
    folder_put(&f, "/sys/bus/pci/devices/0000:00:1f.0/resource0", 0xff8, &there, sizeof there);
    struct bx_bus *bus = bx_registers_open(f.root, &one);
    bx_address at = {.space = BX_SPACE_MMIO, .width = 64, .offset = 0xfed10ff8};
    assert_int_equal(bus->read(bus, &at, &value), 0);
    assert_int_equal(value, there);
    at.offset = 0xfed11000;
    assert_int_equal(bus->read(bus, &at, &value), ENOENT);
    assert_int_equal(bus->write(bus, &at, 0), ENOENT);
    bus->close(bus);
    folder_end(&f);
}

/* Addresses have no bits for a domain; larger addresses are not taken for domain 0. */
static void domains(void **state)
{
    (void)state;
    const uint32_t word = 77;
    uint64_t value;
    folder f = folder_new();
    folder_put(&f, "/sys/bus/pci/devices/0000:ff:0b.3/config", 0x40, &word, sizeof word);
    struct bx_bus *bus = bx_registers_open(f.root, &one);
    bx_address at = {
        .space = BX_SPACE_PCI, .width = 32, .offset = 0xffu << 20 | 0xb << 15 | 3 << 12 | 0x40};
    assert_int_equal(bus->read(bus, &at, &value), 0);
    assert_int_equal(value, word);
    at.offset |= 1u << 28;
    assert_int_equal(bus->read(bus, &at, &value), ENXIO);
    assert_int_equal(bus->write(bus, &at, 1), ENXIO);
    bus->close(bus);
    folder_end(&f);
}

/* A read-only device can be read, but a write changes nothing. Root could write everything, so the
 * test runs as nobody. */
static void read_only(void **state)
{
    (void)state;
    folder f = folder_new();
    const uint32_t word = 77;
    char path[128];
    folder_msr(&f, 0, 0x708, 0x1234);
    int status = 0;
    folder_put(&f, "/sys/bus/pci/devices/0000:00:00.0/config", 0, &word, sizeof word);
    assert_int_equal(chmod(f.root, 0755), 0);
    snprintf(path, sizeof path, "%s/dev/cpu/0/msr", f.root);
    assert_int_equal(chmod(path, 0444), 0);
    snprintf(path, sizeof path, "%s/sys/bus/pci/devices/0000:00:00.0/config", f.root);
    assert_int_equal(chmod(path, 0444), 0);
    pid_t child = fork();
    if (child == 0) {
        const bx_address at = msr(0, 0x708), pci = {.space = BX_SPACE_PCI, .width = 32};
        uint64_t value = 0;
        if (getuid() == 0 && setuid(65534))
            _exit(1);
        struct bx_bus *bus = bx_registers_open(f.root, &one);
        bool fine = bus->read(bus, &at, &value) == 0 && value == 0x1234 &&
                    bus->write(bus, &at, 1) == EROFS && bus->read(bus, &pci, &value) == 0 &&
                    value == word && bus->write(bus, &pci, 1) == EROFS;
        bus->close(bus);
        _exit(fine ? 0 : 2);
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, 0);
    folder_end(&f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(numbers_of_32_bits),
        cmocka_unit_test(msr_safe_of_a_cpu),
        cmocka_unit_test(memory_of_a_device),
        cmocka_unit_test(a_file_that_is_too_short),
        cmocka_unit_test(domains),
        cmocka_unit_test(read_only),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

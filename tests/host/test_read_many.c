/* Reads of many registers at once: by one thread per package, by msr-safe's batch, or singly, with
 * the same values and errors. */
#include "../cmocked.h"

#include "host/folder.h"
#include "host/bus/registers.h"
#include "catalog/catalog.h"

#include <errno.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* Three packages of two cores; the last core of package 1 is offline. */
static const uint16_t logical[] = {0, 2, 1, BX_NO_CPU, 4, 6};
static const bx_cpus three = {.packages = 3, .cores = 2, .logical = logical};
static const bx_cpus one = {.packages = 1, .cores = 2, .logical = logical};

static bx_address msr(unsigned cpu, uint64_t number)
{
    return (bx_address){.width = 64, .cpu = (uint16_t)cpu, .offset = number};
}

static folder machine(void)
{
    static const uint16_t online[] = {0, 1, 2, 4, 6};
    folder f = folder_new();
    for (size_t i = 0; i < sizeof online / sizeof *online; i++)
        for (uint32_t number = 0x700; number <= 0x740; number += 8)
            folder_msr(&f, online[i], number, (uint64_t)online[i] << 32 | number);
    return f;
}

static uint64_t expected(const bx_address *at)
{
    return (uint64_t)logical[at->cpu] << 32 | at->offset;
}

static size_t all_of(bx_address *at, const bx_cpus *cpus)
{
    size_t n = 0;
    for (uint64_t number = 0x700; number <= 0x740; number += 8)
        for (unsigned cpu = 0; cpu < cpus->packages * cpus->cores; cpu++)
            if (logical[cpu] != BX_NO_CPU)
                at[n++] = msr(cpu, number);
    return n;
}

static void each_package_by_a_thread(void **state)
{
    (void)state;
    bx_address at[64];
    uint64_t values[64];
    int err = 0;
    folder f = machine();
    struct bx_bus *bus = bx_registers_open(f.root, &three);
    assert_non_null(bus->read_many);
    size_t n = all_of(at, &three);
    assert_int_equal(n, 45);
    for (unsigned round = 0; round < 200; round++) {
        memset(values, 0, sizeof values);
        assert_int_equal(bus->read_many(bus, at, values, n, &err), n);
        for (size_t i = 0; i < n; i++)
            assert_int_equal(values[i], expected(&at[i]));
    }
    bus->close(bus);
    folder_end(&f);
}

/* The first error in the list is reported, no matter which thread met it. The values before it are
 * valid. */
static void the_first_error(void **state)
{
    (void)state;
    folder f = machine();
    const uint32_t words[] = {1, 2, 3, 4};
    folder_put(&f, "/sys/bus/pci/devices/0000:00:00.0/config", 0, words, sizeof words);
    struct bx_bus *bus = bx_registers_open(f.root, &three);
    const bx_address at[] = {
        msr(4, 0x700),   {.space = BX_SPACE_PCI, .width = 32, .offset = 8},
        msr(0, 0x708),   msr(3, 0x700), /* offline */
        msr(0, 0x10000),                /* beyond the file */
        msr(9, 0x700),                  /* no such CPU */
    };
    uint64_t values[6] = {0};
    int err = 0;
    assert_int_equal(bus->read_many(bus, at, values, 6, &err), 3);
    assert_int_equal(err, ENXIO);
    assert_int_equal(values[0], expected(&at[0]));
    assert_int_equal(values[1], 3);
    assert_int_equal(values[2], expected(&at[2]));
    assert_int_equal(bus->read_many(bus, at + 4, values, 2, &err), 0);
    assert_int_equal(err, EACCES);
    assert_int_equal(bus->read_many(bus, at + 5, values, 1, &err), 0);
    assert_int_equal(err, ENXIO);
    assert_int_equal(bus->read_many(bus, at, values, 0, &err), 0);
    bus->close(bus);
    folder_end(&f);
}

/* The calling thread reads the registers of its own package. The CPU of the first register may
 * change each time, and may not exist. */
static void wherever_we_are(void **state)
{
    (void)state;
    static const uint16_t cpus[] = {0, 1, 8, 9, 2, BX_NO_CPU, 600, 601, 603};
    static const uint16_t of_others[] = {0, 1, 2};
    static const bx_cpus nine = {
        .packages = 3, .cores = 2, .others = 3, .logical = cpus, .package = of_others};
    folder f = folder_new();
    for (size_t i = 0; i < 9; i++)
        if (cpus[i] != BX_NO_CPU)
            folder_msr(&f, cpus[i], 0x700, cpus[i]);
    struct bx_bus *bus = bx_registers_open(f.root, &nine);
    cpu_set_t before;
    assert_int_equal(sched_getaffinity(0, sizeof before, &before), 0);
    for (unsigned round = 0; round < 200; round++) {
        enum { N = 24 };
        bx_address at[N];
        uint64_t values[N];
        int err = 0;
        for (unsigned i = 0; i < N; i++) {
            unsigned cpu = (round * 7 + i * (round + 1)) % 9;
            at[i] = msr(cpus[cpu] == BX_NO_CPU ? 8 : cpu, 0x700);
        }
        assert_int_equal(bus->read_many(bus, at, values, N, &err), N);
        for (unsigned i = 0; i < N; i++)
            assert_int_equal(values[i], cpus[at[i].cpu]);
    }
    cpu_set_t after; /* a program that we start inherits the CPU mask */
    assert_int_equal(sched_getaffinity(0, sizeof after, &after), 0);
    assert_true(CPU_EQUAL(&before, &after));
    bus->close(bus);
    folder_end(&f);
}

static void one_package_needs_no_thread(void **state)
{
    (void)state;
    folder f = machine();
    struct bx_bus *bus = bx_registers_open(f.root, &one);
    assert_null(bus->read_many);
    bus->close(bus);
    folder_end(&f);
}

/* ---- msr-safe ---- */

static struct {
    unsigned calls;
    int fails;        /* errno of the ioctl */
    uint32_t refuses; /* the register that is refused */
} module;

/* The device as README.md of LLNL/msr-safe describes it, version 2.0.0. */
static int fake(int fd, unsigned long request, bx_batch_array *array)
{
    assert_true(fd >= 0);
    assert_int_equal(request, 0xc01063a2); /* _IOWR('c', 0xa2, 16 bytes) */
    assert_int_equal(array->version >> 16, 2);
    assert_true(array->n > 0);
    module.calls++;
    errno = module.fails;
    if (module.fails)
        return -1;
    for (uint32_t i = 0; i < array->n; i++) {
        bx_batch_op *op = &array->ops[i];
        assert_true(op->read);
        if (op->msr == module.refuses) {
            op->err = -EACCES;
            errno = EACCES;
        }
    }
    if (errno)
        return -1;
    for (uint32_t i = 0; i < array->n; i++)
        array->ops[i].value =
            UINT64_C(0xbbbb) << 48 | (uint64_t)array->ops[i].cpu << 32 | array->ops[i].msr;
    return 0;
}

static void form_of_a_batch(void **state)
{
    (void)state;
    assert_int_equal(sizeof(bx_batch_op), 32);
    assert_int_equal(offsetof(bx_batch_op, read), 2);
    assert_int_equal(offsetof(bx_batch_op, err), 4);
    assert_int_equal(offsetof(bx_batch_op, msr), 8);
    assert_int_equal(offsetof(bx_batch_op, value), 16);
    assert_int_equal(offsetof(bx_batch_op, mask), 24);
    assert_int_equal(sizeof(bx_batch_array), 16);
    assert_int_equal(offsetof(bx_batch_array, ops), 8);
}

static void batches(void **state)
{
    (void)state;
    static const bx_cpus *const machines[] = {&one, &three};
    for (size_t k = 0; k < 2; k++) {
        bx_address at[65];
        uint64_t values[65];
        int err = 0;
        const uint32_t word = 77;
        folder f = machine();
        folder_text(&f, "/dev/cpu/msr_batch", "");
        folder_put(&f, "/sys/bus/pci/devices/0000:00:00.0/config", 0, &word, sizeof word);
        module.calls = 0;
        module.fails = 0;
        module.refuses = 0;
        struct bx_bus *bus = bx_registers_open_with(f.root, machines[k], fake);
        size_t n = all_of(at, machines[k]);
        at[n] = at[0];
        at[0] = (bx_address){.space = BX_SPACE_PCI, .width = 32, .offset = 0};
        assert_int_equal(bus->read_many(bus, at, values, n + 1, &err), n + 1);
        assert_int_equal(module.calls, 1);
        assert_int_equal(values[0], 77);
        for (size_t i = 1; i <= n; i++)
            assert_int_equal(values[i], UINT64_C(0xbbbb) << 48 | expected(&at[i]));
        /* If one register is refused, all are read from the devices of the CPUs. */
        module.refuses = 0x708;
        assert_int_equal(bus->read_many(bus, at, values, n + 1, &err), n + 1);
        assert_int_equal(module.calls, 2);
        assert_int_equal(values[n], expected(&at[n]));
        /* A module of another version is tried once. */
        module.fails = ENOPROTOOPT;
        assert_int_equal(bus->read_many(bus, at, values, n + 1, &err), n + 1);
        assert_int_equal(bus->read_many(bus, at, values, n + 1, &err), n + 1);
        assert_int_equal(module.calls, 3);
        assert_int_equal(values[n], expected(&at[n]));
        bus->close(bus);
        folder_end(&f);
    }
}

/* A plain file does not support batches. */
static void no_batch(void **state)
{
    (void)state;
    bx_address at[64];
    uint64_t values[64];
    int err = 0;
    folder f = machine();
    folder_text(&f, "/dev/cpu/msr_batch", "");
    struct bx_bus *bus = bx_registers_open(f.root, &one);
    size_t n = all_of(at, &one);
    assert_int_equal(bus->read_many(bus, at, values, n, &err), n);
    for (size_t i = 0; i < n; i++)
        assert_int_equal(values[i], expected(&at[i]));
    bus->close(bus);
    folder_end(&f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_package_by_a_thread),
        cmocka_unit_test(the_first_error),
        cmocka_unit_test(wherever_we_are),

        cmocka_unit_test(one_package_needs_no_thread),
        cmocka_unit_test(form_of_a_batch),
        cmocka_unit_test(batches),
        cmocka_unit_test(no_batch),

    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

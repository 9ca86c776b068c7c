/* Which CPU a package's registers are accessed on: the current one, the requested one, or another
 * CPU of the package if that is offline. */
#include "../cmocked.h"

#include "host/bus/reroute.h"

#include <errno.h>
#include <string.h>

/* Two packages of two cores with two threads each. The kernel first numbers the first thread of
 * every core. In the table of CPUs: cores 0 to 3, then threads 4 to 7. */
static const uint16_t logical[] = {0, 1, 2, 3, 8, 9, 10, 11};
static const uint16_t others[] = {0, 0, 1, 1};
static const bx_cpus eight = {
    .packages = 2, .cores = 2, .others = 4, .logical = logical, .package = others};

/* Registers in a table for each package. */
typedef struct table {
    struct bx_bus bus;
    uint64_t msr[2][0x1000];
    int err[8];      /* error of all accesses on a CPU */
    uint64_t faults; /* a register that faults on all CPUs */
    unsigned on;     /* the CPU of the last access that succeeded */
    unsigned n;      /* number of accesses */
    unsigned many;   /* number of calls of read_many */
} table;

static table t;

static int find_register(const bx_address *at, uint64_t **to)
{
    t.n++;
    if (t.err[at->cpu])
        return t.err[at->cpu];
    if (t.faults && at->offset == t.faults)
        return EIO;
    t.on = at->cpu;
    *to = &t.msr[bx_cpus_package(&eight, at->cpu)][at->offset & 0xfff];
    return 0;
}

static int table_read(struct bx_bus *bus, const bx_address *at, uint64_t *value)
{
    (void)bus;
    uint64_t *from = NULL;
    int err = find_register(at, &from);
    if (!err)
        *value = *from;
    return err;
}

static int table_write(struct bx_bus *bus, const bx_address *at, uint64_t value)
{
    (void)bus;
    uint64_t *to = NULL;
    int err = find_register(at, &to);
    if (!err)
        *to = value;
    return err;
}

static size_t table_many(struct bx_bus *bus, const bx_address *at, uint64_t *values, size_t n,
                         int *err)
{
    size_t i = 0;
    t.many++;
    while (i < n && (*err = table_read(bus, &at[i], &values[i])) == 0)
        i++;
    return i;
}

static void table_close(struct bx_bus *bus)
{
    (void)bus;
    t.n = 0xc105ed;
}

static int number; /* calls that read the current CPU */

static int told_here(void)
{
    return number;
}

/* Some CPUs of the catalogue cannot have two packages. The PMUs determine which MSRs are shared. */
static struct bx_bus *opened(const bx_cpus *cpus, bx_current_cpu_call *here)
{
    bx_topology topology;
    assert_int_equal(
        bx_topology_parse(bx_catalog_builtin(), BX_STR("virtual:skl,cores=4"), &topology, NULL),
        BX_OK);
    memset(&t, 0, sizeof t);
    t.bus = (struct bx_bus){
        .read = table_read, .write = table_write, .close = table_close, .read_many = table_many};
    struct bx_bus *bus = bx_reroute_open(&t.bus, &topology, cpus, here);
    assert_non_null(bus);
    return bus;
}

static bx_address msr(unsigned cpu, uint64_t offset)
{
    return (bx_address){.width = 64, .cpu = (uint16_t)cpu, .offset = offset};
}

static uint64_t got(struct bx_bus *bus, unsigned cpu, uint64_t offset)
{
    const bx_address at = msr(cpu, offset);
    uint64_t value = 0;
    assert_int_equal(bus->read(bus, &at, &value), 0);
    return value;
}

static int why_not(struct bx_bus *bus, unsigned cpu, uint64_t offset)
{
    const bx_address at = msr(cpu, offset);
    uint64_t value = 42;
    int err = bus->read(bus, &at, &value);
    assert_int_equal(value, 42);
    return err;
}

enum { CTR = 0x706, CTL = 0x700, TSC = 0x10 }; /* MSR_UNC_CBO_0_PERFCTR0; a core's own register */

/* ---- a CPU that is offline ---- */

static void another_cpu_takes_over(void **state)
{
    (void)state;
    struct bx_bus *bus = opened(NULL, NULL); /* four cores of one package */
    t.msr[0][CTR] = t.msr[1][CTR] = 77;
    t.err[0] = ENXIO;
    t.err[1] = ENODEV;
    assert_int_equal(got(bus, 0, CTR), 77);
    assert_int_equal(t.on, 2);
    const bx_address at = msr(0, CTR);
    assert_int_equal(bus->write(bus, &at, 78), 0);
    assert_int_equal(t.on, 2);
    assert_int_equal(why_not(bus, 0, TSC), ENXIO);
    t.err[2] = ENOENT; /* again later */
    t.msr[1][CTR] = 78;
    assert_int_equal(got(bus, 0, CTR), 78);
    assert_int_equal(t.on, 3);
    t.err[3] = ENXIO;
    assert_int_equal(why_not(bus, 0, CTR), ENXIO);
    memset(t.err, 0, sizeof t.err); /* they are back */
    assert_int_equal(got(bus, 0, CTR), 78);
    bus->close(bus);
    assert_int_equal(t.n, 0xc105ed); /* the next is closed with it */
}

/* Second threads are used as well, but never a CPU of the other package. */
static void threads_take_over(void **state)
{
    (void)state;
    struct bx_bus *bus = opened(&eight, NULL);
    t.msr[0][CTR] = 5;
    t.msr[1][CTR] = 6;
    t.err[0] = t.err[1] = ENXIO;
    assert_int_equal(got(bus, 0, CTR), 5);
    assert_int_equal(t.on, 4);
    assert_int_equal(got(bus, 2, CTR), 6);
    assert_int_equal(t.on, 2);
    t.err[4] = t.err[5] = ENXIO;
    assert_int_equal(why_not(bus, 0, CTR), ENXIO); /* the package is offline */
    assert_int_equal(got(bus, 2, CTR), 6);
    t.err[5] = 0; /* one of its threads is back */
    assert_int_equal(got(bus, 0, CTR), 5);
    assert_int_equal(t.on, 5);
    t.n = 0; /* this thread is used first from then on */
    assert_int_equal(got(bus, 0, CTR), 5);
    assert_int_equal(t.n, 1);
    bus->close(bus);
}

/* Registers after one whose CPU is offline are read in one call again. */
static void many_go_on(void **state)
{
    (void)state;
    struct bx_bus *bus = opened(&eight, NULL);
    const bx_address at[] = {msr(2, CTR), msr(0, CTR), msr(3, TSC), msr(0, CTL), msr(0, CTR)};
    uint64_t values[5];
    int err = 0;
    t.msr[0][CTR] = 1;
    t.msr[0][CTL] = 2;
    t.msr[1][CTR] = 3;
    t.msr[1][TSC] = 4;
    t.err[0] = ENXIO;
    for (unsigned round = 0; round < 2; round++) {
        static const uint64_t expected[] = {3, 1, 4, 2, 1};
        memset(values, 0, sizeof values);
        t.many = 0;
        assert_int_equal(bus->read_many(bus, at, values, 5, &err), 5);
        assert_memory_equal(values, expected, sizeof expected);
        assert_int_equal(t.many, round ? 1 : 2);
    }
    t.faults = CTL; /* a fault is passed on */
    t.n = 0;
    assert_int_equal(bus->read_many(bus, at, values, 5, &err), 3);
    assert_int_equal(err, EIO);
    assert_int_equal(t.n, 4);
    t.faults = 0;
    t.err[3] = ENXIO; /* so is an error of a core's register */
    assert_int_equal(bus->read_many(bus, at, values, 5, &err), 2);
    assert_int_equal(err, ENXIO);
    for (unsigned cpu = 0; cpu < 8; cpu++)
        t.err[cpu] = ENXIO;
    assert_int_equal(bus->read_many(bus, at, values, 5, &err), 0);
    assert_int_equal(err, ENXIO);
    assert_int_equal(bus->read_many(bus, at, values, 0, &err), 0);
    bus->close(bus);
}

/* ---- the current CPU ---- */

static void where_we_are(void **state)
{
    (void)state;
    struct bx_bus *bus = opened(&eight, told_here);
    /* The kernel's number; the requested register; the CPU that reads it. */
    static const struct {
        int number;
        unsigned cpu;
        uint64_t offset;
        unsigned on;
    } all[] = {
        {0, 0, CTR, 0},    {1, 0, CTR, 1},  {9, 0, CTR, 5}, {2, 0, CTR, 0},
        {11, 0, CTR, 0},   {11, 2, CTR, 7}, {8, 2, CTR, 2}, {9, 1, TSC, 1},
        {9, 0, 0x9999, 0}, {-1, 0, CTR, 0}, {4, 0, CTR, 0}, /* a number that the machine does not
                                                               have */
        {4711, 2, CTR, 2},
    };
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        const bx_address at = msr(all[i].cpu, all[i].offset);
        number = all[i].number;
        got(bus, all[i].cpu, all[i].offset);
        assert_int_equal(t.on, all[i].on);
        t.on = 99;
        assert_int_equal(bus->write(bus, &at, i), 0);
        assert_int_equal(t.on, all[i].on);
    }
    const bx_address many[] = {msr(0, CTR), msr(2, CTR), msr(1, TSC)};
    uint64_t values[3];
    int err;
    number = 9;
    t.err[0] = t.err[3] = ENXIO;
    t.msr[0][CTR] = 1;
    t.msr[1][CTR] = 2;
    t.msr[0][TSC] = 3;
    assert_int_equal(bus->read_many(bus, many, values, 3, &err), 3);
    assert_int_equal(values[0] + 10 * values[1] + 100 * values[2], 321);
    bus->close(bus);
}

/* A container has the device of CPU 0 only: it is used from then on, without trying others. If
 * msr-safe refuses a register on all CPUs, the device still counts as open. */
static void devices_that_are_closed(void **state)
{
    (void)state;
    static const int closed[] = {ENOENT, EACCES, EPERM};
    for (size_t i = 0; i < sizeof closed / sizeof *closed; i++) {
        struct bx_bus *bus = opened(&eight, told_here);
        t.msr[0][CTR] = 5;
        for (unsigned cpu = 1; cpu < 8; cpu++)
            t.err[cpu] = closed[i];
        number = 9;
        assert_int_equal(got(bus, 0, CTR), 5);
        t.n = 0;
        assert_int_equal(got(bus, 0, CTR), 5);
        assert_int_equal(t.n, 1);
        bus->close(bus);
    }
    struct bx_bus *bus = opened(&eight, told_here);
    t.err[0] = t.err[5] = EACCES;
    assert_int_equal(why_not(bus, 0, CTR), EACCES);
    t.err[0] = t.err[5] = 0;
    got(bus, 0, CTR);
    assert_int_equal(t.on, 5);
    bus->close(bus);
}

/* The current CPU goes offline before the access. It is tried again when the thread runs on it
 * again. */
static void moved_in_between(void **state)
{
    (void)state;
    struct bx_bus *bus = opened(&eight, told_here);
    const bx_address many[] = {msr(0, CTR), msr(0, CTL)};
    uint64_t values[2];
    int err;
    number = 9;
    t.msr[0][CTR] = 5;
    t.err[5] = ENXIO;
    assert_int_equal(got(bus, 0, CTR), 5);
    assert_int_equal(t.on, 0);
    assert_int_equal(bus->read_many(bus, many, values, 2, &err), 2);
    assert_int_equal(values[0], 5);
    t.err[0] = ENXIO;
    assert_int_equal(got(bus, 0, CTR), 5);
    assert_int_equal(t.on, 1);
    t.err[5] = 0;
    assert_int_equal(got(bus, 0, CTR), 5);
    assert_int_equal(t.on, 5);
    bus->close(bus);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(another_cpu_takes_over),
        cmocka_unit_test(threads_take_over),
        cmocka_unit_test(many_go_on),
        cmocka_unit_test(where_we_are),
        cmocka_unit_test(devices_that_are_closed),
        cmocka_unit_test(moved_in_between),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

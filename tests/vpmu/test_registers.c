/* Every register of the 6th generation Core's uncore, bit by bit. Addresses and bits are typed from
 * 334060-001 tables 2-1 to 2-8 and section 3.3. */
#include "../cmocked.h"

#include "bench.h"
#include "bits.h"

#include <errno.h>

#define ALL_ONES UINT64_MAX

/* Table 2-7: event select, unit mask, E, OVF_EN, EN, INV, THR. */
#define SELECT   (0xffff | BIT(18) | BIT(20) | BIT(22) | BIT(23) | (uint64_t)0x1f << 24)

struct msr {
    unsigned address;
    uint64_t reset;
    uint64_t taken; /* bits that can be written as 1 */
    uint64_t held;  /* of these, what reads back */
};

/* Table 2-1, all 25. Bit 4 of E01H: Linux writes it (uncore_snb.c SKL_UNC_GLOBAL_CTL_CORE_ALL). The
 * C-Boxes' bit of E02H: 3, as edk2 SkylakeMsr.h has it. */
static const struct msr msrs[] = {
    {0xe01, 0, BIT(31) | BIT(30) | BIT(29) | 0x1f, BIT(31) | BIT(30) | BIT(29) | 0x1f},
    {0xe02, 0, BIT(3) | BIT(1) | BIT(0), 0},
    {0x394, 0, BIT(22) | BIT(20), BIT(22) | BIT(20)},
    {0x395, 0, WIDTH(48), WIDTH(48)},
    {0x396, 5, 0, 0},
    {0x3b0, 0, WIDTH(44), WIDTH(44)},
    {0x3b1, 0, WIDTH(44), WIDTH(44)},
    {0x3b2, 0, SELECT, SELECT},
    {0x3b3, 0, SELECT, SELECT},
    {0x700, 0, SELECT, SELECT},
    {0x701, 0, SELECT, SELECT},
    {0x706, 0, WIDTH(44), WIDTH(44)},
    {0x707, 0, WIDTH(44), WIDTH(44)},
    {0x710, 0, SELECT, SELECT},
    {0x711, 0, SELECT, SELECT},
    {0x716, 0, WIDTH(44), WIDTH(44)},
    {0x717, 0, WIDTH(44), WIDTH(44)},
    {0x720, 0, SELECT, SELECT},
    {0x721, 0, SELECT, SELECT},
    {0x726, 0, WIDTH(44), WIDTH(44)},
    {0x727, 0, WIDTH(44), WIDTH(44)},
    {0x730, 0, SELECT, SELECT},
    {0x731, 0, SELECT, SELECT},
    {0x736, 0, WIDTH(44), WIDTH(44)},
    {0x737, 0, WIDTH(44), WIDTH(44)},
};

static struct bench b;

static int set_up(void **state)
{
    *state = &b;
    bench_open_silent(&b, "virtual:skl,part=plain");
    return 0;
}

static void test_reset_values(void **state)
{
    (void)state;
    assert_int_equal(ARRAY(msrs), 25);
    for (size_t i = 0; i < ARRAY(msrs); i++)
        assert_int_equal(get(&b, msrs[i].address), msrs[i].reset);
}

static void test_each_bit_alone(void **state)
{
    (void)state;
    for (size_t i = 0; i < ARRAY(msrs); i++)
        check_bits(&b, msrs[i].address, msrs[i].taken, msrs[i].held, msrs[i].reset);
}

static void test_a_faulting_write_changes_nothing(void **state)
{
    (void)state;
    set(&b, 0x700, 0x408f34);
    assert_int_equal(wr(&b, 0, 0x700, BIT(21) | 0x1122), EIO);
    assert_int_equal(get(&b, 0x700), 0x408f34);
    assert_int_equal(wr(&b, 0, 0x706, BIT(44) | 7), EIO);
    assert_int_equal(get(&b, 0x706), 0);
}

static void test_the_slice_count_cannot_be_written(void **state)
{
    (void)state;
    assert_int_equal(wr(&b, 0, 0x396, 0), EIO);
    assert_int_equal(wr(&b, 0, 0x396, 5), EIO);
    assert_int_equal(get(&b, 0x396), 5);
}

static void test_other_addresses_fault(void **state)
{
    (void)state;
    static const uint64_t none[] = {
        0x0,   0x393, 0x397, 0x3af, 0x3b4, 0x6ff, 0x702,           0x705,           0x708,
        0x70f, 0x732, 0x738, 0x740, 0xe00, 0xe03, BIT(32) | 0x700, BIT(56) | 0x700, ALL_ONES};
    for (size_t i = 0; i < ARRAY(none); i++) {
        uint64_t value = 0x1234;
        assert_int_equal(rd(&b, 0, none[i], &value), EIO);
        assert_int_equal(value, 0x1234);
        assert_int_equal(wr(&b, 0, none[i], 0), EIO);
    }
}

static void test_only_units_that_exist_have_registers(void **state)
{
    (void)state;
    uint64_t value;
    bench_close(&b);
    bench_open_silent(&b, "virtual:skl,part=plain,slices=2");
    assert_int_equal(get(&b, 0x396), 3); /* section 2.4.1: subtract one */
    assert_int_equal(get(&b, 0x711), 0);
    assert_int_equal(rd(&b, 0, 0x720, &value), EIO);
    assert_int_equal(rd(&b, 0, 0x737, &value), EIO);
    bench_close(&b);
    bench_open_silent(&b, "virtual:skl,part=plain,cores=1,slices=1");
    assert_int_equal(get(&b, 0x396), 2);
    assert_int_equal(rd(&b, 0, 0x710, &value), EIO);
}

static void test_package_registers_are_one(void **state)
{
    (void)state;
    uint64_t value = 0;
    assert_int_equal(wr(&b, 3, 0x710, 0x401234), 0);
    for (unsigned cpu = 0; cpu < 4; cpu++) {
        assert_int_equal(rd(&b, cpu, 0x710, &value), 0);
        assert_int_equal(value, 0x401234);
    }
    assert_int_equal(rd(&b, 4, 0x710, &value), ENXIO);
    assert_int_equal(wr(&b, 4, 0x710, 0), ENXIO);
    assert_int_equal(wr(&b, 65535, 0x710, 0), ENXIO);
}

/* Passive MSRs hold what is written: 1A4H is of a core, 620H of the package (SDM volume 4). */
static void test_passive_msrs(void **state)
{
    (void)state;
    uint64_t value;
    assert_int_equal(get(&b, 0x606), 0xa0e03);
    assert_int_equal(get(&b, 0x1d9), 0);
    set(&b, 0x1d9, ALL_ONES);
    assert_int_equal(get(&b, 0x1d9), ALL_ONES);
    assert_int_equal(wr(&b, 1, 0x1a4, 0xf), 0);
    assert_int_equal(get(&b, 0x1a4), 0);
    assert_int_equal(rd(&b, 1, 0x1a4, &value), 0);
    assert_int_equal(value, 0xf);
    assert_int_equal(wr(&b, 2, 0x620, 0x1815), 0);
    assert_int_equal(get(&b, 0x620), 0x1815);
}

/* ---- PCI and memory ---- */

enum { HOST_BRIDGE = 0 }; /* 0:0.0 */

static void test_the_base_address_register(void **state)
{
    (void)state;
    assert_int_equal(get_pci(&b, HOST_BRIDGE + 0x48, 64), 0xfed10001);
    assert_int_equal(get_pci(&b, HOST_BRIDGE + 0x48, 32), 0xfed10001);
    assert_int_equal(get_pci(&b, HOST_BRIDGE + 0x4c, 32), 0);
    assert_int_equal(get_pci(&b, HOST_BRIDGE + 0x4a, 16), 0xfed1);
    assert_int_equal(get_pci(&b, HOST_BRIDGE + 0x4b, 8), 0xfe);
    assert_int_equal(get_pci(&b, HOST_BRIDGE + 0x4a, 64), 0xfed1);
    assert_int_equal(get_pci(&b, HOST_BRIDGE, 16), 0x8086); /* Intel */
    assert_int_equal(get_pci(&b, HOST_BRIDGE + 0x50, 64), 0);
}

static void test_the_base_address_follows_the_machine_string(void **state)
{
    (void)state;
    bench_close(&b);
    bench_open_silent(&b, "virtual:skl,part=plain,bar=0x7fffff8000");
    assert_int_equal(get_pci(&b, HOST_BRIDGE + 0x48, 64), 0x7fffff8001);
    assert_int_equal(get_mem(&b, 0x7fffff8000 + 0x5050, 32), 0);
    assert_int_equal(get_mem(&b, 0xfed10000 + 0x5050, 32), UINT32_MAX);
}

static void test_absent_pci_functions(void **state)
{
    (void)state;
    assert_int_equal(get_pci(&b, 1 << 12, 32), UINT32_MAX);           /* 0:0.1 */
    assert_int_equal(get_pci(&b, 1 << 15, 8), 0xff);                  /* 0:1.0 */
    assert_int_equal(get_pci(&b, UINT64_C(255) << 20, 64), ALL_ONES); /* 255:0.0 */
    assert_int_equal(get_pci(&b, BIT(60), 64), ALL_ONES);
}

static void write_wide(uint8_t space, uint64_t address, uint8_t bits, uint64_t value)
{
    bx_address at = {.space = space, .width = bits, .offset = address};
    assert_int_equal(b.bus->write(b.bus, &at, value), 0);
}

static void test_writes_without_effect(void **state)
{
    (void)state;
    write_wide(1, HOST_BRIDGE + 0x48, 64, 0);
    write_wide(1, HOST_BRIDGE + 0x49, 8, 0xff);
    write_wide(1, 1 << 15, 32, 0);
    assert_int_equal(get_pci(&b, HOST_BRIDGE + 0x48, 64), 0xfed10001);
    raise_signal(&b, BOX_IMC, 0, 0x5050, 0, 1, 10);
    write_wide(2, 0xfed10000 + 0x5050, 32, 0);
    write_wide(2, 0x1000, 64, 0);
    assert_int_equal(get_mem(&b, 0xfed10000 + 0x5050, 32), 10);
}

/* Table 3-3: five 32-bit counters at BAR + 5040H, 5044H, 5048H, 5050H, 5054H. */
static void test_memory_counters(void **state)
{
    (void)state;
    static const unsigned offset[] = {0x5040, 0x5044, 0x5048, 0x5050, 0x5054};
    for (unsigned i = 0; i < ARRAY(offset); i++)
        raise_signal(&b, BOX_IMC, 0, offset[i], 0, i + 1, 100);
    for (unsigned i = 0; i < ARRAY(offset); i++)
        assert_int_equal(get_mem(&b, 0xfed10000 + offset[i], 32), 100 * (i + 1));
    /* A 64-bit read takes two counters, which Linux avoids (uncore_snb.c). */
    assert_int_equal(get_mem(&b, 0xfed15050, 64), UINT64_C(500) << 32 | 400);
    assert_int_equal(get_mem(&b, 0xfed15052, 32), UINT64_C(500) << 16);
    assert_int_equal(get_mem(&b, 0xfed15050, 8), 400 & 0xff);
    assert_int_equal(get_mem(&b, 0xfed1504e, 64), UINT64_C(500) << 48 | UINT64_C(400) << 16);
}

static void test_the_window_and_what_lies_around_it(void **state)
{
    (void)state;
    assert_int_equal(get_mem(&b, 0xfed10000, 32), 0);
    assert_int_equal(get_mem(&b, 0xfed1504c, 32), 0);
    assert_int_equal(get_mem(&b, 0xfed17fff, 8), 0);
    assert_int_equal(get_mem(&b, 0xfed18000, 8), 0xff);
    assert_int_equal(get_mem(&b, 0xfed0fffc, 32), UINT32_MAX);
    assert_int_equal(get_mem(&b, 0xfed17ffc, 64), UINT64_C(0xffffffff) << 32);
    assert_int_equal(get_mem(&b, 0, 64), ALL_ONES);
    assert_int_equal(get_mem(&b, ALL_ONES, 64), ALL_ONES);
}

static void test_accesses_that_no_hardware_makes(void **state)
{
    (void)state;
    uint64_t value = 7;
    bx_address odd = {.space = 1, .width = 24, .offset = 0x48};
    bx_address none = {.space = 2, .width = 0, .offset = 0xfed15050};
    bx_address space = {.space = 3, .width = 32, .offset = 0};
    bx_address cpu = {.space = 1, .width = 32, .cpu = 9, .offset = 0x48};
    assert_int_equal(b.bus->read(b.bus, &odd, &value), EINVAL);
    assert_int_equal(b.bus->write(b.bus, &none, 0), EINVAL);
    assert_int_equal(b.bus->read(b.bus, &space, &value), ENXIO);
    assert_int_equal(b.bus->read(b.bus, &cpu, &value), ENXIO);
    assert_int_equal(value, 7);
    b.bus->close(b.bus); /* does nothing: the bus belongs to the PMUs */
    assert_int_equal(get(&b, 0x396), 5);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, bench_tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(test_reset_values),
        TEST(test_each_bit_alone),
        TEST(test_a_faulting_write_changes_nothing),
        TEST(test_the_slice_count_cannot_be_written),
        TEST(test_other_addresses_fault),
        TEST(test_only_units_that_exist_have_registers),
        TEST(test_package_registers_are_one),
        TEST(test_passive_msrs),
        TEST(test_the_base_address_register),
        TEST(test_the_base_address_follows_the_machine_string),
        TEST(test_absent_pci_functions),
        TEST(test_writes_without_effect),
        TEST(test_memory_counters),
        TEST(test_the_window_and_what_lies_around_it),
        TEST(test_accesses_that_no_hardware_makes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* Features that the 6th generation Core does not have: every kind of bits in one register,
 * registers of a CPU, several packages, memory-mapped registers that can be written, and windows
 * that move. The machine is invented; its facts are below, in the catalogue's notation. */
#include "../cmocked.h"

#include "bench.h"

#include "compile/compile.h"

#include <errno.h>
#include <stdlib.h>

static const char cpu_file[] = "cpu toy \"a processor of the tests\"\n"
                               "  source tests\n"
                               "  id 6/0xfe\n"
                               "  model none\n"
                               "  boxes toy_package toy_box toy_core\n"
                               "  freeze CTRL.FRZ clears CTRL.EN\n"
                               "  wake CTRL.WAKE\n"
                               "  pmi CTRL.CORE{0..1}\n"
                               "shape packages preset 2 range 1..4 \"packages\"\n"
                               "shape cores preset 2 range 1..65535 \"cores of each\"\n";

static const char package_file[] =
    "pmu toy_package \"what a package has once\"\n"
    "  source tests\n"
    "  scope package\n"
    "  label \"package\"\n"
    "reg CTRL msr 0x10 \"control\"\n"
    "  source tests\n"
    "  field CORE0 0 rw \"to the first core\"\n"
    "  field CORE1 1 rw \"to the second core\"\n"
    "  field WAKE 4 rw \"wake\"\n"
    "  field FRZ 8 rw \"freeze\"\n"
    "  field EN 9 rw \"enable\"\n"
    "reg MIXED msr 0x20 reset 0x00a300c3 \"all kinds of bits\"\n"
    "  source tests\n"
    "  field STORED 3:0 rw \"stored\"\n"
    "  field SEEN 7:4 ro \"read-only\"\n"
    "  field SECRET 11:8 wo \"write-only\"\n"
    "  field GONE 15:12 ignored \"ignored\"\n"
    "  field ONES 17:16 ro \"read 1 whatever is written\"\n"
    "  field STICKY 23:20 w1c \"written 1 to clear\"\n"
    "reg SEALED msr 0x21 reset 0x12 \"read-only\"\n"
    "  source tests\n"
    "  field ALL 7:0 ro \"read-only\"\n"
    "reg DEAF msr 0x22 \"takes everything, keeps nothing\"\n"
    "  source tests\n"
    "  field NONE 63:0 ignored \"ignored\"\n"
    "reg PLACE pci 0:3.1+0x14 width 32 reset 0x80001003 \"where the window is\"\n"
    "  source tests\n"
    "  field ON 1:0 ro \"on\"\n"
    "  field BASE 31:12 rw \"base\"\n"
    "reg WIDE mmio PLACE.BASE 0x18 \"a register of 64 bits\"\n"
    "  source tests\n"
    "  field LOW 31:0 rw \"low\"\n"
    "  field MARK 35:32 w1c \"marks\"\n"
    "  field HIGH 63:56 rw \"high\"\n";

static const char box_file[] =
    "pmu toy_box \"two units with two counters each\"\n"
    "  source tests\n"
    "  scope package\n"
    "  units 0..1\n"
    "  label \"box {unit}\"\n"
    "  select CODE MASK\n"
    "reg BOX{unit}_SELECT{0..1} msr 0x40 0x41 stride 0x10 \"what is counted\"\n"
    "  source tests\n"
    "  field CODE 7:0 rw \"code\"\n"
    "  field MASK 15:8 rw \"unit mask\"\n"
    "  field EN 22 rw \"enable\"\n"
    "  field THR 31:24 rw \"threshold\"\n"
    "reg BOX{unit}_COUNT{0..1} msr 0x44 0x45 stride 0x10 \"the count, above four bits of something "
    "else\"\n"
    "  source tests\n"
    "  field TAG 3:0 rw \"something else\"\n"
    "  field VALUE 11:4 rw \"the count\"\n"
    "counters 0..1 width 8\n"
    "  control BOX{unit}_SELECT{n}\n"
    "  value BOX{unit}_COUNT{n}.VALUE\n"
    "  when EN=1 CTRL.EN=1\n"
    "  threshold THR\n"
    "modifier t range 0..255 field THR \"threshold\"\n"
    "event BOX_EVENT code 0x5 counters 0..1 counts \"things\" \"an event\"\n"
    "  source tests\n"
    "  umask ONE 0x1 \"one\"\n";

static const char core_file[] =
    "pmu toy_core \"a counter of each CPU\"\n"
    "  source tests\n"
    "  scope cpu\n"
    "  label \"core\"\n"
    "reg CORE_CTRL msr 0x60 \"control\"\n"
    "  source tests\n"
    "  field EN 0 rw \"enable\"\n"
    "  field PMI 1 rw \"interrupt\"\n"
    "reg CORE_COUNT msr 0x61 \"count\"\n"
    "  source tests\n"
    "  field VALUE 63:0 rw \"count\"\n"
    "counters 0 width 64 fixed\n"
    "  control CORE_CTRL\n"
    "  value CORE_COUNT.VALUE\n"
    "  when EN=1\n"
    "  overflow MIXED.SEEN enable PMI\n"
    "event CORE_EVENT code 0x9 counters 0 counts \"things\" \"an event\"\n"
    "  source tests\n";

static const char passive_file[] =
    "passive 0x23..0x25 scope core preset 0x77 \"nothing known\"\n"
    "function 0x20:1.0 device 0x8086/0x1234 class 0x110100 stride 16M \"one in each package\"\n"
    "  source tests\n"
    "  passive 0x40..0x47 preset 0x100 stride 0x11 \"two words\"\n"
    "function 2:3.4 device 0x8086/0x5678 class 0x88000 \"one of the machine\"\n"
    "  source tests\n";

enum { CTRL = 0x10, MIXED = 0x20, SEALED = 0x21, DEAF = 0x22 };
enum { TOY_BOX = 1, TOY_CORE = 2 };

static struct bench b;
static struct bx_catalog *catalog;

#define FILE_OF(name, text)                                                                        \
    {                                                                                              \
        BX_STR(name), BX_STR(text)                                                                 \
    }

static int set_up(void **state)
{
    (void)state;
    const bx_cat_file files[] = {
        FILE_OF("toy.cpu", cpu_file),     FILE_OF("toy_package.pmu", package_file),
        FILE_OF("toy_box.pmu", box_file), FILE_OF("toy_core.pmu", core_file),
        FILE_OF("passive", passive_file),
    };
    bx_error e = {0};
    catalog = bx_catalog_parse(files, sizeof(files) / sizeof(*files), &e);
    if (!catalog)
        print_message("%s\n", e.message);
    assert_non_null(catalog);
    script_init(&b.script);
    bench_open_on(&b, catalog, "virtual:toy");
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    bench_close(&b);
    free(catalog);
    return 0;
}

/* ---- kinds of bits ---- */

static void test_reset_of_each_kind(void **state)
{
    (void)state;
    assert_int_equal(get(&b, MIXED), 0xa300c3); /* neither write-only nor ignored bits */
}

static void test_each_kind_is_written_its_way(void **state)
{
    (void)state;
    set(&b, MIXED, 0x10000);
    assert_int_equal(get(&b, MIXED), 0xa300c0);
    set(&b, MIXED, 0x83ffff);
    assert_int_equal(get(&b, MIXED), 0x2300cf);
    set(&b, MIXED, 0xf30005);
    assert_int_equal(get(&b, MIXED), 0x0300c5);
}

static void test_reserved_bits_fault(void **state)
{
    (void)state;
    static const uint64_t bad[] = {0x40000, 0xb0000, 0x1030000, UINT64_C(1) << 63 | 0x30000};
    for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++)
        assert_int_equal(wr(&b, 0, MIXED, bad[i]), EIO);
    assert_int_equal(get(&b, MIXED), 0xa300c3);
}

static void test_registers_without_storage(void **state)
{
    (void)state;
    assert_int_equal(get(&b, SEALED), 0x12);
    assert_int_equal(wr(&b, 0, SEALED, 0x12), EIO);
    set(&b, DEAF, UINT64_MAX);
    assert_int_equal(get(&b, DEAF), 0);
}

static void test_a_range_of_passive_registers(void **state)
{
    (void)state;
    uint64_t value;
    assert_int_equal(wr(&b, 3, 0x24, UINT64_MAX), 0);
    assert_int_equal(rd(&b, 3, 0x24, &value), 0);
    assert_int_equal(value, UINT64_MAX);
    for (uint64_t msr = 0x23; msr <= 0x25; msr++)
        assert_int_equal(get(&b, msr), 0x77);
    assert_int_equal(rd(&b, 0, 0x26, &value), EIO);
}

/* ---- PCI functions that are not described ---- */

static uint64_t config(unsigned cpu, uint64_t address, uint8_t bits)
{
    bx_address at = {.space = 1, .width = bits, .cpu = (uint16_t)cpu, .offset = address};
    uint64_t value = 0;
    assert_int_equal(b.bus->read(b.bus, &at, &value), 0);
    return value;
}

static void configure(unsigned cpu, uint64_t address, uint8_t bits, uint64_t value)
{
    bx_address at = {.space = 1, .width = bits, .cpu = (uint16_t)cpu, .offset = address};
    assert_int_equal(b.bus->write(b.bus, &at, value), 0);
}

/* Each package's function is on its own bus, whichever CPU reads it. */
static void test_passive_functions(void **state)
{
    (void)state;
    enum { FIRST = 0x20 << 20 | 1 << 15, SECOND = FIRST + (16 << 20) };
    enum { ALONE = 2 << 20 | 3 << 15 | 4 << 12 };
    for (unsigned cpu = 0; cpu < 4; cpu++) {
        assert_int_equal(config(cpu, FIRST, 32), 0x12348086);
        assert_int_equal(config(cpu, SECOND + 2, 16), 0x1234);
        assert_int_equal(config(cpu, SECOND + 8, 32), 0x11010000);
        assert_int_equal(config(cpu, FIRST + 0x40, 64), UINT64_C(0x10000000100));
        assert_int_equal(config(cpu, SECOND + 0x44, 32), 0x111);
        assert_int_equal(config(cpu, ALONE, 32), 0x56788086);
    }
    configure(0, SECOND + 0x42, 16, 0xbeef);
    assert_int_equal(config(3, SECOND + 0x40, 32), 0xbeef0111);
    assert_int_equal(config(3, FIRST + 0x40, 32), 0x100);
    /* The function's identity does not change. Writes to addresses without a function are lost. */
    configure(0, FIRST, 32, 0);
    configure(0, FIRST + 0x48, 32, 5);
    assert_int_equal(config(0, FIRST, 32), 0x12348086);
    assert_int_equal(config(0, FIRST + 0x48, 32), 0);
    assert_int_equal(config(0, SECOND + (16 << 20), 32), UINT32_MAX);
    assert_int_equal(config(0, ALONE + (16 << 20), 32), UINT32_MAX);
}

/* ---- packages and CPUs ---- */

static void test_each_package_has_its_own(void **state)
{
    (void)state;
    uint64_t value;
    set(&b, CTRL, 0x200);
    assert_int_equal(rd(&b, 1, CTRL, &value), 0);
    assert_int_equal(value, 0x200);
    assert_int_equal(rd(&b, 2, CTRL, &value), 0);
    assert_int_equal(value, 0);
    assert_int_equal(rd(&b, 4, CTRL, &value), ENXIO);
}

static void inject(unsigned package, unsigned box, unsigned unit, unsigned code, unsigned umask,
                   uint32_t level, uint64_t cycles)
{
    bx_selection what = {.box = (uint16_t)box,
                         .unit = (uint16_t)unit,
                         .package = (uint16_t)package,
                         .code = (uint16_t)code,
                         .umask = umask};
    bx_error e = {0};
    assert_int_equal(bx_vpmu_inject(b.v, &what, level, cycles, &e), BX_OK);
    script_pass(&b.script, cycles);
}

static void test_units_and_packages_count_apart(void **state)
{
    (void)state;
    uint64_t value;
    for (unsigned cpu = 0; cpu < 4; cpu += 2) {
        assert_int_equal(wr(&b, cpu, 0x40, 0x400105), 0);
        assert_int_equal(wr(&b, cpu, 0x51, 0x400105), 0);
        assert_int_equal(wr(&b, cpu, CTRL, 0x200), 0);
    }
    inject(1, TOY_BOX, 1, 5, 1, 3, 10);
    assert_int_equal(rd(&b, 3, 0x55, &value), 0);
    assert_int_equal(value, 30 << 4);
    assert_int_equal(rd(&b, 3, 0x44, &value), 0);
    assert_int_equal(value, 0);
    assert_int_equal(get(&b, 0x55), 0);
}

static void test_a_count_beside_other_bits(void **state)
{
    (void)state;
    set(&b, 0x44, 0xfea);
    set(&b, 0x40, 0x2400105); /* threshold 2 */
    set(&b, CTRL, 0x200);
    inject(0, TOY_BOX, 0, 5, 1, 2, 3);
    assert_int_equal(get(&b, 0x44), 0x01a); /* 254 + 3 in eight bits; the tag stays */
    assert_int_equal(wr(&b, 0, 0x44, 0x1000), EIO);
    set(&b, 0x44, 0x105);
    assert_int_equal(get(&b, 0x44), 0x105);
}

static void test_registers_of_a_cpu(void **state)
{
    (void)state;
    uint64_t value;
    assert_int_equal(wr(&b, 3, 0x60, 3), 0);
    assert_int_equal(wr(&b, 3, 0x61, UINT64_MAX - 1), 0);
    assert_int_equal(rd(&b, 2, 0x61, &value), 0);
    assert_int_equal(value, 0);
    assert_int_equal(wr(&b, 2, CTRL, 3), 0);
    inject(1, TOY_CORE, 1, 9, 0, 1, 4); /* CPU 3 is unit 1 of package 1 */
    assert_int_equal(rd(&b, 3, 0x61, &value), 0);
    assert_int_equal(value, 2);
    assert_int_equal(b.pmis, 1); /* a core's own counter, whichever cores CTRL selects */
    assert_int_equal(b.pmi[0].time, 2);
    assert_int_equal(b.pmi[0].cpu, 3);
    assert_int_equal(rd(&b, 2, MIXED, &value), 0);
    assert_int_equal(value, 0xa300f3); /* all bits of the status field */
    assert_int_equal(get(&b, MIXED), 0xa300c3);
}

/* ---- PCI and memory that can be written ---- */

static void put(uint8_t space, uint64_t address, uint8_t bits, uint64_t value)
{
    bx_address at = {.space = space, .width = bits, .offset = address};
    assert_int_equal(b.bus->write(b.bus, &at, value), 0);
}

#define WINDOW UINT64_C(0x80001000)
enum { PLACE = 3 << 15 | 1 << 12 | 0x14 };

static void test_parts_of_a_register_are_written(void **state)
{
    (void)state;
    put(2, WINDOW + 0x18, 32, 0x11223344);
    put(2, WINDOW + 0x19, 16, 0xabcd);
    assert_int_equal(get_mem(&b, WINDOW + 0x18, 64), 0x11abcd44);
    put(2, WINDOW + 0x1c, 32, 0x7fffffff); /* bits without a field are dropped */
    assert_int_equal(get_mem(&b, WINDOW + 0x18, 64), UINT64_C(0x7f00000011abcd44));
    put(2, WINDOW + 0x16, 64, UINT64_C(0x8888777766665555));
    assert_int_equal(get_mem(&b, WINDOW + 0x18, 32), 0x77776666);
    assert_int_equal(get_mem(&b, WINDOW + 0x14, 32), 0);
}

static void test_a_window_moves_with_its_register(void **state)
{
    (void)state;
    put(2, WINDOW + 0x18, 32, 5);
    assert_int_equal(get_pci(&b, PLACE, 32), 0x80001003);
    put(1, PLACE, 32, 0x4000afff);
    assert_int_equal(get_pci(&b, PLACE, 32), 0x4000a003);
    assert_int_equal(get_mem(&b, 0x4000a018, 32), 5);
    assert_int_equal(get_mem(&b, WINDOW + 0x18, 32), UINT32_MAX);
    bx_address other = {.space = 2, .width = 32, .cpu = 2, .offset = WINDOW + 0x18};
    uint64_t value = 1;
    assert_int_equal(b.bus->read(b.bus, &other, &value), 0);
    assert_int_equal(value, 0); /* the second package's window is where it was */
}

/* ---- limits ---- */

static void test_more_counters_than_numbers(void **state)
{
    (void)state;
    bx_error e = {0};
    bx_topology t;
    assert_int_equal(bx_topology_parse(catalog, BX_STR("virtual:toy,cores=65535"), &t, &e), BX_OK);
    assert_null(bx_vpmu_new(&t, &b.script.signals, &e));
    assert_int_equal(e.code, BX_NO_FIT);
    bx_vpmu_free(NULL);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(test_reset_of_each_kind),
        TEST(test_each_kind_is_written_its_way),
        TEST(test_reserved_bits_fault),
        TEST(test_registers_without_storage),
        TEST(test_a_range_of_passive_registers),
        TEST(test_passive_functions),
        TEST(test_each_package_has_its_own),
        TEST(test_units_and_packages_count_apart),
        TEST(test_a_count_beside_other_bits),
        TEST(test_registers_of_a_cpu),
        TEST(test_parts_of_a_register_are_written),
        TEST(test_a_window_moves_with_its_register),
        TEST(test_more_counters_than_numbers),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

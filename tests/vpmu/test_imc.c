/* Every register of Ivy Bridge-EP's memory channels, in PCI configuration space, bit by bit:
 * resets, freezes, packages. Addresses and bits: Linux arch/x86/events/intel/uncore_snbep.c, LIKWID
 * src/includes/registers.h, PCM src/types.h. Where they are silent, the readings of
 * catalog/ivbep/imc.pmu. */
#include "../cmocked.h"

#include "bench.h"
#include "bits.h"

enum { IMC = 2, CHANNELS = 4 }; /* position in the line "boxes" of ivbep.cpu */
enum {
    BOX_CTL = 0xf4,
    BOX_STATUS = 0xf8,
    CTL = 0xd8,
    CTR = 0xa0,
    FIXED_CTL = 0xf0,
    FIXED_CTR = 0xd0,
    GLOBAL_CTL = 0xc00
};

#define EN  BIT(22)
#define RST BIT(17)
#define FRZ BIT(8)

/* A code without an event, and the contents of a control that selects it. */
enum { ANYWHERE = 0x98, PLAIN = 0x898 };
enum { FIXED_CODE = 0xff };

static struct bench b;

static int set_up(void **state)
{
    *state = &b;
    bench_open_silent(&b, "virtual:ivbep,part=plain,packages=2,cores=3");
    return 0;
}

static uint64_t at(unsigned package, unsigned channel, unsigned offset)
{
    static const uint8_t function[CHANNELS] = {4, 5, 0, 1};
    return (uint64_t)(0x3f + 0x40 * package) << 20 | 16 << 15 | function[channel] << 12 | offset;
}

/* Accesses on any CPU: the bus number selects the package. */
static uint64_t pci(unsigned package, unsigned channel, unsigned offset, unsigned bits)
{
    return get_pci(&b, at(package, channel, offset), bits);
}

static void set_bits(unsigned package, unsigned channel, unsigned offset, unsigned bits,
                     uint64_t value)
{
    const bx_address address = {1, (uint8_t)bits, 0, at(package, channel, offset)};
    assert_int_equal(b.bus->write(b.bus, &address, value), 0);
}

static void set_pci(unsigned package, unsigned channel, unsigned offset, uint64_t value)
{
    set_bits(package, channel, offset, 32, value);
}

static void raise_in(unsigned package, unsigned channel, unsigned code, unsigned umask,
                     uint32_t level, uint64_t cycles)
{
    const bx_selection what = {.box = IMC,
                               .unit = (uint16_t)channel,
                               .package = (uint16_t)package,
                               .code = (uint16_t)code,
                               .umask = umask};
    raise_what(&b, &what, level, cycles);
}

#define SELECT (WIDTH(16) | BIT(18) | BIT(20) | EN | (uint64_t)0xff << 24)

static void each_bit_alone(void **state)
{
    (void)state;
    static const struct {
        unsigned offset, width;
        uint64_t held, always;
    } registers[] = {
        {BOX_CTL, 32, FRZ, BIT(16) | BIT(17)},
        {BOX_STATUS, 32, 0, 0},
        {CTL, 32, SELECT, 0},
        {CTL + 4, 32, SELECT, 0},
        {CTL + 8, 32, SELECT, 0},
        {CTL + 12, 32, SELECT, 0},
        {FIXED_CTL, 32, EN, 0},
        {CTR, 64, WIDTH(48), 0},
        {CTR + 8, 64, WIDTH(48), 0},
        {CTR + 16, 64, WIDTH(48), 0},
        {CTR + 24, 64, WIDTH(48), 0},
        {FIXED_CTR, 64, WIDTH(48), 0},
    };
    for (unsigned unit = 0; unit < 2 * CHANNELS; unit++)
        for (size_t i = 0; i < ARRAY(registers); i++)
            for (unsigned bit = 0; bit < registers[i].width; bit++) {
                unsigned package = unit / CHANNELS, channel = unit % CHANNELS;
                unsigned offset = registers[i].offset, width = registers[i].width;
                set_bits(package, channel, offset, width, BIT(bit));
                assert_int_equal(pci(package, channel, offset, width),
                                 (BIT(bit) & registers[i].held) | registers[i].always);
                set_bits(package, channel, offset, width, 0);
                assert_int_equal(pci(package, channel, offset, width), registers[i].always);
            }
}

/* Vendor and device: Linux ivbep_uncore_pci_ids. Addresses between the registers read 0; addresses
 * on no package's bus read all ones. */
static void functions(void **state)
{
    (void)state;
    static const unsigned device[] = {0x0eb4, 0x0eb5, 0x0eb0, 0x0eb1};
    for (unsigned channel = 0; channel < CHANNELS; channel++) {
        for (unsigned package = 0; package < 2; package++) {
            assert_int_equal(pci(package, channel, 0, 32), device[channel] << 16 | 0x8086);
            assert_int_equal(pci(package, channel, 0xe8, 32), 0);
            assert_int_equal(pci(package, channel, 0xfc, 32), 0);
        }
        assert_int_equal(pci(2, channel, 0, 32), UINT32_MAX);
        assert_int_equal(pci(2, channel, CTL, 32), UINT32_MAX);
    }
    assert_int_equal(get_pci(&b, (uint64_t)0x3f << 20 | 30 << 15 | 4 << 12, 32), UINT32_MAX);
    bench_close(&b);
    bench_open_silent(&b, "virtual:ivbep,part=plain,packages=1,cores=3,dram_channels=2");
    set_pci(0, 1, CTL, PLAIN);
    assert_int_equal(pci(0, 1, CTL, 32), PLAIN);
    set_pci(0, 2, CTL, PLAIN); /* a function without a channel */
    assert_int_equal(pci(0, 2, CTL, 32), 0);
}

/* Bytes and halves of a register, and a count in two words. */
static void parts(void **state)
{
    (void)state;
    set_pci(1, 2, CTL, PLAIN | EN);
    set_bits(1, 2, CTL + 3, 8, 0x12);
    set_bits(1, 2, CTL, 8, 0x77);
    assert_int_equal(pci(1, 2, CTL, 32), 0x12000877 | EN);
    assert_int_equal(pci(1, 2, CTL + 2, 16), 0x1240);
    set_bits(1, 2, CTR, 64, 0x123456789abc);
    assert_int_equal(pci(1, 2, CTR, 32), 0x56789abc);
    assert_int_equal(pci(1, 2, CTR + 4, 32), 0x1234);
    set_pci(1, 2, CTR + 4, 0xffff4321);
    assert_int_equal(pci(1, 2, CTR, 64), 0x432156789abc);
}

/* All counters of all channels of both packages, each with its own level; only one unit's counters
 * change. */
static void every_counter_at_once(void **state)
{
    (void)state;
    for (unsigned unit = 0; unit < 2 * CHANNELS; unit++)
        for (unsigned i = 0; i < 4; i++)
            set_pci(unit / CHANNELS, unit % CHANNELS, CTL + 4 * i, 0x2000000 | PLAIN | EN);
    raise_in(1, 3, ANYWHERE, 8, 2, 7);
    for (unsigned unit = 0; unit < 2 * CHANNELS; unit++)
        for (unsigned i = 0; i < 4; i++)
            assert_int_equal(pci(unit / CHANNELS, unit % CHANNELS, CTR + 8 * i, 64),
                             unit == CHANNELS + 3 ? 7 : 0);
}

/* The counter's enable, the box's freeze, and the freeze of its package's U-Box; also for the fixed
 * counter. */
static void enables(void **state)
{
    (void)state;
    uint64_t count = 0;
    for (unsigned fixed = 0; fixed < 2; fixed++) {
        unsigned control = fixed ? FIXED_CTL : CTL + 8, counter = fixed ? FIXED_CTR : CTR + 16;
        unsigned code = fixed ? FIXED_CODE : ANYWHERE, umask = fixed ? 0 : 8;
        uint64_t select = fixed ? 0 : PLAIN;
        count = 0;
        for (unsigned off = 0; off < 16; off++) {
            set_pci(1, 0, control, select | (off & 1 ? 0 : EN));
            set_pci(1, 0, BOX_CTL, off & 2 ? FRZ : 0);
            set_on(&b, 3, GLOBAL_CTL, off & 4 ? BIT(31) : BIT(29));
            set_on(&b, 0, GLOBAL_CTL, off & 8 ? BIT(31) : 0); /* the other package's */
            raise_in(1, 0, code, umask, 1, 10);
            count += off & 7 ? 0 : 10;
            assert_int_equal(pci(1, 0, counter, 64), count);
        }
        assert_int_equal(count, 20);
    }
}

static void fill(unsigned channel)
{
    for (unsigned i = 0; i < 4; i++) {
        set_pci(0, channel, CTL + 4 * i, PLAIN | EN);
        set_bits(0, channel, CTR + 8 * i, 64, 100 + i);
    }
    set_pci(0, channel, FIXED_CTL, EN);
    set_bits(0, channel, FIXED_CTR, 64, 104);
}

static void check(unsigned channel, bool controls, bool counts)
{
    for (unsigned i = 0; i < 4; i++) {
        assert_int_equal(pci(0, channel, CTL + 4 * i, 32), controls ? PLAIN | EN : 0);
        assert_int_equal(pci(0, channel, CTR + 8 * i, 64), counts ? 100 + i : 0);
    }
    assert_int_equal(pci(0, channel, FIXED_CTL, 32), controls ? EN : 0);
    assert_int_equal(pci(0, channel, FIXED_CTR, 64), counts ? 104 : 0);
}

/* RST_CTRL and RST_CTRS of a box; both, as Linux's ivbep_uncore_pci_init_box writes. */
static void resets_of_a_box(void **state)
{
    (void)state;
    for (unsigned write = 1; write <= 3; write++) {
        for (unsigned channel = 0; channel < CHANNELS; channel++)
            fill(channel);
        set_pci(0, 2, BOX_CTL, write | FRZ);
        assert_int_equal(pci(0, 2, BOX_CTL, 32), 0x30000 | FRZ);
        check(2, !(write & 1), !(write & 2));
        check(0, true, true);
        check(1, true, true);
        check(3, true, true);
        set_pci(0, 2, BOX_CTL, 0);
    }
}

static void reset_of_one_counter(void **state)
{
    (void)state;
    fill(1);
    set_pci(0, 1, CTL + 4, PLAIN | EN | RST);
    assert_int_equal(pci(0, 1, CTL + 4, 32), PLAIN | EN);
    assert_int_equal(pci(0, 1, CTR, 64), 100);
    assert_int_equal(pci(0, 1, CTR + 8, 64), 0);
    set_pci(0, 1, FIXED_CTL, EN | BIT(19));
    assert_int_equal(pci(0, 1, FIXED_CTL, 32), EN);
    assert_int_equal(pci(0, 1, FIXED_CTR, 64), 0);
    assert_int_equal(pci(0, 1, CTR + 16, 64), 102);
}

static void threshold_and_edge(void **state)
{
    (void)state;
    set_pci(0, 0, CTL, 0x3000000 | PLAIN | EN);
    set_pci(0, 0, CTL + 4, 0x3000000 | PLAIN | EN | BIT(18));
    set_pci(0, 0, CTL + 8, 0xff000000 | PLAIN | EN);
    set_pci(0, 0, CTL + 12, 0x3000000 | PLAIN | EN | BIT(23)); /* no invert */
    for (unsigned i = 0; i < 2; i++) {
        raise_in(0, 0, ANYWHERE, 8, 2, 5);
        raise_in(0, 0, ANYWHERE, 8, 3, 4);
        raise_in(0, 0, ANYWHERE, 8, 255, 3);
    }
    assert_int_equal(pci(0, 0, CTR, 64), 14);
    assert_int_equal(pci(0, 0, CTR + 8, 64), 2);
    assert_int_equal(pci(0, 0, CTR + 16, 64), 6);
    assert_int_equal(pci(0, 0, CTR + 24, 64), 14);
}

static void wraps_at_48_bits(void **state)
{
    (void)state;
    set_pci(0, 0, CTL, PLAIN | EN | BIT(20));
    set_bits(0, 0, CTR, 64, WIDTH(48) - 4);
    raise_in(0, 0, ANYWHERE, 8, 1, 10);
    assert_int_equal(pci(0, 0, CTR, 64), 5);
    assert_int_equal(pci(0, 0, BOX_STATUS, 32), 0);
    assert_int_equal(b.pmis, 0);
}

int main(void)
{
#define TEST(f) cmocka_unit_test_setup_teardown(f, set_up, bench_tear_down)
    const struct CMUnitTest tests[] = {
        TEST(each_bit_alone),
        TEST(functions),
        TEST(parts),
        TEST(every_counter_at_once),
        TEST(enables),
        TEST(resets_of_a_box),
        TEST(reset_of_one_counter),
        TEST(threshold_and_edge),
        TEST(wraps_at_48_bits),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

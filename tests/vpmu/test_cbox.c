/* Every register of the Ivy Bridge-EP C-Box, bit by bit: resets, freeze, filters. Addresses and
 * bits: Intel 329468-002; Linux arch/x86/events/intel/uncore_snbep.c; libpfm4
 * lib/pfmlib_intel_snbep_unc_priv.h. Where they are silent, docs/reference/dialogue.md says how we
 * read them. */
#include "../cmocked.h"

#include "bench.h"
#include "bits.h"

#include <errno.h>

enum { CBOX = 1, BOXES = 15, STRIDE = 0x20 }; /* position in the line "boxes" of ivbep.cpu */
enum { BOX_CTL = 0xd04, CTL = 0xd10, FILTER0 = 0xd14, CTR = 0xd16, FILTER1 = 0xd1a };
enum { GLOBAL_CTL = 0xc00, GLOBAL_STATUS = 0xc01 };

#define EN     BIT(22)
#define TID_EN BIT(19)
#define RST    BIT(17)
#define FRZ    BIT(8)

/* A code without an event, which may be on every counter. */
enum { ANYWHERE = 0x98 };

struct msr {
    unsigned address;
    uint64_t taken;  /* bits that can be written as 1 */
    uint64_t held;   /* bits of these that read back */
    uint64_t always; /* bits that read as 1 whatever is written */
};

#define SELECT (WIDTH(16) | RST | BIT(18) | TID_EN | EN | (uint64_t)0xff << 24)

static const struct msr box_msrs[] = {
    {BOX_CTL, BIT(0) | BIT(1) | FRZ | BIT(16) | BIT(17), FRZ, BIT(16) | BIT(17)},
    {CTL, SELECT, SELECT & ~RST, 0},
    {CTL + 1, SELECT, SELECT & ~RST, 0},
    {CTL + 2, SELECT, SELECT & ~RST, 0},
    {CTL + 3, SELECT, SELECT & ~RST, 0},
    {FILTER0, WIDTH(9) | WIDTH(6) << 17, WIDTH(9) | WIDTH(6) << 17, 0},
    {CTR, WIDTH(44), WIDTH(44), 0},
    {CTR + 1, WIDTH(44), WIDTH(44), 0},
    {CTR + 2, WIDTH(44), WIDTH(44), 0},
    {CTR + 3, WIDTH(44), WIDTH(44), 0},
    {FILTER1, WIDTH(16) | WIDTH(12) << 20, WIDTH(16) | WIDTH(12) << 20, 0},
};

static const struct msr global_msrs[] = {
    {GLOBAL_CTL, WIDTH(15) | BIT(29) | BIT(30) | BIT(31), WIDTH(15) | BIT(29) | BIT(30) | BIT(31),
     0},
    {GLOBAL_STATUS, WIDTH(32), 0, 0},
};

static struct bench b;

static int set_up(void **state)
{
    *state = &b;
    bench_open_silent(&b, "virtual:ivbep,part=plain,packages=1,cores=15");
    return 0;
}

static void check_msr(const struct msr *m, unsigned offset)
{
    check_bits(&b, m->address + offset, m->taken, m->held, m->always);
}

static void test_each_bit_alone(void **state)
{
    (void)state;
    for (unsigned unit = 0; unit < BOXES; unit++)
        for (size_t i = 0; i < ARRAY(box_msrs); i++)
            check_msr(&box_msrs[i], STRIDE * unit);
    for (size_t i = 0; i < ARRAY(global_msrs); i++)
        check_msr(&global_msrs[i], 0);
}

static void test_other_addresses_fault(void **state)
{
    (void)state;
    uint64_t value;
    for (unsigned unit = 0; unit < BOXES; unit++)
        for (unsigned i = 0; i < STRIDE; i++) {
            unsigned address = 0xd00 + STRIDE * unit + i;
            bool known = i == 4 || (i >= 0x10 && i <= 0x14) || (i >= 0x16 && i <= 0x1a);
            assert_int_equal(rd(&b, 0, address, &value), known ? 0 : EIO);
            assert_int_equal(wr(&b, 0, address, 0), known ? 0 : EIO);
        }
    assert_int_equal(rd(&b, 0, BOX_CTL + STRIDE * BOXES, &value), EIO);
}

static void test_a_box_beside_each_core(void **state)
{
    (void)state;
    uint64_t value;
    bench_close(&b);
    bench_open_silent(&b, "virtual:ivbep,part=plain,packages=1,cores=4");
    assert_int_equal(get(&b, CTL + STRIDE * 3), 0);
    assert_int_equal(rd(&b, 0, CTL + STRIDE * 4, &value), EIO);
    assert_int_equal(rd(&b, 3, CTL, &value), 0);
    assert_int_equal(rd(&b, 4, CTL, &value), ENXIO);
}

/* CPU number = package x cores + core; two packages of ten by default. */
static void test_packages_have_their_own(void **state)
{
    (void)state;
    bench_close(&b);
    bench_open_silent(&b, "virtual:ivbep,part=plain");
    set_on(&b, 9, CTL, 0x400835);
    set_on(&b, 10, CTL, 0x400835);
    set_on(&b, 19, GLOBAL_CTL, BIT(31));
    assert_int_equal(get_on(&b, 0, CTL), 0x400835);
    raise_what(&b, &(bx_selection){.box = CBOX, .code = 0x35, .umask = 8}, 3, 10);
    raise_what(&b, &(bx_selection){.box = CBOX, .package = 1, .code = 0x35, .umask = 8}, 3, 10);
    assert_int_equal(get_on(&b, 0, CTR), 30);
    assert_int_equal(get_on(&b, 10, CTR), 0); /* package 1 is frozen */
    set_on(&b, 12, GLOBAL_CTL, BIT(29));
    raise_what(&b, &(bx_selection){.box = CBOX, .package = 1, .code = 0x35, .umask = 8}, 2, 10);
    assert_int_equal(get_on(&b, 0, CTR), 30);
    assert_int_equal(get_on(&b, 15, CTR), 20);
}

/* All counters of all boxes of two packages with fifteen cores each, each with its own level. */
static void test_every_counter_at_once(void **state)
{
    (void)state;
    bench_close(&b);
    bench_open_silent(&b, "virtual:ivbep,part=plain,cores=15");
    for (unsigned package = 0; package < 2; package++)
        for (unsigned unit = 0; unit < BOXES; unit++)
            for (unsigned i = 0; i < 4; i++)
                set_on(&b, 15 * package, CTL + STRIDE * unit + i, 0x2400898);
    bx_selection what = {.box = CBOX, .unit = 14, .package = 1, .code = ANYWHERE, .umask = 8};
    raise_what(&b, &what, 2, 7);
    for (unsigned package = 0; package < 2; package++)
        for (unsigned unit = 0; unit < BOXES; unit++)
            for (unsigned i = 0; i < 4; i++)
                assert_int_equal(get_on(&b, 15 * package, CTR + STRIDE * unit + i),
                                 package == 1 && unit == 14 ? 7 : 0);
}

/* ---- enables, freeze, resets ---- */

static void test_each_enable(void **state)
{
    (void)state;
    set(&b, CTL + 2, 0x898 | EN);
    raise_signal(&b, CBOX, 0, ANYWHERE, 8, 1, 10);
    assert_int_equal(get(&b, CTR + 2), 10);
    set(&b, CTL + 2, 0x898);
    raise_signal(&b, CBOX, 0, ANYWHERE, 8, 1, 10);
    assert_int_equal(get(&b, CTR + 2), 10);
    set(&b, CTL + 2, 0x898 | EN);
    set(&b, BOX_CTL, FRZ);
    raise_signal(&b, CBOX, 0, ANYWHERE, 8, 1, 10);
    assert_int_equal(get(&b, CTR + 2), 10);
    set(&b, BOX_CTL, 0);
    set(&b, GLOBAL_CTL, BIT(31));
    raise_signal(&b, CBOX, 0, ANYWHERE, 8, 1, 10);
    assert_int_equal(get(&b, CTR + 2), 10);
    set(&b, GLOBAL_CTL, BIT(29));
    raise_signal(&b, CBOX, 0, ANYWHERE, 8, 1, 10);
    assert_int_equal(get(&b, CTR + 2), 20);
}

static void test_a_freeze_is_of_one_box(void **state)
{
    (void)state;
    set(&b, CTL, 0x898 | EN);
    set(&b, CTL + STRIDE, 0x898 | EN);
    set(&b, BOX_CTL + STRIDE, FRZ);
    raise_signal(&b, CBOX, 0, ANYWHERE, 8, 1, 10);
    raise_signal(&b, CBOX, 1, ANYWHERE, 8, 1, 10);
    assert_int_equal(get(&b, CTR), 10);
    assert_int_equal(get(&b, CTR + STRIDE), 0);
}

static void fill_box(unsigned unit)
{
    for (unsigned i = 0; i < 4; i++) {
        set(&b, CTL + STRIDE * unit + i, 0x898 | EN);
        set(&b, CTR + STRIDE * unit + i, 100 + i);
    }
}

static void check_box(unsigned unit, uint64_t control, unsigned count)
{
    for (unsigned i = 0; i < 4; i++) {
        assert_int_equal(get(&b, CTL + STRIDE * unit + i), control);
        assert_int_equal(get(&b, CTR + STRIDE * unit + i), count ? count + i : 0);
    }
}

static void test_resets_of_a_box(void **state)
{
    (void)state;
    for (unsigned unit = 0; unit < 3; unit++)
        fill_box(unit);
    set(&b, FILTER0 + STRIDE, 0x20000);
    set(&b, BOX_CTL + STRIDE, BIT(0)); /* rst_ctrl */
    check_box(0, 0x898 | EN, 100);
    check_box(1, 0, 100);
    check_box(2, 0x898 | EN, 100);
    assert_int_equal(get(&b, FILTER0 + STRIDE), 0x20000);
    raise_signal(&b, CBOX, 1, ANYWHERE, 8, 1, 10);
    check_box(1, 0, 100);              /* it no longer counts */
    set(&b, BOX_CTL + STRIDE, BIT(1)); /* rst_ctrs */
    check_box(1, 0, 0);
    check_box(2, 0x898 | EN, 100);
    set(&b, BOX_CTL + 2 * STRIDE, 3); /* Linux ivbep_uncore_msr_init_box */
    check_box(2, 0, 0);
    assert_int_equal(get(&b, BOX_CTL + 2 * STRIDE), 0x30000);
    check_box(0, 0x898 | EN, 100);
}

static void test_a_reset_and_a_freeze_in_one_write(void **state)
{
    (void)state;
    fill_box(0);
    set(&b, BOX_CTL, FRZ | BIT(1));
    assert_int_equal(get(&b, BOX_CTL), 0x30100);
    check_box(0, 0x898 | EN, 0);
    raise_signal(&b, CBOX, 0, ANYWHERE, 8, 1, 10);
    check_box(0, 0x898 | EN, 0);
}

static void test_reset_of_one_counter(void **state)
{
    (void)state;
    fill_box(0);
    set(&b, CTL + 1, 0x898 | EN | RST);
    assert_int_equal(get(&b, CTL + 1), 0x898 | EN);
    assert_int_equal(get(&b, CTR), 100);
    assert_int_equal(get(&b, CTR + 1), 0);
    assert_int_equal(get(&b, CTR + 2), 102);
    raise_signal(&b, CBOX, 0, ANYWHERE, 8, 1, 10);
    assert_int_equal(get(&b, CTR + 1), 10);
    set(&b, CTL + 1, 0x898 | EN | RST); /* the same again */
    assert_int_equal(get(&b, CTR + 1), 0);
    assert_int_equal(wr(&b, 0, CTL + 2, RST | BIT(16)), EIO);
    assert_int_equal(get(&b, CTR + 2), 112);
}

static void test_threshold_and_edge(void **state)
{
    (void)state;
    set(&b, CTL, 0x3000898 | EN);               /* cycles with at least 3 */
    set(&b, CTL + 1, 0x3000898 | EN | BIT(18)); /* rises to it */
    set(&b, CTL + 2, 0xff000898 | EN);
    for (uint32_t i = 0; i < 2; i++) {
        raise_signal(&b, CBOX, 0, ANYWHERE, 8, 2, 5);
        raise_signal(&b, CBOX, 0, ANYWHERE, 8, 3, 4);
        raise_signal(&b, CBOX, 0, ANYWHERE, 8, 255, 3);
    }
    assert_int_equal(get(&b, CTR), 14);
    assert_int_equal(get(&b, CTR + 1), 2);
    assert_int_equal(get(&b, CTR + 2), 6);
}

static void test_a_counter_wraps_at_44_bits(void **state)
{
    (void)state;
    set(&b, CTL, 0x898 | EN);
    set(&b, CTR, WIDTH(44) - 4);
    raise_signal(&b, CBOX, 0, ANYWHERE, 8, 1, 10);
    assert_int_equal(get(&b, CTR), 5);
    assert_int_equal(get(&b, GLOBAL_STATUS), 0);
    assert_int_equal(b.pmis, 0);
}

/* ---- filters ---- */

enum { F0 = 0, F1 = 1 };
#define THREAD   BIT(0)
#define CORE(n)  ((uint64_t)(n) << 1)
#define CORES    CORE(7)
#define STATE(n) ((uint64_t)(n) << 17)
#define STATES   STATE(0x3f)
#define NID(n)   ((uint64_t)(n))
#define NIDS     NID(0xffff)
#define OPC(n)   ((uint64_t)(n) << 20)
#define OPCS     OPC(0x1ff)
#define NC       BIT(30)
#define ISOC     BIT(31)

/* A signal of a code and unit mask, with what distinguishes it: values, and which fields. */
static bx_selection signal_of(uint64_t select, unsigned filter, uint64_t value, uint64_t fields)
{
    bx_selection what = {
        .box = CBOX, .code = select & 0xff, .umask = (uint32_t)(select >> 8 & 0xff)};
    what.filter[filter] = value;
    what.applies[filter] = fields;
    return what;
}

/* Whether a counter with these settings sees the signal. */
static bool sees(uint64_t control, uint64_t filter0, uint64_t filter1, bx_selection what)
{
    set(&b, FILTER0, filter0);
    set(&b, FILTER1, filter1);
    set(&b, CTL, control | EN | RST);
    raise_what(&b, &what, 2, 3);
    uint64_t count = get(&b, CTR);
    assert_true(count == 0 || count == 6);
    set(&b, CTL, 0);
    return count;
}

/* Opcodes reach the TOR events with an OPCODE unit mask: 01 03 21 23 81 83 41 43. */
static void test_opcode_filter(void **state)
{
    (void)state;
    static const unsigned with[] = {0x01, 0x03, 0x21, 0x23, 0x81, 0x83, 0x41, 0x43};
    static const unsigned without[] = {0x04, 0x08, 0x10, 0x28, 0x2a, 0x44, 0x48, 0x4a, 0x88, 0x8a};
    for (uint64_t code = 0x35; code <= 0x36; code++) {
        for (size_t i = 0; i < ARRAY(with); i++) {
            uint64_t select = code | with[i] << 8;
            assert_true(sees(select, 0, OPC(0x180), signal_of(select, F1, OPC(0x180), OPCS)));
            assert_false(sees(select, 0, OPC(0x180), signal_of(select, F1, OPC(0x182), OPCS)));
            assert_false(sees(select, 0, OPC(0x180), signal_of(select, F1, OPC(0x181), OPCS)));
            assert_true(sees(select, 0, OPC(0x180), signal_of(select, F1, 0, 0)));
            assert_true(sees(select, 0, 0, signal_of(select, F1, OPC(0x182), OPCS)));
        }
        for (size_t i = 0; i < ARRAY(without); i++) {
            uint64_t select = code | without[i] << 8;
            assert_true(sees(select, 0, OPC(0x180), signal_of(select, F1, OPC(0x182), OPCS)));
        }
    }
    assert_true(sees(0x0439, 0, OPC(0x180), signal_of(0x0439, F1, OPC(0x182), OPCS)));
}

static void test_non_coherent_and_isochronous(void **state)
{
    (void)state;
    static const uint64_t bits[] = {NC, ISOC};
    for (size_t i = 0; i < ARRAY(bits); i++) {
        assert_true(sees(0x0135, 0, bits[i], signal_of(0x0135, F1, bits[i], bits[i])));
        assert_false(sees(0x0135, 0, bits[i], signal_of(0x0135, F1, 0, bits[i])));
        assert_true(sees(0x0135, 0, 0, signal_of(0x0135, F1, bits[i], bits[i])));
        assert_true(sees(0x0835, 0, bits[i], signal_of(0x0835, F1, 0, bits[i])));
    }
}

/* Nodes, a bit each, with a NID unit mask: bit 6. */
static void test_node_filter(void **state)
{
    (void)state;
    static const uint64_t with[] = {0x4134, 0x4135, 0x4335, 0x4435, 0x4836, 0x4a36, 0x5036, 0x4137};
    static const uint64_t without[] = {0x1134, 0x0135, 0x0835, 0x0436, 0x0137};
    for (size_t i = 0; i < ARRAY(with); i++) {
        assert_true(sees(with[i], STATES, NID(2), signal_of(with[i], F1, NID(2), NIDS)));
        assert_true(sees(with[i], STATES, NID(3), signal_of(with[i], F1, NID(2), NIDS)));
        assert_false(sees(with[i], STATES, NID(1), signal_of(with[i], F1, NID(2), NIDS)));
        assert_true(sees(with[i], STATES, NID(0x8000), signal_of(with[i], F1, NID(0x8000), NIDS)));
        assert_true(sees(with[i], STATES, NID(0), signal_of(with[i], F1, NID(2), NIDS)));
        assert_true(sees(with[i], STATES, NID(1), signal_of(with[i], F1, 0, 0)));
    }
    for (size_t i = 0; i < ARRAY(without); i++)
        assert_true(sees(without[i], STATES, NID(1), signal_of(without[i], F1, NID(2), NIDS)));
}

static void test_node_and_opcode_together(void **state)
{
    (void)state;
    uint64_t both = NID(1) | OPC(0x180), keys = NIDS | OPCS;
    assert_true(sees(0x4135, 0, both, signal_of(0x4135, F1, both, keys)));
    assert_false(sees(0x4135, 0, both, signal_of(0x4135, F1, NID(2) | OPC(0x180), keys)));
    assert_false(sees(0x4135, 0, both, signal_of(0x4135, F1, NID(1) | OPC(0x187), keys)));
}

/* I S E M F M', for lookups only; without any state nothing is counted. */
static void test_state_filter(void **state)
{
    (void)state;
    static const uint64_t lookups[] = {0x0334, 0x0534, 0x0934, 0x1134, 0x4134, 0x5134};
    for (size_t i = 0; i < ARRAY(lookups); i++)
        for (unsigned filter = 0; filter < 64; filter += 7)
            for (unsigned bit = 0; bit < 6; bit++)
                assert_int_equal(sees(lookups[i], STATE(filter), 0,
                                      signal_of(lookups[i], F0, STATE(1 << bit), STATES)),
                                 filter >> bit & 1);
    assert_false(sees(0x1134, STATE(0x3f), 0, signal_of(0x1134, F0, STATE(0), STATES)));
    assert_true(sees(0x1134, 0, 0, signal_of(0x1134, F0, 0, 0)));
    assert_true(sees(0x0137, STATE(1), 0, signal_of(0x0137, F0, STATE(2), STATES)));
    assert_true(sees(0x0835, 0, 0, signal_of(0x0835, F0, STATE(2), STATES)));
}

/* Thread 0 and core 0 are ordinary values: CTL.tid_en enables the filter. */
static void test_thread_and_core_filter(void **state)
{
    (void)state;
    uint64_t fields = THREAD | CORES;
    for (unsigned filter = 0; filter < 16; filter++)
        for (unsigned tid = 0; tid < 16; tid++) {
            bx_selection what = signal_of(0x0835, F0, tid, fields);
            assert_int_equal(sees(0x0835 | TID_EN, filter, 0, what), filter == tid);
            assert_true(sees(0x0835, filter, 0, what));
        }
    assert_true(sees(0x0835 | TID_EN, CORE(5) | 1, 0, signal_of(0x0835, F0, CORE(5), CORES)));
    assert_false(sees(0x0835 | TID_EN, CORE(5) | 1, 0, signal_of(0x0835, F0, CORE(4), CORES)));
    assert_true(sees(0x0835 | TID_EN, CORE(5) | 1, 0, signal_of(0x0835, F0, 1, THREAD)));
    assert_false(sees(0x0835 | TID_EN, CORE(5) | 1, 0, signal_of(0x0835, F0, 0, THREAD)));
    assert_true(sees(0x0835 | TID_EN, CORE(5) | 1, 0, signal_of(0x0835, F0, 0, 0)));
    /* The clock has no filter. */
    assert_true(sees(0x0000 | TID_EN, CORE(5), 0, signal_of(0, F0, 0, fields)));
}

/* A filter changes while counters run. It affects those counters of the box that count inserts into
 * the TOR, and no others. */
static void test_filters_belong_to_the_box(void **state)
{
    (void)state;
    bx_selection what = signal_of(0x0135, F1, OPC(0x182), OPCS);
    for (unsigned i = 0; i < 4; i++)
        set(&b, CTL + i, 0x0135 | EN);
    set(&b, CTL + STRIDE, 0x0135 | EN);
    set(&b, FILTER1, OPC(0x180));
    raise_what(&b, &what, 1, 10);
    set(&b, FILTER1, OPC(0x182));
    raise_what(&b, &what, 1, 10);
    set(&b, FILTER1, OPC(0x180));
    raise_what(&b, &what, 1, 10);
    for (unsigned i = 0; i < 4; i++)
        assert_int_equal(get(&b, CTR + i), i < 2 ? 10 : 0);
    what.unit = 1;
    raise_what(&b, &what, 1, 10);
    assert_int_equal(get(&b, CTR + STRIDE), 10);
}

/* The filters that a counter passes to the model. */
static void test_what_the_model_is_shown(void **state)
{
    (void)state;
    struct script_watch *w = b.script.watch;
    script_add(&b.script, CBOX, 0, 0x35, 0x41);
    set(&b, FILTER0, STATE(8) | CORE(3));
    set(&b, FILTER1, NID(2) | OPC(0x182));
    set(&b, CTL, 0x1004135 | EN);
    assert_int_equal(w[0].sel.filter[F0], STATE(8) | CORE(3));
    assert_int_equal(w[0].sel.filter[F1], NID(2) | OPC(0x182));
    assert_int_equal(w[0].sel.applies[F0], 0);
    assert_int_equal(w[0].sel.applies[F1], NIDS | OPCS | NC | ISOC);
    assert_int_equal(w[0].sel.levels, BX_LEVELS);
    set(&b, CTL, 0x1004135 | EN | TID_EN);
    assert_int_equal(w[0].sel.applies[F0] & (THREAD | CORES | STATES), THREAD | CORES);
    set(&b, CTL, 0x1004134 | EN);
    assert_int_equal(w[0].sel.applies[F0], STATES);
    assert_int_equal(w[0].sel.applies[F1], NIDS);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, bench_tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(test_each_bit_alone),
        TEST(test_other_addresses_fault),
        TEST(test_a_box_beside_each_core),
        TEST(test_packages_have_their_own),
        TEST(test_every_counter_at_once),
        TEST(test_each_enable),
        TEST(test_a_freeze_is_of_one_box),
        TEST(test_resets_of_a_box),
        TEST(test_a_reset_and_a_freeze_in_one_write),
        TEST(test_reset_of_one_counter),
        TEST(test_threshold_and_edge),
        TEST(test_a_counter_wraps_at_44_bits),
        TEST(test_opcode_filter),
        TEST(test_non_coherent_and_isochronous),
        TEST(test_node_filter),
        TEST(test_node_and_opcode_together),
        TEST(test_state_filter),
        TEST(test_thread_and_core_filter),
        TEST(test_filters_belong_to_the_box),
        TEST(test_what_the_model_is_shown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

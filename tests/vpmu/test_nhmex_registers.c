/* Each register of the Xeon 7500's boxes, bit by bit: which bits can be written as 1 without a
 * fault, and which of them are kept. Transcribed from tables 2-1 to 2-90 of 323535-001. */
#include "../cmocked.h"

#include "nhmex_boxes.h"

#include <errno.h>

static struct bench b;

static int set_up(void **state)
{
    bench_open_silent(&b, "virtual:nhmex,part=plain,packages=1");
    *state = &b;
    return 0;
}

#define BITS(hi, lo) (WIDTH((hi) + 1) & ~WIDTH(lo))
#define ALL          (~UINT64_C(0))
#define WORD         WIDTH(32)

/* Reserved in every control of 64 bits. */
#define RESERVED     (BITS(62, 61) | BIT(50))
#define SELECT       (BITS(31, 22) | BIT(20) | BIT(18) | BITS(15, 0))

struct row {
    unsigned msr;
    uint64_t taken, held;
};

static void check(const struct row *rows, size_t n, unsigned offset)
{
    for (size_t i = 0; i < n; i++)
        check_bits(&b, rows[i].msr + offset, rows[i].taken, rows[i].held, 0);
}

/* The control and the counter number n of each box. */
static void check_counters(unsigned first, unsigned n, uint64_t taken, uint64_t held)
{
    for (unsigned i = 0; i < n; i++) {
        check_bits(&b, first + 2 * i, taken, held, 0);
        check_bits(&b, first + 2 * i + 1, WIDTH(48), WIDTH(48), 0);
    }
}

static void test_u_box(void **state)
{
    (void)state;
    static const struct row rows[] = {
        {U_CTL, WORD, BIT(31) | BIT(29) | BIT(28) | BITS(8, 0)},
        {U_STATUS, WORD, BIT(31) | BIT(30) | BIT(0)},
        {U_OVF, WORD, 0},
    };
    check(rows, ARRAY(rows), 0);
    check_counters(0xc10, 1, WORD, BIT(22) | BIT(20) | BIT(18) | BITS(7, 0));
}

static void test_c_boxes(void **state)
{
    (void)state;
    static const struct row rows[] = {{0xd00, 0x3f, 0x3f}, {0xd01, 0x3f, 0x3f}, {0xd02, 0x3f, 0}};
    for (unsigned base = 0; base < 0x100; base += 0x20) {
        check(rows, ARRAY(rows), base);
        check_counters(0xd10 + base, 6, ALL & ~RESERVED, SELECT);
    }
}

static void test_b_boxes(void **state)
{
    (void)state;
    static const struct row rows[] = {{0xc20, 0xf, 0xf}, {0xc21, 0xf, 0xf}, {0xc22, 0xf, 0}};
    static const struct row match[] = {{0xe45, ALL, BITS(59, 0)}, {0xe46, ALL, BITS(59, 0)}};
    for (unsigned unit = 0; unit < 2; unit++) {
        check(rows, ARRAY(rows), 0x40 * unit);
        check(match, ARRAY(match), 8 * unit);
        check_counters(0xc30 + 0x40 * unit, 4, ALL & ~RESERVED, BIT(20) | BITS(5, 0));
    }
}

static void test_s_boxes(void **state)
{
    (void)state;
    static const struct row rows[] = {
        {0xc40, 0xf, 0xf}, {0xc41, 0xf, 0xf}, {0xc42, 0xf, 0}, {0xc43, WORD, 0}};
    static const struct row match[] = {
        {0xe48, ALL, BIT(63)}, {0xe49, ALL, ALL}, {0xe4a, ALL, BITS(38, 0)}};
    for (unsigned unit = 0; unit < 2; unit++) {
        check(rows, ARRAY(rows), 0x80 * unit);
        check(match, ARRAY(match), 0x10 * unit);
        check_counters(0xc50 + 0x80 * unit, 4, ALL & ~RESERVED, SELECT);
    }
}

static void test_r_box(void **state)
{
    (void)state;
    static const struct row rows[] = {{0xe00, 0xff, 0xff}, {0xe01, 0, 0}, {0xe02, 0xff, 0}};
    const uint64_t header = BITS(51, 48) | BITS(35, 31) | BITS(17, 3);
    for (unsigned half = 0; half < 2; half++) {
        check(rows, ARRAY(rows), 0x20 * half);
        check_counters(0xe10 + 0x20 * half, 8, ALL & ~BITS(62, 61), BITS(6, 0));
    }
    for (unsigned port = 0; port < 8; port++) {
        check_bits(&b, 0xe04 + port, WORD, WORD & ~BITS(23, 22), 0);
        check_bits(&b, 0xe24 + port, WORD, WORD & ~BITS(23, 22), 0);
        check_bits(&b, (port < 4 ? 0xe0c : 0xe28) + port, WORD, BITS(15, 0), 0);
        for (unsigned s = 0; s < 2; s++) {
            unsigned config = 0xe60 + 0x10 * s + 4 * port + (port < 4 ? 0 : 0x10);
            check_bits(&b, config, ALL, BIT(63) | BITS(21, 0), 0);
            check_bits(&b, config + 1, header, header, 0);
            check_bits(&b, config + 2, header, header, 0);
            assert_int_equal(wr(&b, 0, config + 3, 0), EIO);
        }
    }
}

static void test_m_boxes(void **state)
{
    (void)state;
    static const struct row rows[] = {
        {0xca0, 0x3f, 0x3f},        {0xca1, 0x3f, 0x3f},        {0xca2, 0x3f, 0},
        {0xca4, 0xffff, 0xffff},    {0xca5, WORD, BITS(10, 0)}, {0xca6, WORD, BITS(9, 0)},
        {0xca7, WORD, BITS(9, 0)},  {0xca8, WORD, BITS(10, 0)}, {0xca9, WORD, BITS(11, 0)},
        {0xcaa, WORD, BITS(13, 0)}, {0xcab, WORD, BITS(23, 0)},
    };
    static const struct row match[] = {
        {0xe54, ALL, BIT(63)}, {0xe55, WIDTH(34), WIDTH(34)}, {0xe56, WIDTH(27), WIDTH(27)}};
    const uint64_t held = BITS(21, 19) | BITS(13, 9) | BITS(7, 0);
    for (unsigned unit = 0; unit < 2; unit++) {
        check(rows, ARRAY(rows), 0x40 * unit);
        check(match, ARRAY(match), 8 * unit);
        check_counters(0xcb0 + 0x40 * unit, 6, BIT(63) | BITS(60, 25) | held, held);
    }
}

static void test_w_box(void **state)
{
    (void)state;
    static const struct row rows[] = {
        {0xc80, WORD, BIT(31) | 0xf},
        {0xc81, WORD, BIT(31) | 0xf},
        {0xc82, WORD, 0},
        {0x394, WIDTH(48), WIDTH(48)},
        {0x395, 3, 3},
    };
    check(rows, ARRAY(rows), 0);
    check_counters(0xc90, 4, ALL & ~RESERVED, SELECT);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, bench_tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(test_u_box), TEST(test_c_boxes), TEST(test_b_boxes), TEST(test_s_boxes),
        TEST(test_r_box), TEST(test_m_boxes), TEST(test_w_box),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

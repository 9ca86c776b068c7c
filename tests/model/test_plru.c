/* Tree-PLRU alone, and in L1D, where latencies show it. */
#include "../cmocked.h"

#include "client_rig.h"

#include "model/engine/plru.h"

/* If the set is filled again and again, ways are replaced in the order of textbooks. */
static void test_fill_order(void **state)
{
    (void)state;
    static const unsigned order8[] = {0, 4, 2, 6, 1, 5, 3, 7}, order4[] = {0, 2, 1, 3};
    uint8_t bits8 = 0, bits4 = 0;

    for (unsigned way = 0; way < 8; way++)
        bits8 = bx_plru8_touch(bits8, way);
    for (unsigned way = 0; way < 4; way++)
        bits4 = bx_plru4_touch(bits4, way);
    for (unsigned i = 0; i < 16; i++) {
        assert_int_equal(bx_plru8_fill(bits8).way, order8[i % 8]);
        bits8 = bx_plru8_fill(bits8).bits;
        assert_int_equal(bx_plru4_victim(bits4), order4[i % 4]);
        bits4 = bx_plru4_touch(bits4, order4[i % 4]);
    }
}

/* The tree walked node by node: root 0, children 2i+1 and 2i+2, a bit of 1 points to the upper
 * half. */
static unsigned plain_victim(unsigned bits, unsigned ways)
{
    unsigned node = 0, way = 0;
    for (unsigned half = ways / 2; half; half /= 2) {
        unsigned upper = bits >> node & 1;
        way += upper * half;
        node = 2 * node + 1 + upper;
    }
    return way;
}

static unsigned plain_touch(unsigned bits, unsigned way, unsigned ways)
{
    unsigned node = 0;
    for (unsigned half = ways / 2; half; half /= 2) {
        unsigned upper = way / half & 1;
        bits = (bits & ~(1u << node)) | (upper ^ 1) << node;
        node = 2 * node + 1 + upper;
    }
    return bits;
}

static void test_all_states(void **state)
{
    (void)state;
    for (unsigned bits = 0; bits < 128; bits++) {
        struct bx_plru_fill fill = bx_plru8_fill((uint8_t)bits);
        assert_int_equal(fill.way, plain_victim(bits, 8));
        assert_int_equal(fill.bits, plain_touch(bits, fill.way, 8));
        for (unsigned way = 0; way < 8; way++)
            assert_int_equal(bx_plru8_touch((uint8_t)bits, way), plain_touch(bits, way, 8));
    }
    for (unsigned bits = 0; bits < 8; bits++) {
        assert_int_equal(bx_plru4_victim((uint8_t)bits), plain_victim(bits, 4));
        for (unsigned way = 0; way < 4; way++)
            assert_int_equal(bx_plru4_touch((uint8_t)bits, way), plain_touch(bits, way, 4));
    }
}

/* Lines 64 apart share a set of L1D, not of L2. A load that waits takes no time beyond its cost
 * when L1D has the line, and 8 cycles when L2 has it. */
enum { L1_STRIDE = 64, L2_HIT = 8 };

static void test_l1d(void **state)
{
    (void)state;
    struct rig r = rig_new(1, 1, 8 << 20);

    for (uint64_t i = 0; i < 8; i++)
        rig_load(&r, 0, i * L1_STRIDE);
    for (uint64_t i = 0; i < 8; i++)
        assert_int_equal(rig_load(&r, 0, i * L1_STRIDE), 0);
    rig_load(&r, 0, 8 * L1_STRIDE); /* way 0 goes: line 0 */
    for (uint64_t i = 1; i <= 8; i++)
        if (i != 4)
            assert_int_equal(rig_load(&r, 0, i * L1_STRIDE), 0);
    /* Touched last: 1, 2, 3, 5, 6, 7, then 8 in way 0. The upper half is next, and there the pair 4
     * and 5. Way 5 was touched, so line 4 is replaced. */
    assert_int_equal(rig_load(&r, 0, 0), L2_HIT);
    assert_int_equal(rig_load(&r, 0, 4 * L1_STRIDE), L2_HIT);
    rig_free(&r);
}

/* L1I and L1D do not affect each other. */
static void test_l1i_apart(void **state)
{
    (void)state;
    struct rig r = rig_new(1, 1, 8 << 20);

    rig_load(&r, 0, 0);
    for (uint64_t i = 1; i <= 16; i++)
        rig_wait(&r, 0, BX_FETCH, i * L1_STRIDE, 0);
    assert_int_equal(rig_load(&r, 0, 0), 0);
    assert_int_equal(rig_wait(&r, 0, BX_FETCH, 0, 0), L2_HIT);
    assert_int_equal(rig_wait(&r, 0, BX_FETCH, 0, 0), 0);
    rig_free(&r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_fill_order),
        cmocka_unit_test(test_all_states),
        cmocka_unit_test(test_l1d),
        cmocka_unit_test(test_l1i_apart),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

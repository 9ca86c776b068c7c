/* Tree-PLRU in L1D, where latencies show it. */
#include "../cmocked.h"

#include "client_rig.h"

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
        cmocka_unit_test(test_l1d),
        cmocka_unit_test(test_l1i_apart),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* Cores that go on past loads that have not completed, as far as their window: cases worked out by
 * hand from docs/model.md, "A core's accesses". */
#include "../cmocked.h"

#include "rig.h"

enum { MOST = 200 };

/* Loads of lines that no cache has, `cost` apart. */
static uint64_t loads(const char *model, bx_model_times times, unsigned n, unsigned cost,
                      unsigned flags)
{
    bx_access a[MOST];
    struct rig r = rig_of(model, (bx_model_shape){.packages = 1,
                                                  .cores = 1,
                                                  .slices = 1,
                                                  .llc_bytes = *model == 'c' ? 1 << 20 : 0,
                                                  .times = times});
    for (unsigned i = 0; i < n; i++)
        a[i] = bx_access_make(0x1000 + i * 3, BX_LOAD, flags, cost);
    uint64_t cycles = rig_play(&r, 0, a, n);
    rig_free(&r);
    return cycles;
}

/* Memory needs 150 cycles, and a channel 12 for each line. With a window of 40, loads 20 apart: at
 * 20 and 40; the third would come at 60, which is 40 after the first, so at 170; the fourth at 190,
 * and so on: two in 150 cycles. */
static void two_of_a_window(void **state)
{
    (void)state;
    for (unsigned pairs = 1; pairs < 50; pairs++)
        assert_int_equal(loads("client", (bx_model_times){.window = 40}, 2 * pairs, 20, 0),
                         40 + 150 * pairs);
    /* One cycle more, and the third does not wait. */
    assert_int_equal(loads("client", (bx_model_times){.window = 41}, 3, 20, 0), 60 + 150);
}

/* Without a window the buffers end it: ten in 150 cycles. */
static void without_a_window(void **state)
{
    (void)state;
    assert_int_equal(loads("client", (bx_model_times){0}, 10, 12, 0), 10 * 12 + 150);
    assert_int_equal(loads("client", (bx_model_times){0}, 100, 12, 0), 10 * 12 + 10 * 150);
    assert_int_equal(loads("client", (bx_model_times){.fill_buffers = 5}, 100, 12, 0),
                     5 * 12 + 20 * 150);
}

/* What is there before the window ends holds nobody up. */
static void short_loads(void **state)
{
    (void)state;
    assert_int_equal(loads("client", (bx_model_times){.window = 150}, 100, 150, 0),
                     100 * 150 + 150);
}

/* A window of a cycle is as if each load were waited for. */
static void as_dependent(void **state)
{
    (void)state;
    static const char *const models[] = {"client", "ivbep", "nhmex"};
    for (unsigned i = 0; i < 3; i++)
        assert_int_equal(loads(models[i], (bx_model_times){.window = 1}, 100, 1, 0),
                         loads(models[i], (bx_model_times){0}, 100, 0, BX_ACCESS_DEPENDENT) + 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(two_of_a_window),
        cmocka_unit_test(without_a_window),
        cmocka_unit_test(short_loads),
        cmocka_unit_test(as_dependent),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* What a core has outstanding and waits for, as counters of cores count it. Cases are worked out by
 * hand from docs/explanation/model-core-counters.md. Memory takes 150 cycles. Lines three apart are
 * alternately in both channels. */
#include "../cmocked.h"

#include "rig.h"

#include "model/machine/client/boxes.h"
#include "model/machine/ivbep/boxes.h"

enum { STEP = 20, MEMORY = 150 };

/* OFFCORE_REQUESTS_OUTSTANDING as a sum and, with a threshold of 1, as cycles; CYCLE_ACTIVITY, each
 * with its threshold. */
struct waits {
    uint64_t loads, fetches, cycles_with_loads;
    uint64_t beyond_l2, stalls_l2, beyond_l3, stalls_l3;
};

static uint64_t count(const struct rig *r, unsigned code, unsigned umask, unsigned threshold)
{
    const bx_selection sel = {.box = BX_CLIENT_CORE,
                              .code = (uint16_t)code,
                              .umask = umask,
                              .threshold = threshold,
                              .levels = BX_LEVELS};
    return rig_tally(r, &sel);
}

static struct waits play(bx_model_times times, const bx_access *a, size_t n, uint64_t cycles)
{
    struct rig r =
        rig_of("client",
               (bx_model_shape){
                   .packages = 1, .cores = 1, .slices = 1, .llc_bytes = 1 << 20, .times = times});

    assert_int_equal(rig_play(&r, 0, a, n), cycles);
    struct waits w = {
        .loads = count(&r, 0x60, 0x01, 0),
        .fetches = count(&r, 0x60, 0x02, 0),
        .cycles_with_loads = count(&r, 0x60, 0x01, 1),
        .beyond_l2 = count(&r, 0xa3, 0x01, 1),
        .stalls_l2 = count(&r, 0xa3, 0x05, 5),
        .beyond_l3 = count(&r, 0xa3, 0x02, 2),
        .stalls_l3 = count(&r, 0xa3, 0x06, 6),
    };
    assert_int_equal(w.loads, count(&r, 0x60, 0x10, 0)); /* they all miss the L3 */
    rig_free(&r);
    return w;
}

static bx_access miss(unsigned i, unsigned kind, unsigned flags)
{
    return bx_access_make(0x1000 + i * 3, kind, flags, STEP);
}

static void are(struct waits is, struct waits expected)
{
    assert_memory_equal(&is, &expected, sizeof is);
}

/* At 20, 190 and 360, for 150 cycles each. */
static void one_after_the_other(void **state)
{
    (void)state;
    bx_access a[3];
    for (unsigned i = 0; i < 3; i++)
        a[i] = miss(i, BX_LOAD, BX_ACCESS_DEPENDENT);
    are(play((bx_model_times){0}, a, 3, 510), (struct waits){450, 0, 450, 450, 450, 450, 450});
}

/* At 20 and 40; the third would come at 60, at the end of the first one's window, and waits until
 * 170; the fourth comes at 190, when the second is there. */
static void in_a_window(void **state)
{
    (void)state;
    bx_access a[4];
    for (unsigned i = 0; i < 4; i++)
        a[i] = miss(i, BX_LOAD, 0);
    are(play((bx_model_times){.window = 40}, a, 4, 340),
        (struct waits){600, 0, 320, 320, 110, 320, 110});
}

/* At 20 and 40; the third has no buffer at 60, and waits for that of the first until 170. */
static void for_a_buffer(void **state)
{
    (void)state;
    bx_access a[3];
    for (unsigned i = 0; i < 3; i++)
        a[i] = miss(i, BX_LOAD, 0);
    are(play((bx_model_times){.fill_buffers = 2}, a, 3, 320),
        (struct waits){450, 0, 300, 300, 110, 300, 110});
}

/* The core waits for a fetch, but it is not a load. The load before it, at 20, is done at 170. */
static void for_a_fetch(void **state)
{
    (void)state;
    const bx_access alone = miss(0, BX_FETCH, 0);
    const bx_access both[] = {miss(0, BX_LOAD, 0), miss(1, BX_FETCH, 0)};
    are(play((bx_model_times){0}, &alone, 1, 170), (struct waits){.fetches = 150});
    are(play((bx_model_times){0}, both, 2, 190), (struct waits){150, 150, 150, 150, 130, 150, 130});
}

/* A load of a page walk is outstanding, but belongs to no instruction. */
static void of_a_page_walk(void **state)
{
    (void)state;
    const bx_access a = miss(0, BX_LOAD, BX_ACCESS_DEPENDENT) | BX_ACCESS_AUXILIARY;
    are(play((bx_model_times){0}, &a, 1, 170),
        (struct waits){.loads = 150, .cycles_with_loads = 150});
}

/* Hits of L1D and L2 are not counted. */
static void of_private_caches(void **state)
{
    (void)state;
    const bx_access a[] = {miss(0, BX_LOAD, BX_ACCESS_DEPENDENT),
                           miss(0, BX_LOAD, BX_ACCESS_DEPENDENT),
                           miss(0, BX_FETCH, BX_ACCESS_DEPENDENT)};
    are(play((bx_model_times){.l2_wait = 8}, a, 3, 20 + 150 + 20 + 20 + 8),
        (struct waits){150, 0, 150, 150, 150, 150, 150});
}

/* Exactly half of each wait, read during the wait. */
static void in_the_middle(void **state)
{
    (void)state;
    struct rig r = rig_of(
        "client", (bx_model_shape){.packages = 1, .cores = 1, .slices = 1, .llc_bytes = 1 << 20});
    bx_access a[2];
    for (unsigned i = 0; i < 2; i++)
        a[i] = miss(i, BX_LOAD, BX_ACCESS_DEPENDENT);
    rig_feed(&r, 0, a, 2);
    for (unsigned i = 0; i < 2; i++) {
        assert_false(bx_model_run(r.m, i * (STEP + MEMORY) + STEP + MEMORY / 2));
        assert_int_equal(count(&r, 0x60, 0x01, 0), i * MEMORY + MEMORY / 2);
        assert_int_equal(count(&r, 0xa3, 0x01, 1), i * MEMORY + MEMORY / 2);
        assert_int_equal(count(&r, 0xa3, 0x06, 6), i * MEMORY + MEMORY / 2);
    }
    rig_free(&r);
}

/* The event is defined only with its own threshold. With another one the model does not produce
 * it. */
static void with_their_thresholds(void **state)
{
    (void)state;
    struct rig r = rig_of(
        "client", (bx_model_shape){.packages = 1, .cores = 1, .slices = 1, .llc_bytes = 1 << 20});
    for (uint32_t umask = 0; umask < 32; umask++)
        for (uint32_t threshold = 0; threshold < 32; threshold++) {
            const bx_selection sel = {.box = BX_CLIENT_CORE,
                                      .code = 0xa3,
                                      .umask = umask,
                                      .threshold = threshold,
                                      .levels = BX_LEVELS};
            bool known =
                umask == threshold && (umask == 1 || umask == 2 || umask == 5 || umask == 6);
            assert_int_equal(bx_model_produces(r.m, &sel), known);
            assert_int_equal(r.s->compares(r.s, &sel), known);
        }
    rig_free(&r);
}

/* Ivy Bridge-EP's event has the first two, under the same codes. */
static void of_ivy_bridge(void **state)
{
    (void)state;
    struct rig r = rig_of("ivbep", (bx_model_shape){.packages = 1, .cores = 2});
    bx_selection sel = {.box = BX_IVBEP_CORE, .code = 0xa3, .levels = BX_LEVELS};
    bx_access a[3];
    for (unsigned i = 0; i < 3; i++)
        a[i] = miss(i, BX_LOAD, BX_ACCESS_DEPENDENT);
    uint64_t cycles = rig_play(&r, 0, a, 3);
    for (unsigned i = 1; i <= 5; i += 4) {
        sel.umask = sel.threshold = i;
        assert_int_equal(rig_tally(&r, &sel), cycles - 3 * STEP);
    }
    sel.umask = sel.threshold = 6; /* any load, which the model does not know */
    assert_false(bx_model_produces(r.m, &sel));
    rig_free(&r);
}

/* A wait that is known in advance is counted in its own cycles. On Ivy Bridge-EP: loads at 20 and
 * 40, each done 2 + 150 cycles later. The third would be at 60, and waits for the first until 172.
 * This is known from 40 on. */
static void before_it_waits(void **state)
{
    static const uint64_t is[][2] = {{50, 0}, {60, 0}, {61, 1}, {100, 40}, {172, 112}, {180, 112}};
    (void)state;
    struct rig r =
        rig_of("ivbep", (bx_model_shape){.packages = 1, .cores = 1, .times = {.window = 40}});
    const bx_selection stalls = {
        .box = BX_IVBEP_CORE, .code = 0xa3, .umask = 5, .threshold = 5, .levels = BX_LEVELS};
    bx_access a[4];
    for (unsigned i = 0; i < 4; i++)
        a[i] = miss(i, BX_LOAD, 0);
    rig_feed(&r, 0, a, 4);
    for (unsigned i = 0; i < sizeof is / sizeof *is; i++) {
        assert_false(bx_model_run(r.m, is[i][0]));
        assert_int_equal(rig_tally(&r, &stalls), is[i][1]);
    }
    rig_free(&r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_after_the_other), cmocka_unit_test(in_a_window),
        cmocka_unit_test(for_a_buffer),        cmocka_unit_test(for_a_fetch),
        cmocka_unit_test(of_a_page_walk),      cmocka_unit_test(of_private_caches),
        cmocka_unit_test(in_the_middle),       cmocka_unit_test(with_their_thresholds),
        cmocka_unit_test(of_ivy_bridge),       cmocka_unit_test(before_it_waits),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

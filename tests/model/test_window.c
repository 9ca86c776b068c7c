/* Cores that continue past incomplete loads, up to their window, and past stores, up to their store
 * buffer: cases worked out by hand from docs/explanation/model-core-time.md. */
#include "../cmocked.h"

#include "rig.h"

enum { MOST = 800, LINES = 16, STRIDE = 1024 };

static const char *const models[] = {"client", "ivbep", "nhmex"};

static struct rig one_core(const char *model, bx_model_times times)
{
    return rig_of(model, (bx_model_shape){.packages = 1,
                                          .cores = 1,
                                          .slices = 1,
                                          .llc_bytes = *model == 'c' ? 1 << 20 : 0,
                                          .times = times});
}

static uint64_t play(const char *model, bx_model_times times, const bx_access *a, unsigned n)
{
    struct rig r = one_core(model, times);
    uint64_t cycles = rig_play(&r, 0, a, n);
    rig_free(&r);
    return cycles;
}

/* Accesses to lines that no cache has, `cost` cycles apart. The lines alternate between the
 * client's channels. */
static uint64_t misses(const char *model, bx_model_times times, unsigned kind, unsigned n,
                       unsigned cost, unsigned flags)
{
    bx_access a[MOST];

    for (unsigned i = 0; i < n; i++)
        a[i] = bx_access_make(0x1000 + i * 3, kind, flags, cost);
    return play(model, times, a, n);
}

static uint64_t loads(const char *model, bx_model_times times, unsigned n, unsigned cost)
{
    return misses(model, times, BX_LOAD, n, cost, 0);
}

/* ---- loads ---- */

/* Memory needs 150 cycles, and a channel 12 for each line. With a window of 40, loads 20 apart: at
 * 20 and 40; the third would come at 60, which is 40 after the first, so at 170; the fourth at 190,
 * and so on: two in 150 cycles. */
static void two_of_a_window(void **state)
{
    (void)state;
    for (unsigned pairs = 1; pairs < 50; pairs++)
        assert_int_equal(loads("client", (bx_model_times){.window = 40}, 2 * pairs, 20),
                         40 + 150 * pairs);
    /* One cycle more, and the third does not wait. */
    assert_int_equal(loads("client", (bx_model_times){.window = 41}, 3, 20), 60 + 150);
}

/* Without a window, the fill buffers are the limit: ten in 150 cycles. */
static void without_a_window(void **state)
{
    (void)state;
    assert_int_equal(loads("client", (bx_model_times){0}, 10, 12), 10 * 12 + 150);
    assert_int_equal(loads("client", (bx_model_times){0}, 100, 12), 10 * 12 + 10 * 150);
    assert_int_equal(loads("client", (bx_model_times){.fill_buffers = 5}, 100, 12),
                     5 * 12 + 20 * 150);
}

/* A load that completes before the window ends delays nothing. */
static void short_loads(void **state)
{
    (void)state;
    assert_int_equal(loads("client", (bx_model_times){.window = 150}, 100, 150), 100 * 150 + 150);
}

/* Loads of the first of LINES lines, which share one set of each cache: the LLC has them, but L2
 * has others. */
static uint64_t llc_hits(const char *model, bx_model_times times, unsigned n, unsigned apart)
{
    struct rig r = one_core(model, times);
    bx_access a[LINES];

    for (unsigned i = 0; i < LINES; i++)
        a[i] = bx_access_make(0x10000 + i * STRIDE, BX_LOAD, BX_ACCESS_DEPENDENT, 0);
    rig_play(&r, 0, a, LINES);
    for (unsigned i = 0; i < n; i++)
        a[i] = bx_access_make(0x10000 + i * STRIDE, BX_LOAD, 0, apart);
    uint64_t cycles = rig_play(&r, 0, a, n);
    rig_free(&r);
    return cycles;
}

/* On any machine: loads `apart` cycles apart overlap, `together` at a time. Each group begins when
 * the first load of the previous group has completed, which takes as long as a single load. */
static void assert_overlap(bx_model_times times, unsigned apart, unsigned together)
{
    for (unsigned i = 0; i < 3; i++) {
        uint64_t alone = llc_hits(models[i], times, 1, 0);
        assert_in_range(alone, 30, 60);
        assert_int_equal(llc_hits(models[i], times, 2 * together, apart),
                         together * apart + 2 * alone);
    }
}

static void on_all_machines(void **state)
{
    (void)state;
    assert_overlap((bx_model_times){.window = 20}, 10, 2);
    assert_overlap((bx_model_times){.window = 21}, 10, 3); /* the third is 20 after the first */
    assert_overlap((bx_model_times){.fill_buffers = 1}, 10, 1);
    assert_overlap((bx_model_times){.fill_buffers = 2}, 10, 2);
}

/* A window of a cycle, or one fill buffer, is as if each load were waited for. */
static void as_dependent(void **state)
{
    (void)state;
    for (unsigned i = 0; i < 3; i++) {
        uint64_t waited =
            misses(models[i], (bx_model_times){0}, BX_LOAD, 100, 0, BX_ACCESS_DEPENDENT);
        assert_int_equal(loads(models[i], (bx_model_times){.window = 1}, 100, 1), waited + 1);
        assert_int_equal(loads(models[i], (bx_model_times){.fill_buffers = 1}, 100, 0), waited);
    }
}

/* ---- "Lines on the move" ---- */

/* A line that comes from the LLC moves for 3 cycles to L2 and for 2 to L1D: the next load is made 5
 * later. Waiting for a line that takes longer hides that. */
static void lines_move(void **state)
{
    (void)state;
    const bx_model_times moving = {.l2_line = 2, .llc_line = 3};
    for (unsigned i = 0; i < 3; i++) {
        uint64_t alone = llc_hits(models[i], (bx_model_times){0}, 1, 0);
        assert_int_equal(llc_hits(models[i], moving, 1, 0), alone);
        assert_int_equal(llc_hits(models[i], moving, 5, 0), 4 * 5 + alone);
        assert_int_equal(
            misses(models[i], moving, BX_LOAD, 20, 0, BX_ACCESS_DEPENDENT),
            misses(models[i], (bx_model_times){0}, BX_LOAD, 20, 0, BX_ACCESS_DEPENDENT));
    }
}

/* Nine stores to lines of one set of L1D: the ninth replaces the first, which is modified and moves
 * to L2. A load of it is a hit of L2, 2 cycles, and replaces a modified line, 7. */
static void written_lines_move(void **state)
{
    (void)state;
    enum { LINES_OF_SET = 9, L1D_SETS = 64 };
    struct rig r = one_core("client", (bx_model_times){.l2_line = 7});
    bx_access a[LINES_OF_SET];

    for (unsigned i = 0; i < LINES_OF_SET; i++)
        a[i] = bx_access_make(0x10000 + i * L1D_SETS, BX_STORE, BX_ACCESS_DEPENDENT, 0);
    rig_play(&r, 0, a, LINES_OF_SET);
    a[0] = bx_access_make(0x10000, BX_LOAD, 0, 0);
    assert_int_equal(rig_play(&r, 0, a, 1), 2 + 7);
    rig_free(&r);
}

/* ---- stores ---- */

/* Stores that all miss, 20 cycles apart: at 20, 40, 60 and 80; the fifth needs the entry of the
 * first, which commits at 170. Four in 150 cycles. */
static void four_stores(void **state)
{
    (void)state;
    for (unsigned n = 1; n < 20; n++)
        assert_int_equal(
            misses("client", (bx_model_times){.store_buffer = 4}, BX_STORE, 4 * n, 20, 0),
            80 + 150 * n);
}

/* Eight stores to each line, one a cycle, and 16 entries. Line 0 misses at 1, line 1 at 9. The
 * first store to line 2 needs the entry of the first store to line 0: at 151. The store to line 3
 * is at 159, when the first store to line 1 commits. That is two lines in 150 cycles. */
static void eight_stores_to_a_line(void **state)
{
    (void)state;
    bx_access a[MOST];

    for (unsigned i = 0; i < MOST; i++)
        a[i] = bx_access_make(0x1000 + i / 8 * 3, BX_STORE, 0, 1);
    for (unsigned pairs = 1; pairs <= MOST / 16; pairs++)
        assert_int_equal(play("client", (bx_model_times){.store_buffer = 16}, a, 16 * pairs),
                         9 + 150 * pairs);
}

/* Stores commit in order: those that hit after one that misses keep their entries until that
 * commits. The miss at 10 commits at 160. With three entries, the third hit, which would be at 13,
 * waits for it. The fourth needs the entry of the first hit, which has also committed. */
static void in_order(void **state)
{
    (void)state;
    bx_access own = bx_access_make(0x2000, BX_STORE, 0, 1);
    bx_access a[] = {bx_access_make(0x1000, BX_STORE, 0, 10), own, own, own, own,
                     bx_access_make(0x3000, BX_LOAD, 0, 1)};
    struct rig r = one_core("client", (bx_model_times){.store_buffer = 3});

    rig_play(&r, 0, &own, 1);
    assert_int_equal(rig_play(&r, 0, a, 3), 160);
    a[0] = bx_access_make(0x1001, BX_STORE, 0, 10);
    assert_int_equal(rig_play(&r, 0, a, 6), 162 + 150); /* hits at 160 and 161, the load at 162 */
    rig_free(&r);
}

/* Loads have no entries. */
static void loads_beside_stores(void **state)
{
    (void)state;
    assert_int_equal(loads("client", (bx_model_times){.store_buffer = 1}, 10, 12), 10 * 12 + 150);
}

/* With one entry, each store that misses delays the next. */
static void stores_as_dependent(void **state)
{
    (void)state;
    for (unsigned i = 0; i < 3; i++)
        assert_int_equal(
            misses(models[i], (bx_model_times){.store_buffer = 1}, BX_STORE, 100, 0, 0),
            misses(models[i], (bx_model_times){0}, BX_STORE, 100, 0, BX_ACCESS_DEPENDENT));
}

/* ---- locked operations ---- */

static uint64_t three(const char *model, bx_model_times times, bx_access first, bx_access second,
                      bx_access third)
{
    return play(model, times, (const bx_access[]){first, second, third}, 3);
}

/* If the line missed, the core waits for it, and then 5 cycles pass. Otherwise they pass
 * meanwhile. */
static void all_before_is_done(void **state)
{
    (void)state;
    for (unsigned i = 0; i < 3; i++)
        for (unsigned kind = BX_LOAD; kind <= BX_STORE; kind++)
            for (unsigned store_buffer = 0; store_buffer <= 40; store_buffer += 40) {
                bx_model_times times = {.window = 50, .store_buffer = store_buffer};
                bx_access miss = bx_access_make(0x1000, kind, 0, 0),
                          lock = BX_ACCESS_LOCK | 10 << 4;
                bx_access again = bx_access_make(0x1000, kind, 0, 5);
                uint64_t alone = play(models[i], times, &miss, 1);
                assert_int_equal(three(models[i], times, miss, again, again), alone);
                assert_int_equal(three(models[i], times, miss, lock, again), alone + 5);
            }
}

/* Then it costs what it costs. */
static void nothing_is_under_way(void **state)
{
    (void)state;
    const bx_access lock = BX_ACCESS_LOCK | 18 << 4;
    for (unsigned i = 0; i < 3; i++)
        assert_int_equal(three(models[i], (bx_model_times){0}, lock, lock, lock), 3 * 18);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(two_of_a_window),
        cmocka_unit_test(without_a_window),
        cmocka_unit_test(short_loads),
        cmocka_unit_test(on_all_machines),
        cmocka_unit_test(as_dependent),
        cmocka_unit_test(lines_move),
        cmocka_unit_test(written_lines_move),
        cmocka_unit_test(four_stores),
        cmocka_unit_test(eight_stores_to_a_line),
        cmocka_unit_test(in_order),
        cmocka_unit_test(loads_beside_stores),
        cmocka_unit_test(stores_as_dependent),
        cmocka_unit_test(all_before_is_done),
        cmocka_unit_test(nothing_is_under_way),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* What a sweep varies, and the points that this makes. */
#include "tests/cmocked.h"

#include "sweep/points.h"

#include <stdio.h>

static void join(const bx_vary *v, char *to, size_t room)
{
    size_t n = 0;
    *to = 0;
    for (size_t i = 0; i < v->n && n < room; i++)
        n += (size_t)snprintf(to + n, room - n, "%s%s", i ? " " : "", v->values[i]);
}

static void values_are_read(void **unused)
{
    (void)unused;
    static const struct {
        const char *text, *key, *values;
        bool workload, machine;
    } of[] = {
        {"llc=2M,4M", "llc", "2M 4M", false, false},
        {"cores=1-4", "cores", "1 2 3 4", false, false},
        {"cores=1-3,8", "cores", "1 2 3 8", false, false},
        {"llc=1M..16M*2", "llc", "1M 2M 4M 8M 16M", false, false},
        {"llc=512K..3M+512K", "llc", "512K 1M 1536K 2M 2560K 3M", false, false},
        {"llc=1M..5M*2", "llc", "1M 2M 4M", false, false},
        {"cores=1..9+3", "cores", "1 4 7", false, false},
        {"cores=0..2", "cores", "0 1 2", false, false},
        {"x=18446744073709551614..18446744073709551615", "x",
         "18446744073709551614 18446744073709551615", false, false},
        {"x=9223372036854775808..18446744073709551615*2", "x", "9223372036854775808", false, false},
        {"prefetch=on,off", "prefetch", "on off", false, false},
        {"part=e5-2680v2,i7-6700k", "part", "e5-2680v2 i7-6700k", false, false},
        {"workload.size=1M", "size", "1M", true, false},
        {"machine=virtual:skl,virtual:ivbep", "machine", "virtual:skl virtual:ivbep", false, true},
    };
    for (size_t i = 0; i < sizeof of / sizeof *of; i++) {
        bx_arena a = {0};
        bx_error e = {0};
        bx_vary v;
        char values[200];
        if (bx_vary_read(bx_str_of(of[i].text), &a, &v, &e))
            fail_msg("%s: %s", of[i].text, e.message);
        join(&v, values, sizeof values);
        assert_string_equal(values, of[i].values);
        assert_string_equal(v.key, of[i].key);
        assert_true(v.workload == of[i].workload && v.machine == of[i].machine);
        bx_arena_free(&a);
    }
}

static void mistakes_are_named(void **unused)
{
    (void)unused;
    static const struct {
        const char *text, *message;
        size_t at, n;
    } of[] = {
        {"llc", "this has no values", 0, 3},
        {"=2M", "this is not a key", 0, 0},
        {"l c=2M", "this is not a key", 0, 3},
        {"workload.=1", "this is not a key", 0, 9},
        {"llc=", "a value is missing here", 4, 0},
        {"llc=2M,,4M", "a value is missing here", 7, 0},
        {"llc=2M,2M", "this gives a value twice", 7, 2},
        {"cores=1-3,2", "this gives a value twice", 10, 1},
        {"cores=4-1", "this range begins after its end", 6, 3},
        {"llc=4M..2M", "this range begins after its end", 4, 6},
        {"llc=1M..x", "this is not a range", 4, 5},
        {"llc=1M..2MB", "this is not a range", 4, 7},
        {"llc=1M..2M*1", "this range does not come to an end", 4, 8},
        {"llc=0..2M*2", "this range does not come to an end", 4, 7},
        {"llc=1..2+0", "this range does not come to an end", 4, 6},
        {"x=1..100000", "a key takes at most 1000 values", 2, 9},
    };
    for (size_t i = 0; i < sizeof of / sizeof *of; i++) {
        bx_arena a = {0};
        bx_error e = {0};
        bx_vary v;
        assert_int_equal(bx_vary_read(bx_str_of(of[i].text), &a, &v, &e), BX_BAD_INPUT);
        assert_string_equal(e.message, of[i].message);
        assert_int_equal(e.at, of[i].at);
        assert_int_equal(e.len, of[i].n);
        assert_true(*e.hint != 0);
        bx_arena_free(&a);
    }
}

/* Reads keys and counts the points of a sweep of virtual:skl. */
static int count_points(const char *const *texts, size_t n, const char *workload, bx_arena *a,
                        bx_points *p, bx_error *e)
{
    static bx_vary vary[4];
    for (size_t i = 0; i < n; i++)
        assert_int_equal(bx_vary_read(bx_str_of(texts[i]), a, &vary[i], e), BX_OK);
    *p = (bx_points){
        .machine = "virtual:skl,slices=4", .workload = workload, .vary = vary, .keys = n};
    return bx_points_count(p, e);
}

static void points_are_all_combinations(void **unused)
{
    (void)unused;
    static const char *const texts[] = {"cores=1,2", "workload.size=1M,2M,4M", "llc=2M,8M"};
    static const char *const expected[] = {
        "virtual:skl,slices=4,cores=1,llc=2M stream,ops=7,size=1M",
        "virtual:skl,slices=4,cores=1,llc=8M stream,ops=7,size=1M",
        "virtual:skl,slices=4,cores=1,llc=2M stream,ops=7,size=2M",
        "virtual:skl,slices=4,cores=1,llc=8M stream,ops=7,size=2M",
        "virtual:skl,slices=4,cores=1,llc=2M stream,ops=7,size=4M",
        "virtual:skl,slices=4,cores=1,llc=8M stream,ops=7,size=4M",
        "virtual:skl,slices=4,cores=2,llc=2M stream,ops=7,size=1M",
    };
    bx_arena a = {0};
    bx_error e = {0};
    bx_points p;
    assert_int_equal(count_points(texts, 3, "stream,ops=7", &a, &p, &e), BX_OK);
    assert_int_equal(p.n, 12);
    for (size_t i = 0; i < sizeof expected / sizeof *expected; i++) {
        bx_buf text = {0};
        bx_points_machine(&p, i, &text);
        bx_buf_z(&text, " ");
        bx_points_workload(&p, i, &text);
        assert_string_equal(text.p, expected[i]);
        bx_buf_free(&text);
    }
    bx_arena_free(&a);
}

static void a_machine_can_vary(void **unused)
{
    (void)unused;
    static const char *const texts[] = {"machine=virtual:ivbep,virtual:nhmex", "cores=1,2"};
    bx_arena a = {0};
    bx_error e = {0};
    bx_points p;
    bx_buf text = {0};
    assert_int_equal(count_points(texts, 2, NULL, &a, &p, &e), BX_OK);
    bx_points_machine(&p, 3, &text);
    assert_string_equal(text.p, "virtual:nhmex,cores=2");
    bx_buf_free(&text);
    bx_arena_free(&a);
}

static void keys_that_cannot_vary(void **unused)
{
    (void)unused;
    static const struct {
        const char *texts[2];
        size_t n;
        const char *workload, *message;
    } of[] = {
        {{"llc=2M", "llc=4M"}, 2, NULL, "the key 'llc' is varied twice"},
        {{"slices=2,4"},
         1,
         NULL,
         "the key 'slices' is varied, and stands in "
         "'virtual:skl,slices=4'"},
        {{"workload.size=1M"},
         1,
         "random,size=2M",
         "the key 'workload.size' is varied, and stands in 'random,size=2M'"},
        {{"workload.size=1M"},
         1,
         NULL,
         "'workload.size' is a workload's key, and there is no workload"},
        {{"workload.size=1M"},
         1,
         "random+dma",
         "'workload.size' is a workload's key, and there is no workload that alone takes it"},
        {{"a=1..1000", "b=1..1000"}, 2, NULL, "these keys make more than 100000 points"},
    };
    for (size_t i = 0; i < sizeof of / sizeof *of; i++) {
        bx_arena a = {0};
        bx_error e = {0};
        bx_points p;
        assert_int_equal(count_points(of[i].texts, of[i].n, of[i].workload, &a, &p, &e),
                         BX_BAD_INPUT);
        assert_string_equal(e.message, of[i].message);
        bx_arena_free(&a);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(values_are_read),
        cmocka_unit_test(mistakes_are_named),
        cmocka_unit_test(points_are_all_combinations),
        cmocka_unit_test(a_machine_can_vary),
        cmocka_unit_test(keys_that_cannot_vary),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* Our tracer against counts by hand, against cachegrind, and against lackey's text. */
#include "../cmocked.h"

#include "tracer/traced.h"

#include <stdlib.h>
#include <string.h>
#include <signal.h>
#include <unistd.h>

#define PROGRAM(...) ((char **)(uintptr_t)(const char *[]){__VA_ARGS__, NULL})

static char *built(const char *name)
{
    static char path[512];
    snprintf(path, sizeof path, "%s/tests/tracer/%s", getenv("BUILD_ROOT"), name);
    return path;
}

static void counted_by_hand(void **state)
{
    (void)state;
    int status;
    bx_trace_counts c = traced_counts(PROGRAM(built("traced_loop")), &status);
    assert_int_equal(status, 7);
    assert_int_equal(c.instructions, 1 + 5 * 1000 + 3);
    assert_int_equal(c.loads, 1000);
    assert_int_equal(c.stores, 1000);
    assert_int_equal(c.modifications, 1000);
}

static void expect_cachegrind(char *const argv[])
{
    references is = cachegrind_references(argv);
    bx_trace_counts c = traced_counts(argv, NULL);
    assert_true(is.instructions > 1000);
    assert_int_equal(c.instructions, is.instructions);
    assert_int_equal(c.loads + c.modifications, is.reads);
    assert_int_equal(c.stores, is.writes);
}

static char *news(void)
{
    static char path[512];
    snprintf(path, sizeof path, "%s/NEWS", getenv("SOURCE_ROOT"));
    return path;
}

static void as_cachegrind_counts(void **state)
{
    (void)state;
    expect_cachegrind(PROGRAM(built("traced_loop")));
    expect_cachegrind(PROGRAM(built("traced_features")));
    expect_cachegrind(PROGRAM("/bin/gzip", "-c", news()));
    expect_cachegrind(PROGRAM("/usr/bin/sort", "-o", "/dev/null", news()));
    expect_cachegrind(PROGRAM("/usr/bin/awk", "{ n += length($0) } END { print n }", news()));
}

static void expect_lackey(char *const argv[])
{
    size_t n, expected;
    bx_access *by_lackey = lackey_accesses(argv, &expected);
    bx_access *by_us = traced_accesses(argv, &n);
    for (size_t i = 0; i < n && i < expected; i++)
        if (by_us[i] != by_lackey[i])
            fail_msg("%s: access %zu is %lx, lackey's %lx", argv[0], i, by_us[i], by_lackey[i]);
    assert_int_equal(n, expected);
    free(by_us);
    free(by_lackey);
}

static void as_lackey_tells(void **state)
{
    (void)state;
    expect_lackey(PROGRAM(built("traced_loop")));
    expect_lackey(PROGRAM(built("traced_features")));
}

static int setup(void **state)
{
    (void)state;
    traced_setup();
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(counted_by_hand),
        cmocka_unit_test(as_cachegrind_counts),
        cmocka_unit_test(as_lackey_tells),
    };
    return cmocka_run_group_tests(tests, setup, NULL);
}

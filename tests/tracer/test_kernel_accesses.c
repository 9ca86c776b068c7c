/* What the kernel accesses for a program, by hand: docs/explanation/model-programs.md, "What the
 * kernel does". */
#include "../cmocked.h"

#include "tracer/counted.h"
#include "tracer/traced.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

typedef struct amount {
    int64_t loads, stores;
} amount;

/* All that is accessed of data, by the program and for it. */
static amount accessed(const char *call, unsigned n)
{
    char path[512], number[16];
    size_t accesses;
    int status;
    snprintf(path, sizeof path, "%s/tests/tracer/traced_accesses", getenv("BUILD_ROOT"));
    snprintf(number, sizeof number, "%05u", n);
    char *const argv[] = {path, (char *)(uintptr_t)call, number, NULL};
    bx_access *a = traced_with_kernel(argv, &accesses, &status);
    amount of = {0, 0};
    for (size_t i = 0; i < accesses; i++) {
        of.loads += (a[i] & 3) == BX_LOAD;
        of.stores += (a[i] & 3) == BX_STORE;
    }
    free(a);
    if (status != 0)
        fail_msg("%s %s ends with %d", call, number, status);
    return of;
}

/* How many more there are with `more` than with `than`. */
static void expect_more(const char *call, unsigned more, unsigned than, amount expected)
{
    amount a = accessed(call, more), b = accessed(call, than);
    if (a.loads - b.loads != expected.loads || a.stores - b.stores != expected.stores)
        fail_msg("%s %u: %ld loads and %ld stores more than of %u, not %ld and %ld", call, more,
                 a.loads - b.loads, a.stores - b.stores, than, expected.loads, expected.stores);
}

static void lines_of_buffers(void **state)
{
    (void)state;
    expect_more("read", 40 * 64, 0, (amount){0, 40});
    expect_more("read", 40 * 64 + 1, 0, (amount){0, 41});
    expect_more("read-unaligned", 40 * 64, 0, (amount){0, 41});
    expect_more("write", 40 * 64, 0, (amount){40, 0});
    expect_more("read-less", 40 * 64, 64, (amount){0, 39}); /* it asks for more */
}

static void several_buffers(void **state)
{
    (void)state;
    expect_more("readv", 10 * 64, 0, (amount){0, 3 * 10});
    expect_more("writev", 10 * 64, 0, (amount){3 * 10, 0});
    expect_more("messages", 10 * 64, 64, (amount){9, 9});
}

static void calls_that_fail(void **state)
{
    (void)state;
    expect_more("fails", 40 * 64, 0, (amount){0, 0});
}

static int64_t stores_of_folder(unsigned n)
{
    char folder[] = "/tmp/boxscore-folder-XXXXXX", name[2] = "a", command[64];
    assert_non_null(mkdtemp(folder));
    assert_int_equal(chdir(folder), 0);
    for (unsigned i = 0; i < n; i++, name[0]++)
        assert_int_equal(mkdir(name, 0700), 0);
    int64_t stores = accessed("getdents", n).stores;
    snprintf(command, sizeof command, "rm -r %s", folder);
    assert_int_equal(chdir("/"), 0);
    assert_int_equal(system(command), 0);
    return stores;
}

/* 24 bytes each, with "." and "..": in one line, and in six. */
static void entries_of_a_folder(void **state)
{
    (void)state;
    assert_int_equal(stores_of_folder(12) - stores_of_folder(0), 5);
}

/* With the program's own accesses, one of each page. */
static void pages(void **state)
{
    (void)state;
    expect_more("touch", 20, 0, (amount){0, 20 * 64 + 20});
    expect_more("mapped", 20, 0, (amount){20, 0}); /* they come from the file */
}

/* Pages that the child writes, if `own` is what it accesses there. Parent and child copy pages of
 * their stack and data, too, if they write them while the other one has them: a few more or less.
 */
static void expect_copies(const char *call, int64_t pages, amount own)
{
    enum { FEW = 4 };
    amount a = accessed(call, 20), b = accessed(call, 0);
    int64_t loads = a.loads - b.loads - own.loads, stores = a.stores - b.stores - own.stores;
    assert_int_equal(loads, stores);
    assert_int_equal(loads % 64, 0);
    assert_in_range(loads / 64 + FEW, pages, pages + 2 * FEW);
}

static void copies_on_write(void **state)
{
    (void)state;
    expect_copies("copy", 20, (amount){0, 20});
    expect_copies("load", 0, (amount){20, 0});
    expect_copies("store-after", 0, (amount){0, 20});
}

/* A zeroed page has lookups for 64 lines, one that is touched for a line; and what these evict
 * comes back, or not. */
/* The kernel has filled the page with the arguments, so that a program that only reads it does not
 * find the page of zeros: the lines of one page, and those of a few instructions. */
static void a_page_with_arguments_is_never_that_of_zeros(void **state)
{
    (void)state;
    assert_in_range(count_event(LOOKUPS, "", "${P}chains"), 64, 70);
    assert_in_range(count_event(LOOKUPS, "", "${P}chains x x x x x x x"), 64, 70); /* it pushes */
}

static void none_if_they_are_off(void **state)
{
    (void)state;
    static const char few[] = "${P}accesses touch 00", many[] = "${P}accesses touch 20";
    assert_in_range(count_more(READS, "", many, few), 20 * 64 - 10, 20 * 64 + 30);
    assert_in_range(count_more(READS, "--kernel-accesses off", many, few), 10, 30);
}

/* The model makes them at the program's level, so `u` includes them: each format says so. */
static void said_beside_counts_of_a_level(void **state)
{
    (void)state;
    static const char says[] =
        "requests and cycles at user level include what the kernel reads and writes for the "
        "program: the model has no other level (--kernel-accesses off)";
    static const struct {
        const char *options;
        bool said;
    } rows[] = {
        {"-e INST_RETIRED:u", true},
        {"-e INST_RETIRED:u -x ,", true},
        {"-e INST_RETIRED:u -j", true},
        {"-e LONGEST_LAT_CACHE_MISS:PMC0", true},
        {"-e INST_RETIRED:u --kernel-accesses off", false},
        {"-e INST_RETIRED", false},
        {"-e UNC_CLOCK -j", false},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char script[256];
        snprintf(script, sizeof script,
                 "\"$BOXSCORE\" stat --machine virtual:skl,part=plain %s -- /bin/true 2>&1",
                 rows[i].options);
        ran r = run_shell(script);
        if (r.status != 0 || (strstr(r.out, says) != NULL) != rows[i].said)
            fail_msg("%s: status %d\n%s", rows[i].options, r.status, r.out);
        ran_free(&r);
    }
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
        cmocka_unit_test(lines_of_buffers),
        cmocka_unit_test(several_buffers),
        cmocka_unit_test(calls_that_fail),
        cmocka_unit_test(entries_of_a_folder),
        cmocka_unit_test(pages),
        cmocka_unit_test(copies_on_write),
        cmocka_unit_test(a_page_with_arguments_is_never_that_of_zeros),
        cmocka_unit_test(none_if_they_are_off),
        cmocka_unit_test(said_beside_counts_of_a_level),
    };
    return cmocka_run_group_tests(tests, setup, NULL);
}

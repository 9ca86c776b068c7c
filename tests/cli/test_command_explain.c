/* `boxscore explain` of register logs. tests/stage explains programs. */
#include "../cmocked.h"

#include "cli/run.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define EXPLAIN(input, ...) run(input, (const char *const[]){"explain", __VA_ARGS__, NULL})
#define HEADER              "# machine: virtual:skl,part=plain,cores=2\n"

static void a_register_log(void **state)
{
    (void)state;
    ran r = EXPLAIN(HEADER "cpu0 W 0x700 0x408834\n\ncpu0 R 0xce 0x0\n", "-");
    assert_string_equal(
        r.out, "cpu 0 writes MSR 700H: C-Box 0 counter 0 ← UNC_CBO_CACHE_LOOKUP, umask ANY_I\n"
               "2 accesses, 1 of them to registers of PMUs; 0 warnings\n");
    assert_silent(&r);
    /* -a shows everything; --machine takes precedence over the log's machine. */
    r = EXPLAIN(HEADER "cpu0 R 0xce 0x1", "--all", "--machine", "virtual:ivbep,part=plain", "-");
    assert_string_equal(r.out, "cpu 0 reads MSR CEH: platform information: ratios = 0x1\n"
                               "the last line does not end: its last word may be cut off\n"
                               "1 access, 0 of them to registers of PMUs; 0 warnings\n");
    assert_silent(&r);
}

static void into_a_file(void **state)
{
    (void)state;
    char name[] = "/tmp/boxscore-explain-XXXXXX";
    char text[256] = "";
    close(mkstemp(name));
    ran r = EXPLAIN(HEADER, "-o", name, "-");
    assert_string_equal(r.out, "");
    assert_silent(&r);
    FILE *f = fopen(name, "r");
    assert_non_null(f);
    assert_in_range(fread(text, 1, sizeof text - 1, f), 1, sizeof text - 1);
    fclose(f);
    unlink(name);
    assert_string_equal(text, "0 accesses, 0 of them to registers of PMUs; 0 warnings\n");
}

static void what_goes_wrong(void **state)
{
    (void)state;
    ran r = EXPLAIN(HEADER "cpu0 W 0x700 0x408834\ncpu0 X 0x700 0x0\n", "-");
    assert_int_equal(r.status, 1);
    assert_string_equal(r.err,
                        "boxscore: -:3: an MSR is read (R) or written (W)\n"
                        "  cpu0 X 0x700 0x0\n"
                        "       ^\n"
                        "  hint: cpu0 W 0x700 0x408834, pci 00:00.0 R32 0x048 0x1 or mem R32 "
                        "0xfed15050 0x1\n");
    ran_free(&r);
    r = EXPLAIN("cpu0 W 0x700 0x408834\n", "-");
    assert_failed(&r, 1,
                  "boxscore: the register log does not say which CPU model it is of\n"
                  "  hint: name a machine, or write a line '# machine: virtual:skl' at its "
                  "beginning\n");
    r = EXPLAIN("", "/nonexistent");
    assert_failed(&r, 1, "boxscore: cannot read '/nonexistent': No such file or directory\n");
    r = EXPLAIN(HEADER, "--machine", "virtual:sky", "-");
    assert_int_equal(r.status, 1);
    assert_has(r.err, "\n  virtual:sky\n");
    ran_free(&r);
    r = EXPLAIN("", "--machine", "host", "--", "true");
    assert_int_equal(r.status, 1);
    assert_string_equal(r.out, "");
    ran_free(&r);
}

static void usage(void **state)
{
    (void)state;
    static const char *const wrong[][5] = {
        {"explain", NULL},
        {"explain", "--", NULL},
        {"explain", "rdmsr", "0x396", NULL},
        {"explain", "--log", "t", "-", NULL},
        {"explain", "--trace", "t", "-", NULL}, /* its old name */
        {"explain", "--pace=1", "-", NULL},
    };
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        ran r = run("", wrong[i]);
        assert_int_equal(r.status, 2);
        assert_string_equal(r.out, "");
        assert_has(r.err, "  hint: boxscore explain ");
        ran_free(&r);
    }
}

/* A sanitizer reserves terabytes of addresses for itself, and warns of what it does not allocate.
 */
#ifdef __SANITIZE_ADDRESS__
#define LITTLE_MEMORY "export ASAN_OPTIONS=allocator_may_return_null=1:max_allocation_size_mb=128; "
#else
#define LITTLE_MEMORY "ulimit -v 400000; "
#endif

/* With little memory for it: all of it would be 1 GiB. */
static void a_file_without_an_end_is_refused(void **state)
{
    (void)state;
    ran r = run_shell("(" LITTLE_MEMORY "exec \"$BOXSCORE\" explain /dev/zero) 2>&1 | sed "
                      "'/^==[0-9]*==WARNING: AddressSanitizer failed to allocate /d'; "
                      "exit ${PIPESTATUS[0]}");
    assert_int_equal(r.status, 1);
    assert_string_equal(r.out, "boxscore: cannot read '/dev/zero': Cannot allocate memory\n");
    assert_string_equal(r.err, "");
    ran_free(&r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_register_log),
        cmocka_unit_test(into_a_file),
        cmocka_unit_test(what_goes_wrong),
        cmocka_unit_test(usage),
        cmocka_unit_test(a_file_without_an_end_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

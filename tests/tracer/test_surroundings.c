/* A traced program finds the same around it, whoever starts it and wherever. */
#include "../cmocked.h"

#include "machine/program/process/surroundings.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { ANSWER = 256 };

static char folder[64];

/* The first line of the command's output. */
static const char *said(const char *command)
{
    static char line[ANSWER];
    line[0] = '\0';
    FILE *f = popen(command, "r");
    assert_non_null(f);
    assert_non_null(fgets(line, sizeof line, f));
    while (fgetc(f) != EOF)
        ;
    assert_int_equal(pclose(f), 0);
    line[strcspn(line, "\n")] = '\0';
    return line;
}

/* The output of the program that prints its surroundings. before: words in front of the command. */
static const char *told(const char *before, const char *options)
{
    char command[4096];
    snprintf(command, sizeof command,
             "%s %s stat %s -- %s/tests/tracer/traced_surroundings 2>/dev/null", before,
             getenv("BOXSCORE"), options, getenv("BUILD_ROOT"));
    return said(command);
}

static void expect_begin(const char *text, const char *begin)
{
    assert_int_equal(strncmp(text, begin, strlen(begin)), 0);
}

/* The counts of a program without a library, which reads nothing from its environment. */
static void count(const char *before, const char *program, char to[ANSWER])
{
    char command[4096];
    snprintf(command, sizeof command,
             "%s %s stat --machine virtual:skl,part=plain -x , -e "
             "UNC_CLOCK,UNC_CBO_CACHE_LOOKUP:ANY_MESI -o "
             "/dev/stdout -- %s | cut -d, -f1 | tr '\\n' ' '",
             before, getenv("BOXSCORE"), program);
    snprintf(to, ANSWER, "%s", said(command));
    assert_true(strtoul(to, NULL, 10) > 5000);
}

static void features_are_those_of_the_model(void **state)
{
    (void)state;
    static const bx_surroundings best = {.features = "avx2"};
    if (!bx_host_has_features(&best)) /* then features that the host lacks are missing here, too */
        return;
    expect_begin(told("", "--machine virtual:skl,part=plain"), "avx2 ");
    expect_begin(told("", "--machine virtual:ivbep,part=plain"), "avx ");
    expect_begin(told("", "--machine virtual:nhmex,part=plain"), "sse4.2 ");
    expect_begin(told("", "--machine virtual:p6,part=plain"), "sse2 ");
}

static void cpus_are_those_of_the_machine(void **state)
{
    (void)state;
    assert_non_null(strstr(told("", "--machine virtual:skl,part=plain"), " 4 4 4 4 1 "));
    assert_non_null(strstr(told("", "--machine virtual:skl,part=plain,cores=2"), " 2 2 2 2 1 "));
    assert_non_null(
        strstr(told("", "--machine virtual:skl,part=plain --threads 1-3"), " 3 3 3 3 1 "));
    assert_non_null(strstr(told("", "--machine virtual:p6,part=plain"), " 1 1 1 1 1 "));
    assert_non_null(
        strstr(told("", "--machine virtual:nhmex,part=plain,packages=8"), " 64 64 64 64 1 "));
    char command[4096];
    snprintf(command, sizeof command,
             "%s stat --machine virtual:skl,part=plain -e UNC_CLOCK -- nproc 2>/dev/null",
             getenv("BOXSCORE"));
    assert_string_equal(said(command), "4");
}

/* L1D: bytes, ways, bytes of a line; L1I: bytes; L2, L3: bytes, ways; L4: bytes; APIC ids for which
 * the last level is reserved; L2 by leaf 80000006H. The C library's -1 is a level without a leaf.
 */
static void caches_are_those_of_the_machine(void **state)
{
    (void)state;
    static const bx_surroundings best = {.features = "avx2"};
    static const struct {
        const char *machine, *caches;
    } cases[] = {
        {"virtual:skl,part=plain", "32768 8 64 32768 262144 4 8388608 16 -1 4 256K"},
        {"virtual:skl,part=plain,cores=2,l1d_size=64K,l1d_ways=16,l2_size=1M,l2_ways=8,llc=4M "
         "--features host",
         "65536 16 64 32768 1048576 8 4194304 16 -1 2 1024K"},
        {"virtual:skl,part=plain,l3_size=2M,l3_ways=8",
         "32768 8 64 32768 262144 4 2097152 8 8388608 4 256K"},
        {"virtual:ivbep,part=plain", "32768 8 64 32768 262144 8 26214400 20 -1 16 256K"},
        {"virtual:nhmex,part=plain,cores=2", "32768 8 64 32768 262144 8 6291456 24 -1 2 256K"},
        {"virtual:p6,part=plain", "16384 4 32 16384 524288 4 0 0 -1 1 512K"},
    };
    if (!bx_host_has_features(&best)) /* then Valgrind shows another processor */
        return;
    for (unsigned i = 0; i < sizeof cases / sizeof *cases; i++) {
        char command[4096];
        snprintf(command, sizeof command,
                 "%s stat --machine %s -- %s/tests/tracer/traced_surroundings caches 2>/dev/null",
                 getenv("BOXSCORE"), cases[i].machine, getenv("BUILD_ROOT"));
        assert_string_equal(said(command), cases[i].caches);
    }
}

static void the_host_can_be_shown(void **state)
{
    (void)state;
    char fixed[ANSWER];
    snprintf(fixed, sizeof fixed, "%s",
             told("", "--machine virtual:skl,part=plain --features fixed"));
    assert_string_equal(told("", "--machine virtual:skl,part=plain"), fixed);
    assert_string_not_equal(told("", "--machine virtual:skl,part=plain --features host"), fixed);
}

static void stack_and_random_bytes_stay(void **state)
{
    (void)state;
    char first[ANSWER], huge[1024];
    snprintf(first, sizeof first, "%s", told("", "--machine virtual:skl,part=plain"));
    assert_non_null(strstr(first, " 1440 ")); /* 16 × 0x5a */
    assert_string_equal(told("env -i", "--machine virtual:skl,part=plain"), first);
    assert_string_equal(told("env A=1 B=2", "--machine virtual:skl,part=plain"), first);
    assert_string_equal(told("env LD_PRELOAD=", "--machine virtual:skl,part=plain"), first);
    assert_string_equal(told("env BOXSCORE_PADDING=here", "--machine virtual:skl,part=plain"),
                        first);
    snprintf(huge, sizeof huge, "env HUGE=$(head -c 30000 /dev/zero | tr '\\0' x)");
    assert_string_equal(told(huge, "--machine virtual:skl,part=plain"), first);
    snprintf(huge, sizeof huge, "cd %s && PATH=/bin", folder);
    assert_string_equal(told(huge, "--machine virtual:skl,part=plain"), first);
}

static void counts_do_not_depend_on_the_environment(void **state)
{
    (void)state;
    char first[ANSWER], other[ANSWER], program[512], linked[512];
    snprintf(program, sizeof program, "%s/tests/tracer/traced_flags", getenv("BUILD_ROOT"));
    count("", program, first);
    for (int i = 0; i < 10; i++) {
        count("", program, other);
        assert_string_equal(other, first);
    }
    count("env -i", program, other);
    assert_string_equal(other, first);
    count("env HUGE=$(head -c 30000 /dev/zero | tr '\\0' x)", program, other);
    assert_string_equal(other, first);
    count("env LD_PRELOAD=/nowhere", program, other);
    assert_string_equal(other, first);
    snprintf(linked, sizeof linked, "%s/p", folder);
    assert_int_equal(symlink(program, linked), 0);
    count("", linked, other);
    assert_string_equal(other, first);
}

static void a_whole_program_counts_the_same(void **state)
{
    (void)state;
    char first[ANSWER], other[ANSWER];
    count("", "sort -S 1M /etc/passwd -o /dev/null", first);
    for (int i = 0; i < 9; i++) {
        count("", "sort -S 1M /etc/passwd -o /dev/null", other);
        assert_string_equal(other, first);
    }
}

static void a_recording_says_it(void **state)
{
    (void)state;
    char command[4096];
    snprintf(command, sizeof command,
             "%s stat --machine virtual:skl,part=plain --log-registers %s/r -e UNC_CLOCK -- true "
             "2>/dev/null; grep "
             "-a '^# program' %s/r",
             getenv("BOXSCORE"), folder, folder);
    assert_string_equal(said(command), "# program finds: avx2 features, 4 CPUs, its stack at a "
                                       "multiple of 65536 bytes");
}

static int make_folder(void **state)
{
    (void)state;
    snprintf(folder, sizeof folder, "/tmp/bx-surroundings-XXXXXX");
    return mkdtemp(folder) ? 0 : -1;
}

static int remove_folder(void **state)
{
    char command[128];
    (void)state;
    snprintf(command, sizeof command, "rm -r %s", folder);
    return system(command);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(features_are_those_of_the_model),
        cmocka_unit_test(cpus_are_those_of_the_machine),
        cmocka_unit_test(caches_are_those_of_the_machine),
        cmocka_unit_test(the_host_can_be_shown),
        cmocka_unit_test(stack_and_random_bytes_stay),
        cmocka_unit_test(counts_do_not_depend_on_the_environment),
        cmocka_unit_test(a_whole_program_counts_the_same),
        cmocka_unit_test(a_recording_says_it),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}

/* All processes and threads of a program are counted on a virtual machine. */
#include "../cmocked.h"

#include "traced.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static const char HITM[] = "UNC_CBO_XSNP_RESPONSE.HITM_XCORE";
static const char LOOKUPS[] = "UNC_CBO_CACHE_LOOKUP.ANY_MESI";

/* The program may have arguments. *status: its exit status, or NULL. */
static uint64_t counted(const char *event, const char *options, const char *program, int *status)
{
    char file[] = "/tmp/bx-tree-XXXXXX", command[2048];
    unsigned long long n = 0;
    close(mkstemp(file));
    snprintf(command, sizeof command,
             "exec %s stat --machine virtual:skl -x , -o %s -e %s %s -- %s > /dev/null",
             getenv("BOXSCORE"), file, event, options, program);
    int ended = system(command);
    FILE *f = fopen(file, "r"); /* another file: stat renames it */
    assert_non_null(f);
    char line[256];
    bool found = false;
    while (!found && fgets(line, sizeof line, f))
        found = sscanf(line, "%llu,", &n) == 1;
    fclose(f);
    unlink(file);
    assert_true(found);
    assert_true(WIFEXITED(ended));
    if (status)
        *status = WEXITSTATUS(ended);
    return n;
}

static const char *built(const char *name, const char *arguments)
{
    static char text[600];
    snprintf(text, sizeof text, "%s/tests/tracer/traced_%s%s", getenv("BUILD_ROOT"), name,
             arguments);
    return text;
}

static void false_sharing_and_its_padded_twin(void **state)
{
    (void)state;
    int status;
    uint64_t beside = counted(HITM, "", built("sharing", ""), &status);
    assert_int_equal(status, 0);
    uint64_t apart = counted(HITM, "", built("sharing", " x"), NULL);
    assert_true(beside > 10000); /* of 80,000 stores */
    assert_true(apart < 500);
}

static void one_core_has_nobody_to_share_with(void **state)
{
    (void)state;
    int status;
    assert_int_equal(counted(HITM, "--threads 2", built("sharing", ""), &status), 0);
    assert_int_equal(status, 0);
}

static void programs_in_place_of_others(void **state)
{
    (void)state;
    int status;
    char *env[] = {(char[]){"/usr/bin/env"}, strdup(built("loop", "")), NULL};
    bx_trace_counts c = traced_counts(env, &status), alone = traced_counts(env + 1, NULL);
    assert_int_equal(status, 7);
    assert_int_equal(alone.instructions, 5004); /* by hand: test_tracer.c */
    assert_true(c.instructions > 5004 + 50000); /* env's own loader alone */
    free(env[1]);
}

static void a_pipeline(void **state)
{
    (void)state;
    int status;
    uint64_t shell = counted(LOOKUPS, "", "sh -c 'exit 5'", &status);
    assert_int_equal(status, 5);
    uint64_t all = counted(LOOKUPS, "", "sh -c 'ls / | cat; exit 6'", &status);
    assert_int_equal(status, 6);
    assert_true(all > 2 * shell);
}

static void what_the_kernel_does_can_be_left_out(void **state)
{
    (void)state;
    uint64_t with = counted(LOOKUPS, "", "true", NULL);
    uint64_t without = counted(LOOKUPS, "--kernel-accesses off", "true", NULL);
    assert_true(with > without + 4 * 64); /* some of its pages, each of 64 lines */
}

static void one_thread_is_the_same_each_time(void **state)
{
    (void)state;
    uint64_t first = counted(LOOKUPS, "", built("loop", ""), NULL);
    for (unsigned i = 0; i < 3; i++)
        assert_int_equal(counted(LOOKUPS, "", built("loop", ""), NULL), first);
}

/* The run ends with its first process, whether others sleep or work. They end soon after. */
static void who_outlives_it_is_let_go(void **state)
{
    (void)state;
    int status;
    counted(LOOKUPS, "", "sh -c '(sleep 5 & ) 2> /dev/null; exit 3'", &status);
    assert_int_equal(status, 3);
    counted(LOOKUPS, "", "sh -c '(while kill -0 $PPID; do :; done & ) 2> /dev/null; exit 4'",
            &status);
    assert_int_equal(status, 4);
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
        cmocka_unit_test(false_sharing_and_its_padded_twin),
        cmocka_unit_test(one_core_has_nobody_to_share_with),
        cmocka_unit_test(programs_in_place_of_others),
        cmocka_unit_test(a_pipeline),
        cmocka_unit_test(what_the_kernel_does_can_be_left_out),
        cmocka_unit_test(one_thread_is_the_same_each_time),
        cmocka_unit_test(who_outlives_it_is_let_go),
    };
    return cmocka_run_group_tests(tests, setup, NULL);
}

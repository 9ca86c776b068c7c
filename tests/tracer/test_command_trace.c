/* boxscore trace: a program's trace in a file, the output of trace info about it, and
 * disturbances. */
#include "../cmocked.h"

#include "cli/run.h"

#include <string.h>

#define SETUP                                                                                      \
    "D=$(mktemp -d); trap 'rm -rf $D' EXIT; cd $D; LOOP=$BUILD_ROOT/tests/tracer/traced_loop\n"

/* loop.c: 1 + 1000 × 5 + 3 instructions; a load, a store and a modification in each turn. */
static void a_program_comes_back(void **state)
{
    (void)state;
    ran r = run_shell(SETUP "\"$BOXSCORE\" trace -o t -- \"$LOOP\" 'a b'\n"
                            "echo $?\n\"$BOXSCORE\" trace info t");
    assert_has(r.out, "7\nprogram        ");
    assert_has(r.out, "/traced_loop a b\n");
    assert_has(r.out, "processes      1\nthreads        1\ninstructions   5004\n"
                      "loads          1000\nstores         1000\nmodifications  1000\n"
                      "untraced       0\ncut short      0\nleft running   0\n");
    assert_has(r.out, "exit status    7\n");
    assert_silent(&r);
}

static void all_processes_are_in_it(void **state)
{
    (void)state;
    ran r = run_shell(SETUP "\"$BOXSCORE\" trace -o t sh -c '\"$0\"; true' \"$LOOP\"\n"
                            "\"$BOXSCORE\" trace info --json t");
    assert_has(r.out, "\"processes\":3,"); /* the shell, its child, and what that executes */
    assert_silent(&r);
}

/* For every length of the last group of bytes, the checksum is that of coreutils' cksum. */
static void the_checksum_is_that_of_cksum(void **state)
{
    (void)state;
    ran r = run_shell(
        SETUP "a=1; for i in 1 2 3 4 5 6 7 8; do\n"
              "\"$BOXSCORE\" trace -o t -- \"$LOOP\" $a; a=1$a\n"
              "set -- $(\"$BOXSCORE\" trace info t | sed -n 's/^bytes *//p; s/^cksum *//p')\n"
              "[ \"$2 $1 t\" = \"$(cksum t)\" ] || echo \"$1 $2\"; done");
    assert_string_equal(r.out, "");
    assert_silent(&r);
}

static void a_trace_that_was_cut_off_is_told(void **state)
{
    (void)state;
    ran r = run_shell(SETUP "\"$BOXSCORE\" trace -o t -- \"$LOOP\"\n"
                            "head -c -16 t > u\n\"$BOXSCORE\" trace info u");
    assert_has(r.out, "instructions   5004\n");
    assert_has_not(r.out, "exit status");
    assert_has(r.err, "'u': the trace is cut off after ");
    assert_int_equal(r.status, 1);
    ran_free(&r);
}

/* ---- the output file ---- */

static void a_pipe_gets_the_trace_alone(void **state)
{
    (void)state;
    ran r = run_shell(SETUP "\"$BOXSCORE\" trace -o - -- echo hello 2>e | cat >t; cat e\n"
                            "\"$BOXSCORE\" trace info t | grep 'exit status'\n"
                            "\"$BOXSCORE\" trace -o - -- echo 2>e |\n"
                            "\"$BOXSCORE\" trace info /dev/stdin | grep 'exit status'");
    assert_string_equal(r.out, "hello\nexit status    0\nexit status    0\n");
    assert_silent(&r);
}

static void a_file_is_there_whole_or_as_before(void **state)
{
    (void)state;
    ran r = run_shell(SETUP "echo before >t\n\"$BOXSCORE\" trace -o t -- ./nothing; echo $?; ls\n"
                            "cat t; \"$BOXSCORE\" trace -o t -- cat t; head -n 1 t; ls\n"
                            "\"$BOXSCORE\" trace -o no/t -- true; echo $?");
    assert_string_equal(r.out, "1\nt\nbefore\nbefore\nboxscore trace 2\nt\n1\n");
    assert_has(r.err, "nothing");
    assert_has(r.err, "cannot write 'no/t'");
    ran_free(&r);
}

static void a_full_disk_is_told(void **state)
{
    (void)state;
    ran r = RUN("trace", "-o", "/dev/full", "--", "true");
    assert_failed(&r, 1,
                  "boxscore: cannot write '/dev/full': No space left on device\n"
                  "  hint: make room there, or give another file: a trace takes up to a byte for "
                  "each memory reference\n");
}

/* A closed pipe ends the command as SIGPIPE would. It begins when its reader has ended. */
static void a_reader_may_stop_early(void **state)
{
    (void)state;
    ran r = run_shell(SETUP "for to in - /dev/stdout; do\n"
                            "  { trap '' PIPE; while echo 2>/dev/null; do :; done; trap - PIPE\n"
                            "    \"$BOXSCORE\" trace -o $to -- true; echo $? >&2; } | true\n"
                            "done");
    assert_string_equal(r.err, "141\n141\n");
    ran_free(&r);
}

/* The program gets the signal and ends by it. The trace has everything up to then. */
static void a_signal_goes_to_the_program(void **state)
{
    (void)state;
    ran r =
        run_shell(SETUP "\"$BOXSCORE\" trace -o t -- sh -c 'trap \"echo trapped; exit 5\" TERM\n"
                        "kill -TERM $PPID; while :; do :; done'; echo $?\n"
                        "\"$BOXSCORE\" trace info t | grep 'exit status'\n"
                        "\"$BOXSCORE\" trace -o t -- sh -c 'kill -SEGV $$'; echo $?\n"
                        "\"$BOXSCORE\" trace info t | grep 'exit status'; ls");
    assert_string_equal(r.out, "trapped\n5\nexit status    5\n139\nexit status    139\nt\n");
    ran_free(&r);
}

static void mistakes_in_the_options(void **state)
{
    (void)state;
    static const char *const lines[] = {"trace ls", "trace info", "trace info -x t",
                                        "trace info a b c", "trace -o t -j ls"};
    for (size_t i = 0; i < sizeof lines / sizeof *lines; i++) {
        char script[256] = SETUP "\"$BOXSCORE\" ";
        strcat(strcat(script, lines[i]), "; echo $?; ls");
        ran r = run_shell(script);
        assert_string_equal(r.out, "2\n");
        assert_has(r.err, "boxscore trace -o FILE -- PROGRAM");
        ran_free(&r);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_program_comes_back),
        cmocka_unit_test(all_processes_are_in_it),
        cmocka_unit_test(the_checksum_is_that_of_cksum),
        cmocka_unit_test(a_trace_that_was_cut_off_is_told),
        cmocka_unit_test(a_pipe_gets_the_trace_alone),
        cmocka_unit_test(a_file_is_there_whole_or_as_before),
        cmocka_unit_test(a_full_disk_is_told),
        cmocka_unit_test(a_reader_may_stop_early),
        cmocka_unit_test(a_signal_goes_to_the_program),
        cmocka_unit_test(mistakes_in_the_options),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

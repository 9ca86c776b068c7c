/* Programs that Valgrind alone refuses, ends or changes run as without it, or the report says what
 * they met. */
#include "../cmocked.h"

#include "cli/run.h"

#include <stdio.h>
#include <string.h>

/* `both` runs limits.c with the same arguments natively and counted, and prints what differs;
 * `said` prints what the report says beside the counts, and the exit status. */
#define SETUP                                                                                      \
    "D=$(mktemp -d); trap 'rm -rf $D' EXIT; P=$BUILD_ROOT/tests/tracer/traced_limits; ulimit -c "  \
    "0\n"                                                                                          \
    "count() { \"$BOXSCORE\" stat --machine virtual:skl,part=plain -o $D/counts -e "               \
    "INSTR_RETIRED_ANY -- "                                                                        \
    "\"$@\"; }\n"                                                                                  \
    "both() { $P $* >$D/native 2>&1; n=$?; count $P $* >$D/traced 2>$D/err; t=$?\n"                \
    "  [ $n = $t ] || echo \"$*: status $t, natively $n\"; [ $n = 0 ] || echo $*: $n\n"            \
    "  diff $D/native $D/traced; cat $D/err; grep process $D/counts; }\n"                          \
    "said() { count \"$@\" >$D/out 2>$D/err; echo status $?; sed \"s|$P|limits|\" $D/err\n"        \
    "  grep -a 'process ' $D/counts 2>/dev/null | sed 's/process [0-9]*/process N/; "              \
    "s/0x[0-9a-f]*/ADDRESS/g; "                                                                    \
    "s| in /.*: 62| in FILE: 62|'; }\n"

static void expect(const char *script, const char *out)
{
    char all[4096];
    int n = snprintf(all, sizeof all, "%s%s", SETUP, script);
    assert_true(n > 0 && (size_t)n < sizeof all);
    ran r = run_shell(all);
    assert_string_equal(r.out, out);
    assert_string_equal(r.err, "");
    ran_free(&r);
}

static void threads_and_memory_are_as_large_as_natively(void **state)
{
    (void)state;
    expect("both threads 510; both stack 60; both reserve\n", "");
}

static void processes_begin_in_all_ways(void **state)
{
    (void)state;
    expect("both clone3; both memory; both closed_memory; both damaged; both files\n", "");
}

/* What a program allows itself is not what its tracer needs. Who may raise a hard limit does. */
static void a_program_has_its_own_limits(void **state)
{
    (void)state;
    expect(
        "both own_limits\n"
        "shell() { sh -c \"$1\" 2>&1 | cat >$D/native; n=${PIPESTATUS[0]}\n"
        "  count sh -c \"$1\" 2>$D/err | cat >$D/traced; [ $n = ${PIPESTATUS[0]} ] || echo not "
        "$n\n"
        "  diff $D/native $D/traced; cat $D/err; }\n"
        "for l in '-v 65536; ulimit -d 2000; ulimit -s 64; ulimit -f 0' '-n 4' '-Sv 65536; ulimit "
        "-Sf 0'\n"
        "do shell \"ulimit $l; /bin/echo hi; exec sh -c 'for o in v d s f Hv Hd Hs Hf; do ulimit "
        "-\\$o; done; exit 3'\"; done\n",
        "");
}

/* Without /proc Valgrind does not begin. */
static void programs_without_proc_run(void **state)
{
    (void)state;
    ran r =
        run_shell(SETUP "unshare -rm true 2>/dev/null || { echo none; exit; }\n"
                        "said unshare -rm sh -c 'mount -t tmpfs none /proc; /bin/echo hi' 2>&1\n"
                        "grep -o \"traced: .*\" $D/counts; cat $D/out");
    if (strcmp(r.out, "none\n") != 0) {
        assert_has(r.out, "/bin/echo (process");
        assert_has(r.out, "\nhi\n");
        assert_has(r.out, "status 0\n");
        assert_has_not(r.out, "is counted until");
    }
    ran_free(&r);
}

static void the_programs_filters_forbid_nothing_to_the_tracer(void **state)
{
    (void)state;
    expect("both refused; both trap; both strict\n", "");
}

static void a_filter_ends_its_program(void **state)
{
    (void)state;
    expect("said $P killed",
           "status 159\nboxscore: 'limits' was killed by signal 31 (SIGSYS)\n"
           " process N, 'traced_limits' is ended by its own seccomp filter, which forbids system "
           "call 110\n");
}

static void a_sandbox_around_boxscore_is_named(void **state)
{
    (void)state;
    expect("$P sandbox \"$BOXSCORE\" stat --machine virtual:skl,part=plain -e INSTR_RETIRED_ANY -- "
           "true 2>&1\n"
           "echo $?\n",
           "boxscore: 'true' was not run: a sandbox (seccomp) around boxscore killed the tracer "
           "(SIGSYS)\n  hint: let the sandbox answer unknown calls with ENOSYS, or trace outside "
           "of it\n1\n");
}

static void an_unknown_instruction_is_named(void **state)
{
    (void)state;
    expect("said $P unknown | sed 's| c1 .*| c1|'; said $P ud2",
           "status 132\nboxscore: 'limits' was killed by signal 4 (SIGILL)\n"
           " process N, 'traced_limits' got SIGILL: the tracer (Valgrind) does not know the "
           "instruction, AVX-512 at ADDRESS, unknown_instruction in FILE: 62 f1 7c 48 58 c1\n"
           "status 132\nboxscore: 'limits' was killed by signal 4 (SIGILL)\n");
}

static void a_program_with_too_many_mappings_is_not_counted_to_its_end(void **state)
{
    (void)state;
    expect("said sh -c \"$P maps 31000; true\"",
           "status 1\n process N, 'traced_limits' is not counted to its end, which is that of the "
           "tracer: it has more mappings than Valgrind can have (30,000 in most versions)\n");
}

static void no_folder_for_temporary_files_is_needed(void **state)
{
    (void)state;
    expect("for d in /nonexistent /proc ''; do TMPDIR=$d said $P hello; done; unset TMPDIR\n"
           "said $P hello; cat $D/out\n",
           "status 0\nstatus 0\nstatus 0\nstatus 0\nhello\n");
}

/* Who may lift a hard limit meets none. */
static void limits_of_files_are_named(void **state)
{
    (void)state;
    static const char hard[] =
        "boxscore: 'true' ran without a trace: the tracer could not make a ring\n"
        "  hint: ulimit -f 2048: the size of files is limited to 1024 bytes\n";
    expect("(ulimit -n 32; said true); (ulimit -Sf 1; said true)\n",
           "status 1\nboxscore: no trace can be made: the limit of open files is 32\n"
           "  hint: ulimit -n 256, and 4 more for each process that runs at once\nstatus 0\n");
    ran r = run_shell(SETUP "ulimit -f 1; (ulimit -f 2) 2>/dev/null && echo lifts; said true");
    if (strncmp(r.out, "lifts", 5) != 0)
        assert_has(r.out, hard);
    ran_free(&r);
}

static void closed_descriptors_stay_closed(void **state)
{
    (void)state;
    expect("count sh -c 'readlink /proc/$$/fd/0 /proc/$$/fd/1 /proc/$$/fd/2; exit 3' "
           "<&- >&- 2>&-; echo $?\n",
           "3\n");
}

/* Only what CPUID announces is used; all of it must be known to the translator. */
static void cpuid_announces_what_is_executed(void **state)
{
    (void)state;
    expect("T=$BUILD_ROOT/tracer/boxscore-tracer-amd64-linux; export VALGRIND_LAUNCHER=$T\n"
           "for f in sse2 sse4.2 avx avx2; do $T --tool=boxscore-tracer --drop=yes -q "
           "--features=$f -- $BUILD_ROOT/tests/tracer/traced_cpuid; done\n"
           "count $BUILD_ROOT/tests/tracer/traced_cpuid\n",
           "features announced\nfeatures announced\nfeatures announced\nfeatures announced\n"
           "features announced\n");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(threads_and_memory_are_as_large_as_natively),
        cmocka_unit_test(processes_begin_in_all_ways),
        cmocka_unit_test(a_program_has_its_own_limits),
        cmocka_unit_test(programs_without_proc_run),
        cmocka_unit_test(the_programs_filters_forbid_nothing_to_the_tracer),
        cmocka_unit_test(a_filter_ends_its_program),
        cmocka_unit_test(a_sandbox_around_boxscore_is_named),
        cmocka_unit_test(an_unknown_instruction_is_named),
        cmocka_unit_test(a_program_with_too_many_mappings_is_not_counted_to_its_end),
        cmocka_unit_test(no_folder_for_temporary_files_is_needed),
        cmocka_unit_test(limits_of_files_are_named),
        cmocka_unit_test(closed_descriptors_stay_closed),
        cmocka_unit_test(cpuid_announces_what_is_executed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* Measurements that are killed, disturbed or refused, with real processes on served device files.
 * At the end registers are as before, and a message has reported the problem. */
#include "../cmocked.h"
#include "../rounds.h"

#include "stage/play.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Shell functions: `on MACHINE MSRS` serves a machine at $D and writes a value to these MSRs; `off`
 * ends it; `back` restores; $C is a measurement. Journals are in $J. $W is a program: `begins`
 * waits until it runs, when all registers are written, and `ends` ends it. */
static const char prologue[] =
    "J=$D.journals; mkdir $J; stages=; W=\"cat $D.wait\"; mkfifo $D.wait\n"
    "begins() { exec 9>$D.wait; }; ends() { exec 9>&-; }\n"
    "on() { $B stage --at $D --pace 1000000 --machine $1 >/dev/null 2>&1 & stages=$!\n"
    "  await '[ -e $D/dev/mem ]'\n"
    "  M=$1; for a in $2; do echo \"wrmsr 0 $a 0x71${a#0x}\" >$D/dialogue; done; }\n"
    "off() { kill $stages; wait $stages 2>/dev/null; }\n"
    "C=\"$B stat --machine host --root $D --journal $J/j\"\n"
    "back() { $B restore --root $D $J/j; }\n"
    "trap 'kill $stages 2>/dev/null; wait 2>/dev/null; ends; rm -rf $J $D.out $D.wait; at_end' "
    "EXIT\n"
    "cbo='0x700 0x701 0x706 0x707 0x710 0x716 0x720 0x726 0x730 0x736 0x394 0x395 0x3b0 0x3b2 "
    "0xe01'\n"
    "counters='0x706 0x707 0x716 0x726 0x736 0x395 0x3b0'\n";

static ran play_safely(const char *script)
{
    static char text[8000];
    need_fuse();
    snprintf(text, sizeof text, "%s%s", prologue, script);
    return play(text);
}

static void expect_safely(const char *script, const char *out)
{
    ran r = play_safely(script);
    if (strcmp(r.out, out) != 0 || r.err[0] || r.status)
        fail_msg("%s\n--- printed\n%s--- said (%d)\n%s", script, r.out, r.status, r.err);
    ran_free(&r);
}

/* Printed, so that a run can be repeated with BX_SEED. */
static unsigned seed_of_kills(void)
{
    unsigned seed = seed_of_run();
    print_message("BX_SEED=%u\n", seed);
    return seed;
}

/* Kills at random moments of up to 190 ms: before, while and after registers are written. */
static void killed_at_any_time(void **state)
{
    (void)state;
    char script[2048];
    unsigned times = getenv("BX_LONG") ? 300 : 8, seed = seed_of_kills();
    snprintf(script, sizeof script,
             "RANDOM=%u; on virtual:skl,part=plain \"$counters\"; registers 0 \"$cbo\" >$D.out; "
             "killed=0; left=0\n"
             "for i in $(seq %u); do\n"
             "  $C -e UNC_CBO_CACHE_LOOKUP:ANY_I,UNC_CLOCK:SOCKET,UNC_ARB_TRK_REQUESTS:ALL \\\n"
             "    -- sleep 5 >/dev/null 2>&1 & p=$!\n"
             "  sleep 0.$((RANDOM %% 2))$((RANDOM %% 10))\n"
             "  [ $i = 1 ] && await '[ -e $J/j ]'\n"
             "  kill -9 $p; wait $p 2>/dev/null\n"
             "  if [ -e $J/j ]; then left=$((left + 1)); back >/dev/null || echo failed; fi\n"
             "  registers 0 \"$cbo\" | diff $D.out - || echo at $i\n"
             "  [ -e $J/j ] && echo journal $i\n"
             "done\n"
             "ls $J; [ $left -gt 0 ] && echo some were put back; off",
             seed, times);
    expect_safely(script, "some were put back\n");
    print_message("%u kills\n", times);
}

/* Two processes count on a package each, and are killed at different moments. Some of the restores
 * are killed as well. */
static void two_on_two_packages(void **state)
{
    (void)state;
    char script[2048];
    unsigned times = getenv("BX_LONG") ? 150 : 5, seed = seed_of_kills();
    snprintf(script, sizeof script,
             "RANDOM=%u; on virtual:ivbep,part=plain,packages=2,cores=2 '0xd16 0xd36'\n"
             "both() { for c in 0 2; do echo CPU $c\n"
             "  registers $c '0xd04 0xd10 0xd14 0xd16 0xd30 0xd36 0xc00'; done; }\n"
             "one() { exec $B stat --machine host --root $D --journal $J/$1 \\\n"
             "  -e ivbep_unc_cbo@$1::UNC_C_LLC_LOOKUP:ANY -- sleep 5 >/dev/null 2>&1; }\n"
             "both >$D.out; left=0\n"
             "for i in $(seq %u); do\n"
             "  one 0 & p=$!; one 1 & q=$!\n"
             "  [ $i = 1 ] && await '[ -e $J/0 -a -e $J/1 ]'\n"
             "  sleep 0.0$((RANDOM %% 10)); kill -9 $p; sleep 0.0$((RANDOM %% 10)); kill -9 $q\n"
             "  wait $p $q 2>/dev/null\n"
             "  for j in 0 1; do\n"
             "    [ -e $J/$j ] && left=$((left + 1))\n"
             "    if [ -e $J/$j -a $((RANDOM %% 2)) = 0 ]; then\n"
             "      $B restore --root $D $J/$j >/dev/null 2>&1 & r=$!\n"
             "      sleep 0.0$((RANDOM %% 10)); kill -9 $r 2>/dev/null; wait $r 2>/dev/null\n"
             "    fi\n"
             "    if [ -e $J/$j ]; then $B restore --root $D $J/$j >/dev/null || echo failed; fi\n"
             "  done\n"
             "  both | diff $D.out - || echo at $i\n"
             "done 2>/dev/null\n"
             "ls $J; [ $left -gt 1 ] && echo some were put back; off",
             seed, times);
    expect_safely(script, "some were put back\n");
    print_message("%u kills\n", times);
}

/* Messages of `restore` and later measurements while a measurement runs, and after it was
 * killed. */
static void what_restore_says(void **state)
{
    (void)state;
    ran r = play_safely("on virtual:skl,part=plain \"$counters\"; registers 0 \"$cbo\" >$D.out\n"
                        "$C -e skl_unc_cbo0::UNC_CBO_CACHE_LOOKUP:ANY_I -- $W 2>/dev/null & p=$!\n"
                        "begins; back; echo $?\n" /* the measurement is still running */
                        "$C -e DRAM_DATA_READS,UNC_CLOCK:SOCKET -- true; echo $?\n"
                        "kill -9 $p; wait $p 2>/dev/null; ends\n"
                        "$C -e UNC_CLOCK:SOCKET -- true; echo $?\n"
                        "head -c 300 $J/j >$J/cut; $B restore --root $D $J/cut; echo $?\n"
                        "back | sed \"s/$p/PID/\"; echo $?\n"
                        "registers 0 \"$cbo\" | diff $D.out - && echo as before\n"
                        "back; echo $?\n"
                        "$C -e UNC_CLOCK:SOCKET -- true 2>/dev/null; echo $?; off");
    assert_string_equal(r.out, "1\n1\n1\n1\n"
                               "MSR_UNC_PERF_GLOBAL_CTRL (0xe01, package 0): 0x20000000 -> 0x0\n"
                               "MSR_UNC_CBO_0_PERFEVTSEL0 (0x700, package 0): 0x408834 -> 0x0\n"
                               "MSR_UNC_CBO_0_PERFCTR0 (0x706, package 0): 0x0 -> 0x71706\n"
                               "4 registers are as before process PID counted "
                               "skl_unc_cbo0::UNC_CBO_CACHE_LOOKUP:ANY_I: 3 had changed\n"
                               "0\nas before\n1\n0\n");
    assert_has(r.err, " counts still and puts its registers back itself\n");
    assert_has(r.err, " counts on package 0 already: ");
    assert_has(r.err, "a measurement has ended here without putting its registers back: process ");
    assert_has(r.err, "  hint: boxscore restore --root ");
    assert_has(r.err, "/cut': it is cut off or damaged\n");
    assert_has(r.err, "No such file or directory\n");
    ran_free(&r);
}

/* After a reboot there is nothing to restore. */
static void after_a_reboot(void **state)
{
    (void)state;
    expect_safely("on virtual:skl,part=plain\n"
                  "$C -e UNC_CLOCK:SOCKET -- $W 2>/dev/null & p=$!\n"
                  "begins; kill -9 $p; wait $p 2>/dev/null; ends; off; on virtual:skl,part=plain "
                  "'0x395'; cp $J/j $J/old\n"
                  "$C -e skl_unc_cbo0::UNC_CBO_CACHE_LOOKUP:ANY_I -- true 2>/dev/null; echo $?\n"
                  "$B restore --root $D $J/old; ls $J; registers 0 0x395; off",
                  "0\nnothing to put back: the machine was started anew since\n0x395 0x71395\n");
}

/* Each stage in a mount namespace is a machine at "/". What is counted on one, and what a killed
 * measurement has left there, does not concern the registers of another. */
static void another_stage(void **state)
{
    (void)state;
    need_mount_namespace();
    /* boxscore runs on stage, where a sanitizer's run-time is not the first library. */
    ran r = play("export ASAN_OPTIONS=${ASAN_OPTIONS-verify_asan_link_order=0}\n"
                 "E=UNC_CBO_CACHE_LOOKUP:ANY_I; mkfifo $D.begun $D.end\n"
                 "on_stage() { $B stage --machine virtual:skl,part=plain --pace 0 -- \"$@\"; }\n"
                 "count() { on_stage $B stat --driver registers -o /dev/null -e $E -- \"$@\"; }\n"
                 "count sh -c \"echo \\$PPID >$D.begun; read x <$D.end\" 2>/dev/null &\n"
                 "read -t 100 p <>$D.begun; count true && echo counted\n"
                 "kill -9 $p; echo 1<>$D.end; wait; j=$(echo /run/boxscore/$p-*.journal)\n"
                 "count true && echo counted; [ -s $j ] && echo kept\n"
                 "on_stage $B restore $j; echo $?; rm -f $j $D.begun $D.end");
    assert_string_equal(r.out, "counted\ncounted\nkept\n1\n");
    assert_has(r.err, "' is of another machine on /: of the host, or of a stage that is not this");
    ran_free(&r);
}

static void signals_put_back(void **state)
{
    (void)state;
    expect_safely("set -m; on virtual:skl,part=plain \"$counters\"; registers 0 \"$cbo\" >$D.out\n"
                  "for s in INT TERM HUP QUIT PIPE ALRM USR1 XCPU; do\n"
                  "  $C -e UNC_CBO_CACHE_LOOKUP:ANY_I \\\n"
                  "    -- $W >/dev/null 2>&1 & p=$!\n"
                  "  begins; kill -$s $p; ends; wait $p\n"
                  "  registers 0 \"$cbo\" | diff $D.out - || echo $s\n"
                  "done 2>/dev/null; ls $J; off; exit 0",
                  "");
}

/* Another program counts on another box of the package. */
static void a_pmu_in_use(void **state)
{
    (void)state;
    ran r = play_safely(
        "on virtual:skl,part=plain; echo 'wrmsr 0 0x720 0x408834' >$D/dialogue\n"
        "echo 'wrmsr 0 0xe01 0x20000000' >$D/dialogue; registers 0 '0x720 0xe01' >$D.out\n"
        "$C -e UNC_ARB_TRK_REQUESTS:ALL -- true; echo $?\n"
        "$C -e DRAM_DATA_READS -- true 2>/dev/null; echo $?\n" /* no write is needed */
        "$C --force -e UNC_ARB_TRK_REQUESTS:ALL -- true 2>/dev/null; echo $?\n"
        "registers 0 '0x720 0xe01' | diff $D.out - && echo as before; ls $J; off");
    assert_string_equal(r.out, "1\n0\n0\nas before\n");
    assert_has(r.err, "package 0 is in use: skl_unc_cbo2::UNC_CBO_CACHE_LOOKUP:ANY_I is being "
                      "counted\n  hint: end what counts there; force ");
    ran_free(&r);
}

/* A counter cannot be written at first. The second try puts it back, and leaves the enables set
 * that the first try had put back. */
static void a_second_try(void **state)
{
    (void)state;
    ran r = play_safely(
        "on virtual:skl,part=plain \"$counters\"; echo 'wrmsr 0 0xe01 0x20000000' >$D/dialogue\n"
        "registers 0 \"$cbo\" >$D.out\n"
        "$C --force -e skl_unc_cbo0::UNC_CBO_CACHE_LOOKUP:ANY_I -- $W 2>/dev/null & p=$!\n"
        "begins; kill -9 $p; wait $p 2>/dev/null; ends\n"
        "export ASAN_OPTIONS=verify_asan_link_order=0:detect_leaks=0\n"
        "LD_PRELOAD=$BUILD_ROOT/tests/stage/libfault_injector.so FAULT_UNDER=$D \\\n"
        "  FAULT=EIO:0:999 FAULT_AT=0x706 back >/dev/null; echo $?; registers 0 0xe01\n"
        "back >/dev/null; echo $?; registers 0 \"$cbo\" | diff $D.out -; ls $J; off");
    assert_string_equal(r.out, "1\n0xe01 0x20000000\n0\n");
    assert_has(r.err, "MSR_UNC_CBO_0_PERFCTR0 (0x706, package 0) is not put back: ");
    assert_has(r.err, "boxscore: 1 register is not as before; '");
    ran_free(&r);
}

/* The stage is killed during a measurement, so the device vanishes. */
static void a_device_that_vanishes(void **state)
{
    (void)state;
    ran r = play_safely(
        "on virtual:skl,part=plain; $C -e skl_unc_cbo0::UNC_CBO_CACHE_LOOKUP:ANY_I,"
        "skl_unc_arb::UNC_ARB_TRK_REQUESTS:ALL -- $W & p=$!\n"
        "begins; kill -9 $stages; ends; wait $p; echo $?; grep -cE '^(put|clear) ' $J/j");
    /* two controls, two counters, the enable register; the status, which is cleared */
    assert_has(r.out, "1\n6\n");
    assert_has(r.err, "MSR_UNC_CBO_0_PERFEVTSEL0 (0x700) cannot be put back: ");
    assert_has(r.err, "MSR_UNC_ARB_PERFEVTSEL0 (0x3b2) cannot be put back: ");
    assert_has(r.err, "MSR_UNC_PERF_GLOBAL_CTRL (0xe01) cannot be put back: ");
    assert_has(r.err, "a journal has the remaining registers: boxscore restore --root '/");
    ran_free(&r);
}

/* The journal cannot be written, so nothing is programmed. */
static void no_place_for_a_journal(void **state)
{
    (void)state;
    ran r = play_safely(
        "on virtual:skl,part=plain; $B stat --machine host --root $D --journal $J/no/j -e "
        "UNC_CLOCK:SOCKET -- true; echo $?; registers 0 '0x394 0xe01'; off");
    assert_string_equal(r.out, "1\n0x394 0x0\n0xe01 0x0\n");
    assert_has(r.err, "cannot be written: No such file or directory\n  hint: name another file "
                      "for the journal; without one nothing is programmed\n");
    ran_free(&r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(killed_at_any_time),     cmocka_unit_test(two_on_two_packages),
        cmocka_unit_test(what_restore_says),      cmocka_unit_test(after_a_reboot),
        cmocka_unit_test(another_stage),          cmocka_unit_test(signals_put_back),
        cmocka_unit_test(a_pmu_in_use),           cmocka_unit_test(a_device_that_vanishes),
        cmocka_unit_test(no_place_for_a_journal), cmocka_unit_test(a_second_try),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

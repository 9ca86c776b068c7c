/* `boxscore stat --log-registers` and `--replay`: a replay gives the same report, or a message. */
#include "../cmocked.h"

#include "cli/run.h"

#include <stdio.h>
#include <string.h>

static const char begin[] =
    "dir=$(mktemp -d) && cd \"$dir\" || exit 99\n"
    "trap 'rm -rf \"$dir\"' EXIT\n"
    "S=\"$BOXSCORE stat\" M='--machine virtual:skl,part=plain,cores=2'\n"
    /* every line except the one that says that it is a replay; A: options of the replay */
    "same() { $S $M \"$@\" --log-registers r -o a && $S --replay r $A -o b || return\n"
    "         diff a <(grep -v '^# replayed from r$' b) && echo same; }\n";

static void prints(const char *script, const char *out)
{
    char text[4096];
    assert_true((size_t)snprintf(text, sizeof text, "%s%s", begin, script) < sizeof text);
    ran r = run_shell(text);
    if (strcmp(r.out, out) != 0)
        fail_msg("%s\n%s%s", script, r.out, r.err);
    ran_free(&r);
}

static void the_same_report(void **state)
{
    (void)state;
    prints("A=--all; same --all -w stream,size=256K", "same\n");
    prints("A=--all; same --all -w random,size=256K,iterations=5000 -r 3", "same\n");
    prints("A=--all; same --all -w stream,size=256K -I 5us", "same\n");
    prints("A=--all; same --all -w stream,size=64K --passes repeat", "same\n");
    prints("same -e UNC_CBO_CACHE_LOOKUP:ANY_I -w stream,size=64K", "same\n");
}

/* Without -e, the first screen is shown again, and its columns: the log says that it was. */
static void the_first_screen_again(void **state)
{
    (void)state;
    prints(
        "same -w stream,size=256K; same -w stream,size=256K -r 2; same -w stream,size=64K -I 5us\n"
        "grep -c '^# screen: cycles,instructions,' r\n"
        "$S $M -w stream,size=64K --log-registers r -o a; $S --replay r --all -o b\n"
        "grep -c 'skl_unc_cbo::' a b; $S --replay r -e cycles | grep -c 'More:'",
        "same\nsame\nsame\n1\na:0\nb:14\n0\n");
}

static void formats_are_those_of_the_replay(void **state)
{
    (void)state;
    prints("$S $M -e UNC_CLOCK -w stream,size=64K --log-registers r -o a -j && "
           "$S --replay r -j -o b 2>c && cmp a b && cat c",
           "boxscore: replayed from r\n");
}

static void what_does_not_go(void **state)
{
    (void)state;
    prints("$S $M -e UNC_CLOCK -w stream,size=64K --log-registers r -o a\n"
           "for o in '-w stream' '--machine host' '--root /' '--log-registers q' '-- true'; do\n"
           "$S --replay r $o 2>&1 | grep -cE '^boxscore: --(replay|log)'; done\n"
           "for o in '--threads 0' '--turn 5' '--features host' '--kernel-accesses off'; do\n"
           "$S --replay r $o 2>&1 | grep -c '^boxscore: --threads'; done",
           "1\n1\n1\n1\n1\n1\n1\n1\n1\n");
    prints("$S $M -e UNC_CLOCK -w stream,size=64K --log-registers r -o a\n"
           "sed -i 's/^# events: .*/# events: UNC_CBO_CACHE_LOOKUP:ANY_I/' r\n"
           "$S --replay r 2>&1 | sed \"s/line [0-9]*: asked for 'cpu0 .*/line N/\"; ls",
           "boxscore: 'r', line N\n"
           "  hint: the file was changed, or recorded by a version that counts differently\n"
           "a\nr\n");
    prints("$S --record r -- true 2>&1",
           "boxscore: 'stat' has no option '--record'\n"
           "  hint: --log-registers FILE keeps register accesses; boxscore record: who causes the "
           "counts\n");
    prints("echo x >r; $S --replay r 2>&1",
           "boxscore: 'r' is no register log of a measurement\n"
           "  hint: boxscore stat --log-registers FILE makes one\n");
}

/* Other reports from a register log are the same as from a new measurement: on a virtual machine,
 * counting changes nothing. */
static void other_questions(void **state)
{
    (void)state;
    static const char *const questions[] = {
        "-I 5us",
        "-I 15us",
        "-I 1s",
        "-I 10us -e DRAM_DATA_READS",
        "-I 20us --per-unit -x , -e UNC_CLOCK,UNC_CBO_CACHE_LOOKUP:ANY_I",
        "-I 20us -j -e skl_unc_cbo1::UNC_CBO_CACHE_LOOKUP:ANY_I",
    };
    char script[1024];
    for (size_t i = 0; i < sizeof questions / sizeof *questions; i++) {
        snprintf(script, sizeof script,
                 "E=UNC_CBO_CACHE_LOOKUP:ANY_I,DRAM_DATA_READS,UNC_CLOCK W='-w stream,size=256K'\n"
                 "$S $M $W -e $E -I 5us --log-registers r -o a; case '%s' in *-e*) E=;; *) E=\"-e "
                 "$E\";; "
                 "esac\n"
                 "$S $M $W $E %s -o a; $S --replay r %s -o b 2>c\n"
                 "diff a <(grep -v '^# replayed' b) && grep -v replayed c; wc -l <a | grep -c "
                 "'[1-9]'",
                 questions[i], questions[i], questions[i]);
        prints(script, "1\n");
    }
}

static void all_of_intervals(void **state)
{
    (void)state;
    prints(
        "W='-w stream,size=256K' E='-e DRAM_DATA_READS,UNC_CLOCK'\n"
        "$S $M $W $E -I 5us --log-registers r -o a; $S $M $W $E -o a\n"
        "$S --replay r --no-interval-print -o b; diff a <(grep -v '^# replayed' b) && echo same\n"
        "$S $M $W --no-interval-print 2>&1; $S --replay r -I 5us --no-interval-print 2>&1",
        "same\n"
        "boxscore: --no-interval-print leaves out intervals that were recorded\n"
        "  hint: boxscore stat --replay FILE --no-interval-print, without -I\n"
        "boxscore: --no-interval-print leaves out intervals that were recorded\n"
        "  hint: boxscore stat --replay FILE --no-interval-print, without -I\n");
}

/* Two of three runs, and one event of several that had a run each. */
static void some_runs(void **state)
{
    (void)state;
    prints("W='-w random,size=256K,iterations=5000' E='-e DRAM_DATA_READS'\n"
           "$S $M $W $E -r 3 --log-registers r -o a; $S $M $W $E -r 2 -o a\n"
           "$S --replay r -r 2 -o b; diff a <(grep -v '^# replayed' b) && echo same\n"
           "C=UNC_CBO_CACHE_LOOKUP:ANY E=${C}_M,${C}_ES,${C}_I,${C}_MESI\n"
           "$S $M $W -e $E --passes repeat --log-registers r -o a; $S $M $W -e ${C}_I -o a\n"
           "$S --replay r -e ${C}_I -o b; diff a <(grep -v '^# replayed' b) && echo same",
           "same\nsame\n");
}

static void what_was_recorded_is_said(void **state)
{
    (void)state;
    prints(
        "$S $M -e UNC_CLOCK,skl_unc_cbo0::UNC_CBO_CACHE_LOOKUP:ANY_I -w stream,size=64K -I 2us "
        "--log-registers r -o a\n"
        "for o in '-I 5us' '-r 2' '--passes repeat' '-e DRAM_DATA_READS' "
        "'-e UNC_CBO_CACHE_LOOKUP:ANY_I'; do $S --replay r $o 2>&1; done\n"
        "$S $M -e UNC_CLOCK -w stream,size=64K --log-registers r -o a; $S --replay r -I 5us 2>&1",
        "boxscore: 'r' was recorded with intervals of 2us, of which 5us is no multiple\n"
        "  hint: such as 6us; or leave the interval out\n"
        "boxscore: 'r' has 1 run, not 2\n"
        "  hint: leave their number out: all runs are shown\n"
        "boxscore: 'r' was recorded with the passes 'rotate'\n"
        "  hint: leave passes out\n"
        "boxscore: 'skl_unc_imc::DRAM_DATA_READS' was not recorded\n"
        "  DRAM_DATA_READS\n"
        "  ^^^^^^^^^^^^^^^\n"
        "  hint: recorded were: skl_unc_clock::UNC_CLOCK:SOCKET, "
        "skl_unc_cbo0::UNC_CBO_CACHE_LOOKUP:ANY_I\n"
        "boxscore: 'skl_unc_cbo::UNC_CBO_CACHE_LOOKUP:ANY_I' was not recorded\n"
        "  UNC_CBO_CACHE_LOOKUP:ANY_I\n"
        "  ^^^^^^^^^^^^^^^^^^^^^^^^^^\n"
        "  hint: recorded were: skl_unc_clock::UNC_CLOCK:SOCKET, "
        "skl_unc_cbo0::UNC_CBO_CACHE_LOOKUP:ANY_I\n"
        "boxscore: 'r' was recorded without intervals\n"
        "  hint: leave the interval out\n");
}

/* If the file cannot grow, there is one message, and the older register log stays. */
static void no_room(void **state)
{
    (void)state;
    prints("echo older >r; (ulimit -f 4; $S $M -w stream,size=4M --log-registers r -o a 2>&1); "
           "echo $?; "
           "cat r; ls",
           "boxscore: the register log 'r' cannot be written: File too large\n1\nolder\nr\n");
}

static void explained(void **state)
{
    (void)state;
    prints("$S $M -e UNC_CBO_CACHE_LOOKUP:ANY_I -w stream,size=64K --log-registers r -o a && "
           "$BOXSCORE explain r | grep -c 'C-Box [01] counter 0 counts "
           "skl_unc_cbo[01]::UNC_CBO_CACHE_LOOKUP:ANY_I'",
           "2\n");
}

/* The file of `machine gather` works as the machine of every --root. */
static void gathered(void **state)
{
    (void)state;
    prints("export TMPDIR=$dir; mkdir -p m/proc m/sys/devices/system/cpu m/dev/cpu/0\n"
           "printf 'processor\\t: 0\\nvendor_id\\t: GenuineIntel\\ncpu family\\t: 6\\n"
           "model\\t\\t: 94\\nstepping\\t: 3\\n' >m/proc/cpuinfo\n"
           "echo 0 >m/sys/devices/system/cpu/online\n"
           "printf '\\5\\0\\0\\0\\0\\0\\0\\0' | dd of=m/dev/cpu/0/msr bs=1 seek=918 2>/dev/null\n"
           "truncate -s 8K m/dev/cpu/0/msr\n"
           "$BOXSCORE machine gather --root m -o f && rm -r m && grep -c '^= 8 0x396 0x5$' f\n"
           "sed -En 's/^# ([^ ]+( [^ ]+)?)  .*/\\1/p' f | paste -sd,\n" /* no data of a user */
           "$BOXSCORE machine show f | grep -c 'family 6 model 0x5e stepping 3'\n"
           "$BOXSCORE doctor --root f | grep -c 'in the catalogue as skl'\n"
           "$BOXSCORE doctor --root f | grep -E '^MSR|written' | tr -s ' '\n"
           "$BOXSCORE stat --machine host --root f --journal j -e UNC_CLOCK -- true 2>&1; ls",
           "1\nCPU,hypervisor,modules,MSR device,perf_event,core PMU,uncore PMUs,NMI watchdog,"
           "energy,sleep states,clocks\n"
           "1\n1\nMSR device can be read, as far as it was when this machine was gathered\n"
           "boxscore: MSR_UNC_PERF_GLOBAL_CTRL (0xe01) cannot be written: the device is read-only\n"
           "  hint: a gathered machine is for reading: 'boxscore regs' and 'boxscore doctor'\nf\n");
    prints("$BOXSCORE machine show nosuch 2>&1; echo >here; $BOXSCORE machine show here 2>&1; rm "
           "here; "
           "$BOXSCORE machine 2>&1 | head -1; $BOXSCORE machine "
           "show 2>&1 | head -1",
           "boxscore: cannot read 'nosuch': No such file or directory\n"
           "boxscore: 'here' is no file of boxscore machine gather\n"
           "boxscore: 'machine' needs an operand\n"
           "boxscore: a machine is gathered, or a file of one shown\n");
}

/* Users can look at the file gathered on an unknown machine before they send it. */
static void gathered_of_a_cpu_that_is_not_known(void **state)
{
    (void)state;
    prints("mkdir -p m/proc\n"
           "printf 'processor\\t: 0\\nvendor_id\\t: AuthenticAMD\\ncpu family\\t: 26\\n"
           "model\\t\\t: 2\\nstepping\\t: 1\\n' >m/proc/cpuinfo\n"
           "$BOXSCORE machine gather --root m -o f && $BOXSCORE machine show f >out; echo $?\n"
           "head -1 out | tr -s ' '; tail -1 out; rm -r m out f",
           "0\nCPU AuthenticAMD family 26 model 0x2 stepping 1, 1 logical CPU\n"
           "no registers: the CPU of this machine (AuthenticAMD, family 26, model 0x2) is not in "
           "the catalogue\n");
}

/* Register logs from others, whose texts have escape sequences or forge lines. */
static void texts_for_a_terminal(void **state)
{
    (void)state;
    prints("$S $M -e UNC_CLOCK -w stream,size=64K --log-registers r -o a\n"
           "sed -i \"s/^# subject: .*/# subject: a\\x1b[2J\\rb\\xc2\\x9b2J/\" r\n"
           "$S --replay r -o b; sed -n 's/.* for \\(.* on virtual\\)/\\1/p' b\n"
           "$S --replay r 2>&1 | sed -n 's/.* for \\(.* on virtual\\)/\\1/p'",
           "a?[2J?b??2J on virtual:skl,part=plain,cores=2:\n"
           "a?[2J?b??2J on virtual:skl,part=plain,cores=2:\n");
    prints("export TMPDIR=$dir; mkdir -p m/proc m/sys/bus/event_source/devices\n"
           "printf 'processor\\t: 0\\nvendor_id\\t: GenuineIntel\\ncpu family\\t: 6\\n"
           "model\\t\\t: 94\\nmodel name\\t: Core\\033[2J\\r i7\\n' >m/proc/cpuinfo\n"
           "mkdir $(printf 'm/sys/bus/event_source/devices/uncore_\\033[2J\\nCPU')\n"
           "$BOXSCORE machine gather --root m -o f; E=$(printf '\\033')\n"
           "for o in 'doctor --root m' 'doctor --root f' 'machine show f'; do\n"
           "$BOXSCORE $o >o 2>&1; grep -ac $E o; grep -c 'Core.*i7' o; grep -c '^CPU' o; done",
           "0\n1\n1\n0\n1\n1\n0\n1\n1\n");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_same_report),
        cmocka_unit_test(the_first_screen_again),
        cmocka_unit_test(formats_are_those_of_the_replay),
        cmocka_unit_test(what_does_not_go),
        cmocka_unit_test(other_questions),
        cmocka_unit_test(all_of_intervals),
        cmocka_unit_test(some_runs),
        cmocka_unit_test(what_was_recorded_is_said),
        cmocka_unit_test(no_room),
        cmocka_unit_test(explained),
        cmocka_unit_test(gathered),
        cmocka_unit_test(gathered_of_a_cpu_that_is_not_known),
        cmocka_unit_test(texts_for_a_terminal),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

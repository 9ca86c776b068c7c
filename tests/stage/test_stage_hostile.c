/* Programs that attack their stage. It serves other programs as before, ends in time, and leaves
 * nothing. */
#include "../cmocked.h"
#include "../rounds.h"

#include "stage/play.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* 334060-001: the memory controller's counters are read-only. */
static void memory_stays(void **state)
{
    (void)state;
    need_mount_namespace();
    expect("timeout 100 $B stage --machine virtual:skl,part=plain --pace 0 -- "
           "$BUILD_ROOT/tests/stage/hostile_client memory",
           "");
}

/* The preloaded library is one of the texts: without it no dynamic program would start. */
static void texts_stay(void **state)
{
    (void)state;
    need_mount_namespace();
    expect("timeout 100 $B stage --machine virtual:skl,part=plain --pace 0 -- sh -c '\n"
           "  $BUILD_ROOT/tests/stage/hostile_client texts; head -c 9 /proc/cpuinfo'\n",
           "processor");
}

/* The kernel's PCI devices are not the machine's. On a host without any, the test makes some. */
static void no_device_of_the_host(void **state)
{
    (void)state;
    need_mount_namespace();
    expect("unshare -rm sh -c 'mount -t tmpfs none /sys/devices && cd /sys/devices &&\n"
           "  mkdir -p pci0000:00/0000:00:1f.0 platform system/cpu system/node &&\n"
           "  timeout 100 $B stage --machine virtual:skl,part=plain --pace 0 -- sh -c \"ls -d "
           "/sys/devices/p*; ls /sys/bus/pci\n"
           "    ls /sys/bus/pci/devices\"'",
           "/sys/devices/platform\ndevices\n0000:00:00.0\n");
}

/* A command that takes hours is stopped by a signal to its program, by one to the stage, and by the
 * program's end. Then others are served. Its program ends by that signal, or because the stage
 * refuses the rest of the command, and not before. */
static void endless_commands(void **state)
{
    (void)state;
    static const char *const lines[] = {
        "run pingpong,iterations=1000000000",
        "signal skl_unc_cbo0 0x34 0x8f 4294967295 70000000000000000",
    };
    need_fuse();
    for (size_t i = 0; i < sizeof lines / sizeof *lines; i++) {
        char script[2048];
        snprintf(script, sizeof script,
                 "set -m; exec 2>/dev/null\n"
                 "begin() { timeout 100 $B stage --machine virtual:skl,part=plain --at $D --pace 0 "
                 "& p=$!\n"
                 "  await '[ -e $D/dev/mem ]'; echo 'wrmsr 0 0x394 0x400000' >$D/dialogue\n"
                 "  echo 'wrmsr 0 0x700 0x508f34' >$D/dialogue\n"
                 "  echo 'wrmsr 0 0xe01 0x20000000' >$D/dialogue; }\n"
                 "msr() { dd if=$D/dev/cpu/0/msr bs=8 count=1 iflag=skip_bytes skip=$1 |\n"
                 "  od -An -tx8; }\n"
                 "passes() { await '[ $(msr 917) != 0000000000000000 ]'; }\n" /* the time */
                 "begin; sh -c \"exec echo %s >$D/dialogue\" & w=$!; passes\n"
                 "kill -9 $w; wait $w; echo $?; msr 918; kill -TERM $p; wait $p; ls $D\n"
                 "begin; sh -c \"exec echo %s >$D/dialogue\" & w=$!; passes\n"
                 "kill -TERM $p; wait $p; wait $w; echo $?; ls $D; echo ended\n"
                 "timeout 100 $B stage --machine virtual:skl,part=plain --at $D --pace 0 -- \\\n"
                 "  sh -c \"echo %s >$D/dialogue & sleep 0.3\"; echo $?; ls $D",
                 lines[i], lines[i], lines[i]);
        expect(script, "137\n 0000000000000005\n1\nended\n0\n");
    }
}

/* While a command of one process lets time pass, all others read and write, also through the
 * dialogue. Only commands that let time pass wait for its end, and a signal ends that. */
static void others_are_served(void **state)
{
    (void)state;
    need_mount_namespace();
    expect("cat >$D.sh <<'END'\n"
           "set -m; exec 2>/dev/null; d=/dev/boxscore/dialogue\n"
           "say() { timeout 60 sh -c \"echo $1 >$d && cat $d\"; }\n"
           "clock() { timeout 60 dd if=/dev/cpu/0/msr bs=8 count=1 iflag=skip_bytes skip=917 |\n"
           "  od -An -tu8 | tr -d ' '; }\n"
           "echo 'wrmsr 0 0x700 0x508f34' >$d; echo 'wrmsr 0 0x394 0x400000' >$d\n"
           "echo 'wrmsr 0 0xe01 0x20000000' >$d; echo 'rdmsr 0 0x700' >$d\n"
           "sh -c \"exec echo run pingpong,iterations=1000000000 >$d\" & long=$!\n"
           "while [ $(clock) = 0 ]; do sleep 0.05; done\n" /* its time passes */
           "timeout 60 cat $d; say 'rdmsr 0 0x396'\n"
           "say 'no command' || timeout 60 cat $d | cut -c 1-10\n"
           "timeout 60 ls /sys/bus/event_source/devices | grep -c uncore_arb\n"
           "timeout 60 $BUILD_ROOT/tests/stage/perf_client errors || echo perf\n"
           "sh -c \"exec echo cycles 5 >$d\" & killed=$!\n"
           "sh -c \"echo cycles 5 >$d; echo after\" & waits=$!\n"
           "sleep 0.2; kill -9 $killed; wait $killed; echo $?\n"
           "a=$(clock); while [ $(clock) = $a ]; do sleep 0.05; done\n" /* it goes on */
           "kill -9 $long; wait $long; s=$?; wait $waits; echo $s\n"
           "END\n"
           "timeout 200 $B stage --machine virtual:skl,part=plain --pace 0 -- bash $D.sh; echo $?; "
           "rm $D.sh",
           "0x508f34\n0x5\nno command\n1\n137\nafter\n137\n0\n");
}

static unsigned seed_of_rounds(void)
{
    unsigned seed = seed_of_run();
    print_message("BX_SEED=%u\n", seed);
    return seed;
}

/* `left` prints processes with this $D in their environment. */
static void attacked(const char *stage, const char *folder, unsigned tries)
{
    char script[2048];
    bool full = getenv("BX_LONG");
    snprintf(
        script, sizeof script,
        "left() { for e in $(grep -lz \"^D=$D$\" /proc/[0-9]*/environ 2>/dev/null); do\n"
        "  tr '\\0' ' ' <${e%%environ}cmdline && echo; done; }\n"
        "left >$D.before\n"
        "timeout 300 %s -- $BUILD_ROOT/tests/stage/hostile_client \"%s\" %u %u 400 %u; echo $?\n"
        "left >$D.after; diff $D.before $D.after; ls $D; grep $D /proc/self/mountinfo\n"
        "rm $D.before $D.after",
        stage, folder, seed_of_rounds(), full ? 60 : 4, tries);
    ran r = play(script);
    char *end = strchr(r.out, '\n');
    if (!end || strcmp(end, "\n0\n") != 0 || !strstr(r.out, " operations on "))
        fail_msg("%s\n--- printed\n%s--- said\n%s", script, r.out, r.err);
    *end = '\0';
    print_message("%s: %s\n", stage, r.out);
    ran_free(&r);
}

static void at_random(void **state)
{
    (void)state;
    need_mount_namespace();
    attacked("$B stage --machine virtual:skl,part=plain --pace 0", "", 1);
    attacked("$B stage --machine virtual:skl,part=plain --pace 1000000 -w stream", "", 20);
}

static void at_random_in_a_folder(void **state)
{
    (void)state;
    need_fuse();
    attacked("$B stage --machine virtual:skl,part=plain --at $D --pace 0", "$D", 1);
}

/* signal(7): signals whose default is to end the process are sent to a process of the stage itself,
 * the stage or its reapers. All processes end, including those that the program left. */
static void signals_to_the_stage(void **state)
{
    (void)state;
    char script[2048];
    unsigned times = getenv("BX_LONG") ? 300 : 12;
    need_mount_namespace();
    snprintf(script, sizeof script,
             "RANDOM=%u; exec 2>/dev/null\n"
             "set -- 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 24 25 26 27 29 30 31 34 50 64\n"
             "alive() { grep -lz \"^OF=$D$\" /proc/[0-9]*/environ; }\n"
             "for n in $(seq %u); do\n"
             "  shift $((RANDOM %% ($# > 3 ? 3 : $#))); up=$((RANDOM %% 3))\n"
             "  OF=$D timeout 100 $B stage --machine virtual:skl,part=plain --pace 0 -- sh -c \"\n"
             "    setsid sleep 999 & sleep 999 & p=\\$PPID; for i in \\$(seq $up); do\n"
             "      p=\\$(cut -d' ' -f4 /proc/\\$p/stat); done\n"
             "    kill -$1 \\$p; exec sleep 999\" </dev/null; r=$?\n"
             "  [ $r = 124 ] && echo \"signal $1 to parent $up: it does not end\"\n"
             "  for i in $(seq 1000); do left=$(alive); [ \"$left\" ] || break; sleep 0.05; done\n"
             "  [ \"$left\" ] && echo \"signal $1 to parent $up: $left\"\n"
             "  [ $# = 1 ] && break\n"
             "done; exit 0",
             seed_of_rounds(), times);
    expect(script, "");
    print_message("at most %u signals\n", times);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(memory_stays),          cmocka_unit_test(texts_stay),
        cmocka_unit_test(no_device_of_the_host), cmocka_unit_test(endless_commands),
        cmocka_unit_test(others_are_served),     cmocka_unit_test(at_random),
        cmocka_unit_test(at_random_in_a_folder), cmocka_unit_test(signals_to_the_stage),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* What programs find on stage, and what they leave: msr-tools, and programs of our own. */
#include "../cmocked.h"

#include "stage/play.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A counter of an event that is not modelled reads 0, and a message says so. */
static void not_modelled(void **state)
{
    (void)state;
    need_mount_namespace();
    need_program("rdmsr");
    ran r = play("$B stage --workload random,size=1M -- sh -c '\n"
                 "  wrmsr 0x186 0x4101c2; wrmsr 0x187 0x4100c0; wrmsr 0x38f 3\n"
                 "  while [ $(rdmsr 0xc2) = 0 ]; do sleep 0.05; done; rdmsr 0xc1; rdmsr 0xc1'");
    assert_string_equal(r.out, "0\n0\n");
    assert_string_equal(r.err, "boxscore: not modelled, and so 0 wherever it was read (times): "
                               "skl_core::UOPS_RETIRED, code C2H, unit mask 1H (2)\n");
    ran_free(&r);
}

static void msr_tools(void **state)
{
    (void)state;
    need_mount_namespace();
    need_program("rdmsr");
    expect("$B stage --pace 0 -- sh -c '\n"
           "  rdmsr -a 0x396; wrmsr -p 2 0x700 0x408834; rdmsr -p 0 0x700\n"
           "  rdmsr 0x123 2>&1; echo $?\n"
           "  wrmsr 0x700 0x8000000000000000 2>&1; echo $?\n"
           "  wrmsr -p 7 0x700 0 2>&1; echo $?'",
           "5\n5\n5\n5\n408834\n"
           "rdmsr: CPU 0 cannot read MSR 0x00000123\n4\n"
           "wrmsr: CPU 0 cannot set MSR 0x00000700 to 0x8000000000000000\n4\n"
           "wrmsr: open: No such file or directory\n127\n");
    /* All output formats of rdmsr's manual page, and setting all CPUs. */
    expect("$B stage --machine virtual:ivbep,part=plain,cores=3 --pace 0 -- sh -c '\n"
           "  wrmsr -a 0x186 0x1203c1; rdmsr -p 5 0x186; rdmsr -a 0x186 | sort | uniq -c | tr -d "
           "\" \"\n"
           "  for way in -x -X -d -u -o -0 -c; do rdmsr $way 0x186; done\n"
           "  for bits in 7:0 15:8 23:16 63:0; do rdmsr -f $bits -u 0x186; done'",
           "1203c1\n61203c1\n"
           "1203c1\n1203C1\n1180609\n1180609\n4401701\n00000000001203c1\n0x1203c1\n"
           "193\n3\n18\n1180609\n");
    expect("$B stage --machine virtual:nhmex,part=plain,packages=2,cores=2 --pace 0 -- sh -c '\n"
           "  wrmsr -p 2 0xd10 0x400714; rdmsr -a -c 0xd10 | sort'; "
           "$B stage --machine virtual:p6,part=plain --pace 0 -- sh -c 'wrmsr 0x186 0x410043; "
           "rdmsr -a 0x186'",
           "0x0\n0x0\n0x400714\n0x400714\n410043\n");
}

static void what_the_host_has_is_covered(void **state)
{
    (void)state;
    need_mount_namespace();
    expect("$B stage --machine virtual:skl,part=plain,cores=3,slices=2 --pace 0 -- sh -c '\n"
           "  grep -c ^processor /proc/cpuinfo; ls /dev/cpu; cat /sys/devices/system/cpu/online\n"
           "  echo gone >/dev/null; ls /dev/zero; ls -d $BOXSCORE_STAGE/dialogue'",
           "3\n0\n1\n2\n0-2\n/dev/zero\n/dev/boxscore/dialogue\n");
}

/* docs/reference/stage.md, "Registers that steer the machine". A stream over three arrays of 1 MiB
 * reads 49152 lines, half of them in each slice. Without prefetchers each line is looked up once,
 * and misses. Prefetches into the LLC only are additional lookups of the same lines. */
static void prefetchers_are_switched(void **state)
{
    (void)state;
    need_mount_namespace();
    need_program("wrmsr");
    expect("reads() {\n" /* lookups and misses of each slice while the stream runs on CPU 0 */
           "  $B stage --machine $1 --pace 0 -- sh -c \"$2\"'\n"
           "    for box in 0 1; do wrmsr 0x7${box}0 0x401f34; wrmsr 0x7${box}1 0x401834; done\n"
           "    wrmsr 0xe01 0x2000000f; echo run stream,size=1M >/dev/boxscore/dialogue\n"
           "    for box in 0 1; do rdmsr -d 0x7${box}6; rdmsr -d 0x7${box}7; done'\n"
           "}\n"
           "more() {\n" /* lookups of each slice; the number of missed lines is the same */
           "  paste -d' ' $D.on $D.off | awk '\n"
           "    { print NR % 2 ? ($1 > $2 ? \"more\" : $1 \" \" $2) : $1 == $2 ? \"same\" : $0 }'\n"
           "}\n"
           "on=virtual:skl,part=plain,cores=2,prefetch=on part=virtual:skl,cores=2,part=i7-6700k\n"
           "reads $on 'wrmsr -a 0x1a4 0xf' | tee $D.off; reads $on '' >$D.on; more\n"
           "reads $on 'wrmsr -p 1 0x1a4 0xf' | cmp - $D.on\n"
           "reads $on 'wrmsr -a 0x1a4 0xf; wrmsr -a 0x1a4 0' | cmp - $D.on\n"
           "reads $part 'wrmsr -p 0 0x1a4 0xf' >$D.off; reads $part '' >$D.on; more\n"
           "rm -f $D.on $D.off",
           "24576\n24576\n24576\n24576\nmore\nsame\nmore\nsame\nmore\nsame\nmore\nsame\n");
}

/* Registers in memory are up to date for a program that maps them, as LIKWID and PCM do. */
static void memory_is_live(void **state)
{
    (void)state;
    need_mount_namespace();
    expect("$B stage --machine virtual:skl,part=plain --pace 0 -- sh -c '\n"
           "  word() { od -An -tu4 -j $((0xfed15050)) -N 4 /dev/mem | tr -d \" \"; }\n"
           "  word; echo run stream,size=64K >/dev/boxscore/dialogue; word'",
           "0\n3072\n");
}

/* Afterwards the host is unchanged, whatever happens to the stage or its program. */
static void nothing_is_left(void **state)
{
    (void)state;
    need_mount_namespace();
    static const char *const scripts[] = {
        "$B stage --pace 0 -- true",
        "$B stage --pace 0 -w stream -- sh -c 'sleep 61.25 & exit 0'",
        "$B stage -- sh -c 'kill -9 $$'",
        "$B stage -- sh -c 'sleep 61.25 & setsid sleep 61.25 & kill -9 $$'",
        "$B stage -- sh -c '(setsid sleep 61.25 &) ; sleep 61.25' & sleep 0.5; kill -9 $!; wait",
        "$B stage & sleep 0.3; kill -TERM $!; wait",
    };
    for (size_t i = 0; i < sizeof scripts / sizeof *scripts; i++) {
        char script[1024];
        snprintf(script, sizeof script,
                 "exec 2>/dev/null\n"
                 /* Other programs have files in /dev/shm. */
                 "snapshot() { ls -laR -I shm --time-style=+ /dev | grep -v 'pts\\|tty\\|ptmx'\n"
                 "  grep -v ' /tmp/' /proc/mounts; grep -c . /proc/cpuinfo\n"
                 "  ls /etc/ld.so.preload; pgrep -ax sleep | grep 61.25; }\n"
                 "snapshot >$D.before; %s >/dev/null\n"
                 "await 'snapshot >$D.after; cmp -s $D.before $D.after'\n"
                 "diff $D.before $D.after && echo the same; rm -f $D.before $D.after",
                 scripts[i]);
        ran r = play(script);
        if (strcmp(r.out, "the same\n") != 0)
            fail_msg("%s\n%s", scripts[i], r.out);
        ran_free(&r);
    }
}

static void statuses(void **state)
{
    (void)state;
    need_mount_namespace();
    expect("$B stage --pace 0 -- sh -c 'exit 5'; echo $?\n"
           "$B stage --pace 0 -- sh -c 'kill -9 $$'; echo $?",
           "5\n137\n");
    ran r = play("$B stage");
    assert_failed(&r, 2,
                  "boxscore: there is nothing to run\n"
                  "  hint: boxscore stage -- PROGRAM, or boxscore stage --at DIRECTORY\n");
}

/* A program without a loader reaches the devices too. */
static void a_static_client(void **state)
{
    (void)state;
    need_mount_namespace();
    need_program("cc");
    expect("cat >$D.c <<'END'\n"
           "#include <fcntl.h>\n#include <stdio.h>\n#include <unistd.h>\n"
           "int main(void) { unsigned long v = 0; int fd = open(\"/dev/cpu/1/msr\", O_RDONLY);\n"
           "return pread(fd, &v, 8, 0x396) == 8 ? printf(\"%lx\\n\", v) < 0 : 1; }\n"
           "END\n"
           "cc -static -o $D.x $D.c && $B stage --pace 0 -- $D.x; rm -f $D.c $D.x",
           "5\n");
}

/* ---- explain: the registers that a program writes ---- */

static void explained(void **state)
{
    (void)state;
    need_mount_namespace();
    need_program("wrmsr");
    expect("$B explain --machine virtual:skl,part=plain,cores=2 --pace 0 --log $D.log -o $D.text "
           "-- sh -c '\n"
           "  rdmsr 0x396; wrmsr -p 1 0x711 0x508834; wrmsr 0x396 7 2>/dev/null; exit 5'; echo $?\n"
           "cat $D.text; grep -v ^# $D.log; grep ^#.m $D.log\n"
           "$B explain $D.log | diff - $D.text && echo the same; rm -f $D.text $D.log",
           "3\n5\n"
           "cpu 0 reads MSR 396H: package, MSR_UNC_CBO_CONFIG = NO_CBO_BANKS 3\n"
           "cpu 1 writes MSR 711H: C-Box 1 counter 1 ← UNC_CBO_CACHE_LOOKUP, umask ANY_I, overflow "
           "reported\n"
           "cpu 0 writes MSR 396H: package, MSR_UNC_CBO_CONFIG ← NO_CBO_BANKS 7\n"
           "  warning: the register is read-only: the write faults\n"
           "  it faulted\n"
           "3 accesses, 3 of them to registers of PMUs; 1 warning\n"
           "cpu0 R 0x396 0x3\ncpu1 W 0x711 0x508834\ncpu0 W 0x396 0x7 fault\n"
           "# machine: virtual:skl,part=plain,cores=2\nthe same\n");
    /* With -a it also prints accesses to registers outside PMUs, known or not. */
    expect(
        "$B explain -a --machine virtual:ivbep,part=plain,cores=1 --pace 0 -o $D.text -- sh -c '\n"
        "  dd if=/proc/bus/pci/7f/13.1 bs=4 skip=54 count=1 2>/dev/null | od -An -tx4\n"
        "  dd if=/proc/bus/pci/40/05.0 bs=4 skip=66 count=1 2>/dev/null | od -An -tx4\n"
        "  dd if=/proc/bus/pci/3f/08.0 bs=4 skip=20 count=1 2>/dev/null | od -An -tx4\n"
        "  rdmsr 0xce'; cat $D.text; rm -f $D.text",
        " 00000000\n 00017f40\n 00000000\nc00f01b00\n"
        "reads PCI 7f:13.1+D8H: ring to PCI Express: counters, counters and controls = 0x0\n"
        "reads PCI 40:05.0+108H: memory map, the package's buses: I/O, uncore, and that both hold "
        "= 0x17f40\n"
        "reads PCI 3f:08.0+50H: QPI link 0 = 0x0\n"
        "cpu 0 reads MSR CEH: platform information: ratios = 0xc00f01b00\n"
        "4 accesses, 0 of them to registers of PMUs; 0 warnings\n");
    /* Without -o it writes to standard error. A program that cannot be started leaves no register
     * log. */
    ran r = play("$B explain --pace 0 -- rdmsr 0x700");
    assert_string_equal(r.out, "0\n");
    assert_string_equal(r.err, "1 access, 1 of them to registers of PMUs; 0 warnings\n");
    assert_int_equal(r.status, 0);
    ran_free(&r);
    r = play("$B explain --pace 0 --trace $D.trace -- /nonexistent; ls $D.trace 2>/dev/null");
    assert_string_equal(r.out, "");
    ran_free(&r);
}

/* boxscore itself finds memory channels as on a host, on a bus of each package. It counts by
 * registers what the machine counts, and leaves its registers as before. */
static void boxscore_as_on_a_host(void **state)
{
    (void)state;
    need_mount_namespace();
    expect(
        "export ASAN_OPTIONS=verify_asan_link_order=0:detect_leaks=0\n"
        "M=virtual:ivbep,part=plain,cores=2 "
        "E=UNC_M_CAS_COUNT:RD,UNC_M_CAS_COUNT:WR,UNC_M_WPQ_INSERTS\n"
        "printf '#!/bin/sh\\necho run stream,size=4M >/dev/boxscore/dialogue\\n' >$D.sh\n"
        "chmod +x $D.sh\n"
        "count() { $B stat --per-unit -x, -e $E \"$@\" 2>&1 | grep ^S | cut -d, -f 1-5; }\n"
        "count --machine $M -w stream,size=4M >$D.want\n"
        "timeout 100 $B stage --machine $M --pace 0 -- sh -c \"\n"
        "  $B regs --json >$D.before\n"
        "  $B stat --machine host --driver registers --per-unit -x, -e $E $D.sh 2>$D.got\n"
        "  $B regs --json >$D.after\"\n"
        "grep ^S $D.got | cut -d, -f 1-5 | diff - $D.want && awk -F, '$3 > 1000' $D.want | wc -l\n"
        "diff $D.before $D.after && echo as before; rm -f $D.*",
        "24\nas before\n");
    /* A host may hide PCI configuration space: then there are no memory channels, and the rest is
     * counted. */
    expect("export ASAN_OPTIONS=verify_asan_link_order=0:detect_leaks=0\n"
           "mkdir -p $D.r/sys/bus/pci/devices $D.r/proc; ln -s /dev $D.r\n"
           "ln -s /sys/devices $D.r/sys; ln -s /proc/cpuinfo /proc/modules $D.r/proc\n"
           "timeout 100 $B stage --machine virtual:ivbep,part=plain,cores=2 --workload stream -- "
           "sh -c \"\n"
           "  $B stat --machine host --root $D.r --driver registers -e UNC_M_CAS_COUNT:RD true\n"
           "  $B stat --machine host --root $D.r --driver registers -x, sleep 0.1\" 2>&1 |\n"
           "sed -n 's/boxscore: //p; /UNC_[CM]_[A-Z_]*[:,]/p' | sed 's/.*\\(UNC_.\\).*/\\1/' | "
           "uniq -c\n"
           "rm -r $D.r",
           "      1 this machine has no memory channel 0\n      1 UNC_M\n      2 UNC_C\n");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(msr_tools),
        cmocka_unit_test(not_modelled),
        cmocka_unit_test(what_the_host_has_is_covered),
        cmocka_unit_test(prefetchers_are_switched),
        cmocka_unit_test(memory_is_live),
        cmocka_unit_test(nothing_is_left),
        cmocka_unit_test(statuses),
        cmocka_unit_test(a_static_client),
        cmocka_unit_test(explained),
        cmocka_unit_test(boxscore_as_on_a_host),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

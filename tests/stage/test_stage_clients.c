/* Other people's programs on stage, unmodified: msr-tools, LIKWID, PCM. Where the work is done
 * between their two readings (`run` in the stage's dialogue, no time passing otherwise), what they
 * count of a modelled PMU is what is counted in process. */
#include "cmocked.h"

#include "stage/play.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void msr_tools(void **state)
{
    (void)state;
    need_scene();
    need_program("rdmsr");
    expect("$B stage --pace 0 -- sh -c '\n"
           "  rdmsr -a 0x396; wrmsr -p 2 0x700 0x408834; rdmsr -p 0 0x700\n"
           "  rdmsr 0x123 2>/dev/null || echo faults\n"
           "  wrmsr 0x700 0x8000000000000000 2>/dev/null || echo faults'",
           "5\n5\n5\n5\n408834\nfaults\nfaults\n");
    expect("$B stage --machine virtual:ivbep,cores=3 --pace 0 -- rdmsr -a 0xc00 | wc -l", "6\n");
}

static void what_the_host_has_is_covered(void **state)
{
    (void)state;
    need_scene();
    expect("$B stage --machine virtual:skl,cores=3,slices=2 --pace 0 -- sh -c '\n"
           "  grep -c ^processor /proc/cpuinfo; ls /dev/cpu; cat /sys/devices/system/cpu/online\n"
           "  echo gone >/dev/null; ls /dev/zero; ls -d $BOXSCORE_STAGE/dialogue'",
           "3\n0\n1\n2\n0-2\n/dev/zero\n/dev/boxscore/dialogue\n");
}

/* A word of memory that a program maps: LIKWID and PCM do. */
static void memory_is_live(void **state)
{
    (void)state;
    need_scene();
    expect("$B stage --pace 0 -- sh -c '\n"
           "  word() { od -An -tu4 -j $((0xfed15050)) -N 4 /dev/mem | tr -d \" \"; }\n"
           "  word; echo run stream,size=64K >/dev/boxscore/dialogue; word'",
           "0\n3072\n");
}

/* Nothing that was there is different afterwards, whatever happens to the stage or its program. */
static void nothing_is_left(void **state)
{
    (void)state;
    need_scene();
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
        snprintf(
            script, sizeof script,
            "exec 2>/dev/null\n"
            "look() { ls -laR --time-style=+ /dev | grep -v 'pts\\|tty\\|ptmx'\n"
            "  grep -v ' /tmp/' /proc/mounts; grep -c . /proc/cpuinfo\n"
            "  ls /etc/ld.so.preload; pgrep -ax sleep | grep 61.25; }\n"
            "look >$D.before; %s >/dev/null\n"
            "for i in 1 2 3 4 5 6 7 8 9; do look >$D.after; cmp -s $D.before $D.after && break; "
            "sleep 0.1; done\n"
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
    need_scene();
    expect("$B stage --pace 0 -- sh -c 'exit 5'; echo $?\n"
           "$B stage --pace 0 -- sh -c 'kill -9 $$'; echo $?",
           "5\n137\n");
    ran r = play("$B stage");
    assert_failed(&r, 2,
                  "boxscore: there is nothing to run\n"
                  "  hint: boxscore stage -- PROGRAM, or boxscore stage --at DIRECTORY\n");
}

/* A program without a loader reaches the devices too; CPUID only says what the host says. */
static void a_static_client(void **state)
{
    (void)state;
    need_scene();
    need_program("cc");
    expect("cat >$D.c <<'END'\n"
           "#include <fcntl.h>\n#include <stdio.h>\n#include <unistd.h>\n"
           "int main(void) { unsigned long v = 0; int fd = open(\"/dev/cpu/1/msr\", O_RDONLY);\n"
           "return pread(fd, &v, 8, 0x396) == 8 ? printf(\"%lx\\n\", v) < 0 : 1; }\n"
           "END\n"
           "cc -static -o $D.x $D.c && $B stage --pace 0 -- $D.x; rm -f $D.c $D.x",
           "5\n");
}

/* ---- explain: what a program programs ---- */

static void explained(void **state)
{
    (void)state;
    need_scene();
    need_program("wrmsr");
    expect(
        "$B explain --machine virtual:skl,cores=2 --pace 0 --trace $D.trace -o $D.told -- sh -c '\n"
        "  rdmsr 0x396; wrmsr -p 1 0x711 0x508834; wrmsr 0x396 7 2>/dev/null; exit 5'; echo $?\n"
        "cat $D.told; grep -v ^# $D.trace; grep ^#.m $D.trace\n"
        "$B explain $D.trace | diff - $D.told && echo the same; rm -f $D.told $D.trace",
        "3\n5\n"
        "cpu 0 reads MSR 396H: package, MSR_UNC_CBO_CONFIG = NO_CBO_BANKS 3\n"
        "cpu 1 writes MSR 711H: C-Box 1 counter 1 ← UNC_CBO_CACHE_LOOKUP, umask ANY_I, overflow "
        "reported\n"
        "cpu 0 writes MSR 396H: package, MSR_UNC_CBO_CONFIG ← NO_CBO_BANKS 7\n"
        "  warning: the register is read-only: the write faults\n"
        "  it faulted\n"
        "3 accesses, 3 of them to registers of PMUs; 1 warning\n"
        "cpu0 R 0x396 0x3\ncpu1 W 0x711 0x508834\ncpu0 W 0x396 0x7 fault\n"
        "# machine: virtual:skl,cores=2\nthe same\n");
    /* Without a file it goes to standard error; what cannot be started leaves no trace. */
    ran r = play("$B explain --pace 0 -- rdmsr 0x700");
    assert_string_equal(r.out, "0\n");
    assert_string_equal(r.err, "1 access, 1 of them to registers of PMUs; 0 warnings\n");
    assert_int_equal(r.status, 0);
    ran_free(&r);
    r = play("$B explain --pace 0 --trace $D.trace -- /nonexistent; ls $D.trace 2>/dev/null");
    assert_string_equal(r.out, "");
    ran_free(&r);
}

/* ---- LIKWID ---- */

static void likwid_topology(void **state)
{
    (void)state;
    need_scene();
    need_program("likwid-topology");
    ran r = play("timeout 60 $B stage --machine virtual:ivbep,cores=4 --pace 0 -- likwid-topology");
    assert_has(r.out, "CPU type:\tIntel Xeon IvyBridge EN/EP/EX processor\n");
    assert_has(r.out, "Sockets:\t\t2\nCores per socket:\t4\nThreads per core:\t1\n");
    assert_has(r.out, "Socket 1:\t\t( 4 5 6 7 )\n");
    assert_int_equal(r.status, 0);
    ran_free(&r);
}

/* Lines of LIKWID's CSV: event, counter, one value per CPU. */
static void likwid_counts(const char *machine, const char *cpus, const char *events,
                          const char *lines)
{
    char script[1024];
    snprintf(script, sizeof script,
             "printf '#!/bin/sh\\necho run stream,size=4M >/dev/boxscore/dialogue\\n' >$D.sh\n"
             "chmod +x $D.sh\n"
             "timeout 100 $B stage --machine %s --pace 0 -- sh -c '\n"
             "  echo run stream,size=64K >/dev/boxscore/dialogue\n" /* MBOX must not read 0 */
             "  likwid-perfctr -O -f -c %s -g %s $D.sh' 2>&1 |\n"
             "grep -E '^[A-Z_]+,[CUM]BOX'; rm -f $D.sh",
             machine, cpus, events);
    expect(script, lines);
}

static void likwid_on_a_client(void **state)
{
    (void)state;
    need_scene();
    need_program("likwid-perfctr");
    char want[512];
    ran r =
        play("printf 'run stream,size=64K\\nrun stream,size=4M\\n' >$D.work\n"
             "m='wrmsr 0 0xe01 0x20000000\\n'\n"
             "for box in 0 3; do\n"
             "  printf 'run stream,size=64K\\nwrmsr 0 0x%x 0x508834\\n'"
             " $((0x700 + 16 * box)) >$D.x\n"
             "  printf \"${m}run stream,size=4M\\nrdmsr 0 0x%x\\n\" $((0x706 + 16 * box)) >>$D.x\n"
             "  printf '%d\\n' $($B vpmu $D.x)\n"
             "done\n"
             "printf 'run stream,size=64K\\nwrmsr 0 0x3b2 0x400181\\n' >$D.x\n"
             "printf \"${m}run stream,size=4M\\nrdmsr 0 0x3b0\\n\" >>$D.x\n"
             "printf '%d\\n' $($B vpmu $D.x)\n"
             "printf 'run stream,size=64K\\nrdmem 0xfed15050 4\\nrun stream,size=4M\\n"
             "rdmem 0xfed15050 4\\n' >$D.x\n"
             "set -- $($B vpmu $D.x); echo $(($2 - $1)); rm -f $D.x $D.work");
    unsigned c0, c3, arb, reads;
    assert_int_equal(sscanf(r.out, "%u %u %u %u", &c0, &c3, &arb, &reads), 4);
    assert_true(c0 > 40000 && arb > 100000 && reads > 100000);
    ran_free(&r);
    snprintf(want, sizeof want,
             "CACHE_LOOKUP_ANY_I,CBOX0C0,%u\nCACHE_LOOKUP_ANY_I,CBOX3C1,%u\n"
             "TRK_REQUESTS_ALL,UBOX0,%u\nDRAM_READS,MBOX0C1,%u\n",
             c0, c3, arb, reads);
    likwid_counts("virtual:skl", "0",
                  "CACHE_LOOKUP_ANY_I:CBOX0C0,CACHE_LOOKUP_ANY_I:CBOX3C1,TRK_REQUESTS_ALL:UBOX0,"
                  "DRAM_READS:MBOX0C1",
                  want);
}

/* What LIKWID writes of the M-Box does not fault, so that the whole set counts; but its FVC event
 * is another one (docs/stage.md). */
static void likwid_on_a_xeon_7500(void **state)
{
    (void)state;
    need_scene();
    need_program("likwid-perfctr");
    expect("printf '#!/bin/sh\necho run stream,size=4M >/dev/boxscore/dialogue\n' >$D.sh\n"
           "chmod +x $D.sh\n"
           "timeout 100 $B explain --machine virtual:nhmex,packages=1,cores=2 --pace 0 -o $D.told "
           "-- \\\n"
           "  likwid-perfctr -O -f -c 0 -g \\\n"
           "  LLC_MISSES_ALL:CBOX0C0,FVC_EV0_BBOX_CMDS_READS:MBOX0C0 $D.sh 2>&1 |\n"
           "grep -E '^[A-Z_0-9]+,[CM]BOX' | sed 's/,[1-9][0-9]*$/,some/'\n"
           "grep -E ' counts |warning: |fault' $D.told; rm -f $D.sh $D.told",
           "LLC_MISSES_ALL,CBOX0C0,some\nFVC_EV0_BBOX_CMDS_READS,MBOX0C0,0\n"
           "  C-Box 0 counter 0 counts nhmex_unc_cbox0::LLC_MISSES:ALL\n"
           "  M-Box 0 counter 0 counts nhmex_unc_mbox0::FVC_EV0:POISON_TXN\n");
}

/* ---- PCM ---- */

static void pcm(void **state)
{
    (void)state;
    need_scene();
    need_program("pcm-msr");
    ran r = play("export PCM_NO_PERF=1\n"
                 "timeout 100 $B stage --pace 0 -- sh -c '\n"
                 "  pcm-msr 0x396; pcm-msr -w 0x408834 0x700; rdmsr 0x700\n"
                 "  pcm 0.2 -i=1' 2>&1");
    assert_has(r.out, "Read value 0x5 from MSR 0x396 on core 0");
    assert_has(r.out, "Detected Intel(R) 6th generation Core, client (Skylake) \"Intel(r) "
                      "microarchitecture codename Skylake\" stepping 3");
    assert_has(r.out, "Physical cores per socket: 4\n");
    assert_has(r.out, "MEM (GB)->|  READ |  WRITE |");
    assert_int_equal(r.status, 0);
    ran_free(&r);
}

static void pcm_on_a_server(void **state)
{
    (void)state;
    need_scene();
    need_program("pcm-raw");
    ran r =
        play("export PCM_NO_PERF=1\n"
             "timeout 100 $B stage --machine virtual:ivbep,cores=2 --pace 100000000 -- sh -c '\n"
             "  pcm 0.2 -i=1 && pcm-raw 0.2 -i=1 -e core/config=0x30203,name=X/' 2>&1");
    assert_has(r.out, "\"Intel(r) microarchitecture codename Ivy Bridge-EP/EN/EX/Ivytown\"");
    assert_has(r.out, "\n SKT   1 ");
    assert_has(r.out, "\nDate,Time,ms,X,X,X,X,\n"); /* four CPUs */
    assert_int_equal(r.status, 0);
    ran_free(&r);
}

/* Both count the same work at the same time, each with a counter of its own. */
static void two_at_once(void **state)
{
    (void)state;
    need_scene();
    need_program("likwid-perfctr");
    ran r = play("timeout 100 $B stage -w stream -- sh -c '\n"
                 "  likwid-perfctr -O -f -c 0 -g CACHE_LOOKUP_ANY_I:CBOX0C0 sleep 1 &\n"
                 "  likwid-perfctr -O -f -c 1 -g CACHE_LOOKUP_ANY_I:CBOX1C1 sleep 1; wait' 2>&1 |\n"
                 "grep BOX.C., | sort");
    unsigned long first = 0, second = 0;
    assert_int_equal(sscanf(r.out, "CACHE_LOOKUP_ANY_I,CBOX0C0,%lu CACHE_LOOKUP_ANY_I,CBOX1C1,%lu",
                            &first, &second),
                     2);
    assert_true(first > 1000 && second > 1000);
    ran_free(&r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(msr_tools),
        cmocka_unit_test(what_the_host_has_is_covered),
        cmocka_unit_test(memory_is_live),
        cmocka_unit_test(nothing_is_left),
        cmocka_unit_test(statuses),
        cmocka_unit_test(a_static_client),
        cmocka_unit_test(explained),
        cmocka_unit_test(likwid_topology),
        cmocka_unit_test(likwid_on_a_client),
        cmocka_unit_test(likwid_on_a_xeon_7500),
        cmocka_unit_test(pcm),
        cmocka_unit_test(pcm_on_a_server),
        cmocka_unit_test(two_at_once),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

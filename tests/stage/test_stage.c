/* boxscore stage through FUSE. Counts through its device files equal counts in process, its time
 * advances by itself, and it leaves no file or process. */
#include "../cmocked.h"

#include "stage/play.h"

#include <stdio.h>

/* Every default event of the CPU model, each alone, so that nothing is scaled. */
static void counts_are_those_in_process(void **state)
{
    (void)state;
    static const char *const machines[] = {
        "virtual:skl,part=plain", "virtual:skl,part=plain,cores=2,slices=2",
        "virtual:ivbep,part=plain,packages=2,cores=2", "virtual:p6,part=plain"};
    need_fuse();
    for (size_t i = 0; i < sizeof machines / sizeof *machines; i++) {
        char script[2048];
        snprintf(script, sizeof script,
                 "M=%s; W=random,size=256K,iterations=3000,write=30\n"
                 "E=$($B stat --machine $M -w stream,size=16K --passes repeat -x';' |\n"
                 "    cut -d';' -f3 | grep :: | grep -v _stalls:: | sort -u)\n" /* no hardware has
                                                                                   them */
                 "for e in $E; do\n"
                 "  $B stat --machine $M -w $W -x';' --per-unit -e $e 2>/dev/null |\n"
                 "    cut -d';' -f1-5 >$D.want\n" /* cautions of events go to standard error */
                 "  $B stage --at $D --machine $M --pace 0 -- \\\n"
                 "    $B stat --machine host --root $D -x';' --per-unit -o $D.got -e $e -- \\\n"
                 "    sh -c \"echo run $W >$D/dialogue\" 2>/dev/null\n"
                 "  cut -d';' -f1-5 $D.got | diff $D.want - && [ -s $D.want ] && echo same\n"
                 "done | uniq -c | awk '$1 > 5 { $1 = \"all\" } { print }'\n"
                 "rm -f $D.want $D.got\n",
                 machines[i]);
        expect(script, "all same\n");
    }
}

static void files_as_the_kernel_has_them(void **state)
{
    (void)state;
    need_fuse();
    expect(
        "$B stage --at $D --pace 0 -- sh -c '\n"
        "  cd $D; ls; ls dev/cpu; stat -c %s dev/cpu/0/msr\n"
        "  dd if=dev/cpu/3/msr bs=8 count=1 iflag=skip_bytes skip=918 2>/dev/null | od -An -tx8\n"
        "  dd if=dev/cpu/0/msr bs=4 count=1 2>/dev/null || echo refused\n"
        "  dd if=dev/cpu/0/msr bs=8 count=1 iflag=skip_bytes skip=291 2>/dev/null || echo fault\n"
        "  od -An -tx4 -N 4 sys/bus/pci/devices/0000:00:00.0/config\n"
        "  echo 1 2>/dev/null >proc/cpuinfo || echo read-only\n"
        "  touch here 2>/dev/null || echo no new files\n"
        "  echo \"rdmsr 0 0x396\" >dialogue && cat dialogue\n"
        "  echo \"rdmsr 0 0xzz\" 2>/dev/null >dialogue || cat dialogue\n"
        "' | tr -s ' '",
        "dev\ndialogue\nproc\nsys\n0\n1\n2\n3\n0\n 0000000000000005\nrefused\nfault\n 191f8086\n"
        "read-only\nno new files\n0x5\nMSR '0xzz' is not a number of at most 64 bits\n");
}

/* Reads the clock's counter twice, 200 ms apart, at a pace of a million cycles a second. It
 * advances, but never faster than the wall clock. How far it falls behind depends on the host's
 * load. */
static void time_advances(void **state)
{
    (void)state;
    need_fuse();
    static const char *const options[] = {"--pace 1000000", "--pace 1000000 -w stream,size=64K"};
    for (size_t i = 0; i < sizeof options / sizeof *options; i++) {
        char script[512];
        snprintf(script, sizeof script,
                 "t=$(date +%%s%%6N)\n"
                 "$B stage --at $D %s -- $B stat --machine host --root $D -o $D.csv -x, "
                 "-e UNC_CLOCK:SOCKET -- sleep 0.2\n"
                 "t=$(($(date +%%s%%6N) - t)); n=$(cut -d, -f1 $D.csv | head -1); rm -f $D.csv\n"
                 "[ $n -ge 1 ] && [ $n -le $t ] && echo in time || echo $n cycles in $t us",
                 options[i]);
        expect(script, "in time\n");
    }
}

/* A workload restarts when it has ended: counts exceed those of one run, which are 3 x 8,192 lines,
 * twice at most. */
static void work_restarts(void **state)
{
    (void)state;
    need_fuse();
    expect("$B stage --at $D -w stream,size=512K -- sh -c '\n"
           "  n=0; for i in $(seq 300); do\n" /* together: each may have few on a busy host */
           "    $B stat --machine host --root $D -o $D.csv -x, \\\n"
           "      -e UNC_CBO_CACHE_LOOKUP:ANY_MESI -- sleep 0.3\n"
           "    n=$((n + $(cut -d, -f1 $D.csv | head -n 1))); [ $n -gt 50000 ] && break\n"
           "  done; [ $n -gt 50000 ] && echo much || echo $n'; rm -f $D.csv",
           "much\n");
}

static void two_clients_share_it(void **state)
{
    (void)state;
    need_fuse();
    expect("$B stage --at $D --pace 0 -- sh -c '\n"
           "  for i in 1 2 3 4; do\n"
           "    for k in 1 2 3 4 5 6 7 8 9; do\n"
           "      dd if=$D/dev/cpu/0/msr bs=8 count=1 iflag=skip_bytes skip=$((0x396)) \\\n"
           "        2>/dev/null | od -An -tx8\n"
           "    done &\n"
           "  done; wait' | sort | uniq -c | tr -s ' '",
           " 36 0000000000000005\n");
}

static void the_program_s_own_status(void **state)
{
    (void)state;
    need_fuse();
    expect("$B stage --at $D --pace 0 -- sh -c 'exit 7'; echo $?; ls $D\n"
           "$B stage --at $D --pace 0 -- sh -c 'kill -9 $$'; echo $?; ls $D",
           "7\n137\n");
}

static void signals_end_it(void **state)
{
    (void)state;
    need_fuse();
    static const char *const signals[] = {"INT", "TERM", "HUP", "KILL"};
    for (size_t i = 0; i < sizeof signals / sizeof *signals; i++) {
        char script[1024];
        snprintf(script, sizeof script,
                 "trap '' INT; set -m; $B stage --at $D 2>/dev/null & p=$!\n"
                 "await '[ -e $D/dev/mem ]'; kill -%s $p; wait $p 2>/dev/null\n"
                 "await '! mountpoint -q $D'\n"
                 "ls $D; mountpoint -q $D && echo still mounted\n"
                 "exit 0",
                 signals[i]);
        ran r = play(script);
        assert_string_equal(r.out, "");
        assert_int_equal(r.status, 0);
        ran_free(&r);
    }
}

/* If the stage is killed while a program runs, the program is killed as well. */
static void killed_with_a_program(void **state)
{
    (void)state;
    need_fuse();
    expect("exec 2>/dev/null; $B stage --at $D --pace 0 -- \\\n"
           "  sh -c 'echo $$ >$D.pid; exec sleep 60' & stage=$!\n"
           "await '[ -s $D.pid ]'\n"
           "read program <$D.pid; rm -f $D.pid; kill -9 $stage; wait\n"
           "await '! kill -0 $program'\n"
           "kill -0 $program && echo it lives\n"
           "await '! mountpoint -q $D'\n"
           "mountpoint -q $D && echo still mounted; ls $D",
           "");
}

/* If the stage and its watchdog are killed, commands recognize the mount that remains. */
static void what_is_left_over(void **state)
{
    (void)state;
    need_fuse();
    ran r = play("$B stage --at $D 2>/dev/null & p=$!\n"
                 "await '[ -e $D/dev/mem ]'\n"
                 "exec 3>&2; { kill -9 $(cat /proc/$p/task/$p/children) $p; wait; } 2>/dev/null\n"
                 "$B stage --at $D; $B stat --machine host --root $D -- true\n");
    assert_has(r.err, "' is left over from a stage that was killed\n  hint: fusermount3 -u ");
    assert_has(r.err, "' is not served any more: its stage was killed\n  hint: fusermount3 -u ");
    assert_int_equal(r.status, 1);
    ran_free(&r);
}

static void what_is_refused(void **state)
{
    (void)state;
    need_fuse();
    static const struct {
        const char *script, *says;
        int status;
    } cases[] = {
        {"$B stage --at $D/none", "cannot be used: No such file or directory\n  hint: make an", 1},
        {"$B stage --at /", "'/' is not empty\n", 1},
        {"$B stage --at $D -w strim", "no workload 'strim'\n  strim\n  ^^^^^\n", 1},
        {"$B stage --at $D --machine virtual:skx", "no CPU model or part 'skx'\n", 1},
        {"$B stage --at $D --pace fast", "option '--pace' cannot be 'fast'\n", 2},
        {"$B stage --at $D -- no-such-program", "no such program: 'no-such-program'\n", 1},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        ran r = play(cases[i].script);
        assert_has(r.err, cases[i].says);
        assert_int_equal(r.status, cases[i].status);
        assert_string_equal(r.out, "");
        ran_free(&r);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(counts_are_those_in_process),
        cmocka_unit_test(files_as_the_kernel_has_them),
        cmocka_unit_test(time_advances),
        cmocka_unit_test(work_restarts),
        cmocka_unit_test(two_clients_share_it),
        cmocka_unit_test(the_program_s_own_status),
        cmocka_unit_test(signals_end_it),
        cmocka_unit_test(killed_with_a_program),
        cmocka_unit_test(what_is_left_over),
        cmocka_unit_test(what_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

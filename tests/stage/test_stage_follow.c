/* boxscore stage --follow: a real program as the work of the machine on stage. */
#include "../cmocked.h"

#include "stage/play.h"

#include <stdio.h>
#include <string.h>

/* Lists the remaining processes of a stage: its own and the followed program. */
#define ANY_LEFT "pgrep -f $D; true\n"

/* A followed program that does not end makes lookups, and cycles are counted. */
static void it_is_counted(void **state)
{
    (void)state;
    need_fuse();
    need_program("valgrind");
    expect("seq 100000 >$D.words\n"
           "$B stage --at $D --follow \"sort -R -o /dev/null $D.words\" -- sh -c '\n"
           "  n=0; t=0; for i in $(seq 60); do\n" /* together: each may have few on a busy host */
           "    $B stat --machine host --root $D -x, -o $D.csv "
           "-e UNC_CBO_CACHE_LOOKUP:ANY_I,UNC_CLOCK:SOCKET -- sleep 1\n"
           "    set -- $(cut -d, -f1 $D.csv); n=$((n + $1)); t=$((t + $2))\n"
           "    [ $n -gt 500 ] && break\n"
           "  done; [ $n -gt 500 ] && [ $t -gt $n ] && echo counted || echo $n $t'\n"
           "rm -f $D.csv $D.words; ls $D; " ANY_LEFT,
           "counted\n");
}

static void in_place_of_the_host(void **state)
{
    (void)state;
    need_mount_namespace();
    need_program("valgrind");
    expect(
        "seq 100000 >$D.words\n"
        "$B stage --follow \"sort -R -o /dev/null $D.words\" -- sh -c '\n"
        "  cd /dev/boxscore; read_it() { echo rdmsr 0 0x706 >dialogue; cat dialogue; }\n"
        "  printf \"wrmsr 0 0x700 0x508834\\nwrmsr 0 0xe01 0x20000000\" >dialogue; a=$(read_it)\n"
        "  for i in $(seq 300); do b=$(read_it); [ $b != $a ] && break; sleep 0.1; done\n"
        "  [ $(($b)) -gt $(($a)) ] && echo more || echo $a $b'\n"
        "rm -f $D.words; " ANY_LEFT,
        "more\n");
}

/* Lines that move between cores are those of threads, here of a child that executes another
 * program. The first process alone has no such lines. */
static void its_processes_and_threads(void **state)
{
    (void)state;
    need_fuse();
    need_program("valgrind");
    expect("P=$BUILD_ROOT/tests/tracer/traced_handover\n"
           "$B stage --at $D --follow \"sh -c '$P beside 20000 0; exit 0'\" -- sh -c '\n"
           "  n=0; for i in $(seq 60); do\n" /* together: a sanitized model is slow */
           "    $B stat --machine host --root $D -x, -o $D.csv "
           "-e UNC_CBO_XSNP_RESPONSE:HITM_XCORE -- sleep 1\n"
           "    n=$((n + $(cut -d, -f1 $D.csv | head -n 1))); [ $n -gt 3000 ] && break\n"
           "  done; [ $n -gt 3000 ] && echo counted || echo $n'\n"
           "rm -f $D.csv; ls $D; " ANY_LEFT,
           "counted\n");
}

/* The program is restarted whenever it ends, with the same arguments. */
static void it_begins_again(void **state)
{
    (void)state;
    need_fuse();
    need_program("valgrind");
    expect(
        "$B stage --at $D --follow \"sh -c 'echo \\\"\\$1\\\" >>$D.ran' x 'a \\\"b\\\"'\\ c\" -- "
        "sh -c '\n"
        "  for i in $(seq 200); do [ $(wc -l <'$D'.ran) -ge 3 ] 2>/dev/null && break; sleep 0.1\n"
        "  done' 2>/dev/null\n"
        "sort -u $D.ran; rm -f $D.ran",
        "a \"b\" c\n");
}

/* While the program sleeps, the machine's time advances. */
static void it_sleeps(void **state)
{
    (void)state;
    need_fuse();
    need_program("valgrind");
    expect("$B stage --at $D --pace 1000000 --follow 'sleep 60' -- sh -c '\n"
           "  for i in $(seq 60); do\n" /* until the program sleeps */
           "    $B stat --machine host --root $D -x, -e UNC_CLOCK:SOCKET -o $D.csv -- sleep 0.5\n"
           "    n=$(cut -d, -f1 $D.csv | head -n 1); [ $n -ge 250000 ] && break\n"
           "  done; [ $n -ge 250000 ] && [ $n -le 20000000 ] && echo in time || echo $n'\n"
           "rm -f $D.csv",
           "in time\n");
}

/* With --pace 0 nothing of the program is counted. A workload of the dialogue is counted. With a
 * pace the program continues after it. */
static void time_stands_still(void **state)
{
    (void)state;
    need_fuse();
    need_program("valgrind");
    expect(
        "$B stage --at $D --pace 0 --follow 'seq 100000' -- sh -c '\n"
        "  say() { echo $1 >$D/dialogue; cat $D/dialogue; }\n"
        "  say \"wrmsr 0 0x394 0x400000\"; say \"wrmsr 0 0xe01 0x20000000\"\n"
        "  say \"rdmsr 0 0x395\"; sleep 0.3; say \"rdmsr 0 0x395\"\n"
        "  say \"cycles 100\"; say \"rdmsr 0 0x395\"'\n"
        "$B stage --at $D --follow 'seq 100000' -- sh -c '\n"
        "  say() { echo $1 >$D/dialogue; cat $D/dialogue; }\n"
        "  say \"wrmsr 0 0x700 0x508834\"; say \"wrmsr 0 0xe01 0x20000000\"\n"
        "  say \"run stream,size=64K\"; a=$(say \"rdmsr 0 0x706\")\n"
        "  for i in $(seq 300); do b=$(say \"rdmsr 0 0x706\"); [ $b != $a ] && break; sleep 0.1\n"
        "  done; [ $a != 0x0 ] && [ $b != $a ] && echo advances'",
        "0x0\n0x0\n0x64\nadvances\n");
}

/* Its standard output is discarded, its standard error is not. */
static void what_it_says(void **state)
{
    (void)state;
    need_fuse();
    need_program("valgrind");
    ran r = play(
        "$B stage --at $D --follow \"sh -c 'echo out; echo bad >&2; :>$D.x; sleep 60'\" -- \\\n"
        "  sh -c 'for i in $(seq 300); do [ -e $D.x ] && break; sleep 0.1; done'; s=$?\n"
        "rm $D.x; exit $s");
    assert_string_equal(r.out, "");
    assert_string_equal(r.err, "bad\n");
    assert_int_equal(r.status, 0);
    ran_free(&r);
}

static void what_is_refused(void **state)
{
    (void)state;
    need_fuse();
    static const struct {
        const char *options, *says;
        int status;
    } cases[] = {
        {"--follow nonesuch", "boxscore: no such program: 'nonesuch'\n", 1},
        {"--follow \"'$D/none' x\"", "/none'\n", 1},
        {"--follow $D", "cannot be executed\n", 1},
        {"--follow ''", "no program is named to be followed\n", 1},
        {"--follow \"seq 'a b\"", "this quote has no end\n  seq 'a b\n      ^\n", 1},
        {"--follow 'seq \\'", "this backslash has no end\n  seq \\\n      ^\n", 1},
        {"--follow seq -w stream", "the machine can run --follow or --workload, not both\n", 2},
        {"--follow $D.odd", "/none': No such file or directory\n", 1},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char script[512];
        snprintf(script, sizeof script,
                 "echo \"#!$D/none\" >$D.odd; chmod +x $D.odd\n"
                 "$B stage --at $D %s -- echo it ran; s=$?; rm $D.odd; ls $D; exit $s",
                 cases[i].options);
        ran r = play(script);
        assert_has(r.err, cases[i].says);
        assert_int_equal(r.status, cases[i].status);
        assert_string_equal(r.out, "");
        ran_free(&r);
    }
}

/* Without its launcher the program is not restarted. The stage continues without it, and says so at
 * the end. */
static void it_is_given_up(void **state)
{
    (void)state;
    need_fuse();
    need_program("valgrind");
    ran r =
        play("$B stage --at $D --follow \"sleep 0.123\" -- sh -c '\n"
             "  for p in $(pgrep -x stage-launcher); do\n"
             "    grep -q $D /proc/$p/cmdline && kill -9 $p\n"
             "  done\n"
             "  for i in $(seq 600); do pgrep -f \"[t]racer.*sleep 0[.]123\" >/dev/null || break\n"
             "    sleep 0.1; done\n"
             "  sleep 3; dd if=$D/dev/cpu/0/msr bs=8 count=1 iflag=skip_bytes skip=918 "
             "2>/dev/null | od -An -tx8'");
    assert_string_equal(r.out, " 0000000000000005\n");
    assert_has(r.err, "boxscore: 'sleep 0.123' was given up: valgrind cannot be started");
    assert_int_equal(r.status, 0);
    ran_free(&r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(it_is_counted),
        cmocka_unit_test(in_place_of_the_host),
        cmocka_unit_test(its_processes_and_threads),
        cmocka_unit_test(it_begins_again),
        cmocka_unit_test(it_sleeps),
        cmocka_unit_test(time_stands_still),
        cmocka_unit_test(what_it_says),
        cmocka_unit_test(what_is_refused),
        cmocka_unit_test(it_is_given_up),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

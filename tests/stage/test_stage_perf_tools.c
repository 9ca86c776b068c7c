/* perf on stage where the machine cannot do what it asks for: events of tasks, samples, events that
 * no model counts, CPUs without work. And perf's own tests. */
#include "../cmocked.h"

#include "stage/play.h"

#include <string.h>

static void need_perf(void)
{
    need_mount_namespace();
    need_program("perf");
}

/* perf says <not supported>, as on a machine whose cores have no PMU, and the stage says why. */
static void events_of_tasks(void **state)
{
    (void)state;
    need_perf();
    ran r =
        play("timeout 100 $B stage --pace 0 -- perf stat -x, -o $D.o -e cycles,page-faults true\n"
             "grep -c '^<not supported>,,cycles' $D.o; grep -c '^[1-9].*,page-faults' $D.o\n"
             "rm $D.o");
    assert_string_equal(r.out, "1\n1\n");
    assert_has(r.err, "boxscore stage --follow -- perf stat PROGRAM counts PROGRAM\n");
    assert_null(strchr(strchr(r.err, '\n') + 1, '\n')); /* one line */
    ran_free(&r);
}

/* perf record takes cpu-clock in place of `cycles`, and refuses a raw event in one line. */
static void samples(void **state)
{
    (void)state;
    need_perf();
    ran r = play("timeout 100 $B stage --pace 0 -- sh -c '\n"
                 "  perf record -o $D.p -e cycles true >/dev/null 2>&1 && perf evlist -i $D.p\n"
                 "  perf record -o $D.p -e cpu/event=0xc0/ true 2>&1 | tail -n +2'; rm -f $D.p*");
    assert_has(r.out, "cpu-clock");
    assert_has(r.out, "doesn't support sampling");
    assert_has(r.err, "take no samples");
    ran_free(&r);
}

/* A leader that no model counts is opened, or perf would give up all its events. It never runs, and
 * neither does what perf reads with it. An event that leads no group is refused. */
static void leaders_that_are_not_counted(void **state)
{
    (void)state;
    need_perf();
    expect("timeout 100 $B stage --pace 0 -- perf stat -a -x, -o $D.o \\\n"
           "  -e '{uncore_cbox_0/event=0xee,umask=1/,uncore_cbox_0/clockticks/}' \\\n"
           "  -e uncore_cbox_1/event=0xee,umask=1/,uncore_cbox_0/clockticks/ \\\n"
           "  -e offcore_response.demand_rfo.l3_hit.snoop_hitm,frontend_retired.latency_ge_4 \\\n"
           "  sh -c 'echo run stream,size=64K >/dev/boxscore/dialogue'\n"
           "grep . $D.o | cut -d, -f1 | grep -v '#' | sed 's/^[1-9].*/counted/'; rm $D.o",
           "<not counted>\n<not counted>\n<not supported>\ncounted\n<not supported>\n<not "
           "supported>\n");
    expect("timeout 100 $B stage --pace 0 -- perf stat -M Snoop -a -x, -o $D.o true; echo $?\n"
           "grep -c '^<not counted>,,OFFCORE' $D.o; rm $D.o",
           "0\n1\n");
}

/* The timer of CPUs without work: as many instructions as the key says in each ms of the machine's
 * time, one a cycle. */
static void cpus_without_work(void **state)
{
    (void)state;
    need_perf();
    expect("for timer in 300 0; do\n"
           "  timeout 100 $B stage --machine virtual:skl,part=plain,timer=$timer -- \\\n"
           "    perf stat -a -A -x, -o $D.o -e cycles,instructions sleep 0.2\n"
           "  awk -F, -v n=$timer '/^CPU/ { if (n ? $2 > 0 && $2 % n == 0 : $2 == 0) good++ }\n"
           "    END { print good }' $D.o\n"
           "done; rm $D.o",
           "8\n8\n");
}

/* PCM writes registers, unless the user says otherwise. */
static void variables(void **state)
{
    (void)state;
    need_mount_namespace();
    expect("unset PCM_NO_PERF; $B stage --pace 0 -- sh -c 'echo $PCM_NO_PERF'\n"
           "PCM_NO_PERF=0 $B stage --pace 0 -- sh -c 'echo $PCM_NO_PERF'",
           "1\n0\n");
}

/* Samples of a task bound to a CPU (4, 8), the frequency in /proc/cpuinfo (7), an exit without
 * samples (24), times of an event that always runs (50). perf looks for tests in ./tests, too. */
static void perf_s_own_tests(void **state)
{
    (void)state;
    need_perf();
    ran r = play("cd /; timeout 200 $B stage --machine virtual:skl,part=plain -- \\\n"
                 "  perf test 'mmap interface' 'Simple expression' 'perf_sample fields' \\\n"
                 "  'exit events' 'Event times' 'dummy software' 'perf time' 2>&1 | grep -E ': "
                 "(Ok|FAILED|Skip)' | sort -u");
    assert_has(r.out, "Event times");
    assert_null(strstr(r.out, "FAILED"));
    ran_free(&r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(events_of_tasks),
        cmocka_unit_test(samples),
        cmocka_unit_test(leaders_that_are_not_counted),
        cmocka_unit_test(cpus_without_work),
        cmocka_unit_test(variables),
        cmocka_unit_test(perf_s_own_tests),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

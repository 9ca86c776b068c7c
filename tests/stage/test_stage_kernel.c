/* boxscore stat on stage, through the stage's perf_event_open(), as on real hardware. */
#include "../cmocked.h"

#include "stage/play.h"

#include <stdio.h>
#include <stdlib.h>

/* Events that fit the counters of their boxes in any order, so counts are exact. */
static const struct {
    const char *machine, *events;
} counted[] = {
    {"virtual:skl,part=plain", "UNC_CBO_CACHE_LOOKUP:ANY_I,UNC_CBO_CACHE_LOOKUP:READ_MESI:e:t=1,"
                               "UNC_ARB_TRK_REQUESTS:ALL,DRAM_DATA_READS,UNC_CLOCK:SOCKET"},
    {"virtual:ivbep,part=plain,packages=2", "UNC_C_LLC_LOOKUP:DATA_READ,UNC_C_CLOCKTICKS"},
    {"virtual:nhmex,part=plain",
     "nhmex_unc_cbox::LLC_MISSES:ALL,nhmex_unc_bbox::IMT_INSERTS_ALL,"
     "nhmex_unc_rbox::NEW_PACKETS_RECV:VNA_DRS,nhmex_unc_mbox::PAGE_HIT"},
};

/* Each unit's count equals the one in process, and its driver is perf_event. */
static void counts_are_those_in_process(void **state)
{
    (void)state;
    need_mount_namespace();
    for (size_t i = 0; i < sizeof counted / sizeof *counted; i++) {
        char script[2048];
        snprintf(
            script, sizeof script,
            "M=%s; E=%s; W=random,size=256K,iterations=3000,write=30\n"
            /* cautions of events go to standard error */
            "$B stat --machine $M -w $W -x';' --per-unit -e $E 2>/dev/null | cut -d';' -f1-5 |\n"
            "  grep :: >$D.want\n"
            "$B stage --machine $M --pace 0 -- $B stat --machine host -x';' --per-unit \\\n"
            "  -o $D.got -e $E -- sh -c \"echo run $W >/dev/boxscore/dialogue\" 2>/dev/null\n"
            "grep -v ';;;;;' $D.got | cut -d';' -f10 | sort -u\n"
            "grep :: $D.got | cut -d';' -f1-5 | diff $D.want - && [ -s $D.want ] && echo same\n"
            "rm -f $D.want $D.got\n",
            counted[i].machine, counted[i].events);
        expect(script, "perf_event\nsame\n");
    }
}

/* Both drivers work and return the same counts. Software events can be counted with them. */
static void both_drivers(void **state)
{
    (void)state;
    need_mount_namespace();
    expect("for d in perf registers; do\n"
           "  e=skl_unc_cbo::UNC_CBO_CACHE_LOOKUP:READ_I\n"
           "  [ $d = perf ] && e=$e,page-faults\n"
           "  $B stage --machine virtual:skl,part=plain --pace 0 -- $B stat --driver $d -x';' -o "
           "$D.got -e $e -- \\\n"
           "    sh -c 'echo run stream,size=64K >/dev/boxscore/dialogue'\n"
           "  cut -d';' -f1,3,8 $D.got | sed 's/^[1-9][0-9]*;page/some;page/'\n"
           "done; rm -f $D.got",
           "3072;skl_unc_cbo::UNC_CBO_CACHE_LOOKUP:READ_I;perf_event\n"
           "some;page-faults;perf_event\n"
           "3072;skl_unc_cbo::UNC_CBO_CACHE_LOOKUP:READ_I;registers\n");
}

/* More events than counters: the kernel multiplexes them, and each shows its share of time. */
static void multiplexed(void **state)
{
    (void)state;
    need_mount_namespace();
    expect("$B stage -w stream,size=256K -- $B stat --machine host -x, -o $D.got -e "
           "UNC_CBO_CACHE_LOOKUP:ANY_M,UNC_CBO_CACHE_LOOKUP:ANY_I,UNC_CBO_CACHE_LOOKUP:ANY_MESI "
           "-- sleep 0.4\n"
           "grep -c perf_event $D.got\n"
           "cut -d, -f5 $D.got | awk '$1 >= 100 || $1 < 5 { bad = 1 } END { print bad + 0 }'\n"
           "rm -f $D.got",
           "3\n0\n");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(counts_are_those_in_process),
        cmocka_unit_test(both_drivers),
        cmocka_unit_test(multiplexed),
    };
    /* boxscore runs on stage, where a sanitizer's run-time is not the first library. */
    setenv("ASAN_OPTIONS", "verify_asan_link_order=0", 0);
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* LIKWID on stage: what it prints of processors, a client, and its modes. */
#include "stage/likwid.h"

#include <stdio.h>
#include <string.h>

/* ---- likwid-topology ---- */

static void topology(void **state)
{
    (void)state;
    need_likwid();
    static const struct {
        const char *machine, *type, *shape, *last, *cache;
    } machines[] = {
        {"virtual:skl,part=plain", "CPU type:\tIntel Skylake processor\n",
         "Sockets:\t\t1\nCores per socket:\t4\nThreads per core:\t1\n",
         "Socket 0:\t\t( 0 1 2 3 )\n", "Size:\t\t\t8 MB\nCache groups:\t\t( 0 1 2 3 )\n"},
        {"virtual:ivbep,part=plain,cores=4", "CPU type:\tIntel Xeon IvyBridge EN/EP/EX processor\n",
         "Sockets:\t\t2\nCores per socket:\t4\nThreads per core:\t1\n",
         "Socket 1:\t\t( 4 5 6 7 )\n",
         "Size:\t\t\t10 MB\nCache groups:\t\t( 0 1 2 3 ) ( 4 5 6 7 )\n"},
        {"virtual:nhmex,part=plain,packages=3,cores=2", "CPU type:\tIntel Nehalem EX processor\n",
         "Sockets:\t\t3\nCores per socket:\t2\nThreads per core:\t1\n", "Socket 2:\t\t( 4 5 )\n",
         "Size:\t\t\t6 MB\nCache groups:\t\t( 0 1 ) ( 2 3 ) ( 4 5 )\n"},
    };
    for (size_t i = 0; i < sizeof machines / sizeof *machines; i++) {
        char script[256];
        snprintf(script, sizeof script,
                 "timeout 60 $B stage --machine %s --pace 0 -- likwid-topology",
                 machines[i].machine);
        ran r = play(script);
        assert_has(r.out, machines[i].type);
        assert_has(r.out, machines[i].shape);
        assert_has(r.out, machines[i].last);
        assert_has(r.out, machines[i].cache);
        assert_int_equal(r.status, 0);
        ran_free(&r);
    }
}

/* ---- a client processor ---- */

static void client(void **state)
{
    (void)state;
    need_likwid();
    static const likwid_event events[] = {
        {"CACHE_LOOKUP_ANY_I:CBOX0C0"},
        {"CACHE_LOOKUP_READ_MESI:CBOX0C1"},
        {"CACHE_LOOKUP_ANY_I:CBOX1C0:THRESHOLD=0x1:EDGEDETECT"},
        {"CACHE_LOOKUP_ANY_M:CBOX2C1:THRESHOLD=0x1:INVERT"},
        {"XSNP_RESPONSE_MISS_EVICTION:CBOX3C0"},
        {"TRK_REQUESTS_ALL:UBOX0"},
        {"TRK_REQUESTS_WRITES:UBOX1"},
        {"UNCORE_CLOCK:UBOXFIX"},
    };
    CASE(.machine = "virtual:skl,part=plain,llc=1M", .packages = 1, .cores = 4,
         .work = "stream,size=1M", EVENTS(events), .seen = 6, .warnings = "");
}

/* Counters of the memory controller are free-running. LIKWID takes the difference, and considers a
 * counter unusable if it reads 0 at first. */
static void memory_of_a_client(void **state)
{
    (void)state;
    need_likwid();
    ran r =
        play("M=virtual:skl,part=plain,llc=1M; W='run stream,size=2M'\n"
             "R='rdmem 0xfed15050 4\\nrdmem 0xfed15054 4\\n'\n"
             "printf \"$W\\n$R$W\\n$R\" >$D.x; set -- $($B vpmu --machine $M $D.x)\n"
             "printf 'DRAM_READS,MBOX0C1,%d\\nDRAM_WRITES,MBOX0C2,%d\\n' "
             "$(($3 - $1)) $(($4 - $2)) >$D.want\n"
             "printf \"#!/bin/sh\\necho $W >/dev/boxscore/dialogue\\n\" >$D.sh; chmod +x $D.sh\n"
             "timeout 100 $B stage --machine $M --pace 0 -- sh -c \"$D.sh; likwid-perfctr -O -f "
             "-c 0 -g DRAM_READS:MBOX0C1,DRAM_WRITES:MBOX0C2 $D.sh\" 2>&1 | grep ,MBOX >$D.got\n"
             "diff $D.got $D.want && sed 's/.*,//' $D.want; rm -f $D.*");
    unsigned reads = 0, writes = 0;
    if (sscanf(r.out, "%u %u", &reads, &writes) != 2 || reads < 90000 || writes < 20000)
        fail_msg("%s%s", r.out, r.err);
    ran_free(&r);
}

/* LIKWID's groups for cores. A message names each event that is read but not modelled. */
static void groups_of_cores(void **state)
{
    (void)state;
    need_likwid();
    expect("M=virtual:skl,part=plain,cores=1,llc=256K W=random,size=1M\n" LIKWID_WHOLE
           "$B stat --machine $M -w $W -x, -e INSTR_RETIRED_ANY,CPU_CLK_UNHALTED_CORE,"
           "CPU_CLK_UNHALTED_REF,MEM_INST_RETIRED:ALL_LOADS,MEM_INST_RETIRED:ALL_STORES,"
           "MEM_LOAD_RETIRED:L3_HIT,MEM_LOAD_RETIRED:L3_MISS | cut -d, -f 1 | "
           "grep . >$D.want\n"
           "for group in BRANCH DATA L3CACHE; do\n"
           "  whole $M $W -O -C 0 -g $group; cat $D.csv\n"
           "done >$D.all 2>$D.err\n"
           "for row in INSTR_RETIRED_ANY,FIXC0 CPU_CLK_UNHALTED_CORE,FIXC1 "
           "CPU_CLK_UNHALTED_REF,FIXC2 MEM_INST_RETIRED_ALL_LOADS,PMC0 "
           "MEM_INST_RETIRED_ALL_STORES,PMC1 MEM_LOAD_RETIRED_L3_HIT,PMC0 "
           "MEM_LOAD_RETIRED_L3_MISS,PMC1; do\n"
           "  sed -n \"s/^$row,//p\" $D.all | tr -d , | sort -u\n"
           "done >$D.got\n"
           "diff $D.got $D.want && awk '$1 > 1000' $D.want | wc -l\n"
           "grep '^BR_INST_RETIRED_ALL_BRANCHES,PMC0' $D.all | sed 's/,*$//'; rm -f $D.*",
           "7\nBR_INST_RETIRED_ALL_BRANCHES,PMC0,0\n");
}

/* A chase only loads: L2's transactions are requests, and fills for the misses. */
static void group_of_l2(void **state)
{
    (void)state;
    need_likwid();
    expect("M=virtual:skl,part=plain,cores=1,llc=1M W=chase,size=512K\n" LIKWID_WHOLE
           "set -- $($B stat --machine $M -w $W -x, -e L2_RQSTS:REFERENCES,L2_RQSTS:MISS,"
           "L2_LINES_IN:ALL,L2_TRANS:L2_WB | cut -d, -f 1)\n"
           "whole $M $W -O -C 0 -g L2CACHE\n"
           "sed -n 's/^L2_TRANS_ALL_REQUESTS,PMC0,//p; s/^L2_RQSTS_MISS,PMC1,//p' $D.csv | tr -d , "
           ">$D.got\n"
           "printf '%d\\n' $(($1 + $3)) $2 | diff $D.got - && echo $(($2 > 10000)) $4; rm -f $D.*",
           "1 0\n");
}

/* ---- LIKWID's modes ---- */

static void timeline_and_stethoscope(void **state)
{
    (void)state;
    need_likwid();
    ran r = play("timeout 100 $B stage -w stream -- sh -c \"\n"
                 "  likwid-perfctr -f -c 0 -g CACHE_LOOKUP_ANY_I:CBOX0C0 -t 200ms sleep 0.9 2>&1\n"
                 "  likwid-perfctr -f -c 0 -g CACHE_LOOKUP_ANY_I:CBOX0C0 -S 300ms -o $D.csv\"\n"
                 "grep CBOX0C0 $D.csv; rm -f $D.csv");
    /* Group, events, threads, seconds, count, then fixed counters of the core. */
    unsigned lines = 0;
    for (const char *line = r.out; line; line = strchr(line, '\n')) {
        double seconds = 0, count = 0;
        line += *line == '\n';
        if (sscanf(line, "1 4 1 %lf %lf 0.0 0.0 0.0", &seconds, &count) == 2)
            lines += seconds > 0.1 && count > 100;
    }
    assert_true(lines >= 2);
    unsigned long whole = 0;
    const char *last = strstr(r.out, "CACHE_LOOKUP_ANY_I,CBOX0C0,");
    assert_non_null(last);
    assert_int_equal(sscanf(last, "CACHE_LOOKUP_ANY_I,CBOX0C0,%lu", &whole), 1);
    assert_true(whole > 100);
    ran_free(&r);
}

/* Two LIKWIDs count the same work at the same time, each with its own counter. */
static void two_at_once(void **state)
{
    (void)state;
    need_likwid();
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
        cmocka_unit_test(topology),           cmocka_unit_test(client),
        cmocka_unit_test(memory_of_a_client), cmocka_unit_test(groups_of_cores),
        cmocka_unit_test(group_of_l2),        cmocka_unit_test(timeline_and_stethoscope),
        cmocka_unit_test(two_at_once),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

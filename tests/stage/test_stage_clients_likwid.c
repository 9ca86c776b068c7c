/* LIKWID 5.2.2 on stage, unmodified. Its counts of a modelled PMU equal counts in process of the
 * same work, where it programs the PMU as Intel's documents say. Where it does not (the table in
 * docs/reference/stage-tools.md), it counts the event that the registers select: `truth` below. */
#include "../cmocked.h"

#include "stage/client.h"
#include "stage/play.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CASE(...)                                                                                  \
    do {                                                                                           \
        const likwid_case c = {__VA_ARGS__};                                                       \
        likwid_agrees(&c);                                                                         \
    } while (0)
#define EVENTS(list) .events = list, .n = sizeof(list) / sizeof *(list)

static void need_likwid(void)
{
    need_mount_namespace();
    need_program("likwid-perfctr");
}

/* ---- likwid-topology ---- */

static void topology(void **state)
{
    (void)state;
    need_likwid();
    static const struct {
        const char *machine, *type, *shape, *last, *cache;
    } machines[] = {
        {"virtual:skl", "CPU type:\tIntel Skylake processor\n",
         "Sockets:\t\t1\nCores per socket:\t4\nThreads per core:\t1\n",
         "Socket 0:\t\t( 0 1 2 3 )\n", "Size:\t\t\t8 MB\nCache groups:\t\t( 0 1 2 3 )\n"},
        {"virtual:ivbep,cores=4", "CPU type:\tIntel Xeon IvyBridge EN/EP/EX processor\n",
         "Sockets:\t\t2\nCores per socket:\t4\nThreads per core:\t1\n",
         "Socket 1:\t\t( 4 5 6 7 )\n",
         "Size:\t\t\t10 MB\nCache groups:\t\t( 0 1 2 3 ) ( 4 5 6 7 )\n"},
        {"virtual:nhmex,packages=3,cores=2", "CPU type:\tIntel Nehalem EX processor\n",
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
    CASE(.machine = "virtual:skl,llc=1M", .packages = 1, .cores = 4, .work = "stream,size=1M",
         EVENTS(events), .seen = 6, .warnings = "");
}

/* Counters of the memory controller are free-running. LIKWID takes the difference, and considers a
 * counter unusable if it reads 0 at first. */
static void memory_of_a_client(void **state)
{
    (void)state;
    need_likwid();
    ran r =
        play("M=virtual:skl,llc=1M; W='run stream,size=2M'\n"
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

/* ---- Ivy Bridge-EP ---- */

/* A box has only one set of filters, so each box uses another one. */
static void c_boxes(void **state)
{
    (void)state;
    need_likwid();
    static const likwid_event events[] = {
        {"CBOX_CLOCKTICKS:CBOX0C0"},
        {"TOR_INSERTS_OPCODE:CBOX0C1:OPCODE=0x180:THRESHOLD=0x1"},
        {"LLC_LOOKUP_DATA_READ:CBOX1C0:STATE=0x1"},
        {"LLC_LOOKUP_ANY:CBOX1C1:STATE=0x1"},
        {"COUNTER0_OCCUPANCY:CBOX1C2"},
        {"TOR_INSERTS_NID_ALL:CBOX2C0:NID=0x2"},
        {"TOR_INSERTS_MISS_OPCODE:CBOX3C0:OPCODE=0x182"},
        {"TOR_OCCUPANCY_ALL:CBOX4C0"},
        {"RING_BL_USED_UP:CBOX4C2"},
        {"LLC_LOOKUP_NID:CBOX5C0:NID=0x1:STATE=0x1F"},
        {"LLC_VICTIMS_M_STATE:CBOX5C1:THRESHOLD=0x1:EDGEDETECT"},
    };
    CASE(.machine = "virtual:ivbep", .packages = 2, .cores = 6, .work = "stream,size=2M",
         EVENTS(events), .seen = 8, .warnings = "");
}

/* Memory channels, in PCI configuration space, on a bus of each package. */
static void memory_channels(void **state)
{
    (void)state;
    need_likwid();
    static const likwid_event events[] = {
        {"CAS_COUNT_RD:MBOX0C0"},
        {"CAS_COUNT_WR:MBOX0C1"},
        {"ACT_COUNT_RD:MBOX0C2"},
        {"DRAM_CLOCKTICKS:MBOX0FIX"},
        {"PRE_COUNT_PAGE_MISS:MBOX1C3"},
        {"CAS_COUNT_RD:MBOX1C0:THRESHOLD=0x1"},
        {"CAS_COUNT_RD:MBOX1C1:THRESHOLD=0x1:EDGEDETECT"},
        {"RD_CAS_RANK1_BANK5:MBOX2C2"},
        {"RPQ_INSERTS:MBOX3C0"},
        {"WPQ_INSERTS:MBOX3C1"},
    };
    CASE(.machine = "virtual:ivbep,dram_rate=1600", .packages = 2, .cores = 6,
         .work = "stream,size=8M", EVENTS(events), .seen = 20, .warnings = "");
}

/* LIKWID's group of the memory channels: the volumes follow from the counts. There is no second
 * controller. */
static void memory_group(void **state)
{
    (void)state;
    need_likwid();
    expect("M=virtual:ivbep,cores=2\n" LIKWID_WHOLE
           "$B stat --machine $M -w stream,size=4M --per-unit -x, "
           "-e UNC_M_CAS_COUNT:RD,UNC_M_CAS_COUNT:WR | grep ^S >$D.counts\n"
           "whole $M stream,size=4M -O -c 0,2 -g MEM\n"
           "for event in RD WR; do for package in 0 1; do\n"
           "  grep \"^S$package,.*:$event,\" $D.counts | cut -d, -f 3\n"
           "done; done >$D.want\n"
           "for event in RD,MBOX[0-3]C0 WR,MBOX[0-3]C1; do for column in 3 4; do\n"
           "  grep \"^CAS_COUNT_$event,\" $D.csv | cut -d, -f $column\n"
           "done; done >$D.got\n"
           "diff $D.got $D.want && awk '$1 > 1000' $D.want | wc -l\n"
           "grep '^CAS_COUNT_RD,MBOX4C0' $D.csv | sed 's/,,$//'\n"
           "for package in 0 1; do for event in RD WR; do\n"
           "  grep \"^S$package,.*:$event,\" $D.counts |\n"
           "  awk -F, '{ n += $3 } END { printf \"%.4f\\n\", n * 64 / 1e9 }'\n"
           "done; done | sort >$D.want\n"
           "grep -E '^Memory (read|write) data volume .GBytes.,' $D.csv | cut -d, -f 2,3 |\n"
           "tr , '\\n' | sort >$D.got\n"
           "diff $D.got $D.want; rm -f $D.*",
           "16\nCAS_COUNT_RD,MBOX4C0,-,-\n");
}

/* Other boxes are passive PCI functions. LIKWID finds them, and their group runs. */
static void boxes_in_pci_space(void **state)
{
    (void)state;
    need_likwid();
    expect("timeout 100 $B stage --machine virtual:ivbep,cores=2 --pace 0 -- \\\n"
           "  likwid-perfctr -O -f -c 0,2 -g QPI true 2>&1 |\n"
           "grep -E '^(TXL_FLITS_G0_DATA,SBOX|TABLE.*Raw,)' | sed 's/,,$//'",
           "TABLE,Group 1 Raw,QPI,18\n"
           "TXL_FLITS_G0_DATA,SBOX0C1,0,0\nTXL_FLITS_G0_DATA,SBOX1C1,0,0\n"
           "TXL_FLITS_G0_DATA,SBOX2C1,-,-\n");
}

/* ---- Xeon 7500 ---- */

static void every_box(void **state)
{
    (void)state;
    need_likwid();
    static const likwid_event events[] = {
        {"LLC_MISSES_ALL:CBOX0C0"},
        {"LLC_MISSES_ALL:CBOX0C1:THRESHOLD=0x1:EDGEDETECT"},
        {"LLC_HITS_ALL:CBOX1C0"},
        {"OCCUPANCY_MAF:CBOX1C1"},
        {"SNPS_REMOTE_ANY:CBOX2C5"},
        {"MAF_ACK:CBOX3C4"},
        {"IMT_INSERTS_WR:BBOX0C1"},
        {"TF_ALL:BBOX0C0", .scale = 256},
        {"DRAM_CMD_CAS_WR_OPN:MBOX0C1"},
        {"DRAM_CMD_RAS:MBOX1C0"},
        {"NEW_PACKETS_RECV_PORT1_IPERF0_ANY_DRS:RBOX0C0"},
        {"FLITS_SENT_PORT2_IPERF1:RBOX0C1"},
        {"NEW_PACKETS_RECV_PORT4_IPERF0_ANY_SNP:RBOX1C0"},
        {"TO_R_B_REQUESTS_ALL:SBOX0C0"},
        {"PKTS_SENT_SNP:SBOX1C1"},
        {"REQ_TBL_OCCUPANCY_ALL:SBOX1C2"},
        {"UNCORE_CLOCK:WBOXFIX"},
    };
    CASE(.machine = "virtual:nhmex,llc=1536K", .packages = 2, .cores = 8, .work = "stream,size=1M",
         EVENTS(events), .seen = 20, .warnings = "");
}

/* LIKWID's errors: the counter counts the event in the second column. */
static void slips(void **state)
{
    (void)state;
    need_likwid();
    static const likwid_event events[] = {
        /* fields of ZDP_CTL_FVC a bit or more too high */
        {"FVC_EV0_BBOX_CMDS_READS:MBOX0C0", "nhmex_unc_mbox0::FVC_EV0:POISON_TXN"},
        {"FVC_EV0_ALERT_FRAMES:MBOX1C0", "nhmex_unc_mbox1::FVC_EV0:BBOX_RSP.ACK"},
        /* MAP's command is written one bit too high: 8, for all, becomes 0 */
        {"BCMD_SCHEDQ_OCCUPANCY_ALL:MBOX0C1", "nhmex_unc_mbox0::BCMD_SCHEDQ_OCCUPANCY:READS"},
        /* counter 3 of M-Box 1 is read at CB7H, which is M-Box 0's */
        {"DRAM_CMD_RAS:MBOX0C3"},
        {"DRAM_CMD_RAS:MBOX1C3", "nhmex_unc_mbox0::DRAM_CMD:RAS"},
        /* MM_CFG of the M-Box is not written: all commands match */
        {"DRAM_CMD_RAS:MBOX0C4:MATCH0=0x1234:MASK0=0xffff", "nhmex_unc_mbox0::DRAM_CMD:RAS"},
        {"ARB_WINS_AD_SB:CBOX0C0", "nhmex_unc_cbox0::ARB_LOSSES:AD_SB"},
        {"OCCUPANCY_MAF:CBOX1C0:THRESHOLD=0x22", "nhmex_unc_cbox1::OCCUPANCY_MAF:t=2"},
        {"QUE_ARB_BID_PORT2_QLX0_DRS:RBOX0C2", "nhmex_unc_rbox::QUE_ARB_BID:NDR:port=2"},
        /* both halves of one register, which LIKWID writes as a whole: the last event's half is
         * kept */
        {"QUE_ARB_BID_PORT3_QLX0_NDR:RBOX0C3", "nhmex_unc_rbox::QUE_ARB_BID:HOM:port=3"},
        {"QUE_ARB_BID_PORT3_QLX1_HOM:RBOX0C4"},
    };
    CASE(.machine = "virtual:nhmex,llc=1536K", .packages = 2, .cores = 8, .work = "stream,size=1M",
         EVENTS(events), .seen = 12, .warnings = "");
    /* Errors that select no event: THERM_TRP numbers DIMMs from 1, but they are 0 to 3. The match
     * of S-Box 0 is enabled at E49H, which is the match register itself. */
    expect("timeout 100 $B explain -o $D.text --machine virtual:nhmex,packages=1,cores=2 --pace 0 "
           "-- \\\n"
           "  likwid-perfctr -O -f -c 0 -g THERM_TRP_UP_DIMM2_LT_LO:MBOX1C0,"
           "THERM_TRP_UP_DIMM3_LT_LO:MBOX0C0,TO_R_PROG_EV:SBOX0C0:MATCH0=0x123:MASK0=0xffff,"
           "TO_R_PROG_EV:SBOX1C0:MATCH0=0x123:MASK0=0xffff true >/dev/null 2>&1\n"
           "grep ' counts \\|warning: ' $D.text | sort -u; rm -f $D.text", /* it may stop and
                                                                              continue */
           "  M-Box 0 counter 0 counts nhmex_unc_mbox0::RAW:code=0x4:umask=0x0:dimm=0x4\n"
           "  M-Box 1 counter 0 counts nhmex_unc_mbox1::THERM_TRP_UP:DIMM3.LT_LO\n"
           "  S-Box 0 counter 0 counts nhmex_unc_sbox0::TO_R_PROG_EV:resp=16:addr_mask=0x7fff\n"
           "  S-Box 1 counter 0 counts "
           "nhmex_unc_sbox1::TO_R_PROG_EV:addr=0x9:hnid=3:addr_mask=0x7fff:hnid_mask=1\n"
           "  core 0 counter 4 counts nhmex_core0::INSTR_RETIRED_ANY:u=1\n"
           "  core 0 counter 5 counts nhmex_core0::CPU_CLK_UNHALTED_CORE:u=1\n"
           "  core 0 counter 6 counts nhmex_core0::CPU_CLK_UNHALTED_REF:u=1\n"
           "  warning: M-Box 0 counter 0 can count no event of this code\n");
}

/* LIKWID's groups for the uncore: a group's metrics follow from its counts. */
static void groups(void **state)
{
    (void)state;
    need_likwid();
    expect(
        "M=virtual:nhmex,packages=1,cores=2,llc=1536K\n" LIKWID_WHOLE
        "$B stat --machine $M -w stream,size=4M --per-unit -x, "
        "-e nhmex_unc_mbox::DRAM_CMD:CAS_WR_OPN,nhmex_unc_cbox::LLC_HITS:ALL,"
        "nhmex_unc_cbox::LLC_MISSES:ALL,nhmex_unc_wbox::FIXED_UNCORE_CLOCK 2>/dev/null | "
        "sed -n 's/^S0,[^,]*,//p' | cut -d, -f 1 >$D.want\n"
        "whole $M stream,size=4M -O -C 0 -g MEM; mv $D.csv $D.mem\n"
        "whole $M stream,size=4M -O -C 0 -g L3CACHE\n"
        "for row in CAS_WR_OPN,MBOX0 CAS_WR_OPN,MBOX1 HITS_ALL,CBOX0 HITS_ALL,CBOX1 "
        "MISSES_ALL,CBOX0 MISSES_ALL,CBOX1 UNCORE_CLOCK,WBOX; do\n"
        "  sed -n \"s/.*$row[^,]*,//p\" $D.mem $D.csv | tr -d ,\n"
        "done >$D.got\n"
        "diff $D.got $D.want && awk '$1 > 1000' $D.want | wc -l\n"
        "grep -h 'Memory write data volume\\|Memory read data' $D.mem | cut -d, -f 2; rm -f $D.*",
        "5\n0\n0.0037\n");
}

/* LIKWID's groups for cores. A message names each event that is read but not modelled. */
static void groups_of_cores(void **state)
{
    (void)state;
    need_likwid();
    expect("M=virtual:skl,cores=1,llc=256K W=random,size=1M\n" LIKWID_WHOLE
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
    expect("M=virtual:skl,cores=1,llc=1M W=chase,size=512K\n" LIKWID_WHOLE
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
        cmocka_unit_test(topology),
        cmocka_unit_test(client),
        cmocka_unit_test(memory_of_a_client),
        cmocka_unit_test(c_boxes),
        cmocka_unit_test(memory_channels),
        cmocka_unit_test(memory_group),
        cmocka_unit_test(boxes_in_pci_space),
        cmocka_unit_test(every_box),
        cmocka_unit_test(slips),
        cmocka_unit_test(groups),
        cmocka_unit_test(groups_of_cores),
        cmocka_unit_test(group_of_l2),
        cmocka_unit_test(timeline_and_stethoscope),
        cmocka_unit_test(two_at_once),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

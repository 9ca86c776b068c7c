/* LIKWID on stage: the Xeon 7500. */
#include "stage/likwid.h"

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
    CASE(.machine = "virtual:nhmex,part=plain,llc=1536K", .packages = 2, .cores = 8,
         .work = "stream,size=1M", EVENTS(events), .seen = 20, .warnings = "");
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
    CASE(.machine = "virtual:nhmex,part=plain,llc=1536K", .packages = 2, .cores = 8,
         .work = "stream,size=1M", EVENTS(events), .seen = 12, .warnings = "");
    /* Errors that select no event: THERM_TRP numbers DIMMs from 1, but they are 0 to 3. The match
     * of S-Box 0 is enabled at E49H, which is the match register itself. */
    expect("timeout 100 $B explain -o $D.text --machine "
           "virtual:nhmex,part=plain,packages=1,cores=2 --pace 0 "
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
        "M=virtual:nhmex,part=plain,packages=1,cores=2,llc=1536K\n" LIKWID_WHOLE
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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_box),
        cmocka_unit_test(slips),
        cmocka_unit_test(groups),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

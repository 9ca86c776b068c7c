/* Where a machine model makes a cause happen, the counter that the documents give the cause counts:
 * each pair of the seed documents that a workload can bring about, on all machine models. The
 * counts themselves are compared with the oracles, and worked out by hand (test_nhmex_refusals.c).
 */
#include "../cmocked.h"

#include <boxscore/measure.h>

#include <stdio.h>
#include <string.h>

#define RANDOM   "random,size=1M,cores=4,iterations=1000,write=50"
#define ALONE    "random,size=1M,iterations=2000,write=50"
#define ONE_LINE "random,size=4K,stride=4096,cores=2,write=100,iterations=1000"
#define NHMEX    "virtual:nhmex,part=plain,packages=2,cores=2"
#define SMALL    NHMEX ",llc=48K" /* of one set */
#define CBOX     "nhmex_unc_cbox::"
#define BBOX     "nhmex_unc_bbox::"
#define SBOX     "nhmex_unc_sbox::"
#define IVBEP    "virtual:ivbep,part=plain,packages=2"
#define RETRIES  "ivbep_unc_cbo::UNC_C_RXR_"

static const struct pair {
    const char *machine, *workload, *cause, *counter;
} pairs[] = {
    /* 323535-001 p29, p35, p36: what a C-Box refuses */
    {NHMEX ",maf=1", RANDOM, CBOX "OCCUPANCY_MAF", CBOX "MAF_NACK2:MAF_FULL"},
    {NHMEX ",s_table=1", RANDOM, SBOX "REQ_TBL_OCCUPANCY:ALL",
     CBOX "MAF_NACK2:NO_S_REQTBL_ENTRIES"},
    {NHMEX ",imt=1", RANDOM, BBOX "IMT_FULL", CBOX "MAF_NACK2:NO_TRACKER_CREDITS"},
    {NHMEX ",imt=4", RANDOM, BBOX "IMT_FULL", CBOX "MAF_NACK2:NO_TRACKER_CREDITS"},
    {NHMEX, RANDOM, CBOX "ARB_LOSSES:ALL", CBOX "MAF_NACK2:EGRESS_FULL"},
    {SMALL ",viq=1", RANDOM, CBOX "TRANS_VIQ", CBOX "MAF_NACK2:VIQ_FULL"},
    {SMALL, RANDOM, CBOX "LLC_VICTIMS:M", CBOX "MAF_NACK1:VIC_PENDING"},
    {NHMEX, ONE_LINE, CBOX "LLC_HITS:M", CBOX "MAF_NACK1:PA_BLOCK"},
    {NHMEX ",maf=1", RANDOM, CBOX "MAF_NACK2:MAF_FULL", CBOX "MAF_NACK1:ALL_MAF_NACK2"},
    {NHMEX ",maf=1,irq=1", RANDOM, CBOX "OCCUPANCY_IRQ", CBOX "BOUNCES_P2C_AD:ALL"},
    {NHMEX ",ipq=1", RANDOM, CBOX "OCCUPANCY_IPQ", SBOX "NO_CREDIT_IPQ"},
    /* p46 to p49: a home */
    {"virtual:nhmex,part=plain,packages=2,cores=1", ONE_LINE, CBOX "SNP_HITS:REMOTE_HITM",
     BBOX "CONFLICTS"},
    {NHMEX ",imt=1", RANDOM, BBOX "IMT_FULL", BBOX "COHQ_IMT_ALLOC_WAIT"},
    {NHMEX ",imt=1", RANDOM, BBOX "COHQ_IMT_ALLOC_WAIT", BBOX "DEMAND_FETCH"},
    /* p90 to p106, p116, p132: links, memory */
    {NHMEX, RANDOM, "nhmex_unc_rbox::QUE_ARB_BID_FAIL:SNP", "nhmex_unc_rbox::EOT_OCCUPANCY:SNP"},
    {NHMEX ",m_queue=1", RANDOM, "nhmex_unc_mbox::CYCLES_DSP_FILL:RDQ_FULL",
     "nhmex_unc_mbox::RETRY_MFULL"},
    {NHMEX ",m_close=on", RANDOM, "nhmex_unc_mbox::BBOX_CMDS_ALL",
     "nhmex_unc_mbox::DRAM_CMD:CAS_RD_CLS"},
    {NHMEX ",m_patrol=1000", RANDOM, "nhmex_unc_mbox::CYCLES", "nhmex_unc_mbox::PATROL_TXNS"},
    {NHMEX ",m_heat=1000", RANDOM, "nhmex_unc_mbox::THERM_TRP_UP:ALL.GT_MID_RISE",
     "nhmex_unc_mbox::TT_CMD_CONFLICT"},
    /* libpfm4's C-Box of Ivy Bridge-EP: why a request of a queue is tried again */
    {IVBEP ",tor=1", RANDOM, "ivbep_unc_cbo::UNC_C_TOR_INSERTS:ALL", RETRIES "IRQ_RETRY:FULL"},
    {IVBEP ",rtids=1", RANDOM, "ivbep_unc_cbo::UNC_C_TOR_INSERTS:MISS_LOCAL",
     RETRIES "IRQ_RETRY:RTID"},
    {IVBEP ",qpi_credits=1", RANDOM, "ivbep_unc_cbo::UNC_C_TOR_INSERTS:MISS_REMOTE",
     RETRIES "IRQ_RETRY:QPI_CREDITS"},
    {IVBEP, ONE_LINE, "ivbep_unc_cbo::UNC_C_TOR_OCCUPANCY:ALL", RETRIES "IRQ_RETRY:ADDR_CONFLICT"},
    {IVBEP ",tor=1", RANDOM, RETRIES "IRQ_RETRY:ANY", RETRIES "OCCUPANCY:IRQ_REJECTED"},
    /* 334060-001: snoops by their cause, the ARB's entries */
    {"virtual:skl,part=plain", ONE_LINE, "UNC_CBO_CACHE_LOOKUP:READ_MESI",
     "UNC_CBO_XSNP_RESPONSE:HITM_XCORE"},
    {"virtual:skl,part=plain,llc=2M", "random,size=4M,iterations=60000",
     "UNC_CBO_CACHE_LOOKUP:ANY_I", "UNC_CBO_XSNP_RESPONSE:HIT_EVICTION"},
    {"virtual:skl,part=plain", RANDOM, "UNC_ARB_TRK_REQUESTS:DATA_READ",
     "UNC_ARB_TRK_OCCUPANCY:DATA_READ"},
    /* document 002, table 6-2 */
    {"virtual:p6,part=plain", "random,size=1M,iterations=20000,write=50", "L2_M_LINES_OUTM",
     "BUS_TRAN_WB:SELF"},
    {"virtual:p6,part=plain", ALONE, "DCU_MISS_OUTSTANDING", "BUS_REQ_OUTSTANDING"},
    {"virtual:p6,part=plain,store_buffer=1", ALONE, "L2_ST:I", "RESOURCE_STALLS"},
    {"virtual:p6,part=plain",
     "random,size=64K,iterations=1000,write=50+dma,size=64K,iterations=1000", "BUS_TRAN_ANY:ANY",
     "BUS_HITM_DRV"},
};

/* The counts of two events over all units. */
static void count(const struct pair *p, uint64_t sum[2])
{
    char events[200];
    bx_machine *m = NULL;
    bx_result *r = NULL;
    bx_error e = {0};

    snprintf(events, sizeof events, "%s,%s", p->cause, p->counter);
    if (bx_machine_open(bx_catalog_builtin(), p->machine, &m, &e) != BX_OK ||
        bx_measure_workload(m, events, NULL, p->workload, &r, &e) != BX_OK)
        fail_msg("%s, %s: %s", p->machine, events, e.message);
    for (unsigned i = 0; i < 2; i++) {
        size_t n = bx_result_sum(r, i);
        if (bx_result_state(r, n) != BX_COUNTED)
            fail_msg("%s: %s has no count", p->machine, i ? p->counter : p->cause);
        sum[i] = bx_result_value(r, n);
    }
    bx_result_free(r);
    bx_machine_close(m);
}

static void test_pairs(void **state)
{
    (void)state;
    unsigned bad = 0;

    for (unsigned i = 0; i < sizeof pairs / sizeof *pairs; i++) {
        uint64_t sum[2];
        count(&pairs[i], sum);
        if (sum[0] == 0 || sum[1] == 0) {
            print_error("%s, %s: %s %llu, %s %llu\n", pairs[i].machine, pairs[i].workload,
                        pairs[i].cause, (unsigned long long)sum[0], pairs[i].counter,
                        (unsigned long long)sum[1]);
            bad++;
        }
    }
    assert_int_equal(bad, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_pairs)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

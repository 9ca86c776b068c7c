/* What `boxscore info` prints about events besides their encoding: meanings, units and notes, typed
 * from the documents' pages. */
#include "../cmocked.h"

#include "cli/run.h"

#include <stdio.h>

#include <string.h>

/* Parts of the page about a name. Line breaks are compared as blanks. */
static const struct {
    const char *name, *part;
} rows[] = {
    /* 334060-001 */
    {"DRAM_IA_REQUESTS", "requests x 64 is not the bandwidth"}, /* table 3-3 */
    {"DRAM_DATA_READS", "each is a transfer of 64 bytes"},
    {"skl_unc_cbo", "add up those of all C-Boxes"}, /* section 3.1 */
    {"skl_unc_imc", "take the difference of two readings"},
    /* 323535-001 */
    {"U2R_REQUESTS", "requests that the U-Box sent to the ring"}, /* p20 */
    {"nhmex_unc_cbox", "one far from the mean is a hot spot"},    /* p28 */
    {"OCCUPANCY_IRQ", "until the C-Box acknowledges it"},         /* p29 */
    {"LLC_HITS", "LRU hints are included"},                       /* p33 */
    {"MAF_NACK1", "PA_BLOCK very high"},                          /* p35 */
    {"MAF_NACK1", "tries again"},
    {"TRANS_RWRF", "read/write request FIFO"}, /* p40 */
    {"TRANS_RSPF", "snoop responses of a core"},
    {"SNPS", "whether they hit or not"}, /* p39 */
    {"DRSQ_INSERTS", "were blocked"},    /* p46 */
    {"DRSQ_OCCUPANCY", "one count stands for 32"},
    {"SNPOQ_INSERTS", "were blocked"},
    {"ACK_BEFORE_LAST_SNP", "before the last response to a snoop"},           /* p48 */
    {"DEMAND_FETCH", "only after the request left the coherence queue"},      /* p49 */
    {"IMT_INSERTS_RD", "more than 5 %"},                                      /* p50 */
    {"PKTS_RCVD_NCB", "NcMsgB (StartReq2, VLW), IntLogical and IntPhysical"}, /* p72 */
    {"PKTS_RCVD_DRS_FROM_R", "9 flits each"},
    {"PKTS_SENT_DRS", "the first is counted"},                  /* p73 */
    {"PKTS_SENT_SNP", "home requests' first snoop packets"},    /* p74 */
    {"S2B_HOM_BYPASS", "counts        cycles"},                 /* p75 */
    {"TO_R_DRS_MSGQ_CYCLES_NE", "in any of their queues"},      /* p78 */
    {"XBAR_MATCH", "DRS.AnyResp less DRS.AnyDataC"},            /* p99 */
    {"LOCAL_ARB_BID_FAIL", "counts        cycles"},             /* p103 */
    {"CYCLES_MFULL", "badly starved"},                          /* p123 */
    {"FVID_RACE", "0 is to be expected"},                       /* p130 */
    {"C_THROTTLE_TMP", "at or above the throttle temperature"}, /* p141 */
    {"C_THROTTLE_TMP", "counts        cycles"},
    {"SCHED_INFLIGHT_CMDS", "confidence    weak"},
    /* document 002, table 6-2 and its notes */
    {"L2_RQSTS", "bit 3 M, 2 E, 1 S, 0 I"},
    {"L2_LD", "00H counts nothing"},
    {"BUS_TRAN_ANY", "UMSK bit 5"},
    {"DCU_MISS_OUTSTANDING", "two cycles too few"},
    {"p6", "metrics"},
};

static void pages(void **unused)
{
    (void)unused;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        ran r = RUN("info", rows[i].name);
        assert_int_equal(r.status, 0);
        /* Joins a wrapped line with the line above. */
        for (char *at; (at = strstr(r.out, "\n              "));)
            memmove(at + 1, at + 15, strlen(at + 15) + 1), *at = ' ';
        assert_has(r.out, rows[i].part);
        ran_free(&r);
    }
}

/* No similar name is suggested for an empty name or a single character. */
static void nothing_near(void **state)
{
    (void)state;
    static const char *const words[] = {"", "-"};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        char expected[160];
        ran r = RUN("info", words[i]);
        snprintf(expected, sizeof expected,
                 "boxscore: the catalogue has nothing called '%s'\n"
                 "  hint: boxscore list WORD looks into descriptions\n",
                 words[i]);
        assert_failed(&r, 1, expected);
    }
}

/* What the model of a virtual machine adds up, by unit mask; of a string, and of a machine with
 * memory that the default machine does not have. */
static void adds_up(void **state)
{
    (void)state;
    ran r = RUN("info", "skl_unc_cbo::UNC_CBO_CACHE_LOOKUP");
    assert_has(r.out, "added up by virtual:skl,part=i7-6700k\n");
    assert_has(r.out, "  READ_ES                       lookups: reads; S, E\n");
    assert_has(r.out, "  ANY_MESI                      lookups\n");
    ran_free(&r);
    r = RUN("info", "nhmex_unc_mbox::FVC:BBOX_CMDS.READS:fvid=3");
    assert_has(r.out, "added up by virtual:nhmex,part=x7560\n");
    assert_has(r.out, "not modelled\n");
    ran_free(&r);
    r = RUN("info", "--machine", "virtual:ivbep,part=plain", "ivbep_unc_imc::UNC_M_CAS_COUNT");
    assert_has(r.out, "  WR_WMM                        not modelled\n");
    ran_free(&r);
    r = RUN("info", "--machine", "virtual:ivbep,part=plain,dram_rate=1600",
            "ivbep_unc_imc::UNC_M_CAS_COUNT");
    assert_has(r.out, "  WR_WMM                        lines written in batches\n");
    ran_free(&r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(adds_up), cmocka_unit_test(pages),
                                       cmocka_unit_test(nothing_near)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

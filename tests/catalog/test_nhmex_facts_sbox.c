/* The 176 rows of the S-Box's event list (323535-001 section 2.5 and LIKWID), and the registers of
 * each. */
#include "../cmocked.h"

#include "nhmex_facts.h"

static const struct bx_catalog *c;
static uint16_t pmu;

static const struct event_row rows[] = {
    {"TO_R_PROG_EV", "", 0x00, 0x00, 1, SURE},
    {"TO_R_B_HOM_MSGQ_CYCLES_FULL", "RBOX", 0x03, 0x01, 1, SURE},
    {"TO_R_B_HOM_MSGQ_CYCLES_FULL", "BBOX", 0x03, 0x02, 1, SURE},
    {"TO_R_B_HOM_MSGQ_CYCLES_FULL", "RBBOX", 0x03, 0x03, 1, SURE},
    {"TO_R_B_HOM_MSGQ_CYCLES_NE", "RBOX", 0x06, 0x01, 1, SURE},
    {"TO_R_B_HOM_MSGQ_CYCLES_NE", "BBOX", 0x06, 0x02, 1, SURE},
    {"TO_R_B_HOM_MSGQ_CYCLES_NE", "RBBOX", 0x06, 0x03, 1, SURE},
    {"TO_R_B_HOM_MSGQ_OCCUPANCY", "RBOX", 0x07, 0x01, 64, SURE},
    {"TO_R_B_HOM_MSGQ_OCCUPANCY", "BBOX", 0x07, 0x02, 64, SURE},
    {"TO_R_B_HOM_MSGQ_OCCUPANCY", "RBBOX", 0x07, 0x03, 64, SURE},
    {"TO_R_SNP_MSGQ_CYCLES_FULL", "", 0x08, 0x00, 1, SURE},
    {"TO_R_SNP_MSGQ_CYCLES_NE", "", 0x09, 0x00, 1, SURE},
    {"TO_R_SNP_MSGQ_OCCUPANCY", "", 0x0a, 0x00, 32, SURE},
    {"TO_R_NDR_MSGQ_CYCLES_FULL", "", 0x0b, 0x00, 1, SURE},
    {"TO_R_NDR_MSGQ_CYCLES_NE", "", 0x0c, 0x00, 1, SURE},
    {"TO_R_NDR_MSGQ_OCCUPANCY", "", 0x0d, 0x00, 16, SURE},
    {"TO_R_DRS_MSGQ_CYCLES_FULL", "CBOX0_4", 0x0e, 0x01, 1, SURE},
    {"TO_R_DRS_MSGQ_CYCLES_FULL", "CBOX1_5", 0x0e, 0x02, 1, SURE},
    {"TO_R_DRS_MSGQ_CYCLES_FULL", "CBOX2_6", 0x0e, 0x04, 1, SURE},
    {"TO_R_DRS_MSGQ_CYCLES_FULL", "CBOX3_7", 0x0e, 0x08, 1, SURE},
    {"TO_R_DRS_MSGQ_CYCLES_FULL", "ALL", 0x0e, 0x0f, 1, SURE},
    {"TO_R_DRS_MSGQ_CYCLES_NE", "CBOX0_4", 0x0f, 0x01, 1, SURE},
    {"TO_R_DRS_MSGQ_CYCLES_NE", "CBOX1_5", 0x0f, 0x02, 1, SURE},
    {"TO_R_DRS_MSGQ_CYCLES_NE", "CBOX2_6", 0x0f, 0x04, 1, SURE},
    {"TO_R_DRS_MSGQ_CYCLES_NE", "CBOX3_7", 0x0f, 0x08, 1, SURE},
    {"TO_R_DRS_MSGQ_CYCLES_NE", "ALL", 0x0f, 0x0f, 1, SURE},
    {"TO_R_DRS_MSGQ_OCCUPANCY", "CBOX0_4", 0x10, 0x01, 16, SURE},
    {"TO_R_DRS_MSGQ_OCCUPANCY", "CBOX1_5", 0x10, 0x02, 16, SURE},
    {"TO_R_DRS_MSGQ_OCCUPANCY", "CBOX2_6", 0x10, 0x04, 16, SURE},
    {"TO_R_DRS_MSGQ_OCCUPANCY", "CBOX3_7", 0x10, 0x08, 16, SURE},
    {"TO_R_DRS_MSGQ_OCCUPANCY", "ALL", 0x10, 0x0f, 16, SURE},
    {"TO_R_NCB_MSGQ_CYCLES_FULL", "CBOX0_4", 0x11, 0x01, 1, SURE},
    {"TO_R_NCB_MSGQ_CYCLES_FULL", "CBOX1_5", 0x11, 0x02, 1, SURE},
    {"TO_R_NCB_MSGQ_CYCLES_FULL", "CBOX2_6", 0x11, 0x04, 1, SURE},
    {"TO_R_NCB_MSGQ_CYCLES_FULL", "CBOX3_7", 0x11, 0x08, 1, SURE},
    {"TO_R_NCB_MSGQ_CYCLES_FULL", "ALL", 0x11, 0x0f, 1, SURE},
    {"TO_R_NCB_MSGQ_CYCLES_NE", "CBOX0_4", 0x12, 0x01, 1, SURE},
    {"TO_R_NCB_MSGQ_CYCLES_NE", "CBOX1_5", 0x12, 0x02, 1, SURE},
    {"TO_R_NCB_MSGQ_CYCLES_NE", "CBOX2_6", 0x12, 0x04, 1, SURE},
    {"TO_R_NCB_MSGQ_CYCLES_NE", "CBOX3_7", 0x12, 0x08, 1, SURE},
    {"TO_R_NCB_MSGQ_CYCLES_NE", "ALL", 0x12, 0x0f, 1, SURE},
    {"TO_R_NCB_MSGQ_OCCUPANCY", "CBOX0_4", 0x13, 0x01, 8, SURE},
    {"TO_R_NCB_MSGQ_OCCUPANCY", "CBOX1_5", 0x13, 0x02, 8, SURE},
    {"TO_R_NCB_MSGQ_OCCUPANCY", "CBOX2_6", 0x13, 0x04, 8, SURE},
    {"TO_R_NCB_MSGQ_OCCUPANCY", "CBOX3_7", 0x13, 0x08, 8, SURE},
    {"TO_R_NCB_MSGQ_OCCUPANCY", "ALL", 0x13, 0x0f, 8, SURE},
    {"TO_R_NCS_MSGQ_CYCLES_FULL", "CBOX0_4", 0x14, 0x01, 0, LIKELY},
    {"TO_R_NCS_MSGQ_CYCLES_FULL", "CBOX1_5", 0x14, 0x02, 0, LIKELY},
    {"TO_R_NCS_MSGQ_CYCLES_FULL", "CBOX2_6", 0x14, 0x04, 0, LIKELY},
    {"TO_R_NCS_MSGQ_CYCLES_FULL", "CBOX3_7", 0x14, 0x08, 0, LIKELY},
    {"TO_R_NCS_MSGQ_CYCLES_FULL", "ALL", 0x14, 0x0f, 0, LIKELY},
    {"TO_R_NCS_MSGQ_CYCLES_NE", "CBOX0_4", 0x15, 0x01, 0, LIKELY},
    {"TO_R_NCS_MSGQ_CYCLES_NE", "CBOX1_5", 0x15, 0x02, 0, LIKELY},
    {"TO_R_NCS_MSGQ_CYCLES_NE", "CBOX2_6", 0x15, 0x04, 0, LIKELY},
    {"TO_R_NCS_MSGQ_CYCLES_NE", "CBOX3_7", 0x15, 0x08, 0, LIKELY},
    {"TO_R_NCS_MSGQ_CYCLES_NE", "ALL", 0x15, 0x0f, 0, LIKELY},
    {"TO_R_NCS_MSGQ_OCCUPANCY", "CBOX0_4", 0x16, 0x01, 2, LIKELY},
    {"TO_R_NCS_MSGQ_OCCUPANCY", "CBOX1_5", 0x16, 0x02, 2, LIKELY},
    {"TO_R_NCS_MSGQ_OCCUPANCY", "CBOX2_6", 0x16, 0x04, 2, LIKELY},
    {"TO_R_NCS_MSGQ_OCCUPANCY", "CBOX3_7", 0x16, 0x08, 2, LIKELY},
    {"TO_R_NCS_MSGQ_OCCUPANCY", "ALL", 0x16, 0x0f, 2, LIKELY},
    {"TO_RING_SNP_MSGQ_CYCLES_FULL", "", 0x20, 0x00, 0, LIKELY},
    {"TO_RING_NCB_MSGQ_CYCLES_FULL", "", 0x21, 0x00, 1, SURE},
    {"TO_RING_NCS_MSGQ_CYCLES_FULL", "", 0x22, 0x00, 1, SURE},
    {"TO_RING_SNP_MSGQ_CYCLES_NE", "", 0x23, 0x00, 0, LIKELY},
    {"TO_RING_NCB_MSGQ_CYCLES_NE", "", 0x24, 0x00, 1, SURE},
    {"TO_RING_NCS_MSGQ_CYCLES_NE", "", 0x25, 0x00, 0, WEAK},
    {"TO_RING_MSGQ_OCCUPANCY", "SNP", 0x26, 0x01, 36, LIKELY},
    {"TO_RING_MSGQ_OCCUPANCY", "NCS", 0x26, 0x02, 36, LIKELY},
    {"TO_RING_MSGQ_OCCUPANCY", "NCB", 0x26, 0x04, 36, LIKELY},
    {"TO_RING_MSGQ_OCCUPANCY", "ALL", 0x26, 0x07, 36, LIKELY},
    {"TO_RING_NDR_MSGQ_CYCLES_FULL", "", 0x27, 0x00, 0, SURE},
    {"TO_RING_NDR_MSGQ_CYCLES_NE", "", 0x28, 0x00, 0, LIKELY},
    {"TO_RING_NDR_MSGQ_OCCUPANCY", "", 0x29, 0x00, 0, LIKELY},
    {"TO_RING_R2S_MSGQ_CYCLES_FULL", "", 0x2a, 0x00, 0, LIKELY},
    {"TO_RING_B2S_MSGQ_CYCLES_FULL", "", 0x2b, 0x00, 1, SURE},
    {"TO_RING_R2S_MSGQ_CYCLES_NE", "", 0x2c, 0x00, 1, SURE},
    {"TO_RING_B2S_MSGQ_CYCLES_NE", "", 0x2d, 0x00, 1, SURE},
    {"TO_RING_R2S_MSGQ_OCCUPANCY", "", 0x2e, 0x00, 0, LIKELY},
    {"TO_RING_B2S_MSGQ_OCCUPANCY", "", 0x2f, 0x00, 8, SURE},
    {"HALFLINE_BYPASS", "", 0x30, 0x00, 0, LIKELY},
    {"REQ_TBL_OCCUPANCY", "LOCAL", 0x31, 0x01, 48, SURE},
    {"REQ_TBL_OCCUPANCY", "REMOTE", 0x31, 0x02, 48, SURE},
    {"REQ_TBL_OCCUPANCY", "ALL", 0x31, 0x03, 48, SURE},
    {"EGRESS_BYPASS", "AD_CW", 0x40, 0x01, 0, LIKELY},
    {"EGRESS_BYPASS", "AD_CCW", 0x40, 0x02, 0, LIKELY},
    {"EGRESS_BYPASS", "AD", 0x40, 0x03, 0, LIKELY},
    {"EGRESS_BYPASS", "AK_CW", 0x40, 0x04, 0, LIKELY},
    {"EGRESS_BYPASS", "AK_CCW", 0x40, 0x08, 0, LIKELY},
    {"EGRESS_BYPASS", "AK", 0x40, 0x0c, 0, LIKELY},
    {"EGRESS_BYPASS", "BL_CW", 0x40, 0x10, 0, LIKELY},
    {"EGRESS_BYPASS", "BL_CCW", 0x40, 0x20, 0, LIKELY},
    {"EGRESS_BYPASS", "BL", 0x40, 0x30, 0, LIKELY},
    {"EGRESS_ARB_WINS", "AD_CW", 0x41, 0x01, 0, LIKELY},
    {"EGRESS_ARB_WINS", "AD_CCW", 0x41, 0x02, 0, LIKELY},
    {"EGRESS_ARB_WINS", "AD", 0x41, 0x03, 0, LIKELY},
    {"EGRESS_ARB_WINS", "AK_CW", 0x41, 0x04, 0, LIKELY},
    {"EGRESS_ARB_WINS", "AK_CCW", 0x41, 0x08, 0, LIKELY},
    {"EGRESS_ARB_WINS", "AK", 0x41, 0x0c, 0, LIKELY},
    {"EGRESS_ARB_WINS", "BL_CW", 0x41, 0x10, 0, LIKELY},
    {"EGRESS_ARB_WINS", "BL_CCW", 0x41, 0x20, 0, LIKELY},
    {"EGRESS_ARB_WINS", "BL", 0x41, 0x30, 0, LIKELY},
    {"EGRESS_ARB_LOSSES", "AD_CW", 0x42, 0x01, 1, LIKELY},
    {"EGRESS_ARB_LOSSES", "AD_CCW", 0x42, 0x02, 1, LIKELY},
    {"EGRESS_ARB_LOSSES", "AD", 0x42, 0x03, 1, LIKELY},
    {"EGRESS_ARB_LOSSES", "AK_CW", 0x42, 0x04, 1, LIKELY},
    {"EGRESS_ARB_LOSSES", "AK_CCW", 0x42, 0x08, 1, LIKELY},
    {"EGRESS_ARB_LOSSES", "AK", 0x42, 0x0c, 1, LIKELY},
    {"EGRESS_ARB_LOSSES", "BL_CW", 0x42, 0x10, 1, LIKELY},
    {"EGRESS_ARB_LOSSES", "BL_CCW", 0x42, 0x20, 1, LIKELY},
    {"EGRESS_ARB_LOSSES", "BL", 0x42, 0x30, 1, LIKELY},
    {"EGRESS_STARVED", "AD_CW", 0x43, 0x01, 1, LIKELY},
    {"EGRESS_STARVED", "AD_CCW", 0x43, 0x02, 1, LIKELY},
    {"EGRESS_STARVED", "AD", 0x43, 0x03, 1, LIKELY},
    {"EGRESS_STARVED", "AK_CW", 0x43, 0x04, 1, LIKELY},
    {"EGRESS_STARVED", "AK_CCW", 0x43, 0x08, 1, LIKELY},
    {"EGRESS_STARVED", "AK", 0x43, 0x0c, 1, LIKELY},
    {"EGRESS_STARVED", "BL_CW", 0x43, 0x10, 1, LIKELY},
    {"EGRESS_STARVED", "BL_CCW", 0x43, 0x20, 1, LIKELY},
    {"EGRESS_STARVED", "BL", 0x43, 0x30, 1, LIKELY},
    {"RBOX_HOM_BYPASS", "", 0x50, 0x00, 1, SURE},
    {"RBOX_SNP_BYPASS", "SNP", 0x51, 0x01, 1, SURE},
    {"RBOX_SNP_BYPASS", "BIG_SNP", 0x51, 0x02, 1, SURE},
    {"RBOX_SNP_BYPASS", "ALL", 0x51, 0x03, 1, SURE},
    {"S2B_HOM_BYPASS", "", 0x52, 0x00, 1, SURE},
    {"B2S_DRS_BYPASS", "", 0x53, 0x00, 1, SURE},
    {"BBOX_HOM_BYPASS", "", 0x54, 0x00, 1, SURE},
    {"PKTS_SENT_HOM", "RBOX", 0x60, 0x01, 1, SURE},
    {"PKTS_SENT_HOM", "BBOX", 0x60, 0x02, 1, SURE},
    {"PKTS_SENT_HOM", "ALL", 0x60, 0x03, 1, SURE},
    {"PKTS_SENT_SNP", "", 0x62, 0x00, 1, SURE},
    {"PKTS_SENT_NDR", "", 0x63, 0x00, 0, LIKELY},
    {"PKTS_SENT_DRS", "CBOX0_4", 0x64, 0x01, 1, SURE},
    {"PKTS_SENT_DRS", "CBOX1_5", 0x64, 0x02, 1, SURE},
    {"PKTS_SENT_DRS", "CBOX2_6", 0x64, 0x04, 1, SURE},
    {"PKTS_SENT_DRS", "CBOX3_7", 0x64, 0x08, 1, SURE},
    {"PKTS_SENT_DRS", "ALL", 0x64, 0x0f, 1, SURE},
    {"FLITS_SENT_DRS", "", 0x65, 0x00, 0, LIKELY},
    {"PKTS_SENT_NCS", "CBOX0_4", 0x66, 0x01, 0, LIKELY},
    {"PKTS_SENT_NCS", "CBOX1_5", 0x66, 0x02, 0, LIKELY},
    {"PKTS_SENT_NCS", "CBOX2_6", 0x66, 0x04, 0, LIKELY},
    {"PKTS_SENT_NCS", "CBOX3_7", 0x66, 0x08, 0, LIKELY},
    {"PKTS_SENT_NCS", "ALL", 0x66, 0x0f, 0, LIKELY},
    {"FLITS_SENT_NCS", "", 0x67, 0x00, 0, LIKELY},
    {"PKTS_SENT_NCB", "CBOX0_4", 0x68, 0x01, 1, LIKELY},
    {"PKTS_SENT_NCB", "CBOX1_5", 0x68, 0x02, 1, LIKELY},
    {"PKTS_SENT_NCB", "CBOX2_6", 0x68, 0x04, 1, LIKELY},
    {"PKTS_SENT_NCB", "CBOX3_7", 0x68, 0x08, 1, LIKELY},
    {"PKTS_SENT_NCB", "ALL", 0x68, 0x0f, 1, LIKELY},
    {"FLITS_SENT_NCB", "", 0x69, 0x00, 0, LIKELY},
    {"RBOX_CREDIT_RETURNS", "", 0x6a, 0x00, 0, LIKELY},
    {"BBOX_CREDIT_RETURNS", "", 0x6b, 0x00, 1, SURE},
    {"TO_R_B_REQUESTS", "LOCAL", 0x6c, 0x01, 0, LIKELY},
    {"TO_R_B_REQUESTS", "REMOTE", 0x6c, 0x02, 0, LIKELY},
    {"TO_R_B_REQUESTS", "ALL", 0x6c, 0x03, 0, LIKELY},
    {"PKTS_RCVD_NDR", "", 0x70, 0x00, 0, LIKELY},
    {"PKTS_RCVD_SNP", "", 0x71, 0x00, 1, SURE},
    {"PKTS_RCVD_DRS_FROM_R", "", 0x72, 0x00, 0, LIKELY},
    {"PKTS_RCVD_DRS_FROM_B", "", 0x73, 0x00, 0, LIKELY},
    {"PKTS_RCVD_NCS", "", 0x74, 0x00, 0, LIKELY},
    {"PKTS_RCVD_NCB", "", 0x75, 0x00, 1, SURE},
    {"RBOX_CREDIT_CARRIERS", "", 0x76, 0x00, 1, SURE},
    {"BBOX_CREDITS", "", 0x77, 0x00, 0, LIKELY},
    {"NO_CREDIT_HOM", "", 0x80, 0x00, 1, SURE},
    {"NO_CREDIT_SNP", "", 0x81, 0x00, 1, SURE},
    {"NO_CREDIT_DRS", "", 0x82, 0x00, 0, LIKELY},
    {"NO_CREDIT_NCS", "", 0x83, 0x00, 1, SURE},
    {"NO_CREDIT_NCB", "", 0x84, 0x00, 1, LIKELY},
    {"NO_CREDIT_NDR", "", 0x85, 0x00, 0, LIKELY},
    {"NO_CREDIT_VNA", "RBOX", 0x86, 0x01, 0, LIKELY},
    {"NO_CREDIT_VNA", "BBOX", 0x86, 0x02, 0, LIKELY},
    {"NO_CREDIT_VNA", "ALL", 0x86, 0x03, 0, LIKELY},
    {"NO_CREDIT_AD", "", 0x87, 0x00, 1, SURE},
    {"NO_CREDIT_AK", "", 0x88, 0x00, 0, SURE},
    {"NO_CREDIT_BL", "", 0x89, 0x00, 0, LIKELY},
    {"NO_CREDIT_IPQ", "", 0x8a, 0x00, 0, LIKELY},
};
enum { ROWS = sizeof rows / sizeof *rows };

static void every_row(void **state)
{
    (void)state;
    assert_int_equal(ROWS, 176);
    for (size_t i = 0; i < ROWS; i++)
        facts_check_row(c, pmu, &rows[i]);
}

static void no_other_names(void **state)
{
    (void)state;
    facts_check_all_named(c, pmu, rows, ROWS);
}

/* Code 7:0, unit mask 15:8, enable 22; TO_R_PROG_EV has the three registers of its pattern besides:
 * without one the match register is 0 and every bit of the mask says to leave it out. */
static void final_registers(void **state)
{
    (void)state;
    for (size_t i = 0; i < ROWS; i++)
        for (unsigned unit = 0; unit < 2; unit++) {
            struct msr expected[] = {
                {unit ? 0xcd0 : 0xc50,
                 rows[i].code | (uint64_t)rows[i].value << 8 | UINT64_C(1) << 22},
                {unit ? 0xe58 : 0xe48, UINT64_C(1) << 63},
                {unit ? 0xe59 : 0xe49, 0},
                {unit ? 0xe5a : 0xe4a, 0x7fffffffff},
            };
            facts_check_registers(c, "nhmex_unc_sbox", unit, rows[i].event, rows[i].umask, expected,
                                  rows[i].code == 0 ? 4 : 1);
        }
}

/* Fields of the match register: message class 47:43, a bit each; opcode 58:48; response 63:59;
 * address 42:5 and node 4:0, whose masks at 38:1 and 0 have a 1 where nothing is compared. */
static void patterns(void **state)
{
    (void)state;
    static const struct {
        const char *pattern;
        uint64_t match, mask;
    } all[] = {
        {"mc=HOM0", UINT64_C(1) << 43, 0x7fffffffff},
        {"mc=HOM1", UINT64_C(1) << 44, 0x7fffffffff},
        {"mc=NDR", UINT64_C(1) << 45, 0x7fffffffff},
        {"mc=NCS", UINT64_C(1) << 46, 0x7fffffffff},
        {"mc=NCB", UINT64_C(1) << 47, 0x7fffffffff},
        {"opc=0x7ff", UINT64_C(0x7ff) << 48, 0x7fffffffff},
        {"resp=0x1f", UINT64_C(0x1f) << 59, 0x7fffffffff},
        {"addr=0x123", UINT64_C(0x123) << 5, 1},
        {"addr=0x123:addr_mask=0xff", UINT64_C(0x123) << 5, 0xff << 1 | 1},
        {"hnid=3", 3, 0x7ffffffffe},
        {"hnid=3:addr=1", 3 | 1 << 5, 0},
    };
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        struct msr expected[] = {{0xc50, UINT64_C(1) << 22},
                                 {0xe48, UINT64_C(1) << 63},
                                 {0xe49, all[i].match},
                                 {0xe4a, all[i].mask}};
        facts_check_registers(c, "nhmex_unc_sbox", 0, "TO_R_PROG_EV", all[i].pattern, expected, 4);
    }
}

int main(void)
{
    c = bx_catalog_builtin();
    pmu = facts_pmu(c, "nhmex_unc_sbox");
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_row),
        cmocka_unit_test(no_other_names),
        cmocka_unit_test(final_registers),
        cmocka_unit_test(patterns),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* The 132 rows of the C-Box's event list (323535-001 section 2.3 and LIKWID), and the registers of
 * each. */
#include "../cmocked.h"

#include "nhmex_facts.h"

static const struct bx_catalog *c;
static uint16_t pmu;

static const struct event_row rows[] = {
    {"BOUNCES_P2C_AD", "SB", 0x01, 0x01, 0, SURE},
    {"BOUNCES_P2C_AD", "NSB", 0x01, 0x02, 0, SURE},
    {"BOUNCES_P2C_AD", "ALL", 0x01, 0x03, 0, SURE},
    {"BOUNCES_C2P_AK", "SB", 0x02, 0x01, 0, LIKELY},
    {"BOUNCES_C2P_AK", "NSB", 0x02, 0x02, 0, LIKELY},
    {"BOUNCES_C2P_AK", "ALL", 0x02, 0x03, 0, LIKELY},
    {"BOUNCES_C2P_BL", "SB", 0x03, 0x01, 0, LIKELY},
    {"BOUNCES_C2P_BL", "NSB", 0x03, 0x02, 0, LIKELY},
    {"BOUNCES_C2P_BL", "ALL", 0x03, 0x03, 0, LIKELY},
    {"BOUNCES_C2P_IV", "", 0x04, 0x00, 0, LIKELY},
    {"SINKS_P2C", "AD", 0x05, 0x01, 3, WEAK},
    {"SINKS_P2C", "AK", 0x05, 0x02, 3, LIKELY},
    {"SINKS_P2C", "BL", 0x05, 0x04, 3, LIKELY},
    {"SINKS_C2P", "IV", 0x06, 0x01, 0, LIKELY},
    {"SINKS_C2P", "AK", 0x06, 0x02, 0, LIKELY},
    {"SINKS_C2P", "BL", 0x06, 0x04, 0, LIKELY},
    {"SINKS_S2C", "AD", 0x07, 0x01, 0, LIKELY},
    {"SINKS_S2C", "AK", 0x07, 0x02, 0, LIKELY},
    {"SINKS_S2C", "BL", 0x07, 0x04, 0, LIKELY},
    {"SINKS_S2P_BL", "", 0x08, 0x00, 0, LIKELY},
    {"ARB_WINS", "AD_SB", 0x09, 0x01, 0, WEAK},
    {"ARB_WINS", "AD_NSB", 0x09, 0x02, 0, WEAK},
    {"ARB_WINS", "AD_ALL", 0x09, 0x03, 0, WEAK},
    {"ARB_WINS", "AK_SB", 0x09, 0x04, 0, WEAK},
    {"ARB_WINS", "AK_NSB", 0x09, 0x08, 0, WEAK},
    {"ARB_WINS", "AK_ALL", 0x09, 0x0c, 0, WEAK},
    {"ARB_WINS", "BL_SB", 0x09, 0x10, 0, WEAK},
    {"ARB_WINS", "BL_NSB", 0x09, 0x20, 0, WEAK},
    {"ARB_WINS", "BL_ALL", 0x09, 0x30, 0, WEAK},
    {"ARB_WINS", "IV", 0x09, 0x40, 0, WEAK},
    {"ARB_WINS", "ALL", 0x09, 0x7f, 0, WEAK},
    {"ARB_LOSSES", "AD_SB", 0x0a, 0x01, 0, LIKELY},
    {"ARB_LOSSES", "AD_NSB", 0x0a, 0x02, 0, LIKELY},
    {"ARB_LOSSES", "AD_ALL", 0x0a, 0x03, 0, LIKELY},
    {"ARB_LOSSES", "AK_SB", 0x0a, 0x04, 0, LIKELY},
    {"ARB_LOSSES", "AK_NSB", 0x0a, 0x08, 0, LIKELY},
    {"ARB_LOSSES", "AK_ALL", 0x0a, 0x0c, 0, LIKELY},
    {"ARB_LOSSES", "BL_SB", 0x0a, 0x10, 0, LIKELY},
    {"ARB_LOSSES", "BL_NSB", 0x0a, 0x20, 0, LIKELY},
    {"ARB_LOSSES", "BL_ALL", 0x0a, 0x30, 0, LIKELY},
    {"ARB_LOSSES", "IV", 0x0a, 0x40, 0, LIKELY},
    {"ARB_LOSSES", "ALL", 0x0a, 0x7f, 0, LIKELY},
    {"STARVED_EGRESS", "P2C_AD_SB", 0x0b, 0x01, 8, SURE},
    {"STARVED_EGRESS", "C2S_AD_SB", 0x0b, 0x02, 8, SURE},
    {"STARVED_EGRESS", "AD_SB", 0x0b, 0x03, 8, SURE},
    {"STARVED_EGRESS", "AD_NSB", 0x0b, 0x04, 8, SURE},
    {"STARVED_EGRESS", "AD", 0x0b, 0x07, 8, SURE},
    {"STARVED_EGRESS", "AK_SB", 0x0b, 0x08, 8, SURE},
    {"STARVED_EGRESS", "AK_NSB", 0x0b, 0x10, 8, SURE},
    {"STARVED_EGRESS", "AK", 0x0b, 0x18, 8, SURE},
    {"STARVED_EGRESS", "BL_SB", 0x0b, 0x20, 8, SURE},
    {"STARVED_EGRESS", "BL_NSB", 0x0b, 0x40, 8, LIKELY},
    {"STARVED_EGRESS", "BL", 0x0b, 0x60, 8, LIKELY},
    {"STARVED_EGRESS", "IV", 0x0b, 0x80, 8, LIKELY},
    {"EGRESS_BYPASS_WINS", "AD_BYP0", 0x0c, 0x01, 0, LIKELY},
    {"EGRESS_BYPASS_WINS", "AD_BYP1", 0x0c, 0x02, 0, LIKELY},
    {"EGRESS_BYPASS_WINS", "AK_BYP0", 0x0c, 0x04, 0, LIKELY},
    {"EGRESS_BYPASS_WINS", "AK_BYP1", 0x0c, 0x08, 0, LIKELY},
    {"EGRESS_BYPASS_WINS", "BL_BYP0", 0x0c, 0x10, 0, LIKELY},
    {"EGRESS_BYPASS_WINS", "BL_BYP1", 0x0c, 0x20, 0, LIKELY},
    {"EGRESS_BYPASS_WINS", "IV_BYP0", 0x0c, 0x40, 0, LIKELY},
    {"EGRESS_BYPASS_WINS", "IV_BYP1", 0x0c, 0x80, 0, LIKELY},
    {"INGRESS_BYPASS_WINS_AD", "IRQ_BYP0", 0x0e, 0x01, 1, LIKELY},
    {"INGRESS_BYPASS_WINS_AD", "IRQ_BYP1", 0x0e, 0x02, 1, LIKELY},
    {"INGRESS_BYPASS_WINS_AD", "IPQ_BYP0", 0x0e, 0x04, 1, LIKELY},
    {"INGRESS_BYPASS_WINS_AD", "IPQ_BYP1", 0x0e, 0x08, 1, LIKELY},
    {"MAF_ACK", "", 0x10, 0x00, 1, SURE},
    {"MAF_NACK1", "GO_PENDING", 0x11, 0x01, 0, LIKELY},
    {"MAF_NACK1", "VIC_PENDING", 0x11, 0x02, 0, LIKELY},
    {"MAF_NACK1", "SNP_PENDING", 0x11, 0x04, 0, LIKELY},
    {"MAF_NACK1", "AC_PENDING", 0x11, 0x08, 0, LIKELY},
    {"MAF_NACK1", "IDX_BLOCK", 0x11, 0x10, 0, LIKELY},
    {"MAF_NACK1", "PA_BLOCK", 0x11, 0x20, 0, LIKELY},
    {"MAF_NACK1", "IDLE_QPI", 0x11, 0x40, 0, LIKELY},
    {"MAF_NACK1", "ALL_MAF_NACK2", 0x11, 0x80, 0, WEAK},
    {"MAF_NACK1", "TOTAL_MAF_NACKS", 0x11, 0xff, 0, LIKELY},
    {"MAF_NACK2", "MAF_FULL", 0x12, 0x01, 0, LIKELY},
    {"MAF_NACK2", "EGRESS_FULL", 0x12, 0x02, 0, LIKELY},
    {"MAF_NACK2", "VIQ_FULL", 0x12, 0x04, 0, LIKELY},
    {"MAF_NACK2", "NO_TRACKER_CREDITS", 0x12, 0x08, 0, LIKELY},
    {"MAF_NACK2", "NO_S_FIFO_CREDITS", 0x12, 0x10, 0, LIKELY},
    {"MAF_NACK2", "NO_S_REQTBL_ENTRIES", 0x12, 0x20, 0, LIKELY},
    {"MAF_NACK2", "WB_PENDING", 0x12, 0x40, 0, LIKELY},
    {"MAF_NACK2", "NACK2_ELSE", 0x12, 0x80, 0, LIKELY},
    {"LLC_MISSES", "S", 0x14, 0x01, 1, SURE},
    {"LLC_MISSES", "F", 0x14, 0x02, 1, SURE},
    {"LLC_MISSES", "I", 0x14, 0x04, 1, SURE},
    {"LLC_MISSES", "ALL", 0x14, 0x07, 1, SURE},
    {"LLC_HITS", "M", 0x15, 0x01, 1, LIKELY},
    {"LLC_HITS", "E", 0x15, 0x02, 1, LIKELY},
    {"LLC_HITS", "S", 0x15, 0x04, 1, LIKELY},
    {"LLC_HITS", "F", 0x15, 0x08, 1, LIKELY},
    {"LLC_HITS", "ALL", 0x15, 0x0f, 1, LIKELY},
    {"LLC_S_FILLS", "M", 0x16, 0x01, 1, SURE},
    {"LLC_S_FILLS", "E", 0x16, 0x02, 1, SURE},
    {"LLC_S_FILLS", "S", 0x16, 0x04, 1, LIKELY},
    {"LLC_S_FILLS", "F", 0x16, 0x08, 1, LIKELY},
    {"LLC_S_FILLS", "ALL", 0x16, 0x0f, 1, LIKELY},
    {"LLC_VICTIMS", "M", 0x17, 0x01, 1, LIKELY},
    {"LLC_VICTIMS", "E", 0x17, 0x02, 1, LIKELY},
    {"LLC_VICTIMS", "S", 0x17, 0x04, 1, LIKELY},
    {"LLC_VICTIMS", "F", 0x17, 0x08, 1, LIKELY},
    {"LLC_VICTIMS", "I", 0x17, 0x10, 1, WEAK},
    {"LLC_VICTIMS", "ALL", 0x17, 0x1f, 1, LIKELY},
    {"OCCUPANCY_IRQ", "", 0x18, 0x00, 24, SURE},
    {"TRANS_IRQ", "", 0x19, 0x00, 1, SURE},
    {"OCCUPANCY_IPQ", "", 0x1a, 0x00, 8, SURE},
    {"TRANS_IPQ", "", 0x1b, 0x00, 1, SURE},
    {"OCCUPANCY_VIQ", "", 0x1c, 0x00, 0, LIKELY},
    {"TRANS_VIQ", "", 0x1d, 0x00, 0, LIKELY},
    {"OCCUPANCY_MAF", "", 0x1e, 0x00, 0, LIKELY},
    {"TRANS_MAF", "", 0x1f, 0x00, 0, LIKELY},
    {"OCCUPANCY_RWRF", "", 0x20, 0x00, 0, LIKELY},
    {"TRANS_RWRF", "", 0x21, 0x00, 1, SURE},
    {"OCCUPANCY_RSPF", "", 0x22, 0x00, 0, LIKELY},
    {"TRANS_RSPF", "", 0x23, 0x00, 0, LIKELY},
    {"SNPS", "REMOTE_RD", 0x27, 0x01, 1, SURE},
    {"SNPS", "REMOTE_RFO", 0x27, 0x02, 1, SURE},
    {"SNPS", "REMOTE_ANY", 0x27, 0x03, 1, SURE},
    {"SNP_HITS", "REMOTE_RD_HITM", 0x28, 0x01, 0, LIKELY},
    {"SNP_HITS", "REMOTE_RD_HITE", 0x28, 0x02, 0, LIKELY},
    {"SNP_HITS", "REMOTE_RD_HITS", 0x28, 0x04, 0, LIKELY},
    {"SNP_HITS", "REMOTE_RD_HITF", 0x28, 0x08, 0, LIKELY},
    {"SNP_HITS", "REMOTE_RFO_HITM", 0x28, 0x10, 0, LIKELY},
    {"SNP_HITS", "REMOTE_RFO_HITE", 0x28, 0x20, 0, LIKELY},
    {"SNP_HITS", "REMOTE_RFO_HITS", 0x28, 0x40, 0, LIKELY},
    {"SNP_HITS", "REMOTE_RFO_HITF", 0x28, 0x80, 0, LIKELY},
    {"SNP_HITS", "REMOTE_HITM", 0x28, 0x11, 0, LIKELY},
    {"SNP_HITS", "REMOTE_HITE", 0x28, 0x22, 0, LIKELY},
    {"SNP_HITS", "REMOTE_HITS", 0x28, 0x44, 0, LIKELY},
    {"SNP_HITS", "REMOTE_HITF", 0x28, 0x88, 0, LIKELY},
    {"SNP_HITS", "REMOTE_ANY", 0x28, 0xff, 0, LIKELY},
};
enum { ROWS = sizeof rows / sizeof *rows };

static void every_row(void **state)
{
    (void)state;
    assert_int_equal(ROWS, 132);
    for (size_t i = 0; i < ROWS; i++)
        facts_check_row(c, pmu, &rows[i]);
}

static void no_other_names(void **state)
{
    (void)state;
    facts_check_all_named(c, pmu, rows, ROWS);
}

/* Code 7:0, unit mask 15:8, enable 22; the counters' controls do not lie in the boxes' order. */
static void final_registers(void **state)
{
    (void)state;
    static const uint32_t control[] = {0xd10, 0xd90, 0xd50, 0xdd0, 0xd30, 0xdb0, 0xd70, 0xdf0};
    for (size_t i = 0; i < ROWS; i++) {
        unsigned unit = i % 8;
        struct msr expected = {control[unit],
                               rows[i].code | (uint64_t)rows[i].value << 8 | UINT64_C(1) << 22};
        facts_check_registers(c, "nhmex_unc_cbox", unit, rows[i].event, rows[i].umask, &expected,
                              1);
    }
}

int main(void)
{
    c = bx_catalog_builtin();
    pmu = facts_pmu(c, "nhmex_unc_cbox");
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_row),
        cmocka_unit_test(no_other_names),
        cmocka_unit_test(final_registers),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

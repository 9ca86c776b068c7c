/* 143 of the 203 rows of the M-Box's event list (323535-001 section 2.7 and LIKWID), and the
 * registers of each; test_nhmex_facts_fvc.c has the others. */
#include "../cmocked.h"

#include "facts.h"

#include <string.h>

/* Addresses of the shared registers of M-Box 0; those of M-Box 1 are 40H higher. */
enum {
    DSP = 0xca5,
    ISS = 0xca6,
    MAP = 0xca7,
    MSC_THR = 0xca8,
    PGT = 0xca9,
    PLD = 0xcaa,
};

/* INC_SEL (13:9) selects the event, or SET_FLAG_SEL (21:19) if FLAG_MODE (7) is set. */
enum how { INC, FLAG };

/* Event, unit mask, code, the most that a cycle adds, and the contents of the shared registers. */
static const struct row {
    const char *event, *umask;
    enum how how;
    uint16_t code, max;
    unsigned sure;
    struct msr shared[2];
} rows[] = {
    {"DSP_FILL", "RDQ_FULL", INC, 0x00, 0, LIKELY, {{DSP, 0x80}}},
    {"DSP_FILL", "WRQ_FULL", INC, 0x00, 0, LIKELY, {{DSP, 0x100}}},
    {"DSP_FILL", "RDQ_EMPTY", INC, 0x00, 0, LIKELY, {{DSP, 0x200}}},
    {"DSP_FILL", "WRQ_EMPTY", INC, 0x00, 0, LIKELY, {{DSP, 0x400}}},
    {"CYCLES_MFULL", "", INC, 0x01, 1, SURE, {{0}}},
    {"RETRY_MFULL", "", INC, 0x02, 0, LIKELY, {{0}}},
    {"RETRY_STARVE", "", INC, 0x03, 0, LIKELY, {{0}}},
    {"REFRESH", "", INC, 0x06, 1, SURE, {{0}}},
    {"REFRESH_CONFLICT", "", INC, 0x07, 1, SURE, {{0}}},
    {"SCHED_MODE_CHANGES", "", INC, 0x08, 1, SURE, {{0}}},
    {"MA_PAR_ERR", "", INC, 0x0c, 1, SURE, {{0}}},
    {"PATROL_TXNS", "", INC, 0x11, 0, LIKELY, {{0}}},
    {"TRANS_CMDS", "", INC, 0x12, 0, LIKELY, {{0}}},
    {"PAGE_MISS", "", INC, 0x13, 0, LIKELY, {{0}}},
    {"PAGE_HIT", "", INC, 0x14, 1, SURE, {{0}}},
    {"MULTICAS", "", INC, 0x17, 1, SURE, {{0}}},
    {"FVID_RACE", "", INC, 0x18, 1, SURE, {{0}}},
    {"TT_CMD_CONFLICT", "", INC, 0x19, 1, SURE, {{0}}},
    {"BBOX_CMDS_ALL", "", INC, 0x1a, 1, SURE, {{0}}},
    {"CYCLES", "", INC, 0x1b, 1, SURE, {{0}}},
    {"SCHED_INFLIGHT_CMDS", "", INC, 0x1c, 0, WEAK, {{0}}},
    {"INFLIGHT_CMDS", "", INC, 0x1d, 1, SURE, {{0}}},
    {"PAGE_EMPTY", "", INC, 0x15, 1, LIKELY, {{0}}},
    {"PLD_RETRY_EV", "ALL", INC, 0x0b, 1, LIKELY, {{PLD, 0x0}}},
    {"PLD_RETRY_EV", "FVID", INC, 0x0b, 1, WEAK, {{PLD, 0x80}}},
    {"THERM_TRP_UP", "ALL.GT_MID_RISE", INC, 0x04, 0, LIKELY, {{MSC_THR, 0x188}}},
    {"THERM_TRP_UP", "ALL.GT_MID_FALL", INC, 0x04, 0, LIKELY, {{MSC_THR, 0x108}}},
    {"THERM_TRP_UP", "ALL.GT_LO", INC, 0x04, 0, LIKELY, {{MSC_THR, 0x88}}},
    {"THERM_TRP_UP", "ALL.LT_LO", INC, 0x04, 0, LIKELY, {{MSC_THR, 0x8}}},
    {"THERM_TRP_UP", "DIMM0.GT_MID_RISE", INC, 0x04, 0, WEAK, {{MSC_THR, 0x180}}},
    {"THERM_TRP_UP", "DIMM0.GT_MID_FALL", INC, 0x04, 0, WEAK, {{MSC_THR, 0x100}}},
    {"THERM_TRP_UP", "DIMM0.GT_LO", INC, 0x04, 0, WEAK, {{MSC_THR, 0x80}}},
    {"THERM_TRP_UP", "DIMM0.LT_LO", INC, 0x04, 0, WEAK, {{MSC_THR, 0x0}}},
    {"THERM_TRP_UP", "DIMM1.GT_MID_RISE", INC, 0x04, 0, WEAK, {{MSC_THR, 0x190}}},
    {"THERM_TRP_UP", "DIMM1.GT_MID_FALL", INC, 0x04, 0, WEAK, {{MSC_THR, 0x110}}},
    {"THERM_TRP_UP", "DIMM1.GT_LO", INC, 0x04, 0, WEAK, {{MSC_THR, 0x90}}},
    {"THERM_TRP_UP", "DIMM1.LT_LO", INC, 0x04, 0, WEAK, {{MSC_THR, 0x10}}},
    {"THERM_TRP_UP", "DIMM2.GT_MID_RISE", INC, 0x04, 0, WEAK, {{MSC_THR, 0x1a0}}},
    {"THERM_TRP_UP", "DIMM2.GT_MID_FALL", INC, 0x04, 0, WEAK, {{MSC_THR, 0x120}}},
    {"THERM_TRP_UP", "DIMM2.GT_LO", INC, 0x04, 0, WEAK, {{MSC_THR, 0xa0}}},
    {"THERM_TRP_UP", "DIMM2.LT_LO", INC, 0x04, 0, WEAK, {{MSC_THR, 0x20}}},
    {"THERM_TRP_UP", "DIMM3.GT_MID_RISE", INC, 0x04, 0, WEAK, {{MSC_THR, 0x1b0}}},
    {"THERM_TRP_UP", "DIMM3.GT_MID_FALL", INC, 0x04, 0, WEAK, {{MSC_THR, 0x130}}},
    {"THERM_TRP_UP", "DIMM3.GT_LO", INC, 0x04, 0, WEAK, {{MSC_THR, 0xb0}}},
    {"THERM_TRP_UP", "DIMM3.LT_LO", INC, 0x04, 0, WEAK, {{MSC_THR, 0x30}}},
    {"THERM_TRP_DN", "ALL.GT_MID_RISE", INC, 0x05, 1, SURE, {{MSC_THR, 0x608}}},
    {"THERM_TRP_DN", "ALL.GT_MID_FALL", INC, 0x05, 1, SURE, {{MSC_THR, 0x408}}},
    {"THERM_TRP_DN", "ALL.GT_LO", INC, 0x05, 1, SURE, {{MSC_THR, 0x208}}},
    {"THERM_TRP_DN", "ALL.LT_LO", INC, 0x05, 1, SURE, {{MSC_THR, 0x8}}},
    {"THERM_TRP_DN", "DIMM0.GT_MID_RISE", INC, 0x05, 1, WEAK, {{MSC_THR, 0x600}}},
    {"THERM_TRP_DN", "DIMM0.GT_MID_FALL", INC, 0x05, 1, WEAK, {{MSC_THR, 0x400}}},
    {"THERM_TRP_DN", "DIMM0.GT_LO", INC, 0x05, 1, WEAK, {{MSC_THR, 0x200}}},
    {"THERM_TRP_DN", "DIMM0.LT_LO", INC, 0x05, 1, WEAK, {{MSC_THR, 0x0}}},
    {"THERM_TRP_DN", "DIMM1.GT_MID_RISE", INC, 0x05, 1, WEAK, {{MSC_THR, 0x610}}},
    {"THERM_TRP_DN", "DIMM1.GT_MID_FALL", INC, 0x05, 1, WEAK, {{MSC_THR, 0x410}}},
    {"THERM_TRP_DN", "DIMM1.GT_LO", INC, 0x05, 1, WEAK, {{MSC_THR, 0x210}}},
    {"THERM_TRP_DN", "DIMM1.LT_LO", INC, 0x05, 1, WEAK, {{MSC_THR, 0x10}}},
    {"THERM_TRP_DN", "DIMM2.GT_MID_RISE", INC, 0x05, 1, WEAK, {{MSC_THR, 0x620}}},
    {"THERM_TRP_DN", "DIMM2.GT_MID_FALL", INC, 0x05, 1, WEAK, {{MSC_THR, 0x420}}},
    {"THERM_TRP_DN", "DIMM2.GT_LO", INC, 0x05, 1, WEAK, {{MSC_THR, 0x220}}},
    {"THERM_TRP_DN", "DIMM2.LT_LO", INC, 0x05, 1, WEAK, {{MSC_THR, 0x20}}},
    {"THERM_TRP_DN", "DIMM3.GT_MID_RISE", INC, 0x05, 1, WEAK, {{MSC_THR, 0x630}}},
    {"THERM_TRP_DN", "DIMM3.GT_MID_FALL", INC, 0x05, 1, WEAK, {{MSC_THR, 0x430}}},
    {"THERM_TRP_DN", "DIMM3.GT_LO", INC, 0x05, 1, WEAK, {{MSC_THR, 0x230}}},
    {"THERM_TRP_DN", "DIMM3.LT_LO", INC, 0x05, 1, WEAK, {{MSC_THR, 0x30}}},
    {"FRM_TYPE", "3CMD", INC, 0x09, 1, SURE, {{ISS, 0x0}}},
    {"FRM_TYPE", "WDAT", INC, 0x09, 1, SURE, {{ISS, 0x1}}},
    {"FRM_TYPE", "SYNC", INC, 0x09, 1, SURE, {{ISS, 0x2}}},
    {"FRM_TYPE", "CHNL", INC, 0x09, 1, SURE, {{ISS, 0x3}}},
    {"FRM_TYPE", "NOP", INC, 0x09, 1, SURE, {{ISS, 0x8}}},
    {"FRM_TYPE", "1CMD", INC, 0x09, 1, SURE, {{ISS, 0xc}}},
    {"DRAM_CMD", "ILLEGAL", INC, 0x0a, 1, LIKELY, {{PLD, 0x0}}},
    {"DRAM_CMD", "PREALL", INC, 0x0a, 1, LIKELY, {{PLD, 0x100}}},
    {"DRAM_CMD", "PREALL.TRDOFF", INC, 0x0a, 1, LIKELY, {{PLD, 0x101}, {ISS, 0x0}}},
    {"DRAM_CMD", "PREALL.RDPRIO", INC, 0x0a, 1, LIKELY, {{PLD, 0x101}, {ISS, 0x80}}},
    {"DRAM_CMD", "PREALL.WRPRIO", INC, 0x0a, 1, LIKELY, {{PLD, 0x101}, {ISS, 0x100}}},
    {"DRAM_CMD", "PREALL.ADAPTIVE", INC, 0x0a, 1, LIKELY, {{PLD, 0x101}, {ISS, 0x180}}},
    {"DRAM_CMD", "RAS", INC, 0x0a, 1, LIKELY, {{PLD, 0x200}}},
    {"DRAM_CMD", "RAS.TRDOFF", INC, 0x0a, 1, LIKELY, {{PLD, 0x201}, {ISS, 0x0}}},
    {"DRAM_CMD", "RAS.RDPRIO", INC, 0x0a, 1, LIKELY, {{PLD, 0x201}, {ISS, 0x80}}},
    {"DRAM_CMD", "RAS.WRPRIO", INC, 0x0a, 1, LIKELY, {{PLD, 0x201}, {ISS, 0x100}}},
    {"DRAM_CMD", "RAS.ADAPTIVE", INC, 0x0a, 1, LIKELY, {{PLD, 0x201}, {ISS, 0x180}}},
    {"DRAM_CMD", "CAS_RD_OPN", INC, 0x0a, 1, LIKELY, {{PLD, 0x300}}},
    {"DRAM_CMD", "CAS_WR_OPN", INC, 0x0a, 1, LIKELY, {{PLD, 0x400}}},
    {"DRAM_CMD", "CAS_WR_OPN.TRDOFF", INC, 0x0a, 1, SURE, {{PLD, 0x401}, {ISS, 0x0}}},
    {"DRAM_CMD", "CAS_WR_OPN.RDPRIO", INC, 0x0a, 1, SURE, {{PLD, 0x401}, {ISS, 0x80}}},
    {"DRAM_CMD", "CAS_WR_OPN.WRPRIO", INC, 0x0a, 1, SURE, {{PLD, 0x401}, {ISS, 0x100}}},
    {"DRAM_CMD", "CAS_WR_OPN.ADAPTIVE", INC, 0x0a, 1, LIKELY, {{PLD, 0x401}, {ISS, 0x180}}},
    {"DRAM_CMD", "CAS_RD_CLS", INC, 0x0a, 1, LIKELY, {{PLD, 0x500}}},
    {"DRAM_CMD", "CAS_RD_CLS.TRDOFF", INC, 0x0a, 1, LIKELY, {{PLD, 0x501}, {ISS, 0x0}}},
    {"DRAM_CMD", "CAS_RD_CLS.RDPRIO", INC, 0x0a, 1, LIKELY, {{PLD, 0x501}, {ISS, 0x80}}},
    {"DRAM_CMD", "CAS_RD_CLS.WRPRIO", INC, 0x0a, 1, LIKELY, {{PLD, 0x501}, {ISS, 0x100}}},
    {"DRAM_CMD", "CAS_RD_CLS.ADAPTIVE", INC, 0x0a, 1, LIKELY, {{PLD, 0x501}, {ISS, 0x180}}},
    {"DRAM_CMD", "CAS_WR_CLS", INC, 0x0a, 1, LIKELY, {{PLD, 0x600}}},
    {"DRAM_CMD", "CAS_WR_CLS.TRDOFF", INC, 0x0a, 1, LIKELY, {{PLD, 0x601}, {ISS, 0x0}}},
    {"DRAM_CMD", "CAS_WR_CLS.RDPRIO", INC, 0x0a, 1, LIKELY, {{PLD, 0x601}, {ISS, 0x80}}},
    {"DRAM_CMD", "CAS_WR_CLS.WRPRIO", INC, 0x0a, 1, LIKELY, {{PLD, 0x601}, {ISS, 0x100}}},
    {"DRAM_CMD", "CAS_WR_CLS.ADAPTIVE", INC, 0x0a, 1, LIKELY, {{PLD, 0x601}, {ISS, 0x180}}},
    {"DRAM_CMD", "MRS", INC, 0x0a, 1, LIKELY, {{PLD, 0x700}}},
    {"DRAM_CMD", "RFR", INC, 0x0a, 1, LIKELY, {{PLD, 0x900}}},
    {"DRAM_CMD", "ENSR", INC, 0x0a, 1, LIKELY, {{PLD, 0xa00}}},
    {"DRAM_CMD", "EXSR", INC, 0x0a, 1, SURE, {{PLD, 0xb00}}},
    {"DRAM_CMD", "NOP", INC, 0x0a, 1, SURE, {{PLD, 0xc00}}},
    {"DRAM_CMD", "TRKL", INC, 0x0a, 1, SURE, {{PLD, 0x1000}}},
    {"DRAM_CMD", "PRE", INC, 0x0a, 1, SURE, {{PLD, 0x1100}}},
    {"DRAM_CMD", "SYNC", INC, 0x0a, 1, SURE, {{PLD, 0x1200}}},
    {"DRAM_CMD", "CKE_HI", INC, 0x0a, 1, SURE, {{PLD, 0x1400}}},
    {"DRAM_CMD", "CKE_LO", INC, 0x0a, 1, SURE, {{PLD, 0x1500}}},
    {"DRAM_CMD", "SOFT_RST", INC, 0x0a, 1, SURE, {{PLD, 0x1700}}},
    {"DRAM_CMD", "WR_CFG", INC, 0x0a, 1, SURE, {{PLD, 0x1c00}}},
    {"DRAM_CMD", "RD_CFG", INC, 0x0a, 1, SURE, {{PLD, 0x1d00}}},
    {"DRAM_CMD", "ZQCAL", INC, 0x0a, 1, SURE, {{PLD, 0x1e00}}},
    {"DRAM_CMD", "POLL", INC, 0x0a, 1, WEAK, {{PLD, 0x1300}}},
    {"DRAM_CMD", "IBD", INC, 0x0a, 1, WEAK, {{PLD, 0x1600}}},
    {"DRAM_CMD", "NOWPE", INC, 0x0a, 1, WEAK, {{PLD, 0x1800}}},
    {"DRAM_CMD", "ALL_TRDOFF", INC, 0x0a, 1, WEAK, {{PLD, 0x0}, {ISS, 0x0}}},
    {"DRAM_CMD", "ALL_RDPRIO", INC, 0x0a, 1, WEAK, {{PLD, 0x0}, {ISS, 0x80}}},
    {"DRAM_CMD", "ALL_WRPRIO", INC, 0x0a, 1, WEAK, {{PLD, 0x0}, {ISS, 0x100}}},
    {"DRAM_CMD", "ALL_ADAPTIVE", INC, 0x0a, 1, WEAK, {{PLD, 0x0}, {ISS, 0x180}}},
    {"DRAM_CMD", "ALL", INC, 0x0a, 1, WEAK, {{PLD, 0x0}}},
    {"PGT_PAGE_EV", "OPN2CLS", INC, 0x16, 0, LIKELY, {{PGT, 0x0}}},
    {"PGT_PAGE_EV", "CLS2OPN", INC, 0x16, 0, LIKELY, {{PGT, 0x1}}},
    {"CYCLES_DSP_FILL", "RDQ_FULL", FLAG, 0x00, 1, SURE, {{DSP, 0x80}}},
    {"CYCLES_DSP_FILL", "WRQ_FULL", FLAG, 0x00, 1, SURE, {{DSP, 0x100}}},
    {"CYCLES_DSP_FILL", "RDQ_EMPTY", FLAG, 0x00, 1, SURE, {{DSP, 0x200}}},
    {"CYCLES_DSP_FILL", "WRQ_EMPTY", FLAG, 0x00, 1, SURE, {{DSP, 0x400}}},
    {"CYCLES_SCHED_MODE", "TRADEOFF", FLAG, 0x01, 1, LIKELY, {{ISS, 0x0}}},
    {"CYCLES_SCHED_MODE", "RDPRIO", FLAG, 0x01, 1, LIKELY, {{ISS, 0x10}}},
    {"CYCLES_SCHED_MODE", "WRPRIO", FLAG, 0x01, 1, LIKELY, {{ISS, 0x20}}},
    {"CYCLES_SCHED_MODE", "ADAPTIVE", FLAG, 0x01, 1, LIKELY, {{ISS, 0x30}}},
    {"CYCLES_RETRYQ_MFULL", "", FLAG, 0x03, 1, SURE, {{0}}},
    {"CYCLES_RETRYQ_STARVED", "", FLAG, 0x04, 1, SURE, {{0}}},
    {"CYCLES_PGT_STATE", "CLOSED", FLAG, 0x05, 1, LIKELY, {{PGT, 0x0}}},
    {"CYCLES_PGT_STATE", "OPEN", FLAG, 0x05, 1, LIKELY, {{PGT, 0x40}}},
    {"BCMD_SCHEDQ_OCCUPANCY", "READS", FLAG, 0x06, 1, SURE, {{MAP, 0x0}}},
    {"BCMD_SCHEDQ_OCCUPANCY", "WRITES", FLAG, 0x06, 1, SURE, {{MAP, 0x20}}},
    {"BCMD_SCHEDQ_OCCUPANCY", "MERGE", FLAG, 0x06, 1, SURE, {{MAP, 0x40}}},
    {"BCMD_SCHEDQ_OCCUPANCY", "V2F", FLAG, 0x06, 1, SURE, {{MAP, 0x60}}},
    {"BCMD_SCHEDQ_OCCUPANCY", "V2V", FLAG, 0x06, 1, SURE, {{MAP, 0x80}}},
    {"BCMD_SCHEDQ_OCCUPANCY", "F2V", FLAG, 0x06, 1, SURE, {{MAP, 0xa0}}},
    {"BCMD_SCHEDQ_OCCUPANCY", "F2B", FLAG, 0x06, 1, LIKELY, {{MAP, 0xc0}}},
    {"BCMD_SCHEDQ_OCCUPANCY", "SPR_WR", FLAG, 0x06, 1, LIKELY, {{MAP, 0xe0}}},
    {"BCMD_SCHEDQ_OCCUPANCY", "ALL", FLAG, 0x06, 1, LIKELY, {{MAP, 0x100}}},
};

static struct event_row row(size_t i)
{
    return (struct event_row){
        .event = rows[i].event,
        .umask = rows[i].umask,
        .max = rows[i].max,
        .sure = rows[i].sure,
        .counters = 0x3f,
    };
}

/* Enable 0, wrap mode 6. A memory command is counted at any address: the address filter (MM_CFG) is
 * off. */
static size_t registers(size_t i, unsigned unit, struct msr expected[MOST_MSRS])
{
    uint64_t chosen = rows[i].how == FLAG ? 1 << 7 | rows[i].code << 19 : rows[i].code << 9;
    size_t n = 0;
    expected[n++] = (struct msr){unit ? 0xcf0 : 0xcb0, chosen | 0x41};
    for (size_t k = 0; k < 2; k++)
        if (rows[i].shared[k].address)
            expected[n++] =
                (struct msr){rows[i].shared[k].address + 0x40 * unit, rows[i].shared[k].value};
    if (strcmp(rows[i].event, "DRAM_CMD") == 0)
        expected[n++] = (struct msr){unit ? 0xe5c : 0xe54, 0};
    return n;
}

static struct event_list mbox = {
    .pmu = "nhmex_unc_mbox",
    .columns = MAX | CONFIDENCE | COUNTERS | NEEDS_UMASK,
    .row = row,
    .n = sizeof rows / sizeof *rows,
    .listed = 143,
    .other = "FVC",
    .units = 2,
    .registers = registers,
};

/* Modifiers: index and latency, a filter by address, wrapping off. */
static void modifiers(void **state)
{
    (void)state;
    struct msr stops = {0xcb0, 0x1b << 9 | 1};
    facts_check_registers(&stops, 1, "nhmex_unc_mbox0::CYCLES:wrap=0");
    struct msr down[] = {{0xcb0, 0x1b << 9 | 1 << 6 | 1 << 2 | 1}};
    facts_check_registers(down, 1, "nhmex_unc_mbox0::CYCLES:mode=down");
    struct msr index[] = {{0xcb0, 0x0b << 9 | 0x41}, {PLD, 1 << 7 | 9 << 1}};
    facts_check_registers(index, 2, "nhmex_unc_mbox0::PLD_RETRY_EV:FVID:pld_fvid=9");
    struct msr followed[] = {{0xcb0, 6 << 19 | 1 << 7 | 0x41}, {MAP, 1 << 5 | 9}};
    facts_check_registers(followed, 2, "nhmex_unc_mbox0::BCMD_SCHEDQ_OCCUPANCY:WRITES:fvid=9");
    struct msr there[] = {{0xcf0, 0x0a << 9 | 0x41},
                          {PLD + 0x40, 2 << 8},
                          {0xe5c, UINT64_C(1) << 63},
                          {0xe5d, 0x1234},
                          {0xe5e, 0x7ffffff}};
    facts_check_registers(there, 5, "nhmex_unc_mbox1::DRAM_CMD:RAS:addr=0x1234");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        LIST_TEST(every_row, mbox),
        LIST_TEST(final_registers, mbox),
        cmocka_unit_test(modifiers),
        LIST_TEST(no_other_names, mbox),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

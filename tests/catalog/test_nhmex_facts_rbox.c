/* The 122 rows of the R-Box's event list (323535-001 section 2.6 and LIKWID), and the registers of
 * each at every port and in both of its equal sub-registers. */
#include "../cmocked.h"

#include "event/event.h"
#include "facts.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

static const struct bx_catalog *c;
static uint16_t pmu;

/* Event, unit mask, and the contents of the sub-register: the whole of IPERF, or one half of
 * QLX. */
static const struct row {
    const char *event, *umask;
    uint32_t value;
    uint16_t max;
    unsigned sure;
} iperf[] =
    {
        {"NEW_PACKETS_RECV", "VN0_NCB", 0x01, 0, LIKELY},
        {"NEW_PACKETS_RECV", "VN0_NCS", 0x02, 0, LIKELY},
        {"NEW_PACKETS_RECV", "VN0_DRS", 0x04, 0, LIKELY},
        {"NEW_PACKETS_RECV", "VN0_NDR", 0x08, 0, LIKELY},
        {"NEW_PACKETS_RECV", "VN0_SNP", 0x10, 0, LIKELY},
        {"NEW_PACKETS_RECV", "VN0_HOM", 0x20, 0, LIKELY},
        {"NEW_PACKETS_RECV", "VN0_ALL", 0x3f, 0, SURE},
        {"NEW_PACKETS_RECV", "VN1_NCB", 0x41, 0, SURE},
        {"NEW_PACKETS_RECV", "VN1_NCS", 0x42, 0, SURE},
        {"NEW_PACKETS_RECV", "VN1_DRS", 0x44, 0, SURE},
        {"NEW_PACKETS_RECV", "VN1_NDR", 0x48, 0, SURE},
        {"NEW_PACKETS_RECV", "VN1_SNP", 0x50, 0, LIKELY},
        {"NEW_PACKETS_RECV", "VN1_HOM", 0x60, 0, LIKELY},
        {"NEW_PACKETS_RECV", "VN1_ALL", 0x7f, 0, SURE},
        {"NEW_PACKETS_RECV", "VNA_NCB", 0x81, 0, SURE},
        {"NEW_PACKETS_RECV", "VNA_NCS", 0x82, 0, LIKELY},
        {"NEW_PACKETS_RECV", "VNA_DRS", 0x84, 0, LIKELY},
        {"NEW_PACKETS_RECV", "VNA_NDR", 0x88, 0, LIKELY},
        {"NEW_PACKETS_RECV", "VNA_SNP", 0x90, 0, LIKELY},
        {"NEW_PACKETS_RECV", "VNA_HOM", 0xa0, 0, LIKELY},
        {"NEW_PACKETS_RECV", "VNA_ALL", 0xbf, 0, LIKELY},
        {"NEW_PACKETS_RECV", "ANY_NCB", 0xc1, 0, LIKELY},
        {"NEW_PACKETS_RECV", "ANY_NCS", 0xc2, 0, LIKELY},
        {"NEW_PACKETS_RECV", "ANY_DRS", 0xc4, 0, SURE},
        {"NEW_PACKETS_RECV", "ANY_NDR", 0xc8, 0, LIKELY},
        {"NEW_PACKETS_RECV", "ANY_SNP", 0xd0, 0, LIKELY},
        {"NEW_PACKETS_RECV", "ANY_HOM", 0xe0, 0, LIKELY},
        {"NEW_PACKETS_RECV", "ANY_ALL", 0xff, 0, LIKELY},
        {"INQUE_READ_WIN", "", 0x100, 1, SURE},
        {"ALLOC_TO_ARB", "NCB", 0x200, 1, SURE},
        {"ALLOC_TO_ARB", "NCS", 0x400, 1, SURE},
        {"ALLOC_TO_ARB", "DRS_VN01", 0x800, 1, SURE},
        {"ALLOC_TO_ARB", "NDR", 0x1000, 1, SURE},
        {"ALLOC_TO_ARB", "SNP", 0x2000, 1, SURE},
        {"ALLOC_TO_ARB", "HOM_VN0", 0x4000, 1, SURE},
        {"ALLOC_TO_ARB", "HOM_VN1", 0x8000, 1, SURE},
        {"ALLOC_TO_ARB", "ALL", 0xfe00, 1, SURE},
        {"EOT_NE_CYCLES", "", 0x10000, 1, SURE},
        {"EOT_OCCUPANCY", "HOM_VN0", 0x20000, 1, LIKELY},
        {"EOT_OCCUPANCY", "HOM_VN1", 0x40000, 1, LIKELY},
        {"EOT_OCCUPANCY", "NDR", 0x60000, 1, LIKELY},
        {"EOT_OCCUPANCY", "DRS_VN0", 0x80000, 1, LIKELY},
        {"EOT_OCCUPANCY", "SNP", 0xa0000, 1, LIKELY},
        {"EOT_OCCUPANCY", "NCB", 0xc0000, 1, LIKELY},
        {"EOT_OCCUPANCY", "NCS", 0xe0000, 1, LIKELY},
        {"EOT_OCCUPANCY", "DRS_VN1", 0x100000, 1, LIKELY},
        {"EOT_INSERTS", "HOM_VN0", 0x220000, 1, LIKELY},
        {"EOT_INSERTS", "HOM_VN1", 0x240000, 1, LIKELY},
        {"EOT_INSERTS", "NDR", 0x260000, 1, LIKELY},
        {"EOT_INSERTS", "DRS_VN0", 0x280000, 1, LIKELY},
        {"EOT_INSERTS", "SNP", 0x2a0000, 1, LIKELY},
        {"EOT_INSERTS", "NCB", 0x2c0000, 1, LIKELY},
        {"EOT_INSERTS", "NCS", 0x2e0000, 1, LIKELY},
        {"EOT_INSERTS", "DRS_VN1", 0x300000, 1, LIKELY},
        {"FLITS_RECV_ERR", "", 0x1000000, 1, SURE},
        {"FLITS_RECV_SPEC", "", 0x2000000, 1, SURE},
        {"OUTPUTQ_NE", "", 0x4000000, 1, SURE},
        {"OUTPUTQ_OVFL", "", 0x8000000, 0, SURE},
        {"RETRYQ_NE", "", 0x10000000, 0, LIKELY},
        {"RETRYQ_OV", "", 0x20000000, 0, LIKELY},
        {"NULL_IDLE", "", 0x40000000, 0, SURE},
        {"FLITS_SENT", "", 0x80000000, 1, SURE},
},
  qlx[] = {
      {"QUE_ARB_BID", "HOM", 0x00, 0, SURE},
      {"QUE_ARB_BID", "SNP", 0x10, 0, SURE},
      {"QUE_ARB_BID", "NDR", 0x20, 0, SURE},
      {"QUE_ARB_BID", "NCS", 0x30, 0, SURE},
      {"QUE_ARB_BID", "DRS", 0x40, 0, SURE},
      {"QUE_ARB_BID", "NCB", 0x50, 0, SURE},
      {"QUE_ARB_BID_FAIL", "HOM", 0x03, 1, SURE},
      {"QUE_ARB_BID_FAIL", "SNP", 0x13, 1, SURE},
      {"QUE_ARB_BID_FAIL", "NDR", 0x23, 1, SURE},
      {"QUE_ARB_BID_FAIL", "NCS", 0x33, 1, SURE},
      {"QUE_ARB_BID_FAIL", "DRS", 0x43, 1, SURE},
      {"QUE_ARB_BID_FAIL", "NCB", 0x53, 1, SURE},
      {"LOCAL_ARB_BID", "", 0x01, 0, SURE},
      {"GLOBAL_ARB_BID", "", 0x02, 1, SURE},
      {"LOCAL_ARB_BID_FAIL", "", 0x04, 1, SURE},
      {"GLOBAL_ARB_BID_FAIL", "VN0_HOM", 0x05, 0, SURE},
      {"GLOBAL_ARB_BID_FAIL", "VN0_SNP", 0x15, 0, SURE},
      {"GLOBAL_ARB_BID_FAIL", "VN0_NDR", 0x25, 0, SURE},
      {"GLOBAL_ARB_BID_FAIL", "VN0_NCS", 0x35, 0, SURE},
      {"GLOBAL_ARB_BID_FAIL", "VN0_DRS", 0x45, 0, SURE},
      {"GLOBAL_ARB_BID_FAIL", "VN0_NCB", 0x55, 0, SURE},
      {"GLOBAL_ARB_BID_FAIL", "VN1_HOM", 0x85, 0, SURE},
      {"GLOBAL_ARB_BID_FAIL", "VN1_SNP", 0x95, 0, SURE},
      {"GLOBAL_ARB_BID_FAIL", "VN1_NDR", 0xa5, 0, SURE},
      {"GLOBAL_ARB_BID_FAIL", "VN1_NCS", 0xb5, 0, SURE},
      {"GLOBAL_ARB_BID_FAIL", "VN1_DRS", 0xc5, 0, SURE},
      {"GLOBAL_ARB_BID_FAIL", "VN1_NCB", 0xd5, 0, SURE},
      {"TARGET_AVAILABLE", "VN0_HOM", 0x09, 0, SURE},
      {"TARGET_AVAILABLE", "VN0_SNP", 0x19, 0, SURE},
      {"TARGET_AVAILABLE", "VN0_NDR", 0x29, 0, SURE},
      {"TARGET_AVAILABLE", "VN0_NCS", 0x39, 0, SURE},
      {"TARGET_AVAILABLE", "VN0_DRS", 0x49, 0, SURE},
      {"TARGET_AVAILABLE", "VN0_NCB", 0x59, 0, SURE},
      {"TARGET_AVAILABLE", "VN0_VSM", 0x69, 0, SURE},
      {"TARGET_AVAILABLE", "VN0_VLG", 0x79, 0, SURE},
      {"TARGET_AVAILABLE", "VN1_HOM", 0x89, 0, SURE},
      {"TARGET_AVAILABLE", "VN1_SNP", 0x99, 0, SURE},
      {"TARGET_AVAILABLE", "VN1_NDR", 0xa9, 0, SURE},
      {"TARGET_AVAILABLE", "VN1_NCS", 0xb9, 0, SURE},
      {"TARGET_AVAILABLE", "VN1_DRS", 0xc9, 0, SURE},
      {"TARGET_AVAILABLE", "VN1_NCB", 0xd9, 0, SURE},
      {"TARGET_AVAILABLE", "VN1_VSM", 0xe9, 0, SURE},
      {"TARGET_AVAILABLE", "VN1_VLG", 0xf9, 0, SURE},
      {"STARVING", "", 0x0a, 0, SURE},
      {"QUE_ARB_HOME_ORDER_KILL", "", 0x06, 0, WEAK},
      {"LOCAL_ARB_HOME_ORDER_KILL", "", 0x07, 0, WEAK},
      {"GLOBAL_ARB_HOME_ORDER_KILL", "", 0x08, 0, WEAK},
};

/* Packets: match and mask registers (table 2-53). MM_CFG of the first set has its trigger on and
 * compares the first flit. */
static const struct pattern {
    const char *umask;
    uint64_t match, mask;
    unsigned sure;
} patterns[] = {
    {"DRS.AnyDataC", 0x1c00, 0x1f80, LIKELY},
    {"DRS.DataC_M", 0x8000000001c00, 0xf000000001fe0, SURE},
    {"DRS.WbIData", 0x1c80, 0x1fe0, SURE},
    {"DRS.WbSData", 0x1ca0, 0x1fe0, SURE},
    {"DRS.WbEData", 0x1cc0, 0x1fe0, LIKELY},
    {"DRS.AnyResp", 0x1c00, 0x1e00, LIKELY},
    {"DRS.AnyResp9flits", 0x1c00, 0x1f00, LIKELY},
    {"DRS.AnyResp11flits", 0x1d00, 0x1f00, LIKELY},
    {"NCB.AnyMsg", 0x1800, 0x1e00, WEAK},
    {"NCB.AnyMsg9flits", 0x1800, 0x1f00, WEAK},
    {"NCB.AnyMsg11flits", 0x1900, 0x1f00, WEAK},
    {"NCB.AnyInt", 0x1900, 0x1f80, WEAK},
    {"", 0x0, 0x0, SURE},
};

/* The packet tables: class at 12:9, opcode at 8:5 of the match register. */
static const struct opcode {
    const char *umask;
    uint8_t mc, opc;
} opcodes[] = {
    {"HOM0.RdCur", 0, 0},
    {"HOM0.RdCode", 0, 1},
    {"HOM0.RdData", 0, 2},
    {"HOM0.NonSnpRd", 0, 3},
    {"HOM0.RdInvOwn", 0, 4},
    {"HOM0.InvXtoI", 0, 5},
    {"HOM0.EvctCln", 0, 6},
    {"HOM0.NonSnpWr", 0, 7},
    {"HOM0.InvItoE", 0, 8},
    {"HOM0.AckCnfltWbI", 0, 9},
    {"HOM0.WbMtoI", 0, 12},
    {"HOM0.WbMtoE", 0, 13},
    {"HOM0.WbMtoS", 0, 14},
    {"HOM0.AckCnflt", 0, 15},
    {"HOM1.RspI", 1, 0},
    {"HOM1.RspS", 1, 1},
    {"HOM1.RspCnflt", 1, 4},
    {"HOM1.RspCnfltOwn", 1, 6},
    {"HOM1.RspFwd", 1, 8},
    {"HOM1.RspFwdI", 1, 9},
    {"HOM1.RspFwdS", 1, 10},
    {"HOM1.RspFwdIWb", 1, 11},
    {"HOM1.RspFwdSWb", 1, 12},
    {"HOM1.RspIWb", 1, 13},
    {"HOM1.RspSWb", 1, 14},
    {"SNP.SnpCur", 3, 0},
    {"SNP.SnpCode", 3, 1},
    {"SNP.SnpData", 3, 2},
    {"SNP.SnpInvOwn", 3, 4},
    {"SNP.SnpInvXtoI", 3, 5},
    {"SNP.SnpInvItoE", 3, 8},
    {"SNP.PrefetchHint", 3, 15},
    {"DRS.DataC", 14, 0},
    {"DRS.DataC_FrcAckCnflt", 14, 1},
    {"DRS.DataC_Cmp", 14, 2},
    {"DRS.DataNc", 14, 3},
    {"DRS.WbIData", 14, 4},
    {"DRS.WbSData", 14, 5},
    {"DRS.WbEData", 14, 6},
    {"DRS.NonSnpWrData", 14, 7},
    {"DRS.WbIDataPtl", 14, 8},
    {"DRS.WbEDataPtl", 14, 10},
    {"DRS.NonSnpWrDataPtl", 14, 11},
    {"NDR.Gnt_Cmp", 2, 0},
    {"NDR.Gnt_FrcAckCnflt", 2, 1},
    {"NDR.CmpD", 2, 4},
    {"NDR.AbortTO", 2, 5},
    {"NCB.NcWr", 12, 0},
    {"NCB.WcWr", 12, 1},
    {"NCB.NcMsgB", 12, 8},
    {"NCB.NcWrPtl", 12, 12},
    {"NCB.NcP2PB", 12, 14},
    {"NCB.DebugData", 12, 15},
    {"NCS.NcRd", 4, 0},
    {"NCS.IntAck", 4, 1},
    {"NCS.FERR", 4, 3},
    {"NCS.NcRdPtl", 4, 4},
    {"NCS.NcCfgRd", 4, 5},
    {"NCS.NcIORd", 4, 7},
    {"NCS.NcIOWr", 4, 11},
    {"NCS.NcMsgS", 4, 12},
    {"NCS.NcP2PS", 4, 13},
};

enum {
    IPERF = sizeof iperf / sizeof *iperf,
    QLX = sizeof qlx / sizeof *qlx,
    PATTERNS = sizeof patterns / sizeof *patterns,
    OPCODES = sizeof opcodes / sizeof *opcodes,
};

/* From p94: a count of EOT_OCCUPANCY wraps after seven bits. */
static struct event_row row(size_t i)
{
    const struct row *of = i < IPERF ? &iperf[i] : &qlx[i - IPERF];
    return (struct event_row){
        .event = of->event,
        .umask = of->umask,
        .value = of->value,
        .max = of->max,
        .sure = of->sure,
        .counters = 0xff,
        .scale = strcmp(of->event, "EOT_OCCUPANCY") == 0 ? 128 : 1,
    };
}

static struct event_list rbox = {
    .pmu = "nhmex_unc_rbox",
    .columns = TOGETHER | MAX | CONFIDENCE | COUNTERS | SCALE | NEEDS_UMASK,
    .row = row,
    .n = IPERF + QLX,
    .listed = 109,
    .other = "XBAR_MATCH",
};

static void every_pattern(void **state)
{
    (void)state;
    const bx_cat_event *event = facts_event(c, pmu, "XBAR_MATCH");
    assert_int_equal(PATTERNS, 13);
    for (size_t i = 0; i < PATTERNS; i++) {
        const bx_cat_umask *umask = facts_umask(c, event, patterns[i].umask);
        if (umask)
            FACTS_SAME("XBAR_MATCH", patterns[i].umask,
                       {"confidence", umask->confidence, patterns[i].sure});
    }
    assert_int_equal(event->max, 1);
}

/* The sub-registers of a port, 0 to 7, and its two equal ones, 0 and 1. */
static uint32_t address_of(const char *slot, unsigned port, unsigned choice)
{
    if (strcmp(slot, "iperf") == 0)
        return (choice ? 0xe24 : 0xe04) + port;
    if (strcmp(slot, "qlx") == 0)
        return port < 4 ? 0xe0c + port : 0xe2c + port - 4;
    return 0xe60 + 0x10 * choice + 4 * port + (port < 4 ? 0 : 0x10);
}

/* Checks the event on each port, in each of the equal sub-registers: its control (of the lowest
 * counter of the half) and the sub-registers. `at`: the first of the port's six selections that is
 * of this kind. */
static void check(const char *event, const char *umask, const char *slot, unsigned at,
                  const uint64_t *value, size_t n)
{
    for (unsigned port = 0; port < 8; port++)
        for (unsigned choice = 0; choice < 2; choice++) {
            char text[128];
            snprintf(text, sizeof text, "nhmex_unc_rbox::%s%s%s:port=%u", event, *umask ? ":" : "",
                     umask, port);
            bx_evsel evsel = facts_evsel(text);
            uint16_t place;
            assert_int_equal(bx_event_places(c, &evsel, port % 4, &place), 2);
            bx_regvalue is[BX_EXTRAS + 2];
            assert_int_equal(bx_event_registers_at(c, &evsel, bx_pmu_counter(c, pmu, 0),
                                                   (uint16_t)(place + choice), is),
                             n + 1);
            unsigned half = port / 4;
            for (size_t i = 0; i <= n; i++) {
                bool shifted = i && strcmp(slot, "qlx") == 0 && choice;
                uint32_t address =
                    i ? address_of(slot, port, choice) + (uint32_t)i - 1 : 0xe10 + 0x20 * half;
                uint64_t expected =
                    i ? value[i - 1] << (shifted ? 8 : 0) : (6 * (port % 4) + at + choice) << 1 | 1;
                if (bx_cat_addrs(c)[bx_cat_regs(c)[is[i].reg].first_addr + half] != address ||
                    is[i].value != expected)
                    fail_msg("%s, choice %u: 0x%" PRIx64 " where 0x%x is to get 0x%" PRIx64, text,
                             choice, is[i].value, address, expected);
            }
        }
}

static void at_each_port(void **state)
{
    (void)state;
    for (size_t i = 0; i < IPERF; i++)
        check(iperf[i].event, iperf[i].umask, "iperf", 0, &(uint64_t){iperf[i].value}, 1);
    for (size_t i = 0; i < QLX; i++)
        check(qlx[i].event, qlx[i].umask, "qlx", 2, &(uint64_t){qlx[i].value}, 1);
}

static void packets(void **state)
{
    (void)state;
    for (size_t i = 0; i < PATTERNS; i++)
        check("XBAR_MATCH", patterns[i].umask, "xbr", 4,
              (uint64_t[]){0x00210000, patterns[i].match, patterns[i].mask}, 3);
    for (size_t i = 0; i < OPCODES; i++)
        check("XBAR_MATCH", opcodes[i].umask, "xbr", 4,
              (uint64_t[]){0x00210000, (uint64_t)opcodes[i].mc << 9 | (uint64_t)opcodes[i].opc << 5,
                           0x1fe0},
              3);
    const bx_cat_event *event = facts_event(c, pmu, "XBAR_MATCH");
    assert_int_equal(event->umasks.n, PATTERNS - 1 + OPCODES -
                                          3); /* three of them are predefined patterns as well */
}

/* The other fields of a pattern, and names of values. */
static void patterns_in_parts(void **state)
{
    (void)state;
    static const struct {
        const char *pattern;
        uint64_t cfg, match, mask;
    } all[] = {
        {"mc=DRS:opc=WbIData", 0x210000, 0x1c80, 0x1fe0},
        {"opc=WbIData", 0x210000, 0x1c80, 0x1fe0},
        {"mc=NCB", 0x210000, 0x1800, 0x1e00},
        {"rds=M", 0x210000, UINT64_C(8) << 48, UINT64_C(0xf) << 48},
        {"rnid=5", 0x210000, UINT64_C(5) << 31, UINT64_C(31) << 31},
        {"dnid=5:dnid_mask=7", 0x210000, 5 << 13, 7 << 13},
        {"vnw=VNA:vnw_mask=2", 0x210000, 2 << 3, 2 << 3},
        {"flit=0", 0x200000, 0, 0},
        {"any_flit=1", 0x310000, 0, 0},
        {"high=0xa5", 0x21a5ff, 0, 0},
    };
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        check("XBAR_MATCH", all[i].pattern, "xbr", 4,
              (uint64_t[]){all[i].cfg, all[i].match, all[i].mask}, 3);
}

int main(void)
{
    c = bx_catalog_builtin();
    pmu = facts_pmu(c, "nhmex_unc_rbox");
    const struct CMUnitTest tests[] = {
        LIST_TEST(every_row, rbox),      LIST_TEST(no_other_names, rbox),
        cmocka_unit_test(every_pattern), cmocka_unit_test(at_each_port),
        cmocka_unit_test(packets),       cmocka_unit_test(patterns_in_parts),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

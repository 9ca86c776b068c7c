/* The fields of the Xeon 7500's registers: 267 rows typed from the tables of each section of
 * 323535-001, and from Linux, LIKWID and PCM where its text is cut. */
#include "../cmocked.h"

#include "facts.h"

#include "base/bits.h"

#include <stdio.h>
#include <string.h>

static const struct bx_catalog *c;

enum kind {
    RW = BX_FIELD_RW,
    RO = BX_FIELD_RO,
    WO = BX_FIELD_WO,
    IGNORED = BX_FIELD_IGNORED,
    RESERVED, /* no field: writing 1 faults */
};

/* Register (one of each kind), field ("" where the tables have `ig` and `rsv`), bits. Four rows of
 * two registers lie beyond the 32 bits that the list of registers gives them. Some kinds differ
 * from the tables: bits that only act are WO instead of RW. Summaries of other boxes and the
 * R-Box's status are RO, as in the list of registers. */
static const struct row {
    const char *reg, *field;
    uint8_t hi, lo;
    enum kind kind;
} rows[] = {
    {"U_MSR_PMON_GLOBAL_CTL", "FRZ_ALL", 31, 31, RW},
    {"U_MSR_PMON_GLOBAL_CTL", "", 30, 30, IGNORED},
    {"U_MSR_PMON_GLOBAL_CTL", "RST_ALL", 29, 29, RW},
    {"U_MSR_PMON_GLOBAL_CTL", "EN_ALL", 28, 28, RW},
    {"U_MSR_PMON_GLOBAL_CTL", "", 27, 9, IGNORED},
    {"U_MSR_PMON_GLOBAL_CTL", "PMI_CORE_SEL", 8, 1, RW},
    {"U_MSR_PMON_GLOBAL_CTL", "EN", 0, 0, RW},
    {"U_MSR_PMON_GLOBAL_STATUS", "COND", 31, 31, RW},
    {"U_MSR_PMON_GLOBAL_STATUS", "PMI", 30, 30, RW},
    {"U_MSR_PMON_GLOBAL_STATUS", "", 29, 4, IGNORED},
    {"U_MSR_PMON_GLOBAL_STATUS", "OV_S0", 3, 3, RO},
    {"U_MSR_PMON_GLOBAL_STATUS", "OV_S1", 2, 2, RO},
    {"U_MSR_PMON_GLOBAL_STATUS", "OV_W", 1, 1, RO},
    {"U_MSR_PMON_GLOBAL_STATUS", "OV_U", 0, 0, RW},
    {"U_MSR_PMON_GLOBAL_OVF_CTL", "CLR_COND", 31, 31, WO},
    {"U_MSR_PMON_GLOBAL_OVF_CTL", "CLR_PMI", 30, 30, WO},
    {"U_MSR_PMON_GLOBAL_OVF_CTL", "", 29, 4, IGNORED},
    {"U_MSR_PMON_GLOBAL_OVF_CTL", "CLR_OV_S0", 3, 3, WO},
    {"U_MSR_PMON_GLOBAL_OVF_CTL", "CLR_OV_S1", 2, 2, WO},
    {"U_MSR_PMON_GLOBAL_OVF_CTL", "CLR_OV_W", 1, 1, WO},
    {"U_MSR_PMON_GLOBAL_OVF_CTL", "CLR_OV_U", 0, 0, WO},
    {"U_MSR_PMON_EV_SEL", "", 63, 63, IGNORED},
    {"U_MSR_PMON_EV_SEL", "", 62, 62, RESERVED},
    {"U_MSR_PMON_EV_SEL", "", 61, 23, IGNORED},
    {"U_MSR_PMON_EV_SEL", "EN", 22, 22, RW},
    {"U_MSR_PMON_EV_SEL", "", 21, 21, IGNORED},
    {"U_MSR_PMON_EV_SEL", "PMI_EN", 20, 20, RW},
    {"U_MSR_PMON_EV_SEL", "", 19, 19, IGNORED},
    {"U_MSR_PMON_EV_SEL", "EDGE_DETECT", 18, 18, RW},
    {"U_MSR_PMON_EV_SEL", "", 17, 8, IGNORED},
    {"U_MSR_PMON_EV_SEL", "EV_SEL", 7, 0, RW},
    {"U_MSR_PMON_CTR", "EVENT_COUNT", 47, 0, RW},
    {"CB{unit}_CR_C_MSR_PMON_CTR_0", "EVENT_COUNT", 47, 0, RW},
    {"BB{unit}_CR_B_MSR_PERF_CNT0_REG", "EVENT_COUNT", 47, 0, RW},
    {"SR{unit}_CR_S_MSR_PMON_CTR0", "EVENT_COUNT", 47, 0, RW},
    {"R_MSR_PMON_CTR{0+8u}", "EVENT_COUNT", 47, 0, RW},
    {"MB{unit}_CR_M_MSR_PMU_CNT_0", "EVENT_COUNT", 47, 0, RW},
    {"W_MSR_PMON_CTR_0", "EVENT_COUNT", 47, 0, RW},
    {"W_MSR_PMON_FIXED_CTR", "EVENT_COUNT", 47, 0, RW},
    {"CB{unit}_CR_C_MSR_PMON_GLOBAL_CTL", "CTR_EN", 5, 0, RW},
    {"BB{unit}_CR_B_MSR_PMON_GLOBAL_CTL", "CTR_EN", 3, 0, RW},
    {"SR{unit}_CR_S_MSR_PMON_GLOBAL_CTL", "CTR_EN", 3, 0, RW},
    {"R_MSR_PMON_GLOBAL_CTL_{7+8u}_{0+8u}", "CTR_EN", 7, 0, RW},
    {"MB{unit}_CR_M_MSR_PERF_GLOBAL_CTL", "CTR_EN", 5, 0, RW},
    {"CB{unit}_CR_C_MSR_PMON_GLOBAL_STATUS", "OV", 5, 0, RW},
    {"BB{unit}_CR_B_MSR_PMON_GLOBAL_STATUS", "OV", 3, 0, RW},
    {"SR{unit}_CR_S_MSR_PMON_GLOBAL_STATUS", "OV", 3, 0, RW},
    {"R_MSR_PMON_GLOBAL_STATUS_{7+8u}_{0+8u}", "OV", 7, 0, RO},
    {"MB{unit}_CR_M_MSR_PERF_GLOBAL_STATUS", "OV", 5, 0, RW},
    {"CB{unit}_CR_C_MSR_PMON_GLOBAL_OVF_CTL", "CLR_OV", 5, 0, WO},
    {"BB{unit}_CR_B_MSR_PMON_GLOBAL_OVF_CTL", "CLR_OV", 3, 0, WO},
    {"SR{unit}_CR_S_MSR_PMON_OVF_CTL", "CLR_OV", 3, 0, WO},
    {"R_MSR_PMON_OVF_CTL_{7+8u}_{0+8u}", "CLR_OV", 7, 0, WO},
    {"MB{unit}_CR_M_MSR_PERF_GLOBAL_OVF_CTL", "CLR_OV", 5, 0, WO},
    {"W_MSR_PMON_GLOBAL_CTL", "FIXED_EN", 31, 31, RW},
    {"W_MSR_PMON_GLOBAL_CTL", "", 30, 4, IGNORED},
    {"W_MSR_PMON_GLOBAL_CTL", "CTR_EN", 3, 0, RW},
    {"W_MSR_PMON_GLOBAL_STATUS", "OV_FIXED", 31, 31, RW},
    {"W_MSR_PMON_GLOBAL_STATUS", "", 30, 4, IGNORED},
    {"W_MSR_PMON_GLOBAL_STATUS", "OV", 3, 0, RW},
    {"W_MSR_PMON_GLOBAL_OVF_CTL", "CLR_OV_FIXED", 31, 31, WO},
    {"W_MSR_PMON_GLOBAL_OVF_CTL", "", 30, 4, IGNORED},
    {"W_MSR_PMON_GLOBAL_OVF_CTL", "CLR_OV", 3, 0, WO},
    {"SR{unit}_CR_S_MSR_PMON_SUMMARY", "", 63, 20, IGNORED},
    {"SR{unit}_CR_S_MSR_PMON_SUMMARY", "OV_R", 19, 19, RO},
    {"SR{unit}_CR_S_MSR_PMON_SUMMARY", "OV_S", 18, 18, RO},
    {"SR{unit}_CR_S_MSR_PMON_SUMMARY", "", 17, 17, IGNORED},
    {"SR{unit}_CR_S_MSR_PMON_SUMMARY", "OV_MB", 16, 16, RO},
    {"SR{unit}_CR_S_MSR_PMON_SUMMARY", "", 15, 3, IGNORED},
    {"SR{unit}_CR_S_MSR_PMON_SUMMARY", "OV_C_L", 2, 2, RO},
    {"SR{unit}_CR_S_MSR_PMON_SUMMARY", "", 1, 1, IGNORED},
    {"SR{unit}_CR_S_MSR_PMON_SUMMARY", "OV_C_R", 0, 0, RO},
    {"CB{unit}_CR_C_MSR_PMON_EVT_SEL_0", "", 63, 63, IGNORED},
    {"CB{unit}_CR_C_MSR_PMON_EVT_SEL_0", "", 62, 61, RESERVED},
    {"CB{unit}_CR_C_MSR_PMON_EVT_SEL_0", "", 60, 51, IGNORED},
    {"CB{unit}_CR_C_MSR_PMON_EVT_SEL_0", "", 50, 50, RESERVED},
    {"CB{unit}_CR_C_MSR_PMON_EVT_SEL_0", "", 49, 32, IGNORED},
    {"CB{unit}_CR_C_MSR_PMON_EVT_SEL_0", "THRESHOLD", 31, 24, RW},
    {"CB{unit}_CR_C_MSR_PMON_EVT_SEL_0", "INVERT", 23, 23, RW},
    {"CB{unit}_CR_C_MSR_PMON_EVT_SEL_0", "EN", 22, 22, RW},
    {"CB{unit}_CR_C_MSR_PMON_EVT_SEL_0", "", 21, 21, IGNORED},
    {"CB{unit}_CR_C_MSR_PMON_EVT_SEL_0", "PMI_EN", 20, 20, RW},
    {"CB{unit}_CR_C_MSR_PMON_EVT_SEL_0", "", 19, 19, IGNORED},
    {"CB{unit}_CR_C_MSR_PMON_EVT_SEL_0", "EDGE_DETECT", 18, 18, RW},
    {"CB{unit}_CR_C_MSR_PMON_EVT_SEL_0", "", 17, 16, IGNORED},
    {"CB{unit}_CR_C_MSR_PMON_EVT_SEL_0", "UMASK", 15, 8, RW},
    {"CB{unit}_CR_C_MSR_PMON_EVT_SEL_0", "EV_SEL", 7, 0, RW},
    {"SR{unit}_CR_S_MSR_PMON_CTL0", "", 63, 63, IGNORED},
    {"SR{unit}_CR_S_MSR_PMON_CTL0", "", 62, 61, RESERVED},
    {"SR{unit}_CR_S_MSR_PMON_CTL0", "", 60, 51, IGNORED},
    {"SR{unit}_CR_S_MSR_PMON_CTL0", "", 50, 50, RESERVED},
    {"SR{unit}_CR_S_MSR_PMON_CTL0", "", 49, 32, IGNORED},
    {"SR{unit}_CR_S_MSR_PMON_CTL0", "THRESHOLD", 31, 24, RW},
    {"SR{unit}_CR_S_MSR_PMON_CTL0", "INVERT", 23, 23, RW},
    {"SR{unit}_CR_S_MSR_PMON_CTL0", "EN", 22, 22, RW},
    {"SR{unit}_CR_S_MSR_PMON_CTL0", "", 21, 21, IGNORED},
    {"SR{unit}_CR_S_MSR_PMON_CTL0", "PMI_EN", 20, 20, RW},
    {"SR{unit}_CR_S_MSR_PMON_CTL0", "", 19, 19, IGNORED},
    {"SR{unit}_CR_S_MSR_PMON_CTL0", "EDGE_DETECT", 18, 18, RW},
    {"SR{unit}_CR_S_MSR_PMON_CTL0", "RESET_OCC_CNT", 17, 17, WO},
    {"SR{unit}_CR_S_MSR_PMON_CTL0", "", 16, 16, IGNORED},
    {"SR{unit}_CR_S_MSR_PMON_CTL0", "UMASK", 15, 8, RW},
    {"SR{unit}_CR_S_MSR_PMON_CTL0", "EV_SEL", 7, 0, RW},
    {"W_MSR_PMON_EVT_SEL_0", "", 63, 63, IGNORED},
    {"W_MSR_PMON_EVT_SEL_0", "", 62, 61, RESERVED},
    {"W_MSR_PMON_EVT_SEL_0", "", 60, 51, IGNORED},
    {"W_MSR_PMON_EVT_SEL_0", "", 50, 50, RESERVED},
    {"W_MSR_PMON_EVT_SEL_0", "", 49, 32, IGNORED},
    {"W_MSR_PMON_EVT_SEL_0", "THRESHOLD", 31, 24, RW},
    {"W_MSR_PMON_EVT_SEL_0", "INVERT", 23, 23, RW},
    {"W_MSR_PMON_EVT_SEL_0", "EN", 22, 22, RW},
    {"W_MSR_PMON_EVT_SEL_0", "", 21, 21, IGNORED},
    {"W_MSR_PMON_EVT_SEL_0", "PMI_EN", 20, 20, RW},
    {"W_MSR_PMON_EVT_SEL_0", "", 19, 19, IGNORED},
    {"W_MSR_PMON_EVT_SEL_0", "EDGE_DETECT", 18, 18, RW},
    {"W_MSR_PMON_EVT_SEL_0", "", 17, 16, IGNORED},
    {"W_MSR_PMON_EVT_SEL_0", "UMASK", 15, 8, RW},
    {"W_MSR_PMON_EVT_SEL_0", "EV_SEL", 7, 0, RW},
    {"W_MSR_PMON_FIXED_CTR_CTL", "EN", 0, 0, RW},
    {"W_MSR_PMON_FIXED_CTR_CTL", "PMI_EN", 1, 1, RW},
    {"BB{unit}_CR_B_MSR_PERF_CTL0_REG", "", 63, 63, IGNORED},
    {"BB{unit}_CR_B_MSR_PERF_CTL0_REG", "", 62, 61, RESERVED},
    {"BB{unit}_CR_B_MSR_PERF_CTL0_REG", "", 60, 51, IGNORED},
    {"BB{unit}_CR_B_MSR_PERF_CTL0_REG", "", 50, 50, RESERVED},
    {"BB{unit}_CR_B_MSR_PERF_CTL0_REG", "", 49, 21, IGNORED},
    {"BB{unit}_CR_B_MSR_PERF_CTL0_REG", "PMI_EN", 20, 20, RW},
    {"BB{unit}_CR_B_MSR_PERF_CTL0_REG", "", 19, 6, IGNORED},
    {"BB{unit}_CR_B_MSR_PERF_CTL0_REG", "EV_SEL", 5, 1, RW},
    {"BB{unit}_CR_B_MSR_PERF_CTL0_REG", "EN", 0, 0, RW},
    {"BB{unit}_CR_B_MSR_MATCH_REG", "", 63, 60, IGNORED},
    {"BB{unit}_CR_B_MSR_MATCH_REG", "OPC_OUT", 59, 56, RW},
    {"BB{unit}_CR_B_MSR_MATCH_REG", "OPC_IN", 55, 52, RW},
    {"BB{unit}_CR_B_MSR_MATCH_REG", "MSG_OUT", 51, 48, RW},
    {"BB{unit}_CR_B_MSR_MATCH_REG", "MSG_IN", 47, 44, RW},
    {"BB{unit}_CR_B_MSR_MATCH_REG", "ADDR", 43, 0, RW},
    {"BB{unit}_CR_B_MSR_MASK_REG", "", 63, 60, IGNORED},
    {"BB{unit}_CR_B_MSR_MASK_REG", "OPC_OUT", 59, 56, RW},
    {"BB{unit}_CR_B_MSR_MASK_REG", "OPC_IN", 55, 52, RW},
    {"BB{unit}_CR_B_MSR_MASK_REG", "MSG_OUT", 51, 48, RW},
    {"BB{unit}_CR_B_MSR_MASK_REG", "MSG_IN", 47, 44, RW},
    {"BB{unit}_CR_B_MSR_MASK_REG", "ADDR", 43, 0, RW},
    {"SR{unit}_CR_S_MSR_MM_CFG", "MM_EN", 63, 63, RW},
    {"SR{unit}_CR_S_MSR_MM_CFG", "", 62, 0, IGNORED},
    {"SR{unit}_CR_S_MSR_MATCH", "RESP", 63, 59, RW},
    {"SR{unit}_CR_S_MSR_MATCH", "OPC", 58, 48, RW},
    {"SR{unit}_CR_S_MSR_MATCH", "MC", 47, 43, RW},
    {"SR{unit}_CR_S_MSR_MATCH", "ADDR", 42, 5, RW},
    {"SR{unit}_CR_S_MSR_MATCH", "HNID", 4, 0, RW},
    {"SR{unit}_CR_S_MSR_MASK", "", 63, 39, IGNORED},
    {"SR{unit}_CR_S_MSR_MASK", "ADDR", 38, 1, RW},
    {"SR{unit}_CR_S_MSR_MASK", "HNID", 0, 0, RW},
    {"R_MSR_PMON_CTL{0+8u}", "", 63, 63, IGNORED},
    {"R_MSR_PMON_CTL{0+8u}", "", 62, 61, RESERVED},
    {"R_MSR_PMON_CTL{0+8u}", "", 60, 7, IGNORED},
    {"R_MSR_PMON_CTL{0+8u}", "PMI_EN", 6, 6, RW},
    {"R_MSR_PMON_CTL{0+8u}", "EV_SEL", 5, 1, RW},
    {"R_MSR_PMON_CTL{0+8u}", "EN", 0, 0, RW},
    {"R_MSR_PORT{0+4u}_IPERF_CFG0", "FLT_SENT", 31, 31, RW},
    {"R_MSR_PORT{0+4u}_IPERF_CFG0", "NULL_IDLE", 30, 30, RW},
    {"R_MSR_PORT{0+4u}_IPERF_CFG0", "RETRYQ_OV", 29, 29, RW},
    {"R_MSR_PORT{0+4u}_IPERF_CFG0", "RETRYQ_NE", 28, 28, RW},
    {"R_MSR_PORT{0+4u}_IPERF_CFG0", "OUTQ_OV", 27, 27, RW},
    {"R_MSR_PORT{0+4u}_IPERF_CFG0", "OUTQ_NE", 26, 26, RW},
    {"R_MSR_PORT{0+4u}_IPERF_CFG0", "RCVD_SPEC_FLT", 25, 25, RW},
    {"R_MSR_PORT{0+4u}_IPERF_CFG0", "RCVD_ERR_FLT", 24, 24, RW},
    {"R_MSR_PORT{0+4u}_IPERF_CFG0", "", 23, 22, IGNORED},
    {"R_MSR_PORT{0+4u}_IPERF_CFG0", "MC_ROLL_ALLOC", 21, 21, RW},
    {"R_MSR_PORT{0+4u}_IPERF_CFG0", "MC", 20, 17, RW},
    {"R_MSR_PORT{0+4u}_IPERF_CFG0", "EOT_NE", 16, 16, RW},
    {"R_MSR_PORT{0+4u}_IPERF_CFG0", "ARB_ALLOC", 15, 9, RW},
    {"R_MSR_PORT{0+4u}_IPERF_CFG0", "IQA_READ_WIN", 8, 8, RW},
    {"R_MSR_PORT{0+4u}_IPERF_CFG0", "NEW_PVN", 7, 6, RW},
    {"R_MSR_PORT{0+4u}_IPERF_CFG0", "NEW_PC", 5, 0, RW},
    {"R_MSR_PORT{0+4u}_QLX_CFG", "", 31, 16, IGNORED},
    {"R_MSR_PORT{0+4u}_QLX_CFG", "EV1_SUB", 15, 15, RW},
    {"R_MSR_PORT{0+4u}_QLX_CFG", "EV1_CLS", 14, 12, RW},
    {"R_MSR_PORT{0+4u}_QLX_CFG", "EV1_TYPE", 11, 8, RW},
    {"R_MSR_PORT{0+4u}_QLX_CFG", "EV0_SUB", 7, 7, RW},
    {"R_MSR_PORT{0+4u}_QLX_CFG", "EV0_CLS", 6, 4, RW},
    {"R_MSR_PORT{0+4u}_QLX_CFG", "EV0_TYPE", 3, 0, RW},
    {"R_MSR_PORT{0+4u}_XBR_SET1_MM_CFG", "DIS", 63, 63, RW},
    {"R_MSR_PORT{0+4u}_XBR_SET1_MM_CFG", "", 62, 22, IGNORED},
    {"R_MSR_PORT{0+4u}_XBR_SET1_MM_CFG", "MM_TRIG_EN", 21, 21, RW},
    {"R_MSR_PORT{0+4u}_XBR_SET1_MM_CFG", "IG_FLT_CNT", 20, 20, RW},
    {"R_MSR_PORT{0+4u}_XBR_SET1_MM_CFG", "MATCH_FLT_CNT", 19, 16, RW},
    {"R_MSR_PORT{0+4u}_XBR_SET1_MM_CFG", "MATCH_71_64", 15, 8, RW},
    {"R_MSR_PORT{0+4u}_XBR_SET1_MM_CFG", "MASK_71_64", 7, 0, RW},
    {"R_MSR_PORT{0+4u}_XBR_SET1_MATCH", "", 63, 52, RESERVED},
    {"R_MSR_PORT{0+4u}_XBR_SET1_MATCH", "RDS", 51, 48, RW},
    {"R_MSR_PORT{0+4u}_XBR_SET1_MATCH", "", 47, 36, RESERVED},
    {"R_MSR_PORT{0+4u}_XBR_SET1_MATCH", "RNID", 35, 31, RW},
    {"R_MSR_PORT{0+4u}_XBR_SET1_MATCH", "", 30, 18, RESERVED},
    {"R_MSR_PORT{0+4u}_XBR_SET1_MATCH", "DNID", 17, 13, RW},
    {"R_MSR_PORT{0+4u}_XBR_SET1_MATCH", "MC", 12, 9, RW},
    {"R_MSR_PORT{0+4u}_XBR_SET1_MATCH", "OPC", 8, 5, RW},
    {"R_MSR_PORT{0+4u}_XBR_SET1_MATCH", "VNW", 4, 3, RW},
    {"R_MSR_PORT{0+4u}_XBR_SET1_MATCH", "", 2, 0, RESERVED},
    {"R_MSR_PORT{0+4u}_XBR_SET1_MASK", "", 63, 52, RESERVED},
    {"R_MSR_PORT{0+4u}_XBR_SET1_MASK", "RDS", 51, 48, RW},
    {"R_MSR_PORT{0+4u}_XBR_SET1_MASK", "", 47, 36, RESERVED},
    {"R_MSR_PORT{0+4u}_XBR_SET1_MASK", "RNID", 35, 31, RW},
    {"R_MSR_PORT{0+4u}_XBR_SET1_MASK", "", 30, 18, RESERVED},
    {"R_MSR_PORT{0+4u}_XBR_SET1_MASK", "DNID", 17, 13, RW},
    {"R_MSR_PORT{0+4u}_XBR_SET1_MASK", "MC", 12, 9, RW},
    {"R_MSR_PORT{0+4u}_XBR_SET1_MASK", "OPC", 8, 5, RW},
    {"R_MSR_PORT{0+4u}_XBR_SET1_MASK", "VNW", 4, 3, RW},
    {"R_MSR_PORT{0+4u}_XBR_SET1_MASK", "", 2, 0, RESERVED},
    {"MB{unit}_CR_M_MSR_PMU_CNT_CTL_0", "", 63, 63, IGNORED},
    {"MB{unit}_CR_M_MSR_PMU_CNT_CTL_0", "", 62, 61, RESERVED},
    {"MB{unit}_CR_M_MSR_PMU_CNT_CTL_0", "", 60, 25, IGNORED},
    {"MB{unit}_CR_M_MSR_PMU_CNT_CTL_0", "", 24, 22, RESERVED},
    {"MB{unit}_CR_M_MSR_PMU_CNT_CTL_0", "SET_FLAG_SEL", 21, 19, RW},
    {"MB{unit}_CR_M_MSR_PMU_CNT_CTL_0", "", 18, 14, RESERVED},
    {"MB{unit}_CR_M_MSR_PMU_CNT_CTL_0", "INC_SEL", 13, 9, RW},
    {"MB{unit}_CR_M_MSR_PMU_CNT_CTL_0", "", 8, 8, RESERVED},
    {"MB{unit}_CR_M_MSR_PMU_CNT_CTL_0", "FLAG_MODE", 7, 7, RW},
    {"MB{unit}_CR_M_MSR_PMU_CNT_CTL_0", "WRAP_MODE", 6, 6, RW},
    {"MB{unit}_CR_M_MSR_PMU_CNT_CTL_0", "STORAGE_MODE", 5, 4, RW},
    {"MB{unit}_CR_M_MSR_PMU_CNT_CTL_0", "COUNT_MODE", 3, 2, RW},
    {"MB{unit}_CR_M_MSR_PMU_CNT_CTL_0", "PMI_EN", 1, 1, RW},
    {"MB{unit}_CR_M_MSR_PMU_CNT_CTL_0", "EN", 0, 0, RW},
    {"MB{unit}_CR_M_MSR_PMU_TIMESTAMP", "TIMESTAMP", 15, 0, RW},
    {"MB{unit}_CR_M_MSR_PMU_MM_CFG", "MM_EN", 63, 63, RW},
    {"MB{unit}_CR_M_MSR_PMU_MM_CFG", "", 62, 0, IGNORED},
    {"MB{unit}_CR_M_MSR_PMU_ADDR_MATCH", "ADDR_MATCH", 33, 0, RW},
    {"MB{unit}_CR_M_MSR_PMU_ADDR_MASK", "ADDR_MASK", 26, 0, RW},
    {"MB{unit}_CR_M_MSR_PMU_DSP", "", 31, 11, IGNORED},
    {"MB{unit}_CR_M_MSR_PMU_DSP", "DSP_FILL", 10, 7, RW},
    {"MB{unit}_CR_M_MSR_PMU_DSP", "LAT_CNT_EN", 6, 6, RW},
    {"MB{unit}_CR_M_MSR_PMU_DSP", "FVID", 5, 0, RW},
    {"MB{unit}_CR_M_MSR_PMU_ISS", "", 31, 10, IGNORED},
    {"MB{unit}_CR_M_MSR_PMU_ISS", "SCHED_MODE_PLD_TRIG", 9, 7, RW},
    {"MB{unit}_CR_M_MSR_PMU_ISS", "SCHED_MODE", 6, 4, RW},
    {"MB{unit}_CR_M_MSR_PMU_ISS", "FRM_TYPE", 3, 0, RW},
    {"MB{unit}_CR_M_MSR_PMU_MAP", "", 31, 10, IGNORED},
    {"MB{unit}_CR_M_MSR_PMU_MAP", "SEL_MAP_EV3", 9, 9, RW},
    {"MB{unit}_CR_M_MSR_PMU_MAP", "ANYCMD", 8, 8, RW},
    {"MB{unit}_CR_M_MSR_PMU_MAP", "CMD", 7, 5, RW},
    {"MB{unit}_CR_M_MSR_PMU_MAP", "FVID", 4, 0, RW},
    {"MB{unit}_CR_M_MSR_PMU_MSC_THR", "", 31, 11, IGNORED},
    {"MB{unit}_CR_M_MSR_PMU_MSC_THR", "TRP_PT_DN_CND", 10, 9, RW},
    {"MB{unit}_CR_M_MSR_PMU_MSC_THR", "TRP_PT_UP_CND", 8, 7, RW},
    {"MB{unit}_CR_M_MSR_PMU_MSC_THR", "DIMM_TRP_PT", 6, 4, RW},
    {"MB{unit}_CR_M_MSR_PMU_MSC_THR", "ALL_DIMMS", 3, 3, RW},
    {"MB{unit}_CR_M_MSR_PMU_MSC_THR", "UNKNOWN_2_0", 2, 0, RW},
    {"MB{unit}_CR_M_MSR_PMU_PGT", "", 31, 12, IGNORED},
    {"MB{unit}_CR_M_MSR_PMU_PGT", "EMPTY_OR_CLSPG", 11, 11, RW},
    {"MB{unit}_CR_M_MSR_PMU_PGT", "TRIG_SEL", 10, 9, RW},
    {"MB{unit}_CR_M_MSR_PMU_PGT", "TRANS_CMD_CNT", 8, 7, RW},
    {"MB{unit}_CR_M_MSR_PMU_PGT", "OPNCLS_TIME", 6, 6, RW},
    {"MB{unit}_CR_M_MSR_PMU_PGT", "TR_CMD", 5, 1, RW},
    {"MB{unit}_CR_M_MSR_PMU_PGT", "OPN2CLS_CNT", 0, 0, RW},
    {"MB{unit}_CR_M_MSR_PMU_PLD", "", 31, 14, IGNORED},
    {"MB{unit}_CR_M_MSR_PMU_PLD", "DEP_ADDR_MATCH", 13, 13, RW},
    {"MB{unit}_CR_M_MSR_PMU_PLD", "DRAM_CMD", 12, 8, RW},
    {"MB{unit}_CR_M_MSR_PMU_PLD", "DEP_FVID", 7, 7, RW},
    {"MB{unit}_CR_M_MSR_PMU_PLD", "FVID", 6, 1, RW},
    {"MB{unit}_CR_M_MSR_PMU_PLD", "DEP_SCHED_MODE", 0, 0, RW},
    {"MB{unit}_CR_M_MSR_PMU_ZDP_CTL_FVC", "", 31, 24, IGNORED},
    {"MB{unit}_CR_M_MSR_PMU_ZDP_CTL_FVC", "PBOX_INIT_ERR", 23, 23, RW},
    {"MB{unit}_CR_M_MSR_PMU_ZDP_CTL_FVC", "EVNT4", 22, 20, RW},
    {"MB{unit}_CR_M_MSR_PMU_ZDP_CTL_FVC", "EVNT3", 19, 17, RW},
    {"MB{unit}_CR_M_MSR_PMU_ZDP_CTL_FVC", "EVNT2", 16, 14, RW},
    {"MB{unit}_CR_M_MSR_PMU_ZDP_CTL_FVC", "EVNT1", 13, 11, RW},
    {"MB{unit}_CR_M_MSR_PMU_ZDP_CTL_FVC", "RESP", 10, 8, RW},
    {"MB{unit}_CR_M_MSR_PMU_ZDP_CTL_FVC", "BCMD", 7, 5, RW},
    {"MB{unit}_CR_M_MSR_PMU_ZDP_CTL_FVC", "FVID", 4, 0, RW},
};
enum { ROWS = sizeof rows / sizeof *rows };

static const bx_cat_reg *find(const char *name)
{
    return facts_reg("nhmex", name, NULL);
}

/* Bits of the register that are of this kind. */
static uint64_t of_kind(const bx_cat_reg *reg, enum kind kind)
{
    return kind == RESERVED ? ~facts_bits(reg, ALL_KINDS) : facts_bits(reg, 1U << kind);
}

/* A field of several equal bits, such as the enables of counters, is one field for each of them. */
static bool in_parts(uint16_t reg, const struct row *row)
{
    for (unsigned bit = row->lo; bit <= row->hi; bit++) {
        char name[32];
        snprintf(name, sizeof name, "%s%u", row->field, bit - row->lo);
        uint16_t f = bx_cat_find_field(c, reg, bx_str_of(name));
        if (f == BX_NONE || bx_cat_fields(c)[f].lo != bit || bx_cat_fields(c)[f].hi != bit)
            return false;
    }
    return true;
}

static void every_field(void **state)
{
    (void)state;
    assert_int_equal(ROWS, 267);
    for (size_t i = 0; i < ROWS; i++) {
        const struct row *row = &rows[i];
        const bx_cat_reg *reg = find(row->reg);
        uint64_t bits = bx_mask_bits(row->lo, row->hi) & bx_mask_width(reg->width);
        if (bits & ~of_kind(reg, row->kind))
            fail_msg("%s %u:%u is of another kind", row->reg, row->hi, row->lo);
        if (!*row->field)
            continue;
        uint16_t r = (uint16_t)(reg - bx_cat_regs(c));
        uint16_t f = bx_cat_find_field(c, r, bx_str_of(row->field));
        bool whole =
            f != BX_NONE && bx_cat_fields(c)[f].lo == row->lo && bx_cat_fields(c)[f].hi == row->hi;
        if (!whole && !in_parts(r, row))
            fail_msg("%s has no field %s at %u:%u", row->reg, row->field, row->hi, row->lo);
    }
}

/* Bits without a row are reserved. */
static void nothing_else(void **state)
{
    (void)state;
    for (size_t i = 0; i < ROWS; i++) {
        const bx_cat_reg *reg = find(rows[i].reg);
        uint64_t covered = 0;
        for (size_t k = 0; k < ROWS; k++)
            if (strcmp(rows[k].reg, rows[i].reg) == 0 && rows[k].kind != RESERVED)
                covered |= bx_mask_bits(rows[k].lo, rows[k].hi);
        if (~of_kind(reg, RESERVED) != (covered & bx_mask_width(reg->width)))
            fail_msg("%s has bits that no table tells of", rows[i].reg);
    }
}

/* Registers of one kind have equal fields. */
static void equal_registers(void **state)
{
    (void)state;
    static const char *const pairs[][2] = {
        {"CB{unit}_CR_C_MSR_PMON_EVT_SEL_0", "CB{unit}_CR_C_MSR_PMON_EVT_SEL_5"},
        {"CB{unit}_CR_C_MSR_PMON_CTR_0", "CB{unit}_CR_C_MSR_PMON_CTR_5"},
        {"BB{unit}_CR_B_MSR_PERF_CTL0_REG", "BB{unit}_CR_B_MSR_PERF_CTL3_REG"},
        {"SR{unit}_CR_S_MSR_PMON_CTL0", "SR{unit}_CR_S_MSR_PMON_CTL3"},
        {"R_MSR_PMON_CTL{0+8u}", "R_MSR_PMON_CTL{7+8u}"},
        {"R_MSR_PORT{0+4u}_IPERF_CFG0", "R_MSR_PORT{3+4u}_IPERF_CFG1"},
        {"R_MSR_PORT{0+4u}_QLX_CFG", "R_MSR_PORT{3+4u}_QLX_CFG"},
        {"R_MSR_PORT{0+4u}_XBR_SET1_MM_CFG", "R_MSR_PORT{3+4u}_XBR_SET2_MM_CFG"},
        {"R_MSR_PORT{0+4u}_XBR_SET1_MATCH", "R_MSR_PORT{3+4u}_XBR_SET2_MATCH"},
        {"R_MSR_PORT{0+4u}_XBR_SET1_MASK", "R_MSR_PORT{3+4u}_XBR_SET2_MASK"},
        {"MB{unit}_CR_M_MSR_PMU_CNT_CTL_0", "MB{unit}_CR_M_MSR_PMU_CNT_CTL_5"},
        {"W_MSR_PMON_EVT_SEL_0", "W_MSR_PMON_EVT_SEL_3"},
    };
    for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++)
        assert_int_equal(find(pairs[i][0])->fields.first, find(pairs[i][1])->fields.first);
}

int main(void)
{
    c = bx_catalog_builtin();
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_field),
        cmocka_unit_test(nothing_else),
        cmocka_unit_test(equal_registers),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

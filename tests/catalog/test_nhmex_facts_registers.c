/* The 356 registers of the Xeon 7500's uncore (323535-001 p10/11 and the lists of each section,
 * Linux arch/x86/events/intel/uncore_nhmex.c, LIKWID src/includes/registers.h), typed from there.
 */
#include "../cmocked.h"

#include "facts.h"

#include <string.h>

static const struct bx_catalog *c;

/* Name, address, width in bits, and what software may do: RW, RO, WO, or ANY where none says. */
enum access { ANY, RW, RO, WO };
static const struct {
    const char *name;
    uint16_t address;
    uint8_t width;
    enum access access;
} msrs[] = {
    {"U_MSR_PMON_GLOBAL_CTL", 0xc00, 32, ANY},
    {"U_MSR_PMON_GLOBAL_STATUS", 0xc01, 32, ANY},
    {"U_MSR_PMON_GLOBAL_OVF_CTL", 0xc02, 32, RW},
    {"U_MSR_PMON_EV_SEL", 0xc10, 32, RW},
    {"U_MSR_PMON_CTR", 0xc11, 64, RW},
    {"CB0_CR_C_MSR_PMON_GLOBAL_CTL", 0xd00, 32, RW},
    {"CB0_CR_C_MSR_PMON_GLOBAL_STATUS", 0xd01, 32, RW},
    {"CB0_CR_C_MSR_PMON_GLOBAL_OVF_CTL", 0xd02, 32, WO},
    {"CB0_CR_C_MSR_PMON_EVT_SEL_0", 0xd10, 64, RW},
    {"CB0_CR_C_MSR_PMON_CTR_0", 0xd11, 64, RW},
    {"CB0_CR_C_MSR_PMON_EVT_SEL_1", 0xd12, 64, RW},
    {"CB0_CR_C_MSR_PMON_CTR_1", 0xd13, 64, RW},
    {"CB0_CR_C_MSR_PMON_EVT_SEL_2", 0xd14, 64, RW},
    {"CB0_CR_C_MSR_PMON_CTR_2", 0xd15, 64, RW},
    {"CB0_CR_C_MSR_PMON_EVT_SEL_3", 0xd16, 64, RW},
    {"CB0_CR_C_MSR_PMON_CTR_3", 0xd17, 64, RW},
    {"CB0_CR_C_MSR_PMON_EVT_SEL_4", 0xd18, 64, RW},
    {"CB0_CR_C_MSR_PMON_CTR_4", 0xd19, 64, RW},
    {"CB0_CR_C_MSR_PMON_EVT_SEL_5", 0xd1a, 64, RW},
    {"CB0_CR_C_MSR_PMON_CTR_5", 0xd1b, 64, RW},
    {"CB1_CR_C_MSR_PMON_GLOBAL_CTL", 0xd80, 32, RW},
    {"CB1_CR_C_MSR_PMON_GLOBAL_STATUS", 0xd81, 32, RW},
    {"CB1_CR_C_MSR_PMON_GLOBAL_OVF_CTL", 0xd82, 32, WO},
    {"CB1_CR_C_MSR_PMON_EVT_SEL_0", 0xd90, 64, RW},
    {"CB1_CR_C_MSR_PMON_CTR_0", 0xd91, 64, RW},
    {"CB1_CR_C_MSR_PMON_EVT_SEL_1", 0xd92, 64, RW},
    {"CB1_CR_C_MSR_PMON_CTR_1", 0xd93, 64, RW},
    {"CB1_CR_C_MSR_PMON_EVT_SEL_2", 0xd94, 64, RW},
    {"CB1_CR_C_MSR_PMON_CTR_2", 0xd95, 64, RW},
    {"CB1_CR_C_MSR_PMON_EVT_SEL_3", 0xd96, 64, RW},
    {"CB1_CR_C_MSR_PMON_CTR_3", 0xd97, 64, RW},
    {"CB1_CR_C_MSR_PMON_EVT_SEL_4", 0xd98, 64, RW},
    {"CB1_CR_C_MSR_PMON_CTR_4", 0xd99, 64, RW},
    {"CB1_CR_C_MSR_PMON_EVT_SEL_5", 0xd9a, 64, RW},
    {"CB1_CR_C_MSR_PMON_CTR_5", 0xd9b, 64, RW},
    {"CB2_CR_C_MSR_PMON_GLOBAL_CTL", 0xd40, 32, RW},
    {"CB2_CR_C_MSR_PMON_GLOBAL_STATUS", 0xd41, 32, RW},
    {"CB2_CR_C_MSR_PMON_GLOBAL_OVF_CTL", 0xd42, 32, WO},
    {"CB2_CR_C_MSR_PMON_EVT_SEL_0", 0xd50, 64, RW},
    {"CB2_CR_C_MSR_PMON_CTR_0", 0xd51, 64, RW},
    {"CB2_CR_C_MSR_PMON_EVT_SEL_1", 0xd52, 64, RW},
    {"CB2_CR_C_MSR_PMON_CTR_1", 0xd53, 64, RW},
    {"CB2_CR_C_MSR_PMON_EVT_SEL_2", 0xd54, 64, RW},
    {"CB2_CR_C_MSR_PMON_CTR_2", 0xd55, 64, RW},
    {"CB2_CR_C_MSR_PMON_EVT_SEL_3", 0xd56, 64, RW},
    {"CB2_CR_C_MSR_PMON_CTR_3", 0xd57, 64, RW},
    {"CB2_CR_C_MSR_PMON_EVT_SEL_4", 0xd58, 64, RW},
    {"CB2_CR_C_MSR_PMON_CTR_4", 0xd59, 64, RW},
    {"CB2_CR_C_MSR_PMON_EVT_SEL_5", 0xd5a, 64, RW},
    {"CB2_CR_C_MSR_PMON_CTR_5", 0xd5b, 64, RW},
    {"CB3_CR_C_MSR_PMON_GLOBAL_CTL", 0xdc0, 32, RW},
    {"CB3_CR_C_MSR_PMON_GLOBAL_STATUS", 0xdc1, 32, RW},
    {"CB3_CR_C_MSR_PMON_GLOBAL_OVF_CTL", 0xdc2, 32, WO},
    {"CB3_CR_C_MSR_PMON_EVT_SEL_0", 0xdd0, 64, RW},
    {"CB3_CR_C_MSR_PMON_CTR_0", 0xdd1, 64, RW},
    {"CB3_CR_C_MSR_PMON_EVT_SEL_1", 0xdd2, 64, RW},
    {"CB3_CR_C_MSR_PMON_CTR_1", 0xdd3, 64, RW},
    {"CB3_CR_C_MSR_PMON_EVT_SEL_2", 0xdd4, 64, RW},
    {"CB3_CR_C_MSR_PMON_CTR_2", 0xdd5, 64, RW},
    {"CB3_CR_C_MSR_PMON_EVT_SEL_3", 0xdd6, 64, RW},
    {"CB3_CR_C_MSR_PMON_CTR_3", 0xdd7, 64, RW},
    {"CB3_CR_C_MSR_PMON_EVT_SEL_4", 0xdd8, 64, RW},
    {"CB3_CR_C_MSR_PMON_CTR_4", 0xdd9, 64, RW},
    {"CB3_CR_C_MSR_PMON_EVT_SEL_5", 0xdda, 64, RW},
    {"CB3_CR_C_MSR_PMON_CTR_5", 0xddb, 64, RW},
    {"CB4_CR_C_MSR_PMON_GLOBAL_CTL", 0xd20, 32, RW},
    {"CB4_CR_C_MSR_PMON_GLOBAL_STATUS", 0xd21, 32, RW},
    {"CB4_CR_C_MSR_PMON_GLOBAL_OVF_CTL", 0xd22, 32, WO},
    {"CB4_CR_C_MSR_PMON_EVT_SEL_0", 0xd30, 64, RW},
    {"CB4_CR_C_MSR_PMON_CTR_0", 0xd31, 64, RW},
    {"CB4_CR_C_MSR_PMON_EVT_SEL_1", 0xd32, 64, RW},
    {"CB4_CR_C_MSR_PMON_CTR_1", 0xd33, 64, RW},
    {"CB4_CR_C_MSR_PMON_EVT_SEL_2", 0xd34, 64, RW},
    {"CB4_CR_C_MSR_PMON_CTR_2", 0xd35, 64, RW},
    {"CB4_CR_C_MSR_PMON_EVT_SEL_3", 0xd36, 64, RW},
    {"CB4_CR_C_MSR_PMON_CTR_3", 0xd37, 64, RW},
    {"CB4_CR_C_MSR_PMON_EVT_SEL_4", 0xd38, 64, RW},
    {"CB4_CR_C_MSR_PMON_CTR_4", 0xd39, 64, RW},
    {"CB4_CR_C_MSR_PMON_EVT_SEL_5", 0xd3a, 64, RW},
    {"CB4_CR_C_MSR_PMON_CTR_5", 0xd3b, 64, RW},
    {"CB5_CR_C_MSR_PMON_GLOBAL_CTL", 0xda0, 32, RW},
    {"CB5_CR_C_MSR_PMON_GLOBAL_STATUS", 0xda1, 32, RW},
    {"CB5_CR_C_MSR_PMON_GLOBAL_OVF_CTL", 0xda2, 32, WO},
    {"CB5_CR_C_MSR_PMON_EVT_SEL_0", 0xdb0, 64, RW},
    {"CB5_CR_C_MSR_PMON_CTR_0", 0xdb1, 64, RW},
    {"CB5_CR_C_MSR_PMON_EVT_SEL_1", 0xdb2, 64, RW},
    {"CB5_CR_C_MSR_PMON_CTR_1", 0xdb3, 64, RW},
    {"CB5_CR_C_MSR_PMON_EVT_SEL_2", 0xdb4, 64, RW},
    {"CB5_CR_C_MSR_PMON_CTR_2", 0xdb5, 64, RW},
    {"CB5_CR_C_MSR_PMON_EVT_SEL_3", 0xdb6, 64, RW},
    {"CB5_CR_C_MSR_PMON_CTR_3", 0xdb7, 64, RW},
    {"CB5_CR_C_MSR_PMON_EVT_SEL_4", 0xdb8, 64, RW},
    {"CB5_CR_C_MSR_PMON_CTR_4", 0xdb9, 64, RW},
    {"CB5_CR_C_MSR_PMON_EVT_SEL_5", 0xdba, 64, RW},
    {"CB5_CR_C_MSR_PMON_CTR_5", 0xdbb, 64, RW},
    {"CB6_CR_C_MSR_PMON_GLOBAL_CTL", 0xd60, 32, RW},
    {"CB6_CR_C_MSR_PMON_GLOBAL_STATUS", 0xd61, 32, RW},
    {"CB6_CR_C_MSR_PMON_GLOBAL_OVF_CTL", 0xd62, 32, WO},
    {"CB6_CR_C_MSR_PMON_EVT_SEL_0", 0xd70, 64, RW},
    {"CB6_CR_C_MSR_PMON_CTR_0", 0xd71, 64, RW},
    {"CB6_CR_C_MSR_PMON_EVT_SEL_1", 0xd72, 64, RW},
    {"CB6_CR_C_MSR_PMON_CTR_1", 0xd73, 64, RW},
    {"CB6_CR_C_MSR_PMON_EVT_SEL_2", 0xd74, 64, RW},
    {"CB6_CR_C_MSR_PMON_CTR_2", 0xd75, 64, RW},
    {"CB6_CR_C_MSR_PMON_EVT_SEL_3", 0xd76, 64, RW},
    {"CB6_CR_C_MSR_PMON_CTR_3", 0xd77, 64, RW},
    {"CB6_CR_C_MSR_PMON_EVT_SEL_4", 0xd78, 64, RW},
    {"CB6_CR_C_MSR_PMON_CTR_4", 0xd79, 64, RW},
    {"CB6_CR_C_MSR_PMON_EVT_SEL_5", 0xd7a, 64, RW},
    {"CB6_CR_C_MSR_PMON_CTR_5", 0xd7b, 64, RW},
    {"CB7_CR_C_MSR_PMON_GLOBAL_CTL", 0xde0, 32, RW},
    {"CB7_CR_C_MSR_PMON_GLOBAL_STATUS", 0xde1, 32, RW},
    {"CB7_CR_C_MSR_PMON_GLOBAL_OVF_CTL", 0xde2, 32, WO},
    {"CB7_CR_C_MSR_PMON_EVT_SEL_0", 0xdf0, 64, RW},
    {"CB7_CR_C_MSR_PMON_CTR_0", 0xdf1, 64, RW},
    {"CB7_CR_C_MSR_PMON_EVT_SEL_1", 0xdf2, 64, RW},
    {"CB7_CR_C_MSR_PMON_CTR_1", 0xdf3, 64, RW},
    {"CB7_CR_C_MSR_PMON_EVT_SEL_2", 0xdf4, 64, RW},
    {"CB7_CR_C_MSR_PMON_CTR_2", 0xdf5, 64, RW},
    {"CB7_CR_C_MSR_PMON_EVT_SEL_3", 0xdf6, 64, RW},
    {"CB7_CR_C_MSR_PMON_CTR_3", 0xdf7, 64, RW},
    {"CB7_CR_C_MSR_PMON_EVT_SEL_4", 0xdf8, 64, RW},
    {"CB7_CR_C_MSR_PMON_CTR_4", 0xdf9, 64, RW},
    {"CB7_CR_C_MSR_PMON_EVT_SEL_5", 0xdfa, 64, RW},
    {"CB7_CR_C_MSR_PMON_CTR_5", 0xdfb, 64, RW},
    {"BB0_CR_B_MSR_PMON_GLOBAL_CTL", 0xc20, 32, ANY},
    {"BB0_CR_B_MSR_PMON_GLOBAL_STATUS", 0xc21, 32, ANY},
    {"BB0_CR_B_MSR_PMON_GLOBAL_OVF_CTL", 0xc22, 32, ANY},
    {"BB0_CR_B_MSR_PERF_CTL0_REG", 0xc30, 64, RW},
    {"BB0_CR_B_MSR_PERF_CNT0_REG", 0xc31, 64, RW},
    {"BB0_CR_B_MSR_PERF_CTL1_REG", 0xc32, 64, RW},
    {"BB0_CR_B_MSR_PERF_CNT1_REG", 0xc33, 64, RW},
    {"BB0_CR_B_MSR_PERF_CTL2_REG", 0xc34, 64, RW},
    {"BB0_CR_B_MSR_PERF_CNT2_REG", 0xc35, 64, RW},
    {"BB0_CR_B_MSR_PERF_CTL3_REG", 0xc36, 64, RW},
    {"BB0_CR_B_MSR_PERF_CNT3_REG", 0xc37, 64, RW},
    {"BB0_CR_B_MSR_MATCH_REG", 0xe45, 64, ANY},
    {"BB0_CR_B_MSR_MASK_REG", 0xe46, 64, ANY},
    {"BB1_CR_B_MSR_PMON_GLOBAL_CTL", 0xc60, 32, ANY},
    {"BB1_CR_B_MSR_PMON_GLOBAL_STATUS", 0xc61, 32, ANY},
    {"BB1_CR_B_MSR_PMON_GLOBAL_OVF_CTL", 0xc62, 32, ANY},
    {"BB1_CR_B_MSR_PERF_CTL0_REG", 0xc70, 64, RW},
    {"BB1_CR_B_MSR_PERF_CNT0_REG", 0xc71, 64, RW},
    {"BB1_CR_B_MSR_PERF_CTL1_REG", 0xc72, 64, RW},
    {"BB1_CR_B_MSR_PERF_CNT1_REG", 0xc73, 64, RW},
    {"BB1_CR_B_MSR_PERF_CTL2_REG", 0xc74, 64, RW},
    {"BB1_CR_B_MSR_PERF_CNT2_REG", 0xc75, 64, RW},
    {"BB1_CR_B_MSR_PERF_CTL3_REG", 0xc76, 64, RW},
    {"BB1_CR_B_MSR_PERF_CNT3_REG", 0xc77, 64, RW},
    {"BB1_CR_B_MSR_MATCH_REG", 0xe4d, 64, ANY},
    {"BB1_CR_B_MSR_MASK_REG", 0xe4e, 64, ANY},
    {"SR0_CR_S_MSR_PMON_GLOBAL_CTL", 0xc40, 32, RW},
    {"SR0_CR_S_MSR_PMON_GLOBAL_STATUS", 0xc41, 32, RW},
    {"SR0_CR_S_MSR_PMON_OVF_CTL", 0xc42, 32, WO},
    {"SR0_CR_S_MSR_PMON_SUMMARY", 0xc43, 32, RO},
    {"SR0_CR_S_MSR_PMON_CTL0", 0xc50, 64, RW},
    {"SR0_CR_S_MSR_PMON_CTR0", 0xc51, 64, RW},
    {"SR0_CR_S_MSR_PMON_CTL1", 0xc52, 64, RW},
    {"SR0_CR_S_MSR_PMON_CTR1", 0xc53, 64, RW},
    {"SR0_CR_S_MSR_PMON_CTL2", 0xc54, 64, RW},
    {"SR0_CR_S_MSR_PMON_CTR2", 0xc55, 64, RW},
    {"SR0_CR_S_MSR_PMON_CTL3", 0xc56, 64, RW},
    {"SR0_CR_S_MSR_PMON_CTR3", 0xc57, 64, RW},
    {"SR0_CR_S_MSR_MM_CFG", 0xe48, 64, ANY},
    {"SR0_CR_S_MSR_MATCH", 0xe49, 64, ANY},
    {"SR0_CR_S_MSR_MASK", 0xe4a, 64, ANY},
    {"SR1_CR_S_MSR_PMON_GLOBAL_CTL", 0xcc0, 32, RW},
    {"SR1_CR_S_MSR_PMON_GLOBAL_STATUS", 0xcc1, 32, RW},
    {"SR1_CR_S_MSR_PMON_OVF_CTL", 0xcc2, 32, WO},
    {"SR1_CR_S_MSR_PMON_SUMMARY", 0xcc3, 32, RO},
    {"SR1_CR_S_MSR_PMON_CTL0", 0xcd0, 64, RW},
    {"SR1_CR_S_MSR_PMON_CTR0", 0xcd1, 64, RW},
    {"SR1_CR_S_MSR_PMON_CTL1", 0xcd2, 64, RW},
    {"SR1_CR_S_MSR_PMON_CTR1", 0xcd3, 64, RW},
    {"SR1_CR_S_MSR_PMON_CTL2", 0xcd4, 64, RW},
    {"SR1_CR_S_MSR_PMON_CTR2", 0xcd5, 64, RW},
    {"SR1_CR_S_MSR_PMON_CTL3", 0xcd6, 64, RW},
    {"SR1_CR_S_MSR_PMON_CTR3", 0xcd7, 64, RW},
    {"SR1_CR_S_MSR_MM_CFG", 0xe58, 64, ANY},
    {"SR1_CR_S_MSR_MATCH", 0xe59, 64, ANY},
    {"SR1_CR_S_MSR_MASK", 0xe5a, 64, ANY},
    {"R_MSR_PMON_GLOBAL_CTL_7_0", 0xe00, 32, ANY},
    {"R_MSR_PMON_GLOBAL_STATUS_7_0", 0xe01, 32, RO},
    {"R_MSR_PMON_OVF_CTL_7_0", 0xe02, 32, WO},
    {"R_MSR_PMON_CTL0", 0xe10, 64, ANY},
    {"R_MSR_PMON_CTR0", 0xe11, 64, ANY},
    {"R_MSR_PMON_CTL1", 0xe12, 64, ANY},
    {"R_MSR_PMON_CTR1", 0xe13, 64, ANY},
    {"R_MSR_PMON_CTL2", 0xe14, 64, ANY},
    {"R_MSR_PMON_CTR2", 0xe15, 64, ANY},
    {"R_MSR_PMON_CTL3", 0xe16, 64, ANY},
    {"R_MSR_PMON_CTR3", 0xe17, 64, ANY},
    {"R_MSR_PMON_CTL4", 0xe18, 64, ANY},
    {"R_MSR_PMON_CTR4", 0xe19, 64, ANY},
    {"R_MSR_PMON_CTL5", 0xe1a, 64, ANY},
    {"R_MSR_PMON_CTR5", 0xe1b, 64, ANY},
    {"R_MSR_PMON_CTL6", 0xe1c, 64, ANY},
    {"R_MSR_PMON_CTR6", 0xe1d, 64, ANY},
    {"R_MSR_PMON_CTL7", 0xe1e, 64, ANY},
    {"R_MSR_PMON_CTR7", 0xe1f, 64, ANY},
    {"R_MSR_PMON_GLOBAL_CTL_15_8", 0xe20, 32, ANY},
    {"R_MSR_PMON_GLOBAL_STATUS_15_8", 0xe21, 32, RO},
    {"R_MSR_PMON_OVF_CTL_15_8", 0xe22, 32, WO},
    {"R_MSR_PMON_CTL8", 0xe30, 64, ANY},
    {"R_MSR_PMON_CTR8", 0xe31, 64, ANY},
    {"R_MSR_PMON_CTL9", 0xe32, 64, ANY},
    {"R_MSR_PMON_CTR9", 0xe33, 64, ANY},
    {"R_MSR_PMON_CTL10", 0xe34, 64, ANY},
    {"R_MSR_PMON_CTR10", 0xe35, 64, ANY},
    {"R_MSR_PMON_CTL11", 0xe36, 64, ANY},
    {"R_MSR_PMON_CTR11", 0xe37, 64, ANY},
    {"R_MSR_PMON_CTL12", 0xe38, 64, ANY},
    {"R_MSR_PMON_CTR12", 0xe39, 64, ANY},
    {"R_MSR_PMON_CTL13", 0xe3a, 64, ANY},
    {"R_MSR_PMON_CTR13", 0xe3b, 64, ANY},
    {"R_MSR_PMON_CTL14", 0xe3c, 64, ANY},
    {"R_MSR_PMON_CTR14", 0xe3d, 64, ANY},
    {"R_MSR_PMON_CTL15", 0xe3e, 64, ANY},
    {"R_MSR_PMON_CTR15", 0xe3f, 64, ANY},
    {"R_MSR_PORT0_IPERF_CFG0", 0xe04, 32, RW},
    {"R_MSR_PORT0_IPERF_CFG1", 0xe24, 32, RW},
    {"R_MSR_PORT0_QLX_CFG", 0xe0c, 32, RW},
    {"R_MSR_PORT0_XBR_SET1_MM_CFG", 0xe60, 64, RW},
    {"R_MSR_PORT0_XBR_SET1_MATCH", 0xe61, 64, RW},
    {"R_MSR_PORT0_XBR_SET1_MASK", 0xe62, 64, RW},
    {"R_MSR_PORT0_XBR_SET2_MM_CFG", 0xe70, 64, RW},
    {"R_MSR_PORT0_XBR_SET2_MATCH", 0xe71, 64, RW},
    {"R_MSR_PORT0_XBR_SET2_MASK", 0xe72, 64, RW},
    {"R_MSR_PORT1_IPERF_CFG0", 0xe05, 32, RW},
    {"R_MSR_PORT1_IPERF_CFG1", 0xe25, 32, RW},
    {"R_MSR_PORT1_QLX_CFG", 0xe0d, 32, RW},
    {"R_MSR_PORT1_XBR_SET1_MM_CFG", 0xe64, 64, RW},
    {"R_MSR_PORT1_XBR_SET1_MATCH", 0xe65, 64, RW},
    {"R_MSR_PORT1_XBR_SET1_MASK", 0xe66, 64, RW},
    {"R_MSR_PORT1_XBR_SET2_MM_CFG", 0xe74, 64, RW},
    {"R_MSR_PORT1_XBR_SET2_MATCH", 0xe75, 64, RW},
    {"R_MSR_PORT1_XBR_SET2_MASK", 0xe76, 64, RW},
    {"R_MSR_PORT2_IPERF_CFG0", 0xe06, 32, RW},
    {"R_MSR_PORT2_IPERF_CFG1", 0xe26, 32, RW},
    {"R_MSR_PORT2_QLX_CFG", 0xe0e, 32, RW},
    {"R_MSR_PORT2_XBR_SET1_MM_CFG", 0xe68, 64, RW},
    {"R_MSR_PORT2_XBR_SET1_MATCH", 0xe69, 64, RW},
    {"R_MSR_PORT2_XBR_SET1_MASK", 0xe6a, 64, RW},
    {"R_MSR_PORT2_XBR_SET2_MM_CFG", 0xe78, 64, RW},
    {"R_MSR_PORT2_XBR_SET2_MATCH", 0xe79, 64, RW},
    {"R_MSR_PORT2_XBR_SET2_MASK", 0xe7a, 64, RW},
    {"R_MSR_PORT3_IPERF_CFG0", 0xe07, 32, RW},
    {"R_MSR_PORT3_IPERF_CFG1", 0xe27, 32, RW},
    {"R_MSR_PORT3_QLX_CFG", 0xe0f, 32, RW},
    {"R_MSR_PORT3_XBR_SET1_MM_CFG", 0xe6c, 64, RW},
    {"R_MSR_PORT3_XBR_SET1_MATCH", 0xe6d, 64, RW},
    {"R_MSR_PORT3_XBR_SET1_MASK", 0xe6e, 64, RW},
    {"R_MSR_PORT3_XBR_SET2_MM_CFG", 0xe7c, 64, RW},
    {"R_MSR_PORT3_XBR_SET2_MATCH", 0xe7d, 64, RW},
    {"R_MSR_PORT3_XBR_SET2_MASK", 0xe7e, 64, RW},
    {"R_MSR_PORT4_IPERF_CFG0", 0xe08, 32, RW},
    {"R_MSR_PORT4_IPERF_CFG1", 0xe28, 32, RW},
    {"R_MSR_PORT4_QLX_CFG", 0xe2c, 32, RW},
    {"R_MSR_PORT4_XBR_SET1_MM_CFG", 0xe80, 64, RW},
    {"R_MSR_PORT4_XBR_SET1_MATCH", 0xe81, 64, RW},
    {"R_MSR_PORT4_XBR_SET1_MASK", 0xe82, 64, RW},
    {"R_MSR_PORT4_XBR_SET2_MM_CFG", 0xe90, 64, RW},
    {"R_MSR_PORT4_XBR_SET2_MATCH", 0xe91, 64, RW},
    {"R_MSR_PORT4_XBR_SET2_MASK", 0xe92, 64, RW},
    {"R_MSR_PORT5_IPERF_CFG0", 0xe09, 32, RW},
    {"R_MSR_PORT5_IPERF_CFG1", 0xe29, 32, RW},
    {"R_MSR_PORT5_QLX_CFG", 0xe2d, 32, RW},
    {"R_MSR_PORT5_XBR_SET1_MM_CFG", 0xe84, 64, RW},
    {"R_MSR_PORT5_XBR_SET1_MATCH", 0xe85, 64, RW},
    {"R_MSR_PORT5_XBR_SET1_MASK", 0xe86, 64, RW},
    {"R_MSR_PORT5_XBR_SET2_MM_CFG", 0xe94, 64, RW},
    {"R_MSR_PORT5_XBR_SET2_MATCH", 0xe95, 64, RW},
    {"R_MSR_PORT5_XBR_SET2_MASK", 0xe96, 64, RW},
    {"R_MSR_PORT6_IPERF_CFG0", 0xe0a, 32, RW},
    {"R_MSR_PORT6_IPERF_CFG1", 0xe2a, 32, RW},
    {"R_MSR_PORT6_QLX_CFG", 0xe2e, 32, RW},
    {"R_MSR_PORT6_XBR_SET1_MM_CFG", 0xe88, 64, RW},
    {"R_MSR_PORT6_XBR_SET1_MATCH", 0xe89, 64, RW},
    {"R_MSR_PORT6_XBR_SET1_MASK", 0xe8a, 64, RW},
    {"R_MSR_PORT6_XBR_SET2_MM_CFG", 0xe98, 64, RW},
    {"R_MSR_PORT6_XBR_SET2_MATCH", 0xe99, 64, RW},
    {"R_MSR_PORT6_XBR_SET2_MASK", 0xe9a, 64, RW},
    {"R_MSR_PORT7_IPERF_CFG0", 0xe0b, 32, RW},
    {"R_MSR_PORT7_IPERF_CFG1", 0xe2b, 32, RW},
    {"R_MSR_PORT7_QLX_CFG", 0xe2f, 32, RW},
    {"R_MSR_PORT7_XBR_SET1_MM_CFG", 0xe8c, 64, RW},
    {"R_MSR_PORT7_XBR_SET1_MATCH", 0xe8d, 64, RW},
    {"R_MSR_PORT7_XBR_SET1_MASK", 0xe8e, 64, RW},
    {"R_MSR_PORT7_XBR_SET2_MM_CFG", 0xe9c, 64, RW},
    {"R_MSR_PORT7_XBR_SET2_MATCH", 0xe9d, 64, RW},
    {"R_MSR_PORT7_XBR_SET2_MASK", 0xe9e, 64, RW},
    {"MB0_CR_M_MSR_PERF_GLOBAL_CTL", 0xca0, 32, ANY},
    {"MB0_CR_M_MSR_PERF_GLOBAL_STATUS", 0xca1, 32, ANY},
    {"MB0_CR_M_MSR_PERF_GLOBAL_OVF_CTL", 0xca2, 32, ANY},
    {"MB0_CR_M_MSR_PMU_TIMESTAMP", 0xca4, 32, ANY},
    {"MB0_CR_M_MSR_PMU_DSP", 0xca5, 32, ANY},
    {"MB0_CR_M_MSR_PMU_ISS", 0xca6, 32, ANY},
    {"MB0_CR_M_MSR_PMU_MAP", 0xca7, 32, ANY},
    {"MB0_CR_M_MSR_PMU_MSC_THR", 0xca8, 32, ANY},
    {"MB0_CR_M_MSR_PMU_PGT", 0xca9, 32, ANY},
    {"MB0_CR_M_MSR_PMU_PLD", 0xcaa, 32, ANY},
    {"MB0_CR_M_MSR_PMU_ZDP_CTL_FVC", 0xcab, 32, RW},
    {"MB0_CR_M_MSR_PMU_CNT_CTL_0", 0xcb0, 64, RW},
    {"MB0_CR_M_MSR_PMU_CNT_0", 0xcb1, 64, RW},
    {"MB0_CR_M_MSR_PMU_CNT_CTL_1", 0xcb2, 64, RW},
    {"MB0_CR_M_MSR_PMU_CNT_1", 0xcb3, 64, RW},
    {"MB0_CR_M_MSR_PMU_CNT_CTL_2", 0xcb4, 64, RW},
    {"MB0_CR_M_MSR_PMU_CNT_2", 0xcb5, 64, RW},
    {"MB0_CR_M_MSR_PMU_CNT_CTL_3", 0xcb6, 64, RW},
    {"MB0_CR_M_MSR_PMU_CNT_3", 0xcb7, 64, RW},
    {"MB0_CR_M_MSR_PMU_CNT_CTL_4", 0xcb8, 64, RW},
    {"MB0_CR_M_MSR_PMU_CNT_4", 0xcb9, 64, RW},
    {"MB0_CR_M_MSR_PMU_CNT_CTL_5", 0xcba, 64, RW},
    {"MB0_CR_M_MSR_PMU_CNT_5", 0xcbb, 64, RW},
    {"MB0_CR_M_MSR_PMU_MM_CFG", 0xe54, 64, ANY},
    {"MB0_CR_M_MSR_PMU_ADDR_MATCH", 0xe55, 64, ANY},
    {"MB0_CR_M_MSR_PMU_ADDR_MASK", 0xe56, 64, ANY},
    {"MB1_CR_M_MSR_PERF_GLOBAL_CTL", 0xce0, 32, ANY},
    {"MB1_CR_M_MSR_PERF_GLOBAL_STATUS", 0xce1, 32, ANY},
    {"MB1_CR_M_MSR_PERF_GLOBAL_OVF_CTL", 0xce2, 32, ANY},
    {"MB1_CR_M_MSR_PMU_TIMESTAMP", 0xce4, 32, ANY},
    {"MB1_CR_M_MSR_PMU_DSP", 0xce5, 32, ANY},
    {"MB1_CR_M_MSR_PMU_ISS", 0xce6, 32, ANY},
    {"MB1_CR_M_MSR_PMU_MAP", 0xce7, 32, ANY},
    {"MB1_CR_M_MSR_PMU_MSC_THR", 0xce8, 32, ANY},
    {"MB1_CR_M_MSR_PMU_PGT", 0xce9, 32, ANY},
    {"MB1_CR_M_MSR_PMU_PLD", 0xcea, 32, ANY},
    {"MB1_CR_M_MSR_PMU_ZDP_CTL_FVC", 0xceb, 32, RW},
    {"MB1_CR_M_MSR_PMU_CNT_CTL_0", 0xcf0, 64, RW},
    {"MB1_CR_M_MSR_PMU_CNT_0", 0xcf1, 64, RW},
    {"MB1_CR_M_MSR_PMU_CNT_CTL_1", 0xcf2, 64, RW},
    {"MB1_CR_M_MSR_PMU_CNT_1", 0xcf3, 64, RW},
    {"MB1_CR_M_MSR_PMU_CNT_CTL_2", 0xcf4, 64, RW},
    {"MB1_CR_M_MSR_PMU_CNT_2", 0xcf5, 64, RW},
    {"MB1_CR_M_MSR_PMU_CNT_CTL_3", 0xcf6, 64, RW},
    {"MB1_CR_M_MSR_PMU_CNT_3", 0xcf7, 64, RW},
    {"MB1_CR_M_MSR_PMU_CNT_CTL_4", 0xcf8, 64, RW},
    {"MB1_CR_M_MSR_PMU_CNT_4", 0xcf9, 64, RW},
    {"MB1_CR_M_MSR_PMU_CNT_CTL_5", 0xcfa, 64, RW},
    {"MB1_CR_M_MSR_PMU_CNT_5", 0xcfb, 64, RW},
    {"MB1_CR_M_MSR_PMU_MM_CFG", 0xe5c, 64, ANY},
    {"MB1_CR_M_MSR_PMU_ADDR_MATCH", 0xe5d, 64, ANY},
    {"MB1_CR_M_MSR_PMU_ADDR_MASK", 0xe5e, 64, ANY},
    {"W_MSR_PMON_GLOBAL_CTL", 0xc80, 32, RW},
    {"W_MSR_PMON_GLOBAL_STATUS", 0xc81, 32, RW},
    {"W_MSR_PMON_GLOBAL_OVF_CTL", 0xc82, 32, RW},
    {"W_MSR_PMON_EVT_SEL_0", 0xc90, 64, RW},
    {"W_MSR_PMON_CTR_0", 0xc91, 64, RW},
    {"W_MSR_PMON_EVT_SEL_1", 0xc92, 64, RW},
    {"W_MSR_PMON_CTR_1", 0xc93, 64, RW},
    {"W_MSR_PMON_EVT_SEL_2", 0xc94, 64, RW},
    {"W_MSR_PMON_CTR_2", 0xc95, 64, RW},
    {"W_MSR_PMON_EVT_SEL_3", 0xc96, 64, RW},
    {"W_MSR_PMON_CTR_3", 0xc97, 64, RW},
    {"W_MSR_PMON_FIXED_CTR", 0x394, 64, RW},
    {"W_MSR_PMON_FIXED_CTR_CTL", 0x395, 64, RW},
};
enum { MSRS = sizeof msrs / sizeof *msrs };

static void every_register(void **state)
{
    (void)state;
    assert_int_equal(MSRS, 356);
    for (size_t i = 0; i < MSRS; i++) {
        unsigned unit;
        const bx_cat_reg *reg = facts_reg("nhmex", msrs[i].name, &unit);
        FACTS_SAME(msrs[i].name, "", {"space", reg->space, BX_SPACE_MSR},
                   {"width", reg->width, msrs[i].width},
                   {"address", facts_address(reg, unit), msrs[i].address});
    }
}

static void no_other_register(void **state)
{
    (void)state;
    enum {
        OF_CORES =
            4 + 4 + 3 + 4 + 2, /* controls, counters, fixed ones, shared registers, filters */
        CAUSES = 16            /* of cycles, on virtual machines */
    };
    assert_int_equal(facts_msrs("nhmex"), MSRS + OF_CORES + CAUSES);
}

/* Bits of each register are kept, dropped, or act when written, as the lists say. */
static void access_of_software(void **state)
{
    (void)state;
    for (size_t i = 0; i < MSRS; i++) {
        unsigned unit, kinds = 0;
        const bx_cat_reg *reg = facts_reg("nhmex", msrs[i].name, &unit);
        for (uint16_t f = reg->fields.first; f < reg->fields.first + reg->fields.n; f++)
            kinds |= 1U << bx_cat_fields(c)[f].kind;
        bool rw = kinds >> BX_FIELD_RW & 1, ro = kinds >> BX_FIELD_RO & 1,
             wo = kinds >> BX_FIELD_WO & 1;
        if (kinds & 1U << BX_FIELD_W1C)
            fail_msg("%s: no such bits are here", msrs[i].name);
        bool actions = strstr(msrs[i].name, "_OVF_CTL") != NULL; /* read as 0 */
        bool status = strcmp(msrs[i].name, "U_MSR_PMON_GLOBAL_STATUS") == 0;
        if ((msrs[i].access == RW && !actions && (!rw || (ro && !status))) ||
            (msrs[i].access == RO && (!ro || rw || wo)) ||
            ((msrs[i].access == WO || actions) && (!wo || rw || ro)))
            fail_msg("%s: its bits are of other kinds", msrs[i].name);
    }
}

/* Registers that affect all counters of a unit are shared. */
static void shared(void **state)
{
    (void)state;
    static const char *const parts[] = {"_IPERF_CFG", "_QLX_CFG", "_MM_CFG", "_MATCH",
                                        "_MASK",      "_DSP",     "_ISS",    "_MAP",
                                        "_MSC_THR",   "_PGT",     "_PLD",    "_ZDP_CTL_FVC"};
    for (size_t i = 0; i < MSRS; i++) {
        unsigned unit;
        const bx_cat_reg *reg = facts_reg("nhmex", msrs[i].name, &unit);
        bool expected = false;
        for (size_t k = 0; k < sizeof parts / sizeof *parts; k++)
            expected |= strstr(msrs[i].name, parts[k]) != NULL;
        if (((reg->flags & BX_REG_SHARED) != 0) != expected)
            fail_msg("%s: shared or not", msrs[i].name);
    }
}

/* Match and mask are written while the pattern is off; in the S-Box a write while it is on
 * faults. */
static void preconditions(void **state)
{
    (void)state;
    static const struct {
        const char *name, *precondition;
        uint64_t value;
        bool faults;
    } all[] = {
        {"SR0_CR_S_MSR_MATCH", "SR0_CR_S_MSR_MM_CFG", 0, true},
        {"SR1_CR_S_MSR_MASK", "SR1_CR_S_MSR_MM_CFG", 0, true},
        {"MB0_CR_M_MSR_PMU_ADDR_MATCH", "MB0_CR_M_MSR_PMU_MM_CFG", 0, false},
        {"MB1_CR_M_MSR_PMU_ADDR_MASK", "MB1_CR_M_MSR_PMU_MM_CFG", 0, false},
        {"R_MSR_PORT0_XBR_SET1_MATCH", "R_MSR_PORT0_XBR_SET1_MM_CFG", 1, false},
        {"R_MSR_PORT3_XBR_SET2_MASK", "R_MSR_PORT3_XBR_SET2_MM_CFG", 1, false},
        {"R_MSR_PORT6_XBR_SET2_MATCH", "R_MSR_PORT6_XBR_SET2_MM_CFG", 1, false},
    };
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        unsigned unit, other;
        const bx_cat_reg *reg = facts_reg("nhmex", all[i].name, &unit);
        assert_int_not_equal(reg->precondition, BX_NONE);
        const bx_cat_cond *precondition = &bx_cat_conds(c)[reg->precondition];
        assert_ptr_equal(&bx_cat_regs(c)[precondition->reg],
                         facts_reg("nhmex", all[i].precondition, &other));
        assert_int_equal(unit, other);
        assert_int_equal(bx_cat_fields(c)[precondition->field].lo, 63);
        assert_int_equal(precondition->value, all[i].value);
        assert_int_equal((reg->flags & BX_REG_FAULTS) != 0, all[i].faults);
    }
}

int main(void)
{
    c = bx_catalog_builtin();
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_register),     cmocka_unit_test(no_other_register),
        cmocka_unit_test(access_of_software), cmocka_unit_test(shared),
        cmocka_unit_test(preconditions),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* Reports on register logs of LIKWID, which counts one C-Box event on each CPU model. The log's
 * header has the command. Addresses and fields: 334060-001 (tables 2-1 to 2-8), 329468-002 section
 * 2.3 and 323535-001 sections 2.2 and 2.3. */
#include "expect_report.h"

#include <stdio.h>
#include <string.h>

static void skylake(void **state)
{
    (void)state;
    expect_report_of_file(
        "likwid-skylake-client-cbo.txt",
        "cpu 0 writes MSR E01H: package, MSR_UNC_PERF_GLOBAL_CTRL ← 0\n"
        "cpu 0 writes MSR 700H: C-Box 0 counter 0 ← 0\n"
        "cpu 0 writes MSR 38DH: core 0, IA32_FIXED_CTR_CTRL ← 0\n"
        "cpu 0 writes MSR 38DH: core 0, IA32_FIXED_CTR_CTRL ← 0\n"
        "cpu 0 writes MSR 38DH: core 0, IA32_FIXED_CTR_CTRL ← 0\n"
        "cpu 0 writes MSR 38FH: core 0, IA32_PERF_GLOBAL_CTRL ← 0\n"
        "cpu 0 writes MSR 390H: core 0, IA32_PERF_GLOBAL_STATUS_RESET ← CLR_PMC0, "
        "CLR_PMC1, CLR_PMC2, CLR_PMC3, CLR_FIXED0, CLR_FIXED1, CLR_FIXED2, CLR_BUF, "
        "CLR_COND_CHGD\n"
        "cpu 0 writes MSR E01H: package, MSR_UNC_PERF_GLOBAL_CTRL ← 0\n"
        "cpu 0 writes MSR E02H: package, MSR_UNC_PERF_GLOBAL_STATUS ← 0\n"
        "  note: this clears nothing, which takes a 1\n"
        "cpu 0 writes MSR 700H: C-Box 0 counter 0 ← UNC_CBO_CACHE_LOOKUP, umask "
        "READ_MESI, overflow reported\n"
        "cpu 0 writes MSR 38DH: core 0, IA32_FIXED_CTR_CTRL ← USR0, USR1, USR2\n"
        "cpu 0 writes MSR 309H: core 0 counter 8 ← count 0\n"
        "cpu 0 writes MSR 30AH: core 0 counter 9 ← count 0\n"
        "cpu 0 writes MSR 30BH: core 0 counter 10 ← count 0\n"
        "cpu 0 writes MSR E01H: package, MSR_UNC_PERF_GLOBAL_CTRL ← PMI_SEL_CORE0, EN\n"
        "  C-Box 0 counter 0 counts skl_unc_cbo0::UNC_CBO_CACHE_LOOKUP:READ_MESI\n"
        "cpu 0 writes MSR 390H: core 0, IA32_PERF_GLOBAL_STATUS_RESET ← CLR_FIXED0, "
        "CLR_FIXED1, CLR_FIXED2, CLR_BUF, CLR_COND_CHGD\n"
        "cpu 0 writes MSR 38FH: core 0, IA32_PERF_GLOBAL_CTRL ← EN_FIXED0, EN_FIXED1, "
        "EN_FIXED2\n"
        "  core 0 counter 8 counts skl_core0::INSTR_RETIRED_ANY:u=1\n"
        "  core 0 counter 9 counts skl_core0::CPU_CLK_UNHALTED_CORE:u=1\n"
        "  core 0 counter 10 counts skl_core0::CPU_CLK_UNHALTED_REF:u=1\n"
        "cpu 0 writes MSR 38FH: core 0, IA32_PERF_GLOBAL_CTRL ← 0\n"
        "  core 0 counter 8 stops\n"
        "  core 0 counter 9 stops\n"
        "  core 0 counter 10 stops\n"
        "cpu 0 writes MSR E01H: package, MSR_UNC_PERF_GLOBAL_CTRL ← 0\n"
        "  C-Box 0 counter 0 stops\n"
        "cpu 0 writes MSR E02H: package, MSR_UNC_PERF_GLOBAL_STATUS ← 0\n"
        "  note: this clears nothing, which takes a 1\n"
        "cpu 0 reads MSR 706H: C-Box 0 counter 0 = 500\n"
        "cpu 0 reads MSR 309H: core 0 counter 8 = 200000\n"
        "cpu 0 reads MSR 30AH: core 0 counter 9 = 200000\n"
        "cpu 0 reads MSR 30BH: core 0 counter 10 = 200000\n"
        "cpu 0 writes MSR E01H: package, MSR_UNC_PERF_GLOBAL_CTRL ← PMI_SEL_CORE0, EN\n"
        "  C-Box 0 counter 0 counts skl_unc_cbo0::UNC_CBO_CACHE_LOOKUP:READ_MESI\n"
        "cpu 0 writes MSR 38FH: core 0, IA32_PERF_GLOBAL_CTRL ← EN_FIXED0, EN_FIXED1, "
        "EN_FIXED2\n"
        "  core 0 counter 8 counts skl_core0::INSTR_RETIRED_ANY:u=1\n"
        "  core 0 counter 9 counts skl_core0::CPU_CLK_UNHALTED_CORE:u=1\n"
        "  core 0 counter 10 counts skl_core0::CPU_CLK_UNHALTED_REF:u=1\n"
        "cpu 0 writes MSR 38FH: core 0, IA32_PERF_GLOBAL_CTRL ← 0\n"
        "  core 0 counter 8 stops\n"
        "  core 0 counter 9 stops\n"
        "  core 0 counter 10 stops\n"
        "cpu 0 writes MSR E01H: package, MSR_UNC_PERF_GLOBAL_CTRL ← 0\n"
        "  C-Box 0 counter 0 stops\n"
        "cpu 0 writes MSR E02H: package, MSR_UNC_PERF_GLOBAL_STATUS ← 0\n"
        "  note: this clears nothing, which takes a 1\n"
        "cpu 0 reads MSR 706H: C-Box 0 counter 0 = 800\n"
        "cpu 0 reads MSR 309H: core 0 counter 8 = 300000\n"
        "cpu 0 reads MSR 30AH: core 0 counter 9 = 300000\n"
        "cpu 0 reads MSR 30BH: core 0 counter 10 = 300000\n"
        "cpu 0 writes MSR 700H: C-Box 0 counter 0 ← 0\n"
        "cpu 0 writes MSR 706H: C-Box 0 counter 0 ← count 0\n"
        "cpu 0 writes MSR 38DH: core 0, IA32_FIXED_CTR_CTRL ← 0\n"
        "cpu 0 writes MSR 309H: core 0 counter 8 ← count 0\n"
        "cpu 0 writes MSR 38DH: core 0, IA32_FIXED_CTR_CTRL ← 0\n"
        "cpu 0 writes MSR 30AH: core 0 counter 9 ← count 0\n"
        "cpu 0 writes MSR 38DH: core 0, IA32_FIXED_CTR_CTRL ← 0\n"
        "cpu 0 writes MSR 30BH: core 0 counter 10 ← count 0\n"
        "cpu 0 writes MSR E02H: package, MSR_UNC_PERF_GLOBAL_STATUS ← 0\n"
        "  note: this clears nothing, which takes a 1\n"
        "cpu 0 writes MSR E01H: package, MSR_UNC_PERF_GLOBAL_CTRL ← 0\n"
        "cpu 0 writes MSR E01H: package, MSR_UNC_PERF_GLOBAL_CTRL ← 0\n"
        "cpu 0 writes MSR 390H: core 0, IA32_PERF_GLOBAL_STATUS_RESET ← CLR_FIXED0, "
        "CLR_FIXED1, CLR_FIXED2, CLR_BUF, CLR_COND_CHGD\n"
        "cpu 0 writes MSR 38FH: core 0, IA32_PERF_GLOBAL_CTRL ← 0\n"
        "84 accesses, 59 of them to registers of PMUs; 0 warnings\n");
}

static void ivy_bridge_ep(void **state)
{
    (void)state;
    expect_report_of_file(
        "likwid-ivybridge-ep-cbo.txt",
        "cpu 0 writes MSR D10H: C-Box 0 counter 0 ← 0\n"
        "cpu 0 writes MSR 38DH: core 0, IA32_FIXED_CTR_CTRL ← 0\n"
        "cpu 0 writes MSR 38DH: core 0, IA32_FIXED_CTR_CTRL ← 0\n"
        "cpu 0 writes MSR 38DH: core 0, IA32_FIXED_CTR_CTRL ← 0\n"
        "cpu 0 writes MSR 38FH: core 0, IA32_PERF_GLOBAL_CTRL ← 0\n"
        "cpu 0 writes MSR C00H: U-Box, U_MSR_PMON_GLOBAL_CTL ← FRZ_ALL\n"
        "cpu 0 writes MSR D14H: C-Box 0, C0_MSR_PMON_BOX_FILTER0 ← STATE 0x1f\n"
        "cpu 0 writes MSR D10H: C-Box 0 counter 0 ← UNC_C_LLC_LOOKUP, umask DATA_READ + STATE_I + "
        "STATE_S + STATE_E + STATE_M + STATE_F\n"
        "cpu 0 writes MSR D04H: C-Box 0, C0_MSR_PMON_BOX_CTL ← 0\n"
        "cpu 0 writes MSR 38DH: core 0, IA32_FIXED_CTR_CTRL ← USR0, USR1, USR2\n"
        "cpu 0 writes MSR D16H: C-Box 0 counter 0 ← count 0\n"
        "cpu 0 writes MSR 309H: core 0 counter 8 ← count 0\n"
        "cpu 0 writes MSR 30AH: core 0 counter 9 ← count 0\n"
        "cpu 0 writes MSR 30BH: core 0 counter 10 ← count 0\n"
        "cpu 0 writes MSR C01H: U-Box, U_MSR_PMON_GLOBAL_STATUS ← 0\n"
        "  note: this clears nothing, which takes a 1\n"
        "cpu 0 writes MSR C00H: U-Box, U_MSR_PMON_GLOBAL_CTL ← UNFRZ_ALL\n"
        "  C-Box 0 counter 0 counts "
        "ivbep_unc_cbo0::UNC_C_LLC_LOOKUP:DATA_READ:STATE_I:STATE_S:STATE_E:STATE_M:STATE_F\n"
        "cpu 0 writes MSR 38FH: core 0, IA32_PERF_GLOBAL_CTRL ← EN_FIXED0, EN_FIXED1, EN_FIXED2\n"
        "  core 0 counter 8 counts ivbep_core0::INSTR_RETIRED_ANY:u=1\n"
        "  core 0 counter 9 counts ivbep_core0::CPU_CLK_UNHALTED_CORE:u=1\n"
        "  core 0 counter 10 counts ivbep_core0::CPU_CLK_UNHALTED_REF:u=1\n"
        "cpu 0 writes MSR 390H: core 0, IA32_PERF_GLOBAL_OVF_CTRL ← CLR_FIXED0, CLR_FIXED1, "
        "CLR_FIXED2, CLR_BUF, CLR_CHGD\n"
        "cpu 0 writes MSR 38FH: core 0, IA32_PERF_GLOBAL_CTRL ← 0\n"
        "  core 0 counter 8 stops\n"
        "  core 0 counter 9 stops\n"
        "  core 0 counter 10 stops\n"
        "cpu 0 writes MSR C00H: U-Box, U_MSR_PMON_GLOBAL_CTL ← FRZ_ALL\n"
        "  C-Box 0 counter 0 stops\n"
        "cpu 0 reads MSR D16H: C-Box 0 counter 0 = 1100\n"
        "cpu 0 reads MSR 309H: core 0 counter 8 = 300000\n"
        "cpu 0 reads MSR 30AH: core 0 counter 9 = 300000\n"
        "cpu 0 reads MSR 30BH: core 0 counter 10 = 300000\n"
        "cpu 0 writes MSR C01H: U-Box, U_MSR_PMON_GLOBAL_STATUS ← 0\n"
        "  note: this clears nothing, which takes a 1\n"
        "cpu 0 writes MSR C00H: U-Box, U_MSR_PMON_GLOBAL_CTL ← UNFRZ_ALL\n"
        "  C-Box 0 counter 0 counts "
        "ivbep_unc_cbo0::UNC_C_LLC_LOOKUP:DATA_READ:STATE_I:STATE_S:STATE_E:STATE_M:STATE_F\n"
        "cpu 0 writes MSR 38FH: core 0, IA32_PERF_GLOBAL_CTRL ← EN_FIXED0, EN_FIXED1, EN_FIXED2\n"
        "  core 0 counter 8 counts ivbep_core0::INSTR_RETIRED_ANY:u=1\n"
        "  core 0 counter 9 counts ivbep_core0::CPU_CLK_UNHALTED_CORE:u=1\n"
        "  core 0 counter 10 counts ivbep_core0::CPU_CLK_UNHALTED_REF:u=1\n"
        "cpu 0 writes MSR 38FH: core 0, IA32_PERF_GLOBAL_CTRL ← 0\n"
        "  core 0 counter 8 stops\n"
        "  core 0 counter 9 stops\n"
        "  core 0 counter 10 stops\n"
        "cpu 0 writes MSR C00H: U-Box, U_MSR_PMON_GLOBAL_CTL ← FRZ_ALL\n"
        "  C-Box 0 counter 0 stops\n"
        "cpu 0 reads MSR D16H: C-Box 0 counter 0 = 2000\n"
        "cpu 0 writes MSR D16H: C-Box 0 counter 0 ← count 0\n"
        "cpu 0 reads MSR 309H: core 0 counter 8 = 400000\n"
        "cpu 0 reads MSR 30AH: core 0 counter 9 = 400000\n"
        "cpu 0 reads MSR 30BH: core 0 counter 10 = 400000\n"
        "cpu 0 writes MSR D10H: C-Box 0 counter 0 ← 0\n"
        "cpu 0 writes MSR D16H: C-Box 0 counter 0 ← count 0\n"
        "cpu 0 writes MSR 38DH: core 0, IA32_FIXED_CTR_CTRL ← 0\n"
        "cpu 0 writes MSR 309H: core 0 counter 8 ← count 0\n"
        "cpu 0 writes MSR 38DH: core 0, IA32_FIXED_CTR_CTRL ← 0\n"
        "cpu 0 writes MSR 30AH: core 0 counter 9 ← count 0\n"
        "cpu 0 writes MSR 38DH: core 0, IA32_FIXED_CTR_CTRL ← 0\n"
        "cpu 0 writes MSR 30BH: core 0 counter 10 ← count 0\n"
        "cpu 0 writes MSR C01H: U-Box, U_MSR_PMON_GLOBAL_STATUS ← 0\n"
        "  note: this clears nothing, which takes a 1\n"
        "cpu 0 writes MSR C00H: U-Box, U_MSR_PMON_GLOBAL_CTL ← 0\n"
        "cpu 0 writes MSR D04H: C-Box 0, C0_MSR_PMON_BOX_CTL ← 0\n"
        "cpu 0 writes MSR D14H: C-Box 0, C0_MSR_PMON_BOX_FILTER0 ← 0\n"
        "cpu 0 writes MSR D1AH: C-Box 0, C0_MSR_PMON_BOX_FILTER1 ← 0\n"
        "cpu 0 writes MSR 390H: core 0, IA32_PERF_GLOBAL_OVF_CTRL ← CLR_FIXED0, CLR_FIXED1, "
        "CLR_FIXED2, CLR_BUF, CLR_CHGD\n"
        "cpu 0 writes MSR 38FH: core 0, IA32_PERF_GLOBAL_CTRL ← 0\n"
        "75 accesses, 54 of them to registers of PMUs; 0 warnings\n");
}

static void nehalem_ex(void **state)
{
    (void)state;
    expect_report_of_file(
        "likwid-nehalem-ex-cbox.txt",
        "cpu 0 writes MSR D10H: C-Box 0 counter 0 ← 0\n"
        "cpu 0 writes MSR 38DH: core 0, IA32_FIXED_CTR_CTRL ← 0\n"
        "cpu 0 writes MSR 38DH: core 0, IA32_FIXED_CTR_CTRL ← 0\n"
        "cpu 0 writes MSR 38DH: core 0, IA32_FIXED_CTR_CTRL ← 0\n"
        "cpu 0 writes MSR 38FH: core 0, IA32_PERF_GLOBAL_CTRL ← 0\n"
        "cpu 0 writes MSR C00H: U-Box, U_MSR_PMON_GLOBAL_CTL ← 0\n"
        "cpu 0 writes MSR D10H: C-Box 0 counter 0 ← LLC_HITS, umask ALL\n"
        "cpu 0 writes MSR 38DH: core 0, IA32_FIXED_CTR_CTRL ← USR0, USR1, USR2\n"
        "cpu 0 writes MSR C00H: U-Box, U_MSR_PMON_GLOBAL_CTL ← RST_ALL\n"
        "cpu 0 writes MSR C00H: U-Box, U_MSR_PMON_GLOBAL_CTL ← 0\n"
        "cpu 0 writes MSR 309H: core 0 counter 4 ← count 0\n"
        "cpu 0 writes MSR 30AH: core 0 counter 5 ← count 0\n"
        "cpu 0 writes MSR 30BH: core 0 counter 6 ← count 0\n"
        "cpu 0 writes MSR D00H: C-Box 0, CB0_CR_C_MSR_PMON_GLOBAL_CTL ← CTR_EN0\n"
        "cpu 0 writes MSR D02H: C-Box 0, CB0_CR_C_MSR_PMON_GLOBAL_OVF_CTL ← CLR_OV0\n"
        "cpu 0 writes MSR C00H: U-Box, U_MSR_PMON_GLOBAL_CTL ← EN_ALL\n"
        "  C-Box 0 counter 0 counts nhmex_unc_cbox0::LLC_HITS:ALL\n"
        "cpu 0 writes MSR 38FH: core 0, IA32_PERF_GLOBAL_CTRL ← EN_FIXED0, EN_FIXED1, EN_FIXED2\n"
        "  core 0 counter 4 counts nhmex_core0::INSTR_RETIRED_ANY:u=1\n"
        "  core 0 counter 5 counts nhmex_core0::CPU_CLK_UNHALTED_CORE:u=1\n"
        "  core 0 counter 6 counts nhmex_core0::CPU_CLK_UNHALTED_REF:u=1\n"
        "cpu 0 writes MSR 390H: core 0, IA32_PERF_GLOBAL_OVF_CTRL ← CLR_FIXED0, CLR_FIXED1, "
        "CLR_FIXED2, CLR_BUF, CLR_CHGD\n"
        "cpu 0 writes MSR 38FH: core 0, IA32_PERF_GLOBAL_CTRL ← 0\n"
        "  core 0 counter 4 stops\n"
        "  core 0 counter 5 stops\n"
        "  core 0 counter 6 stops\n"
        "cpu 0 writes MSR C00H: U-Box, U_MSR_PMON_GLOBAL_CTL ← 0\n"
        "  C-Box 0 counter 0 stops\n"
        "cpu 0 reads MSR D11H: C-Box 0 counter 0 = 500\n"
        "cpu 0 reads MSR 309H: core 0 counter 4 = 200000\n"
        "cpu 0 reads MSR 30AH: core 0 counter 5 = 200000\n"
        "cpu 0 reads MSR 30BH: core 0 counter 6 = 200000\n"
        "cpu 0 writes MSR D10H: C-Box 0 counter 0 ← 0\n"
        "cpu 0 writes MSR D11H: C-Box 0 counter 0 ← count 0\n"
        "cpu 0 writes MSR 38DH: core 0, IA32_FIXED_CTR_CTRL ← 0\n"
        "cpu 0 writes MSR 309H: core 0 counter 4 ← count 0\n"
        "cpu 0 writes MSR 38DH: core 0, IA32_FIXED_CTR_CTRL ← 0\n"
        "cpu 0 writes MSR 30AH: core 0 counter 5 ← count 0\n"
        "cpu 0 writes MSR 38DH: core 0, IA32_FIXED_CTR_CTRL ← 0\n"
        "cpu 0 writes MSR 30BH: core 0 counter 6 ← count 0\n"
        "cpu 0 writes MSR 390H: core 0, IA32_PERF_GLOBAL_OVF_CTRL ← CLR_FIXED0, CLR_FIXED1, "
        "CLR_FIXED2, CLR_BUF, CLR_CHGD\n"
        "cpu 0 writes MSR 38FH: core 0, IA32_PERF_GLOBAL_CTRL ← 0\n"
        "cpu 0 writes MSR C02H: U-Box, U_MSR_PMON_GLOBAL_OVF_CTL ← 0\n"
        "  note: this clears nothing, which takes a 1\n"
        "cpu 0 writes MSR C00H: U-Box, U_MSR_PMON_GLOBAL_CTL ← 0\n"
        "cpu 0 writes MSR D00H: C-Box 0, CB0_CR_C_MSR_PMON_GLOBAL_CTL ← 0\n"
        "45 accesses, 44 of them to registers of PMUs; 0 warnings\n");
}

/* 323535-001 p27: THRESHOLD 31:24, INVERT 23, EN 22, PMI_EN 20, EDGE_DETECT 18, UMASK 15:8, EV_SEL
 * 7:0; LLC_HITS is 15H, its ALL 0FH. */
static void a_selection(void **state)
{
    (void)state;
    expect_report(
        "virtual:nhmex", "cpu0 W 0xd10 0x3440f15\n",
        "cpu 0 writes MSR D10H: C-Box 0 counter 0 ← LLC_HITS, umask ALL, threshold 3, edge\n");
    expect_report(
        "virtual:nhmex", "cpu0 W 0xd10 0x2900f15\n",
        "cpu 0 writes MSR D10H: C-Box 0 counter 0 ← LLC_HITS, umask ALL, threshold 2, inverted, "
        "overflow reported, not enabled\n");
}

/* Filters are reported with the event once they are known. The counter counts when everything that
 * it needs is set, in any order. 323535-001 p120/127: EVNT1 13:11 is 5 for commands of the B-Box,
 * BCMD 7:5; the M-Box's INC_SEL 13:9 is 0DH for FVC_EV0, WRAP_MODE 6, EN 0. */
static void shared_registers(void **state)
{
    (void)state;
    expect_report(
        "virtual:nhmex",
        "cpu0 W 0xcab 0x2820\ncpu0 W 0xca0 0x1\ncpu0 W 0xc00 0x10000000\ncpu0 W 0xcb0 0x1a41\n"
        "cpu0 W 0xca0 0x0\n",
        "cpu 0 writes MSR CABH: M-Box 0, MB0_CR_M_MSR_PMU_ZDP_CTL_FVC ← EVNT1 5, BCMD 1\n"
        "cpu 0 writes MSR CA0H: M-Box 0, MB0_CR_M_MSR_PERF_GLOBAL_CTL ← CTR_EN0\n"
        "cpu 0 writes MSR C00H: U-Box, U_MSR_PMON_GLOBAL_CTL ← EN_ALL\n"
        "cpu 0 writes MSR CB0H: M-Box 0 counter 0 ← FVC_EV0, umask BBOX_CMDS.WRITES\n"
        "  M-Box 0 counter 0 counts nhmex_unc_mbox0::FVC_EV0:BBOX_CMDS.WRITES\n"
        "cpu 0 writes MSR CA0H: M-Box 0, MB0_CR_M_MSR_PERF_GLOBAL_CTL ← 0\n"
        "  M-Box 0 counter 0 stops\n");
}

/* For FVC_EV0_BBOX_CMDS_READS:MBOX0C0, LIKWID 5.2.2 writes the layout of Westmere-EX, which is one
 * bit higher. */
static void a_slip_shows(void **state)
{
    (void)state;
    expect_report(
        "virtual:nhmex", "cpu0 W 0xcab 0x5000\ncpu0 W 0xcb0 0x1a41\n",
        "cpu 0 writes MSR CABH: M-Box 0, MB0_CR_M_MSR_PMU_ZDP_CTL_FVC ← EVNT2 1, EVNT1 2\n"
        "cpu 0 writes MSR CB0H: M-Box 0 counter 0 ← FVC_EV0, umask POISON_TXN\n");
}

/* Eight CPUs per package: CPU 9 is in package 1, which has its own registers. */
static void packages(void **state)
{
    (void)state;
    expect_report(
        "virtual:nhmex,packages=2",
        "cpu0 W 0xd10 0x400f15\ncpu9 W 0xd00 0x1\ncpu9 W 0xc00 0x10000000\n"
        "cpu9 W 0xd10 0x400f15\ncpu8 R 0xd11 0x7\ncpu8 W 0xd00 0x0\n",
        "cpu 0 writes MSR D10H: C-Box 0 counter 0 ← LLC_HITS, umask ALL\n"
        "cpu 9 writes MSR D00H: C-Box 0 of package 1, CB0_CR_C_MSR_PMON_GLOBAL_CTL ← CTR_EN0\n"
        "cpu 9 writes MSR C00H: U-Box of package 1, U_MSR_PMON_GLOBAL_CTL ← EN_ALL\n"
        "cpu 9 writes MSR D10H: C-Box 0 of package 1 counter 0 ← LLC_HITS, umask ALL\n"
        "  C-Box 0 of package 1 counter 0 counts nhmex_unc_cbox0::LLC_HITS:ALL\n"
        "cpu 8 reads MSR D11H: C-Box 0 of package 1 counter 0 = 7\n"
        "cpu 8 writes MSR D00H: C-Box 0 of package 1, CB0_CR_C_MSR_PMON_GLOBAL_CTL ← 0\n"
        "  C-Box 0 of package 1 counter 0 stops\n");
}

/* Counters of the memory controller are behind the base address; 5050H counts reads
 * (catalog/skl/imc.pmu). The base is FED10000H until another value is read. */
static void memory(void **state)
{
    (void)state;
    expect_report(
        "virtual:skl",
        "mem R32 0xfed15050 0x5\npci 00:00.0 R64 0x048 0xfed20001\nmem R32 0xfed15050 0x6\n"
        "mem R32 0xfed25050 0x7\n",
        "reads memory FED15050H: memory controller counter 3 = 5\n"
        "reads PCI 00:00.0+48H: package, MCHBAR = EN, BASE 0x1fda4\n"
        "reads memory FED25050H: memory controller counter 3 = 7\n");
}

/* Reads that show nothing new are left out, as are registers that belong to no PMU. */
static void everything(void **state)
{
    (void)state;
    static const char reglog[] = "cpu0 R 0x700 0x0\ncpu0 R 0xe01 0x20000000\ncpu0 R 0xe01 "
                                 "0x20000000\ncpu0 W 0x1d9 0x222\ncpu0 R 0x123 0x0 fault\n";
    expect_report("virtual:skl", reglog,
                  "cpu 0 reads MSR E01H: package, MSR_UNC_PERF_GLOBAL_CTRL = EN\n"
                  "cpu 0 reads MSR 123H: not in the catalogue = 0x0\n  it faulted\n");
    expect_full_report("virtual:skl", reglog,
                       "cpu 0 reads MSR 700H: C-Box 0, MSR_UNC_CBO_0_PERFEVTSEL0 = 0\n"
                       "cpu 0 reads MSR E01H: package, MSR_UNC_PERF_GLOBAL_CTRL = EN\n"
                       "cpu 0 reads MSR E01H: package, MSR_UNC_PERF_GLOBAL_CTRL = EN\n"
                       "cpu 0 writes MSR 1D9H: debug control ← 0x222\n"
                       "cpu 0 reads MSR 123H: not in the catalogue = 0x0\n  it faulted\n"
                       "5 accesses, 3 of them to registers of PMUs; 0 warnings\n");
}

static uint32_t draw(uint32_t *random)
{
    *random = *random * 1664525 + 1013904223;
    return *random >> 8;
}

/* Random accesses to random registers: the report has whole lines. */
static void any_accesses(void **state)
{
    (void)state;
    const struct bx_catalog *c = bx_catalog_builtin();
    uint32_t random = 1;
    for (uint16_t cpu = 0; cpu < c->cpus.n; cpu++) {
        char spec[64];
        bx_topology t;
        snprintf(spec, sizeof spec, "virtual:%s", bx_catalog_cpu_name(c, cpu));
        assert_int_equal(bx_topology_parse(c, bx_str_of(spec), &t, NULL), BX_OK);
        bx_explain *x = bx_explain_new(&t, true, NULL);
        bx_span pmus = bx_cat_cpus(c)[cpu].pmus;
        for (unsigned i = 0; i < 4000; i++) {
            const bx_cat_pmu *pmu = &bx_cat_pmus(c)[pmus.first + draw(&random) % pmus.n];
            if (!pmu->regs.n)
                continue;
            const bx_cat_reg *r = &bx_cat_regs(c)[pmu->regs.first + draw(&random) % pmu->regs.n];
            bx_reglog_access a = {.write = draw(&random) & 1, .faulted = draw(&random) % 8 == 0};
            a.at.space = r->space;
            a.at.width = r->width;
            a.at.cpu = (uint16_t)(draw(&random) % 80);
            a.at.offset = bx_cat_addrs(c)[r->first_addr + draw(&random) % pmu->unit_max];
            a.value = (uint64_t)draw(&random) << (draw(&random) % 40);
            bx_buf out = {0};
            bx_explain_access(x, &a, &out);
            assert_true(out.n && out.p[out.n - 1] == '\n');
            bx_buf_free(&out);
        }
        bx_buf out = {0};
        bx_explain_end(x, &out);
        assert_non_null(strstr(out.p, "4000 accesses, "));
        bx_buf_free(&out);
        bx_explain_free(x);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(skylake),          cmocka_unit_test(ivy_bridge_ep),
        cmocka_unit_test(nehalem_ex),       cmocka_unit_test(a_selection),
        cmocka_unit_test(shared_registers), cmocka_unit_test(a_slip_shows),
        cmocka_unit_test(packages),         cmocka_unit_test(memory),
        cmocka_unit_test(everything),       cmocka_unit_test(any_accesses),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

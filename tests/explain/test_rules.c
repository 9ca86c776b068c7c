/* Warnings: each rule, broken and kept. The rules are those of the catalogue; each case names its
 * document. */
#include "expect_report.h"

#include <stdio.h>

/* 334060-001 table 2-7: bits 63:29 of a select register are reserved. */
static void reserved_bits(void **state)
{
    (void)state;
    expect_report("virtual:skl", "cpu0 W 0x700 0x8000000000000000\n",
                  "cpu 0 writes MSR 700H: C-Box 0 counter 0 ← 0x8000000000000000\n"
                  "  warning: bits 0x8000000000000000 are reserved: the write faults\n");
    expect_report("virtual:skl", "cpu0 W 0x700 0x0\n",
                  "cpu 0 writes MSR 700H: C-Box 0 counter 0 ← 0\n");
}

/* Accesses to PCI configuration space do not fault. Each package has its own bus. */
static void reserved_bits_in_pci_space(void **state)
{
    (void)state;
    expect_report("virtual:ivbep",
                  "pci 7f:10.5 W32 0x0dc 0xc00304\ncpu0 W 0xc00 0x80000000\n"
                  "pci 3f:10.5 W32 0x0f0 0x400000\npci 3f:1e.0 W32 0x0d8 0x400304\n",
                  "writes PCI 7f:10.5+DCH: memory channel 1 of package 1 counter 1 ← "
                  "UNC_M_CAS_COUNT, umask RD\n"
                  "  warning: bits 0x800000 are reserved: what is written is dropped\n"
                  "  memory channel 1 of package 1 counter 1 counts "
                  "ivbep_unc_imc1::UNC_M_CAS_COUNT:RD\n"
                  "cpu 0 writes MSR C00H: U-Box, U_MSR_PMON_GLOBAL_CTL ← FRZ_ALL\n"
                  "writes PCI 3f:10.5+F0H: memory channel 1 counter 4 ← UNC_M_CLOCKTICKS\n"
                  "writes PCI 3f:1e.0+D8H: memory channel 6 counter 0 ← UNC_M_CAS_COUNT, umask "
                  "RD\n"
                  "at the end\n"
                  "  warning: memory channel 1 of package 1 counter 1 is left running\n");
}

/* A write that faults changes nothing: the counter does not count. */
static void faults(void **state)
{
    (void)state;
    expect_report("virtual:skl", "cpu0 W 0xe01 0x20000000\ncpu0 W 0x700 0x80408834 fault\n",
                  "cpu 0 writes MSR E01H: package, MSR_UNC_PERF_GLOBAL_CTRL ← EN\n"
                  "cpu 0 writes MSR 700H: C-Box 0 counter 0 ← UNC_CBO_CACHE_LOOKUP, umask ANY_I\n"
                  "  warning: bits 0x80000000 are reserved: the write faults\n"
                  "  it faulted\n");
}

/* Table 2-5: the number of C-Boxes is read-only. */
static void read_only(void **state)
{
    (void)state;
    expect_report("virtual:skl", "cpu0 W 0x396 0x5\n",
                  "cpu 0 writes MSR 396H: package, MSR_UNC_CBO_CONFIG ← NO_CBO_BANKS 5\n"
                  "  warning: the register is read-only: the write faults\n");
}

/* A machine with two slices has no third C-Box. */
static void no_such_unit(void **state)
{
    (void)state;
    expect_report("virtual:skl,cores=2,slices=2",
                  "cpu0 W 0x720 0x408834 fault\ncpu0 W 0xe01 0x20000000\n",
                  "cpu 0 writes MSR 720H: C-Box 2 counter 0 ← UNC_CBO_CACHE_LOOKUP, umask ANY_I\n"
                  "  warning: the machine has no C-Box 2: the write faults\n"
                  "  it faulted\n"
                  "cpu 0 writes MSR E01H: package, MSR_UNC_PERF_GLOBAL_CTRL ← EN\n");
}

/* 323535-001 p81/84: match and mask of the S-Box are written while MM_EN (MM_CFG bit 63) is 0. */
static void match_while_enabled(void **state)
{
    (void)state;
    static const char name[] = "SR0_CR_S_MSR_MM_CFG.MM_EN";
    char expected[640];
    snprintf(expected, sizeof expected,
             "cpu 0 writes MSR E49H: S-Box 0, SR0_CR_S_MSR_MATCH ← 0\n"
             "cpu 0 writes MSR E48H: S-Box 0, SR0_CR_S_MSR_MM_CFG ← MM_EN\n"
             "cpu 0 writes MSR E49H: S-Box 0, SR0_CR_S_MSR_MATCH ← 0\n"
             "  warning: it may be written only while %s is 0: the write faults\n"
             "cpu 0 writes MSR E48H: S-Box 0, SR0_CR_S_MSR_MM_CFG ← 0\n"
             "cpu 0 writes MSR E4AH: S-Box 0, SR0_CR_S_MSR_MASK ← 0\n",
             name);
    expect_report("virtual:nhmex",
                  "cpu0 W 0xe49 0x0\ncpu0 W 0xe48 0x8000000000000000\ncpu0 W 0xe49 0x0\n"
                  "cpu0 W 0xe48 0x0\ncpu0 W 0xe4a 0x0\n",
                  expected);
    /* In the M-Box this is a rule for the order of writes; breaking it does not fault (p114). */
    expect_report("virtual:nhmex", "cpu0 W 0xe54 0x8000000000000000\ncpu0 W 0xe55 0x1\n",
                  "cpu 0 writes MSR E54H: M-Box 0, MB0_CR_M_MSR_PMU_MM_CFG ← MM_EN\n"
                  "cpu 0 writes MSR E55H: M-Box 0, MB0_CR_M_MSR_PMU_ADDR_MATCH ← ADDR_MATCH 1\n"
                  "  warning: it may be written only while MB0_CR_M_MSR_PMU_MM_CFG.MM_EN is 0\n");
}

static void left_running(void **state)
{
    (void)state;
    expect_report("virtual:skl", "cpu0 W 0x711 0x408834\ncpu0 W 0xe01 0x20000000\n",
                  "cpu 0 writes MSR 711H: C-Box 1 counter 1 ← UNC_CBO_CACHE_LOOKUP, umask ANY_I\n"
                  "cpu 0 writes MSR E01H: package, MSR_UNC_PERF_GLOBAL_CTRL ← EN\n"
                  "  C-Box 1 counter 1 counts skl_unc_cbo1::UNC_CBO_CACHE_LOOKUP:ANY_I\n"
                  "at the end\n"
                  "  warning: C-Box 1 counter 1 is left running\n");
}

/* Table 2-3: a 1 clears a status bit, here bit 3, of the C-Boxes. */
static void status_not_cleared(void **state)
{
    (void)state;
    expect_report(
        "virtual:skl",
        "cpu0 R 0xe02 0x8\ncpu0 W 0xe02 0x0\ncpu0 W 0x700 0x508834\ncpu0 W 0xe01 0x20000000\n"
        "cpu0 W 0xe01 0x0\n",
        "cpu 0 reads MSR E02H: package, MSR_UNC_PERF_GLOBAL_STATUS = CBO_CTR_OVF\n"
        "cpu 0 writes MSR E02H: package, MSR_UNC_PERF_GLOBAL_STATUS ← 0\n"
        "  note: this clears nothing, which takes a 1\n"
        "cpu 0 writes MSR 700H: C-Box 0 counter 0 ← UNC_CBO_CACHE_LOOKUP, umask ANY_I, overflow "
        "reported\n"
        "cpu 0 writes MSR E01H: package, MSR_UNC_PERF_GLOBAL_CTRL ← EN\n"
        "  C-Box 0 counter 0 counts skl_unc_cbo0::UNC_CBO_CACHE_LOOKUP:ANY_I\n"
        "  warning: MSR_UNC_PERF_GLOBAL_STATUS.CBO_CTR_OVF, of an earlier overflow, has not been "
        "cleared\n"
        "cpu 0 writes MSR E01H: package, MSR_UNC_PERF_GLOBAL_CTRL ← 0\n"
        "  C-Box 0 counter 0 stops\n"
        "at the end\n"
        "  warning: MSR_UNC_PERF_GLOBAL_STATUS.CBO_CTR_OVF is left set\n");
    expect_report("virtual:skl", "cpu0 R 0xe02 0x8\ncpu0 W 0xe02 0x8\n",
                  "cpu 0 reads MSR E02H: package, MSR_UNC_PERF_GLOBAL_STATUS = CBO_CTR_OVF\n"
                  "cpu 0 writes MSR E02H: package, MSR_UNC_PERF_GLOBAL_STATUS ← CBO_CTR_OVF\n");
    /* 323535-001 p22: another register clears them. */
    expect_report("virtual:nhmex", "cpu0 R 0xd01 0x2\ncpu0 W 0xd02 0x2\ncpu0 R 0xd01 0x0\n",
                  "cpu 0 reads MSR D01H: C-Box 0, CB0_CR_C_MSR_PMON_GLOBAL_STATUS = OV1\n"
                  "cpu 0 writes MSR D02H: C-Box 0, CB0_CR_C_MSR_PMON_GLOBAL_OVF_CTL ← CLR_OV1\n");
}

/* 323535-001 p140: the erratum concerns values read that end in 000000H or 000001H, and starts that
 * end in FFFFFEH or FFFFFFH. */
static void erratum(void **state)
{
    (void)state;
    expect_report(
        "virtual:nhmex",
        "cpu0 R 0xd11 0x1000001\ncpu0 R 0xd11 0x1000002\ncpu0 R 0xd11 0x1\n"
        "cpu0 W 0xd11 0xfffffffffffe\ncpu0 W 0xd11 0xfffffffffffd\n",
        "cpu 0 reads MSR D11H: C-Box 0 counter 0 = 16777217\n"
        "  warning: an erratum: a count read that ends in 0 or 1 here is 0x1000000 too high\n"
        "cpu 0 reads MSR D11H: C-Box 0 counter 0 = 16777218\n"
        "cpu 0 reads MSR D11H: C-Box 0 counter 0 = 1\n"
        "cpu 0 writes MSR D11H: C-Box 0 counter 0 ← count 281474976710654\n"
        "  warning: an erratum: no count may start where its lowest 24 bits are 0xfffffe\n"
        "cpu 0 writes MSR D11H: C-Box 0 counter 0 ← count 281474976710653\n");
}

/* 323535-001 p15: RST_ALL is to be 0 again. p13 and 334060-001 table 2-2: a freeze needs a counter
 * that reports its overflow. */
static void reset_and_freeze(void **state)
{
    (void)state;
    expect_report(
        "virtual:nhmex",
        "cpu0 W 0xd10 0x400714\ncpu0 W 0xd00 1\ncpu0 W 0xc00 0xb0000000\ncpu0 W 0xd10 0x500714\n"
        "cpu0 W 0xc00 0x90000000\n",
        "cpu 0 writes MSR D10H: C-Box 0 counter 0 ← LLC_MISSES, umask ALL\n"
        "cpu 0 writes MSR D00H: C-Box 0, CB0_CR_C_MSR_PMON_GLOBAL_CTL ← CTR_EN0\n"
        "cpu 0 writes MSR C00H: U-Box, U_MSR_PMON_GLOBAL_CTL ← FRZ_ALL, RST_ALL, EN_ALL\n"
        "  warning: U_MSR_PMON_GLOBAL_CTL.FRZ_ALL freezes nothing: no counter that counts has "
        "PMI_EN set\n"
        "  C-Box 0 counter 0 counts nhmex_unc_cbox0::LLC_MISSES:ALL\n"
        "cpu 0 writes MSR D10H: C-Box 0 counter 0 ← LLC_MISSES, umask ALL, overflow reported\n"
        "cpu 0 writes MSR C00H: U-Box, U_MSR_PMON_GLOBAL_CTL ← FRZ_ALL, EN_ALL\n"
        "at the end\n"
        "  warning: C-Box 0 counter 0 is left running\n");
    expect_report(
        "virtual:nhmex", "cpu0 W 0xc00 0x20000000\n",
        "cpu 0 writes MSR C00H: U-Box, U_MSR_PMON_GLOBAL_CTL ← RST_ALL\n"
        "at the end\n"
        "  warning: U_MSR_PMON_GLOBAL_CTL.RST_ALL is left 1: a reset ends with a write of "
        "0\n");
}

/* 334060-001 table 3-1 has no event FFH. */
static void no_such_event(void **state)
{
    (void)state;
    expect_report("virtual:skl",
                  "cpu0 W 0x700 0x4000ff\ncpu0 W 0xe01 0x20000000\ncpu0 W 0x700 0x0\n",
                  "cpu 0 writes MSR 700H: C-Box 0 counter 0 ← RAW, code=0xff, umask=0x0\n"
                  "cpu 0 writes MSR E01H: package, MSR_UNC_PERF_GLOBAL_CTRL ← EN\n"
                  "  C-Box 0 counter 0 counts skl_unc_cbo0::RAW:code=0xff:umask=0x0\n"
                  "  warning: C-Box 0 counter 0 can count no event of this code\n"
                  "cpu 0 writes MSR 700H: C-Box 0 counter 0 ← 0\n"
                  "  C-Box 0 counter 0 stops\n");
}

/* 001 table 3-2: the ARB's occupancy is on counter 0 only; 002 table A-1: FLOPS too. */
static void wrong_counter(void **state)
{
    (void)state;
    expect_report("virtual:skl", "cpu0 W 0x3b3 0x180\ncpu0 W 0x3b3 0x400180\n",
                  "cpu 0 writes MSR 3B3H: ARB counter 1 ← UNC_ARB_TRK_OCCUPANCY, umask ALL, not "
                  "enabled\n"
                  "cpu 0 writes MSR 3B3H: ARB counter 1 ← UNC_ARB_TRK_OCCUPANCY, umask ALL\n"
                  "  warning: code 0x80 counts nothing on counter 1; counters that can: 0\n");
    expect_report("virtual:p6", "cpu0 W 0x187 0x300c1\n",
                  "cpu 0 writes MSR 187H: CPU of CPU 0 counter 1 ← FLOPS\n"
                  "  warning: code 0xc1 counts nothing on counter 1; counters that can: 0\n");
    expect_report("virtual:nhmex", "cpu0 W 0xc36 0xf\n",
                  "cpu 0 writes MSR C36H: B-Box 0 counter 3 ← RAW, code=0x7, counter=3\n"
                  "  warning: code 0x7 counts nothing on counter 3; counters that can: 0, 1, 2\n");
}

/* A write that does not fault shows that its C-Box exists: 329468-002 has up to 15. */
static void units_of_the_log(void **state)
{
    (void)state;
    expect_report("virtual:ivbep", "cpu0 W 0xe90 0x400000\ncpu0 W 0xc00 0x20000000\n",
                  "cpu 0 writes MSR E90H: C-Box 12 counter 0 ← UNC_C_CLOCKTICKS\n"
                  "  C-Box 12 counter 0 counts ivbep_unc_cbo12::UNC_C_CLOCKTICKS\n"
                  "cpu 0 writes MSR C00H: U-Box, U_MSR_PMON_GLOBAL_CTL ← UNFRZ_ALL\n"
                  "at the end\n"
                  "  warning: C-Box 12 counter 0 is left running\n");
}

/* 002 figure A-1: EN of the first control enables both counters. A control without a privilege
 * level counts nothing. */
static void two_controls_of_the_p6(void **state)
{
    (void)state;
    expect_report("virtual:p6",
                  "cpu0 W 0x186 0x4300c0\ncpu0 W 0x187 0x300c0\ncpu0 W 0x187 0x30079\n"
                  "cpu0 W 0x186 0x0\n",
                  "cpu 0 writes MSR 186H: CPU of CPU 0 counter 0 ← INST_RETIRED\n"
                  "  CPU of CPU 0 counter 0 counts p6::INST_RETIRED\n"
                  "cpu 0 writes MSR 187H: CPU of CPU 0 counter 1 ← INST_RETIRED\n"
                  "  CPU of CPU 0 counter 1 counts p6::INST_RETIRED\n"
                  "cpu 0 writes MSR 187H: CPU of CPU 0 counter 1 ← CPU_CLK_UNHALTED\n"
                  "  CPU of CPU 0 counter 1 counts p6::CPU_CLK_UNHALTED\n"
                  "cpu 0 writes MSR 186H: CPU of CPU 0 counter 0 ← 0\n"
                  "  CPU of CPU 0 counter 0 stops\n"
                  "  CPU of CPU 0 counter 1 stops\n");
}

/* 329468-002: RST_CTRL of the box control clears controls. There is no warning for a control whose
 * counter was read. */
static void a_reset_of_what_was_set(void **state)
{
    (void)state;
    expect_report("virtual:ivbep",
                  "cpu0 W 0xd11 0x400000\ncpu0 W 0xd04 0x30003\ncpu0 W 0xd11 0x400000\n"
                  "cpu0 R 0xd17 0x5\ncpu0 W 0xd04 0x30003\n",
                  "cpu 0 writes MSR D11H: C-Box 0 counter 1 ← UNC_C_CLOCKTICKS\n"
                  "  C-Box 0 counter 1 counts ivbep_unc_cbo0::UNC_C_CLOCKTICKS\n"
                  "cpu 0 writes MSR D04H: C-Box 0, C0_MSR_PMON_BOX_CTL ← RST_CTRL, RST_CTRS, "
                  "MUST_BE_ONE 3\n"
                  "  warning: this resets the control of C-Box 0 counter 1, which was just set\n"
                  "  C-Box 0 counter 1 stops\n"
                  "cpu 0 writes MSR D11H: C-Box 0 counter 1 ← UNC_C_CLOCKTICKS\n"
                  "  C-Box 0 counter 1 counts ivbep_unc_cbo0::UNC_C_CLOCKTICKS\n"
                  "cpu 0 reads MSR D17H: C-Box 0 counter 1 = 5\n"
                  "cpu 0 writes MSR D04H: C-Box 0, C0_MSR_PMON_BOX_CTL ← RST_CTRL, RST_CTRS, "
                  "MUST_BE_ONE 3\n"
                  "  C-Box 0 counter 1 stops\n");
}

/* 001 table 1-1: E01H replaces 391H. */
static void never_enabled(void **state)
{
    (void)state;
    expect_report(
        "virtual:skl", "cpu0 W 0x391 0x2000000f\ncpu0 W 0x700 0x408834\ncpu0 R 0x706 0x0\n",
        "cpu 0 writes MSR 391H: core PMU: set of the global status, counters in use ← "
        "0x2000000f\n"
        "  warning: this is not MSR_UNC_PERF_GLOBAL_CTRL, as in earlier generations; it is "
        "MSR E01H\n"
        "cpu 0 writes MSR 700H: C-Box 0 counter 0 ← UNC_CBO_CACHE_LOOKUP, umask ANY_I\n"
        "cpu 0 reads MSR 706H: C-Box 0 counter 0 = 0\n"
        "at the end\n"
        "  warning: C-Box 0 counter 0 was set and read, and never counted: "
        "MSR_UNC_PERF_GLOBAL_CTRL.EN was not 1\n");
}

/* Linux arch/x86/events/intel/uncore_snbep.c: the states that a lookup counts are in FILTER0. */
static void no_state(void **state)
{
    (void)state;
    expect_report("virtual:ivbep", "cpu0 W 0xd10 0x401134\ncpu0 W 0xd10 0x0\n",
                  "cpu 0 writes MSR D10H: C-Box 0 counter 0 ← UNC_C_LLC_LOOKUP, umask ANY\n"
                  "  C-Box 0 counter 0 counts ivbep_unc_cbo0::UNC_C_LLC_LOOKUP:ANY\n"
                  "  warning: C0_MSR_PMON_BOX_FILTER0.STATE is 0, which lets nothing through: it "
                  "counts nothing\n"
                  "cpu 0 writes MSR D10H: C-Box 0 counter 0 ← 0\n"
                  "  C-Box 0 counter 0 stops\n");
}

/* 323535-001 p17, as we read it: bits 17:8 of the U-Box's select register are ignored. LIKWID has
 * event codes of nine bits there. */
static void ignored_bits(void **state)
{
    (void)state;
    expect_report("virtual:nhmex", "cpu0 W 0xc10 0x400102\n",
                  "cpu 0 writes MSR C10H: U-Box counter 0 ← BUF_VALID_LOCK\n"
                  "  note: bits 0x100 are ignored\n");
}

/* SDM volume 3B: a fixed counter counts while its bit of IA32_PERF_GLOBAL_CTRL is 1 and a privilege
 * level is chosen in IA32_FIXED_CTR_CTRL. */
static void fixed_counters_that_cannot_count(void **state)
{
    (void)state;
    expect_report("virtual:skl", "cpu0 W 0x38d 0x2\ncpu0 R 0x309 0x0\n",
                  "cpu 0 writes MSR 38DH: core 0, IA32_FIXED_CTR_CTRL ← USR0\n"
                  "cpu 0 reads MSR 309H: core 0 counter 8 = 0\n"
                  "at the end\n"
                  "  warning: core 0 counter 8 was set and read, and never counted: "
                  "IA32_PERF_GLOBAL_CTRL.EN_FIXED0 was not 1\n");
    expect_report("virtual:skl", "cpu0 W 0x38f 0x200000000\ncpu0 R 0x30a 0x0\n",
                  "cpu 0 writes MSR 38FH: core 0, IA32_PERF_GLOBAL_CTRL ← EN_FIXED1\n"
                  "cpu 0 reads MSR 30AH: core 0 counter 9 = 0\n"
                  "at the end\n"
                  "  warning: core 0 counter 9 was set and read, and never counted: "
                  "IA32_FIXED_CTR_CTRL.USR1 and OS1 are 0: no privilege level is counted\n");
    /* What was never set is no mistake. */
    expect_report("virtual:skl", "cpu0 R 0x309 0x0\n",
                  "cpu 0 reads MSR 309H: core 0 counter 8 = 0\n");
    /* One that counted for a time has counted. */
    expect_report("virtual:nhmex",
                  "cpu0 W 0x38d 0x20\ncpu0 W 0x38f 0x200000000\ncpu0 W 0x38f 0x0\n"
                  "cpu0 R 0x30a 0x5\n",
                  "cpu 0 writes MSR 38DH: core 0, IA32_FIXED_CTR_CTRL ← USR1\n"
                  "cpu 0 writes MSR 38FH: core 0, IA32_PERF_GLOBAL_CTRL ← EN_FIXED1\n"
                  "  core 0 counter 5 counts nhmex_core0::CPU_CLK_UNHALTED_CORE:u=1\n"
                  "cpu 0 writes MSR 38FH: core 0, IA32_PERF_GLOBAL_CTRL ← 0\n"
                  "  core 0 counter 5 stops\n"
                  "cpu 0 reads MSR 30AH: core 0 counter 5 = 5\n");
}

/* The privilege levels of a fixed counter are in a register of all of them. */
static void levels_of_fixed_counters(void **state)
{
    (void)state;
    static const struct {
        const char *value, *fields, *levels;
    } cases[] = {
        {"0x1", "OS0", ":k=1"},
        {"0x2", "USR0", ":u=1"},
        {"0x3", "OS0, USR0", ""},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char log[128], expected[512];
        snprintf(log, sizeof log, "cpu0 W 0x38f 0x100000000\ncpu0 W 0x38d %s\ncpu0 W 0x38d 0\n",
                 cases[i].value);
        snprintf(expected, sizeof expected,
                 "cpu 0 writes MSR 38FH: core 0, IA32_PERF_GLOBAL_CTRL ← EN_FIXED0\n"
                 "cpu 0 writes MSR 38DH: core 0, IA32_FIXED_CTR_CTRL ← %s\n"
                 "  core 0 counter 8 counts skl_core0::INSTR_RETIRED_ANY%s\n"
                 "cpu 0 writes MSR 38DH: core 0, IA32_FIXED_CTR_CTRL ← 0\n"
                 "  core 0 counter 8 stops\n",
                 cases[i].fields, cases[i].levels);
        expect_report("virtual:skl", log, expected);
    }
}

/* SDM volume 3B, figure of IA32_PERFEVTSELx: with USR and OS 0 nothing is counted. Of the P6:
 * document 002, section 3.3. */
static void no_privilege_level(void **state)
{
    (void)state;
    expect_report("virtual:skl", "cpu0 W 0x186 0x4000c4\ncpu0 R 0xc1 0x0\n",
                  "cpu 0 writes MSR 186H: core 0 counter 0 ← BR_INST_RETIRED, umask "
                  "ALL_BRANCHES, u=0, k=0\n"
                  "  warning: IA32_PERFEVTSEL0.USR and OS are 0: no privilege level is counted\n"
                  "cpu 0 reads MSR C1H: core 0 counter 0 = 0\n"
                  "at the end\n"
                  "  warning: core 0 counter 0 was set and read, and never counted: "
                  "IA32_PERFEVTSEL0.USR and OS are 0: no privilege level is counted\n");
}

/* 334060-001 table 2-7 and SDM volume 3B: invert turns the comparison with a threshold around. With
 * a threshold of 0 there is none. */
static void invert_without_threshold(void **state)
{
    (void)state;
    expect_report("virtual:skl",
                  "cpu0 W 0xe01 0x20000000\ncpu0 W 0x700 0xc08f34\ncpu0 W 0x700 0x1c08f34\n"
                  "cpu0 W 0x700 0x0\n",
                  "cpu 0 writes MSR E01H: package, MSR_UNC_PERF_GLOBAL_CTRL ← EN\n"
                  "cpu 0 writes MSR 700H: C-Box 0 counter 0 ← UNC_CBO_CACHE_LOOKUP, umask "
                  "ANY_MESI, inverted\n"
                  "  C-Box 0 counter 0 counts skl_unc_cbo0::UNC_CBO_CACHE_LOOKUP:ANY_MESI:i=1\n"
                  "  warning: modifier 'i' needs 't', which is 0: nothing is inverted, all is "
                  "counted\n"
                  "cpu 0 writes MSR 700H: C-Box 0 counter 0 ← UNC_CBO_CACHE_LOOKUP, umask "
                  "ANY_MESI, threshold 1, inverted\n"
                  "  C-Box 0 counter 0 counts "
                  "skl_unc_cbo0::UNC_CBO_CACHE_LOOKUP:ANY_MESI:i=1:t=1\n"
                  "cpu 0 writes MSR 700H: C-Box 0 counter 0 ← 0\n"
                  "  C-Box 0 counter 0 stops\n");
    expect_report("virtual:p6", "cpu0 W 0x186 0xc30043\ncpu0 W 0x186 0x0\n",
                  "cpu 0 writes MSR 186H: CPU of CPU 0 counter 0 ← DATA_MEM_REFS, inverted\n"
                  "  CPU of CPU 0 counter 0 counts p6::DATA_MEM_REFS:i=1\n"
                  "  warning: modifier 'i' needs 'c', which is 0: nothing is inverted, all is "
                  "counted\n"
                  "cpu 0 writes MSR 186H: CPU of CPU 0 counter 0 ← 0\n"
                  "  CPU of CPU 0 counter 0 stops\n");
}

/* 334060-001 table 3-1: each unit mask of a lookup has a state and a request. */
static void half_a_unit_mask(void **state)
{
    (void)state;
    expect_report("virtual:skl",
                  "cpu0 W 0xe01 0x20000000\ncpu0 W 0x700 0x401034\n"
                  "cpu0 W 0x700 0x400834\ncpu0 W 0x700 0x0\n",
                  "cpu 0 writes MSR E01H: package, MSR_UNC_PERF_GLOBAL_CTRL ← EN\n"
                  "cpu 0 writes MSR 700H: C-Box 0 counter 0 ← UNC_CBO_CACHE_LOOKUP, umask=0x10\n"
                  "  C-Box 0 counter 0 counts skl_unc_cbo0::UNC_CBO_CACHE_LOOKUP:umask=0x10\n"
                  "  warning: the unit mask 0x10 chooses no state, which lets nothing through: it "
                  "counts nothing\n"
                  "cpu 0 writes MSR 700H: C-Box 0 counter 0 ← UNC_CBO_CACHE_LOOKUP, umask=0x8\n"
                  "  C-Box 0 counter 0 counts skl_unc_cbo0::UNC_CBO_CACHE_LOOKUP:umask=0x8\n"
                  "  warning: the unit mask 0x8 chooses no request, which lets nothing through: it "
                  "counts nothing\n"
                  "cpu 0 writes MSR 700H: C-Box 0 counter 0 ← 0\n"
                  "  C-Box 0 counter 0 stops\n");
}

/* Off-core response is an event before the register of its requests is written: then it lets
 * nothing through (intel/perfmon SKL skylake_core.json). */
static void off_core_before_its_register(void **state)
{
    (void)state;
    expect_report("virtual:skl", "cpu0 W 0x186 0x4301b7\ncpu0 W 0x1a6 0x10001\ncpu0 W 0x186 0x0\n",
                  "cpu 0 writes MSR 186H: core 0 counter 0 ← OFFCORE_RESPONSE, umask=0x0, "
                  "response=0x0\n"
                  "  core 0 counter 0 counts skl_core0::OFFCORE_RESPONSE:umask=0x0:response=0x0\n"
                  "  warning: MSR_OFFCORE_RSP_0 chooses nothing, which lets nothing through: it "
                  "counts nothing\n"
                  "cpu 0 writes MSR 1A6H: core 0, MSR_OFFCORE_RSP_0 ← REQUEST 1, RESPONSE 1\n"
                  "  core 0 counter 0 counts "
                  "skl_core0::OFFCORE_RESPONSE:DEMAND_DATA_RD:ANY_RESPONSE\n"
                  "cpu 0 writes MSR 186H: core 0 counter 0 ← 0\n"
                  "  core 0 counter 0 stops\n");
}

/* All unit masks of these events have a value in a register of their own, which is not 0
 * (intel/perfmon SKL skylake_core.json). Other values than those of the names are no mistake. */
static void events_before_their_own_register(void **state)
{
    (void)state;
    expect_report(
        "virtual:skl",
        "cpu0 W 0x186 0x4301cd\ncpu0 W 0x3f6 0x20\ncpu0 W 0x186 0x0\n"
        "cpu0 W 0x186 0x4301cd\ncpu0 W 0x186 0x0\n"
        "cpu0 W 0x3f7 0x400306\ncpu0 W 0x186 0x4301c6\ncpu0 W 0x186 0x0\n"
        "cpu0 W 0x3f7 0x0\ncpu0 W 0x186 0x4301c6\ncpu0 W 0x186 0x0\n",
        "cpu 0 writes MSR 186H: core 0 counter 0 ← MEM_TRANS_RETIRED, umask=0x1\n"
        "  core 0 counter 0 counts skl_core0::MEM_TRANS_RETIRED:umask=0x1\n"
        "  warning: MSR_PEBS_LD_LAT.THRESHOLD is 0: no unit mask of MEM_TRANS_RETIRED has "
        "this, what it counts is not known\n"
        "cpu 0 writes MSR 3F6H: core 0, MSR_PEBS_LD_LAT ← THRESHOLD 0x20\n"
        "  core 0 counter 0 counts skl_core0::MEM_TRANS_RETIRED:LOAD_LATENCY_GT_32\n"
        "cpu 0 writes MSR 186H: core 0 counter 0 ← 0\n"
        "  core 0 counter 0 stops\n"
        "cpu 0 writes MSR 186H: core 0 counter 0 ← MEM_TRANS_RETIRED, umask "
        "LOAD_LATENCY_GT_32\n"
        "  core 0 counter 0 counts skl_core0::MEM_TRANS_RETIRED:LOAD_LATENCY_GT_32\n"
        "cpu 0 writes MSR 186H: core 0 counter 0 ← 0\n"
        "  core 0 counter 0 stops\n"
        "cpu 0 writes MSR 3F7H: core 0, MSR_PEBS_FRONTEND ← EVENT 6, LENGTH 3, WIDTH 4\n"
        "cpu 0 writes MSR 186H: core 0 counter 0 ← FRONTEND_RETIRED, umask=0x1, fe=0x6, "
        "bubbles=0x3, width=0x4\n"
        "  core 0 counter 0 counts "
        "skl_core0::FRONTEND_RETIRED:umask=0x1:fe=0x6:bubbles=0x3:width=0x4\n"
        "cpu 0 writes MSR 186H: core 0 counter 0 ← 0\n"
        "  core 0 counter 0 stops\n"
        "cpu 0 writes MSR 3F7H: core 0, MSR_PEBS_FRONTEND ← 0\n"
        "cpu 0 writes MSR 186H: core 0 counter 0 ← FRONTEND_RETIRED, umask=0x1\n"
        "  core 0 counter 0 counts skl_core0::FRONTEND_RETIRED:umask=0x1\n"
        "  warning: MSR_PEBS_FRONTEND.EVENT is 0: no unit mask of FRONTEND_RETIRED has "
        "this, what it counts is not known\n"
        "cpu 0 writes MSR 186H: core 0 counter 0 ← 0\n"
        "  core 0 counter 0 stops\n");
}

/* A write that the documents say faults changes nothing, also where the log does not say that it
 * faulted: the counter keeps what it counted before. */
static void a_fault_changes_nothing(void **state)
{
    (void)state;
    expect_report("virtual:skl",
                  "cpu0 W 0xe01 0x20000000\ncpu0 W 0x700 0x438f34\ncpu0 W 0x700 0x408834\n"
                  "cpu0 W 0x700 0x438f34\ncpu0 W 0x700 0x0\n",
                  "cpu 0 writes MSR E01H: package, MSR_UNC_PERF_GLOBAL_CTRL ← EN\n"
                  "cpu 0 writes MSR 700H: C-Box 0 counter 0 ← UNC_CBO_CACHE_LOOKUP, umask "
                  "ANY_MESI\n"
                  "  warning: bits 0x30000 are reserved: the write faults\n"
                  "cpu 0 writes MSR 700H: C-Box 0 counter 0 ← UNC_CBO_CACHE_LOOKUP, umask ANY_I\n"
                  "  C-Box 0 counter 0 counts skl_unc_cbo0::UNC_CBO_CACHE_LOOKUP:ANY_I\n"
                  "cpu 0 writes MSR 700H: C-Box 0 counter 0 ← UNC_CBO_CACHE_LOOKUP, umask "
                  "ANY_MESI\n"
                  "  warning: bits 0x30000 are reserved: the write faults\n"
                  "cpu 0 writes MSR 700H: C-Box 0 counter 0 ← 0\n"
                  "  C-Box 0 counter 0 stops\n");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(reserved_bits),
        cmocka_unit_test(reserved_bits_in_pci_space),
        cmocka_unit_test(faults),
        cmocka_unit_test(read_only),
        cmocka_unit_test(no_such_unit),
        cmocka_unit_test(match_while_enabled),
        cmocka_unit_test(left_running),
        cmocka_unit_test(status_not_cleared),
        cmocka_unit_test(erratum),
        cmocka_unit_test(reset_and_freeze),
        cmocka_unit_test(no_such_event),
        cmocka_unit_test(wrong_counter),
        cmocka_unit_test(units_of_the_log),
        cmocka_unit_test(two_controls_of_the_p6),
        cmocka_unit_test(a_reset_of_what_was_set),
        cmocka_unit_test(never_enabled),
        cmocka_unit_test(no_state),
        cmocka_unit_test(ignored_bits),
        cmocka_unit_test(fixed_counters_that_cannot_count),
        cmocka_unit_test(levels_of_fixed_counters),
        cmocka_unit_test(no_privilege_level),
        cmocka_unit_test(invert_without_threshold),
        cmocka_unit_test(off_core_before_its_register),
        cmocka_unit_test(events_before_their_own_register),
        cmocka_unit_test(a_fault_changes_nothing),
        cmocka_unit_test(half_a_unit_mask),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* boxscore allowlist: msr-safe's format, with masks typed from the documents. */
#include "../cmocked.h"

#include "cli/parsed.h"
#include "cli/run.h"

#include <stdlib.h>
#include <string.h>

static const struct {
    const char *cpu, *line;
} lines[] = {
    /* 334060-001 tables 2-1, 2-2, 2-3, 2-5, 2-7 and 2-8 */
    {"skl", "\n0x00000700 0x000000001fd4ffff # MSR_UNC_CBO_0_PERFEVTSEL0\n"},
    {"skl", "\n0x00000731 0x000000001fd4ffff # MSR_UNC_CBO_3_PERFEVTSEL1\n"},
    {"skl", "\n0x00000706 0x00000fffffffffff # MSR_UNC_CBO_0_PERFCTR0\n"},
    {"skl", "\n0x00000e01 0x00000000e000001f # MSR_UNC_PERF_GLOBAL_CTRL\n"},
    {"skl", "\n0x00000e02 0x000000000000000b # MSR_UNC_PERF_GLOBAL_STATUS\n"},
    {"skl", "\n0x00000395 0x0000ffffffffffff # MSR_UNC_PERF_FIXED_CTR\n"},
    {"skl", "\n0x00000396 0x0000000000000000 # MSR_UNC_CBO_CONFIG\n"},
    /* 329468-002: C-Box 14 is at D04H + 14 x 20H */
    {"ivbep", "\n0x00000d10 0x00000000ff4effff # C0_MSR_PMON_CTL0\n"},
    {"ivbep", "\n0x00000ec4 0x0000000000000103 # C14_MSR_PMON_BOX_CTL\n"},
    {"ivbep", "\n0x00000d16 0x00000fffffffffff # C0_MSR_PMON_CTR0\n"},
    /* 323535-001 p137 to p140, p44, p23 */
    {"nhmex", "\n0x00000c90 0x00000000ffd4ffff # W_MSR_PMON_EVT_SEL_0\n"},
    {"nhmex", "\n0x00000c31 0x0000ffffffffffff # BB0_CR_B_MSR_PERF_CNT0_REG\n"},
    {"nhmex", "\n0x00000d00 0x000000000000003f # CB0_CR_C_MSR_PMON_GLOBAL_CTL\n"},
    /* SDM volume 3, performance monitoring of the P6 family */
    {"p6", "\n0x00000186 0x00000000ffdfffff # PerfEvtSel0\n"},
    {"p6", "\n0x00000187 0x00000000ff9fffff # PerfEvtSel1\n"},
    {"p6", "\n0x000000c1 0x000000ffffffffff # PerfCtr0\n"},
};

static void masks(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof lines / sizeof *lines; i++) {
        ran r = RUN("allowlist", "--cpu", lines[i].cpu);
        assert_has(r.out, lines[i].line);
        assert_silent(&r);
    }
}

/* Each line is a comment, or an address of 8 and a mask of 16 hex digits and a comment; addresses
 * ascend. */
static void form(void **state)
{
    (void)state;
    ran r = RUN("allowlist", "--cpu", "nhmex");
    unsigned long last = 0;
    unsigned n = 0;
    char *save = NULL;
    for (char *line = strtok_r(r.out, "\n", &save); line; line = strtok_r(NULL, "\n", &save), n++) {
        if (line[0] == '#')
            continue;
        unsigned long address = strtoul(line, NULL, 16);
        assert_true(address > last);
        last = address;
        assert_int_equal(strspn(line + 2, "0123456789abcdef"), 8);
        assert_memory_equal(line + 10, " 0x", 3);
        assert_int_equal(strspn(line + 13, "0123456789abcdef"), 16);
        assert_memory_equal(line + 29, " # ", 3);
    }
    assert_true(n > 300);
    assert_silent(&r);
}

/* The list of a machine has the units of that machine, and each register of cores once. It never
 * has LBRs or other registers that count nothing. */
static void of_a_machine(void **state)
{
    (void)state;
    ran r = RUN("allowlist", "--machine", "virtual:skl,part=plain,cores=2");
    assert_has(r.out, "0x00000710 ");
    assert_has_not(r.out, "0x00000720 ");
    assert_has_not(r.out, "0x00000680 ");
    assert_silent(&r);
    r = RUN("allowlist", "--cpu", "skl", "--json");
    struct json_object *all = parse(r.out);
    /* 4 x 4, 4, 2, 2 and MSR_UNC_CBO_CONFIG; for cores 8 + 16, 3, 4 and 4 filters */
    assert_int_equal(json_object_array_length(all), 25 + 35);
    json_object_put(all);
    assert_silent(&r);
    r = RUN("allowlist", "--cpu", "sky");
    assert_int_equal(r.status, 1);
    ran_free(&r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(masks),
        cmocka_unit_test(form),
        cmocka_unit_test(of_a_machine),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

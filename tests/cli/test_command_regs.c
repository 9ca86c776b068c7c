/* boxscore regs on a machine in a folder, and on virtual machines: what it reads and decodes, and
 * its messages if reading fails. Nothing is written. */
#include "../cmocked.h"

#include "cli/parsed.h"
#include "cli/run.h"

#include <stdio.h>
#include <string.h>

/* Writes a little-endian register at its number's place in a plain file. */
static const char machine[] =
    "set -e\nR=$(mktemp -d)\ntrap 'rm -rf $R' EXIT\n"
    "mkdir -p $R/proc $R/dev/cpu/0 $R/sys/devices/system/cpu\n"
    "printf 'processor\\t: 0\\nvendor_id\\t: GenuineIntel\\ncpu family\\t: 6\\nmodel\\t\\t: 94\\n'"
    " > $R/proc/cpuinfo\n"
    "echo 0 > $R/sys/devices/system/cpu/online\n"
    "poke() { printf \"$2\" | dd of=$R/dev/cpu/0/msr bs=1 seek=$(($1)) conv=notrunc status=none; "
    "}\n"
    "poke 0xe02 '\\0\\0\\0\\0\\0\\0\\0\\0'\n"
    "poke 0x396 '\\5'\n"; /* four C-Boxes */

static ran show(const char *changes, const char *options)
{
    char script[4096];
    snprintf(script, sizeof script,
             "%s%s\nS=$(cksum $R/dev/cpu/0/msr)\n\"$BOXSCORE\" regs --root $R %s\n"
             "test \"$S\" = \"$(cksum $R/dev/cpu/0/msr)\"\n",
             machine, changes, options);
    return run_shell(script);
}

/* 334060-001 table 2-7: 408834H is EVT_SEL 34H, UMASK 88H and EN; table 2-2: EN is bit 29. */
static void fields_and_events(void **state)
{
    (void)state;
    ran r = show("poke 0x710 '\\x34\\x88\\x40'\npoke 0xe04 '\\x20'\n", "");
    assert_has(r.out, "C-Box 1 (skl_unc_cbo)\n"
                      "  msr  0x710          MSR_UNC_CBO_1_PERFEVTSEL0        0x408834\n"
                      "      EVT_SEL 0x34, UMASK 0x88, EN 0x1\n"
                      "      selects skl_unc_cbo1::UNC_CBO_CACHE_LOOKUP:ANY_I\n");
    assert_has(r.out, "  msr  0xe01          MSR_UNC_PERF_GLOBAL_CTRL         0x20000000\n"
                      "      EN 0x1\n");
    assert_has(r.out, "MSR_UNC_CBO_CONFIG               0x5\n");
    assert_has(r.out, " registers hold 0\n");
    assert_has_not(r.out, "C-Box 2");
    assert_silent(&r);
}

/* The folder has neither PCI configuration space nor memory. */
static void what_cannot_be_read(void **state)
{
    (void)state;
    ran r = show("", "--all");
    assert_has(r.out, "  pci  00:00.0+0x48   MCHBAR                           No such device");
    assert_has(r.out, "  msr  0x731          MSR_UNC_CBO_3_PERFEVTSEL1        0x0\n");
    assert_has_not(r.out, "registers hold 0");
    assert_silent(&r);
    r = show("poke 0x702 '\\x0f'\n", "--pmu skl_unc_cbo");
    assert_has(r.out, "C-Box 0 (skl_unc_cbo)\n");
    assert_has(r.out, "      bits 0xb0000 are not described\n");
    assert_has_not(r.out, "MCHBAR");
    assert_silent(&r);
}

static void as_json(void **state)
{
    (void)state;
    ran r = show("poke 0x710 '\\x34\\x88\\x40'\n", "--json --pmu skl_unc_cbo");
    struct json_object *all = parse(r.out), *one = NULL;
    assert_int_equal(json_object_array_length(all) > 0, 1);
    for (size_t i = 0; i < json_object_array_length(all); i++) {
        struct json_object *o = json_object_array_get_idx(all, i);
        if (strcmp(json_object_get_string(json_object_object_get(o, "address")), "0x710") == 0)
            one = o;
    }
    assert_non_null(one);
    assert_string_equal(json_object_get_string(json_object_object_get(one, "value")), "0x408834");
    assert_string_equal(json_object_get_string(json_object_object_get(one, "event")),
                        "skl_unc_cbo1::UNC_CBO_CACHE_LOOKUP:ANY_I");
    assert_int_equal(json_object_get_int(json_object_object_get(one, "unit")), 1);
    json_object_put(all);
    assert_silent(&r);
}

static void refusals(void **state)
{
    (void)state;
    ran r = show("", "--pmu nothing");
    assert_int_equal(r.status, 1);
    assert_has(r.err, "skl has no PMU 'nothing'\n  hint: boxscore info skl names its PMUs\n");
    ran_free(&r);
    r = show("rm $R/dev/cpu/0/msr; mkdir $R/none; touch $R/dev/cpu/0/msr; rm -r $R/dev/cpu/0; "
             "mkdir -p $R/dev/cpu/0; touch $R/dev/cpu/0/x",
             "");
    assert_int_equal(r.status, 1);
    assert_has(r.err, "/dev/cpu/0/msr: No such file or directory\n");
    assert_string_equal(r.out, "");
    ran_free(&r);
}

/* Virtual machines have the documents' reset values, such as 30000H of the Xeon E5's box
 * control. */
static void virtual_machines(void **state)
{
    (void)state;
    ran r = RUN("regs", "--machine", "virtual:ivbep,part=plain,cores=2,packages=2");
    assert_has(r.out, "package 1, C-Box 1 (ivbep_unc_cbo)\n"
                      "  msr  0xd24          C1_MSR_PMON_BOX_CTL              0x30000\n");
    assert_has_not(r.out, "C-Box 2");
    assert_silent(&r);
    r = RUN("regs", "--machine", "virtual:p6,part=plain", "--all");
    assert_has(r.out, "core 0, CPU (p6)\n");
    assert_has(r.out, "PerfEvtSel0");
    assert_silent(&r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(fields_and_events), cmocka_unit_test(what_cannot_be_read),
        cmocka_unit_test(as_json),           cmocka_unit_test(refusals),
        cmocka_unit_test(virtual_machines),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

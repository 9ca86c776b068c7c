/* boxscore decode: bits typed from 334060-001 tables 2-2, 2-6 and 2-7, the manual page of the Ivy
 * Bridge-EP C-Box and document 002; JSON as in docs/reference/output.md. */
#include "../cpu_names.h"
#include "cli/parsed.h"
#include "cli/run.h"

#include "base/nearest.h"

#include <stdio.h>
#include <string.h>

static void assert_field(json_object *fields, size_t i, const char *field, const char *bits,
                         const char *value)
{
    json_object *f = json_object_array_get_idx(fields, i);
    assert_members(f, 4);
    assert_member(f, "register", "MSR_UNC_CBO_1_PERFEVTSEL1");
    assert_member(f, "field", field);
    assert_member(f, "bits", bits);
    assert_member(f, "value", value);
}

/* Table 2-7: EVT_SEL 7:0, UMASK 15:8, E 18, OVF_EN 20, EN 22, INV 23, THR 28:24; their names in
 * lower case (docs/reference/output.md). */
static void as_json(void **state)
{
    (void)state;
    ran r = RUN("decode", "--json", "--cpu", "skl", "0x711=0x2548834", "msr:0xe01=0x20000000");
    json_object *all = parse(r.out);
    assert_int_equal(json_object_array_length(all), 1);
    json_object *o = json_object_array_get_idx(all, 0);
    assert_members(o, 7);
    assert_member(o, "event", "skl_unc_cbo1::UNC_CBO_CACHE_LOOKUP:ANY_I:e=1:t=2");
    assert_int_equal(json_object_get_int(member(o, "unit")), 1);
    assert_int_equal(json_object_get_int(member(o, "counter")), 1);
    json_object *reg = json_object_array_get_idx(member(o, "registers"), 0);
    assert_member(reg, "address", "0x711");
    assert_member(reg, "value", "0x2548834");
    assert_member(o, "perf", "uncore_cbox_1/event=0x34,umask=0x88,edge=1,cmask=2/");
    json_object *fields = member(o, "fields");
    assert_int_equal(json_object_array_length(fields), 7);
    assert_field(fields, 0, "evt_sel", "7:0", "0x34");
    assert_field(fields, 1, "umask", "15:8", "0x88");
    assert_field(fields, 2, "e", "18", "0x1");
    assert_field(fields, 3, "ovf_en", "20", "0x1");
    assert_field(fields, 4, "en", "22", "0x1");
    assert_field(fields, 5, "inv", "23", "0x0");
    assert_field(fields, 6, "thr", "28:24", "0x2");
    json_object_put(all);
    assert_silent(&r);
}

/* A code on a counter that cannot count it: 001 table 3-2, 002 table A-1, 323535-001 p48. */
static void wrong_counters(void **state)
{
    (void)state;
    ran r = RUN("decode", "--cpu=skl", "0x3b3=0x400180");
    assert_has(r.out, "  note       code 0x80 counts nothing on counter 1; counters that can: 0\n");
    ran_free(&r);
    r = RUN("decode", "--cpu=skl", "0x3b2=0x400180");
    assert_null(strstr(r.out, "note"));
    ran_free(&r);
    r = RUN("decode", "--cpu=p6", "0x187=0x4300c1");
    assert_has(r.out, "  note       code 0xc1 counts nothing on counter 1; counters that can: 0\n");
    ran_free(&r);
    r = RUN("decode", "--cpu=nhmex", "0xc36=0xf");
    assert_has(r.out,
               "  note       code 0x7 counts nothing on counter 3; counters that can: 0, 1, 2\n");
    ran_free(&r);
    r = RUN("decode", "--json", "--cpu=skl", "0x3b3=0x400180");
    json_object *all = parse(r.out);
    assert_member(json_object_array_get_idx(all, 0), "note",
                  "code 0x80 counts nothing on counter 1; counters that can: 0");
    json_object_put(all);
    ran_free(&r);
}

/* 323535-001 p125/126: PLD 12:8 is 0, which is ILLEGAL; with its bit 0 at 0 the mode of ISS does
 * not matter. A raw code keeps every sub-register that its modifiers are in. */
static void sub_registers(void **state)
{
    (void)state;
    ran r = RUN("decode", "--cpu=nhmex", "0xcb0=0x1441", "0xca6=0", "0xcaa=0");
    assert_has(r.out, "nhmex_unc_mbox0::DRAM_CMD:ILLEGAL\n");
    ran_free(&r);
    r = RUN("decode", "--cpu=nhmex", "0xcb0=0x1441", "0xca6=0x180", "0xcaa=0x1f01");
    assert_has(r.out, "nhmex_unc_mbox0::RAW:code=0xa:umask=0x1f:trig_mode=0x3:dep_mode=0x1\n");
    ran_free(&r);
    r = RUN("decode", "--cpu=nhmex", "0xcb0=0x3e41", "0xca5=0x1", "0xca6=0x80", "0xca7=0x1",
            "0xca8=0x10", "0xca9=0x800", "0xcaa=0x1", "0xcab=0x20", "0xe54=0x8000000000000000",
            "0xe55=0x5", "0xe56=0x7ffffff");
    assert_has(r.out, "nhmex_unc_mbox0::RAW:code=0x1f:dsp_fvid=1:trig_mode=0x1:map_fvid=1:"
                      "dimm=0x1:empty=1:dep_mode=0x1:bcmd=0x1:mm_en=0x1:addr=0x5\n");
    ran_free(&r);
}

/* 323535-001 p140 has no code FFH; Linux uses it for the fixed counter. */
static void code_of_the_fixed_clock(void **state)
{
    (void)state;
    ran r = RUN("decode", "--cpu=nhmex", "0xc90=0x4000ff");
    assert_has(r.out, "nhmex_unc_wbox::RAW:code=0xff:umask=0x0\n");
    assert_has(r.out, "perf       Linux has no such event\n");
    assert_has_not(r.out, "note");
    ran_free(&r);
    r = RUN("encode", "nhmex_unc_wbox::RAW:code=0xff:umask=0x0");
    assert_has(r.out, "(msr 0xc90) = 0x4000ff\n");
    ran_free(&r);
    r = RUN("encode", "uncore_wbox/event=0xff/");
    assert_has(r.out, "nhmex_unc_wbox::FIXED_UNCORE_CLOCK\n");
    ran_free(&r);
    r = RUN("encode", "nhmex_unc_wbox::FIXED_UNCORE_CLOCK:umask=0x1");
    assert_int_equal(r.status, 1);
    assert_has(r.err, "no register that takes a umask");
    ran_free(&r);
}

static void as_text(void **state)
{
    (void)state;
    ran r = RUN("decode", "--cpu=skl", "0xe01=0x2000000f", "0x700=0x408834", "0x396=0x5");
    /* table 2-2: EN is bit 29, the cores are selected by 3:0 */
    assert_has(r.out, "MSR_UNC_PERF_GLOBAL_CTRL (msr 0xe01) = 0x2000000f\n");
    assert_has(r.out, "29     EN               0x1\n");
    assert_has(r.out, "skl_unc_cbo0::UNC_CBO_CACHE_LOOKUP:ANY_I\n");
    assert_has(r.out, "15:8   UMASK            0x88\n");
    /* table 2-6: the number of C-Boxes is in 3:0 */
    assert_has(r.out, "MSR_UNC_CBO_CONFIG (msr 0x396) = 0x5\n");
    assert_silent(&r);

    /* bits 31:29 of a select register are reserved (table 2-7) */
    r = RUN("decode", "--cpu=skl", "0x700=0x80408834");
    assert_has(r.out, "bits 0x80000000 are reserved");
    assert_silent(&r);

    r = RUN("decode", "--cpu=skl", "pci:00:00.0+0x48=0xfed10001", "mmio:BAR+0x5050=7",
            "mmio:0x5054=8");
    assert_has(r.out, "(pci 00:00.0+0x48) = 0xfed10001\n");
    assert_has(r.out, "DRAM_DATA_READS (mmio BAR+0x5050) = 0x7\n");
    assert_has(r.out, "DRAM_DATA_WRITES (mmio BAR+0x5054) = 0x8\n");
    assert_silent(&r);

    r = RUN("decode", "-j", "--cpu=skl", "0xe01=0x2000000f");
    assert_string_equal(r.out, "[]\n");
    assert_string_equal(r.err, "boxscore: no event is selected by these registers; without --json "
                               "their fields are shown\n");
    assert_int_equal(r.status, 0);
    ran_free(&r);
}

/* `decode` knows all that `info` knows: core counters, MSRs that other tools access, and addresses
 * as manuals print them. SDM volume 3B: event C0H in 7:0, USR 16, OS 17, EN 22; MSR 10H is the
 * time-stamp counter. 334060-001 has E01H. */
static void all_that_info_knows(void **state)
{
    (void)state;
    ran r = RUN("decode", "--cpu", "skl", "0x186=0x4300c0", "10H=0x1234", "E01H=0x20000000");
    assert_has(r.out, "skl_core::INST_RETIRED:ANY_P\n");
    assert_has(r.out, "time-stamp counter (msr 0x10) = 0x1234\n");
    assert_has(r.out, "MSR_UNC_PERF_GLOBAL_CTRL (msr 0xe01) = 0x20000000\n");
    assert_silent(&r);
    r = RUN("decode", "-j", "--cpu", "skl", "msr:0x10=1", "0x186=0x4300c0");
    json_object *all = parse(r.out);
    assert_int_equal(json_object_array_length(all), 1);
    json_object_put(all);
    assert_silent(&r);
}

/* D10H is C0_MSR_PMON_CTL0 on Ivy Bridge-EP, and a counter of C-Box 0 on the Xeon 7500. */
static void of_another_cpu(void **state)
{
    (void)state;
    ran r = RUN("decode", "--cpu=skl", "0xd10=1");
    assert_failed(&r, 1,
                  "boxscore: the catalogue has no register of 'skl' there\n"
                  "  0xd10=1\n"
                  "  ^^^^^\n"
                  "  hint: other CPU models have one: jkt, ivbep, nhmex, wsmex\n");
    r = RUN("decode", "0x186=0x4300c0");
    char text[CPU_NAMES_ROOM];
    assert_failed(
        &r, 2,
        with_cpu_names(text,
                       "boxscore: 'decode' needs a CPU model: each has registers of its own\n"
                       "  hint: --cpu NAME, one of: {cpus}\n",
                       ", "));
}

/* The JSON member of that register and field; NULL: there is none. */
static const char *field_value(json_object *fields, const char *reg, const char *field)
{
    for (size_t i = 0; i < json_object_array_length(fields); i++) {
        json_object *f = json_object_array_get_idx(fields, i);
        if (strcmp(json_object_get_string(member(f, "register")), reg) == 0 &&
            strcmp(json_object_get_string(member(f, "field")), field) == 0)
            return json_object_get_string(member(f, "value"));
    }
    return NULL;
}

/* libpfm4's man page: NID_OPCODE:OPC_RFO:nf=1. The filter registers belong to the event, with the
 * values read: FILTER0 contains a state, though this event does not compare it. */
static void shared_registers(void **state)
{
    (void)state;
    ran r =
        RUN("decode", "-j", "--cpu=ivbep", "0xd10=0x484135", "0xd14=0x7e0001", "0xd1a=0x18000001");
    json_object *all = parse(r.out);
    assert_int_equal(json_object_array_length(all), 1);
    json_object *o = json_object_array_get_idx(all, 0);
    assert_member(o, "event", "ivbep_unc_cbo0::UNC_C_TOR_INSERTS:NID_OPCODE:OPC_RFO:nf=1:tf=1");
    json_object *registers = member(o, "registers");
    assert_int_equal(json_object_array_length(registers), 3);
    assert_member(json_object_array_get_idx(registers, 1), "value", "0x7e0001");
    assert_member(json_object_array_get_idx(registers, 2), "value", "0x18000001");
    json_object *fields = member(o, "fields");
    assert_string_equal(field_value(fields, "C0_MSR_PMON_CTL0", "tid_en"), "0x1");
    assert_string_equal(field_value(fields, "C0_MSR_PMON_BOX_FILTER0", "state"), "0x3f");
    assert_string_equal(field_value(fields, "C0_MSR_PMON_BOX_FILTER1", "opc"), "0x180");
    json_object_put(all);
    assert_silent(&r);

    /* as text they are below their event, and only there */
    r = RUN("decode", "--cpu=ivbep", "0xd10=0x484135", "0xd14=0x7e0001", "0xd1a=0x18000001");
    const char *filter = strstr(r.out, "(msr 0xd14)");
    assert_non_null(filter);
    assert_null(strstr(filter + 1, "(msr 0xd14)"));
    assert_silent(&r);
}

/* P6: counter 1 needs EN of PerfEvtSel0, which is shown with the value read. A register that was
 * not read is shown without fields. */
static void another_counters_enable(void **state)
{
    (void)state;
    ran r = RUN("decode", "-j", "--cpu=p6", "0x186=0", "0x187=0x30011");
    json_object *all = parse(r.out);
    json_object *o = json_object_array_get_idx(all, 0);
    json_object *enable = json_object_array_get_idx(member(o, "registers"), 1);
    assert_member(o, "event", "p6::FP_ASSIST");
    assert_member(enable, "name", "PerfEvtSel0");
    assert_member(enable, "value", "0x0");
    assert_string_equal(field_value(member(o, "fields"), "PerfEvtSel0", "en"), "0x0");
    json_object_put(all);
    assert_silent(&r);

    r = RUN("decode", "-j", "--cpu=p6", "0x187=0x30011");
    all = parse(r.out);
    o = json_object_array_get_idx(all, 0);
    assert_member(json_object_array_get_idx(member(o, "registers"), 1), "value", "0x400000");
    assert_null(field_value(member(o, "fields"), "PerfEvtSel0", "en"));
    assert_string_equal(field_value(member(o, "fields"), "PerfEvtSel1", "event"), "0x11");
    json_object_put(all);
    assert_silent(&r);
}

/* rdmsr prints hexadecimal numbers without 0x, manuals write 408F34H, `info` and `encode` print
 * names. An address in decimal is read as such if it is no register in hexadecimal. */
static void other_spellings(void **state)
{
    (void)state;
    static const char *const words[] = {
        "0x700=0x408f34",
        "0x700=408f34",
        "700=408f34",
        "700H=408F34H",
        "700h=0x408F34",
        "msr:700=408f34",
        "1792=4230964",
        "0x700=408F34h",
        "0700=408f34",
        "MSR_UNC_CBO_0_PERFEVTSEL0=0x408f34",
        "msr_unc_cbo_0_perfevtsel0=408f34",
    };
    ran first = RUN("decode", "--cpu=skl", words[0]);
    assert_int_equal(first.status, 0);
    assert_has(first.out, "skl_unc_cbo0::UNC_CBO_CACHE_LOOKUP:ANY_MESI\n");
    for (size_t i = 1; i < sizeof words / sizeof *words; i++) {
        ran r = RUN("decode", "--cpu=skl", words[i]);
        if (r.status || strcmp(r.out, first.out) != 0)
            fail_msg("%s: %s%s", words[i], r.out, r.err);
        ran_free(&r);
    }
    ran_free(&first);
    ran r = RUN("decode", "--cpu=skl", "0x700=401234"); /* only digits: hexadecimal, too */
    assert_has(r.out, "MSR_UNC_CBO_0_PERFEVTSEL0 (msr 0x700) = 0x401234\n");
    assert_silent(&r);
    r = RUN("decode", "--cpu=ivbep", "C1_MSR_PMON_CTL0=400334");
    assert_has(r.out, "ivbep_unc_cbo1::");
    assert_silent(&r);
    r = RUN("decode", "--cpu=skl", "MSR_UNC_CBO_0_PERFEVTSELO=0x408f34");
    assert_failed(&r, 1,
                  "boxscore: this is no address\n"
                  "  MSR_UNC_CBO_0_PERFEVTSELO=0x408f34\n"
                  "  ^^^^^^^^^^^^^^^^^^^^^^^^^\n"
                  "  hint: " BX_DID_YOU_MEAN_NAME("MSR_UNC_CBO_0_PERFEVTSEL0") "\n");
}

/* What off-core response counts is in a register of its own. */
static void off_core_response(void **state)
{
    static const char note[] =
        "  note       MSR_OFFCORE_RSP_0, which is not given, says what is counted; 0: nothing\n";
    (void)state;
    ran r = RUN("decode", "--cpu=skl", "0x186=0x4301b7");
    assert_has(r.out, "skl_core::OFFCORE_RESPONSE:umask=0x0\n");
    assert_has(r.out, note);
    assert_silent(&r);
    r = RUN("decode", "--cpu=skl", "0x186=0x4301b7", "0x1a6=0x10001");
    assert_has(r.out, "skl_core::OFFCORE_RESPONSE:DEMAND_DATA_RD:ANY_RESPONSE\n");
    assert_null(strstr(r.out, note));
    assert_silent(&r);
}

static void refuses(void **state)
{
    static const char *const address_hint =
        "  hint: 0x700, 700H, msr:0x700, pci:00:00.0+0x48, mmio:BAR+0x5050 or a register's name; "
        "boxscore info NAME tells that of a register\n";
    static const struct {
        const char *word, *carets, *says;
    } cases[] = {
        {"0x700", "^^^^^", "a word of 'decode' is an address and a value"},
        {"=5", "^", "this is no address"},
        {"x700=5", "^^^^", "this is no address"},
        {"pci:00:00.0=5", "^^^^^^^^^^^", "this is no address"},
        {"pci:00:20.0+0x48=5", "^^^^^^^^^^^^^^^^", "this is no address"},
        {"mmio:BAR=5", "^^^^^^^^", "this is no address"},
        {"0x700=", "     ^", "this is no value of a register"},
        {"0x700=five", "      ^^^^", "this is no value of a register"},
        {"0x700=0x10000000000000000", "      ^^^^^^^^^^^^^^^^^^^",
         "this is no value of a register"},
        {"0x70f=5", "^^^^^", "the catalogue has no register of 'skl' there"},
        {"mmio:0x700=5", "^^^^^^^^^^", "the catalogue has no register of 'skl' there"},
        {"msr:0x700=5", "^^^^^^^^^", "this register is given twice"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        char expected[256];
        ran r = RUN("decode", "--cpu", "skl", "0x700=0x408834", cases[i].word);
        snprintf(expected, sizeof expected, "boxscore: %s\n  %s\n  %s\n", cases[i].says,
                 cases[i].word, cases[i].carets);
        assert_int_equal(strncmp(r.err, expected, strlen(expected)), 0);
        if (strcmp(cases[i].says, "this is no address") == 0)
            assert_has(r.err, address_hint);
        assert_string_equal(r.out, "");
        assert_int_equal(r.status, 1);
        ran_free(&r);
    }
}

/* The manual page requires a threshold with edge detect; the registers do not. */
static void raw_code_of_an_event(void **state)
{
    (void)state;
    ran r = RUN("decode", "--cpu=ivbep", "0xd10=0x440334", "0xd14=0", "0xd1a=0");
    assert_has(r.out, "ivbep_unc_cbo0::RAW:code=0x34:umask=0x3:e=1\n"
                      "  counts     UNC_C_LLC_LOOKUP: lookups of the last-level cache, by request");
    assert_silent(&r);
    r = RUN("decode", "--cpu=ivbep", "0xd10=0x4403fe");
    assert_has(r.out, "ivbep_unc_cbo0::RAW:code=0xfe:umask=0x3:e=1\n  unit ");
    assert_silent(&r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(as_json),
        cmocka_unit_test(as_text),
        cmocka_unit_test(all_that_info_knows),
        cmocka_unit_test(of_another_cpu),
        cmocka_unit_test(wrong_counters),
        cmocka_unit_test(sub_registers),
        cmocka_unit_test(code_of_the_fixed_clock),
        cmocka_unit_test(shared_registers),
        cmocka_unit_test(another_counters_enable),
        cmocka_unit_test(other_spellings),
        cmocka_unit_test(off_core_response),
        cmocka_unit_test(refuses),
        cmocka_unit_test(raw_code_of_an_event),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

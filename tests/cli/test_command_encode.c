/* boxscore encode: registers and bits typed from 334060-001 tables 2-1, 2-7, 3-1, 3-2 and 3-3,
 * Linux spellings from arch/x86/events/intel/uncore_snb.c; JSON as in docs/reference/output.md. */
#include "../cpu_names.h"
#include "cli/parsed.h"
#include "cli/run.h"

#include <stdio.h>
#include <string.h>

typedef struct golden {
    const char *input, *event, *pmu;
    int unit, counter; /* -1: null */
    const char *name, *space, *address, *value;
    const char *perf;
} golden;

/* Bit 22 enables the counter (table 2-7); code in 7:0, unit mask in 15:8, threshold in 28:24. */
#define CBO(umask_name, value, umask)                                                              \
    {                                                                                              \
        "UNC_CBO_" umask_name, "skl_unc_cbo::UNC_CBO_" umask_name, "skl_unc_cbo", 0, 0,            \
            "MSR_UNC_CBO_0_PERFEVTSEL0", "msr", "0x700", value, "uncore_cbox_0/event=" umask "/"   \
    }
#define ARB(name, value, terms)                                                                    \
    {                                                                                              \
        "UNC_ARB_" name, "skl_unc_arb::UNC_ARB_" name, "skl_unc_arb", 0, 0,                        \
            "MSR_UNC_ARB_PERFEVTSEL0", "msr", "0x3b2", value, "uncore_arb/event=" terms "/"        \
    }

static const golden programmed[] = {
    /* table 3-1 */
    CBO("XSNP_RESPONSE:MISS_XCORE", "0x404122", "0x22,umask=0x41"),
    CBO("XSNP_RESPONSE:MISS_EVICTION", "0x408122", "0x22,umask=0x81"),
    CBO("XSNP_RESPONSE:HIT_XCORE", "0x404422", "0x22,umask=0x44"),
    CBO("XSNP_RESPONSE:HITM_XCORE", "0x404822", "0x22,umask=0x48"),
    CBO("CACHE_LOOKUP:WRITE_M", "0x402134", "0x34,umask=0x21"),
    CBO("CACHE_LOOKUP:ANY_M", "0x408134", "0x34,umask=0x81"),
    CBO("CACHE_LOOKUP:READ_I", "0x401834", "0x34,umask=0x18"),
    CBO("CACHE_LOOKUP:ANY_I", "0x408834", "0x34,umask=0x88"),
    CBO("CACHE_LOOKUP:READ_MESI", "0x401f34", "0x34,umask=0x1f"),
    CBO("CACHE_LOOKUP:WRITE_MESI", "0x402f34", "0x34,umask=0x2f"),
    CBO("CACHE_LOOKUP:ANY_MESI", "0x408f34", "0x34,umask=0x8f"),
    CBO("CACHE_LOOKUP:ANY_ES", "0x408634", "0x34,umask=0x86"),
    CBO("CACHE_LOOKUP:READ_ES", "0x401634", "0x34,umask=0x16"),
    CBO("CACHE_LOOKUP:WRITE_ES", "0x402634", "0x34,umask=0x26"),
    /* table 3-2 */
    ARB("TRK_OCCUPANCY:ALL", "0x400180", "0x80,umask=0x1"),
    ARB("TRK_REQUESTS:ALL", "0x400181", "0x81,umask=0x1"),
    ARB("TRK_REQUESTS:WRITES", "0x402081", "0x81,umask=0x20"),
    ARB("COH_TRK_REQUESTS:ALL", "0x400184", "0x84,umask=0x1"),
    /* its threshold of 1: perfmon SKL/events/skylake_uncore.json, CounterMask */
    ARB("TRK_OCCUPANCY:CYCLES_WITH_ANY_REQUEST", "0x1400180", "0x80,umask=0x1,cmask=1"),
    {"UNC_CLOCK.SOCKET", "skl_unc_clock::UNC_CLOCK:SOCKET", "skl_unc_clock", 0, -1,
     "MSR_UNC_PERF_FIXED_CTRL", "msr", "0x394", "0x400000", "uncore_cbox_0/event=0xff/"},
    /* units, modifiers, other spellings: the control registers of a C-Box are 10H apart */
    {"skl_unc_cbo3::UNC_CBO_CACHE_LOOKUP:ANY_M:e:i:t=31",
     "skl_unc_cbo3::UNC_CBO_CACHE_LOOKUP:ANY_M:e=1:i=1:t=31", "skl_unc_cbo", 3, 0,
     "MSR_UNC_CBO_3_PERFEVTSEL0", "msr", "0x730", "0x1fc48134",
     "uncore_cbox_3/event=0x34,umask=0x81,edge=1,inv=1,cmask=31/"},
    {"uncore_cbox_2/event=0x22,umask=0x41/", "skl_unc_cbo2::UNC_CBO_XSNP_RESPONSE:MISS_XCORE",
     "skl_unc_cbo", 2, 0, "MSR_UNC_CBO_2_PERFEVTSEL0", "msr", "0x720", "0x404122",
     "uncore_cbox_2/event=0x22,umask=0x41/"},
    {"unc_cbo_cache_lookup.any_i", "skl_unc_cbo::UNC_CBO_CACHE_LOOKUP:ANY_I", "skl_unc_cbo", 0, 0,
     "MSR_UNC_CBO_0_PERFEVTSEL0", "msr", "0x700", "0x408834",
     "uncore_cbox_0/event=0x34,umask=0x88/"},
};

static void assert_golden(json_object *o, const golden *g)
{
    assert_members(o, 6);
    assert_member(o, "event", g->event);
    assert_member(o, "pmu", g->pmu);
    assert_int_equal(json_object_get_int(member(o, "unit")), g->unit);
    if (g->counter < 0)
        assert_null(member(o, "counter"));
    else
        assert_int_equal(json_object_get_int(member(o, "counter")), g->counter);
    json_object *regs = member(o, "registers");
    assert_int_equal(json_object_array_length(regs), 1);
    json_object *reg = json_object_array_get_idx(regs, 0);
    assert_members(reg, 4);
    assert_member(reg, "name", g->name);
    assert_member(reg, "space", g->space);
    assert_member(reg, "address", g->address);
    assert_member(reg, "value", g->value);
    assert_member(o, "perf", g->perf);
}

static void every_event_in_json(void **state)
{
    enum { N = sizeof programmed / sizeof programmed[0] };
    const char *words[N + 4] = {"encode", "--json", "--cpu=skl"};
    (void)state;
    for (size_t i = 0; i < N; i++)
        words[3 + i] = programmed[i].input;
    ran r = run(NULL, words);
    json_object *all = parse(r.out);
    assert_int_equal(json_object_array_length(all), N);
    for (size_t i = 0; i < N; i++)
        assert_golden(json_object_array_get_idx(all, i), &programmed[i]);
    json_object_put(all);
    assert_silent(&r);
}

/* A script gets a complete array or none. */
static void no_part_of_an_array(void **state)
{
    (void)state;
    ran second = RUN("encode", "--json", "UNC_CLOCK", "UNC_CLOK");
    ran both =
        RUN("encode", "--json", "--cpu", "skl", "--machine", "virtual:skl,part=plain", "UNC_CLOCK");
    assert_int_equal(second.status, 1);
    assert_int_equal(both.status, 2);
    assert_string_equal(second.out, "");
    assert_string_equal(both.out, "");
    ran_free(&second);
    ran_free(&both);
}

/* Table 3-3: free-running counters can only be read. */
static void free_running_counters(void **state)
{
    static const struct {
        const char *event, *address, *perf;
        bool has_caution;
    } cases[] = {
        {"DRAM_GT_REQUESTS", "BAR+0x5040", "uncore_imc/event=0x3/", true},
        {"DRAM_IA_REQUESTS", "BAR+0x5044", "uncore_imc/event=0x4/", true},
        {"DRAM_IO_REQUESTS", "BAR+0x5048", "uncore_imc/event=0x5/", true},
        {"DRAM_DATA_READS", "BAR+0x5050", "uncore_imc/event=0x1/", false},
        {"DRAM_DATA_WRITES", "BAR+0x5054", "uncore_imc/event=0x2/", false},
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        char name[64];
        ran r = RUN("encode", "-j", cases[i].event);
        json_object *all = parse(r.out);
        assert_int_equal(json_object_array_length(all), 1);
        json_object *o = json_object_array_get_idx(all, 0);
        assert_members(o, 7 + cases[i].has_caution);
        assert_true(!cases[i].has_caution || json_object_get_string_len(member(o, "caution")));
        snprintf(name, sizeof name, "skl_unc_imc::%s", cases[i].event);
        assert_member(o, "event", name);
        assert_int_equal(json_object_get_int(member(o, "unit")), 0);
        assert_null(member(o, "counter"));
        assert_int_equal(json_object_array_length(member(o, "registers")), 0);
        assert_members(member(o, "read"), 2);
        assert_member(member(o, "read"), "space", "mmio");
        assert_member(member(o, "read"), "address", cases[i].address);
        assert_member(o, "perf", cases[i].perf);
        json_object_put(all);
        assert_silent(&r);
    }
}

/* The exact bytes of the documented JSON. */
static void contract(void **state)
{
    (void)state;
    ran r = RUN("encode", "--json", "UNC_CBO_CACHE_LOOKUP.ANY_I");
    assert_string_equal(
        r.out, "[{\"event\":\"skl_unc_cbo::UNC_CBO_CACHE_LOOKUP:ANY_I\",\"pmu\":\"skl_unc_cbo\","
               "\"unit\":0,\"counter\":0,\"registers\":[{\"name\":\"MSR_UNC_CBO_0_PERFEVTSEL0\","
               "\"space\":\"msr\",\"address\":\"0x700\",\"value\":\"0x408834\"}],"
               "\"perf\":\"uncore_cbox_0/event=0x34,umask=0x88/\"}]\n");
    assert_silent(&r);
}

static void as_text(void **state)
{
    (void)state;
    ran r = RUN("encode", "skl_unc_cbo1::UNC_CBO_CACHE_LOOKUP:ANY_I", "DRAM_DATA_READS");
    assert_string_equal(
        r.out, "skl_unc_cbo1::UNC_CBO_CACHE_LOOKUP:ANY_I\n"
               "  counts     lookups of the last-level cache, by request and by the state found\n"
               "  unit       C-Box 1, counter 0\n"
               "  register   MSR_UNC_CBO_1_PERFEVTSEL0 (msr 0x710) = 0x408834\n"
               "  perf       uncore_cbox_1/event=0x34,umask=0x88/\n"
               "skl_unc_imc::DRAM_DATA_READS\n"
               "  counts     lines read from memory\n"
               "  unit       memory controller, free-running counter\n"
               "  read       DRAM_DATA_READS (mmio BAR+0x5050)\n"
               "  perf       uncore_imc/event=0x1/\n");
    assert_silent(&r);
}

/* One argument can hold several events. */
static void lists(void **state)
{
    (void)state;
    ran r = RUN("encode", "-j", "UNC_CLOCK,uncore_cbox_1/event=0x34,umask=0x88/");
    json_object *all = parse(r.out);
    assert_int_equal(json_object_array_length(all), 2);
    assert_member(json_object_array_get_idx(all, 1), "event",
                  "skl_unc_cbo1::UNC_CBO_CACHE_LOOKUP:ANY_I");
    json_object_put(all);
    assert_silent(&r);
}

static void encode_refuses(void **state)
{
    (void)state;
    /* all or nothing: the correct event before it is not shown */
    ran r = RUN("encode", "--json", "UNC_CLOCK", "UNC_CBO_CACHE_LOOKUP:ANY_Q");
    assert_int_equal(r.status, 1);
    assert_string_equal(r.out, "");
    assert_has(r.err, "boxscore: ");
    assert_has(r.err, "\n  UNC_CBO_CACHE_LOOKUP:ANY_Q\n"
                      "                       ^^^^^\n");
    ran_free(&r);

    r = RUN("encode", "UNC_CBO_CACHE_LOOKUP:ANY_I:t=32");
    assert_int_equal(r.status, 1);
    assert_string_equal(r.out, "");
    assert_has(r.err, "\n  UNC_CBO_CACHE_LOOKUP:ANY_I:t=32\n"
                      "                             ^^^^\n");
    ran_free(&r);

    /* the span counts within the whole argument */
    r = RUN("encode", "UNC_CLOCK,UNC_CBO_CASH_LOOKUP:ANY_I");
    assert_int_equal(r.status, 1);
    assert_has(r.err, "\n  UNC_CLOCK,UNC_CBO_CASH_LOOKUP:ANY_I\n"
                      "            ^^^^^^^^^^^^^^^^^^^\n");
    assert_has(r.err, "UNC_CBO_CACHE_LOOKUP");
    ran_free(&r);

    r = RUN("encode", "--cpu", "skylake", "UNC_CLOCK");
    char text[CPU_NAMES_ROOM];
    assert_failed(
        &r, 1,
        with_cpu_names(
            text, "boxscore: the catalogue has no CPU model 'skylake'\n  hint: it has: {cpus}\n",
            ", "));
    r = RUN("encode", "--libpfm", "--json", "p6::L2_LD:M");
    assert_failed(&r, 2, "boxscore: --libpfm and --json ask for two formats\n");
    r = RUN("encode");
    assert_failed(&r, 2,
                  "boxscore: 'encode' needs an operand\n"
                  "  hint: boxscore encode [OPTION...] EVENT...\n");
}

/* A machine with two slices does not have C-Box 3. */
static void machine_lacks_the_unit(void **state)
{
    (void)state;
    const char *event = "skl_unc_cbo3::UNC_CBO_CACHE_LOOKUP:ANY_I";
    ran r = RUN("encode", "--machine", "virtual:skl,part=plain,cores=2", event);
    assert_int_equal(r.status, 1);
    assert_has(r.err, "^^^^");
    assert_has(r.err, "hint: it has 2, the first of them is 0\n");
    assert_string_equal(r.out, "");
    ran_free(&r);
    r = RUN("encode", "--machine", "virtual:skl,part=plain", event);
    assert_has(r.out, "MSR_UNC_CBO_3_PERFEVTSEL0 (msr 0x730) = 0x408834");
    assert_silent(&r);
    r = RUN("encode", "--machine", "virtual:skl,part=plain", "--cpu", "skl", event);
    assert_int_equal(r.status, 2);
    ran_free(&r);
}

/* decode reads what encode writes: the same registers and, except the unit's number, the same
 * event. */
static void decode_returns_what_encode_gave(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof programmed / sizeof programmed[0]; i++) {
        const golden *g = &programmed[i];
        char word[64], event[128];
        snprintf(word, sizeof word, "%s=%s", g->address, g->value);
        ran r = RUN("decode", "--json", "--machine", "virtual:skl,part=plain", word);
        json_object *all = parse(r.out);
        assert_int_equal(json_object_array_length(all), 1);
        json_object *o = json_object_array_get_idx(all, 0);
        json_object *reg = json_object_array_get_idx(member(o, "registers"), 0);
        assert_member(reg, "value", g->value);
        assert_member(o, "perf", g->perf);
        /* "pmu" + unit + "::EVENT…" */
        snprintf(event, sizeof event, "%s%d%s", g->pmu, g->unit, strstr(g->event, "::"));
        if (strcmp(g->pmu, "skl_unc_cbo") == 0)
            assert_member(o, "event", event);
        json_object_put(all);
        assert_silent(&r);
    }
}

/* libpfm4 4.13's answers for cores and the kernel's events, and its refusals. */
static void test_libpfm_tables(void **state)
{
    (void)state;
    ran r = RUN("encode", "--libpfm", "skl::UOPS_ISSUED:STALL_CYCLES:u",
                "ivb_ep::OFFCORE_RESPONSE_0:DMND_RFO", "perf::LLC-LOADS", "perf_raw::r1c0",
                "skl::INST_RETIRED:c=256", "UNHALTED_CORE_CYCLES");
    assert_int_equal(r.status, 0);
    assert_string_equal(r.out, "0x1d1010e\n"
                               "0x5301b7 0x10002\n"
                               "0x2\n"
                               "0x1c0\n"
                               "error: a modifier cannot have this value\n"
                               "error: libpfm4 looks for events without a PMU on the host alone\n");
    ran_free(&r);
    r = RUN("encode", "--cpu", "kbl", "--libpfm", "UNHALTED_CORE_CYCLES");
    assert_int_equal(r.status, 0);
    assert_string_equal(r.out, "0x53003c\n");
    ran_free(&r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_event_in_json),
        cmocka_unit_test(no_part_of_an_array),
        cmocka_unit_test(free_running_counters),
        cmocka_unit_test(contract),
        cmocka_unit_test(as_text),
        cmocka_unit_test(lists),
        cmocka_unit_test(encode_refuses),
        cmocka_unit_test(machine_lacks_the_unit),
        cmocka_unit_test(decode_returns_what_encode_gave),
        cmocka_unit_test(test_libpfm_tables),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

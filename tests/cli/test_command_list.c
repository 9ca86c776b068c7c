/* boxscore list and info. */
#include "../cmocked.h"

#include "cli/run.h"

#include "base/nearest.h"

#include <json-c/json.h>
#include <string.h>

static size_t lines_with(const char *text, const char *part)
{
    size_t n = 0;
    while ((text = strstr(text, part))) {
        n++;
        text += strlen(part);
    }
    return n;
}

/* ---- list ---- */

/* A gathered machine's kernel is that of --root, without --machine host. */
static void lists_a_gathered_machine(void **state)
{
    (void)state;
    ran r = run_shell("M=$SOURCE_ROOT/tests/stage/two_packages.machine\n"
                      "$BOXSCORE list --root $M cas_count\n"
                      "$BOXSCORE list --root $M --machine host cas_count");
    assert_has(r.out, "uncore_imc_0/cas_count_read/");
    size_t half = strlen(r.out) / 2;
    assert_memory_equal(r.out, r.out + half, half);
    assert_silent(&r);
}

/* The names of 334060-001 tables 3-1 to 3-3. */
static void lists_every_event_of_the_manual(void **state)
{
    static const char *const names[] = {
        "skl_unc_cbo::UNC_CBO_XSNP_RESPONSE:MISS_XCORE ",
        "skl_unc_cbo::UNC_CBO_XSNP_RESPONSE:MISS_EVICTION ",
        "skl_unc_cbo::UNC_CBO_XSNP_RESPONSE:HIT_XCORE ",
        "skl_unc_cbo::UNC_CBO_XSNP_RESPONSE:HITM_XCORE ",
        "skl_unc_cbo::UNC_CBO_CACHE_LOOKUP:WRITE_M ",
        "skl_unc_cbo::UNC_CBO_CACHE_LOOKUP:ANY_M ",
        "skl_unc_cbo::UNC_CBO_CACHE_LOOKUP:READ_I ",
        "skl_unc_cbo::UNC_CBO_CACHE_LOOKUP:ANY_I ",
        "skl_unc_cbo::UNC_CBO_CACHE_LOOKUP:READ_MESI ",
        "skl_unc_cbo::UNC_CBO_CACHE_LOOKUP:WRITE_MESI ",
        "skl_unc_cbo::UNC_CBO_CACHE_LOOKUP:ANY_MESI ",
        "skl_unc_cbo::UNC_CBO_CACHE_LOOKUP:ANY_ES ",
        "skl_unc_cbo::UNC_CBO_CACHE_LOOKUP:READ_ES ",
        "skl_unc_cbo::UNC_CBO_CACHE_LOOKUP:WRITE_ES ",
        "skl_unc_arb::UNC_ARB_TRK_OCCUPANCY:ALL ",
        "skl_unc_arb::UNC_ARB_TRK_OCCUPANCY:CYCLES_WITH_ANY_REQUEST ",
        "skl_unc_arb::UNC_ARB_TRK_REQUESTS:ALL ",
        "skl_unc_arb::UNC_ARB_TRK_REQUESTS:WRITES ",
        "skl_unc_arb::UNC_ARB_COH_TRK_REQUESTS:ALL ",
        "skl_unc_clock::UNC_CLOCK:SOCKET ",
        "skl_unc_imc::DRAM_GT_REQUESTS ",
        "skl_unc_imc::DRAM_IA_REQUESTS ",
        "skl_unc_imc::DRAM_IO_REQUESTS ",
        "skl_unc_imc::DRAM_DATA_READS ",
        "skl_unc_imc::DRAM_DATA_WRITES ",
    };
    (void)state;
    ran r = RUN("list", "--cpu", "skl");
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        assert_has(r.out, names[i]);
    /* another name of the same registers is accepted, not listed */
    assert_has_not(r.out, "DRD_DIRECT");
    assert_silent(&r);
}

static void tells_counters_and_description(void **state)
{
    (void)state;
    ran r = RUN("list", "cycles_with", "DRAM*READS", "clock");
    assert_int_equal(r.status, 1); /* an event must have all words */
    ran_free(&r);
    r = RUN("list", "UNC_ARB_TRK_OCCUPANCY:ALL");
    assert_string_equal(
        r.out, "name; counters or unit; what it is. boxscore info NAME explains one\n\n"
               "ARB: the arbiter between the cores' side of the uncore and memory\n"
               "  requests of the cores under way, summed over cycles\n"
               "    skl_unc_arb::UNC_ARB_TRK_OCCUPANCY:ALL                0    all requests\n");
    assert_silent(&r);
    r = RUN("list", "dram_data_reads");
    assert_has(r.out, "skl_unc_imc::DRAM_DATA_READS");
    assert_has(r.out, "free-running  lines read from memory\n");
    assert_silent(&r);
}

static void searches(void **state)
{
    static const struct {
        const char *words[3];
        size_t n;
    } cases[] = {
        {{"xsnp_response.miss_"},
         3}, /* case makes no difference, '.' is ':'; MISS_EXTERNAL is LIKWID's */
        {{"modified", "eviction"}, 1}, /* both words, in the description or the name … */
        {{"HITM_EVICTION"}, 1},        /* … as here */
        {{"skl_unc_*:ANY_?"}, 4},      /* ANY_M, ANY_I and LIKWID's ANY_E, ANY_S */
        {{"skl_unc_imc::*"}, 5},       /* a glob must match the whole name … */
        {{"DRAM_*"}, 6},               /* … with or without the PMU, and of a metric … */
        {{"lines * memory"}, 2},       /* … or of the whole description */
        {{"DRAM_"}, 6},                /* with INSTR_RETIRED_ANY of dram_bytes_per_instruction */
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        const char *words[8] = {"list", "--cpu=skl"};
        for (size_t j = 0; j < 3; j++)
            words[2 + j] = cases[i].words[j];
        ran r = run(NULL, words);
        if (strcmp(cases[i].words[0], "modified") != 0)
            assert_int_equal(lines_with(r.out, "::"), cases[i].n);
        else
            assert_true(lines_with(r.out, "::") >= cases[i].n);
        assert_silent(&r);
    }
}

/* Words match at their beginning only: "ratio" is in "operations", too. */
static void searches_beginnings_of_words(void **state)
{
    (void)state;
    ran r = RUN("list", "--cpu", "skl", "--metrics", "ratio");
    assert_has(r.out, " llc_miss_ratio ");
    assert_has_not(r.out, " dp_mflops "); /* floating-point operations */
    assert_silent(&r);
    r = RUN("list", "--cpu", "skl", "--metrics", "operat");
    assert_has(r.out, " dp_mflops ");
    assert_silent(&r);
    r = RUN("list", "--cpu", "skl", "--metrics", "perations");
    assert_int_equal(r.status, 1);
    ran_free(&r);
    r = RUN("list", "--cpu", "skl", "--metrics", "*perations*");
    assert_has(r.out, " dp_mflops ");
    assert_silent(&r);
}

/* Names of other tools that encode accepts: libpfm4's and LIKWID's. */
/* Plurals, and words that readers type for others. */
static void searches_stems_and_synonyms(void **state)
{
    (void)state;
    static const struct {
        const char *first, *second, *finds;
    } rows[] = {
        {"cache", "misses", "    llc_miss_ratio "},
        {"cache", "misses", "    cache-misses "},
        {"branch", "misses", "    branch_mispredict_ratio "},
        {"hit", "rate", "    llc_miss_ratio "},
        {"page", "faults", "    page-faults "},
        {"cpi", "cycles", "    cpi "},
        {"numa", "remote", "    remote_share "},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        ran r = RUN("list", "--cpu", "ivbep", rows[i].first, rows[i].second);
        assert_int_equal(r.status, 0);
        assert_has(r.out, rows[i].finds);
        ran_free(&r);
    }
}

static void searches_names_of_others(void **state)
{
    (void)state;
    ran r = RUN("list", "--cpu", "p6", "BUS_TRANS_BRD");
    assert_has(r.out, "p6::BUS_TRAN_BRD:SELF ");
    ran_free(&r);
    r = RUN("list", "--cpu", "nhmex", "UNCORE_CLOCK");
    assert_has(r.out, "nhmex_unc_wbox::FIXED_UNCORE_CLOCK ");
    ran_free(&r);
}

static void finds_nothing(void **state)
{
    (void)state;
    ran r = RUN("list", "UNC_CBO_CASH_LOOKUP");
    assert_failed(
        &r, 1,
        "boxscore: no event or metric has 'UNC_CBO_CASH_LOOKUP' in its name or description\n"
        "  hint: " BX_DID_YOU_MEAN_NAME("UNC_CBO_CACHE_LOOKUP") "\n");
    r = RUN("list", "-j", "flux capacitor", "DRAM");
    assert_failed(
        &r, 1,
        "boxscore: no event or metric has 'flux capacitor' and all the other words in its "
        "name or description\n"
        "  hint: boxscore list shows all events\n");
}

static void lists_in_json(void **state)
{
    (void)state;
    ran r = RUN("list", "--json", "trk_occupancy:cycles_with_any_request");
    json_object *all = json_tokener_parse(r.out);
    assert_non_null(all);
    assert_int_equal(json_object_array_length(all), 1);
    assert_string_equal(
        json_object_to_json_string_ext(json_object_array_get_idx(all, 0), JSON_C_TO_STRING_PLAIN),
        "{\"event\":\"skl_unc_arb::UNC_ARB_TRK_OCCUPANCY:CYCLES_WITH_ANY_REQUEST\","
        "\"pmu\":\"skl_unc_arb\",\"cpu\":\"skl\","
        "\"title\":\"requests of the cores under way, summed over cycles\","
        "\"umask-title\":\"cycles with at least one request under way\","
        "\"code\":\"0x80\",\"code-field\":\"EVT_SEL\",\"umask\":\"0x1\",\"counters\":[0],\"kind\":"
        "\"programmable\","
        "\"counts\":\"cycles\"}");
    json_object_put(all);
    assert_silent(&r);
}

/* The model has no snoops from other packages, because a client has one package. */
static void lists_what_is_modelled(void **state)
{
    (void)state;
    ran r = RUN("list", "--modelled");
    assert_has(r.out, "UNC_CBO_CACHE_LOOKUP:ANY_I");
    assert_has(r.out, "skl_unc_imc::DRAM_DATA_READS");
    assert_silent(&r);
    r = RUN("list", "--modelled", "--machine", "virtual:skl,part=plain,cores=2", "any_i");
    assert_int_equal(lines_with(r.out, "::"), 1);
    assert_silent(&r);
}

static void list_refuses(void **state)
{
    (void)state;
    ran r = RUN("list", "--machine", "virtual:skl,part=plain,cores=9");
    assert_int_equal(r.status, 1);
    assert_has(r.err, "\n  virtual:skl,part=plain,cores=9\n");
    assert_has(r.err, "^");
    assert_string_equal(r.out, "");
    ran_free(&r);
    r = RUN("list", "--machine=virtual:skl,part=plain", "--cpu=skl");
    assert_int_equal(r.status, 2);
    ran_free(&r);
}

/* ---- info ---- */

/* A name, and text that the answer must contain. */
static void info_knows(void **state)
{
    static const struct {
        const char *name;
        const char *parts[8];
    } cases[] = {
        {"UNC_CBO_CACHE_LOOKUP",
         {"code          0x34\n", "counters      0,1\n", "334060-001 table 3-1", "  0x88  ANY_I  ",
          "  t=0..31     ", "field THR 28:24", "Linux: cmask", "LIKWID: THRESHOLD"}},
        {"skl_unc_arb::unc_arb_trk_occupancy", {"code          0x80\n", "counters      0\n"}},
        {"CACHE_LOOKUP", {"event         skl_unc_cbo::UNC_CBO_CACHE_LOOKUP\n"}},
        {"UNC_ARB_TRK_OCCUPANCY.CYCLES_WITH_ANY_REQUEST",
         {"(msr 0x3b2) = 0x1400180\n", "28:24  THR              0x1\n",
          "uncore_arb/event=0x80,umask=0x1,cmask=1/",
          "Chosen: ", "TRK_OCCUPANCY_ALL:UBOX0:THRESHOLD=0x1\n"}},
        {"ANY_I", {"skl_unc_cbo::UNC_CBO_CACHE_LOOKUP:ANY_I\n", "CACHE_LOOKUP_ANY_I:CBOX0C0\n"}},
        {"uncore_cbox_1/event=0x34,umask=0x88,cmask=2/",
         {"skl_unc_cbo1::UNC_CBO_CACHE_LOOKUP:ANY_I:t=2\n", "(msr 0x710) = 0x2408834\n"}},
        {"UNC_CLOCK",
         {"counters      fixed\n", "Linux         uncore_cbox_0/event=0xff/\n",
          "LIKWID        UNCORE_CLOCK:UBOXFIX\n"}},
        {"UNC_CLOCK:SOCKET", {"UNCORE_CLOCK:UBOXFIX\n", "clock, fixed counter\n"}},
        {"DRAM_DATA_READS",
         {"BAR+0x5050\n", "bits 38:15", "in pci 00:00.0+0x48", "31:0   ro       CTR_VAL",
          "counters      free-running\n", "Linux         uncore_imc/event=0x1/\n",
          "LIKWID        DRAM_READS:MBOX0C1\n"}},
        {"MSR_UNC_CBO_2_PERFEVTSEL1",
         {"msr 0x701, 0x711, 0x721, 0x731 (one for each unit)", "7:0    rw       EVT_SEL",
          "bits 0xffffffffe02b0000 are reserved"}},
        {"0x711", {"MSR_UNC_CBO_{unit}_PERFEVTSEL1", "22     rw       EN "}},
        {"0xe02", {"MSR_UNC_PERF_GLOBAL_STATUS", "w1c", "CBO_CTR_OVF"}},
        {"E02H", {"MSR_UNC_PERF_GLOBAL_STATUS", "address       msr 0xe02\n"}},
        {"d14h", {"C{unit}_MSR_PMON_BOX_FILTER0"}},
        {"0x1a0", {"passive MSR   0x1a0: ", "CPU model     skl\n", "one for each  core\n"}},
        {"0x611", {"passive MSRs  0x610 to 0x614: "}},
        {"skl_unc_cbo3",
         {"up to 4 in each package", "uncore_cbox_0", "CBOX0C1", "44 bits", "Chosen: two"}},
        {"skl", {"family 6 model 0x4e\n", "family 6 model 0x5e\n", "skl_unc_imc", "  cores  "}},
        {"e", {"modifier      of skl_unc_cbo\n", "field E 18", "modifier      of skl_unc_arb\n"}},
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        ran r = RUN("info", cases[i].name);
        for (size_t j = 0; j < 8 && cases[i].parts[j]; j++)
            assert_has(r.out, cases[i].parts[j]);
        assert_silent(&r);
    }
}

static void info_refuses(void **state)
{
    (void)state;
    ran r = RUN("info", "UNC_CBO_CACHE_LOKUP");
    assert_failed(&r, 1,
                  "boxscore: the catalogue has nothing called 'UNC_CBO_CACHE_LOKUP'\n"
                  "  hint: " BX_DID_YOU_MEAN_NAME("UNC_CBO_CACHE_LOOKUP") "\n");
    r = RUN("info", "UNC_CBO_CACHE_LOOKUP:ANI_I");
    assert_int_equal(r.status, 1);
    assert_has(r.err, "\n  UNC_CBO_CACHE_LOOKUP:ANI_I\n                       ^^^^^\n");
    assert_has(r.err, "ANY_I");
    ran_free(&r);
    r = RUN("info");
    assert_int_equal(r.status, 2);
    ran_free(&r);
    r = RUN("info", "skl", "skl");
    assert_int_equal(r.status, 2);
    ran_free(&r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lists_a_gathered_machine),
        cmocka_unit_test(lists_every_event_of_the_manual),
        cmocka_unit_test(tells_counters_and_description),
        cmocka_unit_test(searches),
        cmocka_unit_test(searches_beginnings_of_words),
        cmocka_unit_test(searches_names_of_others),
        cmocka_unit_test(searches_stems_and_synonyms),
        cmocka_unit_test(finds_nothing),
        cmocka_unit_test(lists_in_json),
        cmocka_unit_test(lists_what_is_modelled),
        cmocka_unit_test(list_refuses),
        cmocka_unit_test(info_knows),
        cmocka_unit_test(info_refuses),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

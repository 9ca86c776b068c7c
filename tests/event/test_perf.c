/* Linux perf's spelling, both ways. Names and codes: Linux arch/x86/events/intel/uncore_snb.c,
 * formats config:0-7 event, 8-15 umask, 18 edge, 23 inv, 24-28 cmask. */
#include "event_case.h"

static void assert_perf(const char *text, const char *should)
{
    char is[TEXT];
    bx_evsel event = parsed(text);
    assert_int_equal(bx_event_format_perf(built_in(), &event, is, sizeof is), strlen(should));
    if (*should)
        assert_string_equal(is, should);
}

static void reading(void **state)
{
    (void)state;
    static const struct {
        const char *perf, *canonical;
    } rows[] = {
        {"uncore_cbox_0/event=0x34,umask=0x88/", "skl_unc_cbo0::UNC_CBO_CACHE_LOOKUP:ANY_I"},
        {"uncore_cbox_3/umask=0x88,event=0x34/", "skl_unc_cbo3::UNC_CBO_CACHE_LOOKUP:ANY_I"},
        {"uncore_cbox/event=0x34,umask=0x88/", "skl_unc_cbo::UNC_CBO_CACHE_LOOKUP:ANY_I"},
        {"UNCORE_CBOX_0/EVENT=52,UMASK=136/", "skl_unc_cbo0::UNC_CBO_CACHE_LOOKUP:ANY_I"},
        {"uncore_cbox_1/event=0x34,umask=0x1f,edge,inv=1,cmask=3/",
         "skl_unc_cbo1::UNC_CBO_CACHE_LOOKUP:READ_MESI:e=1:i=1:t=3"},
        {"uncore_cbox_1/edge=0,event=0x34,umask=0x1f/",
         "skl_unc_cbo1::UNC_CBO_CACHE_LOOKUP:READ_MESI"},
        {"uncore_cbox_1/event=0x34/", "skl_unc_cbo1::UNC_CBO_CACHE_LOOKUP:umask=0x0"},
        {"uncore_cbox_1/event=0x99,umask=1/", "skl_unc_cbo1::RAW:code=0x99:umask=0x1"},
        {"uncore_cbox_1/config=0x8834/", "skl_unc_cbo1::UNC_CBO_CACHE_LOOKUP:ANY_I"},
        {"uncore_cbox_1/config=0x3841f34/",
         "skl_unc_cbo1::UNC_CBO_CACHE_LOOKUP:READ_MESI:e=1:i=1:t=3"},
        {"uncore_cbox_0/unc_cbo_cache_lookup.any_i/", "skl_unc_cbo0::UNC_CBO_CACHE_LOOKUP:ANY_I"},
        {"uncore_cbox_0/unc_cbo_cache_lookup.any_i,cmask=2/",
         "skl_unc_cbo0::UNC_CBO_CACHE_LOOKUP:ANY_I:t=2"},
        {"uncore_cbox/unc_cbo_cache_lookup.any_i/", "skl_unc_cbo::UNC_CBO_CACHE_LOOKUP:ANY_I"},
        {"uncore_arb/event=0x80,umask=0x1/", "skl_unc_arb::UNC_ARB_TRK_OCCUPANCY:ALL"},
        {"uncore_arb/event=0x80,umask=0x1,cmask=1/",
         "skl_unc_arb::UNC_ARB_TRK_OCCUPANCY:CYCLES_WITH_ANY_REQUEST"},
        {"uncore_arb/unc_arb_trk_occupancy.cycles_with_any_request/",
         "skl_unc_arb::UNC_ARB_TRK_OCCUPANCY:CYCLES_WITH_ANY_REQUEST"},
        {"uncore_cbox_0/event=0xff/", "skl_unc_clock::UNC_CLOCK:SOCKET"},
        {"uncore_cbox_0/event=0xff,umask=0x00/", "skl_unc_clock::UNC_CLOCK:SOCKET"},
        {"uncore_cbox_0/config=0xff/", "skl_unc_clock::UNC_CLOCK:SOCKET"},
        {"uncore_cbox_0/clockticks/", "skl_unc_clock::UNC_CLOCK:SOCKET"},
        {"uncore_cbox_0/unc_clock.socket/", "skl_unc_clock::UNC_CLOCK:SOCKET"},
        {"uncore_cbox/clockticks/", "skl_unc_clock::UNC_CLOCK:SOCKET"},
        {"uncore_imc/event=0x1/", "skl_unc_imc::DRAM_DATA_READS"},
        {"uncore_imc/event=0x02/", "skl_unc_imc::DRAM_DATA_WRITES"},
        {"uncore_imc/event=0x03/", "skl_unc_imc::DRAM_GT_REQUESTS"},
        {"uncore_imc/event=0x04/", "skl_unc_imc::DRAM_IA_REQUESTS"},
        {"uncore_imc/event=0x05/", "skl_unc_imc::DRAM_IO_REQUESTS"},
        {"uncore_imc/data_reads/", "skl_unc_imc::DRAM_DATA_READS"},
        {"uncore_imc/data_writes/", "skl_unc_imc::DRAM_DATA_WRITES"},
        {"uncore_imc/gt_requests/", "skl_unc_imc::DRAM_GT_REQUESTS"},
        {"uncore_imc/ia_requests/", "skl_unc_imc::DRAM_IA_REQUESTS"},
        {"uncore_imc/io_requests/", "skl_unc_imc::DRAM_IO_REQUESTS"},
        {"uncore_imc_0/data_reads/", "skl_unc_imc::DRAM_DATA_READS"},
        {"uncore_arb_0/event=0x81,umask=0x20/", "skl_unc_arb::UNC_ARB_TRK_REQUESTS:WRITES"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        assert_canonical(rows[i].perf, rows[i].canonical);
    /* Only the first C-Box has the clock; in the others 0xff is an ordinary code. */
    assert_canonical("uncore_cbox_1/event=0xff/", "skl_unc_cbo1::RAW:code=0xff:umask=0x0");
    /* The kernel has no event of its own for a fixed counter; 0 is an ordinary code. */
    assert_canonical("cpu/event=0x0/", "skl_core::RAW:code=0x0:umask=0x0");
}

static void writing(void **state)
{
    (void)state;
    assert_perf("skl_unc_cbo0::UNC_CBO_CACHE_LOOKUP:ANY_I", "uncore_cbox_0/event=0x34,umask=0x88/");
    assert_perf("skl_unc_cbo::UNC_CBO_CACHE_LOOKUP:ANY_I", "uncore_cbox/event=0x34,umask=0x88/");
    assert_perf("skl_unc_cbo2::UNC_CBO_CACHE_LOOKUP:READ_MESI:e=1:i=1:t=17",
                "uncore_cbox_2/event=0x34,umask=0x1f,edge=1,inv=1,cmask=17/");
    assert_perf("skl_unc_cbo3::RAW:code=0x99:umask=0x1", "uncore_cbox_3/event=0x99,umask=0x1/");
    assert_perf("UNC_ARB_TRK_OCCUPANCY.CYCLES_WITH_ANY_REQUEST",
                "uncore_arb/event=0x80,umask=0x1,cmask=1/");
    assert_perf("UNC_CLOCK.SOCKET", "uncore_cbox_0/event=0xff/");
    assert_perf("DRAM_DATA_READS", "uncore_imc/event=0x1/");
    assert_perf("DRAM_DATA_WRITES", "uncore_imc/event=0x2/");
    assert_perf("DRAM_GT_REQUESTS", "uncore_imc/event=0x3/");
    assert_perf("DRAM_IA_REQUESTS", "uncore_imc/event=0x4/");
    assert_perf("DRAM_IO_REQUESTS", "uncore_imc/event=0x5/");
}

/* perf's words for events of cores. Codes: Linux arch/x86/events/intel/core.c (skl_, snb_ and
 * nehalem_hw_cache_event_ids, …_extra_regs), p6.c. 0: Linux has no such event there. */
static void words(void **state)
{
    (void)state;
    enum { CPUS = 4 };
    static const char *const cpus[CPUS] = {"skl", "ivbep", "nhmex", "p6"};
    static const struct {
        const char *word;
        uint64_t code[CPUS], offcore[CPUS];
    } rows[] = {
        {"cycles", {0x3c, 0x3c, 0x3c, 0x79}},
        {"cpu-cycles", {0x3c, 0x3c, 0x3c, 0x79}},
        {"cache-references", {0x4f2e, 0x4f2e, 0x4f2e, 0x0f2e}},
        {"cache-misses", {0x412e, 0x412e, 0x412e, 0x012e}},
        {"branch-misses", {0xc5, 0xc5, 0xc5, 0xc5}},
        {"L1-dcache-loads", {0x81d0, 0xf1d0, 0x010b, 0x43}},
        {"L1-dcache-load-misses", {0x0151, 0x0151, 0x0151, 0x45}},
        {"L1-icache-load-misses", {0x0283, 0x0280, 0x0280, 0x0f28}},
        {"LLC-loads", {0x01b7, 0x01b7, 0x01b7}, {0x3fc0010001, 0x10081, 0xf701}},
        {"LLC-load-misses", {0x01b7, 0x01b7, 0x01b7}, {0x3ffc020001, 0x3fffc00081, 0xf001}},
        {"LLC-store-misses", {0x01b7, 0x01b7, 0x01b7, 0x25}, {0x3ffc020002, 0x3fffc00102, 0xf00a}},
        {"node-load-misses", {0x01b7, 0x01b7, 0x01b7}, {0x1ff8000001, 0x1fff800081, 0x2001}},
        {"dTLB-load-misses", {0x0e08, 0x8108, 0x0108}},
        {"dTLB-store-misses", {0x0e49, 0x0149, 0x010c}},
        {"iTLB-load-misses", {0x0e85, 0x0185, 0x20c8, 0x85}},
        {"stalled-cycles-frontend", {0, 0x0180010e, 0x0180010e, 0xa2}},
        {"stalled-cycles-backend", {0, 0, 0x01803fb1}},
        /* of perf's own lists: tools/perf/pmu-events/arch/x86, uncore with masks after them */
        {"cpu_clk_unhalted.thread_any", {0x20003c, 0x20003c}},
        {"offcore_response.any_data.any_cache_dram", {0, 0, 0x01b7}, {0, 0, 0x7f11}},
        {"offcore_response.pf_rfo.remote_dram", {0, 0, 0x01b7}, {0, 0, 0x2020}},
        {"unc_c_qlru.age3", {0, 0x083c}},
        {"unc_c_ring_ad_used.ccw", {0, 0x0c1b}},
        {"unc_c_ring_bl_used.cw", {0, 0x031d}},
        {"unc_c_rxr_int_starved.ismq", {0, 0x0814}},
        {"unc_c_tor_inserts.nid_wb", {0, 0x5035}},
        {"unc_c_tor_occupancy.miss_opcode", {0, 0x0336}},
        {"unc_c_txr_starved.ad_core", {0, 0x1003}},
        {"r412e", {0x412e, 0x412e, 0x412e, 0x412e}},
    };
    const uint64_t set_up = 0xffa4ffff; /* codes, edge, any, invert, threshold */
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        for (unsigned k = 0; k < CPUS; k++) {
            bx_evsel event;
            const char *word = rows[i].word;
            int cpu = bx_cat_find_cpu(built_in(), bx_str_of(cpus[k]));
            int code = bx_event_parse(built_in(), cpu, word, strlen(word), &event, NULL);
            if (code != (rows[i].code[k] ? BX_OK : BX_NOT_FOUND))
                fail_msg("%s of %s: %d", word, cpus[k], code);
            if (code)
                continue;
            if ((event.control & set_up) != rows[i].code[k])
                fail_msg("%s of %s: 0x%llx", word, cpus[k], (unsigned long long)event.control);
            uint64_t extra = rows[i].offcore[k];
            if (strncmp(word, "unc_", 4) == 0)
                continue; /* its box's filter is set, to 0 */
            if (extra ? event.extras != 1 || event.extra[0].value != extra : event.extras != 0)
                fail_msg("%s of %s: %u extras", word, cpus[k], event.extras);
        }
}

/* A unit mask's name with a filter after it is not perf's word of that name. */
static void words_and_unit_masks(void **state)
{
    (void)state;
    static const char *const texts[][2] = {
        {"unc_c_tor_inserts.nid_all:nf=1", "ivbep_unc_cbo::UNC_C_TOR_INSERTS:NID_ALL:nf=1"},
        {"unc_c_tor_inserts.nid_all", "ivbep_unc_cbo::UNC_C_TOR_INSERTS:umask=0x48"}};
    int cpu = bx_cat_find_cpu(built_in(), BX_STR("ivbep"));
    for (size_t i = 0; i < 2; i++) {
        bx_evsel event;
        char name[256];
        assert_int_equal(
            bx_event_parse(built_in(), cpu, texts[i][0], strlen(texts[i][0]), &event, NULL), BX_OK);
        bx_event_format(built_in(), &event, name, sizeof name);
        assert_string_equal(name, texts[i][1]);
    }
}

/* perf's spelling comes before an event of the same name. */
static void words_and_names(void **state)
{
    (void)state;
    static const char *const texts[][2] = {{"cycles", "nhmex_core"}, {"CYCLES", "nhmex_unc_mbox"}};
    int cpu = bx_cat_find_cpu(built_in(), BX_STR("nhmex"));
    for (size_t i = 0; i < 2; i++) {
        bx_evsel event;
        assert_int_equal(bx_event_parse(built_in(), cpu, texts[i][0], 6, &event, NULL), BX_OK);
        assert_string_equal(bx_cat_z(built_in(), bx_cat_pmus(built_in())[event.pmu].name),
                            texts[i][1]);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(reading),
        cmocka_unit_test(writing),
        cmocka_unit_test(words),
        cmocka_unit_test(words_and_names),
        cmocka_unit_test(words_and_unit_masks),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

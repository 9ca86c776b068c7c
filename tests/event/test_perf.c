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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(reading),
        cmocka_unit_test(writing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

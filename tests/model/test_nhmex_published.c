/* Publications of others on the Xeon 7500, or on what it shares with related processors, compared
 * with the model. The oracle cannot find errors of the page that both are written from. */
#include "../cmocked.h"

#include "nhmex_rig.h"

enum { C = BX_NHMEX_C, S = BX_NHMEX_S, M = BX_NHMEX_M };

/* LIKWID's group MEM for Nehalem-EX: memory is read 64 x FVC_EV0_BBOX_CMDS_READS bytes and written
 * 64 x DRAM_CMD_CAS_WR_OPN. */
enum { FVC_EV0 = 0x0d, BBOX_CMDS = 5, DRAM_CMD = 0x0a, CAS_WR_OPN = 4, LINE = 64 };

static double memory_bytes(struct rig *r)
{
    return LINE * (double)(rig_all(r, M, FVC_EV0, BBOX_CMDS) + rig_all(r, M, DRAM_CMD, CAS_WR_OPN));
}

/* LIKWID's accuracy tests (test/accuracy, MEM): bytes that memory moves per byte that the program
 * uses. A stored line is read first, so a copy moves three arrays for two, and the sum of two
 * arrays four for three. Dirty lines remain in the LLC at the end. */
static void check_bytes(const char *workload, unsigned arrays, double published)
{
    const double array = 16 << 20, llc = 24 * 64 * 512;
    struct rig r = rig_new(4, 1, (uint64_t)llc);

    rig_work(&r, workload);
    double moved = memory_bytes(&r), asked = arrays * array;
    assert_true(moved <= published * asked);
    assert_true(moved >= published * asked - llc);
    rig_free(&r);
}

static void test_memory_volume(void **state)
{
    (void)state;
    check_bytes("copy,size=16M", 2, 3.0 / 2);
    check_bytes("stream,size=16M", 3, 4.0 / 3);
}

/* 323535-001 p74: the S-Box sends a snoop to every other socket, and counts the first one of a
 * request. */
static void test_snoops_of_a_request(void **state)
{
    enum { PKTS_SENT_SNP = 0x62, PKTS_RCVD_SNP = 0x71 };

    (void)state;
    for (unsigned packages = 2; packages <= 4; packages++) {
        struct rig r = rig_new(packages, 8, 24 << 20);
        rig_work(&r, "random,size=8M,cores=16,iterations=2000");
        uint64_t sent = rig_all(&r, S, PKTS_SENT_SNP, 1);
        assert_true(sent > 0);
        assert_int_equal(rig_all(&r, S, PKTS_RCVD_SNP, 1), (packages - 1) * sent);
        rig_free(&r);
    }
}

/* Core-valid bits as D. Kanter describes them for Nehalem's inclusive LLC ("Inside Nehalem", Real
 * World Technologies, 2008). A core with a clear bit need not be snooped. If one bit is set, that
 * core may have changed the line. If two or more are set, no core has changed it. */
static void test_core_valid_bits(void **state)
{
    enum { SINKS_C2P = 6, SNOOPS = 1, X = 0, CORES = 8 };
    static const unsigned snoops_after_load_of[CORES] = {0, 1, 1, 1, 1, 1, 1, 1};
    struct rig r = rig_new(1, CORES, 24 << 20);

    (void)state;
    for (unsigned core = 0; core < CORES; core++) {
        rig_do(&r, core, BX_LOAD, X, 0);
        assert_int_equal(rig_all(&r, C, SINKS_C2P, SNOOPS), snoops_after_load_of[core]);
    }
    rig_do(&r, 0, BX_STORE, X, 0); /* all others may have it */
    assert_int_equal(rig_all(&r, C, SINKS_C2P, SNOOPS), 1 + CORES - 1);
    rig_do(&r, 5, BX_LOAD, X, 0); /* only core 0 may have changed it */
    assert_int_equal(rig_all(&r, C, SINKS_C2P, SNOOPS), 1 + CORES - 1 + 1);
    rig_free(&r);
}

/* AnandTech, "Intel Xeon 7500" (article 3648): eight slices of 3 MiB. Lines that fill them are
 * found again; twice as many are not. */
static void test_last_level_cache(void **state)
{
    enum { LLC_MISSES = 0x14, I = 4, LINES = (24 << 20) / LINE };
    struct rig r = rig_new(1, 8, 24 << 20);

    (void)state;
    for (unsigned pass = 0; pass < 2; pass++) {
        for (uint64_t line = 0; line < LINES; line++)
            rig_do(&r, 0, BX_LOAD, line, 0);
        assert_int_equal(rig_all(&r, C, LLC_MISSES, I), LINES);
    }
    rig_free(&r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_memory_volume),
        cmocka_unit_test(test_snoops_of_a_request),
        cmocka_unit_test(test_core_valid_bits),
        cmocka_unit_test(test_last_level_cache),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

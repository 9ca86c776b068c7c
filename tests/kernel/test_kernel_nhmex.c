/* The uncore driver of Debian's kernel on a Xeon 7500 of two packages: all seven kinds of boxes.
 * Registers: Linux arch/x86/events/intel/uncore_nhmex.c. */
#include "../cmocked.h"

#include "mux.h"
#include "sweep.h"

enum { PACKAGES = 2, CORES = 4, BOXES = 1 + CORES + 2 + 2 + 2 + 2 + 1 }; /* U C B S M R W */

/* Through the U-Box, the driver enables all counting once for each box. */
static void driver_starts(void **state)
{
    rig *r = rig_first(state, "virtual:nhmex,part=plain,packages=2,cores=4,llc=768K", NULL);
    rig_no_fault(r);
    assert_int_equal(r->d.done, PACKAGES * BOXES);
    for (size_t i = 0; i < r->d.done; i++) {
        const bx_reglog_access *a = &r->d.accesses[i];
        assert_int_equal(a->at.space, BX_SPACE_MSR);
        assert_int_equal(a->at.offset, 0xc00);
        assert_int_equal(a->at.cpu, i / BOXES * CORES);
        assert_true(a->write);
        assert_int_equal(a->value, 1 << 28);
    }
    static const char *const pmus[] = {"ubox",   "cbox_0", "cbox_3", "bbox_0", "bbox_1", "sbox_0",
                                       "sbox_1", "mbox_0", "mbox_1", "rbox_0", "rbox_1", "wbox"};
    rig_has(r, pmus, sizeof pmus / sizeof *pmus);
}

static const char mixture[] = "run stream,size=64K,cores=2+random,size=16M,cores=2,iterations=800+"
                              "sharing,size=64K,cores=4,iterations=200+dma,size=16K,iterations=200";

/* Nothing here causes interrupts and locks, so the U-Box counts signals of a known number. */
static void ubox(void **state)
{
    rig *r = rig_needed(state);
    rig_event lock = rig_open(r, "nhmex_unc_ubox@0::BUF_VALID_LOCK", NULL, true);
    rig_event sent = rig_open(r, "nhmex_unc_ubox@1::IPIS_SENT:e=1", NULL, true);
    rig_work(r, "signal nhmex_unc_ubox@0 0x2 0 1 77\n"
                "signal nhmex_unc_ubox@1 0x2 0 1 5\n"
                "signal nhmex_unc_ubox@1 0xf9 0 1 3\n"
                "cycles 2\n"
                "signal nhmex_unc_ubox@1 0xf9 0 1 9");
    assert_int_equal(rig_take(r, &lock).count, 77);
    assert_int_equal(rig_take(r, &sent).count, 2);
}

/* The fixed counter counts all cycles. The model has no turbo, so a signal stands for it. */
static void wbox(void **state)
{
    rig *r = rig_needed(state);
    static const char *const clocks[] = {"nhmex_unc_wbox@0::FIXED_UNCORE_CLOCK",
                                         "nhmex_unc_wbox@1::FIXED_UNCORE_CLOCK"};
    uint64_t counts[2];
    rig_counts(r, clocks, 2, "cycles 123456", counts);
    assert_int_equal(counts[0], 123456);
    assert_int_equal(counts[1], 123456);
    rig_counts(r, clocks, 2, mixture, NULL);
    rig_event turbo = rig_open(r, "nhmex_unc_wbox@0::C_CYCLES_TURBO:C0", NULL, true);
    rig_event often = rig_open(r, "nhmex_unc_wbox@0::C_CYCLES_TURBO:C0:e=1", NULL, true);
    rig_event clock = rig_open(r, clocks[0], NULL, true);
    rig_work(r, "signal nhmex_unc_wbox@0 0x4 0x1 1 55\ncycles 9\n"
                "signal nhmex_unc_wbox@0 0x4 0x1 1 20\ncycles 1");
    assert_int_equal(rig_take(r, &turbo).count, 75);
    assert_int_equal(rig_take(r, &often).count, 2);
    assert_int_equal(rig_take(r, &clock).count, 85);
}

/* Groups: match registers, thresholds, edges, the four equal fields, the ports' equal registers. An
 * address of the M-Box is not among them: no model compares it, so the twin has no count. */
static void shared_registers(void **state)
{
    rig *r = rig_needed(state);
    static const char *const sets[][6] = {
        {"nhmex_unc_cbox1::LLC_HITS:ALL:t=1:e=1", "nhmex_unc_cbox1::LLC_MISSES:ALL",
         "nhmex_unc_cbox1::OCCUPANCY_IRQ:t=2", "nhmex_unc_cbox1::TRANS_IRQ",
         "nhmex_unc_cbox1::OCCUPANCY_IRQ:t=3:i=1", "nhmex_unc_cbox1::LLC_VICTIMS:M"},
        {"nhmex_unc_bbox0::MSG_ADDR_IN_MATCH:addr=0x77:addr_mask=0x1",
         "nhmex_unc_bbox0::IMT_INSERTS_WR", "nhmex_unc_bbox0::MSGS_S_TO_B"},
        {"nhmex_unc_bbox1::MSG_IN_MATCH:mc=HOM0", NULL},
        {"nhmex_unc_bbox1::MSG_OUT_MATCH:mc_out=DRS", NULL},
        {"nhmex_unc_sbox0::TO_R_PROG_EV:mc=HOM0", "nhmex_unc_sbox0::TO_R_B_REQUESTS:LOCAL"},
        {"nhmex_unc_sbox1::TO_R_PROG_EV", "nhmex_unc_sbox1::REQ_TBL_OCCUPANCY:ALL"},
        {"nhmex_unc_mbox0::FVC:BBOX_CMDS.READS", "nhmex_unc_mbox0::FVC:BBOX_RSP.ACK",
         "nhmex_unc_mbox0::FVC_EV2:BBOX_CMDS.READS", "nhmex_unc_mbox0::FVC_EV3:BBOX_RSP.ACK",
         "nhmex_unc_mbox0::PAGE_HIT", "nhmex_unc_mbox0::CYCLES"},
        {"nhmex_unc_mbox1::DRAM_CMD:CAS_WR_OPN", "nhmex_unc_mbox1::BCMD_SCHEDQ_OCCUPANCY:WRITES",
         "nhmex_unc_mbox1::DSP_FILL:RDQ_EMPTY"},
        {"nhmex_unc_rbox::NEW_PACKETS_RECV:ANY_ALL:port=2",
         "nhmex_unc_rbox::EOT_OCCUPANCY:DRS_VN0:port=2", "nhmex_unc_rbox::QUE_ARB_BID:HOM:port=2",
         "nhmex_unc_rbox::XBAR_MATCH:DRS.AnyDataC:port=2",
         "nhmex_unc_rbox::XBAR_MATCH:HOM0.RdData:port=2"},
        {"nhmex_unc_rbox::NEW_PACKETS_RECV:ANY_SNP:port=5",
         "nhmex_unc_rbox::XBAR_MATCH:mc=DRS:port=7", "nhmex_unc_rbox::ALLOC_TO_ARB:SNP:port=7"},
    };
    for (size_t i = 0; i < sizeof sets / sizeof *sets; i++) {
        size_t n = 0;
        while (n < 6 && sets[i][n])
            n++;
        rig_group_counts(r, sets[i], n, mixture);
    }
}

/* Two settings need one register, and seven events need six counters. */
static void taking_turns(void **state)
{
    rig *r = rig_needed(state);
    static const char *const settings[] = {"nhmex_unc_mbox0@1::DSP_FILL:RDQ_EMPTY",
                                           "nhmex_unc_mbox0@1::DSP_FILL:WRQ_EMPTY",
                                           "nhmex_unc_mbox0@1::PAGE_HIT"};
    mux_counts(r, settings, 3, 16, mixture);
    static const char *const seven[] = {
        "nhmex_unc_cbox0@1::LLC_HITS:ALL",    "nhmex_unc_cbox0@1::LLC_MISSES:ALL",
        "nhmex_unc_cbox0@1::LLC_VICTIMS:M",   "nhmex_unc_cbox0@1::OCCUPANCY_IRQ",
        "nhmex_unc_cbox0@1::TRANS_IRQ",       "nhmex_unc_cbox0@1::SNPS:REMOTE_ANY",
        "nhmex_unc_cbox0@1::LLC_HITS:ALL:t=1"};
    mux_counts(r, seven, 7, 30, mixture);
    rig_no_fault(r);
}

/* No schedule makes a core hot here, or fast. */
static const char heat[] = "signal nhmex_unc_wbox@0 0x0 0x1 1 5\n"
                           "signal nhmex_unc_wbox@0 0x1 0x2 1 6\n"
                           "signal nhmex_unc_wbox@1 0x3 0x4 1 7\n"
                           "signal nhmex_unc_wbox@1 0x4 0x8 1 8";

static void every_event(void **state)
{
    rig *r = rig_needed(state);
    static const char *const alone[] = {"", NULL};
    static const char *const port[] = {":port=2", ":port=0", NULL};
    static const sweep sweeps[] = {
        {"nhmex_unc_cbox", "2@1", alone, mixture}, {"nhmex_unc_bbox", "1@0", alone, mixture},
        {"nhmex_unc_sbox", "0@1", alone, mixture}, {"nhmex_unc_mbox", "1@0", alone, mixture},
        {"nhmex_unc_rbox", "", port, mixture},     {"nhmex_unc_wbox", "", alone, heat},
    };
    /* "modelled" in docs/reference/not-modelled.md */
    static const size_t known[] = {114, 45, 163, 115, 145, 39};
    for (size_t i = 0; i < sizeof sweeps / sizeof *sweeps; i++) {
        swept s = sweep_all(r, &sweeps[i]);
        swept_end(&s, known[i]);
    }
    rig_no_fault(r);
}

/* The only warnings: the driver enables the comparison of an R-Box's packets first, and then writes
 * what to compare with. The guide requires the opposite order
 * (docs/explanation/linux-driver.md). */
static void warnings(void **state)
{
    rig *r = rig_needed(state);
    char text[4096];
    bx_explain_end(r->d.explain, &r->d.explained);
    size_t n = driver_explained(&r->d, 0, "warning:", text, sizeof text);
    if (n != driver_explained(&r->d, 0, ".DIS is 1", text, sizeof text) || n == 0) {
        driver_explained(&r->d, 0, "warning:", text, sizeof text);
        fail_msg("%s", text);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(driver_starts), cmocka_unit_test(ubox),
        cmocka_unit_test(wbox),          cmocka_unit_test(shared_registers),
        cmocka_unit_test(taking_turns),  cmocka_unit_test(every_event),
        cmocka_unit_test(warnings),
    };
    return cmocka_run_group_tests(tests, rig_set_up, rig_tear_down);
}

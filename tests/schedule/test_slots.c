/* Events of boxes whose counters share registers. Registers and codes: 323535-001 as
 * catalog/nhmex/ cites it, section 2.6 (R-Box), 2.7 (M-Box), 2.4 (B-Box); Linux uncore_snbep.c for
 * the filters of the Ivy Bridge-EP C-Box. */
#include "machine.h"

#include <string.h>

static const char nhmex[] = "virtual:nhmex,packages=1";

/* The pass of each assignment, in their order, as digits. */
static void passes(const char *machine, const char *events, const char *expected)
{
    struct fixture f;
    char text[64] = "";
    fixture_made(&f, machine, events);
    for (size_t i = 0; i < f.schedule.n; i++)
        text[i] = (char)('0' + f.schedule.assignments[i].pass);
    if (strcmp(text, expected) != 0)
        fail_msg("%s: passes %s, not %s", events, text, expected);
    fixture_done(&f);
}

static void refused(const char *machine, const char *events, const char *message, const char *at)
{
    struct fixture f;
    if (fixture_make(&f, machine, events) != BX_NO_FIT)
        fail_msg("%s was not refused", events);
    assert_string_equal(f.e.message, message);
    assert_true(bx_str_eq(bx_str_sub(bx_str_of(events), f.e.at, f.e.len), bx_str_of(at)));
    assert_string_equal(f.e.hint,
                        "events in braces are counted at once; without them they take turns");
    assert_null(f.schedule.assignments);
}

/* The filter register holds one opcode at a time. */
static void filters_of_a_cbox(void **state)
{
    (void)state;
    const char *machine = "virtual:ivbep,packages=1,cores=1";
    passes(machine,
           "UNC_C_TOR_INSERTS:OPCODE:OPC_RFO,UNC_C_TOR_OCCUPANCY:OPCODE:OPC_RFO,"
           "UNC_C_CLOCKTICKS",
           "000");
    passes(machine, "UNC_C_TOR_INSERTS:OPCODE:OPC_RFO,UNC_C_TOR_INSERTS:OPCODE:OPC_DRD", "01");
    /* An event without an opcode filter is compatible with any. */
    passes(machine,
           "UNC_C_TOR_INSERTS:OPCODE:OPC_RFO,UNC_C_TOR_INSERTS:OPCODE:OPC_DRD,"
           "UNC_C_LLC_LOOKUP:ANY,UNC_C_CLOCKTICKS",
           "0100");
    refused(machine, "{UNC_C_TOR_INSERTS:OPCODE:OPC_RFO,UNC_C_TOR_INSERTS:OPCODE:OPC_DRD}",
            "UNC_C_TOR_INSERTS:OPCODE:OPC_RFO and UNC_C_TOR_INSERTS:OPCODE:OPC_DRD need different "
            "OPC in BOX_FILTER1 of C-Box 0",
            "UNC_C_TOR_INSERTS:OPCODE:OPC_DRD");
}

/* Two IPERF registers of a port: codes 0x00 and 0x01 of port 0 (table of p92), EV_SEL at 5:1. */
static void equal_places_of_a_port(void **state)
{
    (void)state;
    struct fixture f;
    fixture_made(&f, nhmex, "nhmex_unc_rbox::NULL_IDLE:port=0,nhmex_unc_rbox::FLITS_SENT:port=0");
    assert_int_equal(f.schedule.passes, 1);
    assert_int_equal(fixture_control(&f, 0) >> 1 & 0x1f, 0x00);
    assert_int_equal(fixture_control(&f, 1) >> 1 & 0x1f, 0x01);
    fixture_done(&f);
    /* Events with equal contents share a register, so a third event finds a free one. */
    fixture_made(&f, nhmex,
                 "nhmex_unc_rbox::NULL_IDLE:port=5,nhmex_unc_rbox::FLITS_SENT:port=5,"
                 "nhmex_unc_rbox::NULL_IDLE:port=5");
    assert_int_equal(f.schedule.passes, 1);
    assert_int_equal(fixture_control(&f, 0) >> 1 & 0x1f, 0x06);
    assert_int_equal(fixture_control(&f, 1) >> 1 & 0x1f, 0x07);
    assert_int_equal(fixture_control(&f, 2) >> 1 & 0x1f, 0x06);
    for (size_t i = 0; i < f.schedule.n; i++) {
        assert_int_equal(f.schedule.assignments[i].unit, 1);
        assert_int_equal(bx_assignment_port(f.topology.catalog, &f.schedule.assignments[i]), 5);
    }
    fixture_done(&f);
    passes(nhmex,
           "nhmex_unc_rbox::NULL_IDLE:port=0,nhmex_unc_rbox::FLITS_SENT:port=0,"
           "nhmex_unc_rbox::OUTPUTQ_NE:port=0,nhmex_unc_rbox::OUTPUTQ_NE:port=1",
           "0010");
    refused(nhmex,
            "{nhmex_unc_rbox::NULL_IDLE:port=0,nhmex_unc_rbox::FLITS_SENT:port=0,"
            "nhmex_unc_rbox::OUTPUTQ_NE:port=0}",
            "no iperf of R-Box half 0 is left for OUTPUTQ_NE:port=0",
            "nhmex_unc_rbox::OUTPUTQ_NE:port=0");
}

/* Without a port, every port of the machine is counted: four in each half. */
static void all_ports(void **state)
{
    (void)state;
    struct fixture f;
    fixture_made(&f, "virtual:nhmex,packages=2", "nhmex_unc_rbox::FLITS_SENT");
    assert_int_equal(f.schedule.n, 16);
    assert_int_equal(f.schedule.passes, 1);
    for (size_t i = 0; i < f.schedule.n; i++) {
        assert_int_equal(f.schedule.assignments[i].package, i / 8);
        assert_int_equal(bx_assignment_port(f.topology.catalog, &f.schedule.assignments[i]), i % 8);
    }
    fixture_done(&f);
    /* A half has eight counters: the third event of all ports waits. */
    passes(nhmex,
           "nhmex_unc_rbox::FLITS_SENT,nhmex_unc_rbox::NULL_IDLE,"
           "nhmex_unc_rbox::OUTPUTQ_NE",
           "000000000000000011111111");
}

/* FVC: four event fields with one common BCMD and one common RESP (p127). */
static void common_fields(void **state)
{
    (void)state;
    passes(nhmex,
           "nhmex_unc_mbox0::FVC:BBOX_CMDS.READS,nhmex_unc_mbox0::FVC:SMI_CRC_ERR,"
           "nhmex_unc_mbox0::FVC:MEM_ECC_ERR,nhmex_unc_mbox0::FVC:ALERT_FRAMES",
           "0000");
    passes(nhmex,
           "nhmex_unc_mbox0::FVC:BBOX_CMDS.READS,nhmex_unc_mbox0::FVC:BBOX_CMDS.WRITES,"
           "nhmex_unc_mbox0::FVC:MEM_ECC_ERR",
           "010");
    refused(nhmex, "{nhmex_unc_mbox0::FVC:BBOX_CMDS.READS,nhmex_unc_mbox0::FVC:BBOX_CMDS.WRITES}",
            "BBOX_CMDS.READS and BBOX_CMDS.WRITES need different BCMD in ZDP_CTL_FVC of M-Box 0",
            "nhmex_unc_mbox0::FVC:BBOX_CMDS.WRITES");
    /* FVC takes the field that FVC_EV0 does not use; two events of FVC_EV0 do not fit. */
    struct fixture f;
    fixture_made(&f, nhmex,
                 "nhmex_unc_mbox0::FVC:SMI_CRC_ERR,nhmex_unc_mbox0::FVC_EV0:MEM_ECC_ERR");
    assert_int_equal(f.schedule.passes, 1);
    assert_int_equal(fixture_control(&f, 0) >> 9 & 0x1f, 0x0e);
    assert_int_equal(fixture_control(&f, 1) >> 9 & 0x1f, 0x0d);
    fixture_done(&f);
    passes(nhmex, "nhmex_unc_mbox0::FVC_EV0:SMI_CRC_ERR,nhmex_unc_mbox0::FVC_EV0:MEM_ECC_ERR",
           "01");
}

/* The B-Box: each counter has its own events, and all match events share one pair of registers. */
static void one_counter_each(void **state)
{
    (void)state;
    passes(nhmex, "nhmex_unc_bbox0::TF_ALL,nhmex_unc_bbox0::TF_WR,nhmex_unc_bbox0::IMT_INSERTS_ALL",
           "010");
    refused(nhmex, "{nhmex_unc_bbox0::TF_ALL,nhmex_unc_bbox0::TF_WR}",
            "no counter of B-Box 0 is left for TF_WR", "nhmex_unc_bbox0::TF_WR");
}

/* A fixed counter is a box of its own: it continues to count while the others are multiplexed. */
static void the_fixed_counter_does_not_wait(void **state)
{
    (void)state;
    struct fixture f;
    fixture_made(&f, nhmex,
                 "FIXED_UNCORE_CLOCK,nhmex_unc_wbox::RAW:code=1,nhmex_unc_wbox::RAW:code=2,"
                 "nhmex_unc_wbox::RAW:code=3,nhmex_unc_wbox::RAW:code=4,"
                 "nhmex_unc_wbox::RAW:code=5");
    assert_int_equal(f.schedule.passes, 2);
    assert_int_equal(f.schedule.assignments[0].passes, 1);
    assert_int_equal(f.schedule.assignments[1].passes, 2);
    fixture_done(&f);
    passes("virtual:skl", "UNC_CLOCK:SOCKET,UNC_CLOCK:SOCKET", "00");
}

/* ---- groups ---- */

static void groups_stay_together(void **state)
{
    (void)state;
    const char *c0 = "skl_unc_cbo0::UNC_CBO_CACHE_LOOKUP:ANY_I,{"
                     "skl_unc_cbo0::UNC_CBO_CACHE_LOOKUP:ANY_M,"
                     "skl_unc_cbo0::UNC_CBO_CACHE_LOOKUP:ANY_ES}";
    passes("virtual:skl", c0, "011");
    /* Without braces the second event would be in the first pass. */
    passes("virtual:skl",
           "skl_unc_cbo0::UNC_CBO_CACHE_LOOKUP:ANY_I,skl_unc_cbo0::UNC_CBO_CACHE_LOOKUP:ANY_M,"
           "skl_unc_cbo0::UNC_CBO_CACHE_LOOKUP:ANY_ES",
           "001");
}

/* A group with two PMUs: the ARB's event waits for the C-Box's, and is counted for the same
 * time. */
static void groups_of_several_boxes(void **state)
{
    (void)state;
    struct fixture f;
    fixture_made(&f, "virtual:skl,cores=2",
                 "UNC_CBO_CACHE_LOOKUP:ANY_I,UNC_CBO_CACHE_LOOKUP:ANY_ES,"
                 "{UNC_CBO_CACHE_LOOKUP:ANY_M,UNC_ARB_TRK_REQUESTS:ALL},DRAM_DATA_READS");
    static const unsigned pass[] = {0, 0, 0, 0, 1, 1, 1, 0}, of[] = {2, 2, 2, 2, 2, 2, 2, 1};
    assert_int_equal(f.schedule.n, 8);
    for (size_t i = 0; i < f.schedule.n; i++) {
        assert_int_equal(f.schedule.assignments[i].pass, pass[i]);
        assert_int_equal(f.schedule.assignments[i].passes, of[i]);
    }
    fixture_done(&f);
}

static void groups_too_large(void **state)
{
    (void)state;
    refused("virtual:skl",
            "{skl_unc_cbo1::UNC_CBO_CACHE_LOOKUP:ANY_I,skl_unc_cbo1::UNC_CBO_CACHE_LOOKUP:ANY_M,"
            "skl_unc_cbo1::UNC_CBO_CACHE_LOOKUP:ANY_ES}",
            "no counter of C-Box 1 is left for UNC_CBO_CACHE_LOOKUP:ANY_ES",
            "skl_unc_cbo1::UNC_CBO_CACHE_LOOKUP:ANY_ES");
}

/* ---- why there are several passes ---- */

static void explained(const char *machine, const char *events, const char *why)
{
    struct fixture f;
    bx_error e = {0};
    fixture_made(&f, machine, events);
    assert_true(bx_schedule_explain(&f.topology, f.events, &f.schedule, &e));
    assert_string_equal(e.message, why);
    fixture_done(&f);
}

static void what_events_wait_for(void **state)
{
    (void)state;
    explained(nhmex, "nhmex_unc_mbox1::FVC:BBOX_CMDS.READS,nhmex_unc_mbox1::FVC:BBOX_CMDS.WRITES",
              "BBOX_CMDS.READS and BBOX_CMDS.WRITES need different BCMD in ZDP_CTL_FVC of M-Box 1");
    explained("virtual:skl,cores=1",
              "UNC_CBO_CACHE_LOOKUP:ANY_I,UNC_CBO_CACHE_LOOKUP:ANY_M,UNC_CBO_CACHE_LOOKUP:ANY_ES",
              "no counter of C-Box 0 is left for UNC_CBO_CACHE_LOOKUP:ANY_ES");
    struct fixture f;
    fixture_made(&f, "virtual:skl", "UNC_CBO_CACHE_LOOKUP:ANY_I");
    assert_false(bx_schedule_explain(&f.topology, f.events, &f.schedule, NULL));
    fixture_done(&f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(filters_of_a_cbox),
        cmocka_unit_test(equal_places_of_a_port),
        cmocka_unit_test(all_ports),
        cmocka_unit_test(common_fields),
        cmocka_unit_test(one_counter_each),
        cmocka_unit_test(the_fixed_counter_does_not_wait),
        cmocka_unit_test(groups_stay_together),
        cmocka_unit_test(groups_of_several_boxes),
        cmocka_unit_test(groups_too_large),
        cmocka_unit_test(what_events_wait_for),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

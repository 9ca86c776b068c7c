/* boxscore on a real kernel with two packages of two cores with two threads each, a Xeon 7500: all
 * seven kinds of boxes, and the preconditions of their registers. */
#include "../cmocked.h"

#include "measured.h"

#include <stdlib.h>

static const char work[] = "run stream,size=32K+random,size=16M,iterations=200+"
                           "sharing,size=32K,cores=2,iterations=100+dma,size=16K,iterations=100";

static const char *const sets[] = {
    "nhmex_unc_cbox::LLC_MISSES:ALL,nhmex_unc_cbox::OCCUPANCY_IRQ:t=2,"
    "nhmex_unc_bbox0::MSG_ADDR_IN_MATCH:addr=0x77:addr_mask=0x1,nhmex_unc_bbox::MSGS_S_TO_B,"
    "nhmex_unc_sbox0::TO_R_PROG_EV:mc=HOM0,nhmex_unc_sbox1::REQ_TBL_OCCUPANCY:ALL",
    "nhmex_unc_mbox0::FVC:BBOX_CMDS.READS,nhmex_unc_mbox0::FVC_EV2:BBOX_RSP.ACK,"
    "nhmex_unc_mbox1::DRAM_CMD:CAS_WR_OPN,nhmex_unc_mbox1::BCMD_SCHEDQ_OCCUPANCY:WRITES,"
    "nhmex_unc_rbox::NEW_PACKETS_RECV:ANY_ALL:port=2,nhmex_unc_rbox::XBAR_MATCH:mc=DRS:port=7,"
    "nhmex_unc_wbox::FIXED_UNCORE_CLOCK",
};

static void registers(void **state)
{
    const driver_options o = {.threads = 2, .programs = true};
    rig *r = rig_first(state, "virtual:nhmex,part=plain,packages=2,cores=2,llc=384K", &o);
    guest_ask(r->d.guest, "insmod /msr.ko");
    char *before = measured_registers(r);
    for (size_t i = 0; i < sizeof sets / sizeof *sets; i++) {
        measured m;
        measured_work(&m, r, ROOT, "", sets[i], work);
        for (size_t k = 0; k < m.n; k++)
            assert_string_equal(m.driver[k], "registers");
    }
    measured_unchanged(r, before);
    rig_no_fault(r);
    rig_no_warning(r);
}

/* Another thread of the core replaces the one that goes offline. */
static void thread_goes(void **state)
{
    rig *r = rig_needed(state);
    char *before = measured_registers(r);
    measured m;
    measured_begin(&m, r, ROOT, "", sets[0]);
    rig_work(r, work);
    for (unsigned cpu = 4; cpu < 7; cpu++)
        guest_ask(r->d.guest, "put /sys/devices/system/cpu/cpu%u/online 0", cpu);
    rig_work(r, work);
    measured_end(&m, r);
    measured_work(&m, r, ROOT, "", sets[1], work);
    for (unsigned cpu = 4; cpu < 7; cpu++)
        guest_ask(r->d.guest, "put /sys/devices/system/cpu/cpu%u/online 1", cpu);
    measured_unchanged(r, before);
}

static void killed(void **state)
{
    rig *r = rig_needed(state);
    char *before = measured_registers(r), command[600];
    int pid = program_begin(r->d.guest, ROOT, "%s", measured_command(command, "", sets[1], "kill"));
    assert_true(program_reached(r->d.guest, "kill", pid));
    rig_work(r, work);
    guest_ask(r->d.guest, "kill %d", pid);
    printed p = program_end(r->d.guest, pid);
    assert_int_equal(p.status, 128 + 9);
    free(p.text);
    says(r, ROOT, "/bin/boxscore restore", 0, SAYS("registers are as before"));
    measured_unchanged(r, before);
}

/* A register that several events share faults when it is written. These events are blocked, others
 * are counted. */
static void a_register_faults(void **state)
{
    rig *r = rig_needed(state);
    char *before = measured_registers(r);
    r->d.broken = 0xe49; /* the match register of S-Box 0 */
    printed p = program_run(
        r->d.guest, ROOT,
        "/bin/boxscore stat --machine host -x, --per-unit -e nhmex_unc_sbox0::TO_R_PROG_EV:mc=HOM0,"
        "nhmex_unc_wbox::FIXED_UNCORE_CLOCK -- /bin/boxscore --version");
    r->d.broken = 0;
    printed_has(&p, 0, SAYS("the access faults", "S-Box 0,<blocked>,", "W-Box,0,cycles"));
    free(p.text);
    measured_unchanged(r, before);
}

static void two_ways(void **state)
{
    rig *r = rig_needed(state);
    measured m;
    guest_ask(r->d.guest, "insmod /intel-uncore.ko");
    for (size_t i = 0; i < sizeof sets / sizeof *sets; i++) {
        measured_work(&m, r, ROOT, "", sets[i], work);
        for (size_t k = 0; k < m.n; k++)
            assert_string_equal(m.driver[k], "perf_event");
        measured_work(&m, r, ROOT, "--driver registers", sets[i], work);
        for (size_t k = 0; k < m.n; k++)
            assert_string_equal(m.driver[k], "registers");
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(registers), cmocka_unit_test(thread_goes),
        cmocka_unit_test(killed),    cmocka_unit_test(a_register_faults),
        cmocka_unit_test(two_ways),
    };
    return cmocka_run_group_tests(tests, rig_set_up, rig_tear_down);
}

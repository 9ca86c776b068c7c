/* The uncore driver of Debian's kernel on a Xeon E5 v2 of two packages: its C-Boxes, with their
 * filters. Registers: Linux arch/x86/events/intel/uncore_snbep.c. The driver's other PMUs are in
 * PCI space, where qemu does not have them, or are not in the catalogue. */
#include "../cmocked.h"

#include "mux.h"
#include "sweep.h"

/* The first CPU of each package resets each box, registers and counters. */
static void driver_starts(void **state)
{
    rig *r = rig_first(state, "virtual:ivbep,part=plain,packages=2,cores=2", NULL);
    rig_no_fault(r);
    static const uint64_t boxes[] = {0xd04, 0xd24, 0xc24}; /* two C-Boxes, the power control unit */
    assert_int_equal(r->d.done, 6);
    for (size_t i = 0; i < 6; i++) {
        const bx_reglog_access *a = &r->d.accesses[i];
        assert_int_equal(a->at.space, BX_SPACE_MSR);
        assert_int_equal(a->at.offset, boxes[i % 3]);
        assert_int_equal(a->at.cpu, i / 3 * 2);
        assert_true(a->write);
        assert_int_equal(a->value, 3);
    }
    static const char *const pmus[] = {"cbox_0", "cbox_1", "ubox", "pcu"};
    rig_has(r, pmus, sizeof pmus / sizeof *pmus);
}

static const char mixture[] = "run stream,size=128K+random,size=64M,iterations=1500+"
                              "sharing,size=64K,iterations=300+dma,size=16K,iterations=200";

static void both_packages(void **state)
{
    rig *r = rig_needed(state);
    static const char *const events[] = {
        "ivbep_unc_cbo0@0::UNC_C_CLOCKTICKS",      "ivbep_unc_cbo0@1::UNC_C_CLOCKTICKS",
        "ivbep_unc_cbo0@0::UNC_C_TOR_INSERTS:ALL", "ivbep_unc_cbo1@0::UNC_C_TOR_INSERTS:ALL",
        "ivbep_unc_cbo0@1::UNC_C_TOR_INSERTS:ALL", "ivbep_unc_cbo1@1::UNC_C_TOR_INSERTS:ALL"};
    uint64_t counts[6];
    rig_counts(r, events, 6, "cycles 123456", counts);
    assert_int_equal(counts[0], 123456);
    assert_int_equal(counts[1], 123456);
    rig_counts(r, events, 6, mixture, counts);
    for (size_t i = 2; i < 6; i++)
        assert_true(counts[i] > 0);
}

/* Filters, alone and together; thresholds and edges. */
static void filters_and_conditions(void **state)
{
    rig *r = rig_needed(state);
    static const char *const events[][2] = {
        {"ivbep_unc_cbo0::UNC_C_TOR_INSERTS:OPCODE:OPC_RFO", NULL},
        {"ivbep_unc_cbo1::UNC_C_TOR_INSERTS:OPCODE:OPC_DRD:tf=0:cf=1", NULL},
        {"ivbep_unc_cbo1::UNC_C_TOR_OCCUPANCY:MISS_OPCODE:OPC_DRD", NULL},
        {"ivbep_unc_cbo0@1::UNC_C_TOR_INSERTS:NID_OPCODE:OPC_RFO:nf=2", NULL},
        {"ivbep_unc_cbo0::UNC_C_TOR_INSERTS:NID_MISS_OPCODE:OPC_DRD:nf=3:cf=1",
         "ivbep_unc_cbo0::UNC_C_LLC_LOOKUP:DATA_READ:STATE_I"},
        {"ivbep_unc_cbo0::UNC_C_LLC_LOOKUP:ANY:NID:STATE_M:STATE_E:STATE_I:nf=1", NULL},
        {"ivbep_unc_cbo0::UNC_C_LLC_LOOKUP:WRITE:STATE_M:t=1:e=1", NULL},
        {"ivbep_unc_cbo0::UNC_C_LLC_VICTIMS:STATE_M:NID:nf=1",
         "ivbep_unc_cbo0::UNC_C_MISC:STARTED"},
        {"ivbep_unc_cbo0::UNC_C_TOR_INSERTS:ALL:tf=0",
         "ivbep_unc_cbo0::UNC_C_TOR_OCCUPANCY:ALL:tf=0"},
        {"ivbep_unc_cbo0::UNC_C_TOR_OCCUPANCY:ALL:t=3", "ivbep_unc_cbo0::UNC_C_CLOCKTICKS"},
        {"ivbep_unc_cbo0::UNC_C_RXR_OCCUPANCY:IRQ:t=1:e=1",
         "ivbep_unc_cbo0::UNC_C_RXR_INSERTS:IRQ"},
        {"ivbep_unc_cbo0::UNC_C_RING_BL_USED:UP:t=1", "ivbep_unc_cbo0::UNC_C_RING_AD_USED:DOWN"},
    };
    for (size_t i = 0; i < sizeof events / sizeof *events; i++)
        rig_counts(r, events[i], events[i][1] ? 2 : 1, mixture, NULL);
}

/* Two opcodes need different contents of one filter, and three events need the two counters that
 * can count them, so the driver rotates. */
static void taking_turns(void **state)
{
    rig *r = rig_needed(state);
    static const char *const filters[] = {
        "ivbep_unc_cbo0::UNC_C_TOR_INSERTS:OPCODE:OPC_RFO",
        "ivbep_unc_cbo0::UNC_C_TOR_INSERTS:OPCODE:OPC_DRD",
    };
    mux_counts(r, filters, 2, 16, mixture);
    static const char *const counters[] = {
        "ivbep_unc_cbo1@1::UNC_C_TOR_INSERTS:ALL",
        "ivbep_unc_cbo1@1::UNC_C_LLC_LOOKUP:ANY:STATE_MESIF",
        "ivbep_unc_cbo1@1::UNC_C_RXR_INSERTS:IRQ",
    };
    mux_counts(r, counters, 3, 24, mixture);
    rig_no_fault(r);
}

static void every_event(void **state)
{
    rig *r = rig_needed(state);
    static const char *const with[] = {"",        ":OPC_RFO", ":nf=1",         ":nf=3:OPC_DRD",
                                       ":OPCODE", ":STATE_M", ":STATE_M:nf=1", NULL};
    sweep s = {"ivbep_unc_cbo", "1@0", with, mixture};
    swept all = sweep_all(r, &s);
    swept_end(&all, 149);
    rig_no_fault(r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(driver_starts),
        cmocka_unit_test(both_packages),
        cmocka_unit_test(filters_and_conditions),
        cmocka_unit_test(taking_turns),
        cmocka_unit_test(every_event),
        cmocka_unit_test(rig_warnings),
    };
    return cmocka_run_group_tests(tests, rig_set_up, rig_tear_down);
}

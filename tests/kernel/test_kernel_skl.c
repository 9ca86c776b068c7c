/* The uncore driver of Debian's kernel on a 6th generation Core: which registers it programs, and
 * what perf_event_open then counts. Registers: Linux arch/x86/events/intel/uncore_snb.c,
 * 334060-001. */
#include "../cmocked.h"

#include "mux.h"
#include "sweep.h"

static void is_access(const bx_reglog_access *a, unsigned space, bool write, uint64_t offset,
                      uint64_t value)
{
    assert_int_equal(a->at.space, space);
    assert_int_equal(a->write, write);
    assert_int_equal(a->at.offset, offset);
    assert_int_equal(a->value, value);
}

static void driver_starts(void **state)
{
    rig *r = rig_first(state, "virtual:skl,part=plain,cores=4,llc=256K", NULL);
    /* The kernel identifies 00:00.0. The driver enables counting (EN, and an interrupt to each of
     * five cores) for the first C-Box and for the ARB, and reads the memory controller's
     * address. */
    rig_no_fault(r);
    uint64_t global = 0;
    unsigned writes = 0, bars = 0;
    for (size_t i = 0; i < r->d.done; i++) {
        const bx_reglog_access *a = &r->d.accesses[i];
        if (a->at.space == BX_SPACE_PCI) {
            bars += a->at.offset == 0x48 && a->value == 0xfed10001;
            continue;
        }
        is_access(a, BX_SPACE_MSR, true, 0xe01, 0x2000001f);
        global = a->value;
        writes++;
    }
    assert_int_equal(global, 0x2000001f);
    assert_int_equal(writes, 2);
    assert_int_equal(bars, 1);
    static const char *const pmus[] = {"cbox_0", "cbox_1", "cbox_2", "cbox_3", "arb", "imc"};
    rig_has(r, pmus, sizeof pmus / sizeof *pmus);
}

/* Counts that are known without a model: three arrays of 64 KiB, read for the first time, are 3,072
 * lines, equally divided among four slices. */
static void counts_of_a_stream(void **state)
{
    rig *r = rig_needed(state);
    static const char *const events[] = {
        "skl_unc_cbo0::UNC_CBO_CACHE_LOOKUP:READ_I", "skl_unc_cbo1::UNC_CBO_CACHE_LOOKUP:READ_I",
        "skl_unc_cbo2::UNC_CBO_CACHE_LOOKUP:READ_I", "skl_unc_cbo3::UNC_CBO_CACHE_LOOKUP:READ_I",
        "UNC_ARB_TRK_REQUESTS:ALL"};
    uint64_t counts[5];
    rig_counts(r, events, 5, "run stream,size=64K", counts);
    for (size_t i = 0; i < 4; i++)
        assert_int_equal(counts[i], 768);
    assert_int_equal(counts[4], 3072);
}

/* The fixed counter, which the driver has as an event of the first C-Box. */
static void clock_counts(void **state)
{
    rig *r = rig_needed(state);
    static const char *const events[] = {"UNC_CLOCK:SOCKET"};
    uint64_t count;
    rig_counts(r, events, 1, "cycles 123456", &count);
    assert_int_equal(count, 123456);
    rig_counts(r, events, 1, "run stream,size=64K", &count);
    assert_true(count > 3072);
}

static const char mixture[] = "run stream,size=64K,cores=2+pingpong,iterations=300+"
                              "dma,size=64K,iterations=600+gfx,size=64K,iterations=600";

static void every_event(void **state)
{
    rig *r = rig_needed(state);
    static const char *const alone[] = {"", NULL};
    /* A unit mask of answers counts with one of causes only; one of states with one of requests. */
    static const char *const halves[] = {"",  ":XCORE_FILTER", ":MISS", ":ANY_FILTER", ":STATE_I",
                                         NULL};
    static const sweep sweeps[] = {{"skl_unc_cbo", "2", halves, mixture},
                                   {"skl_unc_arb", "", alone, mixture}};
    static const size_t known[] = {47, 7}; /* rows of both PMUs that the model produces */
    for (size_t i = 0; i < 2; i++) {
        swept s = sweep_all(r, &sweeps[i]);
        swept_end(&s, known[i]);
    }
}

static void conditions(void **state)
{
    rig *r = rig_needed(state);
    static const char *const pairs[][2] = {
        {"skl_unc_cbo0::UNC_CBO_CACHE_LOOKUP:ANY_MESI:t=1",
         "skl_unc_cbo0::UNC_CBO_CACHE_LOOKUP:ANY_MESI:t=1:i=1"},
        {"skl_unc_cbo0::UNC_CBO_CACHE_LOOKUP:READ_I:e=1",
         "skl_unc_cbo0::UNC_CBO_CACHE_LOOKUP:ANY_MESI:t=2"},
        {"skl_unc_cbo3::UNC_CBO_XSNP_RESPONSE:HITM_XCORE:t=1:e=1",
         "skl_unc_cbo3::UNC_CBO_CACHE_LOOKUP:WRITE_MESI:t=1:e=1:i=1"},
        {"UNC_ARB_TRK_OCCUPANCY:ALL:t=3", "UNC_ARB_TRK_REQUESTS:ALL:t=2"},
        {"UNC_ARB_TRK_OCCUPANCY:ALL:t=4:i=1", "UNC_ARB_TRK_REQUESTS:DATA_READ:e=1"},
        {"UNC_ARB_TRK_OCCUPANCY:ALL:t=20", "UNC_ARB_COH_TRK_REQUESTS:ALL:e=1"},
        {"UNC_ARB_TRK_OCCUPANCY:DATA_READ:t=2:e=1", "UNC_ARB_TRK_REQUESTS:WRITES"},
    };
    for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++)
        rig_counts(r, pairs[i], 2, mixture, NULL);
}

/* Free-running counters: the driver counts from their value at the start. */
static void memory_controller(void **state)
{
    rig *r = rig_needed(state);
    static const char *const events[] = {"DRAM_DATA_READS", "DRAM_DATA_WRITES", "DRAM_IA_REQUESTS",
                                         "DRAM_GT_REQUESTS", "DRAM_IO_REQUESTS"};
    rig_event e[5];
    rig_refresh(r);
    for (size_t i = 0; i < 5; i++)
        e[i] = rig_open(r, events[i], NULL, true);
    rig_truth_of t = rig_watch(r, e, 5);
    rig_work(r, mixture);
    rig_work(r, "run stream,size=128K");
    rig_truth_end(&t);
    rig_refresh(r);
    for (size_t i = 0; i < 5; i++) {
        assert_int_equal(rig_read(r, &e[i]).count, rig_truth(&t, i));
        assert_true(rig_truth(&t, i) > 0 || i == 1);
        rig_close(r, &e[i]);
    }
    bx_session_close(t.session);
}

/* A group is enabled as a whole. A group with more members than counters is refused. */
static void groups(void **state)
{
    rig *r = rig_needed(state);
    rig_event leader = rig_open(r, "UNC_ARB_TRK_OCCUPANCY:ALL", NULL, false);
    rig_event member = rig_open(r, "UNC_ARB_TRK_REQUESTS:ALL", &leader, true), both[2];
    rig_event third = rig_try(r, "uncore_arb/event=0x84,umask=0x1/", &leader);
    assert_int_equal(third.fd, -1);
    both[0] = leader;
    both[1] = member;
    rig_work(r, "run stream,size=16K"); /* not counted: the group is disabled */
    rig_truth_of t = rig_watch(r, both, 2);
    rig_enable(r, &leader);
    rig_work(r, mixture);
    rig_disable(r, &leader);
    rig_truth_end(&t);
    rig_work(r, "run stream,size=16K");
    assert_int_equal(rig_read(r, &leader).count, rig_truth(&t, 0));
    assert_int_equal(rig_read(r, &member).count, rig_truth(&t, 1));
    assert_true(rig_truth(&t, 0) > rig_truth(&t, 1));
    bx_session_close(t.session);
    rig_close(r, &member);
    rig_close(r, &leader);
}

/* One of two counting events is closed. The other continues undisturbed, and a new one begins at
 * 0. */
static void one_is_closed(void **state)
{
    rig *r = rig_needed(state);
    static const char work[] = "run stream,size=64K";
    rig_event a = rig_open(r, "skl_unc_cbo0::UNC_CBO_CACHE_LOOKUP:ANY_MESI", NULL, true);
    rig_event b = rig_open(r, "skl_unc_cbo0::UNC_CBO_CACHE_LOOKUP:ANY_ES:e=1", NULL, true);
    rig_truth_of of_b = rig_watch(r, &b, 1);
    rig_work(r, work);
    rig_close(r, &a);
    rig_work(r, work);
    rig_truth_end(&of_b);
    rig_event again = rig_open(r, "skl_unc_cbo0::UNC_CBO_CACHE_LOOKUP:ANY_MESI", NULL, true);
    uint64_t before = rig_read(r, &b).count;
    assert_int_equal(before, rig_truth(&of_b, 0));
    assert_true(before > 0);
    assert_int_equal(rig_read(r, &again).count, 0);
    bx_session_close(of_b.session);
    rig_event both[] = {b, again};
    rig_truth_of t = rig_watch(r, both, 2);
    rig_work(r, mixture);
    rig_truth_end(&t);
    assert_int_equal(rig_read(r, &b).count, before + rig_truth(&t, 0));
    assert_int_equal(rig_read(r, &again).count, rig_truth(&t, 1));
    bx_session_close(t.session);
    rig_close(r, &b);
    rig_close(r, &again);
}

static void more_events_than_counters(void **state)
{
    rig *r = rig_needed(state);
    static const char *const events[] = {"UNC_ARB_TRK_REQUESTS:ALL", "UNC_ARB_TRK_REQUESTS:WRITES",
                                         "UNC_ARB_TRK_REQUESTS:DATA_READ",
                                         "UNC_ARB_COH_TRK_REQUESTS:ALL"};
    mux_counts(r, events, 4, 24, mixture);
    rig_no_fault(r);
}

/* The driver assumes that a C-Box has four counters. This processor's has two (334060-001, table
 * 2-1), so the registers for a third event do not exist. Accesses to them fault, the kernel
 * continues, and that event counts nothing. */
static void third_event_of_a_cbox(void **state)
{
    rig *r = rig_needed(state);
    rig_event e[3];
    rig_no_fault(r);
    size_t from = r->d.done;
    for (size_t i = 0; i < 3; i++)
        e[i] = rig_open(r, "skl_unc_cbo0::UNC_CBO_CACHE_LOOKUP:ANY_MESI", NULL, true);
    rig_work(r, "run stream,size=64K");
    assert_int_equal(rig_read(r, &e[0]).count, rig_read(r, &e[1]).count);
    assert_true(rig_read(r, &e[0]).count > 0);
    assert_int_equal(rig_read(r, &e[2]).count, 0);
    for (size_t i = 0; i < 3; i++)
        rig_close(r, &e[i]);
    size_t faults = 0;
    for (size_t i = from; i < r->d.done; i++)
        if (r->d.accesses[i].faulted) {
            uint64_t at = r->d.accesses[i].at.offset;
            assert_true(at == 0x702 || at == 0x708);
            faults++;
        }
    assert_true(faults >= 3);
    assert_int_equal(faults, r->d.faults);
}

/* The kernel's MSR driver uses the functions with "safe" in their names: a fault is an error there.
 * It reads and writes on the CPU whose file is used. */
static void msr_files(void **state)
{
    rig *r = rig_needed(state);
    guest *g = r->d.guest;
    guest_ask(g, "insmod /msr.ko");
    guest_ask(g, "poke /dev/cpu/3/msr 710 8 408834");
    assert_int_equal(r->d.accesses[r->d.done - 1].at.cpu, 3);
    assert_string_equal(guest_ask(g, "peek /dev/cpu/2/msr 710"), "408834");
    assert_int_equal(r->d.accesses[r->d.done - 1].at.cpu, 2);
    guest_ask(g, "poke /dev/cpu/3/msr 710 8 0");
    size_t before = r->d.faults;
    assert_string_equal(guest_try(g, "peek /dev/cpu/0/msr 702"), "failed: Input/output error");
    assert_string_equal(guest_try(g, "poke /dev/cpu/0/msr 702 8 0"), "failed: Input/output error");
    assert_int_equal(r->d.faults, before + 2);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(driver_starts),     cmocka_unit_test(counts_of_a_stream),
        cmocka_unit_test(clock_counts),      cmocka_unit_test(conditions),
        cmocka_unit_test(memory_controller), cmocka_unit_test(groups),
        cmocka_unit_test(one_is_closed),     cmocka_unit_test(more_events_than_counters),
        cmocka_unit_test(every_event),       cmocka_unit_test(third_event_of_a_cbox),
        cmocka_unit_test(msr_files),         cmocka_unit_test(rig_warnings),
    };
    return cmocka_run_group_tests(tests, rig_set_up, rig_tear_down);
}

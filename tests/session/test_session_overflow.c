/* A session that a counter's overflow stops, or samples. What it reads is what the same registers
 * hold if they are programmed by hand, value by value from the documents. */
#include "../cmocked.h"

#include "trial.h"
#include "machine/machine.h"

#include <stdlib.h>
#include <string.h>

#define STREAM  "stream,size=256K"
#define LOOKUPS "UNC_CBO_CACHE_LOOKUP:ANY_I"

enum { MOST_ROWS = 512, MOST_READINGS = 48 };

/* A run of a session, with the counts of its readings at each overflow, and at the end. */
struct run {
    bx_session *session;
    bx_machine *machine;
    bool goes_on;
    unsigned rows;
    uint64_t time[MOST_ROWS], count[MOST_ROWS][MOST_READINGS];
    size_t n;                    /* readings */
    uint64_t end[MOST_READINGS]; /* their counts in the end */
    uint64_t began;
};

static bool at_overflow(void *context)
{
    struct run *r = context;
    const bx_reading *readings = bx_session_readings(r->session, &r->n);
    assert_true(r->rows < MOST_ROWS && r->n <= MOST_READINGS);
    r->time[r->rows] = bx_machine_now(r->machine) - r->began;
    for (size_t i = 0; i < r->n; i++) {
        r->count[r->rows][i] = readings[i].count;
        assert_int_equal(readings[i].state, BX_COUNTED);
        assert_int_equal(readings[i].enabled, r->time[r->rows]);
    }
    r->rows++;
    return r->goes_on;
}

static bx_session_options options_of(struct run *r, size_t event, uint64_t counts)
{
    return (bx_session_options){.size = sizeof(bx_session_options),
                                .overflow_after = counts,
                                .overflow_event = event,
                                .overflow_again = r->goes_on,
                                .at_overflow = at_overflow,
                                .overflow_context = r};
}

/* Runs a workload to its end, in steps; the last event is the one that overflows. */
static void measure(struct run *r, const char *machine, const char *workload, const char *list,
                    uint64_t counts, bool goes_on)
{
    bx_evsel events[TRIAL_EVENTS];
    bx_error e = {0};
    size_t n;
    bool done = false;
    *r = (struct run){.machine = trial_machine(machine), .goes_on = goes_on};
    if (bx_machine_events_parse(r->machine, list, events, TRIAL_EVENTS, &n, &e) != BX_OK)
        fail_msg("%s: %s", list, e.message);
    const bx_session_options o = options_of(r, n - 1, counts);
    if (bx_session_open(r->machine, events, n, &o, &r->session, &e) != BX_OK)
        fail_msg("%s", e.message);
    assert_int_equal(bx_machine_load_workload(r->machine, workload, &e), BX_OK);
    assert_int_equal(bx_session_start(r->session, &e), BX_OK);
    r->began = bx_machine_now(r->machine);
    while (!done && (goes_on || !r->rows))
        assert_int_equal(bx_session_run(r->session, bx_machine_now(r->machine) + 7001, &done, &e),
                         BX_OK);
    if (goes_on || !r->rows)
        assert_int_equal(bx_session_stop(r->session, &e), BX_OK);
    const bx_reading *readings = bx_session_readings(r->session, &r->n);
    for (size_t i = 0; i < r->n; i++)
        r->end[i] = readings[i].count;
    assert_null(bx_session_trouble(r->session));
    assert_null(bx_session_left(r->session, 0));
}

static void end(struct run *r)
{
    bx_session_close(r->session);
    bx_machine_close(r->machine);
}

/* ---- by hand ---- */

static void write_msr(bx_machine *m, uint64_t address, uint64_t value)
{
    const bx_address at = {.width = 64, .offset = address};
    bx_bus *bus = bx_machine_bus(m);
    assert_int_equal(bus->write(bus, &at, value), 0);
}

static uint64_t read_msr(bx_machine *m, uint64_t address)
{
    const bx_address at = {.width = 64, .offset = address};
    bx_bus *bus = bx_machine_bus(m);
    uint64_t value;
    assert_int_equal(bus->read(bus, &at, &value), 0);
    return value;
}

static void run_workload(bx_machine *m, const char *workload, uint64_t until)
{
    bool done;
    assert_int_equal(bx_machine_load_workload(m, workload, NULL), BX_OK);
    assert_int_equal(bx_machine_run(m, until, &done, NULL), BX_OK);
}

/* As docs/examples/freeze: C-Box 0 counts lookups that missed (34H, 88H) from 2^44 - N with OVF_EN,
 * the three others from 0; the ARB counts requests (81H, 01H); the clock counts; FRZ_ON_PMI. */
static bx_machine *frozen_by_hand(uint64_t counts)
{
    bx_machine *m = trial_machine("virtual:skl,part=plain");
    write_msr(m, 0x706, (UINT64_C(1) << 44) - counts);
    write_msr(m, 0x700, 0x508834);
    for (uint64_t slice = 1; slice < 4; slice++)
        write_msr(m, 0x700 + slice * 0x10, 0x408834);
    write_msr(m, 0x3b2, 0x400181);
    write_msr(m, 0x394, 0x400000);
    write_msr(m, 0xe01, 0xa0000001);
    run_workload(m, STREAM, UINT64_MAX);
    assert_int_equal(read_msr(m, 0xe01), 0x80000001);
    assert_int_equal(read_msr(m, 0xe02), 8);
    return m;
}

/* Lines that the memory controller has read by a cycle: its counter cannot be frozen. */
static uint64_t reads_by(uint64_t cycle)
{
    bx_machine *m = trial_machine("virtual:skl,part=plain");
    const bx_address at = {.space = 2, .width = 32, .offset = 0xfed15050};
    bx_bus *bus = bx_machine_bus(m);
    uint64_t value;
    run_workload(m, STREAM, cycle);
    assert_int_equal(bus->read(bus, &at, &value), 0);
    bx_machine_close(m);
    return value;
}

static void as_by_hand(void **state)
{
    static const uint64_t counts[] = {1, 2, 3, 100, 999, 1000, 2718};
    (void)state;
    for (size_t i = 0; i < sizeof counts / sizeof *counts; i++) {
        struct run r;
        bx_machine *m = frozen_by_hand(counts[i]);
        measure(&r, "virtual:skl,part=plain", STREAM,
                "skl_unc_cbo1::" LOOKUPS ",skl_unc_cbo2::" LOOKUPS ",skl_unc_cbo3::" LOOKUPS
                ",UNC_ARB_TRK_REQUESTS:ALL,UNC_CLOCK,DRAM_DATA_READS,skl_unc_cbo0::" LOOKUPS,
                counts[i], false);
        assert_int_equal(r.rows, 1);
        assert_int_equal(r.end[6], counts[i] + read_msr(m, 0x706));
        assert_int_equal(r.end[6], counts[i]); /* a slice looks up once in a cycle */
        for (unsigned slice = 1; slice < 4; slice++)
            assert_int_equal(r.end[slice - 1], read_msr(m, 0x706 + slice * 0x10));
        assert_int_equal(r.end[3], read_msr(m, 0x3b0));
        assert_int_equal(r.end[4], read_msr(m, 0x395));
        assert_int_equal(r.time[0], r.end[4]);
        assert_int_equal(r.end[5], reads_by(r.time[0]));
        assert_true(memcmp(r.end, r.count[0], sizeof r.end) == 0);
        bx_machine_close(m);
        end(&r);
    }
}

/* The clock counts 1 in each cycle: it stops after N of them. A queue counts its entries: the cycle
 * that overflows adds all of them, at most 32 + 32 of cores and others
 * (docs/explanation/model-client.md, "ARB and IMC").
 */
static void levels(void **state)
{
    struct run r;
    (void)state;
    measure(&r, "virtual:skl,part=plain", STREAM, "UNC_CLOCK", 1234, false);
    assert_int_equal(r.end[0], 1234);
    assert_int_equal(r.time[0], 1234);
    end(&r);
    measure(&r, "virtual:skl,part=plain", STREAM, "UNC_CLOCK,UNC_ARB_TRK_OCCUPANCY:ALL", 10000,
            false);
    bx_machine *m = trial_machine("virtual:skl,part=plain");
    write_msr(m, 0x3b2, 0x400180);
    write_msr(m, 0xe01, 0x20000000);
    run_workload(m, STREAM, r.end[0]);
    uint64_t whole = read_msr(m, 0x3b0);
    assert_int_equal(r.end[1], whole);
    assert_true(whole >= 10000);
    bx_machine_close(m);
    m = trial_machine("virtual:skl,part=plain");
    write_msr(m, 0x3b2, 0x400180);
    write_msr(m, 0xe01, 0x20000000);
    run_workload(m, STREAM, r.end[0] - 1);
    assert_true(read_msr(m, 0x3b0) < 10000);
    bx_machine_close(m);
    end(&r);
}

static uint64_t counted_in(const struct run *r, unsigned row, size_t reading)
{
    return r->count[row][reading] - (row ? r->count[row - 1][reading] : 0);
}

/* Each piece has N of the event; the pieces add up to what a measurement without overflows counts:
 * docs/explanation/model-workloads.md, three arrays of 256 KiB make 12,288 lines, each read once.
 */
static void pieces(void **state)
{
    struct run r;
    (void)state;
    measure(&r, "virtual:skl,part=plain", STREAM,
            LOOKUPS ",DRAM_DATA_READS,UNC_CLOCK,skl_unc_cbo2::" LOOKUPS, 500, true);
    assert_int_equal(r.n, 7);
    assert_int_equal(r.rows, 6); /* 3,072 lookups of a slice */
    for (unsigned row = 0; row < r.rows; row++) {
        assert_int_equal(counted_in(&r, row, 6), 500);
        assert_int_equal(counted_in(&r, row, 2), 500); /* the same of the sum's C-Box 2 */
        assert_int_equal(r.count[row][5], r.time[row]);
        assert_int_equal(r.count[row][4], reads_by(r.time[row]));
    }
    for (size_t slice = 0; slice < 4; slice++)
        assert_int_equal(r.end[slice], 3072);
    assert_int_equal(r.end[4], 12288);
    assert_int_equal(r.end[6], 3072);
    end(&r);
}

static void every_cycle(void **state)
{
    struct run r;
    (void)state;
    measure(&r, "virtual:skl,part=plain", "chase,size=64K", LOOKUPS ",UNC_CLOCK", 1000, true);
    for (unsigned row = 0; row < r.rows; row++)
        assert_int_equal(r.time[row], (row + 1) * 1000);
    assert_true(r.rows > 1);
    end(&r);
}

static void not_reached(void **state)
{
    struct run r;
    (void)state;
    measure(&r, "virtual:skl,part=plain", STREAM, "DRAM_DATA_READS,skl_unc_cbo0::" LOOKUPS, 3073,
            false);
    assert_int_equal(r.rows, 0);
    assert_int_equal(r.end[0], 12288);
    assert_int_equal(r.end[1], 3072);
    end(&r);
    measure(&r, "virtual:skl,part=plain", STREAM, "DRAM_DATA_READS,skl_unc_cbo0::" LOOKUPS, 3072,
            false);
    assert_int_equal(r.rows, 1);
    end(&r);
}

/* Without a function to ask, the session ends. All registers are as before. */
static void registers_are_put_back(void **state)
{
    static const uint64_t msrs[] = {0xe01, 0xe02, 0x394, 0x395, 0x700, 0x706, 0x707, 0x710, 0x716};
    (void)state;
    for (unsigned again = 0; again < 2; again++) {
        struct run r;
        measure(&r, "virtual:skl,part=plain", STREAM, LOOKUPS ",UNC_CLOCK,skl_unc_cbo0::" LOOKUPS,
                700, again);
        for (size_t i = 0; i < sizeof msrs / sizeof *msrs; i++)
            assert_int_equal(read_msr(r.machine, msrs[i]), 0);
        end(&r);
    }
    bx_machine *m = trial_machine("virtual:skl,part=plain");
    bx_evsel event;
    bx_session *s;
    bool done = false;
    size_t n = trial_parse("UNC_CLOCK", &event);
    const bx_session_options o = {.size = sizeof o, .overflow_after = 50};
    assert_int_equal(bx_session_open(m, &event, n, &o, &s, NULL), BX_OK);
    assert_int_equal(bx_machine_load_workload(m, STREAM, NULL), BX_OK);
    assert_int_equal(bx_session_start(s, NULL), BX_OK);
    assert_int_equal(bx_session_run(s, UINT64_MAX, &done, NULL), BX_OK);
    assert_int_equal(bx_session_readings(s, &n)->count, 50);
    assert_int_equal(bx_session_stop(s, NULL), BX_BAD_INPUT); /* it has stopped */
    bx_session_close(s);
    bx_machine_close(m);
}

/* ---- the other machines ---- */

/* A request takes `freeze=` cycles to the U-Box, and counters go on (docs/reference/dialogue.md).
 * The other package's counters are read in the same cycle. */
static void xeon_7500(void **state)
{
    static const struct {
        const char *machine;
        uint64_t delay;
    } of[] = {{"virtual:nhmex,part=plain,packages=2,freeze=0", 0},
              {"virtual:nhmex,part=plain,packages=2", 32},
              {"virtual:nhmex,part=plain,packages=2,freeze=1000", 1000}};
    (void)state;
    for (size_t i = 0; i < sizeof of / sizeof *of; i++) {
        struct run r;
        measure(&r, of[i].machine, STREAM,
                "FIXED_UNCORE_CLOCK,nhmex_unc_wbox@1::FIXED_UNCORE_CLOCK", 5000, false);
        assert_int_equal(r.rows, 1);
        for (size_t k = 0; k < 3; k++)
            assert_int_equal(r.end[k], 5000 + of[i].delay);
        end(&r);
        measure(&r, of[i].machine, STREAM, "FIXED_UNCORE_CLOCK,nhmex_unc_cbox0@0::LLC_MISSES:ALL",
                200, true);
        assert_int_equal(r.n, 3);
        assert_true(r.rows > 1);
        for (unsigned row = 0; row < r.rows; row++) {
            assert_true(counted_in(&r, row, 2) >= 200);
            assert_true(of[i].delay || counted_in(&r, row, 2) == 200);
            assert_int_equal(r.count[row][0], r.time[row]);
            assert_int_equal(r.count[row][1], r.time[row]);
        }
        /* Three arrays of 256 KiB; eight slices share them. */
        assert_int_equal(r.end[2], 12288 / 8);
        end(&r);
    }
}

/* Each kind of box has its own status bits and overflow control. */
static void each_box_of_the_xeon_7500(void **state)
{
    static const char *const events[] = {
        "nhmex_unc_cbox1@0::LLC_MISSES:ALL",
        "nhmex_unc_bbox0@0::MSGS_S_TO_B",
        "nhmex_unc_sbox0@0::TO_R_B_REQUESTS:LOCAL",
        "nhmex_unc_rbox@0::NEW_PACKETS_RECV:ANY_ALL:port=0",
        "nhmex_unc_mbox0@0::FVC:BBOX_CMDS.READS",
        "nhmex_unc_wbox@0::FIXED_UNCORE_CLOCK",
    };
    (void)state;
    for (size_t i = 0; i < sizeof events / sizeof *events; i++) {
        struct run r;
        measure(&r, "virtual:nhmex,part=plain,packages=2,freeze=0",
                "random,size=32M,iterations=20000,write=50", events[i],
                strstr(events[i], "wbox") ? 100000 : 100, true);
        if (r.rows < 2)
            fail_msg("%s: %u overflows", events[i], r.rows);
        for (unsigned row = 0; row < r.rows; row++)
            assert_int_equal(counted_in(&r, row, 0), strstr(events[i], "wbox") ? 100000 : 100);
        end(&r);
    }
}

/* INT interrupts; nothing freezes, and the handler reads in the same cycle. */
static void p6(void **state)
{
    struct run r;
    (void)state;
    measure(&r, "virtual:p6,part=plain", "stream,size=16K", "INST_RETIRED,CPU_CLK_UNHALTED", 10000,
            true);
    assert_true(r.rows > 2);
    for (unsigned row = 0; row < r.rows; row++) {
        assert_int_equal(r.time[row], 10000 * (row + 1));
        assert_int_equal(counted_in(&r, row, 1), 10000);
    }
    end(&r);
    measure(&r, "virtual:p6,part=plain", "stream,size=16K", "INST_RETIRED", 1000,
            false); /* counter 0 alone */
    assert_int_equal(r.rows, 1);
    assert_int_equal(r.end[0], 1000);
    end(&r);
}

/* ---- what is refused ---- */

static void refused(void **state)
{
    bx_machine *m = trial_machine("virtual:skl,part=plain");
    struct run r = {.machine = m};
    bx_evsel events[3];
    bx_session *s = NULL;
    size_t n = trial_parse(LOOKUPS ",DRAM_DATA_READS,UNC_ARB_COH_TRK_OCCUPANCY", events);
    static const struct {
        size_t event;
        uint64_t counts;
        int code;
    } of[] = {{0, 10, BX_NO_FIT}, {1, 10, BX_NO_FIT}, {2, 10, BX_NO_FIT}, {3, 10, BX_BAD_INPUT}};
    (void)state;
    for (size_t i = 0; i < sizeof of / sizeof *of; i++) {
        const bx_session_options o = options_of(&r, of[i].event, of[i].counts);
        assert_int_equal(bx_session_open(m, events, n, &o, &s, NULL), of[i].code);
    }
    events[0].unit = 0;
    const bx_session_options o = options_of(&r, 0, UINT64_C(1) << 44);
    bx_error e = {0};
    assert_int_equal(bx_session_open(m, events, n, &o, &s, &e), BX_BAD_INPUT);
    assert_string_equal(e.message, "its counter can overflow after 1 to 17592186044415 counts");
    assert_int_equal(e.len, strlen(LOOKUPS));
    bx_machine_close(m);
}

/* What is recorded could not be replayed. */
static void a_recorded_machine(void **state)
{
    const bx_machine_options recorded = {.size = sizeof recorded, .log_registers = "/dev/null"};
    bx_machine *m;
    bx_evsel event;
    bx_session *s;
    bx_error e = {0};
    size_t n = trial_parse("UNC_CLOCK", &event);
    const bx_session_options o = {.size = sizeof o, .overflow_after = 50};
    (void)state;
    assert_int_equal(
        bx_machine_open_with(bx_catalog_builtin(), "virtual:skl,part=plain", &recorded, &m, &e),
        BX_OK);
    assert_int_equal(bx_session_open(m, &event, n, &o, &s, &e), BX_NO_ACCESS);
    assert_string_equal(e.message,
                        "a register log has accesses to registers only, and no interrupts (PMI)");
    bx_machine_close(m);
}

/* ---- in several banks ---- */

/* More events than counters: each counts what it counts if it is alone with the one that overflows,
 * and all stop in the same cycle. */
static void check_banks(const char *machine, const char *workload, const char *const *event,
                        size_t n, const char *overflows, uint64_t counts, bool goes_on)
{
    struct run all, alone;
    char list[2048] = "", pair[256];
    size_t at = 0;
    for (size_t i = 0; i < n; i++)
        strcat(strcat(list, event[i]), ",");
    measure(&all, machine, workload, strcat(list, overflows), counts, goes_on);
    assert_true(bx_session_passes(all.session) > 2);
    assert_true(goes_on ? all.rows > 2 : all.rows == 1);
    for (size_t i = 0; i < n; i++) {
        strcat(strcat(strcpy(pair, event[i]), ","), overflows);
        measure(&alone, machine, workload, pair, counts, goes_on);
        assert_int_equal(bx_session_passes(alone.session), 1);
        assert_int_equal(alone.rows, all.rows);
        for (size_t k = 0; k + 1 < alone.n; k++, at++) {
            for (unsigned row = 0; row < all.rows; row++) {
                assert_int_equal(all.time[row], alone.time[row]);
                assert_int_equal(all.count[row][at], alone.count[row][k]);
            }
            assert_int_equal(all.end[at], alone.end[k]);
        }
        end(&alone);
    }
    assert_int_equal(at + 1, all.n);
    end(&all);
}

static void several_banks(void **state)
{
    static const char *const client[] = {LOOKUPS,
                                         "UNC_CBO_CACHE_LOOKUP:READ_I:t=1:e=1",
                                         "UNC_CBO_CACHE_LOOKUP:ANY_MESI",
                                         "UNC_CBO_CACHE_LOOKUP:WRITE_MESI",
                                         "UNC_ARB_TRK_OCCUPANCY:ALL",
                                         "UNC_ARB_TRK_OCCUPANCY:ALL:t=2:e=1",
                                         "UNC_ARB_TRK_OCCUPANCY:ALL:t=1:e=1",
                                         "UNC_ARB_TRK_REQUESTS:ALL",
                                         "UNC_CLOCK",
                                         "DRAM_DATA_READS"};
    static const char *const server[] = {"nhmex_unc_bbox0::ADDR_IN_MATCH:addr=0:addr_mask=0xf",
                                         "nhmex_unc_bbox0::ADDR_IN_MATCH:addr=1:addr_mask=0xf",
                                         "nhmex_unc_bbox0::ADDR_IN_MATCH:addr=4:addr_mask=0xf",
                                         "nhmex_unc_cbox0::OCCUPANCY_MAF:t=2:e=1",
                                         "FIXED_UNCORE_CLOCK"};
    static const char *const p6[] = {"DATA_MEM_REFS", "DCU_LINES_IN", "DCU_MISS_OUTSTANDING",
                                     "L2_LINES_IN"};
    (void)state;
    for (unsigned goes_on = 0; goes_on < 2; goes_on++) {
        check_banks("virtual:skl,part=plain", STREAM, client, sizeof client / sizeof *client,
                    "skl_unc_cbo0::" LOOKUPS, 500, goes_on);
        check_banks("virtual:nhmex,part=plain,packages=1", STREAM, server,
                    sizeof server / sizeof *server, "nhmex_unc_cbox1::LLC_MISSES:ALL", 300,
                    goes_on);
        check_banks("virtual:p6,part=plain", STREAM, p6, sizeof p6 / sizeof *p6, "CPU_CLK_UNHALTED",
                    100000, goes_on);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(as_by_hand),
        cmocka_unit_test(levels),
        cmocka_unit_test(pieces),
        cmocka_unit_test(every_cycle),
        cmocka_unit_test(not_reached),
        cmocka_unit_test(registers_are_put_back),
        cmocka_unit_test(xeon_7500),
        cmocka_unit_test(several_banks),
        cmocka_unit_test(each_box_of_the_xeon_7500),
        cmocka_unit_test(p6),
        cmocka_unit_test(refused),
        cmocka_unit_test(a_recorded_machine),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

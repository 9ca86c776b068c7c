/* Sessions on virtual machines have a bank of registers for each pass. Events counted at once have
 * exactly the same counts as each event alone in its own run. */
#include "../cmocked.h"

#include "trial.h"
#include "machine/machine.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bx_machine *loaded(const char *machine, const char *workload)
{
    bx_machine *m = trial_machine(machine);
    bx_error e = {0};
    if (bx_machine_load_workload(m, workload, &e) != BX_OK)
        fail_msg("%s: %s", workload, e.message);
    return m;
}

static size_t parsed(const bx_machine *m, const char *list, bx_evsel *events)
{
    bx_error e = {0};
    size_t n = 0;
    if (bx_events_parse(bx_catalog_builtin(), bx_machine_cpu(m), list, events, TRIAL_EVENTS, &n,
                        &e) != BX_OK)
        fail_msg("%s, at %zu of %s", e.message, e.at, list);
    return n;
}

static bx_session *opened(bx_machine *m, const bx_evsel *events, size_t n,
                          const bx_session_options *o)
{
    bx_session *s = NULL;
    bx_error e = {0};
    if (bx_session_open(m, events, n, o, &s, &e) != BX_OK)
        fail_msg("%s", e.message);
    return s;
}

static void assert_same(const bx_machine *m, const bx_evsel *event, const bx_reading *is,
                        const bx_reading *alone)
{
    char name[160];
    bx_machine_event_format(m, event, name, sizeof name);
    if (is->count != alone->count || is->enabled != alone->enabled)
        fail_msg("%s of unit %u: %llu in %llu cycles, alone %llu in %llu", name, is->unit,
                 (unsigned long long)is->count, (unsigned long long)is->enabled,
                 (unsigned long long)alone->count, (unsigned long long)alone->enabled);
    assert_int_equal(is->state, BX_COUNTED);
    assert_int_equal(alone->state, BX_COUNTED);
    assert_int_equal(is->running, is->enabled);
    assert_int_equal(is->unit, alone->unit);
    assert_int_equal(is->port, alone->port);
}

/* ---- more events than counters ---- */

/* Returns the number of passes. */
static unsigned check_exact(const char *machine, const char *workload, const char *list)
{
    bx_evsel events[TRIAL_EVENTS];
    struct trial_result all, alone;
    bx_machine *m = loaded(machine, workload);
    size_t n = parsed(m, list, events), next = 0;
    uint64_t counted = 0;
    bx_session *s = opened(m, events, n, NULL);
    unsigned passes = bx_session_passes(s);
    bx_session_close(s);
    trial_run(m, events, n, NULL, 0, &all);
    for (size_t i = 0; i < n; i++) {
        bx_machine *other = loaded(machine, workload);
        trial_run(other, &events[i], 1, NULL, 0, &alone);
        assert_int_equal(alone.end, all.end);
        for (size_t k = 0; k < alone.n; k++) {
            assert_same(m, &events[i], &all.readings[next++], &alone.readings[k]);
            counted += alone.readings[k].count > 0;
        }
        bx_machine_close(other);
    }
    assert_int_equal(next, all.n);
    assert_true(2 * counted > all.n);
    bx_machine_close(m);
    return passes;
}

static void client(void **state)
{
    (void)state;
    assert_true(check_exact("virtual:skl,part=plain,llc=256K", "copy,size=256K,cores=2",
                            "UNC_CBO_CACHE_LOOKUP:READ_I,UNC_CBO_CACHE_LOOKUP:READ_I:e=1,"
                            "UNC_CBO_CACHE_LOOKUP:ANY_MESI:t=1,UNC_CBO_CACHE_LOOKUP:ANY_MESI:t=2,"
                            "UNC_CBO_CACHE_LOOKUP:ANY_MESI:t=1:i=1,UNC_CBO_CACHE_LOOKUP:WRITE_M,"
                            "UNC_CBO_CACHE_LOOKUP:ANY_I,UNC_ARB_TRK_OCCUPANCY:ALL,"
                            "UNC_ARB_TRK_OCCUPANCY:ALL:t=3,UNC_ARB_TRK_OCCUPANCY:ALL:t=4:i=1,"
                            "UNC_ARB_TRK_OCCUPANCY:ALL:e=1,UNC_ARB_TRK_OCCUPANCY:ALL:t=2:e=1,"
                            "UNC_ARB_TRK_REQUESTS:ALL,UNC_CLOCK:SOCKET,DRAM_DATA_READS") >= 3);
}

static void server(void **state)
{
    (void)state;
    assert_true(check_exact("virtual:ivbep,part=plain,packages=2,cores=2",
                            "stream,size=64K,cores=2",
                            "UNC_C_TOR_INSERTS:OPCODE:opc=0x182,UNC_C_TOR_INSERTS:OPCODE:opc=0x180,"
                            "UNC_C_TOR_INSERTS:ALL,UNC_C_TOR_INSERTS:MISS_OPCODE:opc=0x182,"
                            "UNC_C_TOR_OCCUPANCY:ALL,UNC_C_TOR_OCCUPANCY:ALL:t=2,"
                            "UNC_C_CLOCKTICKS,UNC_C_LLC_LOOKUP:DATA_READ:STATE_I,"
                            "UNC_C_LLC_LOOKUP:DATA_READ:STATE_MESIF") >= 3);
}

static void p6(void **state)
{
    (void)state;
    assert_true(check_exact("virtual:p6,part=plain", "random,size=1M,iterations=5000,write=40",
                            "CPU_CLK_UNHALTED,DATA_MEM_REFS,DCU_LINES_IN,DCU_M_LINES_IN,"
                            "DCU_M_LINES_OUT,DCU_MISS_OUTSTANDING,DCU_MISS_OUTSTANDING:c=2,"
                            "DCU_MISS_OUTSTANDING:c=1:e=1,L2_LD:MESI,L2_ST:MESI,L2_LINES_IN,"
                            "L2_LINES_OUT,BUS_REQ_OUTSTANDING,BUS_TRAN_MEM:ANY,"
                            "BUS_DRDY_CLOCKS:ANY") == 8);
}

static void xeon_7500(void **state)
{
    (void)state;
    char list[4096] = "";
    for (unsigned i = 0; i < 40; i++) /* lines of its side: bit 1 is 0 */
        sprintf(list + strlen(list), "nhmex_unc_bbox0::ADDR_IN_MATCH:addr=%u:addr_mask=%u,",
                i % 32 / 2 * 4 + i % 2, i < 32 ? 0x3f : 0x7f);
    strcat(list, "nhmex_unc_cbox::LLC_MISSES:ALL,nhmex_unc_cbox::LLC_MISSES:ALL:t=1:e=1,"
                 "nhmex_unc_cbox::OCCUPANCY_MAF,nhmex_unc_cbox::OCCUPANCY_MAF:t=3,"
                 "nhmex_unc_cbox::OCCUPANCY_MAF:t=3:i=1,nhmex_unc_cbox::OCCUPANCY_MAF:t=2:e=1,"
                 "nhmex_unc_cbox::LLC_HITS:ALL");
    assert_true(check_exact("virtual:nhmex,part=plain,packages=1,cores=2",
                            "stream,size=64K,cores=2", list) >= 40);
}

/* ---- two sessions ---- */

static const char one_list[] =
    "UNC_CBO_CACHE_LOOKUP:READ_I,UNC_CBO_CACHE_LOOKUP:ANY_MESI:t=1:e=1,"
    "UNC_CBO_CACHE_LOOKUP:ANY_MESI,UNC_ARB_TRK_OCCUPANCY:ALL,UNC_ARB_TRK_OCCUPANCY:ALL:t=2:e=1,"
    "UNC_ARB_TRK_REQUESTS:ALL,UNC_CLOCK:SOCKET";
static const char other_list[] =
    "UNC_ARB_TRK_OCCUPANCY:ALL:t=2:e=1,UNC_ARB_TRK_OCCUPANCY:ALL:e=1,UNC_ARB_TRK_OCCUPANCY:ALL,"
    "UNC_CBO_CACHE_LOOKUP:ANY_I:t=1:i=1,DRAM_DATA_READS,UNC_CLOCK:SOCKET";

enum { ONE_FROM = 1000, OTHER_FROM = 20011, ONE_TO = 50077 };

static void run_to(bx_machine *m, bx_session *s, uint64_t until)
{
    bool done;
    bx_error e = {0};
    int code = s ? bx_session_run(s, until, &done, &e) : bx_machine_run(m, until, &done, &e);
    assert_int_equal(code, BX_OK);
}

/* Runs the requested sessions, one from ONE_FROM to ONE_TO, the other from OTHER_FROM to the end,
 * and keeps their readings. */
static void run_sessions(bool one, bool other, struct trial_result r[2])
{
    bx_machine *m = loaded("virtual:skl,part=plain,llc=256K", "copy,size=256K,cores=2");
    bx_evsel events[2][TRIAL_EVENTS];
    bx_session *s[2] = {NULL, NULL};
    size_t n = parsed(m, one_list, events[0]), k = parsed(m, other_list, events[1]);
    run_to(m, NULL, ONE_FROM);
    s[0] = opened(m, events[0], n, NULL);
    s[1] = opened(m, events[1], k, NULL);
    if (one)
        assert_int_equal(bx_session_start(s[0], NULL), BX_OK);
    run_to(m, one ? s[0] : NULL, OTHER_FROM);
    if (other)
        assert_int_equal(bx_session_start(s[1], NULL), BX_OK);
    run_to(m, one ? s[0] : s[1], ONE_TO);
    if (one)
        assert_int_equal(bx_session_stop(s[0], NULL), BX_OK);
    run_to(m, other ? s[1] : NULL, UINT64_MAX);
    if (other)
        assert_int_equal(bx_session_stop(s[1], NULL), BX_OK);
    for (unsigned i = 0; i < 2; i++) {
        const bx_reading *readings = bx_session_readings(s[i], &r[i].n);
        memcpy(r[i].readings, readings, r[i].n * sizeof *readings);
        bx_session_close(s[i]);
    }
    bx_machine_close(m);
}

static void two_sessions(void **state)
{
    (void)state;
    struct trial_result both[2], one[2], other[2];
    run_sessions(true, true, both);
    run_sessions(true, false, one);
    run_sessions(false, true, other);
    assert_memory_equal(both[0].readings, one[0].readings, one[0].n * sizeof(bx_reading));
    assert_memory_equal(both[1].readings, other[1].readings, other[1].n * sizeof(bx_reading));
    for (size_t i = 0; i < both[0].n; i++) {
        assert_int_equal(both[0].readings[i].state, BX_COUNTED);
        assert_int_equal(both[0].readings[i].running, ONE_TO - ONE_FROM);
        assert_true(both[0].readings[i].count > 0);
    }
}

struct ended {
    const bx_machine *m;
    uint64_t at;
};

static bool note(void *context)
{
    struct ended *ended = context;
    ended->at = bx_machine_now(ended->m);
    return false;
}

/* Each session's overflow is reported to that session, no matter which of them runs the machine. */
static void two_overflows(void **state)
{
    (void)state;
    bx_machine *m = loaded("virtual:skl,part=plain", "stream,size=256K");
    bx_evsel clock;
    bx_session *s[2];
    struct ended ended[2] = {{.m = m}, {.m = m}};
    size_t n = parsed(m, "UNC_CLOCK", &clock), k;
    for (unsigned i = 0; i < 2; i++) {
        const bx_session_options o = {.size = sizeof o,
                                      .overflow_after = 5000 - 2000 * i,
                                      .at_overflow = note,
                                      .overflow_context = &ended[i]};
        s[i] = opened(m, &clock, n, &o);
        assert_int_equal(bx_session_start(s[i], NULL), BX_OK);
    }
    run_to(m, s[1], 10000);
    for (unsigned i = 0; i < 2; i++) {
        assert_int_equal(ended[i].at, 5000 - 2000 * i);
        assert_int_equal(bx_session_readings(s[i], &k)->count, 5000 - 2000 * i);
        bx_session_close(s[i]);
    }
    bx_machine_close(m);
}

/* ---- the first bank ---- */

static uint64_t read_msr(bx_machine *m, uint64_t address)
{
    const bx_address at = {.width = 64, .offset = address};
    bx_bus *bus = bx_machine_bus(m);
    uint64_t value;
    assert_int_equal(bus->read(bus, &at, &value), 0);
    return value;
}

/* 334060-001 tables 2-1 and 2-7: MSR_UNC_CBO_0_PERFEVTSEL0 and 1 have the first pass's events,
 * those of llc_miss_ratio. All registers are put back. */
static void first_pass_is_in_the_machines_registers(void **state)
{
    (void)state;
    bx_machine *m = loaded("virtual:skl,part=plain,cores=1", "stream,size=64K");
    bx_evsel events[TRIAL_EVENTS];
    size_t n = parsed(m,
                      "UNC_CBO_CACHE_LOOKUP:ANY_I,UNC_CBO_CACHE_LOOKUP:READ_I,"
                      "UNC_CBO_CACHE_LOOKUP:WRITE_M,UNC_CBO_CACHE_LOOKUP:ANY_MESI",
                      events);
    bx_session *s[2] = {opened(m, events, n, NULL), opened(m, events + 1, n - 1, NULL)};
    for (unsigned i = 0; i < 2; i++) {
        assert_int_equal(bx_session_start(s[i], NULL), BX_OK);
        assert_int_equal(read_msr(m, 0x700), 0x408834);
        assert_int_equal(read_msr(m, 0x701), 0x408f34);
    }
    run_to(m, s[1], UINT64_MAX);
    assert_int_equal(read_msr(m, 0x706), 3072);
    bx_session_close(s[1]);
    assert_int_equal(read_msr(m, 0x700), 0x408834);
    bx_session_close(s[0]);
    assert_int_equal(read_msr(m, 0x700), 0);
    assert_int_equal(read_msr(m, 0x706), 0);
    bx_machine_close(m);
}

/* In every bank the memory controller's counters are at the address in PCI 00:00.0+48H: 334060-001
 * section 2.4. */
static void base_addresses_are_the_machines(void **state)
{
    (void)state;
    bx_machine *m = loaded("virtual:skl,part=plain,cores=1", "stream,size=64K");
    const bx_address bar = {.space = 1, .width = 64, .offset = 0x48};
    bx_bus *bus = bx_machine_bus(m);
    bx_evsel events[TRIAL_EVENTS];
    size_t n = parsed(m, "UNC_CBO_CACHE_LOOKUP:ANY_I,DRAM_DATA_READS", events), k;
    assert_int_equal(bus->write(bus, &bar, 0xe0000001), 0);
    bx_session *s[2] = {opened(m, events, n, NULL), opened(m, events, n, NULL)};
    for (unsigned i = 0; i < 2; i++)
        assert_int_equal(bx_session_start(s[i], NULL), BX_OK);
    run_to(m, s[0], UINT64_MAX);
    for (unsigned i = 0; i < 2; i++) {
        assert_int_equal(bx_session_stop(s[i], NULL), BX_OK);
        const bx_reading *r = bx_session_readings(s[i], &k);
        assert_int_equal(k, 2);
        assert_int_equal(r[0].count, 3072);
        assert_int_equal(r[1].count, 3072);
        bx_session_close(s[i]);
    }
    bx_machine_close(m);
}

/* A session whose events take turns needs only one bank, and gets its own. */
static void turns_in_a_second_session(void **state)
{
    (void)state;
    bx_machine *m = loaded("virtual:skl,part=plain", "stream,size=256K");
    bx_evsel events[TRIAL_EVENTS];
    size_t n = parsed(m, one_list, events), k;
    const bx_session_options o = {.size = sizeof o, .rotate = 1000};
    bx_session *s[2] = {opened(m, events, n, &o), opened(m, events, n, &o)};
    for (unsigned i = 0; i < 2; i++)
        assert_int_equal(bx_session_start(s[i], NULL), BX_OK);
    run_to(m, s[1], UINT64_MAX);
    for (unsigned i = 0; i < 2; i++)
        assert_int_equal(bx_session_stop(s[i], NULL), BX_OK);
    assert_int_equal(bx_session_readings(s[1], &k)->state, BX_SCALED);
    for (unsigned i = 0; i < 2; i++)
        bx_session_close(s[i]);
    bx_machine_close(m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(client),
        cmocka_unit_test(server),
        cmocka_unit_test(p6),
        cmocka_unit_test(xeon_7500),
        cmocka_unit_test(two_sessions),
        cmocka_unit_test(two_overflows),
        cmocka_unit_test(first_pass_is_in_the_machines_registers),
        cmocka_unit_test(base_addresses_are_the_machines),
        cmocka_unit_test(turns_in_a_second_session),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

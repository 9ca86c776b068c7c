/* The course of a session: rotation of passes, samples, states, options. */
#include "../cmocked.h"

#include "trial.h"

#include <stdio.h>
#include <string.h>

/* Seven events for the two counters of each C-Box, and two that fit the ARB at once. */
static const char seven[] =
    "UNC_CBO_CACHE_LOOKUP:READ_I,UNC_CBO_CACHE_LOOKUP:READ_MESI,UNC_CBO_CACHE_LOOKUP:WRITE_MESI,"
    "UNC_CBO_CACHE_LOOKUP:ANY_MESI,UNC_CBO_CACHE_LOOKUP:ANY_I,UNC_CBO_XSNP_RESPONSE:MISS_EVICTION,"
    "UNC_CBO_CACHE_LOOKUP:ANY_ES,UNC_ARB_TRK_OCCUPANCY:ALL:t=1:e=1,UNC_ARB_TRK_REQUESTS:ALL,"
    "UNC_CLOCK:SOCKET,DRAM_DATA_READS";
enum { MULTIPLEXED = 7 };

static const char steady_work[] = "random,size=12M,iterations=300000,seed=5";

static bx_machine *loaded(const char *machine, const char *workload)
{
    bx_machine *m = trial_machine(machine);
    bx_error e = {0};
    if (bx_machine_load_workload(m, workload, &e) != BX_OK)
        fail_msg("%s: %s", workload, e.message);
    return m;
}

static uint64_t sum_of(const struct trial_result *r, unsigned event)
{
    uint64_t sum = 0;
    for (size_t i = 0; i < r->n; i++)
        if (r->readings[i].event == event)
            sum += r->readings[i].count;
    return sum;
}

static void readings_are_by_event_package_and_unit(void **state)
{
    (void)state;
    bx_evsel events[TRIAL_EVENTS];
    size_t n = trial_parse(seven, events);
    bx_machine *m = loaded("virtual:skl,part=plain,cores=2", "stream,size=64K");
    struct trial_result r;
    trial_run(m, events, n, NULL, 0, &r);
    assert_int_equal(r.n, MULTIPLEXED * 2 + 4);
    for (size_t i = 0; i < MULTIPLEXED * 2; i++) {
        assert_int_equal(r.readings[i].event, i / 2);
        assert_int_equal(r.readings[i].package, 0);
        assert_int_equal(r.readings[i].unit, i % 2);
    }
    for (size_t i = MULTIPLEXED * 2; i < r.n; i++)
        assert_int_equal(r.readings[i].event, MULTIPLEXED + i - MULTIPLEXED * 2);
    bx_machine_close(m);
}

/* Four passes of C-Boxes: each counts for about a quarter of the time, and the scaled value is
 * close to the count of its own run. */
static void what_does_not_fit_is_multiplexed(void **state)
{
    (void)state;
    bx_evsel events[TRIAL_EVENTS];
    size_t n = trial_parse(seven, events);
    struct trial_result exact, r;
    trial_repeat("virtual:skl,part=plain", steady_work, events, n, &exact);
    bx_machine *m = loaded("virtual:skl,part=plain", steady_work);
    bx_session_options o = {.size = sizeof o, .rotate = 10000};
    trial_run(m, events, n, &o, 0, &r);
    assert_int_equal(r.n, exact.n);
    assert_true(r.end > 4000000); /* a hundred slices for each pass */
    for (unsigned event = 0; event < MULTIPLEXED; event++) {
        double is = 0, should = 0;
        for (size_t i = 0; i < r.n; i++) {
            const bx_reading *reading = &r.readings[i];
            if (reading->event != event)
                continue;
            assert_int_equal(reading->state, BX_SCALED);
            assert_int_equal(reading->enabled, r.end);
            assert_true(reading->running <= r.end / 4 + o.rotate);
            assert_true(reading->running + o.rotate >= r.end / 4);
            is += bx_reading_value(reading);
            should += (double)exact.readings[i].count;
        }
        assert_true(is <= should * 1.1 && is * 1.1 >= should);
    }
    bx_machine_close(m);
}

/* By default, slices are short enough for short work: 200,000 cycles for four passes. */
static void short_work_has_slices_for_all(void **state)
{
    (void)state;
    bx_evsel events[TRIAL_EVENTS];
    size_t n = trial_parse(seven, events);
    bx_machine *m = loaded("virtual:skl,part=plain", "chase,size=64K,passes=1");
    const bx_session_options o = {.size = sizeof o, .rotate = BX_ROTATE};
    struct trial_result r;
    trial_run(m, events, n, &o, 0, &r);
    assert_true(r.end > 100000 && r.end < 300000);
    for (size_t i = 0; i < r.n; i++) {
        if (r.readings[i].event >= MULTIPLEXED)
            continue;
        assert_int_equal(r.readings[i].state, BX_SCALED);
        assert_true(r.readings[i].running >= r.end / 5 && r.readings[i].running <= r.end / 3);
    }
    bx_machine_close(m);
}

/* The ARB's two events fit at once; the time slices of the C-Boxes must not affect them: an
 * additional edge would show it. */
static void what_fits_counts_on_undisturbed(void **state)
{
    (void)state;
    bx_evsel events[TRIAL_EVENTS];
    size_t n = trial_parse(seven, events);
    struct trial_result exact, r;
    trial_repeat("virtual:skl,part=plain", steady_work, events, n, &exact);
    static const uint64_t slices[] = {500, 777, 20000};
    for (size_t t = 0; t < sizeof slices / sizeof *slices; t++) {
        bx_machine *m = loaded("virtual:skl,part=plain", steady_work);
        bx_session_options o = {.size = sizeof o, .rotate = slices[t]};
        trial_run(m, events, n, &o, 0, &r);
        for (size_t i = 0; i < r.n; i++) {
            if (r.readings[i].event < MULTIPLEXED)
                continue;
            assert_int_equal(r.readings[i].state, BX_COUNTED);
            assert_int_equal(r.readings[i].running, r.end);
            assert_int_equal(r.readings[i].count, exact.readings[i].count);
        }
        bx_machine_close(m);
    }
    assert_int_equal(sum_of(&r, MULTIPLEXED + 2), r.end); /* UNC_CLOCK */
}

static void check_samples_add_up(const bx_session_options *o)
{
    bx_evsel events[TRIAL_EVENTS];
    size_t n = trial_parse(seven, events);
    struct trial_result once;
    bx_machine *m = loaded("virtual:skl,part=plain", "copy,size=1M");
    trial_run(m, events, n, o, 0, &once);
    bx_machine_close(m);
    static const uint64_t every[] = {1000, 12345, 1000000};
    for (size_t i = 0; i < sizeof every / sizeof *every; i++) {
        struct trial_result often;
        m = loaded("virtual:skl,part=plain", "copy,size=1M");
        trial_run(m, events, n, o, every[i], &often);
        assert_int_equal(often.n, once.n);
        assert_memory_equal(often.readings, once.readings, once.n * sizeof *once.readings);
        bx_machine_close(m);
    }
}

/* Samples change neither counts nor states nor times. */
static void samples_add_up(void **state)
{
    (void)state;
    const bx_session_options rotating = {.size = sizeof rotating, .rotate = BX_ROTATE};
    check_samples_add_up(NULL);
    check_samples_add_up(&rotating);
}

/* Counts and times never decrease between samples, and events counted all the time are exact at
 * each sample. */
static void check_samples_on_the_way(const bx_session_options *o)
{
    bx_evsel events[TRIAL_EVENTS];
    size_t n = trial_parse(seven, events), count;
    bx_machine *m = loaded("virtual:skl,part=plain", "copy,size=1M");
    bx_session *s;
    bx_reading before[TRIAL_READINGS] = {0};
    bool done = false;
    assert_int_equal(bx_session_open(m, events, n, o, &s, NULL), BX_OK);
    assert_int_equal(bx_session_start(s, NULL), BX_OK);
    while (!done) {
        assert_int_equal(bx_session_run(s, bx_machine_now(m) + 7777, &done, NULL), BX_OK);
        assert_int_equal(bx_session_sample(s, NULL), BX_OK);
        const bx_reading *r = bx_session_readings(s, &count);
        for (size_t i = 0; i < count; i++) {
            uint64_t own;
            assert_true(r[i].count >= before[i].count);
            assert_true(r[i].running >= before[i].running);
            assert_int_equal(r[i].enabled, bx_machine_now(m));
            if (trial_model_count(m, &events[r[i].event], r[i].unit, &own) &&
                r[i].state == BX_COUNTED)
                assert_int_equal(r[i].count, own);
        }
        memcpy(before, r, count * sizeof *r);
    }
    assert_int_equal(bx_session_stop(s, NULL), BX_OK);
    bx_session_close(s);
    bx_machine_close(m);
}

static void samples_on_the_way(void **state)
{
    (void)state;
    const bx_session_options rotating = {.size = sizeof rotating, .rotate = BX_ROTATE};
    check_samples_on_the_way(NULL);
    check_samples_on_the_way(&rotating);
}

/* Counting begins at the start, whatever happened before, and ends at the stop. */
static void from_start_to_stop(void **state)
{
    (void)state;
    bx_evsel events[TRIAL_EVENTS];
    size_t n = trial_parse("skl_unc_cbo0::UNC_CBO_CACHE_LOOKUP:ANY_MESI,UNC_CLOCK:SOCKET,"
                           "DRAM_DATA_READS",
                           events),
           count;
    bx_machine *m = loaded("virtual:skl,part=plain", "stream,size=1M");
    bx_session *s;
    bool done;
    uint64_t before[3], after[3];
    assert_int_equal(bx_machine_run(m, 50000, &done, NULL), BX_OK);
    assert_false(done);
    for (unsigned i = 0; i < 3; i++)
        if (!trial_model_count(m, &events[i], 0, &before[i]))
            before[i] = bx_machine_now(m);
    assert_int_equal(bx_session_open(m, events, n, NULL, &s, NULL), BX_OK);
    assert_int_equal(bx_session_start(s, NULL), BX_OK);
    assert_int_equal(bx_session_run(s, 150000, &done, NULL), BX_OK);
    assert_false(done);
    for (unsigned i = 0; i < 3; i++)
        if (!trial_model_count(m, &events[i], 0, &after[i]))
            after[i] = bx_machine_now(m);
    assert_int_equal(bx_session_stop(s, NULL), BX_OK);
    assert_int_equal(bx_machine_run(m, UINT64_MAX, &done, NULL), BX_OK);
    const bx_reading *r = bx_session_readings(s, &count);
    assert_int_equal(count, 3);
    for (unsigned i = 0; i < 3; i++) {
        assert_int_equal(r[i].count, after[i] - before[i]);
        assert_int_equal(r[i].enabled, 100000);
        assert_int_equal(r[i].running, 100000);
    }
    bx_session_close(s);
    bx_machine_close(m);
}

/* The work ends within the first pass: events of later passes were not measured. */
static void short_work(void **state)
{
    (void)state;
    bx_evsel events[TRIAL_EVENTS];
    size_t n = trial_parse("skl_unc_cbo0::UNC_CBO_CACHE_LOOKUP:ANY_MESI,"
                           "skl_unc_cbo0::UNC_CBO_CACHE_LOOKUP:ANY_I,"
                           "skl_unc_cbo0::UNC_CBO_CACHE_LOOKUP:ANY_M",
                           events);
    bx_machine *m = loaded("virtual:skl,part=plain", "stream,size=64K");
    bx_session_options o = {.size = sizeof o, .rotate = UINT64_C(1) << 40};
    struct trial_result r;
    trial_run(m, events, n, &o, 0, &r);
    assert_int_equal(r.n, 3);
    assert_int_equal(r.readings[0].state, BX_COUNTED);
    assert_int_equal(r.readings[1].state, BX_COUNTED);
    assert_int_equal(r.readings[2].state, BX_NOT_MEASURED);
    assert_int_equal(r.readings[2].enabled, r.end);
    assert_int_equal(r.readings[2].running, 0);
    assert_true(bx_reading_value(&r.readings[2]) == 0);
    bx_machine_close(m);
}

/* No time has passed. */
static void stopped_at_once(void **state)
{
    (void)state;
    bx_evsel events[TRIAL_EVENTS];
    size_t n = trial_parse(seven, events), count;
    bx_machine *m = trial_machine("virtual:skl,part=plain");
    const bx_session_options o = {.size = sizeof o, .rotate = BX_ROTATE};
    bx_session *s;
    assert_int_equal(bx_session_open(m, events, n, &o, &s, NULL), BX_OK);
    assert_int_equal(bx_session_passes(s), 4);
    assert_int_equal(bx_session_start(s, NULL), BX_OK);
    assert_int_equal(bx_session_stop(s, NULL), BX_OK);
    const bx_reading *r = bx_session_readings(s, &count);
    for (size_t i = 0; i < count; i++) {
        bool first = r[i].event < 2 || r[i].event >= MULTIPLEXED;
        assert_int_equal(r[i].state, first ? BX_COUNTED : BX_NOT_MEASURED);
        assert_int_equal(r[i].count, 0);
        assert_int_equal(r[i].enabled, 0);
    }
    bx_session_close(s);
    bx_machine_close(m);
}

/* docs/explanation/model-client.md, Signals: snoop bit INVAL and ARB event 83H are not modelled.
 * They take no counter. */
static void what_is_not_modelled(void **state)
{
    (void)state;
    bx_evsel events[TRIAL_EVENTS];
    size_t n = trial_parse("skl_unc_cbo0::UNC_CBO_XSNP_RESPONSE:INVAL:XCORE_FILTER,"
                           "skl_unc_cbo0::UNC_CBO_CACHE_LOOKUP:ANY_MESI,"
                           "UNC_ARB_COH_TRK_OCCUPANCY:ALL,"
                           "skl_unc_cbo0::UNC_CBO_CACHE_LOOKUP:READ_MESI",
                           events);
    bx_machine *m = loaded("virtual:skl,part=plain", "stream,size=64K");
    static const bool modelled[] = {false, true, false, true};
    struct trial_result r;
    for (unsigned i = 0; i < 4; i++)
        assert_int_equal(bx_machine_produces(m, &events[i]), modelled[i]);
    trial_run(m, events, n, NULL, 0, &r);
    assert_int_equal(r.n, 4);
    for (unsigned i = 0; i < 4; i++) {
        assert_int_equal(r.readings[i].event, i);
        assert_int_equal(r.readings[i].state, modelled[i] ? BX_COUNTED : BX_NOT_MODELLED);
        assert_int_equal(r.readings[i].count > 0, modelled[i]);
    }
    assert_true(bx_reading_value(&r.readings[0]) == 0);
    bx_machine_close(m);
}

/* R-Box ports 2 and 3 of a half are the processor's own: 323535-001 p91. They send no idle flits.
 */
static void what_happens_on_some_ports_only(void **state)
{
    (void)state;
    bx_evsel events[TRIAL_EVENTS];
    size_t n = trial_parse("nhmex_unc_rbox::NULL_IDLE,nhmex_unc_rbox::FLITS_SENT", events);
    bx_machine *m = loaded("virtual:nhmex,part=plain,packages=2", "stream,size=64K");
    struct trial_result r;
    unsigned seen[2][2] = {{0}};
    trial_run(m, events, n, NULL, 100, &r);
    for (size_t i = 0; i < r.n; i++) {
        bool idle = r.readings[i].event == 0, link = r.readings[i].port % 4 < 2;
        seen[idle][link]++;
        assert_int_equal(r.readings[i].state, BX_COUNTED);
        assert_true(!idle || (r.readings[i].count > 0) == link);
    }
    for (unsigned i = 0; i < 4; i++)
        assert_int_equal(seen[i / 2][i % 2], 2 * 4);
    bx_machine_close(m);
}

/* An event that counts along with counter 0 counts nothing if counter 0 has no event. It is not
 * modelled if counter 0's event is not. */
static void what_follows_an_absent_event(void **state)
{
    (void)state;
    static const char absent[] = "ivbep_unc_cbo0::UNC_C_TOR_OCCUPANCY:OPCODE:OPC_PRD",
                      present[] = "ivbep_unc_cbo0::UNC_C_TOR_OCCUPANCY:ALL",
                      follows[] = "ivbep_unc_cbo0::UNC_C_COUNTER0_OCCUPANCY";
    const struct {
        const char *with, *list;
        bool modelled, counts;
    } cases[] = {
        {"", "%s%s", true, false},
        {present, "{%s,%s}", true, true},
        {absent, "{%s,%s}", false, false},
        {absent, "%s,%s", false, false},
        {absent, "%s,{%s,ivbep_unc_cbo0::UNC_C_CLOCKTICKS}", true, true},
        {"ivbep_unc_cbo0::UNC_C_TOR_OCCUPANCY:OPCODE:OPC_PRD,ivbep_unc_cbo0::UNC_C_TOR_OCCUPANCY:"
         "ALL",
         "%s,%s", true, true},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char list[300];
        bx_evsel events[TRIAL_EVENTS];
        struct trial_result r;
        bool found = false;
        snprintf(list, sizeof list, cases[i].list, cases[i].with, follows);
        size_t n = trial_parse(list, events);
        bx_machine *m = loaded("virtual:ivbep,part=plain,packages=1", "stream,size=64K");
        trial_run(m, events, n, NULL, 0, &r);
        for (size_t k = 0; k < r.n; k++) {
            if (events[r.readings[k].event].code != 0x1f)
                continue;
            found = true;
            assert_int_equal(r.readings[k].state != BX_NOT_MODELLED, cases[i].modelled);
            assert_int_equal(r.readings[k].count > 0, cases[i].counts);
        }
        assert_true(found);
        bx_machine_close(m);
    }
}

static void two_machines_in_one_process(void **state)
{
    (void)state;
    bx_evsel events[TRIAL_EVENTS];
    size_t n = trial_parse(seven, events), count;
    struct trial_result alone;
    bx_machine *m[2] = {loaded("virtual:skl,part=plain", "copy,size=256K"),
                        loaded("virtual:skl,part=plain", "copy,size=256K")};
    bx_session *s[2];
    bool done[2] = {false, false};
    bx_machine *other = loaded("virtual:skl,part=plain", "copy,size=256K");
    trial_run(other, events, n, NULL, 0, &alone);
    bx_machine_close(other);
    for (unsigned i = 0; i < 2; i++) {
        assert_int_equal(bx_session_open(m[i], events, n, NULL, &s[i], NULL), BX_OK);
        assert_int_equal(bx_session_start(s[i], NULL), BX_OK);
    }
    for (uint64_t until = 1000; !done[0] || !done[1]; until += 1000)
        for (unsigned i = 0; i < 2; i++)
            if (!done[i])
                assert_int_equal(bx_session_run(s[i], until, &done[i], NULL), BX_OK);
    for (unsigned i = 0; i < 2; i++) {
        assert_int_equal(bx_session_stop(s[i], NULL), BX_OK);
        assert_memory_equal(bx_session_readings(s[i], &count), alone.readings,
                            alone.n * sizeof *alone.readings);
        bx_session_close(s[i]);
        bx_machine_close(m[i]);
    }
}

/* The only reading, which is exact. */
static uint64_t counted(const bx_session *s)
{
    size_t n;
    const bx_reading *r = bx_session_readings(s, &n);
    assert_int_equal(n, 1);
    assert_int_equal(r->state, BX_COUNTED);
    return r->count;
}

static bx_session *opened(bx_machine *m, const char *list)
{
    bx_evsel events[TRIAL_EVENTS];
    bx_session *s = NULL;
    size_t n = trial_parse(list, events);
    assert_int_equal(bx_session_open(m, events, n, NULL, &s, NULL), BX_OK);
    return s;
}

/* Both sessions would program counter 0 of the same units. The second one starts when the first has
 * stopped, and counts from there. */
static void two_sessions_on_one_machine(void **state)
{
    (void)state;
    bx_machine *m = loaded("virtual:skl,part=plain,cores=1", "stream,size=64K");
    bx_session *s[2] = {opened(m, "UNC_CBO_CACHE_LOOKUP:ANY_I"),
                        opened(m, "UNC_CBO_CACHE_LOOKUP:READ_MESI")};
    bool done;
    assert_int_equal(bx_session_start(s[0], NULL), BX_OK);
    assert_int_equal(bx_session_start(s[1], NULL), BX_OK);
    assert_int_equal(bx_session_run(s[0], UINT64_MAX, &done, NULL), BX_OK);
    for (unsigned i = 0; i < 2; i++) {
        assert_int_equal(bx_session_stop(s[i], NULL), BX_OK);
        assert_int_equal(counted(s[i]), 3072); /* three arrays of 1024 lines, each missed once */
        bx_session_close(s[i]);
    }
    s[1] = opened(m, "UNC_CBO_CACHE_LOOKUP:ANY_I");
    assert_int_equal(bx_session_start(s[1], NULL), BX_OK);
    bx_machine_idle(m, 1000);
    assert_int_equal(bx_session_stop(s[1], NULL), BX_OK);
    assert_int_equal(counted(s[1]), 0);
    bx_session_close(s[1]);
    bx_machine_close(m);
}

/* Counters of the memory controller cannot be programmed: both sessions count all of the work. */
static void sessions_that_only_read(void **state)
{
    (void)state;
    bx_machine *m = loaded("virtual:skl,part=plain,cores=1", "stream,size=64K");
    bx_session *s[3] = {opened(m, "UNC_CBO_CACHE_LOOKUP:ANY_I"), opened(m, "DRAM_DATA_READS"),
                        opened(m, "DRAM_DATA_READS")};
    bool done;
    for (unsigned i = 0; i < 3; i++)
        assert_int_equal(bx_session_start(s[i], NULL), BX_OK);
    assert_int_equal(bx_session_run(s[1], UINT64_MAX, &done, NULL), BX_OK);
    for (unsigned i = 0; i < 3; i++) {
        assert_int_equal(bx_session_stop(s[i], NULL), BX_OK);
        assert_int_equal(counted(s[i]), 3072);
        bx_session_close(s[i]);
    }
    bx_machine_close(m);
}

static void misuse_is_refused(void **state)
{
    (void)state;
    bx_evsel events[TRIAL_EVENTS];
    size_t n = trial_parse(seven, events);
    bx_machine *m = trial_machine("virtual:skl,part=plain");
    bx_session *s = NULL;
    bx_error e = {0};
    bool done;
    bx_session_options o = {.size = sizeof o, .repeat = true, .pass = 4};
    assert_int_equal(bx_session_open(m, events, n, &o, &s, &e), BX_BAD_INPUT);
    assert_string_equal(e.message, "there is no pass 4: the events take 4");
    assert_null(s);
    events[1].unit = 9;
    e = (bx_error){0};
    assert_int_equal(bx_session_open(m, events, n, NULL, &s, &e), BX_NO_FIT);
    assert_int_equal(e.at, strlen("UNC_CBO_CACHE_LOOKUP:READ_I,"));
    events[1].unit = BX_ANY;
    assert_int_equal(bx_session_open(m, events, n, NULL, &s, NULL), BX_OK);
    assert_int_equal(bx_session_run(s, 1, &done, NULL), BX_BAD_INPUT);
    assert_int_equal(bx_session_sample(s, NULL), BX_BAD_INPUT);
    assert_int_equal(bx_session_stop(s, NULL), BX_BAD_INPUT);
    assert_int_equal(bx_session_start(s, NULL), BX_OK);
    assert_int_equal(bx_session_start(s, NULL), BX_BAD_INPUT);
    bx_session_close(s);
    bx_session_close(NULL);
    bx_machine_close(m);
}

static void no_events_are_refused(void **state)
{
    (void)state;
    bx_machine *m = trial_machine("virtual:skl,part=plain");
    bx_session *s = NULL;
    bx_error e = {0};
    assert_int_equal(bx_session_open(m, NULL, 0, NULL, &s, &e), BX_BAD_INPUT);
    assert_string_equal(e.message, "there are no events to count");
    assert_null(s);
    bx_machine_close(m);
}

static bx_evsel selection(const char *text)
{
    bx_evsel event;
    assert_int_equal(bx_event_parse(bx_catalog_builtin(), -1, text, strlen(text), &event, NULL),
                     BX_OK);
    return event;
}

static void refused(bx_machine *m, bx_evsel event, int code)
{
    const bx_evsel two[] = {selection("UNC_CBO_CACHE_LOOKUP:ANY_I"), event};
    bx_session *s = NULL;
    bx_error e = {0};
    assert_int_equal(bx_session_open(m, two, 2, NULL, &s, &e), code);
    assert_int_equal(e.code, code);
    assert_true(*e.message);
    assert_null(s);
}

/* Each number of a selection out of range, one at a time. */
static void numbers_out_of_range(void **state)
{
    (void)state;
    bx_machine *m = trial_machine("virtual:skl,part=plain");
    const bx_evsel good = selection("UNC_CBO_CACHE_LOOKUP:READ_I");
    enum { ALL = 10 };
    bx_evsel bad[ALL];
    for (size_t i = 0; i < ALL; i++)
        bad[i] = good;
    bad[0].pmu = 0xfffe;
    bad[1].event = 0xfffe;
    bad[2].unit = -2;
    bad[3].package = INT16_MIN;
    bad[4].counter = 99;
    bad[5].counter = -2;
    bad[6].port = -2;
    bad[7].place = 99;
    bad[8].extras = BX_EXTRAS + 1;
    bad[9].extras = 1;
    bad[9].extra[0].reg = 0xfffe;
    for (size_t i = 0; i < ALL; i++)
        refused(m, bad[i], BX_BAD_INPUT);
    bx_evsel elsewhere = good;
    elsewhere.package = 99;
    refused(m, elsewhere, BX_NO_FIT);
    refused(m, selection("ivbep_unc_cbo::UNC_C_CLOCKTICKS"), BX_NO_FIT);
    bx_machine_close(m);
}

/* The machine stays until its last session is closed. */
static void machine_closed_before_its_sessions(void **state)
{
    (void)state;
    bx_machine *m = loaded("virtual:skl,part=plain,cores=1", "stream,size=64K");
    bx_session *s[2] = {opened(m, "UNC_CBO_CACHE_LOOKUP:ANY_I"), opened(m, "DRAM_DATA_READS")};
    bool done;
    bx_machine_close(m);
    for (unsigned i = 0; i < 2; i++)
        assert_int_equal(bx_session_start(s[i], NULL), BX_OK);
    assert_int_equal(bx_session_run(s[0], UINT64_MAX, &done, NULL), BX_OK);
    for (unsigned i = 0; i < 2; i++)
        assert_int_equal(bx_session_sample(s[i], NULL), BX_OK);
    assert_int_equal(counted(s[0]), 3072);
    assert_int_equal(counted(s[1]), 3072);
    bx_session_close(s[0]); /* while it runs */
    assert_int_equal(bx_session_stop(s[1], NULL), BX_OK);
    bx_session_close(s[1]);
}

/* Options of an older caller, whose struct is shorter; of a caller that sets no size; of a newer
 * caller. */
static void options_of_other_sizes(void **state)
{
    (void)state;
    bx_evsel events[TRIAL_EVENTS];
    size_t n = trial_parse(seven, events);
    bx_machine *m = trial_machine("virtual:skl,part=plain");
    bx_session *s;
    bx_session_options o = {
        .size = offsetof(bx_session_options, repeat), .repeat = true, .pass = 99};
    assert_int_equal(bx_session_open(m, events, n, &o, &s, NULL), BX_OK);
    bx_session_close(s);
    bx_error e = {0};
    o.size = 0;
    assert_int_equal(bx_session_open(m, events, n, &o, &s, &e), BX_BAD_INPUT);
    assert_non_null(strstr(e.message, "there is no pass 99"));
    struct {
        bx_session_options o;
        size_t more;
    } later = {.o = {.size = sizeof later}, .more = 1};
    e = (bx_error){0};
    assert_int_equal(bx_session_open(m, events, n, &later.o, &s, &e), BX_BAD_INPUT);
    assert_non_null(strstr(e.message, "bx_session_options has options that this library (0.1.0)"));
    later.more = 0;
    assert_int_equal(bx_session_open(m, events, n, &later.o, &s, NULL), BX_OK);
    bx_session_close(s);
    bx_machine_close(m);
}

static void values(void **state)
{
    (void)state;
    bx_reading r = {.state = BX_COUNTED, .count = 10, .enabled = 100, .running = 25};
    assert_true(bx_reading_value(&r) == 10);
    r.state = BX_SCALED;
    assert_true(bx_reading_value(&r) == 40);
    r.state = BX_BLOCKED;
    assert_true(bx_reading_value(&r) == 0);
}

/* A 0 of them would be no count: 334060-001 table 3-1 has a state and a request in every unit mask
 * of lookups, and an answer and a cause in those of snoops; 329468-002 wants a state. */
static void numbers_that_choose_nothing(void **state)
{
    (void)state;
    static const struct {
        const char *machine, *text, *message;
    } rows[] = {
        {"virtual:skl,part=plain", "UNC_CBO_CACHE_LOOKUP:umask=0x8",
         "UNC_CBO_CACHE_LOOKUP counts nothing with unit mask 0x8: it lacks a choice of 'request'"},
        {"virtual:skl,part=plain", "UNC_CBO_CACHE_LOOKUP:umask=0",
         "UNC_CBO_CACHE_LOOKUP counts nothing with unit mask 0x0: it lacks a choice of 'state'"},
        {"virtual:skl,part=plain", "skl_unc_cbo::RAW:code=0x34:umask=0xf0",
         "UNC_CBO_CACHE_LOOKUP counts nothing with unit mask 0xf0: it lacks a choice of 'state'"},
        {"virtual:skl,part=plain", "uncore_cbox_0/event=0x22,umask=0x1/",
         "UNC_CBO_XSNP_RESPONSE counts nothing with unit mask 0x1: it lacks a choice of 'cause'"},
        {"virtual:ivbep,part=plain", "ivbep_unc_cbo::UNC_C_LLC_LOOKUP:ANY:state=0",
         "UNC_C_LLC_LOOKUP counts nothing with unit mask 0x11: it lacks a choice of 'state'"},
        {"virtual:skl,part=plain", "UNC_CBO_CACHE_LOOKUP:umask=0x18", NULL},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        bx_machine *m = trial_machine(rows[i].machine);
        bx_evsel events[TRIAL_EVENTS];
        bx_session *s = NULL;
        bx_error e = {0};
        size_t n = trial_parse(rows[i].text, events);
        int code = bx_session_open(m, events, n, NULL, &s, &e);
        assert_int_equal(code, rows[i].message ? BX_BAD_INPUT : BX_OK);
        assert_string_equal(e.message, rows[i].message ? rows[i].message : "");
        bx_session_close(s);
        bx_machine_close(m);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(numbers_that_choose_nothing),
        cmocka_unit_test(readings_are_by_event_package_and_unit),
        cmocka_unit_test(what_does_not_fit_is_multiplexed),
        cmocka_unit_test(short_work_has_slices_for_all),
        cmocka_unit_test(what_fits_counts_on_undisturbed),
        cmocka_unit_test(samples_add_up),
        cmocka_unit_test(samples_on_the_way),
        cmocka_unit_test(from_start_to_stop),
        cmocka_unit_test(short_work),
        cmocka_unit_test(stopped_at_once),
        cmocka_unit_test(what_is_not_modelled),
        cmocka_unit_test(what_happens_on_some_ports_only),
        cmocka_unit_test(what_follows_an_absent_event),
        cmocka_unit_test(two_machines_in_one_process),
        cmocka_unit_test(two_sessions_on_one_machine),
        cmocka_unit_test(sessions_that_only_read),
        cmocka_unit_test(misuse_is_refused),
        cmocka_unit_test(no_events_are_refused),
        cmocka_unit_test(numbers_out_of_range),
        cmocka_unit_test(machine_closed_before_its_sessions),
        cmocka_unit_test(options_of_other_sizes),
        cmocka_unit_test(values),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

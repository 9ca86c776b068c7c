/* The whole path, event string to count, against two independent counts: the oracle, which executes
 * the same accesses by docs/explanation/model-client.md, and the model's own totals. */
#include "../cmocked.h"

#include "trial.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Conditions, on top of the events of the manual. */
static const char conditions[] =
    "UNC_CBO_CACHE_LOOKUP:ANY_MESI:t=1,UNC_CBO_CACHE_LOOKUP:ANY_MESI:t=2,"
    "UNC_CBO_CACHE_LOOKUP:ANY_MESI:t=1:i=1,UNC_CBO_CACHE_LOOKUP:READ_I:e=1,"
    "UNC_CBO_XSNP_RESPONSE:HITM_XCORE:t=1:e=1,UNC_ARB_TRK_OCCUPANCY:ALL:t=3,"
    "UNC_ARB_TRK_OCCUPANCY:ALL:t=4:i=1,UNC_ARB_TRK_OCCUPANCY:ALL:e=1,"
    "UNC_ARB_TRK_OCCUPANCY:DATA_READ:t=2:e=1,UNC_ARB_TRK_OCCUPANCY:DATA_READ,"
    "UNC_ARB_TRK_REQUESTS:ALL:t=2,UNC_ARB_TRK_REQUESTS:DATA_READ,UNC_CBO_XSNP_RESPONSE:HIT_"
    "EXTERNAL";

static void name_failure(const char *workload, const bx_evsel *event, unsigned unit, uint64_t is,
                         uint64_t should)
{
    char name[128];
    bx_event_format(bx_catalog_builtin(), event, name, sizeof name);
    fail_msg("%s: %s of unit %u: %" PRIu64 ", not %" PRIu64, workload, name, unit, is, should);
}

/* Each of the manual's 25 events, and conditions, one run a pass: all exact, cycle by cycle. */
static void each_event_is_exact(const char *machine, const char *workload)
{
    bx_evsel events[TRIAL_EVENTS];
    char list[8192];
    snprintf(list, sizeof list, "%s,%s", trial_picks(), conditions);
    size_t n = trial_parse(list, events);
    struct trial_result r;
    trial_repeat(machine, workload, events, n, &r);
    trial_at_once(machine, workload, events, n, &r);

    bx_machine *m = trial_machine(machine);
    bool done;
    assert_int_equal(bx_machine_load_workload(m, workload, NULL), BX_OK);
    struct trial_record *record = trial_record(m);
    assert_int_equal(bx_machine_run(m, UINT64_MAX, &done, NULL), BX_OK);
    assert_int_equal(bx_machine_now(m), r.end);
    struct trial_truth *truth = trial_truth(m, record, r.end);
    for (size_t i = 0; i < r.n; i++) {
        const bx_reading *is = &r.readings[i];
        const bx_evsel *event = &events[is->event];
        uint64_t should = trial_true_count(truth, event, is->unit), own;
        assert_int_equal(is->state, BX_COUNTED);
        assert_int_equal(is->running, is->enabled);
        assert_int_equal(is->enabled, r.end);
        assert_false(is->overflowed);
        if (is->count != should)
            name_failure(workload, event, is->unit, is->count, should);
        if (trial_model_count(m, event, is->unit, &own) && is->count != own)
            name_failure(workload, event, is->unit, is->count, own);
    }
    trial_truth_free(truth);
    trial_record_free(record);
    bx_machine_close(m);
}

static void exact_stream(void **state)
{
    (void)state;
    each_event_is_exact("virtual:skl,part=plain,llc=256K", "stream,size=512K,cores=2");
}

static void exact_copy(void **state)
{
    (void)state;
    each_event_is_exact("virtual:skl,part=plain,llc=256K", "copy,size=512K");
}

static void exact_chase(void **state)
{
    (void)state;
    each_event_is_exact("virtual:skl,part=plain,llc=256K", "chase,size=128K");
}

static void exact_random(void **state)
{
    (void)state;
    each_event_is_exact("virtual:skl,part=plain,cores=2,llc=128K",
                        "random,size=256K,cores=2,iterations=30000,seed=3");
}

static void exact_pingpong(void **state)
{
    (void)state;
    each_event_is_exact("virtual:skl,part=plain,cores=3,slices=2",
                        "pingpong,cores=2,iterations=2000");
}

static void exact_sharing(void **state)
{
    (void)state;
    each_event_is_exact("virtual:skl,part=plain,slices=1,llc=256K",
                        "sharing,cores=4,size=64K,iterations=5000");
}

static void exact_dma(void **state)
{
    (void)state;
    each_event_is_exact("virtual:skl,part=plain,llc=256K", "dma,size=256K,iterations=10000");
}

/* Devices access the data that the cores use. */
static void exact_mixture(void **state)
{
    (void)state;
    each_event_is_exact("virtual:skl,part=plain,llc=256K",
                        "stream,size=128K,cores=2+dma,size=128K,iterations=5000+"
                        "gfx,size=256K,iterations=5000");
}

static void exact_gfx(void **state)
{
    (void)state;
    each_event_is_exact("virtual:skl,part=plain,llc=256K", "gfx,size=256K,iterations=10000");
}

/* Longer work, against the model's totals alone. */
static void each_count_of_longer_work(const char *workload, bool moved[TRIAL_EVENTS])
{
    static const char machine[] = "virtual:skl,part=plain,llc=1M";
    bx_evsel events[TRIAL_EVENTS];
    size_t n = trial_parse(trial_picks(), events);
    struct trial_result r;
    trial_repeat(machine, workload, events, n, &r);
    bx_machine *m = trial_machine(machine);
    bool done;
    assert_int_equal(bx_machine_load_workload(m, workload, NULL), BX_OK);
    assert_int_equal(bx_machine_run(m, UINT64_MAX, &done, NULL), BX_OK);
    for (size_t i = 0; i < r.n; i++) {
        const bx_reading *is = &r.readings[i];
        uint64_t own;
        moved[is->event] |= is->count > 0;
        if (trial_model_count(m, &events[is->event], is->unit, &own) && is->count != own)
            name_failure(workload, &events[is->event], is->unit, is->count, own);
    }
    bx_machine_close(m);
}

static void all_25_events_move_under_some_workload(void **state)
{
    (void)state;
    static const char *const workloads[] = {
        "stream,size=2M",
        "copy,size=2M",
        "chase,size=512K",
        "random,size=2M,iterations=100000",
        "pingpong,iterations=20000",
        "sharing,cores=4,iterations=20000",
        "dma,iterations=20000",
        "gfx,iterations=20000",
        "stream,size=256K,cores=2+dma,iterations=20000+gfx,iterations=20000",
    };
    bool moved[TRIAL_EVENTS] = {false};
    bx_evsel events[TRIAL_EVENTS];
    size_t n = trial_parse(trial_picks(), events);
    assert_int_equal(n, 25);
    for (size_t i = 0; i < sizeof workloads / sizeof *workloads; i++)
        each_count_of_longer_work(workloads[i], moved);
    for (size_t i = 0; i < n; i++) {
        char name[128];
        bx_event_format(bx_catalog_builtin(), &events[i], name, sizeof name);
        if (!moved[i])
            fail_msg("%s counted nothing under any workload", name);
    }
}

/* A program, with each of its counts compared with what the model has raised: its misses of the
 * LLC, and the lines that were read from memory for them. A kernel's zeroing of pages would be
 * misses, too, that nothing is read for. */
static void count_program(char *argv[], uint64_t *misses, uint64_t *reads)
{
    static const char list[] =
        "UNC_CBO_CACHE_LOOKUP:READ_I,UNC_CBO_CACHE_LOOKUP:ANY_MESI,UNC_ARB_TRK_REQUESTS:ALL,"
        "UNC_ARB_TRK_REQUESTS:WRITES,DRAM_IA_REQUESTS,DRAM_DATA_READS,DRAM_GT_REQUESTS";
    bx_evsel events[TRIAL_EVENTS];
    size_t n = trial_parse(list, events);
    const bx_machine_options how = {.size = sizeof how, .no_kernel_accesses = 1};
    bx_machine *m;
    bx_error e = {0};
    assert_int_equal(
        bx_machine_open_with(bx_catalog_builtin(), "virtual:skl,part=plain", &how, &m, &e), BX_OK);
    struct trial_result r;
    assert_int_equal(bx_machine_load_program(m, argv, NULL), BX_OK);
    trial_run(m, events, n, NULL, 0, &r);
    assert_int_equal(r.n, 4 + 4 + 5);
    *misses = *reads = 0;
    for (size_t i = 0; i < r.n; i++) {
        const bx_reading *is = &r.readings[i];
        uint64_t own;
        assert_int_equal(is->state, BX_COUNTED);
        assert_true(trial_model_count(m, &events[is->event], is->unit, &own));
        assert_int_equal(is->count, own);
        *misses += is->event == 0 ? is->count : 0;
        *reads += is->event == 5 ? is->count : 0;
    }
    bx_machine_close(m);
}

/* Its string instructions overwrite lines that are not read for it. */
static void a_real_program(void **state)
{
    (void)state;
    char *argv[] = {(char[]){"true"}, NULL};
    uint64_t misses, reads;
    count_program(argv, &misses, &reads);
    assert_true(reads > 500); /* more than 32 KiB of program and loader */
    assert_true(reads <= misses);
}

/* tests/tracer/overwrite.c stores to 256 lines, which it has not read: with five arguments by
 * ordinary stores, without any by a string instruction. */
static void each_miss_is_read_unless_overwritten(void **state)
{
    (void)state;
    char path[4096], word[] = "x";
    snprintf(path, sizeof path, "%s/tests/tracer/traced_overwrite", getenv("BUILD_ROOT"));
    char *ordinary[] = {path, word, word, word, word, word, NULL}, *string[] = {path, NULL};
    uint64_t misses, reads;
    count_program(ordinary, &misses, &reads);
    assert_true(reads > 256);
    assert_int_equal(reads, misses);
    count_program(string, &misses, &reads);
    assert_int_equal(reads + 256, misses);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(exact_stream),   cmocka_unit_test(exact_copy),
        cmocka_unit_test(exact_chase),    cmocka_unit_test(exact_random),
        cmocka_unit_test(exact_pingpong), cmocka_unit_test(exact_sharing),
        cmocka_unit_test(exact_dma),      cmocka_unit_test(exact_gfx),
        cmocka_unit_test(exact_mixture),  cmocka_unit_test(all_25_events_move_under_some_workload),
        cmocka_unit_test(a_real_program), cmocka_unit_test(each_miss_is_read_unless_overwritten),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* A fault at every register access of a whole measurement, one after the other: it ends with a
 * message, every register that can be written is as before and others are named, and nothing that
 * no counter can have counted is shown as a count. */
#include "cmocked.h"

#include "faults.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* Machines with events of all their boxes, some in turns. */
static const struct {
    const char *machine, *events;
} cases[] = {
    {"virtual:skl",
     "skl_unc_cbo1::UNC_CBO_CACHE_LOOKUP:READ_I,skl_unc_cbo1::UNC_CBO_CACHE_LOOKUP:ANY_MESI,"
     "skl_unc_cbo1::UNC_CBO_CACHE_LOOKUP:ANY_I,skl_unc_cbo2::UNC_CBO_CACHE_LOOKUP:ANY_I:e=1,"
     "UNC_ARB_TRK_OCCUPANCY:ALL:t=2,UNC_CLOCK:SOCKET,DRAM_DATA_READS"},
    {"virtual:ivbep,packages=2,cores=2", NULL},
    {"virtual:nhmex,packages=1,cores=2", NULL},
    {"virtual:p6", NULL},
};
enum { CASES = sizeof cases / sizeof *cases };

static size_t events_of(size_t i, bx_machine *m, bx_evsel *events)
{
    const bx_catalog *c = bx_catalog_builtin();
    char list[4096] = "";
    bx_span picks = bx_cat_cpus(c)[bx_machine_cpu(m)].defaults;
    bx_error e = {0};
    size_t n;
    for (unsigned k = 0; !cases[i].events && k < picks.n; k++) {
        strcat(list, k ? "," : "");
        strcat(list, bx_cat_z(c, bx_cat_picks(c)[picks.first + k].event));
    }
    const char *text = cases[i].events ? cases[i].events : list;
    if (bx_events_parse(c, bx_machine_cpu(m), text, events, TRIAL_EVENTS, &n, &e) != BX_OK)
        fail_msg("%s", e.message);
    return n;
}

/* What a run without faults reads, and how many accesses it takes. */
static size_t fine_run(size_t i, struct run *fine)
{
    bx_machine *m = trial_machine(cases[i].machine);
    bx_evsel events[TRIAL_EVENTS];
    size_t n = events_of(i, m, events);
    struct faulty f = {.from = SIZE_MAX, .to = SIZE_MAX};
    contents_set(m);
    faults_wrap(&f, m);
    faults_measure(m, events, n, fine);
    faults_unwrap(&f);
    bx_machine_close(m);
    assert_int_equal(fine->code, BX_OK);
    assert_int_equal(fine->trouble.code, BX_OK);
    return f.n;
}

/* Time that jumps is counted by clocks and occupancies; nothing else happens meanwhile, and nothing
 * counts 64 in each of those cycles. */
static bool may_be(const bx_reading *is, const bx_reading *fine, const struct faulty *f)
{
    if (f->kind == FAULT_SLOW)
        return is->count <= fine->count + UINT64_C(64) * 3000000 * (f->to - f->from + 1);
    return is->count == fine->count;
}

static void check(const struct run *r, const struct run *fine, const struct faulty *f)
{
    bool all_there = true;
    assert_int_equal(r->n, fine->n);
    for (size_t i = 0; i < r->n; i++) {
        const bx_reading *is = &r->readings[i];
        assert_true(is->state <= BX_IMPLAUSIBLE);
        if (is->state == BX_COUNTED || is->state == BX_SCALED) {
            if (!may_be(is, &fine->readings[i], f))
                fail_msg("access %zu, kind %d: reading %zu is %llu, not %llu", f->from, f->kind, i,
                         (unsigned long long)is->count,
                         (unsigned long long)fine->readings[i].count);
        } else {
            assert_true(bx_reading_value(is) == 0);
            all_there &= is->state == fine->readings[i].state;
        }
    }
    /* What is not counted is told why. */
    if (!all_there && f->kind != FAULT_SLOW)
        assert_true(r->code != BX_OK || r->trouble.code != BX_OK);
    if (r->left_n)
        assert_true(r->code != BX_OK && r->error.message[0]);
    if (r->code != BX_OK)
        assert_true(r->error.code == r->code && r->error.message[0]);
}

/* Returns how many registers could not be put back. */
static size_t run_once(size_t i, struct faulty *f, const struct run *fine)
{
    static struct run r;
    struct contents before, after;
    bx_machine *m = trial_machine(cases[i].machine);
    bx_evsel events[TRIAL_EVENTS];
    size_t n = events_of(i, m, events);
    contents_set(m);
    contents_read(&before, m);
    faults_wrap(f, m);
    faults_measure(m, events, n, &r);
    faults_unwrap(f);
    contents_read(&after, m);
    check(&r, fine, f);
    size_t differ = contents_compare(&before, &after, m->topology.catalog, &r);
    assert_true(differ <= r.left_n);
    contents_free(&before);
    contents_free(&after);
    bx_machine_close(m);
    return r.left_n;
}

static const struct {
    enum fault kind;
    int why;
} faults[] = {{FAULT_ERROR, EIO}, {FAULT_ERROR, ENXIO}, {FAULT_ERROR, EPERM},
              {FAULT_SLOW, 0},    {FAULT_ONES, 0},      {FAULT_RANDOM, 0}};
enum { FAULTS = sizeof faults / sizeof *faults };

/* In the quick suite some fifty accesses of each machine; otherwise all, or of a long run every
 * other one, those in between with the next kind of fault. */
static size_t step_of(size_t accesses)
{
    return accesses / (getenv("BX_LONG") ? 500 : 50) + 1;
}

static void at_each_access(void **state)
{
    (void)state;
    static struct run fine;
    for (size_t i = 0; i < CASES; i++) {
        size_t accesses = fine_run(i, &fine), step = step_of(accesses);
        for (size_t k = 0; k < FAULTS; k++) {
            for (size_t at = k % step; at < accesses; at += step) {
                struct faulty f = {
                    .kind = faults[k].kind, .why = faults[k].why, .from = at, .to = at, .seed = at};
                assert_int_equal(run_once(i, &f, &fine), 0); /* once only: it is written again */
                assert_true(f.hit);
            }
        }
    }
}

/* From some access on nothing works any more: all that was touched is named. */
static void a_device_that_vanishes(void **state)
{
    (void)state;
    static struct run fine;
    size_t named = 0;
    for (size_t i = 0; i < CASES; i++) {
        size_t accesses = fine_run(i, &fine), step = 3 * step_of(accesses);
        for (size_t at = 0; at < accesses; at += step) {
            for (size_t k = 0; k < FAULTS; k++) {
                struct faulty f = {.kind = faults[k].kind,
                                   .why = faults[k].why,
                                   .from = at,
                                   .to = SIZE_MAX - 1,
                                   .seed = at};
                if (f.kind != FAULT_SLOW)
                    named += run_once(i, &f, &fine);
            }
        }
    }
    assert_true(named > 1000);
}

/* It is gone for a while and comes back: all is put back. */
static void a_device_that_comes_back(void **state)
{
    (void)state;
    static struct run fine;
    for (size_t i = 0; i < CASES; i++) {
        size_t accesses = fine_run(i, &fine), step = 3 * step_of(accesses);
        for (size_t at = 0; at + accesses / 3 < accesses; at += step) {
            struct faulty f = {.kind = FAULT_ERROR,
                               .why = ENXIO,
                               .from = at,
                               .to = at + accesses / 3,
                               .seed = at + 1};
            run_once(i, &f, &fine);
        }
    }
}

/* Registers of 334060-001 table 2-1 that can be written once and then no more are named one by one,
 * and nothing else is left. */
static void one_that_cannot_be_put_back(void **state)
{
    (void)state;
    static const struct {
        uint64_t address;
        const char *left;
    } dead[] = {
        {0x716, "MSR_UNC_CBO_1_PERFCTR0 (0x716) cannot be put back: the access faults"},
        {0xe01, "MSR_UNC_PERF_GLOBAL_CTRL (0xe01) cannot be put back: the access faults"},
        {0x394, "MSR_UNC_PERF_FIXED_CTRL (0x394) cannot be put back: the access faults"},
    };
    static struct run r;
    for (size_t i = 0; i < sizeof dead / sizeof *dead; i++) {
        bx_machine *m = trial_machine(cases[0].machine);
        bx_evsel events[TRIAL_EVENTS];
        size_t n = events_of(0, m, events);
        struct contents before, after;
        struct faulty f = {.dead = dead[i].address, .from = SIZE_MAX, .to = SIZE_MAX, .why = EIO};
        contents_set(m);
        contents_read(&before, m);
        faults_wrap(&f, m);
        faults_measure(m, events, n, &r);
        faults_unwrap(&f);
        contents_read(&after, m);
        contents_compare(&before, &after, m->topology.catalog, &r);
        assert_int_equal(r.code, BX_FAULT);
        assert_int_equal(r.left_n, 1);
        assert_string_equal(r.left[0], dead[i].left);
        assert_string_equal(r.error.message, dead[i].left);
        contents_free(&before);
        contents_free(&after);
        bx_machine_close(m);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(at_each_access),
        cmocka_unit_test(a_device_that_vanishes),
        cmocka_unit_test(a_device_that_comes_back),
        cmocka_unit_test(one_that_cannot_be_put_back),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

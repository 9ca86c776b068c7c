/* Faults at every register access on the client, and some special cases. */
#include "../cmocked.h"

#include "each_fault.h"

#include <errno.h>

/* Some registers can be written only a limited number of times. They are named, and so is a count
 * that continues because of one; nothing else stays changed. 334060-001 table 2-1: E01H is not
 * cleared, but 700H and 394H no longer enable their counters. SDM: 186H enables both counters of a
 * P6. */
static void one_that_cannot_be_put_back(void **state)
{
    (void)state;
    static const struct course skl = {
        "virtual:skl,part=plain",
        "skl_unc_cbo1::UNC_CBO_CACHE_LOOKUP:READ_I,UNC_CLOCK:SOCKET,DRAM_DATA_READS"};
    static const struct course p6 = {"virtual:p6,part=plain",
                                     "{p6::DATA_MEM_REFS,p6::DCU_LINES_IN}"};
    static const struct {
        const struct course *course;
        uint64_t address;
        unsigned writes;
        const char *not_restored[3];
    } dead[] = {
        {&skl, 0x716, 1, {"MSR_UNC_CBO_1_PERFCTR0 (0x716) cannot be put back: the access faults"}},
        {&skl, 0x394, 1, {"MSR_UNC_PERF_FIXED_CTRL (0x394) cannot be put back: the access faults"}},
        {&skl,
         0xe01,
         2,
         {"MSR_UNC_PERF_GLOBAL_CTRL (0xe01) cannot be put back: the access faults"}},
        {&p6,
         0x186,
         2,
         {"PerfEvtSel0 (0x186) cannot be put back: the access faults",
          "PerfCtr0 (0xc1) cannot be put back: it may go on counting",
          "PerfCtr1 (0xc2) cannot be put back: it may go on counting"}},
    };
    static struct run r;
    for (size_t i = 0; i < sizeof dead / sizeof *dead; i++) {
        struct contents before, after;
        static struct faulty f;
        bx_evsel events[TRIAL_EVENTS];
        f = (struct faulty){.dead = dead[i].address,
                            .good = dead[i].writes,
                            .from = SIZE_MAX,
                            .to = SIZE_MAX,
                            .err = EIO};
        bx_machine *m = trial_machine(dead[i].course->machine);
        contents_set(m, false);
        contents_read(&before, m);
        size_t n = course_events(dead[i].course, m, events);
        faults_wrap(&f, m);
        faults_measure(&f, dead[i].course, events, n, &r);
        faults_unwrap(&f);
        contents_read(&after, m);
        contents_compare(&before, &after, m->topology.catalog, &r, dead[i].not_restored[0]);
        assert_int_equal(r.code, BX_FAULT);
        size_t named = 0;
        for (; named < 3 && dead[i].not_restored[named]; named++)
            assert_string_equal(r.not_restored[named], dead[i].not_restored[named]);
        assert_int_equal(r.not_restored_n, named);
        assert_string_equal(r.error.message, dead[i].not_restored[0]);
        contents_free(&before);
        contents_free(&after);
        bx_machine_close(m);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_that_cannot_be_put_back),
    };
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    return failed + each_fault("virtual:skl,part=plain");
}

/* Faults at every register access on the client, and some special cases. */
#include "../cmocked.h"

#include "each_fault.h"

#include <errno.h>

/* Registers of 334060-001 table 2-1 that can be written only once are named one by one, and nothing
 * else stays changed. */
static void one_that_cannot_be_put_back(void **state)
{
    (void)state;
    static const struct {
        uint64_t address;
        const char *not_restored;
    } dead[] = {
        {0x716, "MSR_UNC_CBO_1_PERFCTR0 (0x716) cannot be put back: the access faults"},
        {0xe01, "MSR_UNC_PERF_GLOBAL_CTRL (0xe01) cannot be put back: the access faults"},
        {0x394, "MSR_UNC_PERF_FIXED_CTRL (0x394) cannot be put back: the access faults"},
    };
    static struct run r;
    static const struct course course = {
        "virtual:skl",
        "skl_unc_cbo1::UNC_CBO_CACHE_LOOKUP:READ_I,UNC_CLOCK:SOCKET,DRAM_DATA_READS"};
    for (size_t i = 0; i < sizeof dead / sizeof *dead; i++) {
        struct contents before, after;
        static struct faulty f;
        bx_evsel events[TRIAL_EVENTS];
        f = (struct faulty){.dead = dead[i].address, .from = SIZE_MAX, .to = SIZE_MAX, .err = EIO};
        bx_machine *m = trial_machine(course.machine);
        contents_set(m, false);
        contents_read(&before, m);
        size_t n = course_events(&course, m, events);
        faults_wrap(&f, m);
        faults_measure(&f, &course, events, n, &r);
        faults_unwrap(&f);
        contents_read(&after, m);
        contents_compare(&before, &after, m->topology.catalog, &r, dead[i].not_restored);
        assert_int_equal(r.code, BX_FAULT);
        assert_int_equal(r.not_restored_n, 1);
        assert_string_equal(r.not_restored[0], dead[i].not_restored);
        assert_string_equal(r.error.message, dead[i].not_restored);
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
    return failed + each_fault("virtual:skl");
}

/* Events of resctrl's files in sessions: their readings, and why a file has none. */
#include "../cmocked.h"

#include "session/host_rig.h"

#include "machine/kernel_events.h"

#include <stdio.h>
#include <string.h>

/* Files of resctrl: no event of the kernel is opened, and each cache has a reading. */
static void of_resctrl(void **state)
{
    (void)state;
    host_rig r;
    char unit[40];
    folder f = host_rig_threads();
    folder_text(&f, "/sys/fs/resctrl/mon_data/mon_L3_00/llc_occupancy", "64\n");
    folder_text(&f, "/sys/fs/resctrl/mon_data/mon_L3_01/llc_occupancy", "128\n");
    host_rig_open(&r, f, BX_DRIVER_AUTO);
    host_rig_sampled(&r, "resctrl/llc_occupancy/");
    const bx_reading *all = host_rig_readings(&r, 2);
    assert_int_equal(r.kernel.n, 0);
    for (unsigned i = 0; i < 2; i++) {
        assert_int_equal(all[i].state, BX_COUNTED);
        assert_int_equal(all[i].count, 64 << i);
        assert_int_equal(all[i].unit, i); /* no file says whose CPUs' caches they are */
        assert_true(all[i].level);
        assert_int_equal(all[i].driver, BX_DRIVER_AUTO);
    }
    bx_evsel event = {.pmu = BX_KERNEL};
    bx_machine_kernel_unit(r.m, &event, 1, unit, sizeof unit);
    assert_string_equal(unit, "L3/1");
    host_rig_end(&r);
}

/* Neither a PMU of the kernel nor a device of registers is needed. */
static void of_files_alone(void **state)
{
    (void)state;
    host_rig r;
    folder f = folder_new();
    folder_text(&f, "/proc/cpuinfo",
                "processor : 0\nvendor_id : GenuineIntel\ncpu family : 6\nmodel : 94\n"
                "stepping : 3\n\n");
    folder_text(&f, "/sys/devices/system/cpu/cpu0/topology/physical_package_id", "0\n");
    folder_text(&f, "/sys/devices/system/cpu/cpu0/topology/core_id", "0\n");
    folder_text(&f, "/sys/devices/system/cpu/online", "0\n");
    folder_text(&f, "/sys/fs/resctrl/mon_data/mon_L3_00/llc_occupancy", "64\n");
    host_rig_open(&r, f, BX_DRIVER_AUTO);
    host_rig_sampled(&r, "resctrl/llc_occupancy/");
    assert_int_equal(host_rig_readings(&r, 1)->state, BX_COUNTED);
    assert_int_equal(host_rig_readings(&r, 1)->count, 64);
    host_rig_end(&r);
}

/* A file that is gone, as with its group, is no event that the machine lacks, and no matter of
 * perf_event: the message names it. */
static void of_a_file_that_is_gone(void **state)
{
    (void)state;
    static const char path[] = "/sys/fs/resctrl/mon_groups/web/mon_data/mon_L3_00/llc_occupancy";
    const bx_session_options o = {.size = sizeof o, .skip_unsupported = true};
    host_rig r;
    folder f = host_rig_threads();
    folder_text(&f, path, "64\n");
    host_rig_open(&r, f, BX_DRIVER_AUTO);
    assert_int_equal(host_rig_session(&r, "resctrl/llc_occupancy,group=web/", &o), BX_OK);
    char whole[160], expected[240];
    snprintf(whole, sizeof whole, "%s%s", r.f.root, path);
    assert_int_equal(remove(whole), 0);
    assert_int_equal(bx_session_start(r.s, &r.e), BX_NOT_FOUND);
    assert_int_equal(host_rig_readings(&r, 1)[0].state, BX_BLOCKED);
    snprintf(expected, sizeof expected, "'%s' cannot be read: No such file or directory", whole);
    assert_string_equal(r.e.message, expected);
    snprintf(expected, sizeof expected, "its group may be gone: ls -l %s", whole);
    assert_string_equal(r.e.hint, expected);
    host_rig_end(&r);
}

/* A file without a number, and one of another group's count: each has its own reason. */
static void of_files_without_a_value(void **state)
{
    (void)state;
    static const char path[] = "/sys/fs/resctrl/mon_data/mon_L3_00/mbm_total_bytes";
    static const struct {
        const char *first, *then, *message, *hint;
    } of[] = {
        {"Unavailable\n", "Unavailable\n",
         "'resctrl/mbm_total_bytes/' has no value: its file says 'Unavailable'",
         "the hardware has no data of its group yet: count again later"},
        {"7\n", "Error\n", "'resctrl/mbm_total_bytes/' has no value: its file has no number",
         "'Error' there: the CPU does not count this for its group"},
        {"7\n", "6\n",
         "'resctrl/mbm_total_bytes/' has no value: the number in its file has become smaller",
         "its group was made again meanwhile"},
    };
    for (size_t i = 0; i < sizeof of / sizeof *of; i++) {
        host_rig r;
        folder f = host_rig_threads();
        folder_text(&f, path, of[i].first);
        host_rig_open(&r, f, BX_DRIVER_AUTO);
        assert_int_equal(host_rig_session(&r, "resctrl/mbm_total_bytes/", NULL), BX_OK);
        assert_int_equal(bx_session_start(r.s, &r.e), BX_OK);
        folder_text(&r.f, path, of[i].then);
        assert_int_equal(bx_session_sample(r.s, &r.e), BX_OK);
        assert_int_equal(host_rig_readings(&r, 1)->state, BX_BLOCKED);
        const bx_error *trouble = bx_session_trouble(r.s);
        assert_string_equal(trouble->message, of[i].message);
        assert_non_null(strstr(trouble->hint, of[i].hint));
        assert_int_equal(trouble->len, strlen("resctrl/mbm_total_bytes/"));
        host_rig_end(&r);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(of_resctrl),
        cmocka_unit_test(of_files_alone),
        cmocka_unit_test(of_a_file_that_is_gone),
        cmocka_unit_test(of_files_without_a_value),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* Events of an imported CPU, counted by the kernel. */
#include "../cmocked.h"

#include "session/host_rig.h"

#include "host/pmus.h"
#include "measure/numbers.h"
#include "perfmon/import_files.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static struct bx_catalog *imported(void)
{
    static const char events[] =
        "[{\"EventName\":\"TOPDOWN.SLOTS\",\"EventCode\":\"0x00\",\"UMask\":\"0x04\",\"Counter\":"
        "\"Fixed counter 3\"},"
        "{\"EventName\":\"ODD.ONE\",\"EventCode\":\"0x01\",\"UMask\":\"0x00\",\"Counter\":\"0\","
        "\"MSRIndex\":\"0x123\"},"
        "{\"EventName\":\"UNC_CHA_WIDE\",\"EventCode\":\"0x35\",\"UMask\":\"0x01\",\"UMaskExt\":"
        "\"0x78CC6FFE\",\"Counter\":\"0,1,2,3\",\"Unit\":\"CHA\"},"
        "{\"EventName\":\"UNC_U_EVENT\",\"EventCode\":\"0x42\",\"UMask\":\"0x08\",\"Counter\":\"0,"
        "1\","
        "\"Unit\":\"UBOX\"},"
        "{\"EventName\":\"UNC_P_CLOCKTICKS\",\"EventCode\":\"0x01\",\"UMask\":\"0x00\",\"Counter\":"
        "\"0,1,2,3\",\"Unit\":\"PCU\"}]";
    static const bx_perfmon_file file = {.name = {"events", 6},
                                         .text = {events, sizeof events - 1}};
    bx_perfmon_counts counts;
    bx_buf refusals = {0};
    struct bx_catalog *c = import_files(&file, 1, &counts, &refusals);
    bx_buf_free(&refusals);
    return c;
}

static void put_format(const folder *f, const char *pmu, const char *type, const char *umask)
{
    pmus_put(f, pmu, "type", type);
    pmus_put(f, pmu, "format/event", "config:0-7");
    pmus_put(f, pmu, "format/umask", umask);
    pmus_put(f, pmu, "format/edge", "config:18");
}

/* Sapphire Rapids of two packages. Its kernel has no name for the UBOX but its type, and drives no
 * PCU. It reads the units on the CPUs of the mask. */
static folder of_spr(const char *mask)
{
    folder f = host_rig_cpu(0x8f, "0-3\n");
    for (int cpu = 0; cpu < 4; cpu++) {
        char path[80];
        snprintf(path, sizeof path, "/sys/devices/system/cpu/cpu%d/topology/physical_package_id",
                 cpu);
        folder_text(&f, path, cpu < 2 ? "0\n" : "1\n");
        snprintf(path, sizeof path, "/sys/devices/system/cpu/cpu%d/topology/core_id", cpu);
        folder_text(&f, path, cpu & 1 ? "1\n" : "0\n");
    }
    put_format(&f, "cpu", "4", "config:8-15");
    put_format(&f, "uncore_cha_0", "30", "config:8-15,32-63");
    put_format(&f, "uncore_cha_1", "31", "config:8-15,32-63");
    put_format(&f, "uncore_type_5", "40", "config:8-15");
    const char *const boxes[] = {"uncore_cha_0", "uncore_cha_1", "uncore_type_5"};
    for (size_t i = 0; i < 3; i++)
        pmus_put(&f, boxes[i], "cpumask", mask);
    return f;
}

static void of_an_import(void **state)
{
    (void)state;
    host_rig r;
    folder f = of_spr("0,2");
    struct bx_catalog *c = imported();
    host_rig_open_with(&r, c, f, BX_DRIVER_AUTO);
    assert_null(bx_machine_bus(r.m));
    host_rig_opened(&r, "UNC_CHA_WIDE,UNC_U_EVENT,TOPDOWN.SLOTS,spr_unc_cha1::UNC_CHA_WIDE:e=1");
    assert_int_equal(bx_machine_units(r.m, r.events[0].pmu), 2);
    assert_int_equal(bx_machine_units(r.m, r.events[1].pmu), 1);
    assert_int_equal(bx_session_start(r.s, &r.e), BX_OK);
    assert_int_equal(r.kernel.n, 2 * 2 + 2 + 1 + 2);
    host_rig_opens(&r, 0, 30, 0x78cc6ffe00000135, 0);
    host_rig_opens(&r, 3, 31, 0x78cc6ffe00000135, 2);
    host_rig_opens(&r, 4, 40, 0x842, 0);
    host_rig_opens(&r, 5, 40, 0x842, 2);
    host_rig_opens(&r, 6, 4, 0x400, -1);
    host_rig_end(&r);
    free(c);
}

/* Two dies in each package have the units of one each: none may be left out of a sum. */
static void of_two_dies(void **state)
{
    (void)state;
    host_rig r;
    struct bx_catalog *c = imported();
    host_rig_open_with(&r, c, of_spr("0-3"), BX_DRIVER_AUTO);
    host_rig_opened(&r, "UNC_CHA_WIDE,spr_unc_cha1@1::UNC_CHA_WIDE");
    assert_int_equal(bx_session_start(r.s, &r.e), BX_OK);
    const bx_reading *all = host_rig_readings(&r, 9);
    bool seen[2][4] = {{false}};
    for (int i = 0; i < 8; i++) {
        const fake_counter *counter = &r.kernel.all[i];
        assert_int_equal(counter->attr.type, 30 + all[i].unit % 2);
        assert_int_equal(counter->cpu, all[i].package * 2 + all[i].unit / 2);
        assert_false(seen[all[i].package][all[i].unit]);
        seen[all[i].package][all[i].unit] = true;
    }
    host_rig_opens(&r, 8, 31, 0x78cc6ffe00000135, 2); /* a unit by its number is the first die's */
    assert_int_equal(bx_numbers_of(r.m).slices, 4);
    host_rig_end(&r);
    free(c);
}

/* What Linux cannot select, and what this kernel does not drive. */
static void not_of_an_import(void **state)
{
    (void)state;
    host_rig r;
    folder f = host_rig_cpu(0x8f, "0-1\n");
    struct bx_catalog *c = imported();
    put_format(&f, "cpu", "4", "config:8-15");
    pmus_put(&f, "cpu", "cpus", "0");
    put_format(&f, "uncore_cha_0", "30", "config:8-15,32-55");
    pmus_put(&f, "uncore_cha_0", "cpumask", "0");
    host_rig_open_with(&r, c, f, BX_DRIVER_AUTO);
    const char *const list[][2] = {{"ODD.ONE", "its MSR has no term in Linux"},
                                   {"UNC_CHA_WIDE", "out of range"}};
    for (size_t i = 0; i < sizeof list / sizeof *list; i++) {
        r.e = (bx_error){0};
        assert_int_equal(host_rig_session(&r, list[i][0], NULL), BX_NO_ACCESS);
        if (!strstr(r.e.message, list[i][1]))
            fail_msg("%s: %s", list[i][0], r.e.message);
    }
    assert_int_equal(
        bx_machine_events_parse(r.m, "UNC_P_CLOCKTICKS", r.events, HOST_RIG_EVENTS, &r.n, &r.e),
        BX_OK);
    assert_int_equal(bx_machine_units(r.m, r.events[0].pmu), 0);
    static const uint16_t other[] = {1};
    const bx_session_options o = {.size = sizeof o, .cpus = other, .cpus_n = 1};
    r.e = (bx_error){0};
    assert_int_equal(host_rig_session(&r, "TOPDOWN.SLOTS", &o), BX_NO_ACCESS);
    assert_non_null(strstr(r.e.message, "cpu counts on none of these CPUs"));
    assert_string_equal(r.e.hint, "cpu counts on 0");
    host_rig_end(&r);
    free(c);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(of_an_import),
        cmocka_unit_test(of_two_dies),
        cmocka_unit_test(not_of_an_import),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

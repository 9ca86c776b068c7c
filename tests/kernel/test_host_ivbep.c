/* boxscore on a real kernel with two packages, a Xeon E5 v2: CPUs that go offline and come back,
 * and a helper for users without rights. */
#include "../cmocked.h"

#include "measured.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SOCKET "/run/helper.sock"

static void online(rig *r, unsigned cpu, bool on)
{
    guest_ask(r->d.guest, "put /sys/devices/system/cpu/cpu%u/online %d", cpu, on);
}

static const char events[] = "UNC_C_TOR_INSERTS:OPCODE:OPC_RFO,UNC_C_CLOCKTICKS,"
                             "UNC_C_LLC_LOOKUP:ANY:STATE_MESIF";
static const char work[] = "run stream,size=64K+sharing,size=32K,iterations=200";

/* CPU 3 is not started: package 1 has one core. */
static void cpu_missing(void **state)
{
    const driver_options o = {.kernel = "maxcpus=3 cpu0_hotplug", .programs = true};
    rig *r = rig_first(state, "virtual:ivbep,part=plain,packages=2,cores=2", &o);
    guest_ask(r->d.guest, "insmod /msr.ko");
    char *before = measured_registers(r);
    measured m;
    measured_work(&m, r, ROOT, "", events, work);
    for (size_t i = 0; i < m.n; i++)
        assert_true(m.counts[i] > 0);
    measured_unchanged(r, before);
    online(r, 3, true);
    rig_no_fault(r);
    rig_no_warning(r);
    online(r, 1, false); /* the C-Box of CPU 3 exists nevertheless */
    measured_work(&m, r, ROOT, "", events, work);
    online(r, 1, true);
    measured_work(&m, r, ROOT, "", events, work);
}

/* The CPU's device is removed, and the open file returns ENXIO. Another core of the package
 * replaces it, and the count continues. */
static void cpu_goes(rig *r, unsigned cpu)
{
    char *before = measured_registers(r);
    measured m;
    measured_begin(&m, r, ROOT, "", events);
    rig_work(r, work);
    online(r, cpu, false);
    assert_string_equal(guest_try(r->d.guest, "peek /dev/cpu/%u/msr d04", cpu),
                        "failed: No such file or directory");
    rig_work(r, work);
    measured_end(&m, r);
    measured_unchanged(r, before);
    online(r, cpu, true);
}

static void cpus_go(void **state)
{
    rig *r = rig_needed(state);
    cpu_goes(r, 2); /* the CPU that package 1 is accessed through */
    cpu_goes(r, 0); /* the CPU for package 0 */
}

/* The CPU is back before it is used again. */
static void cpu_comes_back(void **state)
{
    rig *r = rig_needed(state);
    measured m;
    measured_begin(&m, r, ROOT, "", events);
    rig_work(r, work);
    online(r, 2, false);
    online(r, 2, true);
    rig_work(r, work);
    measured_end(&m, r);
}

/* All CPUs of package 1 go offline. Registers that cannot be put back are named and stay in the
 * journal; they are put back later. */
static void package_goes(void **state)
{
    rig *r = rig_needed(state);
    char *before = measured_registers(r);
    static const char refused[] = STAT "-e UNC_C_CLOCKTICKS -- /bin/boxscore --version";
    int pid = program_begin(r->d.guest, ROOT,
                            STAT "-x, --per-unit -e UNC_C_TOR_INSERTS:ALL -- /bin/pause package");
    assert_true(program_reached(r->d.guest, "package", pid));
    rig_work(r, work);
    online(r, 2, false);
    online(r, 3, false);
    program_let(r->d.guest, "package");
    printed p = program_end(r->d.guest, pid);
    printed_has(&p, 1,
                SAYS("S0,C-Box 1,", "S1,C-Box 0,<blocked>,",
                     "package 1 cannot be put back: there is no such device",
                     "a journal has the remaining registers: boxscore restore '/run/boxscore/"));
    free(p.text);
    says(r, ROOT, refused, 1, SAYS("boxscore restore '/run/boxscore/"));
    says(r, ROOT, "/bin/boxscore restore", 1,
         SAYS("C0_MSR_PMON_CTL0 (0xd10, package 1) is not put back", "no CPU of that package"));
    online(r, 3, true);
    says(r, ROOT, "/bin/boxscore restore", 0, SAYS("C0_MSR_PMON_CTL0 (0xd10, package 1): 0x400"));
    measured_unchanged(r, before);
    online(r, 2, true);
}

/* ---- the helper ---- */

static int helper;

static void helper_listens(rig *r)
{
    helper =
        program_begin(r->d.guest, ROOT, "/bin/boxscore-helper --group %d --socket " SOCKET, NOBODY);
    for (unsigned tries = 0; tries < 500; tries++) {
        printed p = program_run(r->d.guest, NOBODY, "/bin/boxscore doctor --helper " SOCKET);
        bool answers = strstr(p.text, "it answers at " SOCKET);
        free(p.text);
        if (answers)
            return;
    }
    fail_msg("the helper does not answer");
}

/* The serving process of the helper has no rights, and no way to get any. */
static void helper_has_no_rights(rig *r)
{
    char path[64];
    snprintf(path, sizeof path, "/proc/%d/task/%d/children", helper, helper);
    printed child = program_file(r->d.guest, path);
    snprintf(path, sizeof path, "/proc/%d/status", atoi(child.text));
    printed p = program_file(r->d.guest, path);
    printed_has(&p, 0,
                SAYS("Uid:\t65534\t65534\t65534\t65534", "CapPrm:\t0000000000000000",
                     "CapEff:\t0000000000000000", "NoNewPrivs:\t1", "Seccomp:\t2"));
    free(child.text);
    free(p.text);
}

static void helped(void **state)
{
    rig *r = rig_needed(state);
    char *before = measured_registers(r);
    measured m;
    says(r, NOBODY, STAT "-e UNC_C_CLOCKTICKS -- /bin/boxscore --version", 1,
         SAYS("/dev/cpu/0/msr: Permission denied"));
    helper_listens(r);
    helper_has_no_rights(r);
    measured_begin(&m, r, NOBODY, "--helper " SOCKET, events);
    rig_work(r, work);
    says(r, NOBODY, STAT "--helper " SOCKET " -e UNC_C_CLOCKTICKS -- /bin/boxscore --version", 1,
         SAYS("counts on package 0 already"));
    says(r, ROOT, STAT "-e UNC_C_CLOCKTICKS -- /bin/boxscore --version", 1,
         SAYS("has lent package 0 to one of its clients"));
    measured_end(&m, r);
    assert_string_equal(m.driver[0], "registers");
    measured_unchanged(r, before);
}

/* The helper cannot open a device again, but its open file works again when the CPU is back. */
static void helper_loses_a_cpu(void **state)
{
    rig *r = rig_needed(state);
    measured m;
    measured_begin(&m, r, NOBODY, "--helper " SOCKET, events);
    rig_work(r, work);
    online(r, 2, false);
    rig_work(r, work);
    measured_end(&m, r);
    online(r, 2, true);
    measured_work(&m, r, NOBODY, "--helper " SOCKET, events, work);
}

static void wait_until_restored(rig *r, char *before)
{
    for (unsigned tries = 0; tries < 100; tries++) {
        char *now = measured_registers(r);
        bool same = strcmp(now, before) == 0;
        free(now);
        if (same)
            break;
        guest_ask(r->d.guest, "wait 20");
    }
    measured_unchanged(r, before);
}

/* The counting client is killed, or the helper is ended or killed. The helper, or its other
 * process, puts the registers back. */
static void ends_of_help(void **state)
{
    rig *r = rig_needed(state);
    static const char *const how[] = {"kill", "stop", "kill"};
    for (unsigned i = 0; i < 3; i++) {
        char *before = measured_registers(r), name[8];
        snprintf(name, sizeof name, "h%u", i);
        int pid = program_begin(
            r->d.guest, NOBODY,
            STAT "--helper " SOCKET " -e UNC_C_TOR_INSERTS:ALL -- /bin/pause %s", name);
        assert_true(program_reached(r->d.guest, name, pid));
        rig_work(r, work);
        guest_ask(r->d.guest, "%s %d", how[i], i ? helper : pid);
        wait_until_restored(r, before);
        program_let(r->d.guest, name);
        printed p = program_end(r->d.guest, pid);
        assert_int_equal(p.status, i ? 1 : 128 + 9);
        free(p.text);
        if (i == 0)
            continue;
        p = program_end(r->d.guest, helper);
        assert_int_equal(p.status, i == 1 ? 0 : 128 + 9);
        free(p.text);
        if (i == 1)
            helper_listens(r);
    }
    says(r, NOBODY, STAT "--helper " SOCKET " -e UNC_C_CLOCKTICKS -- /bin/boxscore --version", 1,
         SAYS("no helper can be asked"));
}

/* ---- the uncore driver ---- */

static void two_ways(void **state)
{
    rig *r = rig_needed(state);
    static const char *const drivers[] = {"perf_event", "registers"};
    measured m;
    size_t faults = r->d.faults;
    guest_ask(r->d.guest, "insmod /intel-uncore.ko");
    for (size_t i = 0; i < 2; i++) {
        measured_work(&m, r, ROOT, i ? "--driver registers" : "",
                      "UNC_C_TOR_INSERTS:NID_OPCODE:OPC_RFO:nf=2,UNC_C_TOR_OCCUPANCY:ALL:t=2",
                      work);
        for (size_t k = 0; k < m.n; k++)
            assert_string_equal(m.driver[k], drivers[i]);
        assert_true(m.counts[1] > 0);
    }
    assert_int_equal(r->d.faults, faults);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(cpu_missing),    cmocka_unit_test(cpus_go),
        cmocka_unit_test(cpu_comes_back), cmocka_unit_test(package_goes),
        cmocka_unit_test(helped),         cmocka_unit_test(helper_loses_a_cpu),
        cmocka_unit_test(ends_of_help),   cmocka_unit_test(two_ways),
    };
    return cmocka_run_group_tests(tests, rig_set_up, rig_tear_down);
}

/* boxscore doctor on machines that are folders: what it reads, and what it advises. */
#include "cmocked.h"

#include "cli/run.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A desktop of the 6th generation (family 6, model 94: 5EH) that offers everything. */
static const char client[] =
    "mkdir -p $R/proc/sys/kernel $R/dev/cpu/0 $R/sys/kernel/security $R/bin\n"
    "mkdir -p $R/sys/bus/event_source/devices/{cpu,uncore_imc,uncore_cbox_1,uncore_cbox_0}\n"
    "for n in 0 1; do printf 'processor\\t: %d\\nvendor_id\\t: GenuineIntel\\n"
    "cpu family\\t: 6\\nmodel\\t\\t: 94\\nmodel name\\t: Core i7\\nstepping\\t: 3\\n"
    "flags\\t\\t: fpu vme\\n\\n' $n; done > $R/proc/cpuinfo\n"
    "echo -1 > $R/proc/sys/kernel/perf_event_paranoid\n"
    "echo 0 > $R/proc/sys/kernel/nmi_watchdog\n"
    "echo '[none] integrity confidentiality' > $R/sys/kernel/security/lockdown\n"
    "touch $R/dev/cpu/0/msr $R/bin/valgrind\n"
    "chmod +x $R/bin/valgrind\n";

/* Makes the machine, changes it, and asks. */
static ran ask(const char *changes)
{
    char script[4096];
    snprintf(script, sizeof script,
             "set -e\nR=$(mktemp -d)\ntrap 'rm -rf $R' EXIT\n%s%s\n"
             "PATH=$PATH:/bin \"$BOXSCORE\" doctor --root $R | sed \"s:$R:ROOT:g\"",
             client, changes);
    return run_shell(script);
}

static void nothing_is_missing(void **state)
{
    (void)state;
    ran r = ask("");
    assert_string_equal(
        r.out, "CPU           GenuineIntel family 6 model 0x5e stepping 3, 2 logical CPUs\n"
               "              Core i7\n"
               "              in the catalogue as skl: 6th generation Core, client (Skylake)\n"
               "hypervisor    none\n"
               "MSR device    can be read and written\n"
               "perf_event    perf_event_paranoid is -1\n"
               "uncore PMUs   uncore_cbox_0 uncore_cbox_1 uncore_imc\n"
               "NMI watchdog  off\n"
               "valgrind      ROOT/bin/valgrind\n");
    assert_silent(&r);
}

static void each_obstacle(void **state)
{
    static const struct {
        const char *change, *says;
    } cases[] = {
        {"sed -i s/94/154/ $R/proc/cpuinfo", "not in the catalogue\n              -> count on a"},
        {"sed -i s/GenuineIntel/AuthenticAMD/ $R/proc/cpuinfo", "not in the catalogue\n"},
        {"rm $R/proc/cpuinfo", "CPU           not told by /proc/cpuinfo\n"},
        {"sed -i 's/fpu/fpu hypervisor/' $R/proc/cpuinfo",
         "hypervisor    this is a virtual machine of another program\n              -> "},
        {"rm $R/dev/cpu/0/msr", "MSR device    /dev/cpu/0/msr: No such file or directory\n"
                                "              -> load its driver: modprobe msr\n"},
        {"echo 'none [integrity] confidentiality' > $R/sys/kernel/security/lockdown",
         "lockdown      the kernel keeps all programs from registers (Secure Boot)\n"},
        {"echo 2 > $R/proc/sys/kernel/perf_event_paranoid",
         "perf_event    perf_event_paranoid is 2\n              -> "},
        {"rm $R/proc/sys/kernel/perf_event_paranoid",
         "perf_event    the kernel does not have it\n"},
        {"rm -r $R/sys/bus", "uncore PMUs   the kernel offers none\n"},
        {"echo 1 > $R/proc/sys/kernel/nmi_watchdog",
         "NMI watchdog  on: it holds a counter of every core\n              -> "},
        {"rm $R/bin/valgrind", "valgrind      not found\n              -> "},
        {"rm -r $R/*", "CPU           not told by /proc/cpuinfo\n"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        ran r = ask(cases[i].change);
        assert_has(r.out, cases[i].says);
        assert_silent(&r);
    }
}

/* Whatever this machine is: it is described, and a machine to count on is named. */
static void this_machine(void **state)
{
    (void)state;
    ran r = RUN("doctor");
    assert_has(r.out, "\nmachine       ");
    assert_has(r.out, ", where --machine names no other\n");
    assert_silent(&r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nothing_is_missing),
        cmocka_unit_test(each_obstacle),
        cmocka_unit_test(this_machine),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

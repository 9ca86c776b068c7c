/* boxscore doctor on machines that are folders: its findings and its advice. */
#include "../cmocked.h"

#include "cli/run.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* A desktop of the 6th generation (family 6, model 94: 5EH) that offers everything. */
static const char client[] =
    "mkdir -p $R/proc/sys/kernel $R/dev/cpu/0 $R/sys/kernel/security $R/bin\n"
    "mkdir -p $R/sys/bus/event_source/devices/{cpu,uncore_imc,uncore_cbox_1,uncore_cbox_0}\n"
    "d=$R/sys/bus/event_source/devices\n"
    "mkdir -p $d/{power,cstate_core,cstate_pkg,msr}/events\n"
    "for p in power cstate_core cstate_pkg msr; do echo 20 > $d/$p/type; done\n"
    "echo event=0x02 > $d/power/events/energy-pkg\n"
    "echo event=0x02 > $d/cstate_core/events/c6-residency\n"
    "echo event=0x01 > $d/cstate_pkg/events/c2-residency\n"
    "echo event=0x00 > $d/msr/events/tsc\n"
    "mkdir -p $R/sys/devices/system/cpu $R/sys/bus/pci/devices/0000:00:00.0\n"
    "echo 0 > $R/sys/devices/system/cpu/online\n"
    "touch $R/sys/bus/pci/devices/0000:00:00.0/config $R/dev/mem\n"
    "echo 'msr 20480 0 - Live 0x0' > $R/proc/modules\n"
    "poke() { printf \"$2\" | dd of=$R/dev/cpu/0/msr bs=1 seek=$(($1)) conv=notrunc status=none; "
    "}\n"
    "for n in 0 1; do printf 'processor\\t: %d\\nvendor_id\\t: GenuineIntel\\n"
    "cpu family\\t: 6\\nmodel\\t\\t: 94\\nmodel name\\t: Core i7\\nstepping\\t: 3\\n"
    "flags\\t\\t: fpu vme\\n\\n' $n; done > $R/proc/cpuinfo\n"
    "echo -1 > $R/proc/sys/kernel/perf_event_paranoid\n"
    "echo 0 > $R/proc/sys/kernel/nmi_watchdog\n"
    "echo '[none] integrity confidentiality' > $R/sys/kernel/security/lockdown\n"
    "poke 0xe02 '\\0\\0\\0\\0\\0\\0\\0\\0'\npoke 0x396 '\\5'\n"
    "touch $R/bin/{valgrind,boxscore-tracer-amd64-linux}\n"
    "chmod +x $R/bin/*\nexport BOXSCORE_TRACER=$R/bin\n";

/* Makes the machine, changes it, and runs doctor. */
static ran doctor(const char *changes)
{
    char script[4096];
    snprintf(script, sizeof script,
             "set -e\nR=$(mktemp -d)\ntrap 'rm -rf $R' EXIT\n%s%s\n"
             "PATH=$PATH:/bin \"$BOXSCORE\" doctor --root $R | sed \"s:$R:ROOT:g; s/^rights "
             ".*/rights/\"",
             client, changes);
    return run_shell(script);
}

static void nothing_is_missing(void **state)
{
    (void)state;
    ran r = doctor("");
    assert_string_equal(
        r.out,
        "CPU           GenuineIntel family 6 model 0x5e stepping 3, 2 logical CPUs\n"
        "              Core i7\n"
        "              in the catalogue as skl: 6th generation Core, client (Skylake)\n"
        "hypervisor    none\n"
        "rights\n"
        "modules       msr\n"
        "MSR device    can be read and written\n"
        "PCI registers /sys/bus/pci/devices/0000:00:00.0/config can be read and written\n"
        "memory        /dev/mem can be read and written\n"
        "perf_event    perf_event_paranoid is -1\n"
        "core PMU      cpu\n"
        "uncore PMUs   uncore_cbox_0 uncore_cbox_1 uncore_imc\n"
        "NMI watchdog  off\n"
        "energy        power/energy-pkg/\n"
        "sleep states  cstate_core/c6-residency/ cstate_pkg/c2-residency/\n"
        "clocks        msr/tsc/\n"
        "PMUs          skl_unc_cbo: 4 of them a package, registers, perf_event: uncore_cbox_0\n"
        "              uncore_cbox_1\n"
        "              skl_unc_arb: 1 of them a package, registers\n"
        "              skl_unc_clock: 1 of them a package, registers, perf_event: uncore_cbox_0\n"
        "              skl_unc_imc: 1 of them a package, registers, perf_event: uncore_imc\n"
        "              skl_core: 1 of them a package, registers, perf_event: cpu\n"
        "in use        no other software counts\n"
        "traces        by boxscore's tracer: ROOT/bin/boxscore-tracer-amd64-linux\n"
        "valgrind      ROOT/bin/valgrind\n"
        "              its lackey traces programs of 32 bits\n");
    assert_silent(&r);
}

static void each_obstacle(void **state)
{
    static const struct {
        const char *change, *says;
    } cases[] = {
        {"rm -r $d/power", "energy        the kernel names none\n              -> modprobe rapl"},
        {"rm -r $d/cstate*; sed -i 's/vme/hypervisor/' $R/proc/cpuinfo",
         "sleep states  the kernel names none\nclocks "},
        {"sed -i 's/vme/cqm_mbm_total/' $R/proc/cpuinfo",
         "              -> mount -t resctrl resctrl /sys/fs/resctrl\n"},
        {"mkdir -p $R/proc/self; echo 'r /sys/fs/resctrl resctrl rw 0 0' > $R/proc/self/mounts",
         "resctrl       mounted: stat -e resctrl/mbm_total_bytes/ counts the bytes of all tasks"},
        {"sed -i s/94/154/ $R/proc/cpuinfo",
         "not in the catalogue\n              -> add Intel's events and metrics of it: boxscore "
         "import perfmon DIR\n              -> count what its kernel drives: boxscore list "
         "--machine host\n              -> count on a"},
        {"sed -i s/GenuineIntel/AuthenticAMD/ $R/proc/cpuinfo", "not in the catalogue\n"},
        {"rm $R/proc/cpuinfo", "CPU           not told by /proc/cpuinfo\n"},
        {"sed -i 's/fpu/fpu hypervisor/' $R/proc/cpuinfo",
         "hypervisor    this is a virtual machine of another program\n              -> "},
        {"rm $R/dev/cpu/0/msr $R/proc/modules",
         "MSR device    /dev/cpu/0/msr: No such file or directory\n"
         "              -> load its driver: modprobe msr\n"},
        {"echo 'none [integrity] confidentiality' > $R/sys/kernel/security/lockdown",
         "MSR device    can be read\n"
         "lockdown      the kernel lets no program write MSRs and PCI registers or open "
         "/dev/mem\n"},
        {"echo 2 > $R/proc/sys/kernel/perf_event_paranoid",
         "perf_event    perf_event_paranoid is 2"},
        {"rm $R/proc/sys/kernel/perf_event_paranoid",
         "perf_event    the kernel has it; /proc does not tell who may use it\n"},
        {"rm -r $R/proc $R/sys/bus", "perf_event    the kernel does not have it\n"},
        {"rm -r $R/proc", "hypervisor    not told by /proc/cpuinfo\n"},
        {"rm -r $R/sys/bus/event_source/devices/cpu", "core PMU      the kernel offers none\n"},
        {"rm -r $R/sys/bus/event_source/devices/cpu; sed -i 's/fpu/fpu hypervisor/' "
         "$R/proc/cpuinfo",
         "core PMU      the kernel offers none\n              -> have the hypervisor pass"},
        {"rm -r $R/sys/bus", "uncore PMUs   the kernel offers none\n"},
        {"echo 1 > $R/proc/sys/kernel/nmi_watchdog",
         "NMI watchdog  on: it holds a counter of every core\n              -> "},
        {"touch $R/.dockerenv", "container     this is one (/.dockerenv)\n"},
        {"touch $R/.dockerenv; rm $R/dev/cpu/0/msr",
         "container     this is one (/.dockerenv): devices of the host are not in it\n"
         "              -> run outside"},
        {"echo ext4 1 > $R/proc/modules", "modules       none of msr, msr_safe and intel_uncore"},
        {"rm $R/dev/cpu/0/msr", "-> its driver is loaded, but nobody made the device"},
        {"touch $R/dev/cpu/0/msr_safe",
         "msr-safe      /dev/cpu/0/msr_safe can be read and written, as far as its list allows\n"},
        {"rm $R/dev/mem", "memory        /dev/mem: No such file or directory\n              -> "},
        {"poke 0x396 '\\0'",
         "skl_unc_cbo: 0 of them a package, registers, perf_event: uncore_cbox_0\n"
         "              uncore_cbox_1\n              -> its registers tell of none"},
        {"echo 0-1 > $R/sys/devices/system/cpu/online",
         "MSR device    can be read and written, of 1 of 2 cores\n"},
        /* 334060-001 tables 2-2 and 2-7: the package's EN, and a control that selects something */
        {"poke 0xe04 '\\x20'; poke 0x710 '\\x34\\x88\\x40'",
         "in use        1 counter is counting already:\n"
         "              package 0: skl_unc_cbo1::UNC_CBO_CACHE_LOOKUP:ANY_I\n"
         "              -> end what counts there"},
        {"mkdir -p $R/proc/4711/fd; ln -s 'anon_inode:[perf_event]' $R/proc/4711/fd/9; "
         "ln -s 'anon_inode:[perf_event]' $R/proc/4711/fd/3; echo perf > $R/proc/4711/comm",
         "perf users    process 4711 (perf) has 2 perf events open\n"},
        {"mkdir -p $R/run/boxscore; touch $R/run/boxscore/helper.sock",
         "helper        no helper can be asked at 'ROOT/run/boxscore/helper.sock'"},
        {"rm $R/bin/valgrind",
         "valgrind      not found\n              -> to run 32-bit programs on "
         "a virtual machine: apt-get install valgrind\n"},
        {"export BOXSCORE_TRACER=lackey",
         "traces        by lackey: so says BOXSCORE_TRACER\nvalgrind      ROOT/bin/valgrind\n"},
        {"export BOXSCORE_TRACER=lackey; rm $R/bin/valgrind",
         "traces        none: so says BOXSCORE_TRACER\nvalgrind      not found\n              -> "
         "to run real programs on a virtual machine: apt-get install valgrind\n"},
        {"rm -r $R/*", "CPU           not told by /proc/cpuinfo\n"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        ran r = doctor(cases[i].change);
        assert_has(r.out, cases[i].says);
        assert_silent(&r);
    }
}

/* Obstacles for an ordinary user that root does not have. */
static void without_rights(void **state)
{
    static const struct {
        const char *level, *says;
    } cases[] = {{"1", "is 1\n              without rights: only what a program does\n"},
                 {"2", "is 2\n              without rights: only a program's own code, EVENT:u\n"},
                 {"4", "is 4\n              nobody without rights counts anything\n"}};
    (void)state;
    if (geteuid() != 0)
        skip(); /* the test above runs as the user without rights */
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char script[512];
        snprintf(
            script, sizeof script,
            "set -e\nR=$(mktemp -d)\ntrap 'rm -rf $R' EXIT\nmkdir -p $R/proc/sys/kernel "
            "$R/sys/bus/event_source/devices\n"
            "echo %s > $R/proc/sys/kernel/perf_event_paranoid; chmod -R a+rX $R\n"
            "\"$BOXSCORE\" doctor --root $R\n"
            "cp \"$BOXSCORE\" $R/b; setpriv --reuid=65534 --clear-groups $R/b doctor --root $R",
            cases[i].level);
        ran r = run_shell(script);
        assert_has(r.out, ": this process has the rights anyway\n");
        assert_has(r.out, "rights        user 65534, no capability that would help\n");
        assert_has(r.out, cases[i].says);
        assert_has(r.out, "-> counting outside the core needs root, CAP_PERFMON, or: sysctl");
        ran_free(&r);
    }
}

/* On any machine, doctor describes it and names a machine to count on. */
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
        cmocka_unit_test(without_rights),
        cmocka_unit_test(this_machine),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

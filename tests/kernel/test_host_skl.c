/* boxscore on a real kernel, with its MSR device, its uncore driver, its sysfs and its rights,
 * which know nothing of the test. The machine is a 6th generation Core whose registers are virtual
 * PMUs. */
#include "../cmocked.h"

#include "live.h"
#include "measured.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define NOTHING " -- /bin/boxscore --version" /* a program that ends by itself */

static void no_driver_yet(void **state)
{
    const driver_options o = {.programs = true};
    rig *r = rig_first(state, "virtual:skl,part=plain,cores=4,llc=256K", &o);
    says(r, ROOT, "/bin/boxscore doctor", 0,
         SAYS("MSR device    /dev/cpu/0/msr: No such file or directory",
              "-> load its driver: modprobe msr", "uncore PMUs   the kernel offers none"));
    says(r, ROOT, STAT "-e UNC_CLOCK" NOTHING, 1,
         SAYS("the kernel of this machine has no PMU 'uncore_cbox_0'",
              "/dev/cpu/0/msr: No such file or directory", "boxscore doctor"));
    says(r, ROOT, STAT "-x, -e page-faults,msr/tsc/" NOTHING, 0,
         SAYS(",faults,page-faults,", ",msr/tsc/,", ",perf_event"));
    guest_ask(r->d.guest, "insmod /msr.ko");
}

static const char stream[] = "run stream,size=64K,cores=2+pingpong,iterations=300";

/* Firmware or an ended program has left counters selected, with values. */
static void registers(void **state)
{
    rig *r = rig_needed(state);
    measured m;
    rig_work(r, "wrmsr 0 0x710 0x408834\nwrmsr 0 0x716 0x123456\nwrmsr 0 0x701 0x8134");
    char *before = measured_registers(r);
    measured_work(&m, r, ROOT, "",
                  "UNC_CBO_CACHE_LOOKUP:ANY_MESI,skl_unc_cbo3::UNC_CBO_CACHE_LOOKUP:READ_I:t=1:e=1,"
                  "UNC_ARB_TRK_OCCUPANCY:ALL,UNC_ARB_TRK_REQUESTS:ALL,UNC_CLOCK",
                  stream);
    for (size_t i = 0; i < m.n; i++) {
        assert_true(m.counts[i] > 0);
        assert_string_equal(m.driver[i], "registers");
    }
    measured_work(&m, r, ROOT, "--driver registers", "UNC_CLOCK", "cycles 123456");
    assert_int_equal(m.counts[0], 123456);
    measured_unchanged(r, before);
    rig_no_fault(r);
    rig_no_warning(r);
}

static const live_metric exported[] = {
    {"UNC_CBO_CACHE_LOOKUP:ANY_MESI", "boxscore_unc_cbo_cache_lookup_any_mesi_lookups_total"},
    {"UNC_ARB_TRK_REQUESTS:ALL", "boxscore_unc_arb_trk_requests_all_requests_total"},
    {"UNC_CLOCK", "boxscore_unc_clock_socket_cycles_total"},
    {NULL, NULL}};

/* Exported while it counts, through registers at first, later through the kernel's driver. */
static void served(void **state)
{
    live_serves(rig_needed(state), exported, "run stream,size=512K,cores=2");
}

static void shown(void **state)
{
    live_shows(rig_needed(state), "UNC_CBO_CACHE_LOOKUP:ANY_MESI,page-faults",
               SAYS("boxscore top  host", "interval 2", "UNC_CBO_CACHE_LOOKUP:ANY_MESI", "C-Box 0",
                    "page-faults"));
}

/* Free-running counters, which are read as memory. */
static void memory_controller(void **state)
{
    rig *r = rig_needed(state);
    measured m;
    rig_refresh(r);
    measured_begin(&m, r, ROOT, "", "DRAM_DATA_READS,DRAM_DATA_WRITES,DRAM_IA_REQUESTS,UNC_CLOCK");
    rig_work(r, "run stream,size=512K");
    rig_refresh(r);
    measured_end(&m, r);
    assert_true(m.counts[0] > 0 && m.counts[1] > 0 && m.counts[2] > 0);
}

/* A second measurement is refused. After the first one is killed, a message says how to undo its
 * changes. */
static void killed(void **state)
{
    rig *r = rig_needed(state);
    static const char refused[] = STAT "-e UNC_CLOCK" NOTHING;
    char *before = measured_registers(r), process[64];
    measured m, again;
    measured_begin(&m, r, ROOT, "", "UNC_CBO_CACHE_LOOKUP:ANY_MESI,UNC_CLOCK");
    rig_truth_end(&m.truth);
    bx_session_close(m.truth.session);
    snprintf(process, sizeof process, "process %d", m.pid);
    says(r, ROOT, refused, 1,
         SAYS(process, "counts on package 0 already: skl_unc_cbo::UNC_CBO_CACHE_LOOKUP:ANY_MESI"));
    says(r, ROOT, "/bin/boxscore doctor", 0,
         SAYS("in use        5 counters are counting already", "lock          ", process));
    says(r, ROOT, "/bin/boxscore restore", 0, SAYS(process, "counts still", "nothing to put back"));
    says(r, ROOT, refused, 1, SAYS(process, "counts on package 0 already"));
    guest_ask(r->d.guest, "kill %d", m.pid);
    printed p = program_end(r->d.guest, m.pid);
    assert_int_equal(p.status, 128 + 9);
    free(p.text);
    says(r, ROOT, refused, 1,
         SAYS("without putting its registers back", process, "boxscore restore '/run/"));
    says(r, ROOT, "/bin/boxscore doctor", 0, SAYS("left over", process, "-> boxscore restore"));
    says(r, ROOT, "/bin/boxscore restore --dry-run", 0, SAYS("registers would change"));
    says(r, ROOT, "/bin/boxscore restore", 0,
         SAYS("MSR_UNC_CBO_1_PERFEVTSEL0 (0x710, package 0): 0x408f34 -> 0x408834", process));
    measured_unchanged(r, before);
    says(r, ROOT, "/bin/boxscore restore", 0, SAYS("nothing to put back"));
    measured_work(&again, r, ROOT, "", "UNC_CLOCK", "cycles 777");
}

/* The MSR driver returns EIO if an access faults. The other units are counted without the faulting
 * one. If its control is still selected, no enable may be set that would start it, because its
 * count cannot be saved (docs/explanation/safety.md). */
static void a_register_faults(void **state)
{
    rig *r = rig_needed(state);
    static const char command[] =
        STAT "-x, --per-unit -e UNC_CBO_CACHE_LOOKUP:ANY_MESI,UNC_CLOCK" NOTHING;
    static const char faults[] = "MSR_UNC_CBO_1_PERFCTR0 (0x716) cannot be read: the access faults";
    char *before = measured_registers(r);
    size_t faulted = r->d.faults;
    r->d.broken = 0x716; /* the first counter of C-Box 1, which the event would use there */
    says(r, ROOT, command, 1, SAYS(faults));
    r->d.broken = 0;
    measured_unchanged(r, before);
    rig_work(r, "wrmsr 0 0x710 0");
    before = measured_registers(r);
    r->d.broken = 0x716;
    says(r, ROOT, command, 0,
         SAYS(faults, "S0,C-Box 0,0,", "S0,C-Box 1,<blocked>,", "S0,C-Box 2,0,", "S0,clock,0,"));
    r->d.broken = 0;
    assert_true(r->d.faults > faulted);
    measured_unchanged(r, before);
}

/* Compares two texts from that word on. */
static void same_text(printed *a, printed *b, const char *from)
{
    const char *x = strstr(a->text, from), *y = strstr(b->text, from);
    if (a->status || b->status || !x || !y || strcmp(x, y) != 0)
        fail_msg("in the guest (status %d):\n%s\nhere (status %d):\n%s", a->status, a->text,
                 b->status, b->text);
    free(a->text);
    free(b->text);
}

/* A register log from the guest gives the same report here. */
static void recorded(void **state)
{
    rig *r = rig_needed(state);
    static const char events[] = "UNC_CBO_CACHE_LOOKUP:ANY_MESI,UNC_ARB_TRK_REQUESTS:ALL";
    char kept[] = "/tmp/boxscore-recorded-XXXXXX";
    close(mkstemp(kept));
    int pid = program_begin(r->d.guest, ROOT,
                            STAT "--log-registers /tmp/record -o /tmp/report -x, --per-unit -e %s "
                                 "-- /bin/pause record",
                            events);
    assert_true(program_reached(r->d.guest, "record", pid));
    rig_work(r, stream);
    program_let(r->d.guest, "record");
    printed p = program_end(r->d.guest, pid);
    assert_int_equal(p.status, 0);
    free(p.text);
    program_fetch(r->d.guest, "/tmp/record", kept);
    printed there = program_file(r->d.guest, "/tmp/report");
    printed here = program_here("stat --replay %s -x, --per-unit -o /dev/stdout 2>/dev/null", kept);
    same_text(&there, &here, "S0,C-Box 0,");
    unlink(kept);
}

/* A machine's gathered file gives the same report here as the machine there. */
static void gathered(void **state)
{
    rig *r = rig_needed(state);
    char kept[] = "/tmp/boxscore-gathered-XXXXXX";
    close(mkstemp(kept));
    rig_refresh(r);
    says(r, ROOT, "/bin/boxscore machine gather -o /tmp/machine", 0, (const char *const[]){NULL});
    program_fetch(r->d.guest, "/tmp/machine", kept);
    printed there = program_run(r->d.guest, ROOT, "/bin/boxscore regs --machine host --all");
    printed here = program_here("regs --machine host --root %s --all", kept);
    same_text(&there, &here, "package (skl_unc_package)");
    unlink(kept);
}

static void lists(void **state)
{
    rig *r = rig_needed(state);
    printed there = program_run(r->d.guest, ROOT, "/bin/boxscore allowlist --machine host");
    printed here = program_here("allowlist --machine virtual:skl,cores=4");
    same_text(&there, &here, "0x00000394 ");
    says(r, ROOT, "/bin/boxscore list --machine host", 0,
         SAYS("skl_unc_cbo::UNC_CBO_CACHE_LOOKUP:ANY_MESI", "page-faults", "msr/tsc/"));
}

/* ---- the uncore driver ---- */

static const char both[] = "UNC_CBO_CACHE_LOOKUP:ANY_MESI,UNC_ARB_TRK_REQUESTS:ALL,"
                           "skl_unc_cbo2::UNC_CBO_CACHE_LOOKUP:ANY_I:t=1,UNC_CLOCK";

/* Both drivers give the same counts for the same events. The kernel's driver is used if it has the
 * event. */
static void two_ways(void **state)
{
    rig *r = rig_needed(state);
    measured m;
    guest_ask(r->d.guest, "insmod /intel-uncore.ko");
    says(r, ROOT, "/bin/boxscore doctor", 0,
         SAYS("msr intel_uncore", "uncore_arb uncore_cbox_0", "registers, perf_event: uncore_arb"));
    static const char *const options[] = {"", "--driver perf", "--driver registers"};
    static const char *const drivers[] = {"perf_event", "perf_event", "registers"};
    for (size_t i = 0; i < 3; i++) {
        measured_work(&m, r, ROOT, options[i], both, "run stream,size=512K,cores=2");
        for (size_t k = 0; k < m.n; k++) {
            assert_true(m.counts[k] > 0);
            assert_string_equal(m.driver[k], drivers[i]);
        }
    }
    /* The kernel cannot assign a requested counter, so all events are counted through registers. */
    measured_work(&m, r, ROOT, "",
                  "UNC_ARB_TRK_REQUESTS:ALL:counter=1,UNC_CBO_CACHE_LOOKUP:ANY_MESI", stream);
    assert_string_equal(m.driver[0], "registers");
    assert_string_equal(m.driver[1], "registers");
    rig_refresh(r);
    measured_begin(&m, r, ROOT, "", "DRAM_DATA_READS,DRAM_IA_REQUESTS");
    rig_work(r, "run stream,size=512K");
    rig_refresh(r);
    measured_end(&m, r);
    assert_string_equal(m.driver[0], "perf_event");
    says(r, ROOT, STAT "-e UNC_CLOCK" NOTHING, 0, SAYS("through perf_event"));
    says(r, ROOT, STAT "--driver registers -e UNC_CLOCK" NOTHING, 0, SAYS("through registers"));
    says(r, ROOT, "/bin/boxscore list --machine host", 0, SAYS("uncore_imc/data_reads/"));
}

/* Counters that the kernel uses are not touched; they continue undisturbed. */
static void in_use(void **state)
{
    rig *r = rig_needed(state);
    measured m;
    measured_begin(&m, r, ROOT, "--driver perf", "UNC_CBO_CACHE_LOOKUP:ANY_MESI");
    rig_work(r, stream);
    says(r, ROOT, STAT "--driver registers -e UNC_CLOCK" NOTHING, 1,
         SAYS("package 0 is in use: skl_unc_cbo0::UNC_CBO_CACHE_LOOKUP:ANY_MESI is being counted",
              "force takes the counters"));
    says(
        r, ROOT, "/bin/boxscore doctor", 0,
        SAYS("in use        4 counters are counting already", "(boxscore) has 4 perf events open"));
    measured_end(&m, r);
}

/* Debian's kernel allows no user to use perf_event by default. */
static void without_rights(void **state)
{
    rig *r = rig_needed(state);
    measured m;
    static const char paranoid[] = "put /proc/sys/kernel/perf_event_paranoid %d";
    says(r, NOBODY, STAT "-e UNC_CLOCK" NOTHING, 1,
         SAYS("perf_event_paranoid is 3", "CAP_PERFMON"));
    says(r, NOBODY, "/bin/boxscore doctor", 0,
         SAYS("rights        user 65534, no capability", "/dev/cpu/0/msr: Permission denied",
              "boxscore-helper"));
    guest_ask(r->d.guest, paranoid, 2);
    says(r, NOBODY, STAT "-x, -e page-faults:u,UNC_CLOCK" NOTHING, 0,
         SAYS(",faults,page-faults:u,", "the kernel lets only privileged users count"));
    guest_ask(r->d.guest, paranoid, 0);
    measured_work(&m, r, NOBODY, "", both, stream);
    assert_string_equal(m.driver[0], "perf_event");
    says(r, NOBODY, STAT "--driver registers -e UNC_CLOCK" NOTHING, 1, SAYS("Permission denied"));
    guest_ask(r->d.guest, paranoid, 3);
}

/* Registers can be read but not written: nothing changes, and nothing has to be put back. Events
 * that the kernel counts can still be counted. A kernel stays locked down until it is booted
 * again. */
static void locked_down(void **state)
{
    rig *r = rig_needed(state);
    measured m;
    guest_ask(r->d.guest, "put /sys/kernel/security/lockdown integrity");
    char *before = measured_registers(r);
    for (unsigned i = 0; i < 2; i++)
        says(r, ROOT, STAT "--driver registers -e UNC_CLOCK" NOTHING, 1,
             SAYS("cannot be written: Operation not permitted", "locked down", "boxscore doctor"));
    measured_unchanged(r, before);
    says(r, ROOT, "/bin/boxscore restore", 0, SAYS("nothing to put back"));
    says(r, ROOT, "/bin/boxscore doctor", 0,
         SAYS("MSR device    can be read\nlockdown      the kernel lets no program write MSRs",
              "00:00.0/config can be read\n", "/dev/mem: Operation not permitted\nperf_event "));
    says(r, ROOT, "/bin/boxscore regs --machine host", 0, SAYS("MSR_UNC_PERF_GLOBAL_CTRL"));
    measured_work(&m, r, ROOT, "", both, stream);
    assert_string_equal(m.driver[0], "perf_event");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(no_driver_yet),
        cmocka_unit_test(registers),
        cmocka_unit_test(served),
        cmocka_unit_test(shown),
        cmocka_unit_test(memory_controller),
        cmocka_unit_test(killed),
        cmocka_unit_test(a_register_faults),
        cmocka_unit_test(recorded),
        cmocka_unit_test(gathered),
        cmocka_unit_test(lists),
        cmocka_unit_test(two_ways),
        cmocka_unit_test(served),
        cmocka_unit_test(in_use),
        cmocka_unit_test(without_rights),
        cmocka_unit_test(locked_down),
    };
    return cmocka_run_group_tests(tests, rig_set_up, rig_tear_down);
}

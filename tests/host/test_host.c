/* The host as a machine: its CPUs and units, and its counters in real time. */
#include "../cmocked.h"

#include "host/folder.h"
#include "machine/machine.h"
#include "seam/bus.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* A desktop of the 6th generation: family 6, model 94 (5EH). NO_CBO_BANKS of MSR 396H is one more
 * than there are C-Boxes (334060-001, section 2.4.1). */
static void put_cpuinfo(const folder *f, const char *vendor, unsigned model)
{
    char text[256];
    snprintf(text, sizeof text,
             "processor\t: 0\nvendor_id\t: %s\ncpu family\t: 6\nmodel\t\t: %u\nstepping\t: 3\n",
             vendor, model);
    folder_text(f, "/proc/cpuinfo", text);
}

static void put_cpu(const folder *f, unsigned cpu, int package, int core)
{
    char file[96], text[16];
    snprintf(file, sizeof file, "/sys/devices/system/cpu/cpu%u/topology/physical_package_id", cpu);
    snprintf(text, sizeof text, "%d\n", package);
    folder_text(f, file, text);
    snprintf(file, sizeof file, "/sys/devices/system/cpu/cpu%u/topology/core_id", cpu);
    snprintf(text, sizeof text, "%d\n", core);
    folder_text(f, file, text);
}

static folder client(unsigned banks)
{
    folder f = folder_new();
    put_cpuinfo(&f, "GenuineIntel", 94);
    folder_text(&f, "/sys/devices/system/cpu/online", "0-1\n");
    folder_msr(&f, 0, 0x396, banks);
    folder_msr(&f, 0, 0xe02, 0); /* the last MSR that is read; all before it are 0 */
    return f;
}

static bx_machine *opened(const folder *f)
{
    bx_machine *m = NULL;
    bx_error e = {0};
    if (bx_machine_open_with(
            bx_catalog_builtin(), "host",
            &(bx_machine_options){.size = sizeof(bx_machine_options), .root = f->root}, &m,
            &e) != BX_OK)
        fail_msg("%s", e.message);
    return m;
}

static unsigned cboxes(const bx_machine *m)
{
    bx_evsel event;
    bx_error e = {0};
    static const char text[] = "skl_unc_cbo::UNC_CBO_CACHE_LOOKUP:ANY_I";
    assert_int_equal(bx_event_parse(bx_catalog_builtin(), -1, text, strlen(text), &event, &e),
                     BX_OK);
    return bx_machine_units(m, event.pmu);
}

static void units_are_asked_of_a_register(void **state)
{
    (void)state;
    static const struct {
        unsigned banks, units;
    } cases[] = {{3, 2}, {5, 4}, {1, 0}, {0, 0}, {15, 4}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        folder f = client(cases[i].banks);
        bx_machine *m = opened(&f);
        assert_false(bx_machine_is_virtual(m));
        assert_string_equal(bx_machine_name(m), "host");
        assert_int_equal(cboxes(m), cases[i].units);
        bx_machine_close(m);
        folder_end(&f);
    }
}

/* Xeon E5-2600 v2 (family 6, model 3EH): each core has a C-Box, also an offline core. The C-Boxes'
 * registers begin at D04H and are 20H apart (Linux, arch/x86/events/intel/uncore_snbep.c); the file
 * ends after the ninth. */
static void units_of_cores_that_are_offline(void **state)
{
    (void)state;
    static const struct {
        const char *online, *present, *driven; /* the C-Box that the kernel has in addition */
        unsigned units;
    } all[] = {
        {"0-3", "0-3", NULL, 4},
        {"0-3", NULL, NULL, 4},
        {"0-3,10", "0-19", NULL, 9}, /* two threads on each of ten cores, one of which faults */
        {"0-3,10", "0-11", NULL, 6},
        {"0-3", "0-255", NULL, 9},
        {"0-3", "0-3", "uncore_cbox_7", 8},
        {"0-3", "0-19", "uncore_cbox_5", 6},
        {"0-3", "0-3", "uncore_cbox_1", 4},
        {"0-3", "0-3", "uncore_cbox_99", 4},
    };
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        char path[96];
        folder f = folder_new();
        put_cpuinfo(&f, "GenuineIntel", 62);
        folder_text(&f, "/sys/devices/system/cpu/online", all[i].online);
        if (all[i].present)
            folder_text(&f, "/sys/devices/system/cpu/present", all[i].present);
        for (unsigned cpu = 0; cpu < 4; cpu++)
            put_cpu(&f, cpu, 0, (int)cpu);
        put_cpu(&f, 10, 0, 0);
        snprintf(path, sizeof path, "/sys/bus/event_source/devices/%s/type",
                 all[i].driven ? all[i].driven : "cpu");
        folder_text(&f, path, "20\n");
        folder_msr(&f, 0, 0xd1f + 8 * 0x20, 0);
        bx_machine *m = opened(&f);
        bx_evsel event;
        static const char text[] = "ivbep_unc_cbo::UNC_C_CLOCKTICKS";
        assert_int_equal(bx_event_parse(bx_catalog_builtin(), -1, text, strlen(text), &event, NULL),
                         BX_OK);
        assert_int_equal(bx_machine_units(m, event.pmu), all[i].units);
        bx_machine_close(m);
        folder_end(&f);
    }
}

/* Two packages. CPUs 0 and 4 are threads of one core, as are 2 and 3, and 1 and 7. Package 7 has
 * two cores more than the other package. Further threads come after all cores, with their
 * packages. */
static void threads_of_a_core_are_one(void **state)
{
    (void)state;
    folder f = client(5);
    folder_text(&f, "/sys/devices/system/cpu/online", "0-4,6-7\n");
    put_cpu(&f, 0, 0, 8);
    put_cpu(&f, 4, 0, 8);
    put_cpu(&f, 3, 7, 1);
    put_cpu(&f, 7, 7, 3);
    put_cpu(&f, 1, 7, 3);
    put_cpu(&f, 2, 7, 1);
    put_cpu(&f, 6, 7, 9);
    bx_arena arena = {0};
    bx_cpus cpus;
    assert_true(bx_cpus_read(f.root, &arena, &cpus));
    assert_int_equal(cpus.packages, 2);
    assert_int_equal(cpus.cores, 3);
    static const uint16_t logical[] = {0, BX_NO_CPU, BX_NO_CPU, 2, 1, 6, 4, 3, 7};
    static const unsigned package[] = {0, 0, 0, 1, 1, 1, 0, 1, 1};
    assert_int_equal(cpus.others, 3);
    assert_int_equal(bx_cpus_all(&cpus), 9);
    assert_memory_equal(cpus.logical, logical, sizeof logical);
    for (unsigned i = 0; i < 9; i++)
        assert_int_equal(bx_cpus_package(&cpus, i), package[i]);
    bx_arena_free(&arena);
    folder_end(&f);
}

/* More CPUs than fit a few lines of a list; every other CPU is offline. */
static void many_cpus(void **state)
{
    (void)state;
    enum { CPUS = 8192 };
    static char list[CPUS * 4];
    size_t n = 0;
    folder f = folder_new();
    for (unsigned cpu = 1; cpu < CPUS; cpu += 2)
        n += (size_t)snprintf(list + n, sizeof list - n, "%s%u", cpu > 1 ? "," : "", cpu);
    folder_text(&f, "/sys/devices/system/cpu/online", list);
    put_cpu(&f, 8191, 1, 0);
    put_cpu(&f, 8189, 1, 0);
    bx_arena arena = {0};
    bx_cpus cpus;
    assert_true(bx_cpus_read(f.root, &arena, &cpus));
    assert_int_equal(cpus.packages, 2);
    assert_int_equal(cpus.cores, CPUS / 2 - 2);
    assert_int_equal(cpus.logical[0], 1);
    assert_int_equal(cpus.logical[CPUS / 2 - 3], CPUS - 5);
    assert_int_equal(cpus.logical[CPUS / 2 - 2], 8189);
    assert_int_equal(cpus.logical[CPUS / 2 - 1], BX_NO_CPU);
    bx_arena_free(&arena);
    folder_end(&f);
}

/* 300 packages of one core and one of 300: a table of 301 x 300 entries would be too large for
 * addresses. All CPUs are taken for cores of one package then, as without topology files. */
static void no_possible_machine(void **state)
{
    (void)state;
    folder f = folder_new();
    folder_text(&f, "/sys/devices/system/cpu/online", "0-599\n");
    for (unsigned cpu = 0; cpu < 600; cpu++)
        put_cpu(&f, cpu, cpu < 300 ? (int)cpu : 1000, (int)cpu);
    bx_arena arena = {0};
    bx_cpus cpus;
    assert_true(bx_cpus_read(f.root, &arena, &cpus));
    assert_int_equal(cpus.packages, 1);
    assert_int_equal(cpus.cores, 600);
    assert_int_equal(cpus.logical[599], 599);
    bx_arena_free(&arena);
    folder_end(&f);
}

/* CPU numbers too large for an address, and malformed lists. */
static void odd_lists(void **state)
{
    (void)state;
    static const struct {
        const char *list;
        unsigned cores;
    } all[] = {{"0-1,70000", 2}, {"65534-70000", 1}, {"3\n", 1}, {"0-1,x,4", 2}, {"", 0}, {"x", 0}};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        folder f = folder_new();
        folder_text(&f, "/sys/devices/system/cpu/online", all[i].list);
        bx_arena arena = {0};
        bx_cpus cpus;
        assert_int_equal(bx_cpus_read(f.root, &arena, &cpus), all[i].cores > 0);
        assert_int_equal(cpus.cores, all[i].cores);
        bx_arena_free(&arena);
        folder_end(&f);
    }
}

static void refused(const folder *f, const char *message, const char *hint)
{
    bx_machine *m = NULL;
    bx_error e = {0};
    assert_int_equal(bx_machine_open_with(
                         bx_catalog_builtin(), "host",
                         &(bx_machine_options){.size = sizeof(bx_machine_options), .root = f->root},
                         &m, &e),
                     BX_NO_ACCESS);
    assert_null(m);
    if (!strstr(e.message, message) || !strstr(e.hint, hint))
        fail_msg("%s\n%s", e.message, e.hint);
    /* Without --machine host a virtual machine is opened, and the reason is stored. */
    assert_int_equal(bx_machine_open_with(
                         bx_catalog_builtin(), NULL,
                         &(bx_machine_options){.size = sizeof(bx_machine_options), .root = f->root},
                         &m, NULL),
                     BX_OK);
    assert_true(bx_machine_is_virtual(m));
    assert_non_null(strstr(bx_machine_chosen_because(m), message));
    bx_machine_close(m);
}

static void what_stands_in_the_way(void **state)
{
    (void)state;
    folder f = folder_new();
    refused(&f, "the CPU of this machine is unknown", "the machine virtual:skl");
    put_cpuinfo(&f, "AuthenticAMD", 94);
    refused(&f, "(AuthenticAMD, family 6, model 0x5e) is not in the catalogue", "virtual:skl");
    put_cpuinfo(&f, "GenuineIntel", 94);
    refused(&f, "/dev/cpu/0/msr: No such file or directory", "virtual:skl");
    folder_msr(&f, 0, 0x10, 0);
    refused(&f, "tells of no CPU that is online", "virtual:skl");
    folder_text(&f, "/sys/devices/system/cpu/online", "0\n");
    refused(&f, "MSR_UNC_CBO_CONFIG cannot be read", "virtual:skl"); /* the file ends before it */
    folder_end(&f);
    f = client(5); /* CPU 0 is offline: its device does not exist and is not tried */
    folder_text(&f, "/sys/devices/system/cpu/online", "3-5\n");
    char path[96];
    snprintf(path, sizeof path, "%s/dev/cpu/0/msr", f.root);
    assert_int_equal(unlink(path), 0);
    refused(&f, "/dev/cpu/3/msr: No such file or directory", "virtual:skl");
    for (unsigned cpu = 4; cpu >= 3; cpu--) { /* one device is enough */
        folder_msr(&f, cpu, 0x396, 5);
        folder_msr(&f, cpu, 0xe02, 0);
        bx_machine *m = opened(&f);
        assert_int_equal(cboxes(m), 4);
        bx_machine_close(m);
    }
    folder_end(&f);
}

/* If a named helper does not answer, nothing is opened, not even a virtual machine. */
static void a_helper_is_insisted_on(void **state)
{
    (void)state;
    static const char *const specs[] = {NULL, "host"};
    for (size_t i = 0; i < 4; i++) {
        folder f = client(5);
        bx_machine *m = NULL;
        bx_error e = {0};
        put_cpuinfo(&f, "GenuineIntel", i < 2 ? 94 : 0xff);
        folder_text(&f, "/sys/bus/event_source/devices/uncore_arb/type", "30\n");
        const bx_machine_options o = {.size = sizeof o, .root = f.root, .helper = "/no/helper"};
        assert_int_not_equal(bx_machine_open_with(bx_catalog_builtin(), specs[i % 2], &o, &m, &e),
                             BX_OK);
        assert_null(m);
        if (!strstr(e.message,
                    i < 2 ? "no helper can be asked at '/no/helper'" : "is not in the catalogue"))
            fail_msg("%s", e.message);
        folder_end(&f);
    }
}

/* Opening pipes instead of files does not block. */
static void pipes(void **state)
{
    (void)state;
    static const char *const files[] = {"/proc/cpuinfo", "/sys/devices/system/cpu/online",
                                        "/dev/cpu/0/msr",
                                        "/sys/bus/event_source/devices/uncore_arb/type"};
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        folder f = client(5);
        char path[128];
        bx_machine *m = NULL;
        folder_text(&f, files[3], "30\n");
        snprintf(path, sizeof path, "%s%s", f.root, files[i]);
        assert_int_equal(unlink(path), 0);
        assert_int_equal(mkfifo(path, 0644), 0);
        const bx_machine_options o = {.size = sizeof o, .root = f.root};
        alarm(20);
        int rc = bx_machine_open_with(bx_catalog_builtin(), "host", &o, &m, NULL);
        alarm(0);
        assert_true(i == 3 ? rc == BX_OK : rc == BX_OK || rc == BX_NO_ACCESS);
        bx_machine_close(m);
        folder_end(&f);
    }
}

/* CPU 0 has no device, as in a container, so CPU 1 takes its place. A register log has the
 * requested CPU, so that a replay does not depend on this. */
static void recorded_is_what_was_asked(void **state)
{
    (void)state;
    char path[96], text[4096];
    uint64_t value = 0;
    folder f = client(5);
    snprintf(path, sizeof path, "%s/dev/cpu/0/msr", f.root);
    assert_int_equal(unlink(path), 0);
    folder_msr(&f, 1, 0x396, 5);
    folder_msr(&f, 1, 0x700, 0x123);
    folder_msr(&f, 1, 0xe02, 0);
    snprintf(path, sizeof path, "%s/register-log", f.root);
    const bx_address at = {.width = 64, .offset = 0x700};
    bx_machine_options o = {.size = sizeof o, .root = f.root, .log_registers = path};
    bx_machine *m = NULL;
    bx_error e = {0};
    if (bx_machine_open_with(bx_catalog_builtin(), "host", &o, &m, &e) != BX_OK)
        fail_msg("%s", e.message);
    assert_int_equal(bx_machine_bus(m)->read(bx_machine_bus(m), &at, &value), 0);
    assert_int_equal(value, 0x123);
    bx_machine_close(m);
    FILE *file = fopen(path, "r");
    assert_non_null(file);
    text[fread(text, 1, sizeof text - 1, file)] = '\0';
    fclose(file);
    assert_non_null(strstr(text, "\ncpu0 R 0x700 0x123 @"));
    assert_null(strstr(text, "cpu1"));
    o = (bx_machine_options){.size = sizeof o, .replay = path};
    assert_int_equal(bx_machine_open_with(bx_catalog_builtin(), NULL, &o, &m, &e), BX_OK);
    value = 0;
    assert_int_equal(bx_machine_bus(m)->read(bx_machine_bus(m), &at, &value), 0);
    assert_int_equal(value, 0x123);
    bx_machine_close(m);
    folder_end(&f);
}

static const bx_reading *only_reading(const bx_session *s)
{
    size_t n;
    const bx_reading *r = bx_session_readings(s, &n);
    assert_int_equal(n, 1);
    return r;
}

/* A plain file counts nothing. Its contents are restored, and the time is that of the program. */
static void a_program_is_timed(void **state)
{
    (void)state;
    folder f = client(5);
    folder_msr(&f, 0, 0x700, 0x123);
    bx_machine *m = opened(&f);
    bx_evsel event;
    bx_session *s = NULL;
    bx_error e = {0};
    static const char text[] = "skl_unc_cbo0::UNC_CBO_CACHE_LOOKUP:ANY_I";
    char *const argv[] = {(char[]){"sh"}, (char[]){"-c"}, (char[]){"sleep 0.05; exit 3"}, NULL};
    assert_int_equal(bx_event_parse(bx_catalog_builtin(), -1, text, strlen(text), &event, &e), 0);
    assert_int_equal(bx_session_open(m, &event, 1, NULL, &s, &e), BX_OK);
    assert_int_equal(bx_machine_load_program(m, argv, &e), BX_OK);
    assert_int_equal(bx_session_start(s, &e), BX_OK);
    assert_int_equal(folder_get(&f, "/dev/cpu/0/msr", 0x700) & 0xffff, 0x8834);
    bool done = false;
    assert_int_equal(bx_session_run(s, UINT64_MAX, &done, &e), BX_OK);
    assert_true(done);
    assert_int_equal(bx_session_stop(s, &e), BX_OK);
    assert_int_equal(bx_machine_exit_status(m), 3);
    const bx_reading *r = only_reading(s);
    assert_int_equal(r->state, BX_COUNTED);
    assert_int_equal(r->count, 0);
    assert_true(r->enabled >= 50000000);
    assert_int_equal(r->running, r->enabled);
    assert_int_equal(folder_get(&f, "/dev/cpu/0/msr", 0x700), 0x123);
    bx_session_close(s);
    bx_machine_close(m);
    folder_end(&f);
}

static void programs_that_cannot_be(void **state)
{
    (void)state;
    folder f = client(5);
    bx_machine *m = opened(&f);
    bx_error e = {0}, other = {0};
    char *const argv[] = {(char[]){"no-such-program"}, NULL};
    assert_int_equal(bx_machine_load_program(m, argv, &e), BX_NOT_FOUND);
    assert_int_equal(bx_machine_load_workload(m, "stream", &other), BX_NO_ACCESS);
    assert_string_equal(other.message, "only a virtual machine can be given a workload");
    bx_machine_close(m);
    folder_end(&f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(units_are_asked_of_a_register),
        cmocka_unit_test(units_of_cores_that_are_offline),
        cmocka_unit_test(threads_of_a_core_are_one),
        cmocka_unit_test(many_cpus),
        cmocka_unit_test(no_possible_machine),
        cmocka_unit_test(odd_lists),
        cmocka_unit_test(what_stands_in_the_way),
        cmocka_unit_test(a_helper_is_insisted_on),
        cmocka_unit_test(pipes),
        cmocka_unit_test(recorded_is_what_was_asked),
        cmocka_unit_test(a_program_is_timed),
        cmocka_unit_test(programs_that_cannot_be),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* Events counted by the host's kernel: how they are found, where they are counted, and their
 * values. The machine is a folder, the kernel a fake. */
#include "../cmocked.h"

#include "session/host_rig.h"

#include "host/pmus.h"
#include "machine/backend/backend.h"
#include "machine/kernel_events.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>

/* No register is needed, and there are none. */
static void a_box_on_each_unit(void **state)
{
    (void)state;
    host_rig r;
    host_rig_open(&r, host_rig_client(false), BX_DRIVER_AUTO);
    assert_null(bx_machine_bus(r.m));
    host_rig_opened(
        &r, "skl_unc_cbo::UNC_CBO_CACHE_LOOKUP:ANY_I,skl_unc_cbo2::UNC_CBO_CACHE_LOOKUP:ANY_I:"
            "e:t=3,DRAM_DATA_READS,UNC_CLOCK:SOCKET");
    assert_int_equal(bx_machine_units(r.m, r.events[0].pmu), 4);
    assert_int_equal(bx_session_start(r.s, &r.e), BX_OK);
    assert_int_equal(r.kernel.n, 4 + 1 + 1 + 1);
    for (int unit = 0; unit < 4; unit++)
        host_rig_opens(&r, unit, 20 + (unsigned)unit, 0x8834, 0);
    host_rig_opens(&r, 4, 22, 0x3048834, 0);
    host_rig_opens(&r, 5, 31, 1, 0);
    host_rig_opens(&r, 6, 20, 0xff, 0);
    assert_int_equal(r.kernel.all[4].group, FAKE_FD + 2); /* of the same C-Box */
    for (int i = 0; i < r.kernel.n; i++) {
        fake_counter *c = &r.kernel.all[i];
        assert_true(c->counts);
        c->count = 1000 + (uint64_t)i;
        c->enabled = c->running = 5000;
    }
    r.kernel.all[1].running = 2500; /* the kernel multiplexed this box, */
    r.kernel.all[3].running = 0;    /* and never counted this event */
    assert_int_equal(bx_session_sample(r.s, &r.e), BX_OK);
    const bx_reading *all = host_rig_readings(&r, 7);
    for (unsigned i = 0; i < 7; i++) {
        assert_int_equal(all[i].driver, BX_DRIVER_PERF);
        assert_int_equal(all[i].package, 0);
        assert_int_equal(all[i].count, 1000 + i);
        assert_int_equal(all[i].event, i < 4 ? 0 : i - 3);
        assert_int_equal(all[i].state, i == 1 ? BX_SCALED : i == 3 ? BX_NOT_MEASURED : BX_COUNTED);
    }
    assert_int_equal(all[2].unit, 2);
    assert_int_equal(all[4].unit, 2);
    assert_true(bx_reading_value(&all[1]) == 2002);
    assert_int_equal(bx_session_stop(r.s, &r.e), BX_OK);
    assert_false(r.kernel.all[0].counts);
    host_rig_end(&r);
}

/* The CPU of the mask that is in the package, and the PMU's terms for filters. */
static void each_package(void **state)
{
    (void)state;
    folder f = host_rig_cpu(0x3e, "0,12\n");
    folder_text(&f, "/sys/devices/system/cpu/cpu0/topology/physical_package_id", "0\n");
    folder_text(&f, "/sys/devices/system/cpu/cpu12/topology/physical_package_id", "3\n");
    for (unsigned i = 0; i < 2; i++) {
        char file[64];
        snprintf(file, sizeof file, "/sys/devices/system/cpu/cpu%u/topology/core_id", i * 12);
        folder_text(&f, file, "0\n");
        pmus_server_cbox(&f, i, 40 + i);
    }
    host_rig r;
    host_rig_open(&r, f, BX_DRIVER_AUTO);
    host_rig_opened(&r,
                    "ivbep_unc_cbo::UNC_C_TOR_INSERTS:MISS_OPCODE:OPC_DRD,ivbep_unc_cbo1@1::UNC_C_"
                    "CLOCKTICKS");
    assert_int_equal(bx_session_start(r.s, &r.e), BX_OK);
    assert_int_equal(r.kernel.n, 5);
    static const int cpus[] = {0, 0, 12, 12, 12};
    const bx_reading *all = host_rig_readings(&r, 5);
    for (int i = 0; i < 5; i++) {
        assert_int_equal(r.kernel.all[i].cpu, cpus[i]);
        assert_int_equal(all[i].package, cpus[i] / 12);
        assert_int_equal(all[i].unit, i < 4 ? i % 2 : 1);
    }
    host_rig_opens(&r, 3, 41, 0x0335, 12);
    assert_true(r.kernel.all[3].attr.config1 == UINT64_C(0x182) << 52);
    host_rig_opens(&r, 4, 41, 0, 12);
    host_rig_end(&r);
}

/* A sub-register is a term: bit 7 of M_MSR_PMU_DSP, the read queue is full (323535-001). */
static void registers_as_terms(void **state)
{
    (void)state;
    folder f = host_rig_cpu(0x2e, "0\n");
    pmus_mbox(&f, 0, 60);
    host_rig r;
    host_rig_open(&r, f, BX_DRIVER_AUTO);
    host_rig_opened(&r, "nhmex_unc_mbox0::DSP_FILL:RDQ_FULL");
    assert_int_equal(bx_session_start(r.s, &r.e), BX_OK);
    assert_int_equal(r.kernel.n, 1);
    host_rig_opens(&r, 0, 60, 1 << 6, 0);
    assert_int_equal(r.kernel.all[0].attr.config1, 0x80);
    host_rig_end(&r);
}

static unsigned driver_of(host_rig *r, const char *list, size_t event)
{
    host_rig_opened(r, list);
    size_t n;
    const bx_reading *all = bx_session_readings(r->s, &n);
    unsigned driver = BX_DRIVER_AUTO;
    for (size_t i = 0; i < n; i++)
        if (all[i].event == event)
            driver = all[i].driver;
    bx_session_close(r->s);
    r->s = NULL;
    return driver;
}

#define LOOKUP "skl_unc_cbo::UNC_CBO_CACHE_LOOKUP:ANY_I"

/* If kernel and registers can both count an event, the kernel does, unless it cannot express one.
 * All events that need programming then use one driver; free-running counters can use either. */
static void which_way(void **state)
{
    (void)state;
    host_rig r;
    host_rig_open(&r, host_rig_client(true), BX_DRIVER_AUTO);
    assert_int_equal(driver_of(&r, LOOKUP, 0), BX_DRIVER_PERF);
    static const char pinned[] =
        LOOKUP ",UNC_ARB_TRK_REQUESTS:ALL:counter=1,DRAM_DATA_READS,cpu-clock";
    assert_int_equal(driver_of(&r, pinned, 0), BX_DRIVER_REGISTERS);
    assert_int_equal(driver_of(&r, pinned, 1), BX_DRIVER_REGISTERS);
    assert_int_equal(driver_of(&r, pinned, 2), BX_DRIVER_PERF);
    assert_int_equal(driver_of(&r, pinned, 3), BX_DRIVER_PERF);
    /* Terms that only the kernel has, and a counter that only we can choose */
    assert_int_equal(
        host_rig_session(&r, "uncore_cbox_1/event=0x34,config2=1/," LOOKUP ":counter=1", NULL),
        BX_NO_FIT);
    assert_non_null(strstr(r.e.message, "the kernel counts this, boxscore another event"));
    assert_int_equal(r.e.len, strlen("uncore_cbox_1/event=0x34,config2=1/"));
    host_rig_end(&r);
    host_rig_open(&r, host_rig_client(true), BX_DRIVER_AUTO);
    ((bx_host *)(uintptr_t)r.m->backend->host)->helper_required = true; /* a helper was named */
    assert_int_equal(driver_of(&r, LOOKUP ",cpu-clock", 0), BX_DRIVER_REGISTERS);
    assert_int_equal(driver_of(&r, LOOKUP ",cpu-clock", 1), BX_DRIVER_PERF);
    host_rig_end(&r);
    host_rig_open(&r, host_rig_client(true), BX_DRIVER_REGISTERS);
    assert_int_equal(driver_of(&r, LOOKUP, 0), BX_DRIVER_REGISTERS);
    assert_int_equal(host_rig_session(&r, LOOKUP ",cpu-clock", NULL), BX_NO_FIT);
    assert_non_null(strstr(r.e.message, "'cpu-clock' is counted by the kernel"));
    assert_int_equal(r.e.at, strlen(LOOKUP ","));
    assert_int_equal(r.e.len, strlen("cpu-clock"));
    host_rig_end(&r);
    host_rig_open(&r, host_rig_client(true), BX_DRIVER_PERF);
    assert_null(bx_machine_bus(r.m));
    assert_int_equal(driver_of(&r, LOOKUP, 0), BX_DRIVER_PERF);
    assert_int_equal(host_rig_session(&r, LOOKUP ":counter=0", NULL), BX_NO_ACCESS);
    assert_non_null(strstr(r.e.message, "perf_event cannot count"));
    host_rig_end(&r);
}

/* A PMU that the kernel does not show, without registers: the message has both reasons. */
static void no_way(void **state)
{
    (void)state;
    folder f = host_rig_cpu(0x5e, "0-3\n");
    pmus_client_cbox(&f, 0, 20);
    host_rig r;
    host_rig_open(&r, f, BX_DRIVER_AUTO);
    assert_int_equal(bx_machine_units(r.m, 0), 1);
    assert_int_equal(host_rig_session(&r, "UNC_ARB_TRK_REQUESTS:ALL", NULL), BX_NO_ACCESS);
    if (!strstr(r.e.message, "no PMU 'uncore_arb'") || !strstr(r.e.message, "to its registers"))
        fail_msg("%s", r.e.message);
    assert_int_equal(r.e.len, strlen("UNC_ARB_TRK_REQUESTS:ALL"));
    host_rig_end(&r);
}

/* PMUs of a folder have another kernel's numbers. Software events of a program are counted on this
 * kernel. */
static void another_machine_s_kernel(void **state)
{
    (void)state;
    host_rig r;
    host_rig_open(&r, host_rig_client(true), BX_DRIVER_AUTO);
    bx_machine_perf(r.m)->foreign = true;
    assert_int_equal(driver_of(&r, LOOKUP ",cpu-clock", 0), BX_DRIVER_REGISTERS);
    assert_int_equal(driver_of(&r, LOOKUP ",cpu-clock", 1), BX_DRIVER_PERF);
    assert_int_equal(host_rig_session(&r, "uncore_imc/data_reads,name=x,config2=1/", NULL),
                     BX_NO_ACCESS);
    assert_non_null(strstr(r.e.message, "kernel of another machine"));
    host_rig_end(&r);
}

static int no_arb(const fake_kernel *k, const struct perf_event_attr *attr, pid_t pid, int cpu,
                  int group)
{
    (void)k;
    (void)pid;
    (void)cpu;
    (void)group;
    return attr->type == 30 ? EACCES : 0;
}

static void what_the_kernel_refuses(void **state)
{
    (void)state;
    host_rig r;
    host_rig_open(&r, host_rig_client(false), BX_DRIVER_AUTO);
    r.kernel.refuse = no_arb;
    host_rig_opened(&r, "skl_unc_cbo0::UNC_CBO_CACHE_LOOKUP:ANY_I,UNC_ARB_TRK_REQUESTS:ALL");
    assert_int_equal(bx_session_start(r.s, &r.e), BX_OK);
    assert_non_null(bx_session_trouble(r.s));
    assert_non_null(strstr(bx_session_trouble(r.s)->message, "UNC_ARB_TRK_REQUESTS"));
    assert_int_equal(host_rig_readings(&r, 2)[1].state, BX_BLOCKED);
    assert_int_equal(bx_session_stop(r.s, &r.e), BX_OK);
    assert_int_equal(host_rig_readings(&r, 2)[1].state, BX_BLOCKED);
    host_rig_end(&r);
    host_rig_open(&r, host_rig_client(false), BX_DRIVER_AUTO);
    r.kernel.refuse = no_arb;
    host_rig_opened(&r, " UNC_ARB_TRK_REQUESTS:ALL");
    assert_int_equal(bx_session_start(r.s, &r.e), BX_NO_ACCESS);
    assert_int_equal(r.e.at, 1);
    host_rig_end(&r);
    /* A group with more events than the box has counters */
    host_rig_open(&r, host_rig_client(false), BX_DRIVER_AUTO);
    r.kernel.room = 2;
    host_rig_opened(
        &r, "{skl_unc_cbo0::UNC_CBO_CACHE_LOOKUP:ANY_I,skl_unc_cbo0::UNC_CBO_CACHE_LOOKUP:ANY_M,"
            "skl_unc_cbo0::UNC_CBO_CACHE_LOOKUP:ANY_ES}");
    assert_int_equal(bx_session_start(r.s, &r.e), BX_NO_FIT);
    assert_non_null(strstr(r.e.message, "beside the rest of its group"));
    host_rig_end(&r);
}

/* Registers and the kernel in one measurement: each reading has its own driver and time. */
static void both_at_once(void **state)
{
    (void)state;
    host_rig r;
    char *const argv[] = {(char[]){"true"}, NULL};
    host_rig_open(&r, host_rig_client(true), BX_DRIVER_AUTO);
    bx_machine_perf(r.m)->foreign = true;
    host_rig_opened(&r, "cpu-clock,skl_unc_cbo0::UNC_CBO_CACHE_LOOKUP:ANY_I");
    assert_int_equal(bx_machine_load_program(r.m, argv, &r.e), BX_OK);
    assert_int_equal(bx_session_start(r.s, &r.e), BX_OK);
    assert_int_equal(folder_get(&r.f, "/dev/cpu/0/msr", 0x700) & 0xffff, 0x8834);
    assert_int_equal(r.kernel.n, 1);
    assert_true(r.kernel.all[0].pid > 0);
    assert_int_equal(r.kernel.all[0].attr.enable_on_exec, 1);
    r.kernel.all[0].count = 42;
    r.kernel.all[0].enabled = r.kernel.all[0].running = 43;
    bool done = false;
    assert_int_equal(bx_session_run(r.s, UINT64_MAX, &done, &r.e), BX_OK);
    assert_int_equal(bx_session_stop(r.s, &r.e), BX_OK);
    const bx_reading *all = host_rig_readings(&r, 2);
    assert_int_equal(all[0].driver, BX_DRIVER_PERF);
    assert_int_equal(all[0].unit, BX_PROGRAM);
    assert_int_equal(all[0].count, 42);
    assert_int_equal(all[0].enabled, 43);
    assert_int_equal(all[1].driver, BX_DRIVER_REGISTERS);
    assert_int_equal(all[1].state, BX_COUNTED);
    host_rig_end(&r);
}

/* A machine whose CPU is not in the catalogue: only its kernel's events. */
static void an_unknown_cpu(void **state)
{
    (void)state;
    folder f = host_rig_cpu(0x8f, "0-3\n");
    pmus_put(&f, "uncore_imc_0", "type", "20");
    pmus_put(&f, "uncore_imc_0", "cpumask", "0");
    pmus_put(&f, "uncore_imc_0", "format/event", "config:0-7");
    pmus_put(&f, "uncore_imc_0", "events/reads", "event=4");
    host_rig r;
    host_rig_open(&r, f, BX_DRIVER_AUTO);
    assert_int_equal(bx_machine_cpu(r.m), -1);
    assert_int_equal(bx_machine_units(r.m, 0), 0);
    host_rig_opened(&r, "uncore_imc_0/reads/,page-faults");
    char name[64];
    bx_machine_event_format(r.m, &r.events[0], name, sizeof name);
    assert_string_equal(name, "uncore_imc_0/reads/");
    assert_int_equal(bx_session_start(r.s, &r.e), BX_OK);
    host_rig_opens(&r, 0, 20, 4, 0);
    host_rig_opens(&r, 1, 1, 2, -1);
    assert_int_equal(bx_machine_events_parse(r.m, LOOKUP, r.events, HOST_RIG_EVENTS, &r.n, &r.e),
                     BX_NO_ACCESS);
    assert_non_null(strstr(r.e.message, "this machine's uncore is not in the catalogue"));
    assert_non_null(strstr(r.e.hint, "the kernel offers uncore_imc_0"));
    host_rig_end(&r);
}

/* A kernel's selections have no meaning elsewhere. */
static void on_a_virtual_machine(void **state)
{
    (void)state;
    const bx_evsel event = {.pmu = BX_KERNEL, .unit = BX_ANY, .package = BX_ANY};
    bx_machine *m = NULL;
    bx_session *s = NULL;
    bx_error e = {0};
    char name[8];
    assert_int_equal(bx_machine_open(bx_catalog_builtin(), "virtual:skl,part=plain", &m, &e),
                     BX_OK);
    assert_int_equal(bx_session_open(m, &event, 1, NULL, &s, &e), BX_BAD_INPUT);
    assert_int_equal(bx_machine_event_format(m, &event, name, sizeof name), 0);
    bx_machine_close(m);
}

/* ---- the real kernel ---- */

enum { PAGES = 1000, PAGE = 4096 };

/* Without a program, the calling thread is counted: the first touch of each page is a fault. */
static void ourselves(void **state)
{
    (void)state;
    bx_machine *m = NULL;
    bx_session *s = NULL;
    bx_error e = {0};
    bx_evsel events[2];
    size_t n;
    if (bx_machine_open(bx_catalog_builtin(), "host", &m, &e) != BX_OK) {
        print_message("%s\n", e.message); /* a container without perf_event */
        skip();
    }
    assert_int_equal(bx_machine_events_parse(m, "page-faults:u,task-clock:u", events, 2, &n, &e),
                     BX_OK);
    assert_int_equal(bx_session_open(m, events, n, NULL, &s, &e), BX_OK);
    volatile char *pages =
        mmap(NULL, PAGES * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    assert_true(pages != MAP_FAILED);
    madvise((void *)(uintptr_t)pages, PAGES * PAGE, MADV_NOHUGEPAGE);
    if (bx_session_start(s, &e) == BX_OK) {
        for (size_t i = 0; i < PAGES; i++)
            pages[i * PAGE] = 1;
        assert_int_equal(bx_session_sample(s, &e), BX_OK);
        const bx_reading *all = bx_session_readings(s, &n);
        assert_int_equal(n, 2);
        assert_int_equal(all[0].state, BX_COUNTED);
        assert_in_range(all[0].count, PAGES, PAGES + PAGES / 2); /* a sanitizer has shadow memory */
        uint64_t time = all[1].count;
        assert_true(time > 0);
        assert_int_equal(bx_session_stop(s, &e), BX_OK);
        assert_true(all[1].count >= time);
    } else {
        print_message("%s\n", e.message);
    }
    munmap((void *)(uintptr_t)pages, PAGES * PAGE);
    bx_session_close(s);
    bx_machine_close(m);
}

/* A counter that the kernel no longer reads is blocked, with the reason. */
static void a_counter_that_goes_away(void **state)
{
    (void)state;
    host_rig r;
    host_rig_open(&r, host_rig_client(false), BX_DRIVER_AUTO);
    host_rig_opened(&r, "UNC_CLOCK:SOCKET");
    assert_int_equal(bx_session_start(r.s, &r.e), BX_OK);
    r.kernel.short_reads = true;
    assert_int_equal(bx_session_sample(r.s, &r.e), BX_OK);
    assert_int_equal(host_rig_readings(&r, 1)->state, BX_BLOCKED);
    const bx_error *trouble = bx_session_trouble(r.s);
    assert_string_equal(trouble->message,
                        "'skl_unc_clock::UNC_CLOCK:SOCKET' cannot be read any more: "
                        "Input/output error");
    assert_int_equal(trouble->len, strlen("UNC_CLOCK:SOCKET"));
    host_rig_end(&r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_box_on_each_unit),
        cmocka_unit_test(each_package),
        cmocka_unit_test(registers_as_terms),
        cmocka_unit_test(which_way),
        cmocka_unit_test(no_way),
        cmocka_unit_test(another_machine_s_kernel),
        cmocka_unit_test(what_the_kernel_refuses),
        cmocka_unit_test(both_at_once),
        cmocka_unit_test(an_unknown_cpu),
        cmocka_unit_test(on_a_virtual_machine),
        cmocka_unit_test(ourselves),
        cmocka_unit_test(a_counter_that_goes_away),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

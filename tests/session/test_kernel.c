/* Events counted by the host's kernel: how they are found, where they are counted, and their
 * values. The machine is a folder, the kernel a fake. */
#include "../cmocked.h"

#include "session/host_rig.h"

#include "host/pmus.h"
#include "host/host.h"
#include "machine/backend/backend.h"
#include "machine/cgroup.h"
#include "machine/kernel_events.h"
#include "measure/numbers.h"
#include "perfmon/perfmon.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

static int open_session(host_rig *r, const char *list)
{
    return host_rig_session(r, list, NULL);
}

static void opened(host_rig *r, const char *list)
{
    if (open_session(r, list) != BX_OK)
        fail_msg("%s: %s", list, r->e.message);
}

/* No register is needed, and there are none. */
static void a_box_on_each_unit(void **state)
{
    (void)state;
    host_rig r;
    host_rig_open(&r, host_rig_client(false), BX_DRIVER_AUTO);
    assert_null(bx_machine_bus(r.m));
    opened(&r, "skl_unc_cbo::UNC_CBO_CACHE_LOOKUP:ANY_I,skl_unc_cbo2::UNC_CBO_CACHE_LOOKUP:ANY_I:"
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
    opened(&r, "ivbep_unc_cbo::UNC_C_TOR_INSERTS:MISS_OPCODE:OPC_DRD,ivbep_unc_cbo1@1::UNC_C_"
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
    opened(&r, "nhmex_unc_mbox0::DSP_FILL:RDQ_FULL");
    assert_int_equal(bx_session_start(r.s, &r.e), BX_OK);
    assert_int_equal(r.kernel.n, 1);
    host_rig_opens(&r, 0, 60, 1 << 6, 0);
    assert_int_equal(r.kernel.all[0].attr.config1, 0x80);
    host_rig_end(&r);
}

static unsigned driver_of(host_rig *r, const char *list, size_t event)
{
    opened(r, list);
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
    assert_int_equal(open_session(&r, "uncore_cbox_1/event=0x34,config2=1/," LOOKUP ":counter=1"),
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
    assert_int_equal(open_session(&r, LOOKUP ",cpu-clock"), BX_NO_FIT);
    assert_non_null(strstr(r.e.message, "'cpu-clock' is counted by the kernel"));
    assert_int_equal(r.e.at, strlen(LOOKUP ","));
    assert_int_equal(r.e.len, strlen("cpu-clock"));
    host_rig_end(&r);
    host_rig_open(&r, host_rig_client(true), BX_DRIVER_PERF);
    assert_null(bx_machine_bus(r.m));
    assert_int_equal(driver_of(&r, LOOKUP, 0), BX_DRIVER_PERF);
    assert_int_equal(open_session(&r, LOOKUP ":counter=0"), BX_NO_ACCESS);
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
    assert_int_equal(open_session(&r, "UNC_ARB_TRK_REQUESTS:ALL"), BX_NO_ACCESS);
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
    assert_int_equal(open_session(&r, "uncore_imc/data_reads,name=x,config2=1/"), BX_NO_ACCESS);
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
    opened(&r, "skl_unc_cbo0::UNC_CBO_CACHE_LOOKUP:ANY_I,UNC_ARB_TRK_REQUESTS:ALL");
    assert_int_equal(bx_session_start(r.s, &r.e), BX_OK);
    assert_non_null(bx_session_trouble(r.s));
    assert_non_null(strstr(bx_session_trouble(r.s)->message, "UNC_ARB_TRK_REQUESTS"));
    assert_int_equal(host_rig_readings(&r, 2)[1].state, BX_BLOCKED);
    assert_int_equal(bx_session_stop(r.s, &r.e), BX_OK);
    assert_int_equal(host_rig_readings(&r, 2)[1].state, BX_BLOCKED);
    host_rig_end(&r);
    host_rig_open(&r, host_rig_client(false), BX_DRIVER_AUTO);
    r.kernel.refuse = no_arb;
    opened(&r, " UNC_ARB_TRK_REQUESTS:ALL");
    assert_int_equal(bx_session_start(r.s, &r.e), BX_NO_ACCESS);
    assert_int_equal(r.e.at, 1);
    host_rig_end(&r);
    /* A group with more events than the box has counters */
    host_rig_open(&r, host_rig_client(false), BX_DRIVER_AUTO);
    r.kernel.room = 2;
    opened(&r, "{skl_unc_cbo0::UNC_CBO_CACHE_LOOKUP:ANY_I,skl_unc_cbo0::UNC_CBO_CACHE_LOOKUP:ANY_M,"
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
    opened(&r, "cpu-clock,skl_unc_cbo0::UNC_CBO_CACHE_LOOKUP:ANY_I");
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
    opened(&r, "uncore_imc_0/reads/,page-faults");
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
    opened(&r, "UNC_CLOCK:SOCKET");
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

/* ---- running processes, and chosen CPUs ---- */

static void *forever(void *unused)
{
    (void)unused;
    for (;;)
        pause();
    return NULL;
}

/* Events that would follow the program are counted on each CPU; events outside the cores as
 * usual. */
static void on_cpus(void **state)
{
    (void)state;
    static const uint16_t cpus[] = {1, 2};
    const bx_session_options o = {.size = sizeof o, .cpus = cpus, .cpus_n = 2};
    host_rig r;
    host_rig_open(&r, host_rig_threads(), BX_DRIVER_AUTO);
    assert_int_equal(host_rig_session(&r, "cpu-clock,UNC_CLOCK:SOCKET", &o), BX_OK);
    assert_int_equal(bx_session_start(r.s, &r.e), BX_OK);
    const bx_reading *all = host_rig_readings(&r, 3);
    for (int i = 0; i < 2; i++) {
        host_rig_opens(&r, i, 1, 0, cpus[i]);
        assert_int_equal(r.kernel.all[i].pid, -1);
        assert_false(r.kernel.all[i].attr.inherit);
        assert_true(r.kernel.all[i].counts);
        assert_int_equal(all[i].on_cpu, cpus[i] + 1);
        assert_int_equal(all[i].unit, cpus[i] % 2); /* the core */
        assert_int_equal(all[i].package, 0);
    }
    assert_int_equal(all[2].on_cpu, 0);
    assert_int_equal(r.kernel.all[2].cpu, 0); /* of the cpumask */
    host_rig_end(&r);
    static const uint16_t missing[] = {7};
    const bx_session_options bad = {.size = sizeof bad, .cpus = missing, .cpus_n = 1};
    host_rig_open(&r, host_rig_threads(), BX_DRIVER_AUTO);
    assert_int_equal(host_rig_session(&r, "cpu-clock", &bad), BX_NO_ACCESS);
    assert_string_equal(r.e.message, "CPU 7 is not online");
    host_rig_end(&r);
}

/* What a cgroup runs on each CPU: not what everybody causes outside the cores. */
static void of_a_cgroup(void **state)
{
    (void)state;
    static const uint16_t cpus[] = {1, 2};
    const bx_session_options o = {
        .size = sizeof o, .cpus = cpus, .cpus_n = 2, .skip_unsupported = true};
    char mounts[256];
    host_rig r;
    folder f = host_rig_threads();
    snprintf(mounts, sizeof mounts,
             "none /sys/fs/cgroup/cpu cgroup rw,cpu 0 0\nnone %s/cg cgroup2 rw 0 0\n", f.root);
    folder_text(&f, "/proc/self/mounts", mounts);
    folder_text(&f, "/cg/shop/web/cgroup.procs", "");
    host_rig_open(&r, f, BX_DRIVER_AUTO);
    assert_int_equal(bx_machine_attach_cgroup(r.m, BX_STR("shop/tills"), &r.e), BX_NOT_FOUND);
    assert_non_null(strstr(r.e.message, "cg/shop/tills"));
    r.e = (bx_error){0};
    assert_int_equal(bx_machine_attach_cgroup(r.m, BX_STR(""), &r.e), BX_BAD_INPUT);
    assert_string_equal(r.e.message, "the name of a cgroup is missing");
    r.e = (bx_error){0};
    size_t n;
    bx_machine_cgroups(r.m, &n);
    assert_int_equal(n, 0);
    assert_int_equal(bx_machine_attach_cgroup(r.m, BX_STR("/shop/web"), &r.e), BX_OK);
    int web = bx_machine_cgroups(r.m, &n)[0];
    assert_int_equal(n, 1);
    struct stat there, opened;
    snprintf(mounts, sizeof mounts, "%s/cg/shop/web", f.root);
    assert_int_equal(stat(mounts, &there), 0);
    assert_int_equal(fstat(web, &opened), 0);
    assert_int_equal(there.st_ino, opened.st_ino);
    assert_int_equal(host_rig_session(&r, "cpu-clock,UNC_CLOCK:SOCKET", &o), BX_OK);
    assert_int_equal(bx_session_start(r.s, &r.e), BX_OK);
    const bx_reading *all = host_rig_readings(&r, 3);
    assert_int_equal(r.kernel.n, 2);
    for (int i = 0; i < 2; i++) {
        host_rig_opens(&r, i, 1, 0, cpus[i]);
        assert_true(r.kernel.all[i].of_cgroup);
        assert_int_equal(r.kernel.all[i].pid, web);
    }
    r.kernel.all[0].count = 5;
    r.kernel.all[0].enabled = r.kernel.all[0].running = 9;
    assert_int_equal(bx_session_sample(r.s, &r.e), BX_OK);
    assert_int_equal(all[0].state, BX_COUNTED);
    assert_int_equal(all[0].count, 5);
    assert_int_equal(all[1].state, BX_COUNTED); /* it did not run there: 0 is its count */
    assert_int_equal(all[1].count, 0);
    assert_int_equal(all[2].state, BX_NOT_SUPPORTED);
    host_rig_end(&r);
    host_rig_open(&r, host_rig_threads(), BX_DRIVER_AUTO);
    assert_int_equal(bx_machine_attach_cgroup(r.m, BX_STR("shop"), &r.e), BX_NO_ACCESS);
    assert_string_equal(r.e.message, "no cgroups are mounted that perf_event knows");
    host_rig_end(&r);
    bx_machine *imitated;
    bx_error e = {0};
    assert_int_equal(bx_machine_open(bx_catalog_builtin(), "virtual:skl", &imitated, &e), BX_OK);
    assert_int_equal(bx_machine_attach_cgroup(imitated, BX_STR("shop"), &e), BX_NO_ACCESS);
    assert_string_equal(e.message, "only this host's own kernel counts a cgroup");
    bx_machine_close(imitated);
}

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
    assert_int_equal(host_rig_session(&r, "resctrl/llc_occupancy/", NULL), BX_OK);
    assert_int_equal(bx_session_start(r.s, &r.e), BX_OK);
    assert_int_equal(bx_session_sample(r.s, &r.e), BX_OK);
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
    rig r;
    folder f = folder_new();
    folder_text(&f, "/proc/cpuinfo",
                "processor : 0\nvendor_id : GenuineIntel\ncpu family : 6\nmodel : 94\n"
                "stepping : 3\n\n");
    folder_text(&f, "/sys/devices/system/cpu/cpu0/topology/physical_package_id", "0\n");
    folder_text(&f, "/sys/devices/system/cpu/cpu0/topology/core_id", "0\n");
    folder_text(&f, "/sys/devices/system/cpu/online", "0\n");
    folder_text(&f, "/sys/fs/resctrl/mon_data/mon_L3_00/llc_occupancy", "64\n");
    open_machine(&r, f, BX_DRIVER_AUTO);
    assert_int_equal(open_with(&r, "resctrl/llc_occupancy/", NULL), BX_OK);
    assert_int_equal(bx_session_start(r.s, &r.e), BX_OK);
    assert_int_equal(bx_session_sample(r.s, &r.e), BX_OK);
    assert_int_equal(readings(&r, 1)->state, BX_COUNTED);
    assert_int_equal(readings(&r, 1)->count, 64);
    end(&r);
}

/* A file that is gone, as with its group, is no event that the machine lacks, and no matter of
 * perf_event: the message names it. */
static void of_a_file_that_is_gone(void **state)
{
    (void)state;
    static const char path[] = "/sys/fs/resctrl/mon_groups/web/mon_data/mon_L3_00/llc_occupancy";
    const bx_session_options o = {.size = sizeof o, .skip_unsupported = true};
    rig r;
    folder f = with_threads();
    folder_text(&f, path, "64\n");
    open_machine(&r, f, BX_DRIVER_AUTO);
    assert_int_equal(open_with(&r, "resctrl/llc_occupancy,group=web/", &o), BX_OK);
    char whole[160], expected[240];
    snprintf(whole, sizeof whole, "%s%s", r.f.root, path);
    assert_int_equal(remove(whole), 0);
    assert_int_equal(bx_session_start(r.s, &r.e), BX_NOT_FOUND);
    assert_int_equal(readings(&r, 1)[0].state, BX_BLOCKED);
    snprintf(expected, sizeof expected, "'%s' cannot be read: No such file or directory", whole);
    assert_string_equal(r.e.message, expected);
    snprintf(expected, sizeof expected, "its group may be gone: ls -l %s", whole);
    assert_string_equal(r.e.hint, expected);
    end(&r);
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
        rig r;
        folder f = with_threads();
        folder_text(&f, path, of[i].first);
        open_machine(&r, f, BX_DRIVER_AUTO);
        assert_int_equal(open_with(&r, "resctrl/mbm_total_bytes/", NULL), BX_OK);
        assert_int_equal(bx_session_start(r.s, &r.e), BX_OK);
        folder_text(&r.f, path, of[i].then);
        assert_int_equal(bx_session_sample(r.s, &r.e), BX_OK);
        assert_int_equal(readings(&r, 1)->state, BX_BLOCKED);
        const bx_error *trouble = bx_session_trouble(r.s);
        assert_string_equal(trouble->message, of[i].message);
        assert_non_null(strstr(trouble->hint, of[i].hint));
        assert_int_equal(trouble->len, strlen("resctrl/mbm_total_bytes/"));
        end(&r);
    }
}

/* Each event on each CPU for each cgroup. Those of one cgroup and CPU are read together, and never
 * with those of another one. */
static void of_cgroups(void **state)
{
    (void)state;
    static const uint16_t cpus[] = {1, 2};
    const bx_session_options o = {.size = sizeof o, .cpus = cpus, .cpus_n = 2};
    char mounts[256];
    host_rig r;
    size_t n;
    folder f = host_rig_threads();
    snprintf(mounts, sizeof mounts, "none %s/cg cgroup2 rw 0 0\n", f.root);
    folder_text(&f, "/proc/self/mounts", mounts);
    folder_text(&f, "/cg/web/cgroup.procs", "");
    folder_text(&f, "/cg/till/cgroup.procs", "");
    host_rig_open(&r, f, BX_DRIVER_AUTO);
    assert_int_equal(bx_machine_attach_cgroup(r.m, BX_STR("web"), &r.e), BX_OK);
    assert_int_equal(bx_machine_attach_cgroup(r.m, BX_STR("till"), &r.e), BX_OK);
    const int *folders = bx_machine_cgroups(r.m, &n);
    assert_int_equal(n, 2);
    assert_int_equal(host_rig_session(&r, "cpu-clock,page-faults", &o), BX_OK);
    assert_int_equal(bx_session_start(r.s, &r.e), BX_OK);
    const bx_reading *all = host_rig_readings(&r, 8);
    for (int i = 0; i < 8; i++) {
        assert_int_equal(all[i].event, i / 4);
        assert_int_equal(all[i].on_cpu, 1 + cpus[i / 2 % 2]);
        assert_int_equal(all[i].cgroup, 1 + i % 2);
        assert_int_equal(r.kernel.all[i].cpu, cpus[i / 2 % 2]);
        assert_int_equal(r.kernel.all[i].pid, folders[i % 2]);
        assert_int_equal(r.kernel.all[i].group, i < 4 ? -1 : FAKE_FD + i - 4);
        r.kernel.all[i].count = 100 + (uint64_t)i;
        r.kernel.all[i].enabled = r.kernel.all[i].running = 9;
    }
    assert_int_equal(bx_session_sample(r.s, &r.e), BX_OK);
    for (int i = 0; i < 8; i++)
        assert_int_equal(all[i].count, 100 + i);
    host_rig_end(&r);
}

/* A child with a thread besides its first is waited for; both are counted. */
static void of_a_process(void **state)
{
    (void)state;
    int ready[2];
    assert_int_equal(pipe(ready), 0);
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        pthread_t thread;
        pthread_create(&thread, NULL, forever, NULL);
        (void)!write(ready[1], "", 1);
        for (;;)
            pause();
    }
    char byte;
    assert_int_equal(read(ready[0], &byte, 1), 1);
    host_rig r;
    host_rig_open(&r, host_rig_client(false), BX_DRIVER_AUTO);
    assert_int_equal(bx_machine_attach(r.m, &child, 1, false, &r.e), BX_OK);
    assert_int_equal(host_rig_session(&r, "cpu-clock,UNC_CLOCK:SOCKET", NULL), BX_OK);
    assert_int_equal(bx_session_start(r.s, &r.e), BX_OK);
    const bx_reading *all = host_rig_readings(&r, 3);
    assert_int_equal(r.kernel.all[0].pid, child);
    assert_int_equal(all[0].thread, child); /* in the order of their numbers */
    assert_true(all[1].thread > 0 && all[1].thread != (uint32_t)child);
    assert_int_equal(r.kernel.all[1].pid, all[1].thread);
    assert_int_equal(all[2].thread, 0);
    for (int i = 0; i < 2; i++) {
        assert_int_equal(r.kernel.all[i].cpu, -1);
        assert_int_equal(r.kernel.all[i].group, -1);
        assert_true(r.kernel.all[i].attr.inherit); /* its later children count, too */
        assert_true(r.kernel.all[i].counts);       /* at once */
        assert_false(r.kernel.all[i].attr.enable_on_exec);
    }
    bool done = true;
    assert_int_equal(bx_session_run(r.s, bx_machine_now(r.m) + 1000, &done, &r.e), BX_OK);
    assert_false(done);
    kill(child, SIGKILL);
    assert_int_equal(bx_session_run(r.s, UINT64_MAX, &done, &r.e), BX_OK);
    assert_true(done);
    assert_int_equal(bx_session_sample(r.s, &r.e), BX_OK);
    assert_int_equal(all[0].state, BX_COUNTED); /* it never ran: 0 is its count */
    host_rig_end(&r);
    waitpid(child, NULL, 0);
    close(ready[0]);
    close(ready[1]);
    host_rig_open(&r, host_rig_client(false), BX_DRIVER_AUTO);
    assert_int_equal(bx_machine_attach(r.m, &child, 1, false, &r.e), BX_NOT_FOUND);
    assert_int_equal(bx_machine_attach(r.m, &child, 1, true, NULL), BX_NOT_FOUND);
    host_rig_end(&r);
}

static int lacks(const fake_kernel *k, const struct perf_event_attr *attr, pid_t pid, int cpu,
                 int group)
{
    (void)k;
    (void)pid;
    (void)cpu;
    (void)group;
    return attr->type == 30 ? ENOENT : attr->type == 31 ? EACCES : 0;
}

/* Events that the machine lacks are left out, and the others are counted. all: an error instead. */
static void not_supported(void **state)
{
    (void)state;
    const bx_session_options o = {.size = sizeof o, .skip_unsupported = true};
    host_rig r;
    host_rig_open(&r, host_rig_client(false), BX_DRIVER_AUTO);
    r.kernel.refuse = lacks;
    assert_int_equal(
        host_rig_session(
            &r, "UNC_ARB_TRK_REQUESTS:ALL,cpu-clock,DRAM_DATA_READS," LOOKUP ":counter=1", &o),
        BX_OK);
    assert_int_equal(bx_session_start(r.s, &r.e), BX_OK);
    const bx_reading *all = host_rig_readings(&r, 4);
    assert_int_equal(all[0].state, BX_NOT_SUPPORTED); /* the kernel's answer */
    assert_non_null(strstr(bx_session_unsupported(r.s, 0)->message, "UNC_ARB_TRK_REQUESTS"));
    assert_null(bx_session_unsupported(r.s, 1));
    assert_int_equal(all[2].state, BX_BLOCKED);       /* rights that can be had */
    assert_int_equal(all[3].state, BX_NOT_SUPPORTED); /* it needs registers, and there are none */
    assert_int_equal(all[3].unit, BX_PROGRAM);
    assert_non_null(strstr(bx_session_unsupported(r.s, 3)->message, "cannot be counted"));
    assert_int_equal(bx_session_sample(r.s, &r.e), BX_OK);
    assert_int_equal(all[0].state, BX_NOT_SUPPORTED);
    assert_int_equal(bx_session_stop(r.s, &r.e), BX_OK);
    host_rig_end(&r);
    host_rig_open(&r, host_rig_client(false), BX_DRIVER_AUTO);
    assert_int_equal(host_rig_session(&r, " " LOOKUP ":counter=1", &o), BX_NO_ACCESS);
    assert_int_equal(r.e.at, 1);
    host_rig_end(&r);
    /* The same without the option */
    host_rig_open(&r, host_rig_client(false), BX_DRIVER_AUTO);
    assert_int_equal(open_session(&r, "cpu-clock," LOOKUP ":counter=1"), BX_NO_ACCESS);
    host_rig_end(&r);
}

/* ---- imported events ---- */

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
    static const bx_cat_id id = {6, 0x8f};
    static const bx_perfmon_file file = {.name = {"events", 6},
                                         .text = {events, sizeof events - 1}};
    const bx_perfmon_cpu cpu = {.folder = {"spr", 3},
                                .ids = &id,
                                .ids_n = 1,
                                .files = &file,
                                .files_n = 1,
                                .builtin = bx_catalog_builtin(),
                                .builtin_cpu = -1};
    bx_perfmon_counts counts;
    const bx_perfmon_file *at_fault;
    bx_error e = {0};
    bx_buf refusals = {0};
    struct bx_catalog *c = bx_perfmon_compile(&cpu, &counts, &refusals, &at_fault, &e);
    bx_buf_free(&refusals);
    if (!c)
        fail_msg("%s", e.message);
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
    opened(&r, "UNC_CHA_WIDE,UNC_U_EVENT,TOPDOWN.SLOTS,spr_unc_cha1::UNC_CHA_WIDE:e=1");
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
    opened(&r, "UNC_CHA_WIDE,spr_unc_cha1@1::UNC_CHA_WIDE");
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
        assert_int_equal(open_session(&r, list[i][0]), BX_NO_ACCESS);
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
        cmocka_unit_test(on_cpus),
        cmocka_unit_test(of_a_cgroup),
        cmocka_unit_test(of_cgroups),
        cmocka_unit_test(of_resctrl),
        cmocka_unit_test(of_files_alone),
        cmocka_unit_test(of_a_file_that_is_gone),
        cmocka_unit_test(of_files_without_a_value),
        cmocka_unit_test(of_a_process),
        cmocka_unit_test(not_supported),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

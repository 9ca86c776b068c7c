/* What the kernel's events are counted on: chosen CPUs, cgroups, a running process. Also events
 * that the machine lacks. */
#include "../cmocked.h"

#include "session/host_rig.h"

#include "machine/cgroup.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

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

#define OF_COUNTER "skl_unc_cbo::UNC_CBO_CACHE_LOOKUP:ANY_I:counter=1"

/* Events that the machine lacks are left out, and the others are counted. all: an error instead. */
static void not_supported(void **state)
{
    (void)state;
    const bx_session_options o = {.size = sizeof o, .skip_unsupported = true};
    host_rig r;
    host_rig_open(&r, host_rig_client(false), BX_DRIVER_AUTO);
    r.kernel.refuse = lacks;
    assert_int_equal(
        host_rig_session(&r, "UNC_ARB_TRK_REQUESTS:ALL,cpu-clock,DRAM_DATA_READS," OF_COUNTER, &o),
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
    assert_int_equal(host_rig_session(&r, " " OF_COUNTER, &o), BX_NO_ACCESS);
    assert_int_equal(r.e.at, 1);
    host_rig_end(&r);
    /* The same without the option */
    host_rig_open(&r, host_rig_client(false), BX_DRIVER_AUTO);
    assert_int_equal(host_rig_session(&r, "cpu-clock," OF_COUNTER, NULL), BX_NO_ACCESS);
    host_rig_end(&r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(on_cpus),       cmocka_unit_test(of_a_cgroup),
        cmocka_unit_test(of_cgroups),    cmocka_unit_test(of_a_process),
        cmocka_unit_test(not_supported),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* Counters of perf_event on a fake kernel: attributes, groups, values, and messages for errors. */
#include "../cmocked.h"

#include "host/fake_kernel.h"
#include "host/folder.h"
#include "host/perf/perf_counters.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

enum { MANY = 16 };

typedef struct rig {
    fake_kernel kernel;
    bx_perf_calls calls;
    bx_perf_counters *counters;
    int err[MANY];
    bx_perf_value values[MANY];
} rig;

static void open_all(rig *r, const bx_perf_counter_spec *specs, size_t n, bx_perf_task task)
{
    fake_kernel_calls(&r->kernel, &r->calls);
    r->counters = bx_perf_counters_open(&r->calls, specs, n, task, r->err);
    assert_non_null(r->counters);
}

static void close_all(rig *r)
{
    bx_perf_counters_close(r->counters);
    assert_int_equal(fake_kernel_open_now(&r->kernel), 0);
}

static bx_perf_counter_spec uncore(uint32_t type, uint64_t config, int cpu)
{
    return (bx_perf_counter_spec){
        .config = {.type = type, .word = {config}}, .cpu = cpu, .joins = true};
}

/* One group for each PMU and CPU: a disabled leader, and members that follow it. */
static void groups_of_a_box(void **state)
{
    (void)state;
    rig r = {0};
    const bx_perf_counter_spec specs[] = {uncore(20, 0x11, 0), uncore(21, 0x12, 0),
                                          uncore(20, 0x13, 0), uncore(20, 0x14, 8),
                                          uncore(21, 0x15, 0)};
    open_all(&r, specs, 5, (bx_perf_task){.pid = 77, .on_exec = true});
    static const int groups[] = {-1, -1, FAKE_FD, -1, FAKE_FD + 1};
    static const int cpus[] = {0, 0, 0, 8, 0};
    for (int i = 0; i < 5; i++) {
        const fake_counter *c = &r.kernel.all[i];
        assert_int_equal(r.err[i], 0);
        assert_int_equal(c->group, groups[i]);
        assert_int_equal(c->cpu, cpus[i]);
        assert_int_equal(c->pid, -1);
        assert_int_equal(c->attr.disabled, groups[i] < 0);
        assert_int_equal(c->attr.inherit, 0);
        assert_int_equal(c->attr.enable_on_exec, 0);
        assert_int_equal(c->attr.read_format, PERF_FORMAT_GROUP | PERF_FORMAT_ID |
                                                  PERF_FORMAT_TOTAL_TIME_ENABLED |
                                                  PERF_FORMAT_TOTAL_TIME_RUNNING);
    }
    bx_perf_counters_start(r.counters);
    for (int i = 0; i < 5; i++) {
        r.kernel.all[i].count = 100 + (uint64_t)i;
        r.kernel.all[i].enabled = 1000 + (uint64_t)i;
        r.kernel.all[i].running = 500 + (uint64_t)i;
        assert_true(r.kernel.all[i].counts);
    }
    bx_perf_counters_read(r.counters, r.values);
    assert_int_equal(r.kernel.reads, 3);
    for (int i = 0; i < 5; i++) {
        int leader = groups[i] < 0 ? i : groups[i] - FAKE_FD;
        assert_int_equal(r.values[i].count, 100 + i);
        assert_int_equal(r.values[i].enabled, 1000 + leader);
        assert_int_equal(r.values[i].running, 500 + leader);
        assert_int_equal(r.values[i].err, 0);
    }
    bx_perf_counters_stop(r.counters);
    assert_false(r.kernel.all[0].counts);
    close_all(&r);
}

/* A program's counters start at its execve() and count its children, too. */
static void of_a_program(void **state)
{
    (void)state;
    rig r = {0};
    const bx_perf_counter_spec specs[] = {
        {.config = {.type = 1}, .cpu = BX_PERF_TASK, .joins = true},
        {.config = {.type = 1, .word = {2}}, .cpu = BX_PERF_TASK, .joins = true},
        {.config = {.type = 0, .exclude = BX_PERF_NO_KERNEL}, .cpu = BX_PERF_TASK},
        {.config = {.type = 0, .word = {1}}, .cpu = BX_PERF_TASK},
    };
    open_all(&r, specs, 4, (bx_perf_task){.pid = 77, .on_exec = true});
    bx_perf_counters_start(r.counters);
    static const int groups[] = {-1, FAKE_FD, -1, -1}; /* a core's counters are not grouped */
    for (int i = 0; i < 4; i++) {
        const fake_counter *c = &r.kernel.all[i];
        assert_int_equal(c->pid, 77);
        assert_int_equal(c->cpu, -1);
        assert_int_equal(c->attr.inherit, 1);
        assert_int_equal(c->group, groups[i]);
        assert_int_equal(c->attr.enable_on_exec, groups[i] < 0);
        assert_int_equal(c->counts, groups[i] >= 0); /* with its leader */
    }
    assert_int_equal(r.kernel.all[2].attr.exclude_kernel, 1);
    assert_int_equal(r.kernel.all[2].attr.exclude_user, 0);
    close_all(&r);
    /* Counters of a running task are enabled by start. */
    memset(&r, 0, sizeof r);
    open_all(&r, specs, 1, (bx_perf_task){.pid = 77});
    assert_int_equal(r.kernel.all[0].attr.enable_on_exec, 0);
    assert_false(r.kernel.all[0].counts);
    bx_perf_counters_start(r.counters);
    assert_true(r.kernel.all[0].counts);
    close_all(&r);
}

static int no_inherited_groups(const fake_kernel *k, const struct perf_event_attr *attr, pid_t pid,
                               int cpu, int group)
{
    (void)k;
    (void)pid;
    (void)cpu;
    (void)group;
    return attr->inherit && attr->read_format & PERF_FORMAT_GROUP ? EINVAL : 0;
}

/* Linux before 4.13 */
static void an_old_kernel(void **state)
{
    (void)state;
    rig r = {.kernel.refuse = no_inherited_groups};
    const bx_perf_counter_spec specs[] = {
        {.config = {.type = 1}, .cpu = BX_PERF_TASK, .joins = true},
        {.config = {.type = 1, .word = {2}}, .cpu = BX_PERF_TASK, .joins = true},
    };
    open_all(&r, specs, 2, (bx_perf_task){.pid = 77, .on_exec = true});
    for (int i = 0; i < 2; i++) {
        assert_int_equal(r.err[i], 0);
        assert_int_equal(r.kernel.all[i].group, -1);
        assert_int_equal(r.kernel.all[i].attr.enable_on_exec, 1);
        r.kernel.all[i].count = 5 + (uint64_t)i;
        r.kernel.all[i].enabled = r.kernel.all[i].running = 9;
    }
    bx_perf_counters_read(r.counters, r.values);
    assert_int_equal(r.values[0].count, 5);
    assert_int_equal(r.values[1].count, 6);
    assert_int_equal(r.values[1].running, 9);
    close_all(&r);
}

/* A counter that does not fit into an implied group gets its own group. */
static void more_than_a_box_has(void **state)
{
    (void)state;
    rig r = {.kernel.room = 2};
    bx_perf_counter_spec specs[] = {uncore(20, 1, 0), uncore(20, 2, 0), uncore(20, 3, 0)};
    open_all(&r, specs, 3, (bx_perf_task){.pid = 77});
    assert_int_equal(r.kernel.all[1].group, FAKE_FD);
    assert_int_equal(r.kernel.all[2].group, -1);
    assert_int_equal(r.kernel.all[2].attr.disabled, 1);
    assert_int_equal(r.err[2], 0);
    close_all(&r);
    memset(&r, 0, sizeof r);
    r.kernel.room = 2;
    for (int i = 0; i < 3; i++)
        specs[i].group = 1;
    open_all(&r, specs, 3, (bx_perf_task){.pid = 77});
    assert_int_equal(r.err[1], 0);
    assert_int_equal(r.err[2], BX_PERF_NOT_IN_GROUP);
    close_all(&r);
}

/* perf_event_open(2): only a group's leader can be pinned. Reading it gives end of file if it had
 * no counter. Pinned and other counters are in separate groups. */
static void pinned(void **state)
{
    (void)state;
    rig r = {0};
    bx_perf_counter_spec specs[] = {uncore(20, 1, 0), uncore(20, 2, 0), uncore(20, 3, 0)};
    specs[0].pinned = specs[2].pinned = true;
    open_all(&r, specs, 3, (bx_perf_task){.pid = 77});
    static const int groups[] = {-1, -1, FAKE_FD};
    static const bool leads[] = {true, false, false};
    for (int i = 0; i < 3; i++) {
        assert_int_equal(r.kernel.all[i].group, groups[i]);
        assert_int_equal(r.kernel.all[i].attr.pinned, leads[i]);
    }
    close_all(&r);
}

static int no_second(const fake_kernel *k, const struct perf_event_attr *attr, pid_t pid, int cpu,
                     int group)
{
    (void)k;
    (void)pid;
    (void)cpu;
    (void)group;
    return attr->config == 2 ? ENOENT : 0;
}

/* If one counter cannot be opened or read, the others count. */
static void some_are_refused(void **state)
{
    (void)state;
    rig r = {.kernel.refuse = no_second};
    const bx_perf_counter_spec specs[] = {uncore(20, 2, 0), uncore(20, 1, 0), uncore(20, 3, 0)};
    open_all(&r, specs, 3, (bx_perf_task){.pid = 77});
    assert_int_equal(r.err[0], ENOENT);
    assert_int_equal(r.err[1], 0);
    assert_int_equal(r.kernel.all[1].group, FAKE_FD);
    r.kernel.all[0].count = 7;
    r.kernel.all[1].count = 8;
    bx_perf_counters_read(r.counters, r.values);
    assert_int_equal(r.values[1].count, 7);
    assert_int_equal(r.values[2].count, 8);
    r.kernel.short_reads = true;
    bx_perf_counters_read(r.counters, r.values);
    assert_int_equal(r.values[1].err, EIO);
    assert_int_equal(r.values[2].err, EIO);
    close_all(&r);
}

/* ---- the user page ---- */

static void move_away(fake_kernel *k)
{
    struct perf_event_mmap_page *page = k->all[0].page;
    page->lock += 2;
    page->offset = 5000; /* the count so far */
    k->at_rdpmc = NULL;
}

static struct perf_event_mmap_page a_page(void)
{
    struct perf_event_mmap_page page = {.index = 3, .offset = 1000, .pmc_width = 48};
    page.cap_user_rdpmc = 1;
    page.cap_user_time = 1;
    page.time_enabled = 700;
    page.time_running = 600;
    page.time_shift = 2;
    page.time_mult = 3; /* 3/4 ns a tick */
    page.time_offset = 50;
    return page;
}

static void read_by_the_page(void **state)
{
    (void)state;
    rig r = {.kernel = {.tsc = 400, .pmc = 40}};
    struct perf_event_mmap_page page = a_page();
    bx_perf_value value;
    fake_kernel_calls(&r.kernel, &r.calls);
    assert_true(bx_perf_page_read(&r.calls, &page, &value));
    assert_int_equal(value.count, 1000 + 40 + 2); /* RDPMC's counter index - 1 is read */
    assert_int_equal(value.enabled, 700 + 50 + 300);
    assert_int_equal(value.running, 600 + 50 + 300);
    /* A counter of 48 bits, set to overflow after 100 counts, has counted 58. */
    r.kernel.pmc = (UINT64_C(1) << 48) - 42 - 2;
    page.offset = 100;
    assert_true(bx_perf_page_read(&r.calls, &page, &value));
    assert_int_equal(value.count, 58);
    /* The kernel changes the page during a read: the page is read again. */
    r.kernel.n = 1;
    r.kernel.pmc = 40;
    r.kernel.all[0].page = &page;
    r.kernel.at_rdpmc = move_away;
    assert_true(bx_perf_page_read(&r.calls, &page, &value));
    assert_int_equal(value.count, 5000 + 42);
    /* Not on the hardware, or not allowed */
    page.index = 0;
    assert_false(bx_perf_page_read(&r.calls, &page, &value));
    page = a_page();
    page.cap_user_rdpmc = 0;
    assert_false(bx_perf_page_read(&r.calls, &page, &value));
    page = a_page();
    page.cap_user_time = 0;
    assert_false(bx_perf_page_read(&r.calls, &page, &value));
}

/* Counters of the calling thread are read without a system call while the whole group is on the
 * hardware. */
static void own_counters_take_no_call(void **state)
{
    (void)state;
    struct perf_event_mmap_page page = a_page();
    rig r = {.kernel = {.tsc = 400, .pmc = 40, .page = &page}};
    const bx_perf_counter_spec spec = {.config = {.type = 4}, .cpu = BX_PERF_TASK};
    open_all(&r, &spec, 1, (bx_perf_task){.pid = 0});
    assert_int_equal(r.kernel.all[0].attr.inherit, 0);
    assert_int_equal(r.kernel.all[0].pid, 0);
    bx_perf_counters_read(r.counters, r.values);
    assert_int_equal(r.kernel.reads, 0);
    assert_int_equal(r.values[0].count, 1042);
    page.index = 0;
    r.kernel.all[0].count = 9;
    bx_perf_counters_read(r.counters, r.values);
    assert_int_equal(r.kernel.reads, 1);
    assert_int_equal(r.values[0].count, 9);
    close_all(&r);
}

/* ---- messages ---- */

static void meaning(const bx_perf *p, int err, const bx_perf_counter_spec *spec, int code,
                    const char *message, const char *hint)
{
    bx_error e = {0};
    assert_int_equal(bx_perf_explain(p, err, "some/event/", spec, &e), code);
    assert_int_equal(e.code, code);
    if (!strstr(e.message, message) || !strstr(e.hint, hint))
        fail_msg("%s (%s)", e.message, e.hint);
}

static bool advises(const bx_perf *p, const bx_perf_counter_spec *spec, const char *hint)
{
    bx_error e = {0};
    bx_perf_explain(p, EACCES, "event", spec, &e);
    return strstr(e.hint, hint);
}

static void refusals(void **state)
{
    (void)state;
    folder f = folder_new();
    bx_perf p = {.root = f.root};
    const bx_perf_counter_spec box = uncore(20, 1, 0);
    const bx_perf_counter_spec core = {.config = {.type = 0}, .cpu = BX_PERF_TASK};
    const bx_perf_counter_spec own = {.config = {.type = 0, .exclude = BX_PERF_NO_KERNEL},
                                      .cpu = BX_PERF_TASK};
    const bx_perf_counter_spec switches = {.config = {.type = 1, .word = {3}}, .cpu = BX_PERF_TASK};
    const bx_perf_counter_spec tsc = {.config = {.type = 9}, .cpu = BX_PERF_TASK};
    folder_text(&f, "/proc/sys/kernel/perf_event_paranoid", "3\n");
    meaning(&p, EACCES, &box, BX_NO_ACCESS, "'some/event/': perf_event_paranoid is 3",
            "kernel.perf_event_paranoid=0");
    meaning(&p, EACCES, &own, BX_NO_ACCESS, "is 3", "paranoid=2");
    folder_text(&f, "/proc/sys/kernel/perf_event_paranoid", "2\n");
    meaning(&p, EACCES, &core, BX_NO_ACCESS, "is 2", "paranoid=1; or count the program's own");
    assert_false(advises(&p, &switches, "EVENT:u")); /* nothing would be counted then */
    assert_false(advises(&p, &tsc, "EVENT:u"));
    folder_text(&f, "/proc/sys/kernel/perf_event_paranoid", "1\n");
    meaning(&p, EACCES, &box, BX_NO_ACCESS, "is 1", "paranoid=0");
    meaning(&p, EPERM, &core, BX_NO_ACCESS, "Operation not permitted", "in a container");
    meaning(&p, ENOENT, &core, BX_NOT_FOUND, "cannot count 'some/event/'", "virtual machine");
    meaning(&p, ENOENT, &box, BX_NOT_FOUND, "cannot count", "'events' and 'format'");
    meaning(&p, EOPNOTSUPP, &core, BX_NOT_FOUND, "cannot count", "the CPU lacks it");
    meaning(&p, EINVAL, &box, BX_BAD_INPUT, "its terms do not go together", "dmesg");
    meaning(&p, EINVAL, &core, BX_BAD_INPUT, "cannot follow a program", "the driver registers");
    meaning(&p, EINVAL, &own, BX_BAD_INPUT, "privilege levels", "leave out the letters");
    meaning(&p, EMFILE, &box, BX_SYSTEM, "too many open files", "ulimit -n");
    meaning(&p, ENODEV, &box, BX_NO_ACCESS, "CPU 0 is offline", "");
    meaning(&p, ENODEV, &core, BX_NOT_FOUND, "cannot count", "the CPU lacks it");
    meaning(&p, EBUSY, &box, BX_NO_ACCESS, "another process uses its PMU", "end the other");
    meaning(&p, ENOSYS, &box, BX_NO_ACCESS, "without perf_event", "");
    meaning(&p, ESRCH, &core, BX_SYSTEM, "the program is gone", "");
    meaning(&p, ENOMEM, &core, BX_SYSTEM, "Cannot allocate memory", "");
    meaning(&p, BX_PERF_NOT_IN_GROUP, &box, BX_NO_FIT, "beside the rest of its group", "braces");
    folder_end(&f);
}

/* A file is not perf_event's: neither its setting nor a PMU is named. */
static void files_are_explained(void **state)
{
    (void)state;
    static const struct {
        int err, code;
        const char *message, *hint;
    } of[] = {
        {ENOENT, BX_NOT_FOUND, "'/f/x' cannot be read: No such file or directory",
         "its group may be gone: ls -l /f/x"},
        {EACCES, BX_NO_ACCESS, "'/f/x' cannot be read: Permission denied",
         "who may read it: ls -l /f/x"},
        {EMFILE, BX_SYSTEM, "too many open files at 'event': each counter is one",
         "ulimit -n 65536"},
    };
    const bx_perf_counter_spec spec = {.config = {.file = "/f/x"}, .cpu = 0};
    const bx_perf bare = {.root = "/nonexistent"};
    for (size_t i = 0; i < sizeof of / sizeof *of; i++) {
        bx_error e = {0};
        assert_int_equal(bx_perf_explain(&bare, of[i].err, "event", &spec, &e), of[i].code);
        assert_string_equal(e.message, of[i].message);
        assert_string_equal(e.hint, of[i].hint);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(groups_of_a_box),  cmocka_unit_test(of_a_program),
        cmocka_unit_test(an_old_kernel),    cmocka_unit_test(more_than_a_box_has),
        cmocka_unit_test(pinned),           cmocka_unit_test(some_are_refused),
        cmocka_unit_test(read_by_the_page), cmocka_unit_test(own_counters_take_no_call),
        cmocka_unit_test(refusals),         cmocka_unit_test(files_are_explained),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

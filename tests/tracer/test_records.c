/* Our tracer's records of processes, threads, system calls and memory. The programs are
 * processes.c, and programs of others. */
#include "../cmocked.h"

#include "host/folder.h"
#include "tracer/records.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#define PROGRAM(...) ((char **)(uintptr_t)(const char *[]){__VA_ARGS__, NULL})

static const char *built(const char *name)
{
    static char path[512];
    snprintf(path, sizeof path, "%s/tests/tracer/%s", getenv("BUILD_ROOT"), name);
    return path;
}

static recording *run_own(const char *which)
{
    recording *r = record_program(PROGRAM(built("traced_processes"), which));
    assert_int_equal(r->status, 0);
    return r;
}

static recording *run_shell(const char *script)
{
    return record_program(PROGRAM("/bin/sh", "-c", script));
}

/* ---- processes ---- */

static const record *last(const recorded *p)
{
    assert_true(p->n > 0);
    return &p->record[p->n - 1];
}

static void expect_end(const recorded *p, uint32_t reason)
{
    assert_int_equal(last(p)->kind, BX_TRACE_END);
    assert_int_equal(last(p)->value, reason);
}

/* The first process that this one forked. */
static const recorded *child_of(const recording *r, const recorded *parent)
{
    for (size_t i = 0; i < r->n; i++)
        if (r->process[i].hello.parent == (uint32_t)parent->pid)
            return &r->process[i];
    fail_msg("process %d has no child", (int)parent->pid);
    return NULL;
}

/* The program that the process executed. */
static const recorded *successor_of(const recording *r, const recorded *p)
{
    expect_end(p, BX_TRACE_END_EXEC);
    for (const recorded *next = p + 1; next < r->process + r->n; next++)
        if (next->pid == p->pid) {
            assert_int_equal(next->hello.parent, 0);
            assert_true(next->hello.time >= last(p)->word[0]);
            return next;
        }
    fail_msg("process %d has no successor", (int)p->pid);
    return NULL;
}

/* Whether the process returned from this call with this object. */
static bool returned(const recorded *p, uint32_t call, uint64_t object, uint64_t id)
{
    const record *r;
    for (size_t i = 0; (r = next_record(p, BX_TRACE_RETURN, &i));)
        if (r->value == call && r->word[1] == object && r->word[2] == id)
            return true;
    return false;
}

static void fork_has_a_child(void **state)
{
    (void)state;
    recording *r = run_own("forks");
    assert_int_equal(r->n, 2);
    const recorded *parent = &r->process[0], *child = child_of(r, parent);
    const record *fork = find_record(parent, BX_TRACE_FORK, 0);
    assert_int_equal(parent->hello.parent, 0);
    assert_int_equal(child->hello.time, fork->word[0]);
    assert_true(returned(parent, SYS_clone, BX_TRACE_PROCESS, (uint64_t)child->pid));
    assert_true(returned(parent, SYS_wait4, BX_TRACE_PROCESS, (uint64_t)child->pid));
    /* The child returns from its parent's call, and then describes its own blocks. */
    assert_int_equal(child->record[0].kind, BX_TRACE_RETURN);
    assert_int_equal(child->record[0].value, SYS_clone);
    assert_int_equal(child->record[0].blocks, 0);
    const record *leaves = find_record(child, BX_TRACE_CALL, SYS_exit_group);
    assert_int_equal(leaves->word[1], BX_TRACE_PROCESS);
    assert_int_equal(leaves->word[2], child->pid);
    expect_end(parent, BX_TRACE_END_EXIT);
    expect_end(child, BX_TRACE_END_EXIT);
    recording_free(r);
}

static void others_execute(void **state)
{
    (void)state;
    static const char *const which[] = {"vforks", "spawns"};
    for (size_t i = 0; i < 2; i++) {
        recording *r = run_own(which[i]);
        assert_int_equal(r->n, 3);
        expect_end(successor_of(r, child_of(r, &r->process[0])), BX_TRACE_END_EXIT);
        recording_free(r);
    }
}

static void write_script(const char *name, const char *text, mode_t mode)
{
    FILE *f = fopen(name, "w");
    assert_non_null(f);
    fputs(text, f);
    assert_int_equal(fclose(f), 0);
    assert_int_equal(chmod(name, mode), 0);
}

static void exec_runs_on(void **state)
{
    (void)state;
    write_script("script", "#!/bin/sh\nexit 9\n", 0755);
    recording *r = run_shell("exec env ./script");
    assert_int_equal(r->status, 9);
    assert_int_equal(r->n, 3);
    expect_end(successor_of(r, successor_of(r, &r->process[0])), BX_TRACE_END_EXIT);
    recording_free(r);
}

/* A name in this folder is not searched in PATH. */
static void exec_of_a_name_without_a_slash(void **state)
{
    (void)state;
    write_script("true", "#!/bin/sh\nexit 8\n", 0755);
    recording *r =
        record_program(PROGRAM("/usr/bin/python3", "-c", "import os; os.execv('true', ['true'])"));
    assert_int_equal(unlink("true"), 0);
    assert_int_equal(r->status, 8);
    recording_free(r);
}

static void exec_that_fails(void **state)
{
    (void)state;
    write_script("none", "text\n", 0755);
    recording *r = run_shell("/no/such/file; test $? = 127 && ./none; test $? = 127 && exit 6");
    assert_int_equal(r->status, 6);
    expect_end(child_of(r, &r->process[0]), BX_TRACE_END_EXIT);
    assert_true(returned(child_of(r, &r->process[0]), SYS_execve, BX_TRACE_NOTHING, 0));
    recording_free(r);
    write_script("none", "#!/no/such/interpreter\n", 0755);
    r = record_program(PROGRAM("/usr/bin/env", "./none"));
    assert_int_equal(r->status, 127);
    expect_end(&r->process[0], BX_TRACE_END_EXIT);
    recording_free(r);
}

static void ends_by_a_signal(void **state)
{
    (void)state;
    recording *r = run_shell("kill -SEGV $$");
    assert_int_equal(r->status, 128 + SIGSEGV);
    expect_end(&r->process[0], BX_TRACE_END_SIGNAL);
    recording_free(r);
    r = run_shell("sh -c 'kill -KILL $$'; test $? = 137 && exit 5");
    assert_int_equal(r->status, 5);
    expect_end(&r->process[0], BX_TRACE_END_EXIT);
    recording_free(r);
}

static void whole_trees(void **state)
{
    (void)state;
    write_script("Makefile", "all: a b\na b:\n\ttrue | cat\n", 0644);
    recording *r = record_program(PROGRAM("/usr/bin/make", "-s", "-j2"));
    assert_int_equal(r->status, 0);
    assert_true(r->n >= 1 + 2 * 4);
    recording_free(r);
    r = record_program(
        PROGRAM("/usr/bin/python3", "-c", "import subprocess; subprocess.check_output(['true'])"));
    assert_int_equal(r->status, 0);
    assert_true(r->n >= 3);
    recording_free(r);
    r = run_own("daemon");
    assert_true(r->n >= 5);
    for (size_t i = 0; i < r->n; i++)
        assert_true(last(&r->process[i])->kind == BX_TRACE_END);
    recording_free(r);
}

/* The program cannot access the tracer's descriptors. */
static void descriptors_stay(void **state)
{
    (void)state;
    static const char *const which[] = {"closes-all", "lowers-limit"};
    for (size_t i = 0; i < 2; i++) {
        recording *r = run_own(which[i]);
        assert_true(r->n >= 4);
        for (size_t k = 0; k < r->n; k++)
            assert_int_equal(last(&r->process[k])->kind, BX_TRACE_END);
        recording_free(r);
    }
}

/* ---- programs without a trace ---- */

static void copy(const char *from, const char *to, mode_t mode)
{
    char command[1024];
    snprintf(command, sizeof command, "cp '%s' '%s'", from, to);
    assert_int_equal(system(command), 0);
    assert_int_equal(chmod(to, mode), 0);
}

static const record *find_untraced(const recording *r, uint32_t why)
{
    for (size_t i = 0; i < r->n; i++)
        for (size_t k = 0; k < r->process[i].n; k++)
            if (r->process[i].record[k].kind == BX_TRACE_UNTRACED) {
                assert_int_equal(r->process[i].record[k].value, why);
                return &r->process[i].record[k];
            }
    fail_msg("no program was without a trace");
    return NULL;
}

static void set_id_program(void **state)
{
    (void)state;
    copy(built("traced_loop"), "set-id", 04755);
    recording *r = run_shell("./set-id; test $? = 7 && exec ./set-id");
    assert_int_equal(r->status, 7);
    const record *u = find_untraced(r, BX_TRACE_SET_ID);
    assert_string_equal(u->text, "./set-id");
    assert_int_equal(u[1].kind, BX_TRACE_END);
    assert_int_equal(u[1].value, BX_TRACE_END_EXEC);
    assert_int_equal(r->n, 2); /* and no more hellos */
    recording_free(r);
}

/* A script whose interpreter cannot be traced. */
static void script_of_a_set_id_program(void **state)
{
    (void)state;
    copy("/bin/true", "set-id-true", 02755);
    char script[256];
    snprintf(script, sizeof script, "#! %s/set-id-true -x\n", working.root);
    write_script("script", script, 0755);
    recording *r = run_shell("exec ./script");
    assert_int_equal(r->status, 0);
    assert_string_equal(find_untraced(r, BX_TRACE_SET_ID)->text, "./script");
    recording_free(r);
}

static int status_of(const char *command)
{
    int status = system(command);
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

/* The kernel refuses this program, and the shell continues as without a tracer. */
static void foreign_program(void **state)
{
    (void)state;
    enum { MACHINE = 18, SPARC = 2 };
    const char machine = SPARC;
    copy(built("traced_loop"), "foreign", 0755);
    int fd = open("foreign", O_WRONLY);
    assert_int_equal(pwrite(fd, &machine, 1, MACHINE), 1);
    close(fd);
    recording *r = run_shell("./foreign; exit $?");
    assert_int_equal(r->status, status_of("./foreign 2>/dev/null; exit $?"));
    const record *u = find_untraced(r, BX_TRACE_FOREIGN);
    assert_int_equal(u[1].kind, BX_TRACE_END);
    assert_int_equal(u[2].kind, BX_TRACE_RETURN);
    assert_int_equal(u[2].value, SYS_execve);
    recording_free(r);
}

/* ---- nothing remains ---- */

static bool is_gone(pid_t pid)
{
    for (unsigned i = 0; i < 1000; i++) {
        if (kill(pid, 0) != 0)
            return true;
        char path[64], text[256] = "";
        snprintf(path, sizeof path, "/proc/%d/stat", (int)pid);
        FILE *f = fopen(path, "r");
        size_t n = f ? fread(text, 1, sizeof text - 1, f) : 0;
        if (f)
            fclose(f);
        if (n && strstr(text, ") Z")) /* nobody has waited for it so far */
            return true;
        usleep(10000);
    }
    return false;
}

static void the_reader_is_killed(void **state)
{
    (void)state;
    pid_t pid[5];
    copy("/bin/sleep", "set-id-sleep", 04755);
    abandon_program(PROGRAM("/bin/sh", "-c", "sleep 1000 & ./set-id-sleep 1000 & wait"), 4, pid);
    for (size_t i = 0; i < 4; i++)
        assert_true(is_gone(pid[i]));
}

static void let_go(void **state)
{
    (void)state;
    assert_int_equal(let_program_go(PROGRAM(built("traced_processes"), "closes-all")), 0);
    assert_int_equal(let_program_go(PROGRAM("/bin/sh", "-c", "ls / | sort >/dev/null; exit 3")), 3);
}

/* ---- objects ---- */

/* The first object that a call released, other than that one. */
static uint64_t other_released_by(const recorded *p, uint32_t call, uint64_t object, uint64_t but)
{
    const record *r;
    for (size_t i = 0; (r = next_record(p, BX_TRACE_CALL, &i));)
        if (r->value == call && r->word[1] == object && r->word[2] != but)
            return r->word[2];
    fail_msg("call %u released nothing", call);
    return 0;
}

static uint64_t released_by(const recorded *p, uint32_t call, uint64_t object)
{
    return other_released_by(p, call, object, UINT64_MAX);
}

static void pipes(void **state)
{
    (void)state;
    recording *r = run_own("pipe");
    const recorded *reader = &r->process[0], *writer = child_of(r, reader);
    uint64_t id = released_by(writer, SYS_write, BX_TRACE_PIPE);
    assert_true(returned(reader, SYS_read, BX_TRACE_PIPE, id));
    size_t i = 0, releases = 0; /* as it ends */
    for (const record *more; (more = next_record(writer, BX_TRACE_RELEASE, &i));)
        releases += more->word[2] == id;
    assert_int_equal(releases, 2);
    recording_free(r);
}

static void eventfds(void **state)
{
    (void)state;
    recording *r = run_own("eventfds");
    const recorded *p = &r->process[0];
    uint64_t one = released_by(p, SYS_write, BX_TRACE_PIPE);
    uint64_t two = other_released_by(p, SYS_write, BX_TRACE_PIPE, one);
    assert_true(returned(p, SYS_read, BX_TRACE_PIPE, one));
    assert_true(returned(p, SYS_read, BX_TRACE_PIPE, two));
    recording_free(r);
}

static void sockets(void **state)
{
    (void)state;
    recording *r = run_own("socket-pair");
    const record *pair = find_record(&r->process[0], BX_TRACE_PAIR, 0);
    assert_int_equal(released_by(&r->process[0], SYS_write, BX_TRACE_SOCKET), pair->word[0]);
    assert_true(returned(&r->process[0], SYS_read, BX_TRACE_SOCKET, pair->word[1]));
    recording_free(r);
    r = run_own("internet");
    uint64_t port = released_by(&r->process[0], SYS_connect, BX_TRACE_SOCKET);
    uint64_t connection = released_by(&r->process[0], SYS_write, BX_TRACE_SOCKET);
    assert_true(returned(&r->process[0], SYS_accept, BX_TRACE_SOCKET, port));
    assert_true(returned(&r->process[0], SYS_read, BX_TRACE_SOCKET, connection));
    assert_true(port != connection);
    recording_free(r);
}

/* ---- threads ---- */

static void threads_start_and_stop(void **state)
{
    (void)state;
    recording *r = run_own("futexes");
    const recorded *p = &r->process[0];
    const record *start = find_record(p, BX_TRACE_START, 2);
    assert_int_equal(start->word[0], 1);
    assert_int_equal(start[-1].kind, BX_TRACE_CALL);
    assert_true(start[-1].value == SYS_clone || start[-1].value == SYS_clone3);
    const record *stop = find_record(p, BX_TRACE_STOP, 2);
    assert_true(returned(p, SYS_futex, BX_TRACE_FUTEX, stop->word[1])); /* pthread_join() */
    uint64_t mutex = released_by(p, SYS_futex, BX_TRACE_FUTEX);
    assert_true(mutex != stop->word[1]);
    assert_true(returned(p, SYS_futex, BX_TRACE_FUTEX, mutex));
    recording_free(r);
}

/* While both threads work. Valgrind does not count all blocks that are entered by a forward jump,
 * as at the beginning of a thread. A thread has several turns in a row while its clock comes first.
 */
static void threads_take_turns(void **state)
{
    (void)state;
    enum { TURN = 1000, BEGINNING = 100 };
    recording *r = run_own("two-spin");
    const recorded *p = &r->process[0];
    size_t begin = find_record(p, BX_TRACE_START, 3)->blocks, i = 0, at = 0, turns = 0, full = 0,
           cut = 0;
    size_t end = next_record(p, BX_TRACE_STOP, &i)->blocks;
    for (i = 0; i < p->turns && at + p->turn[i] < end; at += p->turn[i++]) {
        if (at < begin)
            continue;
        turns++;
        full += p->turn[i] == TURN;
        if (p->turn[i] % TURN > BEGINNING)
            cut++;
    }
    assert_true(turns > 100);
    assert_true(cut < turns / 20);
    assert_true(full > turns - turns / 10);
    recording_free(r);
}

static void a_thread_is_passed_over(void **state)
{
    (void)state;
    recording *r = record_program_but(PROGRAM(built("traced_processes"), "two-spin"), 3);
    const recorded *p = &r->process[0];
    size_t begin = find_record(p, BX_TRACE_START, 3)->blocks, at = 0, short_turns = 0, turns = 0;
    assert_int_equal(r->status, 0);
    size_t i = 0, end = next_record(p, BX_TRACE_STOP, &i)->blocks;
    for (i = 0; i < p->turns && at + p->turn[i] < end; at += p->turn[i++]) {
        turns += at >= begin;
        short_turns += at >= begin && p->turn[i] == 1;
    }
    assert_true(turns > 100);
    assert_true(short_turns > turns / 3);
    recording_free(r);
}

/* ---- memory ---- */

static const record *find_map(const recorded *p, uint32_t flags, uint64_t bytes)
{
    const record *r;
    for (size_t i = 0; (r = next_record(p, BX_TRACE_MAP, &i));)
        if (r->value == flags && r->word[1] == bytes)
            return r;
    fail_msg("nothing of %lu bytes is mapped", (unsigned long)bytes);
    return NULL;
}

static void mappings(void **state)
{
    (void)state;
    enum { MEGABYTE = 1 << 20 };
    recording *r = run_own("maps");
    const recorded *p = &r->process[0];
    struct stat self;
    assert_int_equal(stat(built("traced_processes"), &self), 0);
    size_t own = 0; /* mappings of the program's file, at the start and later */
    for (size_t i = 0; i < p->n; i++)
        own += p->record[i].kind == BX_TRACE_MAP && p->record[i].value & BX_TRACE_MAP_FILE &&
               p->record[i].word[2] == self.st_dev && p->record[i].word[3] == self.st_ino;
    assert_true(own >= 4);
    assert_int_equal(p->record[0].kind, BX_TRACE_MAP); /* before the program executes anything */
    const record *map = find_map(p, 0, MEGABYTE);
    find_map(p, BX_TRACE_MAP_SHARED, MEGABYTE);
    find_map(p, 0, 3 * MEGABYTE); /* brk() */
    const record *move = find_record(p, BX_TRACE_MOVE, 0);
    assert_int_equal(move->word[0], map->word[0]);
    assert_int_equal(move->word[1], MEGABYTE);
    assert_int_equal(move->word[3], 2 * MEGABYTE);
    size_t i = 0;
    const record *unmap;
    while ((unmap = next_record(p, BX_TRACE_UNMAP, &i)) && unmap->word[0] != move->word[2])
        ;
    assert_non_null(unmap);
    assert_int_equal(unmap->word[1], 2 * MEGABYTE);
    recording_free(r);
}

/* The record of this call that a record of kernel accesses follows. */
static const record *find_access(const recorded *p, uint32_t call, unsigned kind, uint64_t bytes)
{
    for (size_t i = 0; i + 1 < p->n; i++)
        if (p->record[i].kind == BX_TRACE_CALL && p->record[i].value == call &&
            p->record[i + 1].kind == kind && p->record[i + 1].word[1] == bytes)
            return &p->record[i + 1];
    fail_msg("the kernel did not access %lu bytes in call %u", (unsigned long)bytes, call);
    return NULL;
}

static void kernel_reads_and_writes(void **state)
{
    (void)state;
    recording *r = run_own("reads-and-writes");
    const record *is = find_access(&r->process[0], SYS_write, BX_TRACE_KERNEL_READ, 100);
    assert_int_equal(is[1].kind, BX_TRACE_RETURN);
    is = find_access(&r->process[0], SYS_read, BX_TRACE_KERNEL_WRITE, 100);
    assert_int_equal(is[1].kind, BX_TRACE_RETURN);
    recording_free(r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(fork_has_a_child),
        cmocka_unit_test(others_execute),
        cmocka_unit_test(exec_runs_on),
        cmocka_unit_test(exec_of_a_name_without_a_slash),
        cmocka_unit_test(exec_that_fails),
        cmocka_unit_test(ends_by_a_signal),
        cmocka_unit_test(whole_trees),
        cmocka_unit_test(descriptors_stay),
        cmocka_unit_test(set_id_program),
        cmocka_unit_test(script_of_a_set_id_program),
        cmocka_unit_test(foreign_program),
        cmocka_unit_test(the_reader_is_killed),
        cmocka_unit_test(let_go),
        cmocka_unit_test(pipes),
        cmocka_unit_test(eventfds),
        cmocka_unit_test(sockets),
        cmocka_unit_test(threads_start_and_stop),
        cmocka_unit_test(threads_take_turns),
        cmocka_unit_test(a_thread_is_passed_over),
        cmocka_unit_test(mappings),
        cmocka_unit_test(kernel_reads_and_writes),
    };
    return cmocka_run_group_tests(tests, folder_enter, folder_leave);
}

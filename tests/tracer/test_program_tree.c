/* All processes of a program are counted, and exactly if their work is known. In all of these
 * programs ./p is one of two programs of ours, and everything else is the same. With BX_LONG in the
 * environment there are larger programs, too. */
#include "../cmocked.h"

#include "host/folder.h"
#include "tracer/counted.h"
#include "tracer/traced.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/xattr.h>
#include <unistd.h>

#define PROGRAM(...) ((char **)(uintptr_t)(const char *[]){__VA_ARGS__, NULL})

static void write_file(const char *name, const char *text, mode_t mode)
{
    FILE *f = fopen(name, "w");
    assert_non_null(f);
    fputs(text, f);
    assert_int_equal(fclose(f), 0);
    assert_int_equal(chmod(name, mode), 0);
}

static void copy_built(const char *name, const char *to)
{
    char command[1024];
    snprintf(command, sizeof command, "cp '%s/tests/tracer/traced_%s' %s", getenv("BUILD_ROOT"),
             name, to);
    assert_int_equal(system(command), 0);
}

static int64_t instructions_with(const char *p, char *const argv[])
{
    copy_built(p, "p");
    return (int64_t)traced_counts(argv, NULL).instructions;
}

/* How many more instructions the long loop adds. */
static int64_t difference(char *const argv[])
{
    return instructions_with("long_loop", argv) - instructions_with("loop", argv);
}

/* ---- processes and what they execute ---- */

enum { LONGER = 5 * (100000 - 1000) }; /* by hand: loop.c */

static void expect_within(char *const argv[], int64_t slack)
{
    int64_t is = difference(argv);
    if (is < LONGER - slack || is > LONGER + slack)
        fail_msg("%s %s: %ld, not %d", argv[0], argv[1], is, LONGER);
}

static void expect_once(char *const argv[])
{
    expect_within(argv, 0);
}

static void programs_in_place_of_others(void **state)
{
    (void)state;
    expect_once(PROGRAM("./p"));
    expect_once(PROGRAM("/usr/bin/env", "./p"));
    expect_once(PROGRAM("/bin/sh", "-c", "exec env ./p"));
    write_file("script", "#! ./p\n", 0755);
    expect_once(PROGRAM("./script"));
    expect_once(PROGRAM("/usr/bin/env", "./script"));
}

/* By fork(), vfork() and posix_spawn(); the last ones of processes.c look for "true" in PATH. */
static void children(void **state)
{
    (void)state;
    char path[1024], *before = strdup(getenv("PATH")), *processes;
    expect_once(PROGRAM("/bin/sh", "-c", "./p; exit 0"));
    assert_true(asprintf(&processes, "%s/tests/tracer/traced_processes", getenv("BUILD_ROOT")) > 0);
    snprintf(path, sizeof path, "%s:%s", working.root, before);
    assert_int_equal(symlink("p", "true"), 0);
    setenv("PATH", path, 1);
    expect_once(PROGRAM(processes, "vforks"));
    expect_once(PROGRAM(processes, "spawns"));
    setenv("PATH", before, 1);
    assert_int_equal(unlink("true"), 0);
    free(before);
    free(processes);
}

/* A shell executes a few instructions more or less. It depends on which of its children ends first,
 * and whether that interrupts one of its calls, which is then repeated: up to 11 in 40 runs. */
static void pipelines(void **state)
{
    (void)state;
    enum { ORDER_OF_ENDS = 50 };
    expect_within(PROGRAM("/bin/sh", "-c", "./p | cat; exit 0"), ORDER_OF_ENDS);
    expect_within(PROGRAM("/bin/sh", "-c", "(./p; exit 0) | (cat; cat) | cat"), ORDER_OF_ENDS);
}

/* The work of these programs themselves differs a little, because signals and other processes come
 * at any time. */
static void expect_about(char *const argv[], int64_t times)
{
    int64_t is = difference(argv);
    if (is < times * LONGER - LONGER / 2 || is > times * LONGER + LONGER / 2)
        fail_msg("%s: %ld, not %ld", argv[0], is, times * LONGER);
}

static void parents_of_other_people(void **state)
{
    (void)state;
    write_file("Makefile", "all: a b c d\na b c d:\n\t-./p\n", 0644);
    expect_about(PROGRAM("/usr/bin/make", "-s", "-j2"), 4);
    if (getenv("BX_LONG"))
        expect_about(PROGRAM("/usr/bin/python3", "-S", "-c",
                             "import subprocess\n"
                             "for i in range(4): subprocess.run(['./p'])"),
                     4);
}

/* ---- as users see it ---- */

static int status_of(const char *program)
{
    counted c = count_events(LOOKUPS, "", program);
    int status = c.by.status;
    assert_string_equal(c.by.err, "");
    ran_free(&c.by);
    return status;
}

static void status_of_the_first(void **state)
{
    (void)state;
    copy_built("loop", "p");
    assert_int_equal(status_of("./p"), 7);
    assert_int_equal(status_of("env ./p"), 7);
    assert_int_equal(status_of("sh -c './p; exit 5'"), 5);
    assert_int_equal(status_of("sh -c './p | cat; exit 6'"), 6);
    assert_int_equal(status_of("sh -c 'sh -c \"kill -9 \\$\\$\"; exit $?' 2>/dev/null"), 137);
}

static void one_thread_is_the_same_each_time(void **state)
{
    (void)state;
    uint64_t first = count_event(LOOKUPS, "", "gzip -c Makefile > /dev/null");
    for (unsigned i = 0; i < 3; i++)
        assert_int_equal(count_event(LOOKUPS, "", "gzip -c Makefile > /dev/null"), first);
}

/* The sleeper is woken when the worker is done. */
static void a_sleeper_holds_nobody_up(void **state)
{
    (void)state;
    ran r =
        run_shell("coproc { exec \"$BOXSCORE\" stat --machine virtual:skl,part=plain -e "
                  "DRAM_DATA_READS -o counts -- "
                  "sh -c 'exec 3<&0; cat <&3 & i=0; while [ $i -lt 5000 ]; do i=$((i + 1)); done\n"
                  "echo done; wait; exit 4'; }\n"
                  "pid=$COPROC_PID\n"
                  "read -r line <&\"${COPROC[0]}\"; echo \"$line\"\n"
                  "echo awake >&\"${COPROC[1]}\"; eval \"exec ${COPROC[1]}>&-\"\n"
                  "cat <&\"${COPROC[0]}\"; wait $pid");
    assert_string_equal(r.err, "");
    assert_string_equal(r.out, "done\nawake\n");
    assert_int_equal(r.status, 4);
    ran_free(&r);
}

/* The run ends with its first process, whether others sleep or work. They end soon afterwards. */
static void who_outlives_it_is_let_go(void **state)
{
    (void)state;
    static const struct {
        const char *program;
        int status;
    } of[] = {
        {"sh -c '(sleep 5 & ) 2> /dev/null; exit 3'", 3},
        {"sh -c '(while kill -0 $PPID; do :; done & ) 2> /dev/null; exit 4'", 4},
    };
    for (size_t i = 0; i < sizeof of / sizeof *of; i++) {
        counted c = count_events(LOOKUPS, "", of[i].program);
        assert_int_equal(c.by.status, of[i].status);
        assert_has(c.by.err, "boxscore: left running when the program ended, and counted until ");
        ran_free(&c.by);
    }
}

/* ---- programs without a trace ---- */

static void expect_untraced(const char *program, int status, const char *named)
{
    counted c = count_events(LOOKUPS, "", program);
    assert_int_equal(c.by.status, status);
    assert_has(c.by.err, "boxscore: not counted, as they cannot be traced: ");
    assert_has(c.by.err, named);
    assert_true(c.n[0] > 1000); /* the shell's */
    ran_free(&c.by);
}

static void set_id_programs(void **state)
{
    (void)state;
    copy_built("loop", "set-id");
    assert_int_equal(chmod("set-id", 04755), 0);
    expect_untraced("sh -c './set-id; exit $?'", 7, "./set-id (process ");
    expect_untraced("sh -c 'exec ./set-id'", 7, "./set-id (process ");
    expect_untraced("env ./set-id", 7, "./set-id (process ");
    expect_untraced("sh -c './set-id | cat; ./set-id; exit 3'", 3, ", ./set-id (process ");
}

/* struct vfs_cap_data, revision 2: linux/capability.h. Here CAP_NET_RAW. */
static void programs_with_capabilities(void **state)
{
    (void)state;
    const uint32_t capabilities[5] = {0x02000001, 1 << 13, 0, 0, 0};
    copy_built("loop", "capable");
    if (setxattr("capable", "security.capability", capabilities, sizeof capabilities, 0) != 0) {
        assert_true(errno == EPERM || errno == ENOTSUP);
        return; /* only root can make one */
    }
    expect_untraced("sh -c './capable; exit $?'", 7, "./capable (process ");
}

static int setup(void **state)
{
    traced_setup();
    return folder_enter(state);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(programs_in_place_of_others),
        cmocka_unit_test(children),
        cmocka_unit_test(pipelines),
        cmocka_unit_test(parents_of_other_people),
        cmocka_unit_test(status_of_the_first),
        cmocka_unit_test(one_thread_is_the_same_each_time),
        cmocka_unit_test(a_sleeper_holds_nobody_up),
        cmocka_unit_test(who_outlives_it_is_let_go),
        cmocka_unit_test(set_id_programs),
        cmocka_unit_test(programs_with_capabilities),
    };
    return cmocka_run_group_tests(tests, setup, folder_leave);
}

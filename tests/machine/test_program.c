/* Traced programs behave as usual, and leave no process. */
#include "../cmocked.h"

#include "machine/machine.h"
#include "machine/program/process/children.h"
#include "machine/program/process/executable.h"
#include "machine/program/process/trace_tool.h"
#include "machine/program/tracer.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

static char folder[64];
static char path_before[4096];

static int make_folder(void **state)
{
    (void)state;
    strcpy(folder, "/tmp/bx-program-XXXXXX");
    snprintf(path_before, sizeof path_before, "%s", getenv("PATH"));
    return mkdtemp(folder) ? 0 : -1;
}

static int remove_folder(void **state)
{
    (void)state;
    char command[128];
    snprintf(command, sizeof command, "rm -r %s", folder);
    return system(command);
}

static int path_again(void **state)
{
    (void)state;
    return unsetenv("BOXSCORE_TRACER") || setenv("PATH", path_before, 1);
}

static const char *in_folder(const char *name)
{
    static char path[128];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    return path;
}

static void write_file(const char *name, const char *text, mode_t mode)
{
    FILE *f = fopen(in_folder(name), "w");
    assert_non_null(f);
    fputs(text, f);
    assert_int_equal(fclose(f), 0);
    assert_int_equal(chmod(in_folder(name), mode), 0);
}

static bx_machine *opened(void)
{
    bx_machine *m = NULL;
    assert_int_equal(bx_machine_open(bx_catalog_builtin(), "virtual:skl,part=plain", &m, NULL),
                     BX_OK);
    return m;
}

static bool no_child_left(void)
{
    return waitpid(-1, NULL, WNOHANG) == -1 && errno == ECHILD;
}

static int load(bx_machine *m, const char *const argv[], bx_error *e)
{
    char *words[8] = {NULL};
    for (size_t i = 0; argv[i]; i++)
        assert_non_null(words[i] = strdup(argv[i]));
    int rc = bx_machine_load_program(m, words, e);
    for (size_t i = 0; words[i]; i++)
        free(words[i]);
    return rc;
}

/* Runs a program to its end; returns its exit status. */
static int run(bx_machine *m, const char *const argv[])
{
    bx_error e = {0};
    bool done = false;
    int rc = load(m, argv, &e);
    while (rc == BX_OK && !done)
        rc = bx_machine_run(m, bx_machine_now(m) + 100000, &done, &e);
    if (rc != BX_OK)
        fail_msg("%s", e.message);
    assert_true(no_child_left());
    return bx_machine_exit_status(m);
}

#define WORDS(...)  ((const char *const[]){__VA_ARGS__, NULL})
#define RUN(m, ...) run(m, WORDS(__VA_ARGS__))

static void exit_status(void **state)
{
    (void)state;
    bx_machine *m = opened();
    assert_int_equal(RUN(m, "true"), 0);
    assert_true(bx_machine_accesses(m) > 10000); /* from the dynamic loader alone */
    assert_true(bx_machine_now(m) > 100000);
    uint64_t before = bx_machine_accesses(m);
    assert_int_equal(RUN(m, "/bin/false"), 1);
    assert_true(bx_machine_accesses(m) > before);
    assert_int_equal(RUN(m, "sh", "-c", "exit 7"), 7);
    assert_int_equal(RUN(m, "sh", "-c", "exec true"), 0);
    bx_machine_close(m);
}

static void killed_by_a_signal(void **state)
{
    (void)state;
    bx_machine *m = opened();
    assert_int_equal(RUN(m, "sh", "-c", "kill -TERM $$"), 128 + SIGTERM);
    assert_int_equal(RUN(m, "sh", "-c", "kill -KILL $$"), 128 + SIGKILL);
    bx_machine_close(m);
}

static void put_in_place_of(int fd, const char *name, int flags)
{
    int file = open(in_folder(name), flags, 0644);
    assert_true(file >= 0);
    assert_int_equal(dup2(file, fd), fd);
    close(file);
}

static void expect_file(const char *name, const char *text)
{
    char is[256];
    FILE *f = fopen(in_folder(name), "r");
    assert_non_null(f);
    is[fread(is, 1, sizeof is - 1, f)] = '\0';
    fclose(f);
    assert_string_equal(is, text);
}

/* Standard input, output and error are the program's; nothing else is written to them. */
static void streams_are_untouched(void **state)
{
    (void)state;
    bx_machine *m = opened();
    int saved[3] = {dup(0), dup(1), dup(2)};
    fflush(NULL);
    write_file("in", "some words\n", 0644);
    put_in_place_of(0, "in", O_RDONLY);
    put_in_place_of(1, "out", O_WRONLY | O_CREAT);
    put_in_place_of(2, "err", O_WRONLY | O_CREAT);
    int status = RUN(m, "sh", "-c", "read a b; echo \"$b $a\"; echo oops >&2; exit 3");
    for (int fd = 0; fd < 3; fd++) {
        dup2(saved[fd], fd);
        close(saved[fd]);
    }
    assert_int_equal(status, 3);
    expect_file("out", "words some\n");
    expect_file("err", "oops\n");
    bx_machine_close(m);
}

/* The program inherits our descriptors as usual, and gets low numbers for its own. */
static void low_descriptors_are_its_own(void **state)
{
    (void)state;
    bx_machine *m = opened();
    char open_ones[16] = "";
    size_t n = 0;
    int saved = fcntl(1, F_DUPFD_CLOEXEC, 10);
    for (int fd = 3; fd < 10; fd++) {
        int flags = fcntl(fd, F_GETFD);
        if (flags >= 0 && !(flags & FD_CLOEXEC))
            open_ones[n++] = (char)('0' + fd);
    }
    fflush(NULL);
    put_in_place_of(1, "fd", O_WRONLY | O_CREAT);
    RUN(m, "sh", "-c", "for f in 3 4 5 6 7 8 9; do (: >&$f) 2>&- && printf $f; done");
    dup2(saved, 1);
    close(saved);
    expect_file("fd", open_ones);
    bx_machine_close(m);
}

/* A daemon of the program keeps the pipe open, but does not block us. */
static void a_daemon_is_left_alone(void **state)
{
    (void)state;
    bx_machine *m = opened();
    char command[192], number[32];
    snprintf(command, sizeof command, "sleep 1000 & echo $! > %s; exit 4", in_folder("pid"));
    assert_int_equal(RUN(m, "sh", "-c", command), 4);
    FILE *f = fopen(in_folder("pid"), "r");
    assert_non_null(f);
    assert_non_null(fgets(number, sizeof number, f));
    fclose(f);
    assert_int_equal(kill(atoi(number), SIGKILL), 0); /* the daemon still ran */
    bx_machine_close(m);
}

/* The user's valgrind options are ignored. */
static void options_of_the_user(void **state)
{
    (void)state;
    bx_machine *m = opened();
    setenv("VALGRIND_OPTS", "--tool=memcheck --trace-children=yes --log-file=/no/such/log -v", 1);
    assert_int_equal(RUN(m, "sh", "-c", "true; ls / > /dev/null; exit 5"), 5);
    unsetenv("VALGRIND_OPTS");
    bx_machine_close(m);
}

/* Closing the machine kills a program that is still running. */
static void nothing_is_left_behind(void **state)
{
    (void)state;
    const char *const *endless = WORDS("sh", "-c", "while :; do :; done");
    const char *const *waiting = WORDS("sleep", "1000");
    for (unsigned i = 0; i < 4; i++) {
        bx_machine *m = opened();
        bool done;
        assert_int_equal(load(m, i % 2 ? waiting : endless, NULL), BX_OK);
        pid_t pid = bx_machine_pid(m);
        assert_int_equal(kill(pid, 0), 0);
        if (i >= 2)
            assert_int_equal(bx_machine_run(m, 1000, &done, NULL), BX_OK);
        bx_machine_close(m);
        assert_int_equal(kill(pid, 0), -1);
        assert_true(no_child_left());
    }
    assert_int_equal(bx_tracer_pid(NULL), 0);
}

/* All processes are killed at once; a shell that outlived another would print a message. The
 * process that the shell waits for is the youngest, and many are between the two. */
static void all_end_at_once(void **state)
{
    (void)state;
    assert_int_equal(mkfifo(in_folder("never"), 0600), 0);
    write_file("many",
               "for i in $(seq 40); do (read x <$1/never) & done\n"
               "(: >$1/all; while :; do :; done)\n:\n",
               0600);
    bx_machine *m = opened();
    bool done;
    fflush(NULL);
    int saved = fcntl(2, F_DUPFD_CLOEXEC, 10);
    put_in_place_of(2, "killed", O_WRONLY | O_CREAT);
    int rc = load(m, WORDS("sh", in_folder("many"), folder), NULL);
    while (rc == BX_OK && access(in_folder("all"), F_OK) != 0)
        rc = bx_machine_run(m, bx_machine_now(m) + 10000, &done, NULL);
    bx_machine_close(m);
    dup2(saved, 2);
    close(saved);
    assert_int_equal(rc, BX_OK);
    expect_file("killed", "");
}

/* The program reads a long input, so its trace is longer than the pipe. */
static void more_than_a_pipe_full(void **state)
{
    (void)state;
    bx_machine *m = opened();
    char command[256];
    snprintf(command, sizeof command, "gzip -c %s/tests/machine/test_program.c > %s",
             getenv("SOURCE_ROOT"), in_folder("gz"));
    assert_int_equal(RUN(m, "sh", "-c", command), 0);
    snprintf(command, sizeof command, "%s/tests/machine/test_program.c", getenv("SOURCE_ROOT"));
    uint64_t before = bx_machine_accesses(m);
    assert_int_equal(RUN(m, "gzip", "-t", in_folder("gz")), 0);
    assert_true(bx_machine_accesses(m) > before + 50000);
    bx_machine_close(m);
}

/* Programs of 32 bits, and scripts with such an interpreter, are traced by lackey. */
static void programs_of_32_bits(void **state)
{
    (void)state;
    char script[160];
    write_file("narrow", "\177ELF\1", 0755);
    write_file("wide", "\177ELF\2", 0755);
    snprintf(script, sizeof script, "#! %s -x\n", in_folder("narrow"));
    write_file("script", script, 0755);
    snprintf(script, sizeof script, "#!%s\n", in_folder("script"));
    write_file("nested", script, 0755);
    write_file("text", "exit 0\n", 0755);
    assert_string_equal(bx_trace_tool_missing(in_folder("narrow")), "it has 32 bits");
    assert_true(bx_program_is_32_bit(in_folder("script")));
    assert_true(bx_program_is_32_bit(in_folder("nested")));
    assert_false(bx_program_is_32_bit(in_folder("wide")));
    assert_false(bx_program_is_32_bit(in_folder("text")));
    assert_false(bx_program_is_32_bit("no-such-program"));
}

/* ---- programs that cannot be run ---- */

static void refused(const char *program, int code, const char *message)
{
    bx_machine *m = opened();
    bx_error e = {0};
    assert_int_equal(load(m, WORDS(program), &e), code);
    assert_string_equal(e.message, message);
    assert_true(no_child_left());
    bx_machine_close(m);
}

static void no_such_program(void **state)
{
    (void)state;
    char message[256];
    write_file("text", "no program\n", 0644);
    refused("no-such-program", BX_NOT_FOUND, "no such program: 'no-such-program'");
    refused("./no-such-program", BX_NOT_FOUND, "no such program: './no-such-program'");
    refused("/bin/true/more", BX_NOT_FOUND, "no such program: '/bin/true/more'");
    refused("", BX_NOT_FOUND, "no such program: ''");
    snprintf(message, sizeof message, "'%s' cannot be executed", folder);
    refused(folder, BX_NO_ACCESS, message);
    snprintf(message, sizeof message, "'%s' cannot be executed", in_folder("text"));
    refused(in_folder("text"), BX_NO_ACCESS, message);
}

static void program_with_rights_of_its_own(void **state)
{
    (void)state;
    char message[512];
    write_file("set-id", "#!/bin/sh\n", 04755);
    snprintf(message, sizeof message,
             "'%s' cannot be traced: it gets other rights (set-user-ID, set-group-ID or "
             "capabilities)",
             in_folder("set-id"));
    refused(in_folder("set-id"), BX_NO_ACCESS, message);
}

/* The interpreter that the kernel would start for a script, by proc(5) and execve(2); 183 is
 * AArch64 in elf(5). Valgrind is not started, because its messages would be hard to understand. */
static void interpreters_that_cannot_be_used(void **state)
{
    (void)state;
    static const char foreign[64] = {127, 'E', 'L', 'F', 2, 1, 1, [16] = 2, 0, (char)183};
    char message[700], first[200];
    write_file("lost", "#!/no/such/shell -e\n", 0755);
    snprintf(message, sizeof message,
             "'%s' cannot be executed: its interpreter '/no/such/shell': No such file or directory",
             in_folder("lost"));
    refused(in_folder("lost"), BX_NO_ACCESS, message);

    snprintf(first, sizeof first, "#!%s\n", folder);
    write_file("in-folder", first, 0755);
    snprintf(message, sizeof message,
             "'%s' cannot be executed: its interpreter '%s': Permission denied",
             in_folder("in-folder"), folder);
    refused(in_folder("in-folder"), BX_NO_ACCESS, message);

    write_file("set-id-shell", "#!/bin/sh\n", 04755);
    snprintf(first, sizeof first, "#! %s\n", in_folder("set-id-shell"));
    write_file("of-set-id", first, 0755);
    snprintf(message, sizeof message,
             "'%s/of-set-id' cannot be traced: its interpreter '%s/set-id-shell' gets other "
             "rights (set-user-ID, set-group-ID or capabilities)",
             folder, folder);
    refused(in_folder("of-set-id"), BX_NO_ACCESS, message);

    FILE *f = fopen(in_folder("foreign"), "w");
    assert_non_null(f);
    assert_int_equal(fwrite(foreign, 1, sizeof foreign, f), sizeof foreign);
    fclose(f);
    assert_int_equal(chmod(in_folder("foreign"), 0755), 0);
    snprintf(message, sizeof message, "'%s' is a program for another kind of processor",
             in_folder("foreign"));
    refused(in_folder("foreign"), BX_NO_ACCESS, message);
}

static void no_valgrind(void **state)
{
    (void)state;
    setenv("PATH", folder, 1);
    setenv("BOXSCORE_TRACER", "lackey", 1);
    refused("/bin/true", BX_NOT_FOUND, "valgrind, which traces programs, is not installed");
    refused("true", BX_NOT_FOUND, "no such program: 'true'");
    unsetenv("PATH");
    write_file("prog", "#!/bin/sh\n", 0755);
    refused("prog", BX_NOT_FOUND, "no such program: 'prog'");
}

static void valgrind_cannot_be_executed(void **state)
{
    (void)state;
    write_file("valgrind", "#!/no/such/interpreter\n", 0755);
    setenv("PATH", folder, 1);
    setenv("BOXSCORE_TRACER", "lackey", 1);
    refused("/bin/true", BX_SYSTEM, "valgrind cannot be started: No such file or directory");
}

/* A fake valgrind that writes any text. */
static void fake_valgrind(const char *body)
{
    char script[1024], path[4200];
    snprintf(script, sizeof script,
             "#!/bin/sh\nfor a; do case $a in --log-fd=*) log=/proc/self/fd/${a#--log-fd=};; esac; "
             "done\n%s\n",
             body);
    write_file("valgrind", script, 0755);
    snprintf(path, sizeof path, "%s:%s", folder, path_before);
    setenv("PATH", path, 1);
    setenv("BOXSCORE_TRACER", "lackey", 1);
}

static int run_true(bx_machine *m, bx_error *e)
{
    bool done = false;
    int rc = load(m, WORDS("true"), e);
    while (rc == BX_OK && !done)
        rc = bx_machine_run(m, UINT64_MAX, &done, e);
    assert_true(no_child_left());
    return rc;
}

static void valgrind_fails(void **state)
{
    (void)state;
    bx_machine *m = opened();
    bx_error e = {0};
    fake_valgrind("exit 1");
    assert_int_equal(run_true(m, &e), BX_SYSTEM);
    assert_string_equal(e.message, "valgrind could not run 'true'");
    bx_machine_close(m);
}

static void a_trace_that_makes_no_sense(void **state)
{
    (void)state;
    bx_machine *m = opened();
    bx_error e = {0};
    fake_valgrind("printf '==1== hello\\nI  00001000,4\\nwhat\\nI  00002000,4\\nhuh\\n' > $log");
    assert_int_equal(run_true(m, &e), BX_SYSTEM);
    assert_string_equal(e.message, "unintelligible trace: 2 lines, the first 'what'");
    assert_int_equal(bx_machine_accesses(m), 2); /* the other lines were parsed */
    bx_machine_close(m);
}

/* An endless line is reported as malformed once for each buffer that it fills; the text after it is
 * parsed. */
static void a_line_without_end(void **state)
{
    (void)state;
    bx_machine *m = opened();
    bx_error e = {0};
    fake_valgrind(
        "{ head -c 200000 /dev/zero | tr '\\0' x; printf '\\nI  00001000,4\\n'; } > $log");
    assert_int_equal(run_true(m, &e), BX_SYSTEM);
    assert_non_null(strstr(e.message, "unintelligible trace"));
    assert_int_equal(bx_machine_accesses(m), 1);
    bx_machine_close(m);
}

/* The program is killed in the middle of a line: that line is not malformed. */
static void a_trace_cut_off(void **state)
{
    (void)state;
    bx_machine *m = opened();
    bx_error e = {0};
    fake_valgrind("printf 'I  00001000,4\\nI  0000' > $log; kill -KILL $$");
    assert_int_equal(run_true(m, &e), BX_OK);
    assert_int_equal(bx_machine_exit_status(m), 128 + SIGKILL);
    assert_int_equal(bx_machine_accesses(m), 1);
    bx_machine_close(m);
}

/* A process that has ended has no arguments any more. */
static void a_child_that_has_ended_has_a_name(void **state)
{
    (void)state;
    char name[BX_CHILD_NAME] = "";
    pid_t child = fork();
    assert_true(child >= 0);
    if (!child) {
        execl("/bin/true", "another name", (char *)NULL);
        _exit(1);
    }
    siginfo_t info;
    assert_int_equal(waitid(P_PID, (id_t)child, &info, WEXITED | WNOWAIT), 0);
    bx_children_name(child, name);
    assert_string_equal(name, "true");
    assert_int_equal(waitpid(child, NULL, 0), child);
}

#define PATH_TEST(f) cmocka_unit_test_teardown(f, path_again)

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(exit_status),
        cmocka_unit_test(killed_by_a_signal),
        cmocka_unit_test(streams_are_untouched),
        cmocka_unit_test(a_child_that_has_ended_has_a_name),
        cmocka_unit_test(low_descriptors_are_its_own),
        cmocka_unit_test(a_daemon_is_left_alone),
        cmocka_unit_test(options_of_the_user),
        cmocka_unit_test(nothing_is_left_behind),
        cmocka_unit_test(all_end_at_once),
        cmocka_unit_test(more_than_a_pipe_full),
        cmocka_unit_test(programs_of_32_bits),
        cmocka_unit_test(no_such_program),
        cmocka_unit_test(program_with_rights_of_its_own),
        cmocka_unit_test(interpreters_that_cannot_be_used),
        PATH_TEST(no_valgrind),
        PATH_TEST(valgrind_cannot_be_executed),
        PATH_TEST(valgrind_fails),
        PATH_TEST(a_trace_that_makes_no_sense),
        PATH_TEST(a_line_without_end),
        PATH_TEST(a_trace_cut_off),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}

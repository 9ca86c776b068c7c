/* Our tracer compared with counts by hand, with cachegrind, and with lackey's text. */
#include "../cmocked.h"

#include "tracer/traced.h"

#include <fcntl.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <string.h>
#include <signal.h>
#include <unistd.h>

#define PROGRAM(...) ((char **)(uintptr_t)(const char *[]){__VA_ARGS__, NULL})

static char *built(const char *name)
{
    static char path[512];
    snprintf(path, sizeof path, "%s/tests/tracer/%s", getenv("BUILD_ROOT"), name);
    return path;
}

static void counted_by_hand(void **state)
{
    (void)state;
    int status;
    bx_trace_counts c = traced_counts(PROGRAM(built("traced_loop")), &status);
    assert_int_equal(status, 7);
    assert_int_equal(c.instructions, 1 + 5 * 1000 + 3);
    assert_int_equal(c.loads, 1000);
    assert_int_equal(c.stores, 1000);
    assert_int_equal(c.modifications, 1000);
}

static size_t count(const bx_access *a, size_t n, bx_access mask, bx_access is)
{
    size_t all = 0;
    for (size_t i = 0; i < n; i++)
        all += (a[i] & mask) == is;
    return all;
}

/* In the chase, one load is made before the tracer knows that the next block needs it. */
static void what_only_the_tracer_tells(void **state)
{
    (void)state;
    const bx_access kind = 3, dependent = BX_ACCESS_DEPENDENT, partial = BX_ACCESS_PARTIAL;
    size_t n;
    bx_access *a = traced_accesses(PROGRAM(built("traced_flags")), &n);
    assert_int_equal(count(a, n, kind, BX_LOAD), 3000);
    assert_in_range(count(a, n, kind | dependent, BX_LOAD | dependent), 1995, 2000);
    assert_int_equal(count(a, n, kind | dependent, BX_STORE | dependent), 0);
    assert_int_equal(count(a, n, kind | partial, BX_NON_TEMPORAL), 64);
    assert_int_equal(count(a, n, kind | partial, BX_NON_TEMPORAL | partial), 2);
    assert_int_equal(count(a, n, kind, BX_STORE), 0);
    free(a);
}

static bool is_branch(bx_access a)
{
    unsigned class = bx_access_class(a);
    return a & BX_ACCESS_REMARK && class >= BX_CLASS_CONDITIONAL_BRANCH && class <= BX_CLASS_RETURN;
}

static size_t branches(const bx_access *a, size_t n)
{
    size_t all = 0;
    for (size_t i = 0; i < n; i++)
        all += is_branch(a[i]);
    return all;
}

static size_t remarks(const bx_access *a, size_t n, unsigned what)
{
    size_t all = 0;
    for (size_t i = 0; i < n; i++)
        all += a[i] & BX_ACCESS_REMARK && bx_access_remarks(a[i]) & what;
    return all;
}

static void branches_and_misaligned_references(void **state)
{
    (void)state;
    size_t n, plain_n;
    bx_access *a = traced_with_remarks(PROGRAM(built("traced_branches")), &n);
    bx_access *plain = traced_accesses(PROGRAM(built("traced_branches")), &plain_n);
    assert_int_equal(branches(a, n), 2 * 1000 + 6 * 100 + 50);
    assert_int_equal(remarks(a, n, BX_REMARK_TAKEN), 250 + 999 + 200 + 100 + 100 + 99 + 49);
    assert_int_equal(remarks(a, n, BX_REMARK_MISALIGNED), 5 * 50);
    assert_int_equal(remarks(plain, plain_n, 0xffff), 0);
    const bx_access kind = BX_ACCESS_REMARK | 3; /* fetches may differ: a remark has a cost, too */
    assert_int_equal(count(a, n, kind, BX_LOAD), count(plain, plain_n, kind, BX_LOAD));
    assert_int_equal(count(a, n, kind, BX_STORE), count(plain, plain_n, kind, BX_STORE));
    free(a);
    free(plain);
}

static void expect_cachegrind(char *const argv[])
{
    references is = cachegrind_references(argv);
    bx_trace_counts c = traced_counts(argv, NULL);
    assert_true(is.instructions > 1000);
    assert_int_equal(c.instructions, is.instructions);
    assert_int_equal(c.loads + c.modifications, is.reads);
    assert_int_equal(c.stores, is.writes);
}

static char *news(void)
{
    static char path[512];
    snprintf(path, sizeof path, "%s/NEWS", getenv("SOURCE_ROOT"));
    return path;
}

static void as_cachegrind_counts(void **state)
{
    (void)state;
    expect_cachegrind(PROGRAM(built("traced_loop")));
    expect_cachegrind(PROGRAM(built("traced_features")));
    expect_cachegrind(PROGRAM("/bin/gzip", "-c", news()));
    expect_cachegrind(PROGRAM("/usr/bin/sort", "-o", "/dev/null", news()));
    expect_cachegrind(PROGRAM("/usr/bin/awk", "{ n += length($0) } END { print n }", news()));
}

enum { REUSED_MOST = 256, FRAME_SHIFT = 16 + BX_PAGE_SHIFT - BX_USUAL_LINE_SHIFT };

/* Frames are used again. lackey does not report that memory is unmapped, so its program gets new
 * ones. Nor does it report mappings: its pages are never the page of zeros before they are written.
 */
typedef struct reused {
    uint64_t ours[REUSED_MOST], its[REUSED_MOST];
    bool written[REUSED_MOST];
    size_t n;
} reused;

/* Whether they differ only in the frame, and always in the same way for a page; the first store to
 * a page may move it away from the page of zeros. */
static bool in_another_frame(bx_access by_us, bx_access by_lackey, reused *r)
{
    size_t i = 0;
    while (i < r->n && r->its[i] != by_lackey >> FRAME_SHIFT)
        i++;
    if (i == r->n && i < REUSED_MOST) {
        r->ours[i] = by_us >> FRAME_SHIFT;
        r->its[i] = by_lackey >> FRAME_SHIFT;
        r->n++;
    }
    if (i < r->n && bx_access_kind_of(by_us) == BX_STORE && !r->written[i]) {
        r->ours[i] = by_us >> FRAME_SHIFT;
        r->written[i] = true;
    }
    return i < REUSED_MOST && by_us >> FRAME_SHIFT == r->ours[i] &&
           by_us << (64 - FRAME_SHIFT) == by_lackey << (64 - FRAME_SHIFT);
}

/* Leaves out what lackey does not tell: which lines string instructions overwrite. */
static size_t without_overwritten(bx_access *of, size_t n)
{
    size_t kept = 0;
    for (size_t i = 0; i < n; i++)
        if (!(of[i] & BX_ACCESS_WHOLE))
            of[kept++] = of[i];
    return kept;
}

static void expect_lackey(char *const argv[], bool unmaps)
{
    size_t n, expected;
    reused r = {.n = 0};
    bx_access *by_lackey = lackey_accesses(argv, &expected);
    bx_access *by_us = traced_accesses(argv, &n);
    n = without_overwritten(by_us, n);
    for (size_t i = 0; i < n && i < expected; i++) {
        bx_access ours = by_us[i] & ~(bx_access)BX_ACCESS_DEPENDENT; /* lackey cannot tell */
        if (ours != by_lackey[i] && !(unmaps && in_another_frame(ours, by_lackey[i], &r)))
            fail_msg("%s: access %zu is %lx, lackey's %lx", argv[0], i, by_us[i], by_lackey[i]);
    }
    assert_int_equal(n, expected);
    assert_int_equal(unmaps, r.n > 0);
    free(by_us);
    free(by_lackey);
}

static void as_lackey_tells(void **state)
{
    (void)state;
    expect_lackey(PROGRAM(built("traced_loop")), false);
    expect_lackey(PROGRAM(built("traced_features")), true);
}

/* ---- programs of others ---- */

static void processes_threads_and_signals(void **state)
{
    (void)state;
    int status;
    bx_trace_counts c = traced_counts(PROGRAM(built("traced_children")), &status);
    assert_int_equal(status, 0);
    assert_true(c.modifications + c.loads > 4 * 20000); /* all threads are in the trace */
    traced_counts(PROGRAM("/bin/sh", "-c", "kill -SEGV $$"), &status);
    assert_int_equal(status, 128 + SIGSEGV);
    traced_counts(PROGRAM("/bin/sh", "-c", "exec sh -c 'exit 9'"), &status);
    assert_int_equal(status, 9);
}

static pid_t start_stat(char *const program[])
{
    pid_t pid = fork();
    if (pid == 0) {
        const char *all[16] = {
            getenv("BOXSCORE"), "stat", "--machine", "virtual:skl,part=plain", "-e",
            "DRAM_DATA_READS",  "--"};
        for (size_t i = 0; program[i] && i < 8; i++)
            all[7 + i] = program[i];
        int silent[2]; /* the standard input: no data comes, and it does not end */
        assert_int_equal(pipe(silent), 0);
        dup2(silent[0], 0);
        dup2(open("/dev/null", O_WRONLY), 2);
        execv(all[0], (char **)(uintptr_t)all);
        _exit(126);
    }
    return pid;
}

/* The number that the program writes into a pipe once it runs: its process id. */
static pid_t process_of(int pipe)
{
    char text[16] = "";
    for (size_t n = 0; n < sizeof text - 1 && !strchr(text, '\n'); n++)
        if (read(pipe, text + n, 1) != 1)
            break;
    return atoi(text);
}

static bool ends(pid_t pid)
{
    for (unsigned i = 0; i < 1000 && kill(pid, 0) == 0; i++)
        usleep(10000);
    return kill(pid, 0) != 0;
}

/* Either boxscore or the program's process is killed; the other one ends, too. */
static void killed(const char *script, bool reader)
{
    int pipes[2], status;
    assert_int_equal(pipe(pipes), 0);
    int output = fcntl(1, F_DUPFD_CLOEXEC, 10);
    dup2(pipes[1], 1);
    pid_t boxscore = start_stat(PROGRAM("/bin/sh", "-c", script));
    dup2(output, 1);
    close(output);
    close(pipes[1]);
    pid_t program = process_of(pipes[0]);
    close(pipes[0]);
    assert_true(program > 1 && program != boxscore);
    kill(reader ? boxscore : program, SIGKILL);
    assert_int_equal(waitpid(boxscore, &status, 0), boxscore);
    assert_true(reader ? WIFSIGNALED(status) : WIFEXITED(status));
    if (!reader)
        assert_int_equal(WEXITSTATUS(status), 128 + SIGKILL);
    assert_true(ends(program));
}

static void one_of_both_is_killed(void **state)
{
    (void)state;
    for (unsigned reader = 0; reader < 2; reader++) {
        killed("echo $$; while :; do :; done", reader);
        killed("echo $$; read nothing", reader);
        killed("echo $$; exec sleep 1000", reader);
    }
}

static void lackey_is_named(void **state)
{
    (void)state;
    char command[1024], text[4096];
    snprintf(command, sizeof command,
             "BOXSCORE_TRACER=/no/such/folder %s stat --machine virtual:skl,part=plain -e "
             "DRAM_DATA_READS -- "
             "%s 2>&1",
             getenv("BOXSCORE"), built("traced_loop"));
    FILE *f = popen(command, "r");
    assert_non_null(f);
    text[fread(text, 1, sizeof text - 1, f)] = '\0';
    assert_int_equal(WEXITSTATUS(pclose(f)), 7);
    assert_non_null(strstr(text, "# traced with Valgrind's lackey"));
}

static int setup(void **state)
{
    (void)state;
    traced_setup();
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(counted_by_hand),
        cmocka_unit_test(what_only_the_tracer_tells),
        cmocka_unit_test(branches_and_misaligned_references),
        cmocka_unit_test(as_cachegrind_counts),
        cmocka_unit_test(as_lackey_tells),
        cmocka_unit_test(processes_threads_and_signals),
        cmocka_unit_test(one_of_both_is_killed),
        cmocka_unit_test(lackey_is_named),
    };
    return cmocka_run_group_tests(tests, setup, NULL);
}

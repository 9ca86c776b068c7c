/* Runs the whole command on faulty device files. One access at a time fails, returns or writes
 * wrong data, is slow, or is the last one before a signal. Asserts that the command ends with a
 * message; that every register is as before, or is named and in the journal, from which `restore`
 * restores it; and that impossible values are not printed as counts. The tests read the registers
 * themselves. Only clocks count on the machine, so all other counts must be 0 or marked. */
#include "../cmocked.h"

#include "stage/fault_injection.h"

#include "session/faults.h"
#include "stage/play.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

extern char **environ;

static const struct {
    const char *machine, *events;
} cases[] = {
    {"virtual:skl,part=plain,cores=2",
     "skl_unc_cbo1::UNC_CBO_CACHE_LOOKUP:ANY_I,UNC_ARB_TRK_REQUESTS:ALL,"
     "DRAM_DATA_READS"},
    {"virtual:ivbep,part=plain,packages=2,cores=2",
     "ivbep_unc_cbo0@0::UNC_C_LLC_LOOKUP:ANY,ivbep_unc_cbo1@1::UNC_C_TOR_INSERTS:OPCODE:OPC_RFO"},
    {"virtual:nhmex,part=plain,packages=2,cores=2",
     "nhmex_unc_rbox@0::FLITS_SENT:port=0,nhmex_unc_sbox0@1::TO_R_PROG_EV:mc=1"},
    {"virtual:p6,part=plain", "p6::DATA_MEM_REFS,p6::DCU_LINES_IN"},
};
enum { CASES = sizeof cases / sizeof *cases };

static size_t current_case; /* of this program */

/* The distance between two accesses that are tried. The quick suite tries a few accesses, most of
 * them on the first machine. The long suite tries up to 500 for errors and wrong data, up to 100
 * for other faults. */
static long step_of(long all, long few, bool each_one)
{
    long many = each_one ? 500 : 100;
#ifdef __SANITIZE_ADDRESS__
    many = 40;
#endif
    if (getenv("BX_LONG"))
        return all / many + 1;
    return all / (current_case == 0 ? few : 2) + 1;
}

/* ---- a machine whose files are served ---- */

static struct {
    struct bx_bus bus; /* reads and writes its registers through the files */
    bx_machine *shape; /* a machine like it, which says what registers there are */
    struct bx_bus *inner;
    char folder[64], journal[96], counted[96], said[96];
    pid_t pid;
    struct contents before;
} stage;

/* CPUs on stage are numbered package by package. */
static int device_of(const bx_address *at, int flags)
{
    char path[128];
    if (at->space == BX_SPACE_MSR)
        snprintf(path, sizeof path, "%s/dev/cpu/%u/msr", stage.folder, at->cpu);
    else
        snprintf(path, sizeof path, "%s/dev/mem", stage.folder);
    return open(path, flags | O_CLOEXEC);
}

static int file_read(struct bx_bus *bus, const bx_address *at, uint64_t *value)
{
    (void)bus;
    size_t n = at->space == BX_SPACE_MSR ? 8 : at->width / 8u;
    if (at->space == BX_SPACE_PCI)
        return stage.inner->read(stage.inner, at, value); /* base addresses: the same in both */
    int fd = device_of(at, O_RDONLY);
    assert_true(fd >= 0);
    *value = 0;
    ssize_t got = pread(fd, value, n, (off_t)at->offset);
    close(fd);
    return got == (ssize_t)n ? 0 : EIO;
}

static int file_write(struct bx_bus *bus, const bx_address *at, uint64_t value)
{
    (void)bus;
    int fd = device_of(at, O_WRONLY);
    assert_true(fd >= 0);
    ssize_t got = pwrite(fd, &value, 8, (off_t)at->offset);
    close(fd);
    return got == 8 ? 0 : EIO;
}

static void nap(void)
{
    nanosleep(&(struct timespec){.tv_nsec = 20000000}, NULL);
}

static pid_t start(const char *const argv[], char *const environment[])
{
    pid_t pid;
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0);
    posix_spawn_file_actions_addopen(&actions, 1, stage.said, O_WRONLY | O_CREAT | O_TRUNC, 0600);
    posix_spawn_file_actions_adddup2(&actions, 1, 2);
    assert_int_equal(
        posix_spawn(&pid, argv[0], &actions, NULL, (char *const *)(uintptr_t)argv, environment), 0);
    posix_spawn_file_actions_destroy(&actions);
    return pid;
}

static void begin(void)
{
    char memory[96];
    strcpy(stage.folder, "/tmp/boxscore-faults-XXXXXX");
    assert_non_null(mkdtemp(stage.folder));
    snprintf(stage.journal, sizeof stage.journal, "%s.journal", stage.folder);
    snprintf(stage.counted, sizeof stage.counted, "%s.count", stage.folder);
    snprintf(stage.said, sizeof stage.said, "%s.said", stage.folder);
    snprintf(memory, sizeof memory, "%s/dev/mem", stage.folder);
    const char *const argv[] = {getenv("BOXSCORE"),
                                "stage",
                                "--at",
                                stage.folder,
                                "--pace",
                                "1000000",
                                "--machine",
                                cases[current_case].machine,
                                NULL};
    stage.pid = start(argv, environ);
    for (unsigned i = 0; i < 500 && access(memory, F_OK) != 0; i++)
        nap();
    assert_int_equal(access(memory, F_OK), 0);
    stage.shape = trial_machine(cases[current_case].machine);
    stage.inner = stage.shape->bus;
    stage.bus = (struct bx_bus){.read = file_read, .write = file_write};
    stage.shape->bus = &stage.bus;
    contents_set(stage.shape, false);
    contents_read(&stage.before, stage.shape);
}

static void end(void)
{
    int status;
    if (!stage.pid)
        return;
    kill(stage.pid, SIGTERM);
    while (waitpid(stage.pid, &status, 0) < 0 && errno == EINTR)
        ;
    contents_free(&stage.before);
    stage.shape->bus = stage.inner;
    bx_machine_close(stage.shape);
    stage.pid = 0;
    unlink(stage.journal);
    unlink(stage.counted);
    unlink(stage.said);
    rmdir(stage.folder);
}

/* ---- the command, with faults ---- */

static char said[1 << 16];

static void read_said(void)
{
    FILE *f = fopen(stage.said, "r");
    assert_non_null(f);
    said[fread(said, 1, sizeof said - 1, f)] = '\0';
    fclose(f);
}

/* Runs the command. fault: the value of FAULT, or NULL. Returns the status as a shell reports it.
 */
static int command(const char *const argv[], const char *fault)
{
    char preload[512], what[64], under[128], counted[128],
        sanitizer[] = "ASAN_OPTIONS=verify_asan_link_order=0:detect_leaks=0";
    char *own[64 + 8];
    size_t n = 0;
    for (char **e = environ; *e && n < 64; e++)
        if (strncmp(*e, "ASAN_OPTIONS=", 13) != 0)
            own[n++] = *e;
    snprintf(preload, sizeof preload, "LD_PRELOAD=%s/tests/stage/libfault_injector.so",
             getenv("BUILD_ROOT"));
    snprintf(what, sizeof what, "FAULT=%s", fault ? fault : "");
    snprintf(under, sizeof under, "FAULT_UNDER=%s", stage.folder);
    snprintf(counted, sizeof counted, "FAULT_COUNT=%s", stage.counted);
    char *more[] = {preload, what, under, counted, sanitizer, NULL};
    memcpy(&own[n], more, sizeof more);
    pid_t pid = start(argv, own);
    int status;
    for (unsigned i = 0; waitpid(pid, &status, WNOHANG) == 0; i++) {
        if (i > 6000) {
            kill(pid, SIGKILL);
            fail_msg("%s of %s does not end", fault, cases[current_case].machine);
        }
        nanosleep(&(struct timespec){.tv_nsec = 5000000}, NULL);
    }
    read_said();
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

static int measure(const char *fault)
{
    const char *const argv[] = {getenv("BOXSCORE"),
                                "stat",
                                "--machine",
                                "host",
                                "--driver",
                                "registers",
                                "--root",
                                stage.folder,
                                "--journal",
                                stage.journal,
                                "-x,",
                                "-e",
                                cases[current_case].events,
                                "--",
                                "/bin/true",
                                NULL};
    return command(argv, fault);
}

static int restore(const char *fault)
{
    const char *const argv[] = {getenv("BOXSCORE"), "restore",     "--root",
                                stage.folder,       stage.journal, NULL};
    return command(argv, fault);
}

static long accesses(void)
{
    long n = 0;
    FILE *f = fopen(stage.counted, "r");
    assert_non_null(f);
    assert_int_equal(fscanf(f, "%ld", &n), 1);
    fclose(f);
    return n;
}

static bool is_journal(void)
{
    return access(stage.journal, F_OK) == 0;
}

/* ---- checks ---- */

/* Reads the registers that the command reports as not restored. */
static void read_not_restored(struct run *r)
{
    r->not_restored_n = 0;
    static const char start[] = "boxscore: ", left[] = " cannot be put back: ";
    for (char *line = said; line && *line; line = strchr(line, '\n')) {
        line += *line == '\n';
        char *stop = strchr(line, '\n'), *at = strstr(line, left);
        if (strncmp(line, start, strlen(start)) != 0 || !at || (stop && at > stop))
            continue;
        assert_true(r->not_restored_n < FAULT_NOT_RESTORED);
        snprintf(r->not_restored[r->not_restored_n++], sizeof r->not_restored[0], "%.*s",
                 (int)(stop ? stop - line : 120), line + strlen(start));
    }
}

static void check_registers(const char *fault, bool named)
{
    static struct run r;
    struct contents after;
    r.not_restored_n = 0;
    if (named)
        read_not_restored(&r);
    contents_read(&after, stage.shape);
    size_t differ =
        contents_compare(&stage.before, &after, stage.shape->topology.catalog, &r, fault);
    assert_true(differ <= r.not_restored_n);
    contents_free(&after);
}

/* A line of counts begins with the count, or in angle brackets with the reason for its absence. */
static void check_counts(const char *fault)
{
    for (char *line = said; line && *line; line = strchr(line, '\n')) {
        line += *line == '\n';
        if (*line >= '0' && *line <= '9' && strtoull(line, NULL, 10) != 0)
            fail_msg("%s of %s: nothing can have been counted:\n%s", fault,
                     cases[current_case].machine, said);
    }
}

/* Before the first register is written, a signal ends the command as any program. Later the
 * measured program gets the signal, and the command exits with its status. */
static bool is_signal(const char *fault, int status)
{
    static const struct {
        const char *name;
        int status;
    } of[] = {{"INT:", 128 + SIGINT}, {"TERM:", 128 + SIGTERM}, {"HUP:", 128 + SIGHUP}};
    for (size_t i = 0; i < sizeof of / sizeof *of; i++)
        if (strncmp(fault, of[i].name, strlen(of[i].name)) == 0)
            return status == of[i].status;
    return false;
}

static void check_end(const char *fault, int status)
{
    if (status != 0 && status != 1 && !is_signal(fault, status))
        fail_msg("%s of %s: status %d:\n%s", fault, cases[current_case].machine, status, said);
    if (status == 1 && !strstr(said, "boxscore: "))
        fail_msg("%s: no message:\n%s", fault, said);
    if (strstr(said, "<") && !strstr(said, "boxscore: "))
        fail_msg("%s: not said why:\n%s", fault, said);
    check_counts(fault);
    check_registers(fault, true);
    bool left = strstr(said, " cannot be put back: ");
    if (left != is_journal())
        fail_msg("%s: there is %s journal:\n%s", fault, left ? "no" : "still a", said);
}

static void put_back(const char *fault)
{
    if (is_journal() && restore(NULL) != 0)
        fail_msg("%s, then restore:\n%s", fault, said);
    assert_false(is_journal());
    check_registers(fault, false);
}

/* ---- the runs ---- */

static const char *const errors[] = {"EIO",   "ENXIO", "EACCES", "EPERM",
                                     "EROFS", "EINTR", "ENOENT", "SHORT"};
static const char *const lies[] = {"ONES", "LOST", "FLIP", "ZERO", "ONES", "LOST", "FLIP"};
static const char *const from_then_on[] = {"EIO", "ENXIO", "EROFS", "ONES"};
static const char *const signals[] = {"INT", "TERM", "HUP"};

/* Measures with a fault at one access after another, and with all kinds of faults in turn.
 * for_good: all accesses from there on are faulty. */
static void each(const char *const *kinds, size_t n, bool for_good, long few,
                 void (*then)(const char *fault, int status))
{
    begin();
    assert_int_equal(measure(NULL), 0);
    bool errors_or_lies = !for_good && n > 3;
    long all = accesses(), step = step_of(all, few, errors_or_lies);
    assert_true(all > 20);
    size_t kind = 0;
    for (long at = kinds == lies ? step - 1 : 0; at < all; at += step) {
        char fault[64];
        snprintf(fault, sizeof fault, "%s:%ld:%ld", kinds[kind++ % n], at,
                 for_good ? 1000000000 : at);
        then(fault, measure(fault));
        put_back(fault);
    }
    end();
}

static void an_access_that_fails(void **state)
{
    (void)state;
    need_fuse();
    each(errors, sizeof errors / sizeof *errors, false, 7, check_end);
}

static void an_access_that_lies(void **state)
{
    (void)state;
    need_fuse();
    each(lies, sizeof lies / sizeof *lies, false, 8, check_end);
}

static void a_device_that_breaks(void **state)
{
    (void)state;
    need_fuse();
    each(from_then_on, sizeof from_then_on / sizeof *from_then_on, true, 5, check_end);
}

/* The measurement ends early, unless the program has already ended. */
static void a_signal(void **state)
{
    (void)state;
    need_fuse();
    each(signals, sizeof signals / sizeof *signals, false, 5, check_end);
}

/* Status 0: this run took fewer accesses. */
static void check_killed(const char *fault, int status)
{
    if (status != 128 + SIGKILL && status != 0)
        fail_msg("%s: %d: %s", fault, status, said);
    if (!is_journal())
        check_registers(fault, false);
}

static void killed(void **state)
{
    (void)state;
    need_fuse();
    static const char *const kill9[] = {"KILL"};
    each(kill9, 1, false, 5, check_killed);
}

/* After a measurement was killed, `restore` is killed as well, or its accesses are faulty. */
static void killed_while_putting_back(void **state)
{
    (void)state;
    need_fuse();
    static const char *const kinds[] = {"KILL", "EIO", "LOST", "ONES", "TERM"};
    begin();
    assert_int_equal(measure(NULL), 0);
    char middle[64];
    long most = accesses();
    for (unsigned eighth = 2; eighth < 8 && !is_journal(); eighth++) { /* before it, all is saved */
        snprintf(middle, sizeof middle, "KILL:%ld:%ld", most * eighth / 8, most * eighth / 8);
        assert_int_equal(measure(middle), 128 + SIGKILL);
    }
    assert_int_equal(restore(NULL), 0);
    long all = accesses(), step = step_of(all, 4, false);
    for (long at = 0; at < all; at += step) {
        char fault[64];
        snprintf(fault, sizeof fault, "%s:%ld:%ld", kinds[at / step % 5], at, at);
        assert_int_equal(measure(middle), 128 + SIGKILL);
        int status = restore(fault);
        if (!is_journal())
            check_registers(fault, false);
        else if (status == 0)
            fail_msg("%s: a journal is left:\n%s", fault, said);
        put_back(fault);
    }
    end();
}

/* Accesses that take a tenth of a second change nothing. */
static void slow_accesses(void **state)
{
    (void)state;
    need_fuse();
    static const char *const slow[] = {"SLOW"};
    each(slow, 1, false, 1, check_end);
}

static int clean(void **state)
{
    (void)state;
    end(); /* after a test that failed */
    return 0;
}

int inject_faults(const char *machines)
{
    const struct CMUnitTest quick[] = {
        cmocka_unit_test_teardown(an_access_that_lies, clean),
        cmocka_unit_test_teardown(an_access_that_fails, clean),
        cmocka_unit_test_teardown(killed_while_putting_back, clean),
    };
    const struct CMUnitTest further[] = {
        cmocka_unit_test_teardown(a_device_that_breaks, clean),
        cmocka_unit_test_teardown(a_signal, clean),
        cmocka_unit_test_teardown(killed, clean),
        cmocka_unit_test_teardown(slow_accesses, clean),
    };
    while (strncmp(cases[current_case].machine, machines, strlen(machines)) != 0)
        current_case++;
    int failed = cmocka_run_group_tests_name(machines, quick, NULL, NULL);
    if (getenv("BX_LONG"))
        failed += cmocka_run_group_tests_name(machines, further, NULL, NULL);
    return failed;
}

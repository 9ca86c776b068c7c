/* What stat and doctor say about a lock's holder. They name a process, and suggest to kill it, only
 * if it is alive and took the lock. */
#include "../cmocked.h"

#include "cli/run.h"
#include "host/system/flock_taker.h"
#include "guard/journal.h"
#include "helper/helper_process.h"

#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static ran counts(const started *s, const char *more)
{
    return RUN("stat", "--machine", "host", "--root", s->f.root, more, "-e",
               "UNC_CBO_CACHE_LOOKUP:ANY_I", "--", "true");
}

static void expect_named(const started *s, const char *helper, pid_t pid)
{
    char text[100];
    ran r = counts(s, helper);
    assert_int_equal(r.status, 1);
    snprintf(text, sizeof text, "process %ld counts on package 0 already: ", (long)pid);
    assert_has(r.err, text);
    snprintf(text, sizeof text, "\n  hint: wait for it to end, or end it: kill %ld\n", (long)pid);
    assert_has(r.err, text);
    ran_free(&r);
}

static void expect_unnamed(const started *s, const char *helper)
{
    ran r = counts(s, helper);
    assert_int_equal(r.status, 1);
    assert_has(r.err, "boxscore: another process counts on package 0 already\n"
                      "  hint: wait for it to end\n");
    assert_has_not(r.err, "kill");
    ran_free(&r);
}

static void expect_not_found(const started *s)
{
    ran r = RUN("doctor", "--root", s->f.root);
    assert_has_not(r.out, " measures on package 0");
    assert_has_not(r.out, "kill ");
    ran_free(&r);
}

static void open_lock(const started *s, bx_lock *l)
{
    bx_error e = {0};
    assert_int_equal(bx_lock_open(l, bx_machine_number(s->f.root), 0, &e), BX_OK);
}

static void of_the_lock(void **state)
{
    (void)state;
    started s = helper_none();
    bx_lock l;
    bx_owner holder;
    char text[100];
    open_lock(&s, &l);
    assert_int_equal(bx_lock_take(&l, &holder), 0);
    expect_named(&s, "--helper=", getpid());
    ran r = RUN("doctor", "--root", s.f.root);
    snprintf(text, sizeof text, "lock          process %ld measures on package 0:", (long)getpid());
    assert_has(r.out, text);
    snprintf(text, sizeof text, "-> wait for it to end, or end it: kill %ld\n", (long)getpid());
    assert_has(r.out, text);
    ran_free(&r);
    bx_lock_let_go(&l);

    l.process.start_time++; /* another process with this number */
    assert_int_equal(bx_lock_take(&l, &holder), 0);
    expect_unnamed(&s, "--helper=");
    expect_not_found(&s);
    bx_lock_let_go(&l);

    pid_t pid = fork(); /* the child ends, but this process shares its lock */
    if (pid == 0) {
        l.process = bx_owner_self();
        _exit(bx_lock_take(&l, &holder));
    }
    int status;
    assert_int_equal(waitpid(pid, &status, 0), pid);
    assert_int_equal(status, 0);
    expect_unnamed(&s, "--helper=");
    expect_not_found(&s);
    bx_lock_drop(&l);
    helper_end(&s);
}

/* /proc/locks keeps the number of the process that took the lock. Here another process has that
 * number by now; it is alive and does not have the file open. */
static void of_a_number_alone(void **state)
{
    (void)state;
    started s = helper_none();
    bx_lock l;
    int told[2];
    char taken = 0;
    open_lock(&s, &l);
    assert_int_equal(pipe(told), 0);
    pid_t pid = fork();
    if (pid == 0) {
        bx_owner holder;
        l.process = bx_owner_self();
        taken = bx_lock_take(&l, &holder) == 0 && close(l.fd) == 0;
        if (write(told[1], &taken, 1) == 1)
            pause();
        _exit(1);
    }
    assert_int_equal(read(told[0], &taken, 1), 1);
    assert_true(taken);
    assert_int_equal(bx_flock_taker(l.fd), pid);
    expect_unnamed(&s, "--helper=");
    expect_not_found(&s);
    kill(pid, SIGKILL);
    assert_int_equal(waitpid(pid, NULL, 0), pid);
    close(told[0]);
    close(told[1]);
    bx_lock_drop(&l);
    helper_end(&s);
}

/* The lock's file has a line that names a live process which did not take the lock. */
static void of_a_forged_line(void **state)
{
    (void)state;
    started s = helper_start(NULL, NULL);
    char socket[120];
    int told[2];
    bx_lock l;
    bx_owner holder;
    snprintf(socket, sizeof socket, "--helper=%s", s.socket);
    open_lock(&s, &l);
    assert_int_equal(pipe(told), 0);
    pid_t victim = fork();
    if (victim == 0) {
        const bx_owner self = bx_owner_self();
        if (write(told[1], &self, sizeof self) == sizeof self)
            pause();
        _exit(1);
    }
    assert_int_equal(read(told[0], &l.process, sizeof l.process), sizeof l.process);
    assert_int_equal(l.process.pid, victim);
    assert_true(bx_owner_lives(l.process));
    assert_int_equal(bx_lock_take(&l, &holder), 0);
    expect_unnamed(&s, "--helper=");
    expect_unnamed(&s, socket);
    expect_not_found(&s);
    bx_lock_let_go(&l);
    l.process = bx_owner_self();
    assert_int_equal(bx_lock_take(&l, &holder), 0);
    expect_named(&s, "--helper=", getpid());
    expect_named(&s, socket, getpid());
    bx_lock_drop(&l);
    kill(victim, SIGKILL);
    assert_int_equal(waitpid(victim, NULL, 0), victim);
    close(told[0]);
    close(told[1]);
    helper_end(&s);
}

/* Checks the same for a client of the helper. Clients learn of each other only the start times that
 * they told the helper. */
static void of_the_helper(void **state)
{
    (void)state;
    char socket[120];
    started s = helper_start(NULL, NULL);
    snprintf(socket, sizeof socket, "--helper=%s", s.socket);
    const uint64_t start = bx_owner_self().start_time, told[] = {start, start + 1, 0};
    for (unsigned i = 0; i < 3; i++) {
        bx_protocol_message hello = {.kind = BX_PROTOCOL_HELLO, .n = 1};
        hello.record[0].value = told[i];
        int fd = connected(&s);
        assert_true(client_asks(fd, &hello));
        assert_int_equal(client_writes(fd, 64, 0x700, 0x8834), 0);
        if (told[i] == start)
            expect_named(&s, socket, getpid());
        else
            expect_unnamed(&s, socket);
        bx_protocol_message w = {.kind = BX_PROTOCOL_RELEASE, .n = 1};
        assert_true(client_asks(fd, &w));
        close(fd);
    }
    helper_end(&s);
}

/* A user who counts without the helper is not advised to end it, because others use it. */
static void of_a_client(void **state)
{
    (void)state;
    started s = helper_start(NULL, NULL);
    int fd = connected(&s);
    assert_int_equal(client_writes(fd, 64, 0x700, 0x8834), 0);
    ran r = counts(&s, "--helper=");
    assert_int_equal(r.status, 1);
    assert_has(r.err, "boxscore: boxscore-helper has lent package 0 to one of its clients\n"
                      "  hint: wait for that measurement to end: the helper takes the package back "
                      "then\n");
    assert_has_not(r.err, "kill");
    ran_free(&r);
    r = RUN("doctor", "--root", s.f.root);
    assert_has(r.out, "lock          boxscore-helper has lent package 0 to one of its clients\n");
    assert_has_not(r.out, "kill ");
    ran_free(&r);
    close(fd);
    helper_end(&s);
}

/* A user who cannot use root's folder of locks gets one remark, even for several runs. Without a
 * private folder nothing is counted. */
static void a_private_lock(void **state)
{
    (void)state;
    started s = helper_none();
    char script[1000];
    snprintf(script, sizeof script,
             "R=%s; U=; mkdir -m 700 $R/run\n"
             "if [ $(id -u) = 0 ]; then chown -R 65534 $R\n"
             "U='setpriv --reuid 65534 --regid 65534 --clear-groups'; fi\n"
             "counts() { $U \"$BOXSCORE\" stat --machine host --root $R --helper= -r 2 \\\n"
             "  -e UNC_CBO_CACHE_LOOKUP:ANY_I -o /dev/null -- true 2>&1; echo $?; }\n"
             "export XDG_RUNTIME_DIR=$R/run; counts; ls $R/run/boxscore $R/run/boxscore/lock\n"
             "chmod 755 $R/run; counts; unset XDG_RUNTIME_DIR; counts",
             s.f.root);
    ran r = run_shell(script);
    snprintf(script, sizeof script,
             "boxscore: " BX_LOCK_PRIVATE "\n0\n%s/run/boxscore:\nlock\n\n"
             "%s/run/boxscore/lock:\nboxscore: ",
             s.f.root, s.f.root);
    assert_has(r.out, script);
    assert_has(r.out, "/run' of locks is not trusted: user ");
    assert_has(r.out, "\n1\nboxscore: packages cannot be locked: '/run/boxscore/lock': ");
    assert_has(r.out, "\n  hint: join the group boxscore, or set XDG_RUNTIME_DIR to a folder of "
                      "yours, mode 700\n1\n");
    ran_free(&r);
    helper_end(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(of_the_lock),      cmocka_unit_test(of_a_number_alone),
        cmocka_unit_test(of_a_forged_line), cmocka_unit_test(of_the_helper),
        cmocka_unit_test(of_a_client),      cmocka_unit_test(a_private_lock),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

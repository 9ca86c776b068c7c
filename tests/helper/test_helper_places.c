/* Local users cannot use up all of the helper's connections, nor end the helper. */
#include "../cmocked.h"

#include "../mount_namespace.h"

#include "cli/run.h"
#include "helper/helper_process.h"

#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

enum { USERS = 54331, GROUP = 54320, HELPER_USER = 54319, CONNECTIONS = 8 };

static void become(uid_t uid, gid_t gid)
{
    if (setgroups(0, NULL) || setresgid(gid, gid, gid) || setresuid(uid, uid, uid))
        _exit(98);
}

/* A process of a user with idle connections; ends when `end` is closed. */
static pid_t idle_user(const started *s, uid_t uid, int ready, int end)
{
    pid_t pid = fork();
    if (pid)
        return pid;
    become(uid, GROUP);
    char byte = 0;
    unsigned served = 0;
    for (unsigned i = 0; i < CONNECTIONS + 1; i++) {
        uint64_t value;
        int fd = client_open(s);
        served += fd >= 0 && client_reads(fd, 64, 0x396, &value) == 0;
    }
    byte = (char)('0' + served);
    if (write(ready, &byte, 1) != 1)
        _exit(1);
    _exit(read(end, &byte, 1) != 0);
}

/* Four users have eight idle connections each: a fifth one finds no place, root does. As another
 * user than root there are no users to play. */
static void root_has_a_place(void **state)
{
    (void)state;
    int ready[2], end[2], status;
    char served;
    uint64_t value;
    pid_t pids[5];
    started s = helper_start("--group", "54320");
    assert_int_equal(pipe(ready), 0);
    assert_int_equal(pipe(end), 0);
    for (unsigned i = 0; i < 5; i++) {
        pids[i] = fork();
        if (pids[i] == 0) {
            close(end[1]);
            pid_t pid = idle_user(&s, USERS + i, ready[1], end[0]);
            _exit(waitpid(pid, &status, 0) != pid || status != 0);
        }
        assert_int_equal(read(ready[0], &served, 1), 1);
        assert_int_equal(served, i < 4 ? '0' + CONNECTIONS : '0');
    }
    int fd[CONNECTIONS + 1];
    for (unsigned i = 0; i < CONNECTIONS + 1; i++) {
        fd[i] = connected(&s);
        assert_int_equal(client_reads(fd[i], 64, 0x396, &value), i < CONNECTIONS ? 0 : 999);
    }
    assert_int_equal(client_writes(fd[7], 64, 0x700, 0x8834), 0);
    for (unsigned i = 0; i < CONNECTIONS + 1; i++)
        close(fd[i]);
    close(end[0]);
    close(end[1]);
    close(ready[0]);
    close(ready[1]);
    for (unsigned i = 0; i < 5; i++) {
        assert_int_equal(waitpid(pids[i], &status, 0), pids[i]);
        assert_int_equal(status, 0);
    }
    helper_end(&s);
}

/* Has /etc/passwd be this text, in this process and its children. */
static void set_users(const char *text)
{
    static bool mounted;
    char file[] = "/tmp/boxscore-passwd-XXXXXX";
    int fd = mkstemp(file);
    if (mounted)
        assert_int_equal(umount2("/etc/passwd", MNT_DETACH), 0);
    mounted = true;
    assert_true(fd >= 0);
    assert_int_equal(write(fd, text, strlen(text)), strlen(text));
    assert_int_equal(fchmod(fd, 0644), 0);
    assert_int_equal(mount(file, "/etc/passwd", NULL, MS_BIND, NULL), 0);
    close(fd);
    unlink(file);
}

/* 0, or the errno of a signal that a user sends. */
static int signals(uid_t uid, pid_t to)
{
    int status;
    pid_t pid = fork();
    if (pid == 0) {
        become(uid, uid);
        _exit(kill(to, 0) ? errno : 0);
    }
    assert_int_equal(waitpid(pid, &status, 0), pid);
    return WEXITSTATUS(status);
}

static ran doctor(const started *s)
{
    char script[300];
    snprintf(script, sizeof script, "\"$BOXSCORE\" doctor --root %s --helper %s", s->f.root,
             s->socket);
    return run_shell(script);
}

static const char todo[] =
    "              -> useradd --system boxscore-helper, and start it again\n";

/* Where there is a user boxscore-helper, nobody cannot end the helper; where there is none, doctor
 * tells. */
static void whose_it_is(void **state)
{
    (void)state;
    uint64_t value;
    set_users("root:x:0:0::/:/bin/false\nnobody:x:65534:65534::/:/bin/false\n");
    started s = helper_start(NULL, NULL);
    int fd = connected(&s);
    assert_int_equal(client_reads(fd, 64, 0x396, &value), 0);
    assert_int_equal(signals(65534, s.helper), 0);
    ran r = doctor(&s);
    assert_has(r.out, "it runs as user nobody: every process of that user can kill it\n");
    assert_has(r.out, todo);
    ran_free(&r);
    close(fd);
    helper_end(&s);

    set_users("root:x:0:0::/:/bin/false\nnobody:x:65534:65534::/:/bin/false\n"
              "boxscore-helper:x:54319:54319::/:/bin/false\n");
    s = helper_start(NULL, NULL);
    fd = connected(&s);
    assert_int_equal(client_reads(fd, 64, 0x396, &value), 0);
    const pid_t both[] = {s.helper, helper_server(&s)};
    for (unsigned i = 0; i < 2; i++) {
        assert_int_equal(signals(65534, both[i]), EPERM);
        assert_int_equal(signals(USERS, both[i]), EPERM);
        assert_int_equal(signals(HELPER_USER, both[i]), 0);
    }
    r = doctor(&s);
    assert_has(r.out, "it answers at ");
    assert_has_not(r.out, todo);
    ran_free(&r);
    close(fd);
    helper_end(&s);
    s = helper_start("--user", "nobody");
    fd = connected(&s);
    assert_int_equal(client_reads(fd, 64, 0x396, &value), 0);
    assert_int_equal(signals(HELPER_USER, s.helper), EPERM);
    close(fd);
    helper_end(&s);
}

/* Of this, a user without rights can do the part that needs one user. */
static void one_user(void **state)
{
    (void)state;
    started s = helper_start(NULL, NULL);
    int fd[CONNECTIONS + 1];
    uint64_t value;
    for (unsigned i = 0; i < CONNECTIONS + 1; i++) {
        fd[i] = connected(&s);
        assert_int_equal(client_reads(fd[i], 64, 0x396, &value), i < CONNECTIONS ? 0 : 999);
    }
    for (unsigned i = 0; i < CONNECTIONS + 1; i++)
        close(fd[i]);
    helper_end(&s);
}

int main(void)
{
    const struct CMUnitTest of_root[] = {
        cmocka_unit_test(root_has_a_place),
        cmocka_unit_test(whose_it_is),
    };
    const struct CMUnitTest of_others[] = {cmocka_unit_test(one_user)};
    /* Users other than root cannot play other users: a user namespace knows one. */
    if (getuid() != 0)
        return cmocka_run_group_tests(of_others, NULL, NULL);
    return enter_mount_namespace() ? cmocka_run_group_tests(of_root, NULL, NULL) : EXIT_SKIPPED;
}

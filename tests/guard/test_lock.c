/* Locks of packages: there is one holder, even if others try to interfere. Tests of a folder that
 * users share need a mount namespace with its own /run, which only root can make. */
#include "../cmocked.h"

#include "../mount_namespace.h"

#include "guard/lock.h"

#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

enum { ALICE = 54321, BOB = 54322, GROUP = 54320 };

/* ---- folders ---- */

/* As root: mounts an empty /run, and an /etc/group with `groups`. Otherwise makes an empty
 * $XDG_RUNTIME_DIR. Returns the folder of locks. */
static const char *new_place(const char *groups)
{
    static char path[128];
    snprintf(path, sizeof path, "/run/boxscore/lock");
    if (getuid() == 0) {
        char file[] = "/tmp/boxscore-group-XXXXXX";
        int fd = mkstemp(file);
        assert_true(fd >= 0);
        assert_int_equal(write(fd, groups, strlen(groups)), strlen(groups));
        assert_int_equal(fchmod(fd, 0644), 0);
        assert_int_equal(mount("none", "/run", "tmpfs", 0, "mode=755"), 0);
        assert_int_equal(mount(file, "/etc/group", NULL, MS_BIND, NULL), 0);
        close(fd);
        unlink(file);
    } else {
        char base[] = "/tmp/boxscore-locks-XXXXXX";
        assert_non_null(mkdtemp(base));
        setenv("XDG_RUNTIME_DIR", base, 1);
        snprintf(path, sizeof path, "%s/boxscore/lock", base);
    }
    return path;
}

/* Removes what new_place() mounted or made. */
static void end_place(void)
{
    if (getuid() == 0) {
        assert_int_equal(umount2("/etc/group", MNT_DETACH), 0);
        assert_int_equal(umount2("/run", MNT_DETACH), 0);
        return;
    }
    char script[200];
    snprintf(script, sizeof script, "rm -r '%s'", getenv("XDG_RUNTIME_DIR"));
    assert_int_equal(system(script), 0);
}

static const char no_group[] = "root:x:0:\n", with_group[] = "root:x:0:\nboxscore:x:54320:\n";

static unsigned files_in(const char *folder)
{
    char script[200], text[16] = "";
    snprintf(script, sizeof script, "ls -A '%s' 2>/dev/null | wc -l", folder);
    FILE *f = popen(script, "r");
    assert_non_null(f);
    assert_non_null(fgets(text, sizeof text, f));
    pclose(f);
    return (unsigned)strtoul(text, NULL, 10);
}

/* Runs a function in a child process as another user; returns its exit status. */
static int as_user(uid_t uid, gid_t also, int (*what)(void))
{
    int status;
    fflush(NULL);
    pid_t pid = fork();
    if (pid == 0) {
        if (setgroups(also ? 1 : 0, &also) || setresgid(uid, uid, uid) || setresuid(uid, uid, uid))
            _exit(98);
        _exit(what());
    }
    assert_int_equal(waitpid(pid, &status, 0), pid);
    assert_true(WIFEXITED(status));
    return WEXITSTATUS(status);
}

/* ---- one holder ---- */

static int take(uint64_t machine, int package, bx_lock *l, bx_owner *holder)
{
    bx_error e = {0};
    if (bx_lock_open(l, machine, package, &e) != BX_OK)
        fail_msg("%s", e.message);
    int err = bx_lock_take(l, holder);
    if (err)
        bx_lock_drop(l);
    return err;
}

static void one_holder(void **state)
{
    (void)state;
    const char *folder = new_place(no_group);
    bx_lock a, b;
    bx_owner holder = {0}, self = bx_owner_self();
    assert_false(bx_lock_is_held(1, 0, &holder));
    assert_int_equal(take(1, 0, &a, &holder), 0);
    for (unsigned i = 0; i < 10; i++) { /* the holder is known */
        holder = (bx_owner){0};
        assert_int_equal(take(1, 0, &b, &holder), EADDRINUSE);
        assert_int_equal(holder.pid, self.pid);
        assert_int_equal(holder.start_time, self.start_time);
    }
    assert_true(bx_lock_is_held(1, 0, &holder));
    assert_int_equal(holder.pid, getpid());
    assert_int_equal(take(1, 1, &b, &holder), 0); /* another package */
    bx_lock_drop(&b);
    assert_int_equal(take(2, 0, &b, &holder), 0); /* another machine */
    bx_lock_drop(&b);
    assert_int_equal(files_in(folder), 1);
    bx_lock_drop(&a);
    bx_lock_drop(&a);
    assert_false(bx_lock_is_held(1, 0, &holder));
    assert_int_equal(files_in(folder), 0); /* no file remains */
    assert_int_equal(take(1, 0, &b, &holder), 0);
    bx_lock_drop(&b);
    end_place();
}

/* A process that keeps the file open for long, such as the helper, prevents that others remove
 * it. */
static void kept_open(void **state)
{
    (void)state;
    const char *folder = new_place(no_group);
    bx_lock helper, a;
    bx_owner holder;
    bx_error e = {0};
    assert_int_equal(bx_lock_open(&helper, 1, 0, &e), BX_OK);
    assert_int_equal(take(1, 0, &a, &holder), 0);
    assert_int_equal(bx_lock_take(&helper, &holder), EADDRINUSE);
    bx_lock_drop(&a);
    assert_int_equal(files_in(folder), 1);
    assert_int_equal(bx_lock_take(&helper, &holder), 0);
    assert_int_equal(bx_lock_take(&helper, &holder), 0); /* it already has the lock */
    assert_int_equal(take(1, 0, &a, &holder), EADDRINUSE);
    bx_lock_let_go(&helper);
    bx_lock_let_go(&helper);
    assert_int_equal(take(1, 0, &a, &holder), 0);
    bx_lock_drop(&a);
    char script[200];
    snprintf(script, sizeof script, "rm '%s'/*", folder);
    assert_int_equal(system(script),
                     0); /* somebody removes the file, so nobody would see a lock on it */
    assert_int_equal(bx_lock_take(&helper, &holder), ESTALE);
    bx_lock_drop(&helper);
    end_place();
}

/* A killed holder leaves no lock. The next process that locks removes its file, even if it locks
 * another machine. */
static void killed_holders(void **state)
{
    (void)state;
    const char *folder = new_place(no_group);
    bx_lock l;
    bx_owner holder;
    for (unsigned i = 0; i < 20; i++) {
        int ready[2], status;
        char byte;
        assert_int_equal(pipe(ready), 0);
        fflush(NULL);
        pid_t pid = fork();
        if (pid == 0) {
            if (take(i / 2, 0, &l, &holder) == 0 && write(ready[1], "x", 1) == 1)
                pause();
            _exit(1);
        }
        assert_int_equal(read(ready[0], &byte, 1), 1);
        assert_int_equal(take(i / 2, 0, &l, &holder), EADDRINUSE);
        assert_int_equal(holder.pid, pid);
        assert_int_equal(kill(pid, SIGKILL), 0);
        assert_int_equal(waitpid(pid, &status, 0), pid);
        assert_false(bx_lock_is_held(i / 2, 0, &holder));
        if (i % 2) {
            assert_int_equal(take(i / 2, 0, &l, &holder), 0);
            bx_lock_drop(&l);
        }
        assert_int_equal(files_in(folder), i % 2 ? 0 : 1);
        close(ready[0]);
        close(ready[1]);
    }
    end_place();
}

/* Waits until `n` processes have called this `round` times. */
static void meet(volatile unsigned *count, unsigned n, unsigned round)
{
    __atomic_add_fetch(count, 1, __ATOMIC_SEQ_CST);
    while (__atomic_load_n(count, __ATOMIC_SEQ_CST) < n * round)
        sched_yield();
}

/* Two processes lock at once, while a third one removes left files and gets in their way. */
static void races(void **state)
{
    (void)state;
    enum { ROUNDS = 1000 };
    new_place(no_group);
    struct {
        unsigned at, got[ROUNDS], over;
    } *shared =
        mmap(NULL, sizeof *shared, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    assert_true(shared != MAP_FAILED);
    fflush(NULL);
    pid_t pids[3];
    for (unsigned who = 0; who < 3; who++) {
        pids[who] = fork();
        if (pids[who])
            continue;
        bx_lock l;
        bx_owner holder;
        bx_error e = {0};
        for (unsigned i = 0; who == 2 && !__atomic_load_n(&shared->over, __ATOMIC_SEQ_CST); i++) {
            if (bx_lock_open(&l, 1000 + i % 7, 0, &e) != BX_OK)
                _exit(1);
            bx_lock_is_held(1, 0, &holder);
            bx_lock_drop(&l);
        }
        for (unsigned i = 0; who < 2 && i < ROUNDS; i++) {
            meet(&shared->at, 2, 2 * i + 1);
            if (bx_lock_open(&l, 1, 0, &e) != BX_OK)
                _exit(2);
            int err = bx_lock_take(&l, &holder);
            if (err && err != EADDRINUSE)
                _exit(3);
            __atomic_add_fetch(&shared->got[i], !err, __ATOMIC_SEQ_CST);
            meet(&shared->at, 2, 2 * i + 2);
            bx_lock_drop(&l);
        }
        _exit(0);
    }
    for (unsigned who = 0; who < 3; who++) {
        int status;
        assert_int_equal(waitpid(pids[who], &status, 0), pids[who]);
        assert_int_equal(status, 0);
        __atomic_store_n(&shared->over, who > 0, __ATOMIC_SEQ_CST);
    }
    for (unsigned i = 0; i < ROUNDS; i++)
        assert_int_equal(shared->got[i], 1);
    munmap(shared, sizeof *shared);
    end_place();
}

/* ---- files from others ---- */

static void odd_files(void **state)
{
    (void)state;
    static const char *const cases[] = {"ln -s victim", "ln -s nowhere", "ln victim", "mkfifo",
                                        "mkdir"};
    const char *folder = new_place(no_group);
    bx_lock l;
    bx_owner holder;
    assert_int_equal(take(1, 0, &l, &holder), 0);
    char name[sizeof l.name], script[500];
    memcpy(name, l.name, sizeof name);
    bx_lock_drop(&l);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        bx_error e = {0};
        snprintf(script, sizeof script, "cd '%s' && echo kept >victim && %s %s", folder, cases[i],
                 name);
        assert_int_equal(system(script), 0);
        assert_int_equal(bx_lock_open(&l, 1, 0, &e), BX_NO_ACCESS);
        if (!strstr(e.message, "this is no file of boxscore's") || !strstr(e.message, name))
            fail_msg("%s: %s", cases[i], e.message);
        assert_string_equal(e.hint, "find out who created it, then remove it");
        assert_int_equal(take(2, 0, &l, &holder), 0); /* other packages can be locked */
        bx_lock_drop(&l);
        snprintf(script, sizeof script,
                 "cd '%s' && [ \"$(cat victim)\" = kept ] && [ ! -e nowhere ] && rm -r %s victim",
                 folder, name);
        assert_int_equal(system(script), 0);
    }
    end_place();
}

static void odd_folders(void **state)
{
    (void)state;
    static const struct {
        const char *made;
        bool root;
    } cases[] = {
        {"chmod 777 %s/boxscore", false},       {"chmod 770 %s/boxscore", false},
        {"chmod 1777 %s/boxscore/lock", false}, {"chmod 770 %s/boxscore/lock", false},
        {"chown 54321 %s/boxscore", true},      {"chown 54321 %s/boxscore/lock", true},
    };
    bx_lock l;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char base[100], made[200], script[400];
        bx_owner holder;
        bx_error e = {0};
        if (cases[i].root && getuid() != 0)
            continue;
        new_place(no_group);
        snprintf(base, sizeof base, "%s", getuid() ? getenv("XDG_RUNTIME_DIR") : "/run");
        assert_int_equal(take(1, 0, &l, &holder), 0);
        bx_lock_drop(&l);
        snprintf(made, sizeof made, cases[i].made, base);
        assert_int_equal(system(made), 0);
        assert_int_equal(bx_lock_open(&l, 1, 0, &e), BX_NO_ACCESS);
        if (!strstr(e.message, " of locks is not trusted: "))
            fail_msg("%s: %s", made, e.message);
        snprintf(script, sizeof script, "%s",
                 strstr(e.hint, "; then ") + strlen("; then ")); /* the hint's command helps */
        assert_int_equal(system(script), 0);
        assert_int_equal(take(1, 0, &l, &holder), 0);
        bx_lock_drop(&l);
        end_place();
    }
}

/* A process that locks the file's first byte and keeps it. A process that removes the file does so
 * too, but only for a moment. */
static void kept_to_oneself(void **state)
{
    (void)state;
    new_place(no_group);
    bx_lock a, l;
    bx_owner holder;
    bx_error e = {0};
    char path[400];
    struct flock first = {.l_type = F_WRLCK, .l_whence = SEEK_SET, .l_len = 1};
    assert_int_equal(bx_lock_open(&a, 1, 0, &e), BX_OK); /* makes the file */
    assert_int_equal(fcntl(a.fd, F_OFD_SETLK, &first), 0);
    assert_int_equal(bx_lock_open(&l, 1, 0, &e), BX_NO_ACCESS);
    const char *base = getuid() == 0 ? "/run" : getenv("XDG_RUNTIME_DIR");
    snprintf(path, sizeof path,
             "package 0 cannot be locked: '%s/boxscore/lock/package-0-%016x': another "
             "process holds a lock that prevents opening it (fcntl)",
             base, 1);
    assert_string_equal(e.message, path);
    snprintf(
        path, sizeof path,
        "'fuser -v %s/boxscore/lock/package-0-%016x' shows, as root, the processes that have it "
        "open: end those that are not boxscore",
        base, 1);
    assert_string_equal(e.hint, path);
    bx_lock_drop(&a);
    assert_int_equal(take(1, 0, &l, &holder), 0);
    bx_lock_drop(&l);
    end_place();
}

/* ---- who can lock ---- */

/* Exit status: 0: the lock is shared with root; 1: the lock is private; 2: refused; 3: taken by
 * another process. */
static int try_lock(void)
{
    bx_lock l;
    bx_owner holder;
    bx_error e = {0};
    if (bx_lock_open(&l, 1, 0, &e) != BX_OK)
        return strstr(e.hint, "join the group boxscore, or set XDG_RUNTIME_DIR") ? 2 : 99;
    int result = bx_lock_take(&l, &holder) ? 3 : l.is_private;
    bx_lock_drop(&l);
    return result;
}

/* Attacks by local users outside the group; exit status 0: none succeeds. */
static int attack(void)
{
    char file[200];
    snprintf(file, sizeof file, "/run/boxscore/lock/package-0-%016x", 1);
    return mkdir("/run/boxscore/lock/x", 0777) == 0 || chmod("/run/boxscore/lock", 0777) == 0 ||
           open("/run/boxscore/lock", O_RDONLY | O_DIRECTORY) >= 0 || open(file, O_RDONLY) >= 0 ||
           open(file, O_RDWR | O_CREAT, 0666) >= 0 || unlink(file) == 0 ||
           rename("/run/boxscore/lock", "/run/boxscore/other") == 0 ||
           symlink("/tmp", "/run/boxscore/link") == 0;
}

/* A group member cannot remove root's lock file. */
static int attack_of_member(void)
{
    char file[200];
    snprintf(file, sizeof file, "/run/boxscore/lock/package-0-%016x", 1);
    return access(file, R_OK | W_OK) != 0 || unlink(file) == 0 || errno != EPERM ||
           rename(file, "/run/boxscore/lock/other") == 0;
}

/* Takes the lock, and leaves the file behind as if killed. */
static int lock_and_end(void)
{
    bx_lock l;
    bx_owner holder;
    bx_error e = {0};
    return bx_lock_open(&l, 1, 0, &e) == BX_OK ? bx_lock_take(&l, &holder) : 99;
}

/* Root and the group lock against each other; other users cannot interfere. */
static void who_can_lock(void **state)
{
    (void)state;
    if (getuid() != 0) { /* only root can become the users of the other cases */
        char script[200];
        new_place(no_group);
        assert_int_equal(try_lock(), 1);
        snprintf(script, sizeof script, "chmod 755 '%s'", getenv("XDG_RUNTIME_DIR"));
        assert_int_equal(system(script), 0);
        assert_int_equal(try_lock(), 99);
        end_place();
        unsetenv("XDG_RUNTIME_DIR");
        assert_int_equal(try_lock(), 2);
        return;
    }
    struct stat about;
    bx_lock l;
    bx_owner holder;
    char own[] = "/tmp/boxscore-locks-XXXXXX";
    assert_non_null(mkdtemp(own));
    assert_int_equal(chown(own, ALICE, ALICE), 0);
    unsetenv("XDG_RUNTIME_DIR");
    new_place(no_group);
    assert_int_equal(as_user(ALICE, GROUP, try_lock),
                     2); /* the folder does not exist, and only root makes it */
    assert_int_equal(take(1, 0, &l, &holder), 0);
    bx_lock_drop(&l);
    assert_int_equal(stat("/run/boxscore/lock", &about), 0);
    assert_int_equal(about.st_mode & 07777, 0700);
    assert_int_equal(as_user(ALICE, GROUP, try_lock), 2);
    end_place();

    new_place(with_group);
    assert_int_equal(mkdir("/run/boxscore", 0755), 0);
    assert_int_equal(mkdir("/run/boxscore/lock", 0700), 0); /* made before the group existed */
    assert_int_equal(take(1, 0, &l, &holder), 0);
    assert_int_equal(stat("/run/boxscore/lock", &about), 0);
    assert_int_equal(about.st_mode & 07777, 01770);
    assert_int_equal(about.st_gid, GROUP);
    assert_int_equal(as_user(ALICE, 0, attack), 0);
    assert_int_equal(as_user(65534, 0, attack), 0);
    assert_int_equal(as_user(ALICE, 0, try_lock), 2);
    assert_int_equal(as_user(ALICE, GROUP, attack_of_member), 0);
    assert_int_equal(as_user(ALICE, GROUP, try_lock), 3);
    bx_lock_drop(&l);
    assert_int_equal(files_in("/run/boxscore/lock"), 0);
    assert_int_equal(as_user(ALICE, GROUP, try_lock), 0);
    assert_int_equal(files_in("/run/boxscore/lock"), 0);

    assert_int_equal(as_user(ALICE, GROUP, lock_and_end), 0);
    assert_int_equal(files_in("/run/boxscore/lock"), 1);
    assert_int_equal(as_user(BOB, GROUP, try_lock),
                     0); /* another member uses the file that she left */
    assert_int_equal(take(1, 0, &l, &holder), 0);
    bx_lock_drop(&l);
    assert_int_equal(files_in("/run/boxscore/lock"), 0);

    assert_int_equal(setenv("XDG_RUNTIME_DIR", own, 1), 0);
    assert_int_equal(take(1, 0, &l, &holder), 0);
    assert_int_equal(as_user(ALICE, 0, try_lock), 1); /* privately, although root has its lock */
    assert_int_equal(as_user(BOB, 0, try_lock), 2);   /* he has no access to the folder */
    assert_int_equal(chmod(own, 0755), 0);
    assert_int_equal(as_user(ALICE, 0, try_lock), 99);
    bx_lock_drop(&l);
    end_place();
    char script[200];
    snprintf(script, sizeof script, "rm -r %s", own);
    assert_int_equal(system(script), 0);
}

/* A process that reaches its limit of file sizes is not killed. */
static void no_room(void **state)
{
    (void)state;
    new_place(no_group);
    int status;
    fflush(NULL);
    pid_t pid = fork();
    if (pid == 0) {
        bx_lock l;
        bx_owner holder;
        const struct rlimit none = {0, 0};
        setrlimit(RLIMIT_FSIZE, &none);
        int err = take(1, 0, &l, &holder);
        _exit(err ? err : take(1, 0, &(bx_lock){0}, &holder) == EADDRINUSE && !holder.pid ? 0 : 1);
    }
    assert_int_equal(waitpid(pid, &status, 0), pid);
    assert_int_equal(status, 0);
    end_place();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_holder),      cmocka_unit_test(kept_open),
        cmocka_unit_test(killed_holders),  cmocka_unit_test(races),
        cmocka_unit_test(odd_files),       cmocka_unit_test(odd_folders),
        cmocka_unit_test(who_can_lock),    cmocka_unit_test(no_room),
        cmocka_unit_test(kept_to_oneself),
    };
    if (getuid() == 0 && !enter_mount_namespace())
        return EXIT_SKIPPED;
    return cmocka_run_group_tests(tests, NULL, NULL);
}

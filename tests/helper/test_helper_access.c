/* Access to the helper's executable: users, the socket, the rights that the helper keeps, and
 * clients in crowds or with half-closed connections. */
#include "../cmocked.h"

#include "cli/run.h"
#include "helper/helper_process.h"

#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

static unsigned open_files(pid_t pid)
{
    char path[64];
    unsigned n = 0;
    for (unsigned fd = 0; fd < 256; fd++) {
        char target[8];
        snprintf(path, sizeof path, "/proc/%ld/fd/%u", (long)pid, fd);
        n += readlink(path, target, sizeof target) > 0;
    }
    return n;
}

static void descriptors_are_not_taken(void **state)
{
    (void)state;
    started s = helper_start(NULL, NULL);
    uint8_t bytes[BX_PROTOCOL_MAX_BYTES];
    bx_protocol_message w = {.kind = BX_PROTOCOL_HELLO, .n = 1};
    struct iovec part = {bytes, bx_protocol_encode(&w, bytes)};
    union {
        char bytes[CMSG_SPACE(4 * sizeof(int))];
        struct cmsghdr aligned;
    } control = {{0}};
    struct msghdr message = {.msg_iov = &part,
                             .msg_iovlen = 1,
                             .msg_control = control.bytes,
                             .msg_controllen = sizeof control.bytes};
    int first = connected(&s);
    uint64_t value;
    assert_int_equal(client_reads(first, 64, 0x396, &value),
                     0); /* the helper has closed the inherited files */
    unsigned before = open_files(helper_server(&s));
    for (unsigned i = 0; i < 20; i++) {
        int fd = connected(&s), passed[4] = {0, 1, 2, fd};
        struct cmsghdr *head = CMSG_FIRSTHDR(&message);
        head->cmsg_level = SOL_SOCKET;
        head->cmsg_type = SCM_RIGHTS;
        head->cmsg_len = CMSG_LEN(sizeof passed);
        memcpy(CMSG_DATA(head), passed, sizeof passed);
        assert_true(sendmsg(fd, &message, 0) > 0);
        assert_true(client_dropped(fd));
        close(fd);
    }
    assert_int_equal(open_files(helper_server(&s)), before);
    close(first);
    helper_end(&s);
}

/* A client that never receives its answers waits; all others are served. */
static void a_flood(void **state)
{
    (void)state;
    started s = helper_start(NULL, NULL);
    uint8_t bytes[BX_PROTOCOL_MAX_BYTES];
    uint64_t value;
    bx_protocol_message w = {.kind = BX_PROTOCOL_READ, .n = BX_PROTOCOL_MAX_RECORDS};
    size_t n = bx_protocol_encode(&w, bytes);
    int flood = connected(&s), other = connected(&s);
    fcntl(flood, F_SETFL, O_NONBLOCK);
    unsigned sent = 0, blocked = 0;
    while (blocked < 50 && sent < 1000000) {
        if (send(flood, bytes, n, MSG_NOSIGNAL) > 0) {
            sent++;
            continue;
        }
        assert_int_equal(errno, EAGAIN);
        blocked++;
        assert_int_equal(client_reads(other, 64, 0x396, &value), 0);
    }
    assert_int_equal(blocked, 50);
    close(flood);
    assert_int_equal(client_reads(other, 64, 0x396, &value), 0);
    close(other);
    helper_end(&s);
}

static void too_many(void **state)
{
    (void)state;
    started s = helper_start(NULL, NULL);
    int fd[12];
    uint64_t value;
    for (unsigned i = 0; i < 12; i++)
        fd[i] = connected(&s);
    for (unsigned i = 0; i < 12; i++)
        assert_int_equal(client_reads(fd[i], 64, 0x396, &value), i < 8 ? 0 : 999);
    close(fd[3]);
    for (unsigned waited = 0;; waited++) {
        int again = connected(&s);
        int err = client_reads(again, 64, 0x396, &value);
        close(again);
        if (err == 0)
            break;
        assert_true(waited < 2000);
        usleep(1000);
    }
    for (unsigned i = 0; i < 12; i++)
        if (i != 3)
            close(fd[i]);
    helper_end(&s);
}

/* A thousand clients that connect and leave, stay silent, or close one direction: other clients are
 * served. */
static void crowds(void **state)
{
    (void)state;
    started s = helper_start(NULL, NULL);
    int other = connected(&s), idle[6], fd;
    uint64_t value;
    assert_int_equal(client_reads(other, 64, 0x396, &value), 0);
    unsigned before = open_files(helper_server(&s));
    for (unsigned i = 0; i < 1000; i++) {
        fd = connected(&s);
        if (i % 3 == 0)
            send(fd, "half a me", 9, MSG_NOSIGNAL);
        if (i % 5 == 0)
            shutdown(fd, SHUT_RDWR);
        close(fd);
        if (i % 16 == 0)
            assert_int_equal(client_reads(other, 64, 0x396, &value), 0);
    }
    for (unsigned i = 0; i < 6; i++)
        idle[i] = connected(&s);
    assert_int_equal(client_reads(other, 64, 0x396, &value), 0);
    for (unsigned i = 0; i < 6; i++)
        close(idle[i]);

    /* sends a request, but does not receive the answer */
    uint8_t bytes[BX_PROTOCOL_MAX_BYTES];
    bx_protocol_message w = {.kind = BX_PROTOCOL_READ, .n = BX_PROTOCOL_MAX_RECORDS};
    size_t n = bx_protocol_encode(&w, bytes);
    fd = connected(&s);
    assert_true(send(fd, bytes, n, MSG_NOSIGNAL) > 0);
    shutdown(fd, SHUT_RD);
    assert_int_equal(client_reads(other, 64, 0x396, &value), 0);
    close(fd);
    /* A half-closed connection is closed. */
    fd = connected(&s);
    assert_int_equal(client_writes(fd, 64, 0x700, 0x8834), 0);
    shutdown(fd, SHUT_WR);
    assert_true(client_dropped(fd));
    assert_int_equal(client_reads(other, 64, 0x700, &value), 0);
    assert_int_equal(value, 0);
    close(fd);
    for (unsigned waited = 0; open_files(helper_server(&s)) != before; waited++) {
        assert_true(waited < 2000);
        usleep(1000);
    }
    close(other);
    helper_end(&s);
}

/* Folders that other users can write to, and existing files at the socket's path. */
static void where_it_listens(void **state)
{
    (void)state;
    static const struct {
        const char *made, *socket, *says;
    } cases[] = {
        {"mkdir -m 777 %s/w", "w/s", "others can put a socket of theirs into the folder '"},
        {"mkdir -m 770 %s/g", "g/s", "others can put a socket of theirs into the folder '"},
        {"mkdir -m 1777 %s/t", "t/s", "others can put a socket of theirs into the folder '"},
        {"mkdir -m 777 %s/a; mkdir -m 755 %s/a/b", "a/b/s", "/a'\n"},
        {"mkdir %s/o; chown 1234 %s/o", "o/s",
         "others can put a socket of theirs into the folder '"},
        {"ln -s %s/w %s/l", "l/s", "others can put a socket of theirs into the folder '"},
        {"echo kept > %s/f", "f", "/f': File exists\n"},
        {"ln -s %s/f %s/k", "k", "/k': File exists\n"},
        {"ln -s nowhere %s/n", "n", "/n': File exists\n"},
        {":", "none/of/it/s", "/none/of/it' cannot be made: No such file or directory\n"},
        {"touch %s/x", "x/s", "/x/s': Not a directory\n"},
        {":", "helper.sock", "/helper.sock': Address already in use\n"},
    };
    started s = helper_start(NULL, NULL);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char made[300], script[800];
        if (strstr(cases[i].made, "chown") && getuid() != 0)
            continue;
        snprintf(made, sizeof made, cases[i].made, s.f.root, s.f.root);
        snprintf(script, sizeof script, "%s\n\"$HELPER\" --root %s --socket %s/%s", made, s.f.root,
                 s.f.root, cases[i].socket);
        ran r = run_shell(script);
        if (r.status != 1 || !strstr(r.err, cases[i].says))
            fail_msg("%s: %d %s", made, r.status, r.err);
        ran_free(&r);
    }
    char path[96];
    struct stat about;
    snprintf(path, sizeof path, "%s/f", s.f.root);
    assert_int_equal(stat(path, &about), 0);
    assert_int_equal(about.st_size, 5);
    helper_end(&s);
}

/* Sockets of other programs are neither replaced nor waited for: one of another type, and one whose
 * program accepts nobody and has no room for one more connection. */
static void sockets_of_others(void **state)
{
    (void)state;
    static const int types[] = {SOCK_STREAM, SOCK_DGRAM, SOCK_SEQPACKET};
    started s = helper_start(NULL, NULL);
    for (unsigned i = 0; i < 3; i++) {
        char script[300];
        struct stat before, after;
        struct sockaddr_un at = {.sun_family = AF_UNIX};
        int fd = socket(AF_UNIX, types[i] | SOCK_CLOEXEC, 0), client[8], n = 0;
        snprintf(at.sun_path, sizeof at.sun_path, "%s/other%u", s.f.root, i);
        assert_int_equal(bind(fd, (const struct sockaddr *)&at, sizeof at), 0);
        assert_true(types[i] == SOCK_DGRAM || listen(fd, 0) == 0);
        for (bool full = types[i] != SOCK_SEQPACKET; !full; n++) {
            assert_true(n < 8);
            client[n] = socket(AF_UNIX, types[i] | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
            full = connect(client[n], (const struct sockaddr *)&at, sizeof at) != 0;
        }
        assert_int_equal(stat(at.sun_path, &before), 0);
        snprintf(script, sizeof script, "\"$HELPER\" --root %s --socket %s", s.f.root, at.sun_path);
        ran r = run_shell(script);
        assert_int_equal(r.status, 1);
        assert_has(r.err, "': Address already in use\n");
        ran_free(&r);
        assert_int_equal(stat(at.sun_path, &after), 0);
        assert_int_equal(after.st_ino, before.st_ino);
        for (int k = 0; k < n; k++)
            close(client[k]);
        close(fd);
    }
    helper_end(&s);
}

static bool has_line(pid_t pid, const char *line, char *text, size_t room)
{
    char path[64];
    snprintf(path, sizeof path, "/proc/%ld/status", (long)pid);
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    ssize_t n = read(fd, text, room - 1);
    assert_true(n > 0);
    close(fd);
    text[n] = '\0';
    return strstr(text, line);
}

/* The waiting process may not have finished its set-up. */
static void status_has(pid_t pid, const char *line)
{
    char text[4096];
    for (unsigned waited = 0; !has_line(pid, line, text, sizeof text); waited++) {
        if (waited > 5000)
            fail_msg("no '%s' in\n%s", line, text);
        usleep(1000);
    }
}

/* The process has no rights: no capabilities and no way to get any, no_new_privs, and seccomp. If
 * it was root, it is nobody now, without the supplementary groups that it was started with. */
static void no_rights(void **state)
{
    (void)state;
    gid_t groups[64];
    const gid_t other = 54322;
    int n = getgroups(64, groups);
    assert_true(n >= 0);
    if (getuid() == 0)
        assert_int_equal(setgroups(1, &other), 0);
    started s = helper_start("--user", "nobody");
    if (getuid() == 0)
        assert_int_equal(setgroups((size_t)n, groups), 0);
    int fd = connected(&s);
    uint64_t value;
    assert_int_equal(client_reads(fd, 64, 0x396, &value), 0); /* it serves: rights are dropped */
    const pid_t both[] = {s.helper, helper_server(&s)};
    for (unsigned i = 0; i < 2; i++) {
        status_has(both[i], "\nCapPrm:\t0000000000000000\n");
        status_has(both[i], "\nCapEff:\t0000000000000000\n");
        status_has(both[i], "\nCapInh:\t0000000000000000\n");
        status_has(both[i], "\nNoNewPrivs:\t1\n");
        status_has(both[i], "\nSeccomp:\t2\n");
        if (getuid() == 0)
            status_has(both[i], "\nCapBnd:\t0000000000000000\n");
        if (getuid() == 0)
            status_has(both[i], "\nUid:\t65534\t65534\t65534\t65534\n");
        if (getuid() == 0)
            status_has(both[i], "\nGroups:\t \n");
    }
    close(fd);
    helper_end(&s);
}

/* Plays a client as another user. Exit status 0: served; 99: connection closed; else an errno. */
static int as_user(const started *s, uid_t uid, gid_t gid, gid_t also)
{
    int status;
    pid_t pid = fork();
    if (pid == 0) {
        uint64_t value;
        if (setgroups(also ? 1 : 0, &also) || setresgid(gid, gid, gid) || setresuid(uid, uid, uid))
            _exit(98);
        int fd = client_open(s);
        if (fd < 0)
            _exit(errno);
        _exit(client_reads(fd, 64, 0x396, &value) == 0 ? 0 : 99);
    }
    assert_int_equal(waitpid(pid, &status, 0), pid);
    assert_true(WIFEXITED(status));
    return WEXITSTATUS(status);
}

/* Only root can become other users; others only test the mode of the socket. */
static void who_is_let_in(void **state)
{
    (void)state;
    struct stat about;
    char group[16];
    snprintf(group, sizeof group, "%u", getuid() ? (unsigned)getgid() : 54321);
    started s = helper_start("--group", group);
    assert_int_equal(stat(s.socket, &about), 0);
    assert_int_equal(about.st_mode & 07777, 0660);
    if (getuid() == 0) {
        assert_int_equal(about.st_gid, 54321);
        assert_int_equal(as_user(&s, 0, 0, 0), 0);
        assert_int_equal(as_user(&s, 12345, 54321, 0), 0);
        assert_int_equal(as_user(&s, 12345, 12345, 54321), 0); /* a supplementary group */
        assert_int_equal(as_user(&s, 12345, 12345, 0), EACCES);
        assert_int_equal(as_user(&s, 65534, 65534, 0), EACCES); /* the helper's own user */
        assert_int_equal(chmod(s.socket, 0666), 0);             /* by a careless administrator */
        assert_int_equal(as_user(&s, 12345, 12345, 0), 99);
        assert_int_equal(as_user(&s, 65534, 65534, 0), 99);
    }
    helper_end(&s);
    s = helper_start(NULL, NULL);
    assert_int_equal(stat(s.socket, &about), 0);
    assert_int_equal(about.st_mode & 07777, 0600);
    helper_end(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(descriptors_are_not_taken),
        cmocka_unit_test(a_flood),
        cmocka_unit_test(too_many),
        cmocka_unit_test(crowds),
        cmocka_unit_test(where_it_listens),
        cmocka_unit_test(sockets_of_others),
        cmocka_unit_test(no_rights),
        cmocka_unit_test(who_is_let_in),
    };
    stay_on_one_cpu();
    return cmocka_run_group_tests(tests, NULL, NULL);
}

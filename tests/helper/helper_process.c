/* Implements helper_process.h: starts and ends the helper, and speaks its protocol. */
#include "helper/helper_process.h"

#include "../cmocked.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

enum { PATIENCE_MS = 20000 };

static void put_machine(const folder *f)
{
    folder_text(f, "/proc/cpuinfo",
                "processor\t: 0\nvendor_id\t: GenuineIntel\ncpu family\t: 6\nmodel\t\t: 94\n"
                "stepping\t: 3\n");
    folder_text(f, "/sys/devices/system/cpu/online", "0-1\n");
    for (unsigned cpu = 0; cpu < 2; cpu++) {
        folder_msr(f, cpu, 0xe02, 0); /* all before it hold 0 */
        folder_msr(f, cpu, 0x396, 5); /* four C-Boxes (334060-001, section 2.4.1) */
    }
}

static void run_helper(const started *s, const char *option, const char *value,
                       unsigned long file_size)
{
    const struct rlimit limit = {file_size, file_size};
    const char *argv[12] = {getenv("HELPER"), "--root", s->f.root, "--socket", s->socket};
    size_t n = 5;
    if (s->journal[0]) {
        argv[n++] = "--journal";
        argv[n++] = s->journal;
    }
    if (option) {
        argv[n++] = option;
        argv[n++] = value;
    }
    setpgid(0, 0);
    if (file_size)
        setrlimit(RLIMIT_FSIZE, &limit);
    execv(argv[0], (char *const *)(uintptr_t)argv);
    _exit(127);
}

/* The helper is ended even if a test fails. */
static pid_t running;

static void end_running(void)
{
    if (running)
        kill(running, SIGKILL);
}

void helper_start_on(started *s, const char *option, const char *value, unsigned long file_size)
{
    static bool registered;
    end_running();
    if (!registered)
        atexit(end_running);
    registered = true;
    s->helper = fork();
    assert_true(s->helper >= 0);
    if (s->helper == 0)
        run_helper(s, option, value, file_size);
    running = s->helper;
    for (int waited = 0; waited < PATIENCE_MS; waited += 2) {
        int status, fd = client_open(s);
        if (fd >= 0) {
            close(fd);
            return;
        }
        if (waitpid(s->helper, &status, WNOHANG) != 0)
            fail_msg("the helper ended with %d", status);
        usleep(2000);
    }
    fail_msg("the helper does not listen");
}

void stay_on_one_cpu(void)
{
    cpu_set_t here;
    CPU_ZERO(&here);
    CPU_SET(sched_getcpu(), &here);
    sched_setaffinity(0, sizeof here, &here);
}

started helper_none(void)
{
    started s = {.f = folder_new()};
    put_machine(&s.f);
    chmod(s.f.root, 0755); /* clients of any user are allowed */
    snprintf(s.socket, sizeof s.socket, "%s/helper.sock", s.f.root);
    return s;
}

started helper_start(const char *option, const char *value)
{
    started s = helper_none();
    if (access("/dev/shm", W_OK) == 0)
        snprintf(s.journal, sizeof s.journal, "/dev/shm%s.journal", strrchr(s.f.root, '/'));
    helper_start_on(&s, option, value, 0);
    return s;
}

/* Waits until nobody listens and nobody has the package's lock. */
static bool is_gone(const started *s)
{
    bx_lock lock;
    bx_owner holder;
    int fd = client_open(s);
    if (fd >= 0)
        close(fd);
    bool taken = fd < 0 && folder_lock(&s->f, 0, &lock, &holder) == 0;
    if (taken)
        bx_lock_drop(&lock);
    return taken;
}

/* The second process is not our child, so it may take a moment longer. */
void helper_kill_both(started *s)
{
    int status;
    assert_int_equal(kill(-s->helper, SIGKILL), 0);
    assert_int_equal(waitpid(s->helper, &status, 0), s->helper);
    for (int waited = 0; !is_gone(s); waited++) {
        assert_true(waited < PATIENCE_MS);
        usleep(1000);
    }
    s->helper = running = 0;
}

int helper_stop(started *s)
{
    int status = -1;
    if (s->helper) {
        kill(s->helper, SIGTERM);
        assert_int_equal(waitpid(s->helper, &status, 0), s->helper);
    }
    s->helper = running = 0;
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

void helper_end(started *s)
{
    if (s->helper)
        assert_int_equal(helper_stop(s), 0);
    if (s->journal[0])
        unlink(s->journal);
    folder_end(&s->f);
}

pid_t helper_server(const started *s)
{
    char path[96];
    snprintf(path, sizeof path, "/proc/%ld/task/%ld/children", (long)s->helper, (long)s->helper);
    for (int waited = 0; waited < PATIENCE_MS;
         waited++) { /* it listens before the second process exists */
        char text[32] = "";
        int fd = open(path, O_RDONLY | O_CLOEXEC);
        assert_true(fd >= 0);
        ssize_t n = read(fd, text, sizeof text - 1);
        close(fd);
        if (n > 0)
            return (pid_t)strtol(text, NULL, 10);
        usleep(1000);
    }
    fail_msg("the helper has no second process");
    return 0;
}

int client_open(const started *s)
{
    struct sockaddr_un to = {.sun_family = AF_UNIX};
    snprintf(to.sun_path, sizeof to.sun_path, "%s", s->socket);
    int fd = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);
    if (connect(fd, (const struct sockaddr *)&to, sizeof to) == 0)
        return fd;
    int err = errno;
    close(fd);
    errno = err;
    return -1;
}

int connected(const started *s)
{
    int fd = client_open(s);
    assert_true(fd >= 0);
    return fd;
}

bool client_dropped(int fd)
{
    uint8_t byte;
    struct pollfd p = {.fd = fd, .events = POLLIN};
    assert_int_equal(poll(&p, 1, PATIENCE_MS), 1);
    return recv(fd, &byte, 1, 0) <= 0;
}

bool client_asks(int fd, bx_protocol_message *w)
{
    uint8_t bytes[BX_PROTOCOL_MAX_BYTES];
    size_t n = bx_protocol_encode(w, bytes);
    uint8_t kind = w->kind;
    uint32_t serial = w->serial;
    if (send(fd, bytes, n, MSG_NOSIGNAL) < 0)
        return false;
    struct pollfd p = {.fd = fd, .events = POLLIN};
    assert_int_equal(poll(&p, 1, PATIENCE_MS), 1);
    ssize_t got = recv(fd, bytes, sizeof bytes, 0);
    if (got <= 0)
        return false;
    assert_int_equal(got, n);
    assert_true(bx_protocol_decode(w, bytes, (size_t)got));
    assert_int_equal(w->kind, kind | BX_PROTOCOL_ANSWER);
    assert_int_equal(w->serial, serial);
    return true;
}

static int one(int fd, uint8_t kind, unsigned width, uint64_t msr, uint64_t *value)
{
    bx_protocol_message w = {.kind = kind, .serial = 7, .n = 1};
    w.record[0] =
        (bx_protocol_record){.space = 0, .width = (uint8_t)width, .offset = msr, .value = *value};
    if (!client_asks(fd, &w))
        return 999;
    *value = w.record[0].value;
    return (int)w.record[0].error;
}

int client_reads(int fd, unsigned width, uint64_t msr, uint64_t *value)
{
    *value = 0;
    return one(fd, BX_PROTOCOL_READ, width, msr, value);
}

int client_writes(int fd, unsigned width, uint64_t msr, uint64_t value)
{
    return one(fd, BX_PROTOCOL_WRITE, width, msr, &value);
}

uint64_t msrs_sum(const started *s)
{
    char path[96];
    static uint8_t bytes[1 << 16];
    snprintf(path, sizeof path, "%s/dev/cpu/0/msr", s->f.root);
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    ssize_t n = read(fd, bytes, sizeof bytes);
    assert_true(n > 0xe02);
    close(fd);
    uint64_t sum = UINT64_C(0xcbf29ce484222325); /* FNV-1a */
    for (ssize_t i = 0; i < n; i++)
        sum = (sum ^ bytes[i]) * UINT64_C(0x100000001b3);
    return sum;
}

void msrs_wait_for(const started *s, uint64_t sum)
{
    for (unsigned waited = 0; msrs_sum(s) != sum; waited++) {
        assert_true(waited < 20000);
        usleep(1000);
    }
}

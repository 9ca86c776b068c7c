#include "machine/program/lackey_process.h"

#include "base/error.h"
#include "machine/program/executable.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum {
    TRACE_FD = 200, /* or above: low numbers stay free for the program */
    PIPE_BYTES = 1 << 20,
    SHORTEST_NAP = 1, /* ms */
    LONGEST_NAP = 16,
};

int bx_child_check(const char *program, bx_error *e)
{
    int rc = bx_program_check(program, e);
    if (rc != BX_OK)
        return rc;
    if (bx_program_find("valgrind") != 0) {
        bx_fail(e, BX_NOT_FOUND, 0, 0, "valgrind, which traces programs, is not installed");
        bx_hint(e, "apt-get install valgrind, or count a --workload");
        return BX_NOT_FOUND;
    }
    return BX_OK;
}

/* A pipe with high descriptor numbers, away from the program's own. */
static int open_pipe(int ends[2])
{
    int low[2];
    if (pipe2(low, O_CLOEXEC) != 0)
        return errno;
    int err = 0;
    ends[0] = fcntl(low[0], F_DUPFD_CLOEXEC, TRACE_FD);
    ends[1] = fcntl(low[1], F_DUPFD_CLOEXEC, TRACE_FD);
    if (ends[0] < 0 || ends[1] < 0 || fcntl(ends[0], F_SETFL, O_NONBLOCK) != 0)
        err = errno;
    close(low[0]);
    close(low[1]);
    /* Lackey writes line by line: a larger pipe makes it wait less. A smaller one works, too. */
    fcntl(ends[0], F_SETPIPE_SZ, PIPE_BYTES);
    return err;
}

static char **command(char *const argv[], char *log_fd)
{
    static const char *const lackey[] = {
        "valgrind",
        "--command-line-only=yes", /* ignores VALGRIND_OPTS and .valgrindrc */
        "-q",
        "--tool=lackey",
        "--trace-mem=yes",
        "--basic-counts=no",
        "--vgdb=no",
        "--child-silent-after-fork=yes",
    };
    enum { FIRST = sizeof lackey / sizeof *lackey };
    size_t n = 0;
    while (argv[n])
        n++;
    const char **all = calloc(FIRST + n + 3, sizeof *all);
    if (!all)
        return NULL;
    memcpy(all, lackey, sizeof lackey);
    all[FIRST] = log_fd;
    all[FIRST + 1] = "--";
    memcpy(all + FIRST + 2, argv, n * sizeof *argv);
    return (char **)(uintptr_t)all; /* posix_spawnp() and execvp() only read them */
}

void bx_child_become(char *const argv[], int trace)
{
    char log_fd[32];
    int log = fcntl(trace, F_DUPFD_CLOEXEC, TRACE_FD);
    snprintf(log_fd, sizeof log_fd, "--log-fd=%d", log);
    char **all = log < 0 ? NULL : command(argv, log_fd);
    if (all) {
        fcntl(log, F_SETFD, 0);
        execvp("valgrind", all);
    }
    free(all);
}

static int spawn(char *const argv[], int log, pid_t *to)
{
    char log_fd[32];
    snprintf(log_fd, sizeof log_fd, "--log-fd=%d", log);
    char **all = command(argv, log_fd);
    posix_spawn_file_actions_t actions;
    if (!all || posix_spawn_file_actions_init(&actions) != 0) {
        free(all);
        return ENOMEM;
    }
    /* Onto itself: the child keeps it, while programs that other threads start do not get it. */
    int err = posix_spawn_file_actions_adddup2(&actions, log, log);
    pid_t pid;
    if (err == 0)
        err = posix_spawnp(&pid, "valgrind", &actions, NULL, all, environ);
    if (err == 0)
        *to = pid;
    posix_spawn_file_actions_destroy(&actions);
    free(all);
    return err;
}

int bx_child_start(bx_child *child, char *const argv[], const bx_spawner *by, bx_error *e)
{
    *child = (bx_child){.trace = -1, .end_signal = by ? by->end_signal : SIGKILL};
    int rc = bx_child_check(argv[0], e);
    if (rc != BX_OK)
        return rc;
    int ends[2] = {-1, -1};
    int err = open_pipe(ends);
    if (err == 0)
        err = by ? by->spawn(by->context, ends[1], &child->pid) : spawn(argv, ends[1], &child->pid);
    if (ends[1] >= 0)
        close(ends[1]);
    child->trace = ends[0];
    if (err != 0) {
        bx_child_end(child);
        return bx_fail(e, bx_code_of(err), 0, 0, "valgrind cannot be started: %s", strerror(err));
    }
    return BX_OK;
}

static bool has_ended(const bx_child *child)
{
    siginfo_t info = {0};
    return waitid(P_PID, (id_t)child->pid, &info, WEXITED | WNOHANG | WNOWAIT) != 0 ||
           info.si_pid != 0;
}

size_t bx_child_take(bx_child *child, char *to, size_t room, bool *ended)
{
    /* A daemon that the program started may hold the pipe open for ever. */
    bool over = has_ended(child);
    ssize_t n = read(child->trace, to, room);
    *ended = n == 0 || (n < 0 && (over || (errno != EAGAIN && errno != EINTR)));
    return n > 0 ? (size_t)n : 0;
}

size_t bx_child_read(bx_child *child, char *to, size_t room)
{
    bool ended = false;
    for (unsigned nap = SHORTEST_NAP;; nap = nap < LONGEST_NAP ? nap * 2 : nap) {
        size_t n = bx_child_take(child, to, room, &ended);
        if (n || ended)
            return n;
        /* Sleeping, rather than waiting for the pipe, spares lackey a wake-up at each line. */
        nanosleep(&(struct timespec){.tv_nsec = nap * 1000000L}, NULL);
    }
}

void bx_child_wait(bx_child *child)
{
    int status = 0;
    if (child->trace >= 0)
        close(child->trace);
    child->trace = -1;
    if (child->pid == 0)
        return;
    pid_t pid;
    do
        pid = waitpid(child->pid, &status, 0);
    while (pid < 0 && errno == EINTR);
    child->pid = 0;
    child->signal = WIFSIGNALED(status) ? WTERMSIG(status) : 0;
    child->status = child->signal ? 128 + child->signal : WEXITSTATUS(status);
}

void bx_child_end(bx_child *child)
{
    if (child->pid != 0)
        kill(child->pid, child->end_signal);
    bx_child_wait(child);
}

/* The processes wait for signals and children with poll(). prctl() makes them inherit orphans, and
 * reports the end of the parent. */
#include "stage/process/reaper.h"

#include <errno.h>
#include <linux/close_range.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <unistd.h>

/* Kills all children, and their children when these become ours. */
static void end_all(void)
{
    char file[64];
    snprintf(file, sizeof file, "/proc/self/task/%d/children", getpid());
    for (bool any = true; any;) {
        FILE *children = fopen(file, "re");
        int pid;
        any = false;
        while (children && fscanf(children, "%d", &pid) == 1)
            any |= kill(pid, SIGKILL) == 0;
        if (children)
            fclose(children);
        while (any && waitpid(-1, NULL, __WALL) < 0 && errno == EINTR)
            ;
    }
}

/* Reaps the children that have ended. true: the program is among them. */
static bool reap(pid_t program, const bx_reaper_work *work, int *status)
{
    bool ended = false;
    int how;
    for (pid_t pid; (pid = waitpid(-1, &how, WNOHANG | __WALL)) > 0;) {
        if (WIFSTOPPED(how)) {
            work->stopped(work->context, pid, how);
        } else if (pid == program) {
            *status = WIFSIGNALED(how) ? 128 + WTERMSIG(how) : WEXITSTATUS(how);
            ended = true;
        }
    }
    return ended;
}

/* Closes inherited descriptors: other processes may wait until all copies of a pipe are closed. */
static void close_descriptors(const bx_reaper_work *work)
{
    unsigned first = STDERR_FILENO + 1;
    if (work && dup2(work->descriptor, STDERR_FILENO + 1) >= 0)
        first++;
    close_range(first, ~0u, 0);
}

/* true: the reaper has to end. */
static bool take_signal(int signals, pid_t program, const bx_reaper_work *work, int *status)
{
    struct signalfd_siginfo info;
    if (read(signals, &info, sizeof info) != sizeof info)
        return false;
    if (info.ssi_signo == BX_REAPER_END)
        return true;
    if (info.ssi_signo == SIGCHLD)
        return reap(program, work, status);
    if (info.ssi_code <= 0) /* the terminal sends its signals to the program as well */
        kill(program, (int)info.ssi_signo);
    return false;
}

static void reaper(pid_t program, const sigset_t *awaited, const bx_reaper_work *work)
{
    int status = 0;
    prctl(PR_SET_NAME, "stage-reaper");
    close_descriptors(work);
    int signals = signalfd(-1, awaited, SFD_CLOEXEC);
    struct pollfd fds[] = {{.fd = signals, .events = POLLIN},
                           {.fd = work ? STDERR_FILENO + 1 : -1, .events = POLLIN}};
    for (bool done = signals < 0; !done;) {
        if (poll(fds, sizeof fds / sizeof *fds, -1) < 0)
            continue;
        if (fds[1].revents & POLLIN)
            work->readable(work->context, fds[1].fd);
        else if (fds[1].revents) /* the other end was closed */
            fds[1].fd = -1;
        if (fds[0].revents)
            done = take_signal(signals, program, work, &status);
    }
    end_all();
    _exit(status);
}

static void fork_below_reaper(pid_t parent, const bx_reaper_work *work)
{
    sigset_t awaited, before;
    sigemptyset(&awaited);
    sigaddset(&awaited, BX_REAPER_END);
    sigaddset(&awaited, SIGCHLD);
    sigaddset(&awaited, SIGINT);
    sigaddset(&awaited, SIGTERM);
    sigaddset(&awaited, SIGHUP);
    sigprocmask(SIG_BLOCK, &awaited, &before);
    prctl(PR_SET_CHILD_SUBREAPER, 1);
    prctl(PR_SET_PDEATHSIG, BX_REAPER_END); /* from the kernel when our parent has ended */
    if (getppid() != parent)                /* the parent ended before the prctl() */
        _exit(EXIT_FAILURE);
    /* We may have inherited an ignored SIGCHLD, with which waitpid() finds no children. */
    void (*children)(int) = signal(SIGCHLD, SIG_DFL);
    pid_t self = getpid(), program = fork();
    if (program < 0)
        _exit(EXIT_FAILURE);
    if (program > 0)
        reaper(program, &awaited, work);
    signal(SIGCHLD, children);
    sigprocmask(SIG_SETMASK, &before, NULL);
    prctl(PR_SET_PDEATHSIG, SIGKILL); /* in case the reaper is killed */
    if (getppid() != self)
        _exit(EXIT_FAILURE);
}

void bx_reaper_fork(pid_t parent, const bx_reaper_work *work)
{
    fork_below_reaper(parent, NULL);
    fork_below_reaper(getppid(), work);
}

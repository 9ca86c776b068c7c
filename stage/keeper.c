#include "stage/keeper.h"

#include <errno.h>
#include <linux/close_range.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

enum { BEREFT = SIGUSR1 }; /* comes when our parent has ended */

/* Ends all children, and theirs as they become ours. */
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
        while (any && waitpid(-1, NULL, 0) < 0 && errno == EINTR)
            ;
    }
}

/* Waits for what has ended; true if the program is among it. */
static bool reap(pid_t program, int *status)
{
    bool ended = false;
    int how;
    for (pid_t pid; (pid = waitpid(-1, &how, WNOHANG)) > 0;) {
        if (pid != program)
            continue;
        *status = WIFSIGNALED(how) ? 128 + WTERMSIG(how) : WEXITSTATUS(how);
        ended = true;
    }
    return ended;
}

static void keep(pid_t program, const sigset_t *awaited)
{
    int status = 0;
    close_range(STDERR_FILENO + 1, ~0u, 0); /* others wait for their ends */
    for (bool done = false; !done;) {
        siginfo_t info;
        int number = sigwaitinfo(awaited, &info);
        if (number == BEREFT)
            done = true;
        else if (number == SIGCHLD)
            done = reap(program, &status);
        else if (number > 0 &&
                 info.si_code <= 0) /* the terminal's reach the program by themselves */
            kill(program, number);
    }
    end_all();
    _exit(status);
}

void bx_keep(void)
{
    sigset_t awaited, before;
    pid_t parent = getppid();
    sigemptyset(&awaited);
    sigaddset(&awaited, BEREFT);
    sigaddset(&awaited, SIGCHLD);
    sigaddset(&awaited, SIGINT);
    sigaddset(&awaited, SIGTERM);
    sigaddset(&awaited, SIGHUP);
    sigprocmask(SIG_BLOCK, &awaited, &before);
    prctl(PR_SET_CHILD_SUBREAPER, 1);
    prctl(PR_SET_PDEATHSIG, BEREFT);
    if (getppid() != parent) /* it has ended before we asked */
        _exit(EXIT_FAILURE);
    pid_t program = fork();
    if (program < 0)
        _exit(EXIT_FAILURE);
    if (program > 0)
        keep(program, &awaited);
    sigprocmask(SIG_SETMASK, &before, NULL);
    prctl(PR_SET_PDEATHSIG, SIGKILL); /* should the keeper be killed */
}

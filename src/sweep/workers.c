/* Child processes side by side. */
#include "sweep/workers.h"

#include "machine/program/process/host_program.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdint.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

/* In the child. Only async-signal-safe functions. */
static void redirect(const char *path, int to)
{
    int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0600);
    if (fd < 0 || dup2(fd, to) < 0)
        _exit(127);
    if (fd != to)
        close(fd);
}

static void become(const bx_worker_start *start, pid_t parent)
{
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != parent)
        _exit(127);
    int in = open("/dev/null", O_RDONLY);
    if (in > 0) {
        dup2(in, 0);
        close(in);
    }
    if (start->outputs)
        redirect(start->outputs, 1);
    redirect(start->errors, 2);
    /* execv() does not change the words */
    execv("/proc/self/exe", (char **)(uintptr_t)start->argv);
    _exit(127);
}

int bx_workers_start(bx_workers *w, const bx_worker_start *start, size_t job, bx_error *e)
{
    size_t at = 0;
    while (w->worker[at].pid)
        at++;
    pid_t parent = getpid(), pid = fork();
    if (pid < 0)
        return bx_fail(e, BX_SYSTEM, 0, 0, "cannot start a process: %s", strerror(errno));
    if (pid == 0)
        become(start, parent);
    w->worker[at] = (bx_worker){pid, job, bx_process_clock()};
    w->running++;
    return BX_OK;
}

bool bx_workers_await(bx_workers *w, bx_worker_end *end)
{
    int status;
    pid_t pid = w->running ? waitpid(-1, &status, 0) : -1;
    for (size_t i = 0; pid > 0 && i < w->most; i++)
        if (w->worker[i].pid == pid) {
            *end =
                (bx_worker_end){w->worker[i].job, status, bx_process_clock() - w->worker[i].begin};
            w->worker[i].pid = 0;
            w->running--;
            return true;
        }
    return false;
}

void bx_workers_stop(bx_workers *w)
{
    for (size_t i = 0; i < w->most; i++)
        if (w->worker[i].pid) {
            kill(w->worker[i].pid, SIGKILL);
            waitpid(w->worker[i].pid, NULL, 0);
            w->worker[i].pid = 0;
        }
    w->running = 0;
}

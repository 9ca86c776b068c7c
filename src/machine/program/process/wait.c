/* Waits for the end of a child process. */
#include "machine/program/process/wait.h"

#include <errno.h>
#include <sys/wait.h>

int bx_wait_for(pid_t pid, int *signal)
{
    int status = 0;
    while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
        continue;
    *signal = WIFSIGNALED(status) ? WTERMSIG(status) : 0;
    return *signal ? 128 + *signal : WEXITSTATUS(status);
}

/* Runs a pager, as git does: LESS is FRX unless it is set. */
#include "cli/common/pager.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/wait.h>
#include <unistd.h>

/* The shell's status for a program that it does not find or cannot run. */
enum { CANNOT_RUN = 126, NOT_FOUND = 127 };

static bool is_longer_than_terminal(const char *text, size_t n)
{
    struct winsize size;
    size_t lines = 0;
    for (size_t i = 0; i < n; i++)
        lines += text[i] == '\n';
    return isatty(STDOUT_FILENO) && ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_row &&
           lines >= size.ws_row;
}

static void become_pager(const char *pager, int from)
{
    dup2(from, STDIN_FILENO);
    setenv("LESS", "FRX", 0);
    if (pager)
        execl("/bin/sh", "sh", "-c", pager, (char *)NULL);
    else
        execlp("less", "less", (char *)NULL);
    _exit(NOT_FOUND);
}

/* The reader may leave before the end: the rest is not needed. */
static void feed_pager(int to, const char *text, size_t n)
{
    while (n) {
        ssize_t written = write(to, text, n);
        if (written < 0 && errno != EINTR)
            return;
        text += written > 0 ? written : 0;
        n -= written > 0 ? (size_t)written : 0;
    }
}

/* Whether the pager ran. */
static bool wait_for(pid_t pager)
{
    int status;
    while (waitpid(pager, &status, 0) < 0)
        if (errno != EINTR)
            return true;
    return !WIFEXITED(status) ||
           (WEXITSTATUS(status) != NOT_FOUND && WEXITSTATUS(status) != CANNOT_RUN);
}

bool bx_pager_show(const char *text, size_t n)
{
    const char *pager = getenv("PAGER");
    int ends[2];
    if ((pager && (!*pager || strcmp(pager, "cat") == 0)) || !is_longer_than_terminal(text, n) ||
        pipe2(ends, O_CLOEXEC) != 0)
        return false;
    pid_t child = fork();
    if (child == 0)
        become_pager(pager, ends[0]);
    close(ends[0]);
    /* Keys of the terminal are the pager's. */
    void (*interrupt)(int) = signal(SIGINT, SIG_IGN), (*broken)(int) = signal(SIGPIPE, SIG_IGN);
    if (child > 0)
        feed_pager(ends[1], text, n);
    close(ends[1]);
    bool shown = child > 0 && wait_for(child);
    signal(SIGINT, interrupt);
    signal(SIGPIPE, broken);
    return shown;
}

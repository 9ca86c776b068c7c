/* The watchdog waits at a pipe. If it reads the end of file and no byte, the stage has died, and it
 * unmounts the folder. */
#include "stage/process/unmount_watchdog.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/close_range.h>
#include <limits.h>
#include <signal.h>
#include <stdbool.h>
#include <stdlib.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/vfs.h>
#include <sys/wait.h>
#include <unistd.h>

/* Closes inherited descriptors except the pipe: other processes may wait until all copies are
 * closed. */
static void close_descriptors(int pipe_end)
{
    int null = open("/dev/null", O_RDWR);
    for (int fd = 0; fd <= STDERR_FILENO && null >= 0; fd++)
        dup2(null, fd);
    dup2(pipe_end, STDERR_FILENO + 1);
    close_range(STDERR_FILENO + 2, ~0u, 0);
}

/* Whether our mount is still there, without its server. */
static bool is_dead(const char *folder)
{
    struct statfs about; /* unlike stat(), statfs() sends a request to the server */
    return statfs(folder, &about) != 0 && (errno == ENOTCONN || errno == ECONNABORTED);
}

static void watchdog(const char *folder, int pipe_end)
{
    static const int signals[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT};
    for (size_t i = 0; i < sizeof signals / sizeof *signals; i++)
        signal(signals[i], SIG_IGN); /* a terminal sends them to all processes in the foreground */
    (void)!chdir("/");
    prctl(PR_SET_NAME, "stage-watchdog");
    close_descriptors(pipe_end);
    char dismissed;
    ssize_t n;
    do
        n = read(STDERR_FILENO + 1, &dismissed, 1);
    while (n < 0 && errno == EINTR);
    if (n == 0 && is_dead(folder) && umount2(folder, MNT_DETACH) != 0)
        execlp("fusermount3", "fusermount3", "-q", "-u", "-z", "--", folder, (char *)NULL);
    _exit(0);
}

int bx_unmount_watchdog_start(bx_unmount_watchdog *w, const char *folder)
{
    int ends[2];
    char *path = realpath(folder, NULL);
    int err = path && pipe2(ends, O_CLOEXEC) == 0 ? 0 : errno;
    pid_t pid = err ? -1 : fork();
    if (pid == 0)
        watchdog(path, ends[0]);
    if (!err) {
        err = pid < 0 ? errno : 0;
        close(ends[0]);
        if (err)
            close(ends[1]);
    }
    *w = err ? (bx_unmount_watchdog){.alive = -1} : (bx_unmount_watchdog){pid, ends[1]};
    free(path);
    return err;
}

void bx_unmount_watchdog_dismiss(bx_unmount_watchdog *w)
{
    if (w->pid <= 0)
        return;
    (void)!write(w->alive, "", 1);
    close(w->alive);
    while (waitpid(w->pid, NULL, 0) < 0 && errno == EINTR)
        ;
    *w = (bx_unmount_watchdog){.alive = -1};
}

/* How a process has ended. */
#include "machine/program/process/ended.h"

#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/wait.h>
#include <unistd.h>

/* ---- a child ---- */

static bool ask_as_parent(int pidfd, int *status)
{
    enum { BY_PIDFD = 3 }; /* P_PIDFD, which older C libraries lack */
    siginfo_t info = {0};
    if (pidfd < 0 ||
        waitid((idtype_t)BY_PIDFD, (id_t)pidfd, &info, WEXITED | WNOHANG | WNOWAIT) != 0 ||
        !info.si_pid)
        return false;
    *status = info.si_code == CLD_EXITED ? info.si_status << 8 : info.si_status;
    return true;
}

/* ---- any process ---- */

/* PIDFD_GET_INFO of Linux 6.13, with the exit code since 6.15. As in linux/pidfd.h, which older
 * systems lack. */
typedef struct pidfd_info {
    uint64_t mask, group;
    uint32_t process[3], id[8];
    int32_t status;
} pidfd_info;
enum { INFO_EXIT = 1 << 3 };
#define GET_INFO _IOWR(0xff, 11, pidfd_info)

/* It is known once somebody has waited for the process. */
static bool ask_pidfd(int pidfd, int *status)
{
    pidfd_info info = {.mask = INFO_EXIT};
    if (pidfd < 0 || ioctl(pidfd, GET_INFO, &info) != 0 || !(info.mask & INFO_EXIT))
        return false;
    *status = info.status;
    return true;
}

/* Reads a file of /proc as text. false: there is none. */
static bool read_text(const char *path, char *text, size_t room)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    ssize_t n = fd >= 0 ? read(fd, text, room - 1) : -1;
    if (fd >= 0)
        close(fd);
    text[n > 0 ? n : 0] = '\0';
    return n > 0;
}

/* proc(5): the exit code is the last of the 52 values of a process for which nobody has waited; its
 * state is Z. */
static bool ask_proc(pid_t pid, int *status)
{
    char path[64], text[1024];
    snprintf(path, sizeof path, "/proc/%d/stat", (int)pid);
    if (!read_text(path, text, sizeof text))
        return false;
    const char *state = strrchr(text, ')'), *last = strrchr(text, ' ');
    if (!state || strncmp(state, ") Z", 3) != 0 || last <= state)
        return false;
    *status = (int)strtol(last + 1, NULL, 10);
    return true;
}

int bx_ended_status(int pidfd, pid_t pid, bool *own)
{
    int status = -1;
    *own = ask_as_parent(pidfd, &status);
    if (*own || ask_pidfd(pidfd, &status) || ask_proc(pid, &status) || ask_pidfd(pidfd, &status))
        return status;
    return -1;
}

bool bx_ended_by(int status, int signal)
{
    return status >= 0 && WIFSIGNALED(status) && WTERMSIG(status) == signal;
}

uint64_t bx_ended_without_memory(void)
{
    static const char key[] = "\noom_kill ";
    static const char path[] = "/proc/vmstat";
    char text[16384];
    uint64_t n = 0;
    const char *at = read_text(path, text, sizeof text) ? strstr(text, key) : NULL;
    if (at)
        sscanf(at + sizeof key - 1, "%" SCNu64, &n);
    return n;
}

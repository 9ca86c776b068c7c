/* Ends the processes that have a descriptor of a program's trace. */
#include "machine/program/process/holders.h"

#include <ctype.h>
#include <dirent.h>
#include <inttypes.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

enum {
    STOPS = 2,    /* rounds that only stop them: a stopped process begins no others */
    ROUNDS = 500, /* most rounds; what is killed ends within a few */
    NAP = 2,      /* ms between them */
};

ino_t bx_holders_file(int fd)
{
    struct stat about;
    return fd >= 0 && fstat(fd, &about) == 0 ? about.st_ino : 0;
}

static bool is_pipe(const bx_holders *h, uint64_t number)
{
    for (size_t i = 0; i < h->pipes; i++)
        if (h->pipe[i] && h->pipe[i] == number)
            return true;
    return false;
}

/* What a link of /proc/PID/fd says of the holder: "socket:[NUMBER]" or "pipe:[NUMBER]". */
static void take_link(const bx_holders *h, const char *link, bool *holds, bool *copy)
{
    uint64_t number;
    if (sscanf(link, "socket:[%" SCNu64, &number) == 1) {
        *holds |= number == h->socket;
        *copy |= number == h->ours;
    } else if (sscanf(link, "pipe:[%" SCNu64, &number) == 1) {
        *holds |= is_pipe(h, number);
    }
}

static bool is_holder(const bx_holders *h, pid_t pid)
{
    char path[64], link[64];
    bool holds = false, copy = false;
    snprintf(path, sizeof path, "/proc/%d/fd", (int)pid);
    DIR *folder = opendir(path);
    for (const struct dirent *e; folder && (e = readdir(folder));) {
        ssize_t n = readlinkat(dirfd(folder), e->d_name, link, sizeof link - 1);
        link[n > 0 ? n : 0] = '\0';
        take_link(h, link, &holds, &copy);
    }
    if (folder)
        closedir(folder);
    return holds && !copy;
}

/* With a descriptor of the process, its number cannot become that of another one meanwhile. */
static bool send_to_holder(const bx_holders *h, pid_t pid, int signal)
{
    int process = (int)syscall(SYS_pidfd_open, pid, 0);
    if (process < 0)
        return false;
    bool sent = is_holder(h, pid) && syscall(SYS_pidfd_send_signal, process, signal, NULL, 0) == 0;
    close(process);
    return sent;
}

static bool send_to_all(const bx_holders *h, int signal)
{
    bool any = false;
    DIR *folder = opendir("/proc");
    for (const struct dirent *e; folder && (e = readdir(folder));) {
        pid_t pid = isdigit((unsigned char)e->d_name[0]) ? (pid_t)atol(e->d_name) : 0;
        any |= pid > 0 && pid != getpid() && send_to_holder(h, pid, signal);
    }
    if (folder)
        closedir(folder);
    return any;
}

void bx_holders_end(const bx_holders *h)
{
    for (unsigned i = 0; i < STOPS; i++)
        send_to_all(h, SIGSTOP);
    for (unsigned i = 0; i < ROUNDS && send_to_all(h, SIGKILL); i++)
        nanosleep(&(struct timespec){.tv_nsec = NAP * 1000000L}, NULL);
}

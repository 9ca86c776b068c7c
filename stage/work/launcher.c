/* Each message to the launcher is one byte and descriptors. It answers with the new process. */
#include "stage/work/launcher.h"

#include "base/error.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/close_range.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

struct bx_launcher {
    pid_t pid;
    int link; /* our end of the socket to it; -1: none */
};

typedef struct reply {
    pid_t pid;
    int err;
} reply;

typedef union control {
    struct cmsghdr header; /* for its alignment */
    char bytes[CMSG_SPACE(BX_LAUNCHER_DESCRIPTORS * sizeof(int))];
} control;

/* Returns the number of descriptors; 0: the stage has closed its end. */
static size_t receive(int link, int *fds)
{
    char byte;
    control c = {0};
    struct msghdr m = {.msg_iov = &(struct iovec){&byte, 1},
                       .msg_iovlen = 1,
                       .msg_control = c.bytes,
                       .msg_controllen = sizeof c.bytes};
    ssize_t n;
    do
        n = recvmsg(link, &m, MSG_CMSG_CLOEXEC);
    while (n < 0 && errno == EINTR);
    const struct cmsghdr *with = n > 0 ? CMSG_FIRSTHDR(&m) : NULL;
    if (!with)
        return 0;
    size_t size = with->cmsg_len - CMSG_LEN(0);
    memcpy(fds, CMSG_DATA(with), size);
    return size / sizeof *fds;
}

static bool send_all(int link, const int *fds, size_t n)
{
    char byte = 0;
    control c = {0};
    struct msghdr m = {.msg_iov = &(struct iovec){&byte, 1},
                       .msg_iovlen = 1,
                       .msg_control = c.bytes,
                       .msg_controllen = CMSG_SPACE(n * sizeof *fds)};
    struct cmsghdr *with = CMSG_FIRSTHDR(&m);
    with->cmsg_level = SOL_SOCKET;
    with->cmsg_type = SCM_RIGHTS;
    with->cmsg_len = CMSG_LEN(n * sizeof *fds);
    memcpy(CMSG_DATA(with), fds, n * sizeof *fds);
    return sendmsg(link, &m, MSG_NOSIGNAL) == 1;
}

/* The terminal's signals are for the program on stage. The launcher is in a session of its own, so
 * it gets none of them. */
static void serve(bx_launched *start, void *context, pid_t stage, int link)
{
    int fds[BX_LAUNCHER_DESCRIPTORS];
    setsid();
    prctl(PR_SET_NAME, "stage-launcher");
    dup2(link, STDERR_FILENO + 1);
    close_range(STDERR_FILENO + 2, ~0u, 0);
    fcntl(STDERR_FILENO + 1, F_SETFD, FD_CLOEXEC);
    for (size_t n; (n = receive(STDERR_FILENO + 1, fds)) > 0;) {
        /* The new process is a child of the stage, so that the stage can wait for it. */
        long pid = syscall(SYS_clone, CLONE_PARENT | SIGCHLD, 0, 0, 0, 0);
        if (pid == 0) {
            start(context, stage, fds, n);
            _exit(127);
        }
        const reply r = {(pid_t)pid, pid < 0 ? errno : 0};
        (void)!write(STDERR_FILENO + 1, &r, sizeof r);
        for (size_t i = 0; i < n; i++)
            close(fds[i]);
    }
    _exit(0);
}

int bx_launcher_new(bx_launched *start, void *context, bx_launcher **l, bx_error *e)
{
    int ends[2];
    pid_t self = getpid();
    bx_launcher *made = calloc(1, sizeof *made);
    if (!made)
        return bx_out_of_memory(e);
    made->link = -1;
    int err = socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) == 0 ? 0 : errno;
    pid_t pid = err ? -1 : fork();
    if (pid == 0) {
        close(ends[0]);
        serve(start, context, self, ends[1]);
    }
    if (!err) {
        err = pid < 0 ? errno : 0;
        close(ends[1]);
        made->link = ends[0];
    }
    if (err) {
        bx_launcher_free(made);
        return bx_fail(e, BX_SYSTEM, 0, 0, "no process can be made: %s", strerror(err));
    }
    made->pid = pid;
    *l = made;
    return BX_OK;
}

void bx_launcher_free(bx_launcher *l)
{
    if (!l)
        return;
    if (l->link >= 0)
        close(l->link);
    while (l->pid > 0 && waitpid(l->pid, NULL, 0) < 0 && errno == EINTR)
        ;
    free(l);
}

int bx_launcher_start(const bx_launcher *l, const int *fds, size_t n, pid_t *pid)
{
    reply r = {0, ECHILD}; /* the answer if the launcher was killed */
    ssize_t got = -1;
    if (send_all(l->link, fds, n))
        do
            got = read(l->link, &r, sizeof r);
        while (got < 0 && errno == EINTR);
    if (got == sizeof r && r.err == 0)
        *pid = r.pid;
    return got == sizeof r ? r.err : ECHILD;
}

/* Sends the program to the launcher, and receives its end from the process that counts it. */
#include "stage/work/counted_program.h"

#include "base/buf.h"
#include "stage/process/reaper.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

struct bx_counted_program {
    pid_t pid;     /* of the upper reaper; 0: it has been waited for */
    pid_t counter; /* the process that counts, and passes signals on; 0: not known yet */
    int link;
    bool ended;
    bx_program_end end;
    bx_program_count counts[BX_PROGRAM_EVENTS];
};

/* Writes what the program is to a new file. -1 and errno. */
static int write_request(const char *events, bx_program_words words, const char *texts, size_t n)
{
    bx_buf all = {0};
    bx_buf_str(&all, (bx_str){(const char *)&words, sizeof words});
    bx_buf_str(&all, (bx_str){events, strlen(events) + 1});
    bx_buf_str(&all, (bx_str){texts, n});
    int fd = all.failed ? -1 : memfd_create("program", MFD_CLOEXEC);
    int err = all.failed ? ENOMEM : errno;
    if (fd >= 0 && pwrite(fd, all.p, all.n, 0) != (ssize_t)all.n) {
        err = ENOMEM;
        close(fd);
        fd = -1;
    }
    bx_buf_free(&all);
    errno = err;
    return fd;
}

int bx_counted_program_new(const bx_launcher *l, const int streams[3], const char *events,
                           bx_program_words words, const char *texts, size_t n,
                           bx_counted_program **p)
{
    int ends[2];
    bx_counted_program *made = calloc(1, sizeof *made);
    int request = made ? write_request(events, words, texts, n) : -1;
    if (request < 0 || socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) != 0) {
        int err = made ? errno : ENOMEM;
        if (request >= 0)
            close(request);
        free(made);
        return err;
    }
    const int fds[] = {streams[0], streams[1], streams[2], ends[1], request};
    int err = bx_launcher_start(l, fds, sizeof fds / sizeof *fds, &made->pid);
    close(ends[1]);
    close(request);
    made->link = ends[0];
    if (err)
        bx_counted_program_free(made);
    else
        *p = made;
    return err;
}

static void await(bx_counted_program *p)
{
    while (p->pid > 0 && waitpid(p->pid, NULL, 0) < 0 && errno == EINTR)
        ;
    p->pid = 0;
}

void bx_counted_program_free(bx_counted_program *p)
{
    if (!p)
        return;
    if (p->pid > 0)
        kill(p->pid, BX_REAPER_END);
    await(p);
    close(p->link);
    free(p);
}

/* Returns whether there is a message. */
static bool receive(bx_counted_program *p)
{
    struct iovec parts[] = {{&p->end, sizeof p->end}, {p->counts, sizeof p->counts}};
    struct msghdr m = {.msg_iov = parts, .msg_iovlen = 2};
    ssize_t n = recvmsg(p->link, &m, MSG_DONTWAIT);
    if (n < 0 && (errno == EAGAIN || errno == EINTR))
        return false;
    if (n == sizeof p->counter) {
        memcpy(&p->counter, &p->end, sizeof p->counter);
        return true;
    }
    bool whole = n >= (ssize_t)sizeof p->end && p->end.n <= BX_PROGRAM_EVENTS &&
                 (size_t)n == sizeof p->end + p->end.n * sizeof *p->counts;
    if (!whole) /* the process that counts was killed, and the program with it */
        p->end = (bx_program_end){.signal = SIGKILL, .status = 128 + SIGKILL};
    p->ended = true;
    await(p);
    return true;
}

const bx_program_end *bx_counted_program_end(bx_counted_program *p, const bx_program_count **counts)
{
    while (!p->ended && receive(p))
        ;
    *counts = p->counts;
    return p->ended ? &p->end : NULL;
}

void bx_counted_program_signal(const bx_counted_program *p, int number)
{
    if (p->counter > 0 && !p->ended && number > 0 && number <= SIGRTMAX)
        kill(p->counter, number);
}

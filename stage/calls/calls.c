/* The seccomp filter that reports the intercepted calls, and the answers through its descriptor. */
#include "stage/calls/calls.h"

#include "base/error.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <poll.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

enum { MAX_CALLS = 16 };

#ifndef SECCOMP_FILTER_FLAG_WAIT_KILLABLE_RECV /* Linux 5.19 */
#define SECCOMP_FILTER_FLAG_WAIT_KILLABLE_RECV (1ul << 5)
#endif

typedef struct intercepted {
    int number;
    bx_call_handler handler;
    void *context;
} intercepted;

struct bx_calls {
    intercepted intercepted[MAX_CALLS];
    size_t n;
    int ends[2]; /* a socket pair that passes the filter's descriptor: our end, the program's end */
    int listener; /* the filter's descriptor; -1: not received yet */
    bool ended;   /* no process is left that could make a call */
    struct seccomp_notif_sizes sizes;
    struct seccomp_notif *request; /* its size depends on the kernel */
};

/* ---- set-up ---- */

int bx_calls_new(bx_calls **c, bx_error *e)
{
    bx_calls *made = calloc(1, sizeof *made);
    if (!made)
        return bx_out_of_memory(e);
    made->ends[0] = made->ends[1] = made->listener = -1;
    int err = syscall(SYS_seccomp, SECCOMP_GET_NOTIF_SIZES, 0, &made->sizes) == 0 ? 0 : errno;
    if (!err && made->sizes.seccomp_notif < sizeof *made->request)
        made->sizes.seccomp_notif = sizeof *made->request;
    if (!err)
        made->request = calloc(1, made->sizes.seccomp_notif);
    if (!err && socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, made->ends) != 0)
        err = errno;
    if (!err && !made->request)
        err = ENOMEM;
    if (!err) {
        *c = made;
        return BX_OK;
    }
    bx_calls_free(made);
    return bx_fail(e, BX_SYSTEM, 0, 0, "system calls cannot be answered here: %s", strerror(err));
}

static void close_at(int *fd)
{
    if (*fd >= 0)
        close(*fd);
    *fd = -1;
}

void bx_calls_free(bx_calls *c)
{
    if (!c)
        return;
    close_at(&c->ends[0]);
    close_at(&c->ends[1]);
    close_at(&c->listener);
    free(c->request);
    free(c);
}

bool bx_calls_intercept(bx_calls *c, int number, bx_call_handler handler, void *context)
{
    if (c->n == MAX_CALLS)
        return false;
    c->intercepted[c->n++] = (intercepted){number, handler, context};
    return true;
}

/* Reports the intercepted calls. Calls of 32-bit programs and of the x32 ABI pass: their numbers
 * mean other calls. */
static unsigned short build_filter(const bx_calls *c, struct sock_filter *to)
{
    unsigned short n = 0;
    to[n++] =
        (struct sock_filter)BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, arch));
    to[n++] = (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, AUDIT_ARCH_X86_64, 1, 0);
    to[n++] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW);
    to[n++] =
        (struct sock_filter)BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr));
    for (size_t i = 0; i < c->n; i++) {
        to[n++] = (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K,
                                               (uint32_t)c->intercepted[i].number, 0, 1);
        to[n++] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_USER_NOTIF);
    }
    to[n++] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW);
    return n;
}

/* Sends the filter's descriptor in a control message. */
static bool send_descriptor(int socket, int fd)
{
    union {
        struct cmsghdr header;
        char bytes[CMSG_SPACE(sizeof(int))];
    } control = {.header = {.cmsg_len = CMSG_LEN(sizeof(int)),
                            .cmsg_level = SOL_SOCKET,
                            .cmsg_type = SCM_RIGHTS}};
    char byte = 0;
    struct iovec text = {&byte, 1};
    const struct msghdr message = {.msg_iov = &text,
                                   .msg_iovlen = 1,
                                   .msg_control = control.bytes,
                                   .msg_controllen = sizeof control.bytes};
    memcpy(CMSG_DATA(&control.header), &fd, sizeof fd);
    return sendmsg(socket, &message, MSG_NOSIGNAL) == 1;
}

static int receive_descriptor(int socket)
{
    union {
        struct cmsghdr header;
        char bytes[CMSG_SPACE(sizeof(int))];
    } control;
    char byte;
    struct iovec text = {&byte, 1};
    struct msghdr message = {.msg_iov = &text,
                             .msg_iovlen = 1,
                             .msg_control = control.bytes,
                             .msg_controllen = sizeof control.bytes};
    int fd = -1;
    if (recvmsg(socket, &message, MSG_CMSG_CLOEXEC | MSG_DONTWAIT) != 1)
        return -1;
    const struct cmsghdr *header = CMSG_FIRSTHDR(&message);
    if (header && header->cmsg_type == SCM_RIGHTS)
        memcpy(&fd, CMSG_DATA(header), sizeof fd);
    return fd;
}

bool bx_calls_install(bx_calls *c)
{
    struct sock_filter filter[2 * MAX_CALLS + 8];
    if (c->n == 0)
        return true;
    const struct sock_fprog program = {build_filter(c, filter), filter};
    const unsigned long flags = SECCOMP_FILTER_FLAG_NEW_LISTENER;
    long fd = syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER,
                      flags | SECCOMP_FILTER_FLAG_WAIT_KILLABLE_RECV, &program);
    if (fd < 0 && errno == EINVAL)
        fd = syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, flags, &program);
    if (fd < 0)
        return false;
    bool sent = send_descriptor(c->ends[1], (int)fd);
    close((int)fd);
    return sent;
}

/* ---- in the loop ---- */

int bx_calls_descriptor(const bx_calls *c)
{
    return c->ended ? -1 : c->listener >= 0 ? c->listener : c->ends[0];
}

static void reply(const bx_calls *c, uint64_t id, int64_t value, uint32_t flags)
{
    struct seccomp_notif_resp answer = {.id = id, .flags = flags};
    if (!flags && value < 0)
        answer.error = (int32_t)value;
    else if (!flags)
        answer.val = value;
    (void)ioctl(c->listener, SECCOMP_IOCTL_NOTIF_SEND, &answer); /* fails if the caller is gone */
}

static void answer(bx_calls *c, const bx_call *call)
{
    int64_t value = -ENOSYS;
    for (size_t i = 0; i < c->n; i++) {
        if (c->intercepted[i].number != call->number)
            continue;
        switch (c->intercepted[i].handler(c->intercepted[i].context, call, &value)) {
        case BX_CALL_CONTINUES:
            reply(c, call->id, 0, SECCOMP_USER_NOTIF_FLAG_CONTINUE);
            return;
        case BX_CALL_LATER:
            return;
        case BX_CALL_RETURNS:
            break;
        }
    }
    reply(c, call->id, value, 0);
}

void bx_calls_handle(bx_calls *c)
{
    if (c->listener < 0) {
        c->listener = receive_descriptor(c->ends[0]);
        return;
    }
    struct pollfd state = {.fd = c->listener, .events = POLLIN};
    c->ended = poll(&state, 1, 0) > 0 && state.revents & POLLHUP;
    if (!(state.revents & POLLIN))
        return;
    memset(c->request, 0, c->sizes.seccomp_notif);
    if (ioctl(c->listener, SECCOMP_IOCTL_NOTIF_RECV, c->request) != 0)
        return; /* the caller was interrupted meanwhile */
    bx_call call = {.calls = c,
                    .id = c->request->id,
                    .pid = (pid_t)c->request->pid,
                    .number = c->request->data.nr};
    for (size_t i = 0; i < sizeof call.args / sizeof *call.args; i++)
        call.args[i] = c->request->data.args[i];
    answer(c, &call);
}

/* ---- for handlers ---- */

int bx_call_read(const bx_call *call, uint64_t address, void *to, size_t n)
{
    const struct iovec here = {to, n}, there = {(void *)(uintptr_t)address, n};
    return process_vm_readv(call->pid, &here, 1, &there, 1, 0) == (ssize_t)n ? 0 : EFAULT;
}

int bx_call_write(const bx_call *call, uint64_t address, const void *from, size_t n)
{
    const struct iovec here = {(void *)(uintptr_t)from, n}, there = {(void *)(uintptr_t)address, n};
    return process_vm_writev(call->pid, &here, 1, &there, 1, 0) == (ssize_t)n ? 0 : EFAULT;
}

bool bx_call_waits(const bx_call *call)
{
    return ioctl(call->calls->listener, SECCOMP_IOCTL_NOTIF_ID_VALID, &call->id) == 0;
}

void bx_call_continue(const bx_call *call)
{
    reply(call->calls, call->id, 0, SECCOMP_USER_NOTIF_FLAG_CONTINUE);
}

void bx_call_return(const bx_call *call, int64_t value)
{
    reply(call->calls, call->id, value, 0);
}

bool bx_call_return_fd(const bx_call *call, int fd, bool close_on_exec)
{
    const struct seccomp_notif_addfd add = {.id = call->id,
                                            .flags = SECCOMP_ADDFD_FLAG_SEND,
                                            .srcfd = (uint32_t)fd,
                                            .newfd_flags = close_on_exec ? O_CLOEXEC : 0};
    return ioctl(call->calls->listener, SECCOMP_IOCTL_NOTIF_ADDFD, &add) >= 0;
}

/* pidfd_open() takes processes only, not threads. */
static pid_t process_of(pid_t thread)
{
    char file[48], line[128];
    int process = thread;
    snprintf(file, sizeof file, "/proc/%d/status", thread);
    FILE *status = fopen(file, "re");
    while (status && fgets(line, sizeof line, status))
        if (sscanf(line, "Tgid: %d", &process) == 1)
            break;
    if (status)
        fclose(status);
    return process;
}

int bx_call_descriptor(const bx_call *call, int fd)
{
    int process = (int)syscall(SYS_pidfd_open, process_of(call->pid), 0);
    if (process < 0)
        return -1;
    int copy = (int)syscall(SYS_pidfd_getfd, process, fd, 0), err = errno;
    close(process);
    errno = err;
    return copy;
}

/* Sends messages to boxscore, and makes the leash. */
#include "socket.h"

#include "core_calls.h"
#include "trace_format.h"

#include "pub_tool_libcbase.h"
#include "pub_tool_libcfile.h"
#include "pub_tool_libcproc.h"
#include "pub_tool_vki.h"
#include "pub_tool_vkiscnums.h"

enum {
    /* Constants of Linux that Valgrind's headers lack. */
    SET_SIGNAL = 10,          /* F_SETSIG */
    ASYNC = 020000,           /* O_ASYNC */
    CLOSE_ON_EXEC = 02000000, /* O_CLOEXEC */
    CONNECTION_RESET = 104,   /* ECONNRESET */
    NO_SIGNAL = 0x4000,       /* MSG_NOSIGNAL */
    DONT_WAIT = 0x40,         /* MSG_DONTWAIT */
};

static Int sock = -1;
static Int leash = -1; /* the leash's read end */

void bx_socket_open(Int fd)
{
    sock = fd < 0 ? -1 : bx_core_hide_fd(fd);
}

Bool bx_socket_is_open(void)
{
    return sock >= 0;
}

void bx_socket_die(void)
{
    bx_core_syscall(__NR_kill, (UWord)VG_(getpid)(), VKI_SIGKILL, 0, 0, 0, 0);
}

/* ---- messages ---- */

typedef struct rights { /* a control message with descriptors */
    struct vki_cmsghdr header;
    Int fd[BX_TRACE_FDS];
} rights;

static Word send(UInt kind, UInt parent, ULong time, rights *with, UInt flags)
{
    bx_trace_message m = {.magic = BX_TRACE_MAGIC,
                          .kind = kind,
                          .process = (UInt)VG_(getpid)(),
                          .parent = parent,
                          .time = time};
    struct vki_iovec part = {&m, sizeof m};
    struct vki_msghdr message = {.msg_iov = &part, .msg_iovlen = 1};
    if (with) {
        with->header = (struct vki_cmsghdr){sizeof with->header + sizeof with->fd, VKI_SOL_SOCKET,
                                            VKI_SCM_RIGHTS};
        message.msg_control = with;
        message.msg_controllen = sizeof *with;
    }
    return bx_core_syscall(__NR_sendmsg, (UWord)sock, (UWord)&message, NO_SIGNAL | flags, 0, 0, 0);
}

static Bool is_gone(Word result)
{
    return result == -VKI_EPIPE || result == -CONNECTION_RESET;
}

void bx_socket_bell(void)
{
    if (is_gone(send(BX_TRACE_BELL, 0, 0, NULL, DONT_WAIT)))
        bx_socket_die();
}

/* ---- the leash ---- */

/* Makes a pipe: when its last writer has closed it, the kernel sends SIGKILL to this process. */
static Bool make_leash(Int ends[2])
{
    if (bx_core_syscall(__NR_pipe2, (UWord)ends, CLOSE_ON_EXEC, 0, 0, 0, 0) < 0)
        return False;
    ends[0] = bx_core_hide_fd(ends[0]);
    bx_core_syscall(__NR_fcntl, (UWord)ends[0], VKI_F_SETOWN, (UWord)VG_(getpid)(), 0, 0, 0);
    bx_core_syscall(__NR_fcntl, (UWord)ends[0], SET_SIGNAL, VKI_SIGKILL, 0, 0, 0);
    bx_core_syscall(__NR_fcntl, (UWord)ends[0], VKI_F_SETFL, ASYNC, 0, 0, 0);
    return True;
}

static Bool send_ring(Int ring, UInt parent, ULong time)
{
    Int ends[2];
    if (ring < 0 || !make_leash(ends))
        return False;
    rights with = {.fd = {[BX_TRACE_RING_FD] = ring,
                          [BX_TRACE_LEASH_FD] = ends[1],
                          [BX_TRACE_LET_GO_FD] = ends[0]}};
    Word sent = send(BX_TRACE_HELLO, parent, time, &with, 0);
    if (is_gone(sent))
        bx_socket_die();
    leash = ends[0];
    if (sent < 0) { /* close this end first: closing the write end would kill us */
        VG_(close)(leash);
        leash = -1;
    }
    VG_(close)(ends[1]);
    return sent > 0;
}

Bool bx_socket_hello(Int ring, UInt parent, ULong time)
{
    if (leash >= 0)
        VG_(close)(leash); /* the parent's leash */
    leash = -1;
    if (send_ring(ring, parent, time))
        return True;
    if (is_gone(send(BX_TRACE_HELLO, parent, time, NULL, 0)))
        bx_socket_die();
    return False;
}

/* ---- exec ---- */

static void set_flags(Int fd, UInt flags)
{
    if (fd >= 0)
        bx_core_syscall(__NR_fcntl, (UWord)fd, VKI_F_SETFD, flags, 0, 0, 0);
}

Int bx_socket_pass_on(Bool traced)
{
    set_flags(traced ? sock : leash, 0);
    return sock;
}

void bx_socket_keep(void)
{
    set_flags(sock, VKI_FD_CLOEXEC);
    set_flags(leash, VKI_FD_CLOEXEC);
}

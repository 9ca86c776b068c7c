/* Messages between stage and reaper over a socket pair, one for each forwarded call. */
#include "stage/calls/call_proxy.h"

#include "base/error.h"
#include "stage/calls/static_cpuid.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

enum kind {
    REQUEST,   /* to the reaper: a call waits for an answer */
    CONTINUE,  /* to the stage: continue the call */
    RETURN,    /* to the stage: the call returns `value` */
    CONTINUED, /* to the reaper: the call was continued */
};

typedef struct message {
    enum kind kind;
    int64_t value;
    bx_call call;
} message;

struct bx_call_proxy {
    int stage, reaper; /* the ends of a socket pair */
    bx_reaper_work work;
    bx_affinity affinity; /* used in the reaper */
    bx_static_cpuid traced;
};

static bool send_message(int socket, const message *m, int flags)
{
    ssize_t n;
    do
        n = send(socket, m, sizeof *m, flags | MSG_NOSIGNAL);
    while (n < 0 && errno == EINTR);
    return n == sizeof *m;
}

/* ---- in the reaper ---- */

static bool is_exec(const bx_call *call)
{
    return call->number == SYS_execve || call->number == SYS_execveat;
}

static void handle_message(void *context, int stage)
{
    bx_call_proxy *p = context;
    message m;
    if (recv(stage, &m, sizeof m, MSG_DONTWAIT) != sizeof m)
        return;
    if (m.kind == CONTINUED) {
        bx_static_cpuid_after_exec(m.call.pid);
        return;
    }
    m.kind = CONTINUE;
    if (is_exec(&m.call))
        bx_static_cpuid_before_exec(m.call.pid);
    else if (bx_affinity_handle(&p->affinity, &m.call, &m.value))
        m.kind = RETURN;
    send_message(stage, &m, 0);
}

static void stopped(void *context, pid_t thread, int status)
{
    bx_call_proxy *p = context;
    bx_static_cpuid_stopped(&p->traced, thread, status);
}

/* ---- in the stage ---- */

/* If the socket is full, the host's kernel executes the call. The program may then see the host's
 * CPU, but it does not hang. */
static enum bx_answer forward(void *context, const bx_call *call, int64_t *value)
{
    const bx_call_proxy *p = context;
    const message m = {.kind = REQUEST, .call = *call};
    (void)value;
    return send_message(p->stage, &m, MSG_DONTWAIT) ? BX_CALL_LATER : BX_CALL_CONTINUES;
}

void bx_call_proxy_handle(bx_call_proxy *p)
{
    message m;
    if (recv(p->stage, &m, sizeof m, MSG_DONTWAIT) != sizeof m)
        return;
    if (m.kind == RETURN) {
        bx_call_return(&m.call, m.value);
        return;
    }
    bx_call_continue(&m.call);
    if (is_exec(&m.call)) {
        m.kind = CONTINUED;
        send_message(p->stage, &m, MSG_DONTWAIT);
    }
}

int bx_call_proxy_descriptor(const bx_call_proxy *p)
{
    return p->stage;
}

const bx_reaper_work *bx_call_proxy_work(const bx_call_proxy *p)
{
    return &p->work;
}

int bx_call_proxy_new(const bx_topology *t, bx_calls *calls, bx_call_proxy **p, bx_error *e)
{
    static const int numbers[] = {SYS_execve, SYS_execveat, SYS_sched_setaffinity,
                                  SYS_sched_getaffinity};
    int ends[2];
    bx_call_proxy *made = calloc(1, sizeof *made);
    if (!made)
        return bx_out_of_memory(e);
    if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) != 0) {
        free(made);
        return bx_fail(e, BX_SYSTEM, 0, 0, "no socket can be made: %s", strerror(errno));
    }
    made->stage = ends[0];
    made->reaper = ends[1];
    made->affinity.cpus = t->packages * t->cores;
    made->traced = (bx_static_cpuid){t, &made->affinity};
    made->work = (bx_reaper_work){ends[1], handle_message, stopped, made};
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
        if (!bx_calls_intercept(calls, numbers[i], forward, made)) {
            bx_call_proxy_free(made);
            return bx_fail(e, BX_SYSTEM, 0, 0, "too many system calls are caught");
        }
    *p = made;
    return BX_OK;
}

void bx_call_proxy_free(bx_call_proxy *p)
{
    if (!p)
        return;
    close(p->stage);
    close(p->reaper);
    free(p->affinity.bound);
    free(p);
}

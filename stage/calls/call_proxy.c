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
    ASKED,     /* to the reaper: a call waits */
    ALLOWED,   /* and back: it continues */
    VALUE,     /* it returns */
    CONTINUED, /* to the reaper: an allowed one has */
};

typedef struct message {
    enum kind kind;
    int64_t value;
    bx_call call;
} message;

struct bx_call_proxy {
    int stage, reaper; /* the ends of a socket */
    bx_reaper_work work;
    bx_affinity affinity; /* used in the reaper */
    bx_static traced;
};

static bool pass(int socket, const message *m, int flags)
{
    ssize_t n;
    do
        n = send(socket, m, sizeof *m, flags | MSG_NOSIGNAL);
    while (n < 0 && errno == EINTR);
    return n == sizeof *m;
}

/* ---- in the reaper ---- */

static bool executes(const bx_call *call)
{
    return call->number == SYS_execve || call->number == SYS_execveat;
}

static void on_request(void *context, int stage)
{
    bx_call_proxy *r = context;
    message m;
    if (recv(stage, &m, sizeof m, MSG_DONTWAIT) != sizeof m)
        return;
    if (m.kind == CONTINUED) {
        bx_static_executed(m.call.pid);
        return;
    }
    m.kind = ALLOWED;
    if (executes(&m.call))
        bx_static_executes(m.call.pid);
    else if (bx_affinity_answer(&r->affinity, &m.call, &m.value))
        m.kind = VALUE;
    pass(stage, &m, 0);
}

static void stopped(void *context, pid_t thread, int status)
{
    bx_call_proxy *r = context;
    bx_static_stopped(&r->traced, thread, status);
}

/* ---- in the stage ---- */

/* Where nothing can be passed now, the host does it: its CPU is seen, but nobody hangs. */
static enum bx_answer ask(void *context, const bx_call *call, int64_t *value)
{
    const bx_call_proxy *r = context;
    const message m = {.kind = ASKED, .call = *call};
    (void)value;
    return pass(r->stage, &m, MSG_DONTWAIT) ? BX_CALL_LATER : BX_CALL_CONTINUES;
}

void bx_call_proxy_take(bx_call_proxy *r)
{
    message m;
    if (recv(r->stage, &m, sizeof m, MSG_DONTWAIT) != sizeof m)
        return;
    if (m.kind == VALUE) {
        bx_call_return(&m.call, m.value);
        return;
    }
    bx_call_continue(&m.call);
    if (executes(&m.call)) {
        m.kind = CONTINUED;
        pass(r->stage, &m, MSG_DONTWAIT);
    }
}

int bx_call_proxy_descriptor(const bx_call_proxy *r)
{
    return r->stage;
}

const bx_reaper_work *bx_call_proxy_work(const bx_call_proxy *r)
{
    return &r->work;
}

int bx_call_proxy_new(const bx_topology *t, bx_calls *calls, bx_call_proxy **r, bx_error *e)
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
    made->traced = (bx_static){t, &made->affinity};
    made->work = (bx_reaper_work){ends[1], on_request, stopped, made};
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
        if (!bx_calls_catch(calls, numbers[i], ask, made)) {
            bx_call_proxy_free(made);
            return bx_fail(e, BX_SYSTEM, 0, 0, "too many system calls are caught");
        }
    *r = made;
    return BX_OK;
}

void bx_call_proxy_free(bx_call_proxy *r)
{
    if (!r)
        return;
    close(r->stage);
    close(r->reaper);
    free(r->affinity.bound);
    free(r);
}

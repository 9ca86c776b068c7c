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
    ASKED,   /* to the keeper: a call waits */
    ALLOWED, /* and back: it goes on */
    VALUE,   /* it returns */
    WENT_ON, /* to the keeper: an allowed one has */
};

typedef struct message {
    enum kind kind;
    int64_t value;
    bx_call call;
} message;

struct bx_relay {
    int stage, keeper; /* the ends of a socket */
    bx_keeper_work work;
    bx_affinity affinity; /* used in the keeper */
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

/* ---- in the keeper ---- */

static bool executes(const bx_call *call)
{
    return call->number == SYS_execve || call->number == SYS_execveat;
}

static void be_asked(void *context, int stage)
{
    bx_relay *r = context;
    message m;
    if (recv(stage, &m, sizeof m, MSG_DONTWAIT) != sizeof m)
        return;
    if (m.kind == WENT_ON) {
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
    bx_relay *r = context;
    bx_static_stopped(&r->traced, thread, status);
}

/* ---- in the stage ---- */

/* Where nothing can be passed now, the host does it: its CPU is seen, but nobody hangs. */
static enum bx_answer ask(void *context, const bx_call *call, int64_t *value)
{
    const bx_relay *r = context;
    const message m = {.kind = ASKED, .call = *call};
    (void)value;
    return pass(r->stage, &m, MSG_DONTWAIT) ? BX_CALL_LATER : BX_CALL_GOES_ON;
}

void bx_relay_take(bx_relay *r)
{
    message m;
    if (recv(r->stage, &m, sizeof m, MSG_DONTWAIT) != sizeof m)
        return;
    if (m.kind == VALUE) {
        bx_call_return(&m.call, m.value);
        return;
    }
    bx_call_go_on(&m.call);
    if (executes(&m.call)) {
        m.kind = WENT_ON;
        pass(r->stage, &m, MSG_DONTWAIT);
    }
}

int bx_relay_descriptor(const bx_relay *r)
{
    return r->stage;
}

const bx_keeper_work *bx_relay_work(const bx_relay *r)
{
    return &r->work;
}

int bx_relay_new(const bx_topology *t, bx_calls *calls, bx_relay **r, bx_error *e)
{
    static const int numbers[] = {SYS_execve, SYS_execveat, SYS_sched_setaffinity,
                                  SYS_sched_getaffinity};
    int ends[2];
    bx_relay *made = calloc(1, sizeof *made);
    if (!made)
        return bx_fail(e, BX_NO_MEMORY, 0, 0, "out of memory");
    if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) != 0) {
        free(made);
        return bx_fail(e, BX_SYSTEM, 0, 0, "no socket can be made: %s", strerror(errno));
    }
    made->stage = ends[0];
    made->keeper = ends[1];
    made->affinity.cpus = t->packages * t->cores;
    made->traced = (bx_static){t, &made->affinity};
    made->work = (bx_keeper_work){ends[1], be_asked, stopped, made};
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
        if (!bx_calls_catch(calls, numbers[i], ask, made)) {
            bx_relay_free(made);
            return bx_fail(e, BX_SYSTEM, 0, 0, "too many system calls are caught");
        }
    *r = made;
    return BX_OK;
}

void bx_relay_free(bx_relay *r)
{
    if (!r)
        return;
    close(r->stage);
    close(r->keeper);
    free(r->affinity.bound);
    free(r);
}

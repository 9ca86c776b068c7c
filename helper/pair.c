/* Forks the server, waits for its end, and restores registers if it was killed. */
#include "helper/pair.h"

#include "base/error.h"
#include "helper/requests.h"
#include "helper/rights.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

/* Each process holds one end of both pipes, and sees end of file when the other process has
 * ended. */
typedef struct pair {
    int serves[2]; /* write end: the server; nothing is ever written */
    int waits[2];  /* write end: the process that waits; when it is closed the server ends */
} pair;

/* The server. When the other process has ended, it restores everything and ends. */
static int serve(bx_serving *s, bx_request_handler *handler, const pair *p)
{
    bx_error e = {0};
    close(p->serves[0]);
    close(p->waits[1]);
    close(s->end);
    s->end = p->waits[0];
    if (bx_rights_seal(s->helper_journal->file.fd, &e) == BX_OK &&
        bx_serve(s, handler, &e) == BX_OK)
        return 0;
    bx_helper_log("%s", e.message);
    return 1;
}

/* Waits until the server has ended. A signal makes this process end the server. */
static void wait_for_end(const bx_serving *s, pair *p)
{
    struct pollfd polled[] = {{.fd = s->end, .events = POLLIN},
                              {.fd = p->serves[0], .events = POLLIN}};
    for (;;) {
        if (poll(polled, 2, -1) < 0 && errno != EINTR)
            return;
        if (polled[1].revents)
            return;
        if (!polled[0].revents)
            continue;
        close(p->waits[1]);
        p->waits[1] = -1;
        polled[0].fd = -1;
    }
}

static int await(bx_serving *s, bx_request_handler *handler, pair *p, pid_t server, bx_error *e)
{
    int status = 0;
    close(p->serves[1]);
    close(p->waits[0]);
    close(s->listening);
    int code = bx_rights_seal(s->helper_journal->file.fd, e);
    if (code == BX_OK)
        wait_for_end(s, p);
    if (p->waits[1] >= 0)
        close(p->waits[1]);
    while (waitpid(server, &status, 0) < 0 && errno == EINTR)
        continue;
    bool all = bx_handler_drop_all(handler);
    if (code == BX_OK && WIFSIGNALED(status))
        code = bx_fail(e, BX_SYSTEM, 0, 0, "the process that serves was killed by signal %d",
                       WTERMSIG(status));
    if (code == BX_OK && WEXITSTATUS(status))
        code = bx_fail(e, BX_SYSTEM, 0, 0, "the process that serves has failed");
    if (!all) {
        code =
            bx_fail(e, BX_FAULT, 0, 0, "not everything is put back; what is left is in a journal");
        bx_helper_journal_hint(s->helper_journal, s->helper_journal->machine, e);
    }
    return code;
}

int bx_pair_serve(bx_serving *s, bx_error *e)
{
    bx_request_handler handler;
    pair p;
    if (!bx_handler_open(&handler, s))
        return bx_out_of_memory(e);
    if (pipe2(p.serves, O_CLOEXEC) || pipe2(p.waits, O_CLOEXEC))
        return bx_fail(e, BX_SYSTEM, 0, 0, "cannot make a pipe: %s", strerror(errno));
    pid_t server = fork();
    if (server < 0)
        return bx_fail(e, BX_SYSTEM, 0, 0, "cannot start a process: %s", strerror(errno));
    if (server == 0)
        _exit(serve(s, &handler, &p));
    int code = await(s, &handler, &p, server, e);
    bx_handler_close(&handler);
    return code;
}

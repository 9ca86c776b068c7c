/* Starts a program on the host, and waits for marks and for its end. */
#include "machine/program/process/host_program.h"

#include "base/error.h"
#include "host/system/file.h"
#include "machine/program/process/executable.h"
#include "machine/program/process/mark_server.h"
#include "machine/program/process/wait.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

struct bx_process {
    pid_t pid;      /* 0: the process has been waited for */
    int end;        /* pidfd: readable once it has ended */
    int start_pipe; /* a byte on it starts the program; -1: started */
    int exec_pipe;  /* brings an errno if the program could not be executed, else nothing */
    int status, signal;
    char *program;
    bool changes_rights;
    bx_mark_server *marks; /* NULL: regions are not counted */
};

/* When a terminal is closed, only the leader of the session gets SIGHUP. */
bool bx_process_got_signal(int number, int code)
{
    return code > 0 &&
           (number == SIGINT || number == SIGQUIT || (number == SIGHUP && getsid(0) != getpid()));
}

uint64_t bx_process_clock(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_nsec;
}

static void close_at(int *fd)
{
    if (*fd >= 0)
        close(*fd);
    *fd = -1;
}

/* Runs in the child. */
static void become(char *const argv[], void (*prepare)(void *), void *context, int start_pipe,
                   int exec_pipe)
{
    char go;
    if (read(start_pipe, &go, 1) != 1)
        _exit(EXIT_FAILURE);
    if (prepare)
        prepare(context);
    execvp(argv[0], argv);
    int err = errno;
    (void)!write(exec_pipe, &err, sizeof err);
    _exit(127);
}

/* Runs in the child. Sets the default actions, as a new program has them. Otherwise our handlers
 * would take signals that arrive before execvp(), and those signals would be lost. */
static void reset_handlers(void)
{
    for (int number = 1; number <= SIGRTMAX; number++) {
        struct sigaction is;
        if (sigaction(number, NULL, &is) == 0 && is.sa_handler != SIG_IGN)
            signal(number, SIG_DFL);
    }
}

/* Blocks all signals, so that the child gets none while it has our handlers. */
static pid_t fork_program(void)
{
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    pid_t pid = fork();
    int err = errno;
    if (pid == 0)
        reset_handlers();
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    errno = err;
    return pid;
}

static int start_executable(bx_process *p, char *const argv[], void (*prepare)(void *),
                            void *context)
{
    int start_pipe[2], exec_pipe[2];
    if (pipe2(start_pipe, O_CLOEXEC) != 0)
        return errno;
    if (pipe2(exec_pipe, O_CLOEXEC) != 0) {
        int err = errno;
        close(start_pipe[0]);
        close(start_pipe[1]);
        return err;
    }
    pid_t pid = fork_program();
    int err = pid < 0 ? errno : 0;
    if (pid == 0) {
        close(start_pipe[1]);
        become(argv, prepare, context, start_pipe[0], exec_pipe[1]);
    }
    close(start_pipe[0]);
    close(exec_pipe[1]);
    p->start_pipe = start_pipe[1];
    p->exec_pipe = exec_pipe[0];
    if (pid < 0)
        return err;
    p->pid = pid;
    p->end = (int)syscall(SYS_pidfd_open, pid, 0); /* older C libraries lack pidfd_open() */
    return p->end < 0 ? errno : 0;
}

int bx_process_new(char *const argv[], void (*prepare)(void *), void *context, bx_process **p,
                   bx_error *e)
{
    int code = bx_program_check(argv[0], e);
    if (code != BX_OK)
        return code;
    bx_process *made = calloc(1, sizeof *made);
    if (!made)
        return bx_out_of_memory(e);
    made->end = made->start_pipe = made->exec_pipe = -1;
    made->program = strdup(argv[0]);
    made->changes_rights = bx_program_changes_rights(argv[0]);
    int err = made->program ? start_executable(made, argv, prepare, context) : ENOMEM;
    if (err != 0) {
        bx_process_free(made);
        return bx_fail(e, bx_code_of(err), 0, 0, "'%s' cannot be started: %s", argv[0],
                       strerror(err));
    }
    *p = made;
    return BX_OK;
}

static void wait_for_end(bx_process *p)
{
    p->status = bx_wait_for(p->pid, &p->signal);
    p->pid = 0;
}

void bx_process_free(bx_process *p)
{
    if (!p)
        return;
    if (p->pid) {
        kill(p->pid, SIGKILL);
        wait_for_end(p);
    }
    close_at(&p->start_pipe);
    close_at(&p->exec_pipe);
    close_at(&p->end);
    free(p->program);
    free(p);
}

/* Starts the program. Whether execvp() failed is checked only when the process has ended: execution
 * may take long, if another program must allow it first. A closed pipe (EPIPE) is no error: a
 * signal has ended the process before, and its status is read as usual. */
static int start_program(bx_process *p, bx_error *e)
{
    int err = bx_file_write(p->start_pipe, "", 1);
    if (err && err != EPIPE)
        return bx_fail(e, BX_SYSTEM, 0, 0, "the program's process is gone");
    close_at(&p->start_pipe);
    return BX_OK;
}

/* Whether the program was executed. Call this when the process has ended. */
static int was_executed(bx_process *p, bx_error *e)
{
    int err = 0;
    ssize_t n;
    do
        n = read(p->exec_pipe, &err, sizeof err);
    while (n < 0 && errno == EINTR);
    close_at(&p->exec_pipe);
    if (n != sizeof err)
        return BX_OK;
    char interpreter[256];
    if (err == ENOENT &&
        bx_program_missing_interpreter(p->program, interpreter, sizeof interpreter))
        return bx_fail(e, BX_SYSTEM, 0, 0, "'%s' cannot be executed: its interpreter '%s': %s",
                       p->program, interpreter, strerror(err));
    return bx_fail(e, BX_SYSTEM, 0, 0, "'%s' cannot be executed: %s", p->program, strerror(err));
}

void bx_process_serve(bx_process *p, bx_mark_server *marks)
{
    p->marks = marks;
    if (marks)
        bx_mark_server_serve(marks, p->pid);
}

/* Waits until the program has ended, a mark was taken, the time is `until`, or a signal arrives.
 * Returns whether a mark was taken. */
static bool wait_for(bx_process *p, uint64_t until, bool *ended)
{
    uint64_t now = bx_process_clock(), left = until > now ? until - now : 0;
    const struct timespec patience = {(time_t)(left / 1000000000), (long)(left % 1000000000)};
    struct pollfd events[] = {
        {.fd = p->marks ? bx_mark_server_fd(p->marks) : -1, .events = POLLIN},
        {.fd = p->end, .events = POLLIN},
    };
    bool any = ppoll(events, 2, &patience, NULL) > 0, mark = any && events[0].revents;
    *ended = any && !mark;
    if (mark)
        bx_mark_server_take(p->marks);
    return mark;
}

int bx_process_run(bx_process *p, uint64_t until, bool *done, bx_error *e)
{
    int code = p->start_pipe >= 0 ? start_program(p, e) : BX_OK;
    if (code != BX_OK)
        return code;
    bool ended = p->pid == 0;
    while (!ended && wait_for(p, until, &ended))
        ;
    if (p->pid && ended) {
        wait_for_end(p);
        code = was_executed(p, e);
    }
    *done = ended;
    return code;
}

pid_t bx_process_pid(const bx_process *p)
{
    return p ? p->pid : 0;
}

bool bx_process_begun(const bx_process *p)
{
    return p->start_pipe < 0;
}

bool bx_process_changes_rights(const bx_process *p)
{
    return p->changes_rights;
}

int bx_process_end(const bx_process *p)
{
    return p->end;
}

int bx_process_status(const bx_process *p)
{
    return p->status;
}

int bx_process_signal(const bx_process *p)
{
    return p->signal;
}

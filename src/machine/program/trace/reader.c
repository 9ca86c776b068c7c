/* Reads the rings of all processes of a traced program. */
#include "machine/program/trace/reader.h"

#include "machine/program/process/children.h"
#include "machine/program/process/ended.h"
#include "machine/program/process/file_limit.h"
#include "machine/program/process/holders.h"
#include "machine/program/process/running.h"
#include "tracefile/writer.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum {
    NAP = 20,   /* ms after which processes are checked even without a bell */
    LATE = 100, /* naps after the program's end in which a hello that must come is waited for */
};

struct bx_trace_reader {
    bx_trace_family family;
    int ours, theirs; /* the two ends of the socket */
    struct pollfd *watched;
    size_t room;
    struct timespec end; /* when others were first found to run without the first process */
    unsigned long files; /* the soft limit of open files that we had before */
    ino_t *leash;        /* [leashes], of programs that run without a trace: bx_holders.pipe */
    size_t leashes;
};

/* Opens a socket with high descriptor numbers, away from the program's own. */
static bool open_socket(bx_trace_reader *r)
{
    const int on = 1;
    int low[2];
    if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, low) != 0)
        return false;
    r->ours = fcntl(low[0], F_DUPFD_CLOEXEC, BX_TRACE_FD);
    r->theirs = fcntl(low[1], F_DUPFD_CLOEXEC, BX_TRACE_FD);
    int err = errno;
    close(low[0]);
    close(low[1]);
    errno = err;
    return r->ours >= 0 && r->theirs >= 0 &&
           setsockopt(r->ours, SOL_SOCKET, SO_PASSCRED, &on, sizeof on) == 0;
}

bx_trace_reader *bx_trace_reader_new(bx_tasks *tasks, struct bx_frames *frames, bool kernel,
                                     bool remarks, const struct bx_tlb_geometry *tlb,
                                     const bx_core_time *core, bool prefetch,
                                     struct bx_tracefile_writer *copy)
{
    bx_trace_reader *r = calloc(1, sizeof *r);
    if (!r)
        return NULL;
    r->ours = r->theirs = -1;
    r->files = bx_file_limit_raise();
    bool begun = bx_trace_family_begin(&r->family, tasks, frames);
    r->family.live = true;
    r->family.without_memory = bx_ended_without_memory();
    r->family.kernel = kernel;
    r->family.remarks = remarks;
    r->family.tlb = tlb;
    r->family.core = *core;
    r->family.prefetch = prefetch;
    r->family.copy = copy;
    if (begun && open_socket(r))
        return r;
    int err = errno;
    bx_trace_reader_free(r);
    errno = err;
    return NULL;
}

void bx_trace_reader_free(bx_trace_reader *r)
{
    if (!r)
        return;
    /* Stops all processes before it kills one: a shell would print a message if it saw its child
     * killed. */
    for (bx_trace_member *m = r->family.first; m; m = m->next)
        bx_trace_process_stop(bx_trace_process_of(m));
    for (bx_trace_member *m; (m = r->family.first);) {
        r->family.first = m->next;
        bx_trace_process_free(bx_trace_process_of(m));
    }
    bx_trace_family_end(&r->family);
    if (r->ours >= 0)
        close(r->ours);
    if (r->theirs >= 0)
        close(r->theirs);
    bx_file_limit_set(r->files);
    free(r->watched);
    free(r->leash);
    free(r);
}

int bx_trace_reader_fd(const bx_trace_reader *r)
{
    return r->theirs;
}

unsigned long bx_trace_reader_files(const bx_trace_reader *r)
{
    return r->files;
}

const bx_trace_family *bx_trace_reader_family(const bx_trace_reader *r)
{
    return &r->family;
}

/* ---- the socket ---- */

typedef struct heard {
    bx_trace_message text;
    pid_t pid;
    bool cut;             /* we had no descriptors left for all of its own */
    int fd[BX_TRACE_FDS]; /* -1: none */
} heard;

static void take_descriptors(const struct cmsghdr *with, heard *h)
{
    size_t n = (with->cmsg_len - CMSG_LEN(0)) / sizeof(int);
    for (size_t i = 0; i < n; i++) {
        int fd;
        memcpy(&fd, CMSG_DATA(with) + i * sizeof fd, sizeof fd);
        if (i < BX_TRACE_FDS)
            h->fd[i] = fd;
        else
            close(fd);
    }
}

static void take_control(struct msghdr *m, heard *h)
{
    for (struct cmsghdr *c = CMSG_FIRSTHDR(m); c; c = CMSG_NXTHDR(m, c)) {
        struct ucred who;
        if (c->cmsg_level == SOL_SOCKET && c->cmsg_type == SCM_RIGHTS)
            take_descriptors(c, h);
        if (c->cmsg_level == SOL_SOCKET && c->cmsg_type == SCM_CREDENTIALS) {
            memcpy(&who, CMSG_DATA(c), sizeof who);
            h->pid = who.pid;
        }
    }
}

/* false: there is no message. */
static bool hear_one(const bx_trace_reader *r, heard *h)
{
    union { /* a union, for the alignment */
        struct cmsghdr header;
        char bytes[CMSG_SPACE(16 * sizeof(int)) + CMSG_SPACE(sizeof(struct ucred))];
    } control;
    struct iovec part = {&h->text, sizeof h->text};
    struct msghdr m = {.msg_iov = &part,
                       .msg_iovlen = 1,
                       .msg_control = &control,
                       .msg_controllen = sizeof control};
    *h = (heard){.fd = {-1, -1, -1}};
    ssize_t n = recvmsg(r->ours, &m, MSG_DONTWAIT | MSG_CMSG_CLOEXEC);
    if (n >= 0)
        take_control(&m, h);
    h->cut = m.msg_flags & MSG_CTRUNC;
    return n > 0;
}

static void take_hello(bx_trace_reader *r, const heard *h)
{
    char name[BX_LIFE_NAME];
    bx_trace_process *p = bx_trace_process_new(&r->family, &h->text, h->pid, h->fd, h->cut);
    if (!p || h->fd[BX_TRACE_RING_FD] >= 0)
        return;
    bx_children_name(h->pid, name);
    bx_trace_family_name(&r->family, &r->family.untraced, name, h->text.process);
    if (r->family.copy)
        bx_tracefile_write_fact(r->family.copy, BX_PART_UNREAD, h->text.process, name);
}

static void hear(bx_trace_reader *r)
{
    heard h;
    while (hear_one(r, &h)) {
        if (h.text.magic == BX_TRACE_MAGIC && h.text.kind == BX_TRACE_HELLO) {
            take_hello(r, &h);
            continue;
        }
        for (size_t i = 0; i < BX_TRACE_FDS; i++)
            if (h.fd[i] >= 0)
                close(h.fd[i]);
    }
}

/* ---- reading ---- */

static bool read_all(bx_trace_reader *r)
{
    bool any = false;
    for (bx_trace_member *m = r->family.first; m; m = m->next)
        any |= bx_trace_process_read(bx_trace_process_of(m));
    return any;
}

static void pass_answers_on(bx_trace_reader *r)
{
    for (bx_question *q = bx_tasks_answered(r->family.tasks), *next; q; q = next) {
        bx_trace_member *m = r->family.first;
        while (m && !bx_trace_process_answer(bx_trace_process_of(m), q))
            m = m->next;
        next = q->next;
        free(q);
    }
}

/* A program without a trace hands its leash on to the processes that it starts. */
static void keep_leash(bx_trace_reader *r, const bx_trace_process *p)
{
    ino_t leash = bx_trace_process_life(p)->untraced ? bx_trace_process_leash(p) : 0;
    ino_t *more = leash ? realloc(r->leash, (r->leashes + 1) * sizeof *more) : NULL;
    if (!leash)
        return;
    if (!more) {
        bx_trace_family_ran_out(&r->family);
        return;
    }
    r->leash = more;
    r->leash[r->leashes++] = leash;
}

/* Ends all processes of the program, also those that are stopped or have no ring. */
static void end_all(bx_trace_reader *r)
{
    for (bx_trace_member *m = r->family.first; m; m = m->next)
        keep_leash(r, bx_trace_process_of(m));
    bx_holders_end(&(bx_holders){.socket = bx_holders_file(r->theirs),
                                 .ours = bx_holders_file(r->ours),
                                 .pipe = r->leash,
                                 .pipes = r->leashes});
}

/* Removes the processes that have ended. */
static bool bury(bx_trace_reader *r)
{
    bool any = false;
    for (bx_trace_member **link = &r->family.first, *m; (m = *link);) {
        bx_trace_process *p = bx_trace_process_of(m);
        if (bx_trace_process_is_done(p)) {
            *link = m->next;
            keep_leash(r, p);
            bx_trace_process_free(p);
            any = true;
        } else {
            link = &m->next;
        }
    }
    return any;
}

static size_t count_living(const bx_trace_reader *r)
{
    size_t n = 0;
    for (bx_trace_member *m = r->family.first; m; m = m->next)
        n++;
    return n;
}

static int by_name(const void *a, const void *b)
{
    const bx_trace_process *const *first = a, *const *second = b;
    return strcmp(bx_trace_process_life(*first)->name, bx_trace_process_life(*second)->name);
}

/* Names the processes that are let go, in an order that does not depend on which began first. */
static void name_left(bx_trace_reader *r, const bx_trace_process **left, size_t n)
{
    bx_trace_family *f = &r->family;
    qsort(left, n, sizeof *left, by_name);
    for (size_t i = 0; i < n; i++) {
        uint32_t number = bx_trace_process_number(left[i]);
        const char *name = bx_trace_process_life(left[i])->name;
        bx_trace_family_name(f, &f->left, name, number);
        if (f->copy)
            bx_tracefile_write_fact(f->copy, BX_PART_LEFT, number, name);
    }
}

/* Bells end naps early: so the clock is asked. */
static unsigned long naps_since_end(bx_trace_reader *r)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    if (r->end.tv_sec == 0)
        r->end = now;
    long ms = (now.tv_sec - r->end.tv_sec) * 1000 + (now.tv_nsec - r->end.tv_nsec) / 1000000;
    return (unsigned long)ms / NAP;
}

/* The first process has ended. Other processes continue without a trace, as after a shell's
 * command, once the words of all ended processes have been read. */
static void let_others_go(bx_trace_reader *r, const bx_child *child)
{
    bool executes = false;
    for (bx_trace_member *m = r->family.first; m; m = m->next) {
        if (bx_trace_process_has_ended(bx_trace_process_of(m)))
            return;
        executes |= bx_trace_process_executes(bx_trace_process_of(m));
    }
    /* A new program's tracer would find nobody to talk to, and end it. What has killed the first
     * process may also have been sent to the others, which then end, too. */
    unsigned most = executes ? LATE : bx_child_was_killed(child) ? LATE / 4 : 0;
    if (most && naps_since_end(r) < most)
        return;
    const bx_trace_process **left = calloc(count_living(r) + 1, sizeof *left);
    size_t n = 0;
    if (!left)
        bx_trace_family_ran_out(&r->family);
    for (bx_trace_member *m = r->family.first; m && left; m = m->next) {
        bx_trace_process *p = bx_trace_process_of(m);
        if (bx_trace_process_is_counted(p))
            left[n++] = p;
        bx_trace_process_let_go(p);
    }
    if (left)
        name_left(r, left, n);
    free(left);
}

static bool make_room_for_processes(bx_trace_reader *r, size_t n)
{
    if (n <= r->room)
        return true;
    struct pollfd *more = realloc(r->watched, 2 * n * sizeof *more);
    if (!more)
        return false;
    r->watched = more;
    r->room = 2 * n;
    return true;
}

static void ask_for_bells(const bx_trace_reader *r, bool ask, bool *nothing)
{
    *nothing = true;
    for (bx_trace_member *m = r->family.first; m; m = m->next)
        *nothing &= bx_trace_process_ask_for_bell(bx_trace_process_of(m), ask);
}

/* Whether a process is about to write words, however long the host does not run it. */
static bool anybody_writes(const bx_trace_reader *r)
{
    for (bx_trace_member *m = r->family.first; m; m = m->next)
        if (m->source && bx_process_runs((pid_t)m->number))
            return true;
    return false;
}

/* Waits for a bell, for room, or for the end of a process. wants: the reader would read words if
 * there were any. */
static void nap(bx_trace_reader *r, bool wants)
{
    size_t n = 2;
    uint64_t rung;
    bool nothing = true;
    if (!make_room_for_processes(r, count_living(r) + n))
        return;
    r->watched[0] = (struct pollfd){r->family.tasks->space, POLLIN, 0};
    r->watched[1] = (struct pollfd){wants ? r->ours : -1, POLLIN, 0};
    for (bx_trace_member *m = r->family.first; wants && m; m = m->next)
        r->watched[n++] = (struct pollfd){bx_trace_process_end(bx_trace_process_of(m)), POLLIN, 0};
    if (wants)
        ask_for_bells(r, true, &nothing);
    bool quiet = poll(r->watched, n, nothing ? NAP : 1) == 0;
    for (bx_trace_member *m = r->family.first; quiet && wants && m; m = m->next)
        bx_trace_process_look(bx_trace_process_of(m));
    if (quiet && nothing && wants && !anybody_writes(r))
        bx_tasks_set_quiet(r->family.tasks);
    if (wants)
        ask_for_bells(r, false, &nothing);
    (void)!read(r->family.tasks->space, &rung, sizeof rung);
}

/* Ends a round in the file. Reading stops if the file cannot be written. */
static void write_round(bx_trace_reader *r)
{
    bx_tracefile_write_round(r->family.copy);
    if (bx_tracefile_writer_failed(r->family.copy))
        bx_trace_family_refuse(&r->family, "its file cannot be written");
}

static void tell_lost_child(bx_trace_family *f, const bx_trace_missing *what)
{
    char text[BX_LIFE_NAME + 16];
    snprintf(text, sizeof text, "a child of %s", what->name);
    bx_trace_family_name(f, &f->untraced, text, what->number);
    if (f->copy)
        bx_tracefile_write_fact(f->copy, BX_PART_UNREAD, what->number, text);
}

static void tell_killed(bx_trace_family *f, const bx_trace_missing *what)
{
    char text[BX_LIFE_NAME + 256];
    if (what->no_memory) {
        snprintf(text, sizeof text,
                 "'%s' was killed by SIGKILL, perhaps for lack of memory: the kernel has killed "
                 "processes for that while the program ran. It is counted until then; allow more "
                 "memory",
                 what->name);
        bx_trace_family_cut(f, what->number, text);
        return;
    }
    snprintf(text, sizeof text,
             "'%s' was killed by SIGKILL, not by a traced process: it is counted until then",
             what->name);
    bx_trace_family_tell(f, what->number, text);
}

/* How it has ended, in words. */
static void tell_lost_rest(bx_trace_family *f, const bx_trace_missing *what)
{
    static const char can_it[] = "does it run under 'valgrind --tool=none'?";
    char text[BX_LIFE_NAME + 256];
    if (what->status < 0)
        snprintf(text, sizeof text,
                 "'%s' was killed or lost: it is counted until its trace ended, which has no end. "
                 "Nobody knows how the process ended: perhaps by SIGKILL from outside, a "
                 "sandbox or a lack of memory; %s",
                 what->name, can_it);
    else if (WIFSIGNALED(what->status))
        snprintf(text, sizeof text,
                 "'%s' was ended by signal %d, of which its trace knows nothing: it is counted "
                 "until its trace ended; %s",
                 what->name, WTERMSIG(what->status), can_it);
    else
        snprintf(text, sizeof text,
                 "'%s' ended with exit status %d, of which its trace knows nothing: it is counted "
                 "until its trace ended; %s",
                 what->name, WEXITSTATUS(what->status), can_it);
    bx_trace_family_cut(f, what->number, text);
}

/* Notes what is missing of the trace. */
static void tell_missing(void *context, const bx_trace_missing *what)
{
    if (what->forked)
        tell_lost_child(context, what);
    else if (bx_ended_by(what->status, SIGKILL))
        tell_killed(context, what);
    else
        tell_lost_rest(context, what);
}

void bx_trace_reader_run(bx_trace_reader *r, const bx_child *child)
{
    bool over = false;
    unsigned late = 0;
    while (!over && !r->family.malformed && !bx_tasks_stopped(r->family.tasks) && !child->end_all) {
        hear(r);
        pass_answers_on(r);
        bool wants = bx_tasks_want_more(r->family.tasks), any = wants && read_all(r);
        if (any && r->family.copy)
            write_round(r);
        if (any)
            continue;
        bool ended = bx_child_has_ended(child);
        if (ended && wants)
            let_others_go(r, child);
        if (wants && bury(r))
            continue;
        over = ended && !r->family.first &&
               (!bx_trace_ledger_awaits(&r->family.ledger) || ++late > LATE);
        if (!over)
            nap(r, wants);
    }
    if (!over)
        end_all(r);
    else
        bx_trace_ledger_tell(&r->family.ledger, tell_missing, &r->family);
    bx_trace_family_close(&r->family);
}

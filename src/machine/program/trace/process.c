/* A process of a traced program that runs: its ring and its end. */
#include "machine/program/trace/process.h"

#include "machine/program/process/children.h"
#include "machine/program/process/ended.h"
#include "machine/program/process/holders.h"
#include "machine/program/trace/ring.h"
#include "tracefile/writer.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

enum { FIRST_FD = 200 };

struct bx_trace_process {
    bx_trace_member member; /* must be first: each member of a running family is one of these */
    bx_word_source source;
    int end; /* pidfd; -1: unknown */
    int fd[BX_TRACE_FDS];
    bx_ring *ring; /* NULL: it runs, but its trace is not read */
    uint32_t copy; /* number of the process in the family's file */
    bool gone;     /* it had ended before its hello was heard */
    bool held;     /* not read at the moment, because its tasks have enough */
    bool stopped;  /* a signal has stopped it */
    bool noticed;  /* its end was noticed: hellos that came before it can be heard */
};

bx_trace_process *bx_trace_process_of(bx_trace_member *m)
{
    return (bx_trace_process *)m;
}

/* ---- its ring ---- */

static bx_ring *ring_of(bx_word_source *s)
{
    return ((bx_trace_process *)(void *)((char *)s - offsetof(bx_trace_process, source)))->ring;
}

static size_t words(bx_word_source *s, const uint64_t **words)
{
    return bx_ring_words(ring_of(s), words);
}

static void consume(bx_word_source *s, size_t n)
{
    bx_ring_consume(ring_of(s), n);
}

/* gone: the process has already ended, and its parent has waited for it. */
static int pidfd_of(pid_t pid, bool *gone)
{
    int low = pid > 0 ? (int)syscall(SYS_pidfd_open, pid, 0) : -1;
    *gone = pid > 0 && low < 0 && errno == ESRCH;
    int fd = low < 0 ? -1 : fcntl(low, F_DUPFD_CLOEXEC, FIRST_FD), err = errno;
    if (low >= 0)
        close(low);
    errno = err;
    return fd;
}

static void open_ring(bx_trace_process *p, bx_trace_family *f)
{
    const char *wrong = NULL;
    bool has_ring = p->fd[BX_TRACE_RING_FD] >= 0;
    if (has_ring)
        p->ring = bx_ring_new(p->fd[BX_TRACE_RING_FD], &wrong);
    if (wrong)
        bx_trace_family_refuse(f, wrong);
    else if (has_ring && !p->ring)
        bx_trace_family_ran_out(f);
    if (has_ring) /* it is mapped: others could only open it through /proc */
        close(p->fd[BX_TRACE_RING_FD]);
    p->fd[BX_TRACE_RING_FD] = -1;
    p->source = (bx_word_source){words, consume};
    if (p->ring && !f->copy) /* words that are copied are not decoded */
        p->member.source = &p->source;
}

/* ---- its beginning and end ---- */

/* A file gets the words: there is no machine whose counters the program could read. */
static void see_copied(void *context, const uint64_t *words)
{
    bx_trace_process *p = context;
    unsigned kind = bx_trace_control_kind(*words);
    if (kind == BX_TRACE_RDPMC || kind == BX_TRACE_WHERE)
        bx_ring_answer(p->ring, words[1], (uint32_t)words[2], BX_TRACE_NO_MACHINE, 0);
    bx_trace_ledger_record(&p->member.family->ledger, bx_trace_stream_life(p->member.stream),
                           p->member.number, words);
}

static void refuse_changed(bx_trace_family *f)
{
    f->changed = true;
    bx_trace_family_refuse(f, "a program has changed its own trace");
}

/* A process that was forked is new. So a number that is in use means that the program itself has
 * sent this hello. */
static bool is_in_use(const bx_trace_family *f, uint32_t number)
{
    for (bx_trace_member *m = f->first; m; m = m->next)
        if (m->number == number && !m->executed &&
            !bx_trace_process_has_ended(bx_trace_process_of(m)))
            return true;
    return false;
}

_Static_assert((int)BX_CHILD_NAME == (int)BX_LIFE_NAME, "one size of names");

static void close_all(const bx_trace_process *p)
{
    for (size_t i = 0; i < BX_TRACE_FDS; i++)
        if (p->fd[i] >= 0)
            close(p->fd[i]);
    if (p->end >= 0)
        close(p->end);
}

/* Notes that we cannot read a process. It ends when its leash is closed: its ring would fill. */
static void refuse_process(bx_trace_process *p, bx_trace_family *f, const bx_trace_message *hello,
                           const char *name)
{
    char text[BX_LIFE_NAME + 256];
    snprintf(text, sizeof text,
             "%s, was ended and not counted: boxscore had no descriptor left for its trace; allow "
             "more open files (ulimit -n), or fewer processes at once",
             name);
    bx_trace_family_cut(f, hello->process, text);
    bx_ring_free(p->ring);
    close_all(p);
    free(p);
}

bx_trace_process *bx_trace_process_new(bx_trace_family *family, const bx_trace_message *hello,
                                       pid_t pid, const int fd[BX_TRACE_FDS], bool cut)
{
    char name[BX_LIFE_NAME];
    /* The kernel gives the number in our namespace: two processes of other namespaces may say that
     * they have the same one. */
    bx_trace_message known = *hello;
    known.process = pid > 0 ? (uint32_t)pid : hello->process;
    bx_trace_process *p = calloc(1, sizeof *p);
    if (!p) {
        bx_trace_family_ran_out(family);
        return NULL;
    }
    p->end = pidfd_of(pid, &p->gone);
    cut |= p->end < 0 && (errno == EMFILE || errno == ENFILE || errno == EINVAL);
    memcpy(p->fd, fd, sizeof p->fd);
    open_ring(p, family);
    if (known.parent && is_in_use(family, known.process))
        refuse_changed(family);
    bx_children_name(pid, name);
    if (known.parent)
        bx_trace_ledger_hello(&family->ledger, known.parent, known.time);
    if (cut) {
        refuse_process(p, family, &known, name);
        return NULL;
    }
    if (!bx_trace_member_begin(&p->member, family, &known)) {
        bx_trace_process_free(p);
        return NULL;
    }
    memcpy(bx_trace_stream_life(p->member.stream)->name, name, sizeof name);
    if (family->copy && p->ring) {
        p->copy = bx_tracefile_write_hello(family->copy, known.process, known.parent, known.time);
        bx_tracefile_write_watched(family->copy, p->copy, see_copied, p);
    }
    return p;
}

/* After this, the kernel does not kill the process when we close its descriptors. */
static void unleash(const bx_trace_process *p)
{
    if (p->fd[BX_TRACE_LET_GO_FD] >= 0)
        fcntl(p->fd[BX_TRACE_LET_GO_FD], F_SETFL, 0);
}

void bx_trace_process_stop(const bx_trace_process *p)
{
    int leash = p->fd[BX_TRACE_LET_GO_FD];
    bool held = leash >= 0 && !p->member.executed && fcntl(leash, F_GETFL) & O_ASYNC;
    if (held && p->end >= 0)
        syscall(SYS_pidfd_send_signal, p->end, SIGSTOP, NULL, 0);
}

void bx_trace_process_free(bx_trace_process *p)
{
    bx_trace_member_end(&p->member);
    bx_ring_free(p->ring);
    if (p->member.executed) /* the program after exec() has its own descriptor for this */
        unleash(p);
    close_all(p);
    free(p);
}

ino_t bx_trace_process_leash(const bx_trace_process *p)
{
    return bx_holders_file(p->fd[BX_TRACE_LET_GO_FD]);
}

int bx_trace_process_end(const bx_trace_process *p)
{
    return p->end;
}

bool bx_trace_process_ask_for_bell(bx_trace_process *p, bool ask)
{
    return !p->ring || p->held || bx_ring_ask_for_bell(p->ring, ask);
}

/* ---- reading ---- */

/* Copies the words that are there, at most those of a full ring: so a process that writes as fast
 * as we read does not delay the others. */
static bool copy(bx_trace_process *p)
{
    const uint64_t *words;
    size_t all = 0;
    for (size_t n; all < bx_ring_room(p->ring) && (n = bx_ring_words(p->ring, &words)); all += n) {
        bx_tracefile_write_words(p->member.family->copy, p->copy, words, n);
        bx_ring_consume(p->ring, n);
    }
    return all;
}

/* ---- processes that signals stop ---- */

/* proc(5): T, stopped by a signal; t, by a debugger. */
static bool is_stopped(const bx_trace_process *p)
{
    char path[64], text[512] = "";
    snprintf(path, sizeof path, "/proc/%u/stat", p->member.number);
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    ssize_t n = fd >= 0 ? read(fd, text, sizeof text - 1) : 0;
    if (fd >= 0)
        close(fd);
    text[n > 0 ? n : 0] = '\0';
    const char *name_end = strrchr(text, ')'); /* the name may have any characters */
    return name_end && (strncmp(name_end, ") T", 3) == 0 || strncmp(name_end, ") t", 3) == 0);
}

static bool has_words(const bx_trace_process *p)
{
    const uint64_t *words;
    return bx_ring_words(p->ring, &words);
}

void bx_trace_process_look(bx_trace_process *p)
{
    bool reads = p->ring && !p->member.family->copy && bx_trace_stream_has_begun(p->member.stream);
    if (!reads || p->stopped || p->member.finished || has_words(p) ||
        bx_trace_process_has_ended(p) || !is_stopped(p))
        return;
    p->stopped = true;
    bx_trace_stream_pause(p->member.stream, true);
}

static void go_on(bx_trace_process *p)
{
    if (!p->stopped || !has_words(p))
        return;
    p->stopped = false;
    bx_trace_stream_pause(p->member.stream, false);
}

/* ---- limits ---- */

static bool anybody_acquires(const bx_trace_family *f)
{
    uint64_t time;
    for (const bx_trace_member *m = f->first; m; m = m->next)
        if (bx_trace_stream_acquires(m->stream, &time))
            return true;
    return false;
}

/* Limits the backlog: a process whose tasks have enough is not read, and a thread that has enough
 * gets few turns. Reading continues if another thread of the ring needs words, or if any process
 * has acquired an object: an acquisition needs everything that others did before. */
static void hold(bx_trace_process *p)
{
    bool wanted;
    uint32_t fullest = bx_trace_stream_fullest(p->member.stream, &wanted);
    p->held = fullest && !wanted && !anybody_acquires(p->member.family);
    bx_ring_pass_over(p->ring, wanted ? fullest : 0);
}

/* Whether the process has written its ring's positions. Then nobody knows what it did. */
static bool is_broken(const bx_trace_process *p)
{
    if (!p->ring || !bx_ring_is_broken(p->ring))
        return false;
    refuse_changed(p->member.family);
    return true;
}

bool bx_trace_process_read(bx_trace_process *p)
{
    if (is_broken(p))
        return false;
    if (p->member.family->copy)
        return p->ring && copy(p);
    if (p->ring) {
        go_on(p);
        hold(p);
    }
    if (p->held)
        return false;
    bool any = bx_trace_member_read(&p->member) || bx_trace_member_must_ask(&p->member);
    p->member.asked = true; /* the caller reads the socket before it calls again */
    return any;
}

bool bx_trace_process_answer(bx_trace_process *p, const bx_question *answered)
{
    if (bx_trace_stream_own_number(p->member.stream) != answered->stream)
        return false;
    if (p->ring)
        bx_ring_answer(p->ring, answered->place, answered->number,
                       answered->faults ? BX_TRACE_FAULTS : BX_TRACE_IS_READ, answered->value);
    return true;
}

bool bx_trace_process_has_ended(const bx_trace_process *p)
{
    struct pollfd end = {p->end, POLLIN, 0};
    return p->gone || (p->end >= 0 && poll(&end, 1, 0) == 1);
}

static bool has_more(bx_trace_process *p)
{
    const uint64_t *words;
    return p->member.family->copy ? p->ring && bx_ring_words(p->ring, &words)
                                  : bx_trace_member_has_more(&p->member);
}

static void finish(bx_trace_process *p)
{
    if (p->member.family->copy && p->ring)
        bx_tracefile_write_gone(p->member.family->copy, p->copy);
    bx_trace_member_finish(&p->member);
}

/* Its trace does not tell its end. How our child was killed is in the report. */
static void find_out_end(const bx_trace_process *p, const bx_trace_life *life)
{
    bx_trace_family *f = p->member.family;
    bool own, no_memory = bx_ended_without_memory() > f->without_memory;
    int status = bx_ended_status(p->end, (pid_t)p->member.number, &own);
    if (!own || no_memory || !bx_ended_by(status, SIGKILL))
        bx_trace_ledger_cut(&f->ledger, p->member.number, life, status, no_memory);
}

/* All its words were read: they must tell its end. If another member has taken its place, that end
 * is an exec; or else the program itself has sent the hello. */
static void judge_end(const bx_trace_process *p)
{
    const bx_trace_life *life = bx_trace_stream_life(p->member.stream);
    if (p->ring && p->member.executed && life->end != BX_LIFE_EXECUTES)
        refuse_changed(p->member.family);
    bool told = life->end == BX_LIFE_ENDED || (life->end == BX_LIFE_EXECUTES && life->untraced);
    if (!p->ring || p->member.executed)
        return;
    if (told)
        bx_trace_ledger_ended(&p->member.family->ledger, p->member.number);
    else
        find_out_end(p, life);
}

bool bx_trace_process_is_done(bx_trace_process *p)
{
    if (is_broken(p))
        return false;
    if (p->member.finished)
        return !bx_trace_member_is_followed(&p->member);
    if (!p->member.executed && !bx_trace_process_has_ended(p))
        return false;
    if (!p->noticed) {
        p->noticed = true;
        return false;
    }
    if (p->ring && !p->member.executed)
        bx_ring_finish(p->ring);
    if (has_more(p))
        return false;
    judge_end(p);
    finish(p);
    return !bx_trace_member_is_followed(&p->member);
}

const bx_trace_life *bx_trace_process_life(const bx_trace_process *p)
{
    return bx_trace_stream_life(p->member.stream);
}

uint32_t bx_trace_process_number(const bx_trace_process *p)
{
    return p->member.number;
}

bool bx_trace_process_is_counted(const bx_trace_process *p)
{
    return p->ring && !p->member.executed && !p->member.finished &&
           bx_trace_process_life(p)->end != BX_LIFE_ENDED;
}

bool bx_trace_process_executes(const bx_trace_process *p)
{
    const bx_trace_life *life = bx_trace_process_life(p);
    return bx_trace_process_is_counted(p) && life->end == BX_LIFE_EXECUTES && !life->untraced;
}

void bx_trace_process_let_go(bx_trace_process *p)
{
    unleash(p);
    is_broken(p);
    if (p->ring)
        bx_ring_leave(p->ring);
    if (!p->member.finished)
        finish(p);
}

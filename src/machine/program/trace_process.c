#include "machine/program/trace_process.h"

#include "machine/program/ring.h"
#include "machine/program/trace_stream.h"

#include <fcntl.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { STEPS = 256, FIRST_FD = 200 };

struct bx_trace_process {
    bx_trace_process *next;
    bx_trace_family *family;
    uint32_t number, parent; /* in its own namespace */
    uint64_t time;           /* of its hello */
    int end;                 /* pidfd; -1: unknown */
    int fd[BX_TRACE_FDS];
    bx_ring *ring; /* NULL: it runs unread */
    bx_trace_stream *stream;
    bx_trace_process *instead_of; /* the same process before exec(); NULL: none */
    bool executed;                /* another one is instead of this */
    bool finished;                /* the ring has been read to its end */
    bool held;                    /* not read, because its tasks have enough */
    bool asked; /* all that was said on the socket before it stopped reading has been heard */
};

static bx_trace_process *process_of(const bx_trace_family *f, uint32_t number)
{
    for (bx_trace_process *p = f->first; p; p = p->next)
        if (p->number == number && !p->executed)
            return p;
    return NULL;
}

static int pidfd_of(pid_t pid)
{
    int low = pid > 0 ? (int)syscall(SYS_pidfd_open, pid, 0) : -1;
    int fd = low < 0 ? -1 : fcntl(low, F_DUPFD_CLOEXEC, FIRST_FD);
    if (low >= 0)
        close(low);
    return fd;
}

static void open_ring(bx_trace_process *p)
{
    const char *wrong = NULL;
    if (p->fd[BX_TRACE_RING_FD] >= 0)
        p->ring = bx_ring_new(p->fd[BX_TRACE_RING_FD], &wrong);
    if (wrong)
        bx_trace_family_refuse(p->family, wrong);
}

static void begin(bx_trace_process *p, bx_point after)
{
    bx_trace_stream_begin(p->stream, bx_address_space_new(p->family->memory), after);
}

static void introduce(bx_trace_process *p)
{
    bx_trace_process *before = process_of(p->family, p->number);
    if (p->parent)
        return;
    if (before) {
        before->executed = true;
        p->instead_of = before;
    } else if (p->ring) {
        begin(p, (bx_point){NULL, 0});
    }
}

bx_trace_process *bx_trace_process_new(bx_trace_family *family, const bx_trace_message *hello,
                                       pid_t pid, const int fd[BX_TRACE_FDS])
{
    bx_trace_process *p = calloc(1, sizeof *p);
    bx_trace_stream *stream = p ? bx_trace_stream_new(family, hello->process, hello->time) : NULL;
    if (!stream) {
        free(p);
        bx_trace_family_ran_out(family);
        return NULL;
    }
    *p = (bx_trace_process){.family = family,
                            .number = hello->process,
                            .parent = hello->parent,
                            .time = hello->time,
                            .end = pidfd_of(pid),
                            .stream = stream};
    memcpy(p->fd, fd, sizeof p->fd);
    open_ring(p);
    introduce(p);
    p->next = family->first;
    family->first = p;
    return p;
}

/* The kernel no longer kills it when we close its descriptors. */
static void unleash(const bx_trace_process *p)
{
    if (p->fd[BX_TRACE_LET_GO_FD] >= 0)
        fcntl(p->fd[BX_TRACE_LET_GO_FD], F_SETFL, 0);
}

void bx_trace_process_free(bx_trace_process *p)
{
    bx_trace_stream_free(p->stream);
    bx_ring_free(p->ring);
    if (p->executed) /* its successor has a leash of its own */
        unleash(p);
    for (size_t i = 0; i < BX_TRACE_FDS; i++)
        if (p->fd[i] >= 0)
            close(p->fd[i]);
    if (p->end >= 0)
        close(p->end);
    free(p);
}

bx_trace_process **bx_trace_process_next(bx_trace_process *p)
{
    return &p->next;
}

int bx_trace_process_end(const bx_trace_process *p)
{
    return p->end;
}

bool bx_trace_process_ask_for_bell(bx_trace_process *p, bool ask)
{
    return !p->ring || p->held || bx_ring_ask_for_bell(p->ring, ask);
}

/* ---- processes that wait for others ---- */

/* It begins where the program before it executed it, or where its parent forked. */
static bool try_to_begin(bx_trace_process *p)
{
    bx_trace_process *before = p->instead_of;
    if (before) {
        if (!before->finished)
            return false;
        p->instead_of = NULL;
        begin(p, bx_trace_stream_has_begun(before->stream) ? bx_trace_stream_point(before->stream)
                                                           : (bx_point){NULL, 0});
        return true;
    }
    bx_trace_fork child = bx_trace_family_child(p->family, p->parent, p->time);
    if (!child.space)
        return false;
    bx_trace_stream_begin(p->stream, child.space, child.at);
    return true;
}

/* Whether all that others did before that time has been read. */
static bool is_last(const bx_trace_process *p, uint64_t time)
{
    const uint64_t *words;
    for (bx_trace_process *q = p->family->first; q; q = q->next)
        if (q != p && q->ring && !q->finished && bx_trace_stream_time(q->stream) < time &&
            bx_ring_words(q->ring, &words))
            return false;
    return true;
}

/* ---- reading ---- */

static bool read_on(bx_trace_process *p)
{
    const uint64_t *words;
    uint64_t time;
    size_t read;
    if (!bx_trace_stream_has_begun(p->stream))
        return try_to_begin(p);
    if (bx_trace_stream_acquires(p->stream, &time)) {
        if (!p->asked || !is_last(p, time))
            return false;
        bx_trace_stream_acquire(p->stream);
        return true;
    }
    size_t there = bx_ring_words(p->ring, &words);
    bool any = bx_trace_stream_read(p->stream, words, there, &read);
    if (read)
        bx_ring_consume(p->ring, read);
    if (bx_trace_stream_acquires(p->stream, &time))
        p->asked = false;
    return any;
}

static bool anybody_acquires(const bx_trace_family *f)
{
    uint64_t time;
    for (const bx_trace_process *p = f->first; p; p = p->next)
        if (bx_trace_stream_acquires(p->stream, &time))
            return true;
    return false;
}

/* A process whose tasks have enough is held, and a thread of it that has is passed over, so that
 * backlogs have a bound. What a core waits for is read all the same: the words of another thread
 * stand in the same ring, and who acquires something needs all that others did before. */
static void hold(bx_trace_process *p)
{
    bool wanted;
    uint32_t fullest = bx_trace_stream_fullest(p->stream, &wanted);
    p->held = fullest && !wanted && !anybody_acquires(p->family);
    bx_ring_pass_over(p->ring, wanted ? fullest : 0);
}

bool bx_trace_process_read(bx_trace_process *p)
{
    unsigned steps = 0;
    uint64_t time;
    if (p->ring)
        hold(p);
    if (p->held)
        return false;
    while (p->ring && steps < STEPS && !p->family->malformed && read_on(p))
        steps++;
    if (steps && bx_trace_stream_has_begun(p->stream))
        bx_trace_stream_hand_over(p->stream);
    bool again = bx_trace_stream_acquires(p->stream, &time) && !p->asked;
    p->asked = true; /* the caller looks at the socket before it calls again */
    return steps || again;
}

bool bx_trace_process_has_ended(const bx_trace_process *p)
{
    struct pollfd end = {p->end, POLLIN, 0};
    return p->end >= 0 && poll(&end, 1, 0) == 1;
}

bool bx_trace_process_is_followed(const bx_trace_process *p)
{
    for (const bx_trace_process *q = p->family->first; q; q = q->next)
        if (q->instead_of == p)
            return true;
    return false;
}

static bool has_more(bx_trace_process *p)
{
    const uint64_t *words;
    return p->ring && !p->family->malformed &&
           (!bx_trace_stream_has_begun(p->stream) || bx_ring_words(p->ring, &words));
}

static void finish(bx_trace_process *p)
{
    if (bx_trace_stream_has_begun(p->stream))
        bx_trace_stream_end(p->stream);
    p->finished = true;
}

bool bx_trace_process_is_done(bx_trace_process *p)
{
    if (p->finished)
        return true;
    if (!p->executed && !bx_trace_process_has_ended(p))
        return false;
    if (p->ring && !p->executed)
        bx_ring_finish(p->ring);
    if (has_more(p))
        return false;
    finish(p);
    return true;
}

void bx_trace_process_let_go(bx_trace_process *p)
{
    unleash(p);
    if (p->ring)
        bx_ring_leave(p->ring);
    finish(p);
}

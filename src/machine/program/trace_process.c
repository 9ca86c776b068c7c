#include "machine/program/trace_process.h"

#include "machine/program/ring.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { PATH_BYTES = BX_TRACE_PATH_WORDS * sizeof(uint64_t) };

typedef struct thread {
    bx_task *task; /* NULL: there is no such thread */
    bx_decoder_thread decoder;
    bx_point at_clone; /* where it last called the system: a thread that it has made begins there */
    bool ended;
    unsigned writer; /* its number among all that the process has had */
    uint64_t *seen;  /* [seen_n]: accesses of each other one that it has waited for */
    size_t seen_n;
} thread;

/* A child that has not said hello yet. If fork() failed it never does. */
struct bx_trace_fork {
    struct bx_trace_fork *next;
    uint32_t parent;
    uint64_t time;
    bx_address_space *space;
    bx_point at;
};

/* A range that the kernel accesses. */
typedef struct kernel_range {
    unsigned kind;
    uint64_t at, end;
} kernel_range;

struct bx_trace_process {
    bx_trace_process *next;
    bx_trace_family *family;
    uint32_t number; /* in its own namespace */
    int end;         /* pidfd; -1: unknown */
    int fd[BX_TRACE_FDS];
    bx_ring *ring;
    bx_decoder *decoder; /* NULL: it has not begun */
    bx_address_space *space;

    uint64_t time; /* of the last record that has one */
    uint32_t parent;
    bx_trace_process *instead_of; /* the same process before exec(); NULL: none */
    bool executed;                /* another one is instead of this */
    bool finished;                /* the ring has been read to its end */
    bool fresh;                   /* nothing has been read */

    thread *thread; /* [threads], by number */
    size_t threads, running, alive;
    bx_word_writers *writers; /* NULL: it has one thread */
    bx_task **all;            /* [began], in room for all_room: the tasks of all threads so far */
    size_t began, all_room;

    /* What it waits for before it is read on. */
    bool acquires, asked; /* asked: all that is said on the socket before has been heard */
    unsigned object;
    uint64_t id, acquire_time;
    kernel_range kernel;
};

/* ---- threads ---- */

static bool refuse(bx_trace_process *p, const char *why)
{
    if (!p->family->malformed)
        p->family->malformed = why;
    return false;
}

static bool ran_out(bx_trace_process *p)
{
    p->family->no_memory = true;
    return refuse(p, "no memory for it");
}

enum { MOST_THREADS = 1 << 16 };

static thread *thread_of(bx_trace_process *p, size_t number)
{
    if (number >= MOST_THREADS)
        return NULL;
    if (number >= p->threads) {
        size_t n = number + 16;
        thread *more = realloc(p->thread, n * sizeof *more);
        if (!more)
            return NULL;
        memset(more + p->threads, 0, (n - p->threads) * sizeof *more);
        p->thread = more;
        p->threads = n;
    }
    return &p->thread[number];
}

static bool number_task(bx_trace_process *p, bx_task *task)
{
    if (p->began == p->all_room) {
        size_t room = p->all_room + 16 + p->all_room / 2;
        bx_task **more = realloc(p->all, room * sizeof *more);
        if (!more)
            return false;
        p->all = more;
        p->all_room = room;
    }
    p->all[p->began++] = task;
    return true;
}

static bool begin_thread(bx_trace_process *p, size_t number, bx_point after)
{
    thread *t = thread_of(p, number);
    if (!t)
        return ran_out(p);
    free(t->seen);
    *t = (thread){.task = bx_task_new(p->family->tasks, after), .writer = (unsigned)p->began};
    if (!t->task || !number_task(p, t->task))
        return ran_out(p);
    p->alive++;
    if (p->alive > 1 && !p->family->remarks && !p->writers && !(p->writers = bx_word_writers_new()))
        return ran_out(p);
    return true;
}

static thread *running(const bx_trace_process *p)
{
    return &p->thread[p->running];
}

/* The first thread that runs is the one that the process begins with. */
static bool rename_first(bx_trace_process *p, size_t number)
{
    if (!thread_of(p, number))
        return ran_out(p);
    if (number != p->running) {
        p->thread[number] = p->thread[p->running];
        p->thread[p->running] = (thread){0};
        p->running = number;
    }
    p->fresh = false;
    return true;
}

static bool run_thread(bx_trace_process *p, size_t number)
{
    if (p->fresh)
        return rename_first(p, number);
    if (number >= p->threads || !p->thread[number].task)
        if (!begin_thread(p, number, (bx_point){NULL, 0}))
            return false;
    if (number != p->running) {
        bx_task_hand_over(p->family->tasks, running(p)->task);
        running(p)->decoder = bx_decoder_switch(p->decoder, p->thread[number].decoder);
        p->running = number;
    }
    return true;
}

static bool end_thread(bx_trace_process *p, size_t number)
{
    thread *t = &p->thread[number];
    size_t room;
    if (number >= p->threads || !t->task || t->ended)
        return true;
    t->ended = true;
    if (p->decoder && run_thread(p, number)) {
        bx_access *to = bx_task_room(p->family->tasks, t->task, 1, &room);
        if (to)
            bx_task_add(t->task, bx_decoder_end(p->decoder, to));
        bx_decoder_switch(p->decoder, (bx_decoder_thread){0});
    }
    bx_task_complete(p->family->tasks, t->task);
    if (--p->alive == 1) {
        bx_word_writers_free(p->writers);
        p->writers = NULL;
    }
    return true;
}

/* ---- a process ---- */

static bx_trace_process *process_of(const bx_trace_family *f, uint32_t number)
{
    for (bx_trace_process *p = f->first; p; p = p->next)
        if (p->number == number && !p->executed)
            return p;
    return NULL;
}

/* Without tracing it: its first thread. */
static bool begin(bx_trace_process *p, bx_address_space *space, bx_point after)
{
    p->space = space;
    p->decoder = space ? bx_decoder_new(space, p->family->kernel) : NULL;
    if (!p->decoder)
        return ran_out(p);
    if (p->family->remarks)
        bx_decoder_make_remarks(p->decoder);
    return begin_thread(p, p->running, after);
}

static int pidfd_of(pid_t pid)
{
    int low = pid > 0 ? (int)syscall(SYS_pidfd_open, pid, 0) : -1;
    int fd = low < 0 ? -1 : fcntl(low, F_DUPFD_CLOEXEC, 200);
    if (low >= 0)
        close(low);
    return fd;
}

bx_trace_process *bx_trace_process_new(bx_trace_family *family, const bx_trace_message *hello,
                                       pid_t pid, const int fd[BX_TRACE_FDS])
{
    bx_trace_process *p = calloc(1, sizeof *p), *before = process_of(family, hello->process);
    const char *wrong = "no memory for a process";
    if (!p) {
        family->malformed = wrong;
        family->no_memory = true;
        return NULL;
    }
    p->family = family;
    p->ring = bx_ring_new(fd[BX_TRACE_RING_FD], &wrong);
    if (!p->ring)
        refuse(p, wrong);
    p->number = hello->process;
    p->parent = hello->parent;
    p->time = hello->time;
    p->end = pidfd_of(pid);
    p->running = 1;
    p->fresh = true;
    memcpy(p->fd, fd, sizeof p->fd);
    if (before && !hello->parent) {
        before->executed = true;
        p->instead_of = before;
    } else if (!hello->parent && p->ring) {
        begin(p, bx_address_space_new(family->memory), (bx_point){NULL, 0});
    }
    p->next = family->first;
    family->first = p;
    return p;
}

static void add_counts(bx_trace_counts *to, bx_trace_counts more)
{
    to->instructions += more.instructions;
    to->loads += more.loads;
    to->stores += more.stores;
    to->modifications += more.modifications;
}

/* The kernel no longer kills it when we close its descriptors. */
static void unleash(const bx_trace_process *p)
{
    if (p->fd[BX_TRACE_LET_GO_FD] >= 0)
        fcntl(p->fd[BX_TRACE_LET_GO_FD], F_SETFL, 0);
}

void bx_trace_process_free(bx_trace_process *p)
{
    if (p->decoder)
        add_counts(&p->family->counts, bx_decoder_counts(p->decoder));
    bx_decoder_free(p->decoder);
    bx_address_space_free(p->space);
    if (p->ring)
        bx_ring_free(p->ring);
    if (p->executed) /* its successor has a leash of its own */
        unleash(p);
    for (size_t i = 0; i < BX_TRACE_FDS; i++)
        if (p->fd[i] >= 0)
            close(p->fd[i]);
    if (p->end >= 0)
        close(p->end);
    for (size_t i = 0; i < p->threads; i++)
        free(p->thread[i].seen);
    bx_word_writers_free(p->writers);
    free(p->all);
    free(p->thread);
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
    return !p->ring || bx_ring_ask_for_bell(p->ring, ask);
}

/* ---- processes that wait for others ---- */

static bool begin_child(bx_trace_process *p, struct bx_trace_fork **link)
{
    struct bx_trace_fork *f = *link;
    bx_address_space *space = f->space;
    bx_point after = f->at;
    *link = f->next;
    free(f);
    return begin(p, space, after);
}

void bx_trace_family_forget(bx_trace_family *family)
{
    for (struct bx_trace_fork *f; (f = family->forks);) {
        family->forks = f->next;
        bx_address_space_free(f->space);
        free(f);
    }
}

/* It begins where its parent forked, or where the program before it executed it. */
static bool try_to_begin(bx_trace_process *p)
{
    if (p->instead_of) {
        bx_trace_process *before = p->instead_of;
        if (!before->finished)
            return false;
        bx_point after = bx_task_point(p->family->tasks, running(before)->task);
        p->instead_of = NULL;
        return begin(p, bx_address_space_new(p->family->memory), after);
    }
    for (struct bx_trace_fork **f = &p->family->forks; *f; f = &(*f)->next)
        if ((*f)->parent == p->parent && (*f)->time == p->time)
            return begin_child(p, f);
    return false;
}

/* Whether all that others did before that time has been read. */
static bool is_last(const bx_trace_process *p, uint64_t time)
{
    const uint64_t *words;
    for (bx_trace_process *q = p->family->first; q; q = q->next)
        if (q != p && q->ring && !q->finished && q->time < time && bx_ring_words(q->ring, &words))
            return false;
    return true;
}

static bool try_to_acquire(bx_trace_process *p)
{
    if (!p->asked || !is_last(p, p->acquire_time))
        return false;
    bx_point after = bx_releases_before(p->family->releases, p->object, p->id, p->acquire_time);
    bx_task_wait(p->family->tasks, running(p)->task, after);
    p->acquires = false;
    return true;
}

/* ---- records ---- */

/* The ids of futexes are addresses: those of memory, which processes share. */
static uint64_t id_of(bx_trace_process *p, unsigned object, uint64_t id)
{
    return object == BX_TRACE_FUTEX ? bx_decoder_physical(p->decoder, id) : id;
}

static void release(bx_trace_process *p, uint64_t time, unsigned object, uint64_t id)
{
    bx_task *task = running(p)->task;
    if (object == BX_TRACE_NOTHING)
        return;
    bx_releases_add(p->family->releases, object, id_of(p, object, id), time,
                    bx_task_point(p->family->tasks, task));
}

static void enter_call(bx_trace_process *p, const uint64_t *words)
{
    thread *t = running(p);
    t->at_clone = bx_task_point(p->family->tasks, t->task);
    release(p, words[0], (unsigned)words[1], words[2]);
    bx_task_call(p->family->tasks, t->task, true);
}

/* These return the child that they have made, and wait for nobody. */
static bool makes_process(uint32_t call)
{
    return call == SYS_fork || call == SYS_vfork || call == SYS_clone || call == SYS_clone3;
}

static void return_from_call(bx_trace_process *p, uint32_t number, const uint64_t *words)
{
    bx_task_call(p->family->tasks, running(p)->task, false);
    p->acquires = words[1] != BX_TRACE_NOTHING && !makes_process(number);
    p->asked = false;
    p->object = (unsigned)words[1];
    p->id = p->acquires ? id_of(p, p->object, words[2]) : 0;
    p->acquire_time = words[0];
}

static bool remember_fork(bx_trace_process *p, uint64_t time)
{
    struct bx_trace_fork *f = calloc(1, sizeof *f);
    bx_address_space *space = f ? bx_address_space_fork(p->space) : NULL;
    if (!space) {
        free(f);
        return ran_out(p);
    }
    bx_decoder_flush(p->decoder);
    *f = (struct bx_trace_fork){p->family->forks, p->number, time, space,
                                bx_task_point(p->family->tasks, running(p)->task)};
    p->family->forks = f;
    return true;
}

static void end_process(bx_trace_process *p, uint64_t reason, uint64_t time)
{
    if (reason != BX_TRACE_END_EXEC)
        release(p, time, BX_TRACE_PROCESS, p->number);
    bx_task_call(p->family->tasks, running(p)->task, true);
}

bool bx_trace_process_name_untraced(bx_trace_process *p, const char *path)
{
    char *old = p->family->untraced, *text;
    if (asprintf(&text, "%s%s%s (process %u)", old ? old : "", old ? ", " : "", path, p->number) <
        0)
        return ran_out(p);
    free(old);
    p->family->untraced = text;
    return true;
}

static bool add_untraced(bx_trace_process *p, const uint64_t *name, size_t words)
{
    char path[PATH_BYTES + 1];
    memcpy(path, name, words * sizeof *name);
    path[words * sizeof *name] = '\0';
    return bx_trace_process_name_untraced(p, path);
}

static void map(bx_trace_process *p, uint32_t flags, const uint64_t *words)
{
    const bx_mapping m = {words[0],
                          words[1],
                          words[2],
                          words[3],
                          words[4],
                          flags & BX_TRACE_MAP_FILE,
                          flags & BX_TRACE_MAP_SHARED};
    bx_address_space_map(p->space, m);
    bx_decoder_flush(p->decoder);
}

/* Words behind the first one of a record. -1: its kind is unknown. */
static int words_of(unsigned kind)
{
    static const signed char words[] = {
        [BX_TRACE_THREAD] = 1,       [BX_TRACE_END] = 2,      [BX_TRACE_CALL] = 4,
        [BX_TRACE_RETURN] = 4,       [BX_TRACE_RELEASE] = 4,  [BX_TRACE_START] = 2,
        [BX_TRACE_STOP] = 3,         [BX_TRACE_FORK] = 2,     [BX_TRACE_MAP] = 6,
        [BX_TRACE_UNMAP] = 3,        [BX_TRACE_MOVE] = 5,     [BX_TRACE_KERNEL_READ] = 3,
        [BX_TRACE_KERNEL_WRITE] = 3, [BX_TRACE_UNTRACED] = 2, [BX_TRACE_PAIR] = 3,
        [BX_TRACE_REGION] = 2};
    return kind < sizeof words / sizeof *words ? words[kind] - 1 : -1;
}

static bool has_time(unsigned kind)
{
    return kind == BX_TRACE_END || kind == BX_TRACE_CALL || kind == BX_TRACE_RETURN ||
           kind == BX_TRACE_RELEASE || kind == BX_TRACE_STOP || kind == BX_TRACE_FORK;
}

static bool start_thread(bx_trace_process *p, size_t number, uint64_t creator)
{
    bx_point after = {NULL, 0};
    if (!end_thread(p, number)) /* one before it that had this number */
        return false;
    if (creator < p->threads && p->thread[creator].task)
        after = p->thread[creator].at_clone;
    return begin_thread(p, number, after);
}

static bool take_record(bx_trace_process *p, unsigned kind, uint32_t value, const uint64_t *words)
{
    switch (kind) {
    case BX_TRACE_THREAD:
        return run_thread(p, value);
    case BX_TRACE_END:
        end_process(p, value, words[0]);
        return true;
    case BX_TRACE_CALL:
        enter_call(p, words);
        return true;
    case BX_TRACE_RETURN:
        return_from_call(p, value, words);
        return true;
    case BX_TRACE_RELEASE:
        release(p, words[0], (unsigned)words[1], words[2]);
        return true;
    case BX_TRACE_START:
        return start_thread(p, value, words[0]);
    case BX_TRACE_STOP:
        if (words[1])
            release(p, words[0], BX_TRACE_FUTEX, words[1]);
        return end_thread(p, value);
    case BX_TRACE_FORK:
        return remember_fork(p, words[0]);
    case BX_TRACE_MAP:
        map(p, value, words);
        return true;
    case BX_TRACE_UNMAP:
        bx_address_space_unmap(p->space, words[0], words[1]);
        bx_decoder_flush(p->decoder);
        return true;
    case BX_TRACE_MOVE:
        bx_address_space_move(p->space, words[0], words[1], words[2], words[3]);
        bx_decoder_flush(p->decoder);
        return true;
    case BX_TRACE_KERNEL_READ:
    case BX_TRACE_KERNEL_WRITE:
        if (p->family->kernel && words[1] && words[0] < UINT64_MAX - words[1])
            p->kernel = (kernel_range){kind == BX_TRACE_KERNEL_READ ? BX_LOAD : BX_STORE, words[0],
                                       words[0] + words[1]};
        return true;
    case BX_TRACE_PAIR:
        bx_releases_pair(p->family->releases, BX_TRACE_SOCKET, words[0], words[1]);
        return true;
    case BX_TRACE_UNTRACED:
        return add_untraced(p, words + 1, words[0]);
    default: /* BX_TRACE_REGION */
        return true;
    }
}

/* Reads the record of control at which the decoder stopped. Returns its words; 0: none. */
static size_t read_record(bx_trace_process *p, const uint64_t *words, size_t n)
{
    unsigned kind = bx_trace_control_kind(*words);
    int behind = *words & BX_TRACE_CONTROL ? words_of(kind) : -1;
    size_t all = 1 + (size_t)(behind > 0 ? behind : 0);
    bool named = kind == BX_TRACE_UNTRACED || kind == BX_TRACE_REGION;
    if (behind >= 0 && named && n >= 2)
        all += words[1] <= BX_TRACE_PATH_WORDS ? words[1] : n;
    if (behind < 0 || n < all)
        return refuse(p, behind < 0 ? "a record of unknown kind" : "a record that has no end");
    if (has_time(kind))
        p->time = words[1];
    return take_record(p, kind, (uint32_t)*words, words + 1) ? all : 0;
}

/* ---- reading ---- */

/* false: no memory. */
static bool take_kernel_range(bx_trace_process *p)
{
    bx_task *task = running(p)->task;
    size_t room;
    bx_access *to = bx_task_room(p->family->tasks, task, BX_DECODER_BURST, &room);
    if (!to)
        return ran_out(p);
    bx_task_add(task, bx_decoder_kernel(p->decoder, p->kernel.kind, &p->kernel.at, p->kernel.end,
                                        to, room));
    return true;
}

/* Whether the running thread has waited for that already. From now on it has. */
static bool has_seen(bx_trace_process *p, bx_written w)
{
    thread *t = running(p);
    unsigned by = bx_written_thread(w);
    if (by >= t->seen_n) {
        size_t n = by + 16;
        uint64_t *more = realloc(t->seen, n * sizeof *more);
        if (!more)
            return !ran_out(p);
        memset(more + t->seen_n, 0, (n - t->seen_n) * sizeof *more);
        t->seen = more;
        t->seen_n = n;
    }
    bool before = t->seen[by] >= bx_written_access(w);
    if (!before)
        t->seen[by] = bx_written_access(w);
    return before;
}

/* Adds what was decoded, in parts where it waits for other threads. */
static void add_decoded(bx_trace_process *p, size_t made)
{
    size_t cuts, added = 0;
    const bx_cut *cut = bx_decoder_cuts(p->decoder, &cuts);
    bx_task *task = running(p)->task;
    for (size_t i = 0; i < cuts; i++) {
        if (has_seen(p, cut[i].until))
            continue;
        bx_task *by = p->all[bx_written_thread(cut[i].until)];
        bx_task_add(task, cut[i].at - added);
        added = cut[i].at;
        bx_task_wait(p->family->tasks, task, (bx_point){by, bx_written_access(cut[i].until)});
    }
    bx_task_add(task, made - added);
}

/* Decodes once. false: nothing was read. */
static bool decode(bx_trace_process *p)
{
    const uint64_t *words;
    bx_task *task = running(p)->task;
    size_t room, made, there = bx_ring_words(p->ring, &words);
    bx_access *to = there ? bx_task_room(p->family->tasks, task, BX_DECODER_BURST, &room) : NULL;
    if (!to) {
        if (there)
            ran_out(p);
        return false;
    }
    bx_decoder_order(p->decoder, p->writers, running(p)->writer, task->made);
    size_t read = bx_decoder_read(p->decoder, words, there, to, room, &made);
    add_decoded(p, made);
    const char *wrong = bx_decoder_malformed(p->decoder);
    if (wrong) {
        p->family->no_memory |= bx_decoder_out_of_memory(p->decoder);
        return refuse(p, wrong);
    }
    if (read == there || room - made < BX_DECODER_BURST) {
        bx_ring_consume(p->ring, read);
        return true;
    }
    if (words[read] == bx_trace_control_word(BX_TRACE_SKIP, 0)) {
        bx_ring_consume(p->ring, read);
        bx_ring_skip(p->ring);
        return true;
    }
    size_t more = read_record(p, words + read, there - read);
    bx_ring_consume(p->ring, read + more);
    return more;
}

static bool read_on(bx_trace_process *p)
{
    if (!p->decoder)
        return try_to_begin(p);
    if (p->acquires)
        return try_to_acquire(p);
    if (p->kernel.at < p->kernel.end)
        return take_kernel_range(p);
    return decode(p);
}

bool bx_trace_process_read(bx_trace_process *p)
{
    unsigned steps = 0;
    while (p->ring && steps < 256 && !p->family->malformed && read_on(p))
        steps++;
    if (p->decoder && steps)
        bx_task_hand_over(p->family->tasks, running(p)->task);
    bool again = p->acquires && !p->asked; /* once the socket has been looked at */
    p->asked = true;
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

bool bx_trace_process_is_done(bx_trace_process *p)
{
    const uint64_t *words;
    if (p->finished)
        return true;
    if (!p->executed && !bx_trace_process_has_ended(p))
        return false;
    if (p->ring && !p->executed)
        bx_ring_finish(p->ring);
    if (p->ring && (!p->decoder || bx_ring_words(p->ring, &words)) && !p->family->malformed)
        return false;
    for (size_t i = 0; i < p->threads; i++)
        end_thread(p, i);
    p->finished = true;
    return true;
}

void bx_trace_process_let_go(bx_trace_process *p)
{
    unleash(p);
    if (p->ring)
        bx_ring_leave(p->ring);
    for (size_t i = 0; i < p->threads; i++)
        end_thread(p, i);
    p->finished = true;
}

/* Implements records.h: a reader of the tracer's rings and its socket. */
#include "records.h"

#include "../cmocked.h"

#include "machine/program/process/traced_process.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/futex.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

enum { PATIENCE = 60000 }; /* ms without new data */

typedef struct block {
    uint16_t words[BX_TRACE_EXITS]; /* of an execution that leaves by each exit; 0: none */
} block;

typedef struct reader {
    recorded *to;
    int leash; /* -1: ended */
    bx_trace_ring *ring;
    block *blocks; /* [room] */
    size_t room;
    uint32_t thread;
    size_t executed, since_turn;

    /* Counts by boxscore's own decoder, in memory of its own. */
    struct bx_frames *frames;
    bx_physical_memory *memory;
    bx_address_space *space;
    bx_decoder *decoder;
} reader;

/* ---- words ---- */

static void describe(reader *r, const uint64_t *words, size_t entries)
{
    uint64_t number = words[0];
    assert_true(number < BX_TRACE_BLOCKS);
    if (number >= r->room) {
        size_t room = 2 * number + 1024;
        r->blocks = realloc(r->blocks, room * sizeof *r->blocks);
        assert_non_null(r->blocks);
        memset(r->blocks + r->room, 0, (room - r->room) * sizeof *r->blocks);
        r->room = room;
    }
    block b = {{0}};
    uint16_t n = 1, exits = 0;
    for (size_t i = 0; i < entries; i++) {
        unsigned kind = bx_trace_entry_kind(words[1 + i]);
        n += kind == BX_TRACE_LOAD || kind == BX_TRACE_STORE || kind == BX_TRACE_STEER;
        if (kind == BX_TRACE_EXIT)
            b.words[exits++] = n;
    }
    r->blocks[number] = b;
}

static void turn(reader *r, uint32_t thread)
{
    recorded *p = r->to;
    p->turn = realloc(p->turn, (p->turns + 1) * sizeof *p->turn);
    assert_non_null(p->turn);
    p->turn[p->turns++] = r->since_turn;
    r->since_turn = 0;
    r->thread = thread;
}

static record *add_record(reader *r, uint64_t word)
{
    recorded *p = r->to;
    p->record = realloc(p->record, (p->n + 1) * sizeof *p->record);
    assert_non_null(p->record);
    p->record[p->n] = (record){.kind = bx_trace_control_kind(word),
                               .value = (uint32_t)word,
                               .thread = r->thread,
                               .blocks = r->executed,
                               .since_turn = r->since_turn};
    return &p->record[p->n++];
}

static void keep(reader *r, const uint64_t *words, size_t length)
{
    record *made = add_record(r, words[0]);
    memcpy(made->word, words + 1, (length - 1) * sizeof *words);
}

static void keep_named(reader *r, const uint64_t *words, size_t length)
{
    record *made = add_record(r, words[0]);
    size_t most = sizeof made->text - 1, n = (length - 2) * sizeof *words;
    memcpy(made->text, words + 2, n < most ? n : most);
}

/* Returns the number of words; 0: the rest of the chunk is not used. */
static size_t take_control(reader *r, const uint64_t *words, size_t n)
{
    int length = bx_trace_record_words(words, n);
    assert_true(length > 0);
    switch (bx_trace_control_kind(words[0])) {
    case BX_TRACE_SKIP:
        return 0;
    case BX_TRACE_THREAD:
        turn(r, (uint32_t)words[0]);
        break;
    case BX_TRACE_BLOCK:
        describe(r, words + 1, (size_t)length - 2);
        break;
    case BX_TRACE_UNTRACED:
        keep_named(r, words, (size_t)length);
        break;
    default:
        keep(r, words, (size_t)length);
    }
    return (size_t)length;
}

static size_t take_execution(reader *r, uint64_t word)
{
    uint64_t number = word >> BX_TRACE_EXIT_BITS;
    assert_true(number < r->room);
    size_t words = r->blocks[number].words[word % BX_TRACE_EXITS];
    assert_true(words > 0);
    r->executed++;
    r->since_turn++;
    return words;
}

static void take_words(reader *r, const uint64_t *words, size_t n)
{
    for (size_t i = 0, more; i < n; i += more) {
        more = words[i] & BX_TRACE_CONTROL ? take_control(r, words + i, n - i)
                                           : take_execution(r, words[i]);
        if (more == 0)
            return;
        assert_true(more <= n - i);
    }
}

/* ---- counts ---- */

static void begin_counting(reader *r)
{
    r->frames = bx_frames_new(1);
    r->memory = bx_physical_memory_new(r->frames);
    r->space = bx_address_space_new(r->memory);
    r->decoder = bx_decoder_new(r->space, false);
    assert_non_null(r->decoder);
}

static void end_counting(reader *r)
{
    r->to->counts = bx_decoder_counts(r->decoder);
    bx_decoder_free(r->decoder);
    bx_address_space_free(r->space);
    bx_physical_memory_free(r->memory);
    bx_frames_free(r->frames);
}

/* Discards accesses, and records that a decoder does not read. */
static void count_words(const reader *r, const uint64_t *words, size_t n)
{
    static bx_access to[2 * BX_DECODER_BURST];
    for (size_t i = 0, made; i < n;) {
        i += bx_decoder_read(r->decoder, words + i, n - i, to, 2 * BX_DECODER_BURST, &made);
        assert_null(bx_decoder_malformed(r->decoder));
        if (i == n || made > BX_DECODER_BURST)
            continue;
        if (bx_trace_control_kind(words[i]) == BX_TRACE_SKIP)
            return;
        int length = bx_trace_record_words(words + i, n - i);
        assert_true(length > 0);
        i += (size_t)length;
    }
}

/* ---- rings ---- */

static bx_trace_ring_reader *ours_of(bx_trace_ring *ring)
{
    return (bx_trace_ring_reader *)(void *)((char *)ring + BX_TRACE_READER);
}

static void wake(bx_trace_ring *ring)
{
    __atomic_add_fetch(&ours_of(ring)->consumed_bell, 1, __ATOMIC_SEQ_CST);
    syscall(SYS_futex, &ours_of(ring)->consumed_bell, FUTEX_WAKE, 1, NULL, NULL, 0);
}

/* Returns whether there was new data. */
static bool drain(reader *r)
{
    bx_trace_ring *ring = r->ring;
    bx_trace_ring_reader *ours = ours_of(ring);
    uint64_t end = __atomic_load_n(&ring->published, __ATOMIC_SEQ_CST), from = ours->consumed;
    for (uint64_t at = from, n; at < end; at += n) {
        n = ring->chunk_bytes - at % ring->chunk_bytes;
        n = n < end - at ? n : end - at;
        const uint64_t *words =
            (const uint64_t *)((const char *)ring + BX_TRACE_CHUNKS + at % ring->ring_bytes);
        take_words(r, words, n / sizeof *words);
        count_words(r, words, n / sizeof *words);
        __atomic_store_n(&ours->consumed, at + n, __ATOMIC_SEQ_CST);
        if (__atomic_exchange_n(&ring->tracer_sleeps, 0, __ATOMIC_SEQ_CST))
            wake(ring);
    }
    return end > from;
}

static bx_trace_ring *map_ring(int fd)
{
    enum { SEALS = F_SEAL_SEAL | F_SEAL_SHRINK | F_SEAL_GROW };
    struct stat file;
    assert_int_equal(fcntl(fd, F_GET_SEALS) & SEALS, SEALS);
    assert_int_equal(fstat(fd, &file), 0);
    bx_trace_ring *ring =
        mmap(NULL, (size_t)file.st_size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    assert_true(ring != MAP_FAILED);
    assert_true(ring->magic == BX_TRACE_MAGIC);
    assert_int_equal(ring->version, BX_TRACE_RING_VERSION);
    assert_int_equal(ring->ring_bytes, (uint64_t)file.st_size - BX_TRACE_CHUNKS);
    return ring;
}

static void unmap_ring(bx_trace_ring *ring)
{
    munmap(ring, BX_TRACE_CHUNKS + ring->ring_bytes);
}

/* ---- the socket ---- */

typedef struct hello {
    bx_trace_message message;
    pid_t pid;
    int fd[BX_TRACE_FDS];
} hello;

/* Accepts one message; a hello has a ring. Returns its kind, or 0 if there is none. */
static unsigned take_message(int socket, hello *h)
{
    struct iovec part = {&h->message, sizeof h->message};
    _Alignas(struct cmsghdr) char control[256];
    struct msghdr m = {.msg_iov = &part,
                       .msg_iovlen = 1,
                       .msg_control = control,
                       .msg_controllen = sizeof control};
    bool ring = false;
    if (recvmsg(socket, &m, MSG_CMSG_CLOEXEC | MSG_DONTWAIT) != sizeof h->message)
        return 0;
    assert_true(h->message.magic == BX_TRACE_MAGIC);
    for (struct cmsghdr *c = CMSG_FIRSTHDR(&m); c; c = CMSG_NXTHDR(&m, c)) {
        struct ucred sender;
        if (c->cmsg_type == SCM_CREDENTIALS) {
            memcpy(&sender, CMSG_DATA(c), sizeof sender);
            h->pid = sender.pid;
        } else {
            assert_int_equal(c->cmsg_len, CMSG_LEN(sizeof h->fd));
            memcpy(h->fd, CMSG_DATA(c), sizeof h->fd);
            ring = true;
        }
    }
    assert_int_equal(ring, h->message.kind == BX_TRACE_HELLO);
    return h->message.kind;
}

/* Waits for a hello. */
static hello await_hello(int socket)
{
    hello h;
    struct pollfd more = {.fd = socket, .events = POLLIN};
    while (take_message(socket, &h) != BX_TRACE_HELLO)
        assert_true(poll(&more, 1, PATIENCE) == 1 && !(more.revents & POLLHUP));
    return h;
}

/* Starts the program and discards its output; returns our end of the socket. */
static int start(char *const argv[], bx_child *child)
{
    const int yes = 1;
    int ends[2];
    bx_error e = {0};
    sigset_t none;
    sigemptyset(&none);
    assert_int_equal(socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends), 0);
    assert_int_equal(setsockopt(ends[0], SOL_SOCKET, SO_PASSCRED, &yes, sizeof yes), 0);
    fflush(stdout);
    int theirs = fcntl(ends[1], F_DUPFD_CLOEXEC, BX_TRACE_FD), saved[3];
    for (int i = 1; i < 3; i++) {
        int null = open("/dev/null", O_WRONLY | O_CLOEXEC);
        saved[i] = fcntl(i, F_DUPFD_CLOEXEC, 10);
        dup2(null, i);
        close(null);
    }
    int rc = bx_child_start(child, argv, theirs, &none, &(bx_surroundings){0}, NULL, &e);
    for (int i = 1; i < 3; i++) {
        dup2(saved[i], i);
        close(saved[i]);
    }
    close(theirs);
    close(ends[1]);
    assert_int_equal(rc, BX_OK);
    return ends[0];
}

/* ---- a recording ---- */

static void begin(recording *to, reader *r, const hello *h, uint32_t pass_over)
{
    assert_true(to->n < RECORDED_MOST);
    recorded *p = &to->process[to->n++];
    p->pid = h->pid;
    p->hello = h->message;
    *r = (reader){
        .to = p, .leash = h->fd[BX_TRACE_LEASH_FD], .ring = map_ring(h->fd[BX_TRACE_RING_FD])};
    ours_of(r->ring)->pass_over = pass_over;
    begin_counting(r);
    close(h->fd[BX_TRACE_RING_FD]);
    close(h->fd[BX_TRACE_LET_GO_FD]);
}

/* No process has the other end of its leash any more. */
static bool has_ended(const reader *r)
{
    struct pollfd end = {.fd = r->leash};
    return poll(&end, 1, 0) == 1;
}

static void end(reader *r)
{
    drain(r);
    turn(r, 0);
    end_counting(r);
    close(r->leash);
    r->leash = -1;
    unmap_ring(r->ring);
    free(r->blocks);
}

/* Reads available data. Returns whether a process remains. */
static bool read_all(reader from[], size_t n, bool *news)
{
    bool left = false;
    for (size_t i = 0; i < n; i++) {
        if (from[i].leash < 0)
            continue;
        bool ended = has_ended(&from[i]);
        *news = drain(&from[i]) || ended || *news;
        if (ended)
            end(&from[i]);
        left = left || !ended;
    }
    return left;
}

static void ask_for_bells(reader from[], size_t n)
{
    static uint32_t wish;
    wish++;
    for (size_t i = 0; i < n; i++)
        if (from[i].leash >= 0)
            __atomic_store_n(&ours_of(from[i].ring)->wish, wish, __ATOMIC_SEQ_CST);
}

recording *record_program_but(char *const argv[], uint32_t pass_over)
{
    static reader from[RECORDED_MOST];
    recording *to = calloc(1, sizeof *to);
    bx_child child;
    assert_non_null(to);
    int socket = start(argv, &child);
    hello h = await_hello(socket);
    begin(to, &from[0], &h, pass_over);
    unsigned idle = 0;
    for (bool left = true; left; idle++) {
        struct pollfd more = {.fd = socket, .events = POLLIN};
        bool news = false;
        ask_for_bells(from, to->n);
        left = read_all(from, to->n, &news);
        poll(&more, 1, news ? 0 : 10);
        if (more.revents & POLLHUP && !news)
            poll(NULL, 0, 10); /* its end is not in the ring yet */
        for (unsigned kind; (kind = take_message(socket, &h)) != 0;)
            if (kind == BX_TRACE_HELLO) {
                begin(to, &from[to->n], &h, pass_over);
                left = news = true;
            }
        left = left || !(more.revents & POLLHUP); /* between a leash and the next hello */
        idle = news ? 0 : idle;
        assert_true(idle < PATIENCE / 10);
    }
    bx_child_wait(&child);
    to->status = child.status;
    close(socket);
    return to;
}

recording *record_program(char *const argv[])
{
    return record_program_but(argv, 0);
}

void recording_free(recording *r)
{
    for (size_t i = 0; i < r->n; i++) {
        free(r->process[i].record);
        free(r->process[i].turn);
    }
    free(r);
}

const record *next_record(const recorded *p, unsigned kind, size_t *i)
{
    while (*i < p->n)
        if (p->record[(*i)++].kind == kind)
            return &p->record[*i - 1];
    return NULL;
}

const record *find_record(const recorded *p, unsigned kind, uint32_t value)
{
    size_t i = 0;
    const record *found;
    while ((found = next_record(p, kind, &i)) && found->value != value)
        ;
    if (!found)
        fail_msg("process %d has no record of kind %u with %u", (int)p->pid, kind, value);
    return found;
}

/* ---- other readers ---- */

/* Discards the contents of a ring. */
static void throw_away(bx_trace_ring *ring)
{
    uint64_t end = __atomic_load_n(&ring->published, __ATOMIC_SEQ_CST);
    __atomic_store_n(&ours_of(ring)->consumed, end, __ATOMIC_SEQ_CST);
    if (__atomic_exchange_n(&ring->tracer_sleeps, 0, __ATOMIC_SEQ_CST))
        wake(ring);
}

void abandon_program(char *const argv[], size_t hellos, pid_t pid[])
{
    bx_child child;
    bx_trace_ring *ring[RECORDED_MOST];
    int leash[RECORDED_MOST], socket = start(argv, &child);
    size_t n = 0;
    for (unsigned rest = 100; rest; rest -= n == hellos) { /* they sleep by then */
        hello h;
        if (take_message(socket, &h) == BX_TRACE_HELLO) {
            assert_true(n < hellos);
            ring[n] = map_ring(h.fd[BX_TRACE_RING_FD]);
            leash[n] = h.fd[BX_TRACE_LEASH_FD];
            pid[n++] = h.pid;
            close(h.fd[BX_TRACE_RING_FD]);
            close(h.fd[BX_TRACE_LET_GO_FD]);
        }
        for (size_t i = 0; i < n; i++)
            throw_away(ring[i]);
        usleep(5000);
    }
    close(socket);
    for (size_t i = 0; i < n; i++) {
        unmap_ring(ring[i]);
        close(leash[i]);
    }
    bx_child_wait(&child);
    assert_int_equal(child.signal, SIGKILL);
}

int let_program_go(char *const argv[])
{
    bx_child child;
    int socket = start(argv, &child);
    hello h = await_hello(socket);
    bx_trace_ring *ring = map_ring(h.fd[BX_TRACE_RING_FD]);
    assert_int_equal(fcntl(h.fd[BX_TRACE_LET_GO_FD], F_SETFL, 0), 0);
    __atomic_store_n(&ours_of(ring)->unread, 1, __ATOMIC_SEQ_CST);
    wake(ring);
    unmap_ring(ring);
    for (size_t i = 0; i < BX_TRACE_FDS; i++)
        close(h.fd[i]);
    close(socket);
    bx_child_wait(&child);
    return child.status;
}

#include "machine/program/ring.h"

#include "machine/program/traced_process.h"
#include "tracer/trace_format.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/futex.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

enum {
    SMALLEST_CHUNK = 4096,
    LARGEST = 64 << 20, /* ring */
    PATIENCE = 20,      /* ms until the caller looks whether the tracer has ended */
    SEALS = F_SEAL_SEAL | F_SEAL_SHRINK | F_SEAL_GROW,
};

struct bx_ring {
    bx_trace_ring *shared;       /* NULL: no process has connected so far */
    uint64_t chunk, bytes;       /* sizes, once they have been checked */
    int ours, theirs;            /* ends of the socket */
    pid_t process;               /* that is read */
    int leash;                   /* of that, or -1 */
    uint64_t consumed, finished; /* positions; finished: end of all words, once the tracer ended */
    const char *malformed;
};

/* With high descriptor numbers, away from the program's own. */
static bool make_socket(bx_ring *r)
{
    int low[2];
    const int yes = 1;
    if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, low) != 0)
        return false;
    r->ours = fcntl(low[0], F_DUPFD_CLOEXEC, BX_TRACE_FD);
    r->theirs = fcntl(low[1], F_DUPFD_CLOEXEC, BX_TRACE_FD);
    int err = errno;
    close(low[0]);
    close(low[1]);
    errno = err;
    return r->ours >= 0 && r->theirs >= 0 &&
           setsockopt(r->ours, SOL_SOCKET, SO_PASSCRED, &yes, sizeof yes) == 0;
}

bx_ring *bx_ring_new(void)
{
    bx_ring *r = calloc(1, sizeof *r);
    if (!r)
        return NULL;
    r->ours = r->theirs = r->leash = -1;
    if (!make_socket(r)) {
        int err = errno;
        bx_ring_free(r);
        errno = err;
        return NULL;
    }
    return r;
}

static void close_fd(int fd)
{
    if (fd >= 0)
        close(fd);
}

void bx_ring_free(bx_ring *r)
{
    if (!r)
        return;
    if (r->shared)
        munmap(r->shared, BX_TRACE_PAGE + r->bytes);
    close_fd(r->ours);
    close_fd(r->theirs);
    close_fd(r->leash);
    free(r);
}

int bx_ring_fd(const bx_ring *r)
{
    return r->theirs;
}

const char *bx_ring_malformed(const bx_ring *r)
{
    return r->malformed;
}

/* ---- messages ---- */

typedef struct hello {
    pid_t process;
    int fd[BX_TRACE_FDS]; /* -1: none */
} hello;

static bool power_of_two(uint64_t n)
{
    return n != 0 && (n & (n - 1)) == 0;
}

static bool sound(const bx_trace_ring *ring, uint64_t chunk, uint64_t bytes, off_t file)
{
    return ring->magic == BX_TRACE_MAGIC && ring->version == BX_TRACE_VERSION &&
           power_of_two(chunk) && power_of_two(bytes) && chunk >= SMALLEST_CHUNK &&
           chunk <= bytes && file == (off_t)(BX_TRACE_PAGE + bytes);
}

/* The tracer is not trusted: the sizes are read once, and the file cannot change its own. */
static bx_trace_ring *map_ring(int fd, uint64_t *chunk, uint64_t *bytes)
{
    struct stat file;
    if (fstat(fd, &file) != 0 || file.st_size <= BX_TRACE_PAGE ||
        file.st_size > BX_TRACE_PAGE + LARGEST || (fcntl(fd, F_GET_SEALS) & SEALS) != SEALS)
        return NULL;
    size_t size = (size_t)file.st_size;
    void *at = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    if (at == MAP_FAILED)
        return NULL;
    const volatile bx_trace_ring *ring = at;
    *chunk = ring->chunk_bytes;
    *bytes = ring->ring_bytes;
    if (sound(at, *chunk, *bytes, file.st_size))
        return at;
    munmap(at, size);
    return NULL;
}

static void futex_wake(uint32_t *bell)
{
    __atomic_add_fetch(bell, 1, __ATOMIC_SEQ_CST);
    syscall(SYS_futex, bell, FUTEX_WAKE, 1, NULL, NULL, 0);
}

/* That process goes on, and nobody reads what it does. */
static void let_go(const hello *h)
{
    uint64_t chunk, bytes;
    bx_trace_ring *ring = map_ring(h->fd[BX_TRACE_RING_FD], &chunk, &bytes);
    fcntl(h->fd[BX_TRACE_LET_GO_FD], F_SETFL, 0);
    if (!ring)
        return;
    __atomic_store_n(&ring->unread, 1, __ATOMIC_SEQ_CST);
    futex_wake(&ring->consumed_bell);
    munmap(ring, BX_TRACE_PAGE + bytes);
}

static void take_hello(bx_ring *r, hello *h)
{
    int *leash = &h->fd[BX_TRACE_LEASH_FD];
    if (h->fd[BX_TRACE_RING_FD] >= 0 && !r->shared) {
        r->shared = map_ring(h->fd[BX_TRACE_RING_FD], &r->chunk, &r->bytes);
        r->malformed = r->shared ? NULL : "a ring that is none";
        r->process = h->process;
    } else if (h->fd[BX_TRACE_RING_FD] >= 0) {
        let_go(h);
    }
    if (h->process == r->process) { /* also after an exec */
        close_fd(r->leash);
        r->leash = *leash;
        *leash = -1;
    }
}

static void take_fds(const void *from, size_t n, hello *h)
{
    for (size_t i = 0; i < n; i++) {
        int fd;
        memcpy(&fd, (const char *)from + i * sizeof fd, sizeof fd);
        if (i < BX_TRACE_FDS)
            h->fd[i] = fd;
        else
            close(fd);
    }
}

/* Takes the descriptors, and the process's number. */
static void open_control(struct msghdr *m, hello *h)
{
    for (struct cmsghdr *c = CMSG_FIRSTHDR(m); c; c = CMSG_NXTHDR(m, c)) {
        struct ucred sender;
        if (c->cmsg_level != SOL_SOCKET)
            continue;
        if (c->cmsg_type == SCM_RIGHTS)
            take_fds(CMSG_DATA(c), (c->cmsg_len - CMSG_LEN(0)) / sizeof(int), h);
        if (c->cmsg_type == SCM_CREDENTIALS) {
            memcpy(&sender, CMSG_DATA(c), sizeof sender);
            h->process = sender.pid;
        }
    }
}

/* Returns whether there was a message. */
static bool take_message(bx_ring *r)
{
    bx_trace_message text = {0};
    hello h = {.fd = {-1, -1, -1}};
    struct iovec part = {&text, sizeof text};
    _Alignas(
        struct cmsghdr) char control[CMSG_SPACE(sizeof h.fd) + CMSG_SPACE(sizeof(struct ucred))];
    struct msghdr m = {.msg_iov = &part,
                       .msg_iovlen = 1,
                       .msg_control = control,
                       .msg_controllen = sizeof control};
    if (recvmsg(r->ours, &m, MSG_DONTWAIT | MSG_CMSG_CLOEXEC) < 0)
        return false;
    open_control(&m, &h);
    if (text.magic == BX_TRACE_MAGIC && text.kind == BX_TRACE_HELLO)
        take_hello(r, &h);
    for (size_t i = 0; i < BX_TRACE_FDS; i++)
        close_fd(h.fd[i]);
    return true;
}

static void take_messages(bx_ring *r)
{
    while (take_message(r))
        ;
}

/* ---- reading ---- */

/* The tracer's process is not trusted: whatever it writes, the result is within the chunk. */
static size_t left_in_chunk(const bx_ring *r)
{
    return r->chunk - r->consumed % r->chunk;
}

static uint64_t published(const bx_ring *r)
{
    return r->finished ? r->finished : __atomic_load_n(&r->shared->published, __ATOMIC_SEQ_CST);
}

size_t bx_ring_words(bx_ring *r, const uint64_t **words)
{
    if (!r->shared)
        take_messages(r);
    *words = NULL;
    if (!r->shared)
        return 0;
    uint64_t there = published(r) - r->consumed;
    size_t most = left_in_chunk(r);
    *words = (const uint64_t *)((const char *)r->shared + BX_TRACE_PAGE + r->consumed % r->bytes);
    if (there > r->bytes)
        return 0;
    return (there < most ? there : most) / sizeof(uint64_t);
}

/* The tracer is woken when half of the ring is free, not for each chunk. */
static void consume_bytes(bx_ring *r, size_t n)
{
    if (n == 0)
        return;
    r->consumed += n;
    __atomic_store_n(&r->shared->consumed, r->consumed, __ATOMIC_SEQ_CST);
    if (published(r) - r->consumed <= r->bytes / 2 &&
        __atomic_exchange_n(&r->shared->tracer_sleeps, 0, __ATOMIC_SEQ_CST))
        futex_wake(&r->shared->consumed_bell);
}

void bx_ring_consume(bx_ring *r, size_t words)
{
    consume_bytes(r, words * sizeof(uint64_t));
}

void bx_ring_skip(bx_ring *r)
{
    consume_bytes(r, left_in_chunk(r));
}

void bx_ring_wait(bx_ring *r)
{
    struct pollfd more = {.fd = r->ours, .events = POLLIN};
    if (r->shared)
        __atomic_store_n(&r->shared->reader_sleeps, 1, __ATOMIC_SEQ_CST);
    if (!r->shared || published(r) == r->consumed)
        poll(&more, 1, PATIENCE);
    if (r->shared)
        __atomic_store_n(&r->shared->reader_sleeps, 0, __ATOMIC_SEQ_CST);
    take_messages(r);
}

void bx_ring_finish(bx_ring *r)
{
    const bx_trace_ring *s = r->shared;
    take_messages(r);
    if (!s)
        return;
    uint64_t at = s->published, place = at % r->bytes, cursor = s->cursor - s->base;
    if (cursor > place && cursor - place < r->chunk)
        at += cursor - place;
    r->finished = at;
}

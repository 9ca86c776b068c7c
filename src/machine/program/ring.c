#include "machine/program/ring.h"

#include "machine/program/traced_process.h"
#include "tracer/trace_format.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/futex.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

enum {
    CHUNK = 64 << 10,
    CHUNKS = 16,
    PATIENCE = 20000000, /* ns until the caller looks whether the tracer has ended */
};

struct bx_ring {
    bx_trace_ring *shared;
    int fd;
    uint64_t consumed, finished; /* positions; finished: end of all words, once the tracer ended */
};

static size_t bytes(void)
{
    return BX_TRACE_PAGE + (size_t)CHUNKS * CHUNK;
}

/* With a high descriptor number, away from the program's own. */
static int make_file(void)
{
    int low = memfd_create("boxscore-trace", MFD_CLOEXEC);
    int fd = low < 0 ? -1 : fcntl(low, F_DUPFD_CLOEXEC, BX_TRACE_FD);
    int err = errno;
    if (low >= 0)
        close(low);
    if (fd >= 0 && ftruncate(fd, (off_t)bytes()) == 0)
        return fd;
    err = fd >= 0 ? errno : err;
    if (fd >= 0)
        close(fd);
    errno = err;
    return -1;
}

bx_ring *bx_ring_new(void)
{
    bx_ring *r = calloc(1, sizeof *r);
    if (!r)
        return NULL;
    r->fd = make_file();
    void *at =
        r->fd < 0 ? MAP_FAILED : mmap(NULL, bytes(), PROT_READ | PROT_WRITE, MAP_SHARED, r->fd, 0);
    if (at == MAP_FAILED) {
        int err = errno;
        bx_ring_free(r);
        errno = err;
        return NULL;
    }
    r->shared = at;
    r->shared->magic = BX_TRACE_MAGIC;
    r->shared->version = BX_TRACE_VERSION;
    r->shared->chunk_bytes = CHUNK;
    r->shared->ring_bytes = (uint64_t)CHUNKS * CHUNK;
    r->shared->reader = getpid();
    return r;
}

void bx_ring_free(bx_ring *r)
{
    if (!r)
        return;
    if (r->shared)
        munmap(r->shared, bytes());
    if (r->fd >= 0)
        close(r->fd);
    free(r);
}

int bx_ring_fd(const bx_ring *r)
{
    return r->fd;
}

/* ---- reading ---- */

/* The tracer's process is not trusted: whatever it writes, the result is within the chunk. */
static size_t left_in_chunk(const bx_ring *r)
{
    return CHUNK - r->consumed % CHUNK;
}

static uint64_t published(const bx_ring *r)
{
    return r->finished ? r->finished : __atomic_load_n(&r->shared->published, __ATOMIC_SEQ_CST);
}

size_t bx_ring_words(bx_ring *r, const uint64_t **words)
{
    uint64_t there = published(r) - r->consumed;
    size_t most = left_in_chunk(r);
    *words = (const uint64_t *)((const char *)r->shared + BX_TRACE_PAGE +
                                r->consumed % (CHUNKS * CHUNK));
    if (there > (uint64_t)CHUNKS * CHUNK)
        return 0;
    return (there < most ? there : most) / sizeof(uint64_t);
}

static void futex_wake(uint32_t *bell)
{
    __atomic_add_fetch(bell, 1, __ATOMIC_SEQ_CST);
    syscall(SYS_futex, bell, FUTEX_WAKE, 1, NULL, NULL, 0);
}

/* The tracer is woken when half of the ring is free, not for each chunk. */
static void consume_bytes(bx_ring *r, size_t n)
{
    r->consumed += n;
    __atomic_store_n(&r->shared->consumed, r->consumed, __ATOMIC_SEQ_CST);
    if (published(r) - r->consumed <= (uint64_t)CHUNKS * CHUNK / 2 &&
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
    bx_trace_ring *s = r->shared;
    uint32_t bell = __atomic_load_n(&s->published_bell, __ATOMIC_SEQ_CST);
    __atomic_store_n(&s->reader_sleeps, 1, __ATOMIC_SEQ_CST);
    if (published(r) == r->consumed)
        syscall(SYS_futex, &s->published_bell, FUTEX_WAIT, bell,
                &(struct timespec){.tv_nsec = PATIENCE}, NULL, 0);
    __atomic_store_n(&s->reader_sleeps, 0, __ATOMIC_SEQ_CST);
}

void bx_ring_finish(bx_ring *r)
{
    const bx_trace_ring *s = r->shared;
    uint64_t at = s->published, place = at % (CHUNKS * CHUNK), cursor = s->cursor - s->base;
    if (cursor > place && cursor - place < CHUNK)
        at += cursor - place;
    r->finished = at;
}

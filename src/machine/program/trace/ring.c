/* Reads the ring that a tracer fills. */
#include "machine/program/trace/ring.h"

#include "tracer/trace_format.h"

#include <fcntl.h>
#include <linux/futex.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

/* Larger rings are refused; our tracer's have a megabyte. */
static const uint64_t RING_MOST = UINT64_C(1) << 30;

struct bx_ring {
    bx_trace_ring *shared;
    uint64_t ring_bytes, chunk_bytes;
    uint64_t consumed, finished; /* positions; finished: end of all words after the tracer's end */
};

static bool is_power_of_two(uint64_t n)
{
    return n && (n & (n - 1)) == 0;
}

/* Checks the header. Returns NULL, or what is wrong. */
static const char *check(bx_ring *r, const bx_trace_ring *header, uint64_t bytes)
{
    r->ring_bytes = header->ring_bytes;
    r->chunk_bytes = header->chunk_bytes;
    if (header->magic != BX_TRACE_MAGIC || header->version != BX_TRACE_VERSION)
        return "a trace of another version: the tracer is not of this boxscore";
    if (!is_power_of_two(r->ring_bytes) || !is_power_of_two(r->chunk_bytes) ||
        r->chunk_bytes < BX_TRACE_PAGE || r->chunk_bytes > r->ring_bytes ||
        r->ring_bytes > RING_MOST || bytes != BX_TRACE_PAGE + r->ring_bytes)
        return "a ring whose sizes do not go together";
    return NULL;
}

/* Whether the traced process can change the ring's size. If it shrank the ring, we would get
 * SIGBUS. */
static bool is_sealed(int fd)
{
    const int seals = F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL;
    return (fcntl(fd, F_GET_SEALS) & seals) == seals;
}

/* Maps the ring. Returns what is wrong. NULL: nothing, or memory ran out, and r->shared is NULL
 * then. */
static const char *map(bx_ring *r, int fd)
{
    struct stat about;
    int got = fcntl(fd, F_GET_SEALS);
    if (got < 0 || !is_sealed(fd) || fstat(fd, &about) != 0 || about.st_size < BX_TRACE_PAGE)
        return "a ring that is not sealed";
    void *at = mmap(NULL, (size_t)about.st_size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    if (at == MAP_FAILED)
        return NULL;
    const char *wrong = check(r, at, (uint64_t)about.st_size);
    if (wrong)
        munmap(at, (size_t)about.st_size);
    else
        r->shared = at;
    return wrong;
}

bx_ring *bx_ring_new(int fd, const char **wrong)
{
    bx_ring *r = calloc(1, sizeof *r);
    *wrong = r ? map(r, fd) : NULL;
    if (r && r->shared)
        return r;
    free(r);
    return NULL;
}

void bx_ring_free(bx_ring *r)
{
    if (!r)
        return;
    munmap(r->shared, BX_TRACE_PAGE + r->ring_bytes);
    free(r);
}

/* ---- reading ---- */

/* The tracer's process is not trusted: whatever it writes, the result is inside the chunk. */
static size_t left_in_chunk(const bx_ring *r)
{
    return r->chunk_bytes - r->consumed % r->chunk_bytes;
}

static uint64_t published(const bx_ring *r)
{
    return r->finished ? r->finished : __atomic_load_n(&r->shared->published, __ATOMIC_SEQ_CST);
}

size_t bx_ring_words(bx_ring *r, const uint64_t **words)
{
    uint64_t there = published(r) - r->consumed;
    size_t most = left_in_chunk(r);
    *words =
        (const uint64_t *)((const char *)r->shared + BX_TRACE_PAGE + r->consumed % r->ring_bytes);
    if (there > r->ring_bytes)
        return 0;
    return (there < most ? there : most) / sizeof(uint64_t);
}

size_t bx_ring_room(const bx_ring *r)
{
    return r->ring_bytes / sizeof(uint64_t);
}

static void futex_wake(uint32_t *bell)
{
    __atomic_add_fetch(bell, 1, __ATOMIC_SEQ_CST);
    syscall(SYS_futex, bell, FUTEX_WAKE, 1, NULL, NULL, 0);
}

/* Wakes the tracer when half of the ring is free, not after each chunk. */
void bx_ring_consume(bx_ring *r, size_t words)
{
    r->consumed += words * sizeof(uint64_t);
    __atomic_store_n(&r->shared->consumed, r->consumed, __ATOMIC_SEQ_CST);
    if (published(r) - r->consumed <= r->ring_bytes / 2 &&
        __atomic_exchange_n(&r->shared->tracer_sleeps, 0, __ATOMIC_SEQ_CST))
        futex_wake(&r->shared->consumed_bell);
}

bool bx_ring_ask_for_bell(bx_ring *r, bool ask)
{
    __atomic_store_n(&r->shared->reader_sleeps, ask, __ATOMIC_SEQ_CST);
    return published(r) == r->consumed;
}

void bx_ring_pass_over(bx_ring *r, uint32_t thread)
{
    __atomic_store_n(&r->shared->pass_over, thread, __ATOMIC_RELAXED);
}

void bx_ring_finish(bx_ring *r)
{
    const bx_trace_ring *s = r->shared;
    uint64_t at = s->published, place = at % r->ring_bytes, cursor = s->cursor - s->base;
    if (cursor > place && cursor - place < r->chunk_bytes)
        at += cursor - place;
    r->finished = at;
}

void bx_ring_leave(bx_ring *r)
{
    __atomic_store_n(&r->shared->unread, 1, __ATOMIC_SEQ_CST);
    futex_wake(&r->shared->consumed_bell);
}

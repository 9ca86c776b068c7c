/* Reads the ring that a tracer fills. */
#include "machine/program/trace/ring.h"

#include "tracer/trace_format.h"

#include <fcntl.h>
#include <linux/futex.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

/* Larger rings and chunks are refused; our tracer's have a megabyte, and 64 KB. */
static const uint64_t RING_MOST = UINT64_C(1) << 30, CHUNK_MOST = UINT64_C(1) << 20;

/* Each word of the shared memory is read once, and used only after it has been checked: its process
 * may write there at any time. */
struct bx_ring {
    bx_trace_ring *tracer;
    bx_trace_ring_reader *reader;
    bx_trace_answer *answers; /* [BX_TRACE_PLACES] */
    const char *chunks;
    uint64_t ring_bytes, chunk_bytes, base;
    uint64_t consumed, finished; /* positions; finished: end of all words after the tracer's end */
    uint64_t copied;             /* words before this position are in `chunk` */
    uint64_t published;          /* the last position that was published */
    uint32_t wishes;             /* number of wishes for a bell so far */
    bool broken;
    uint64_t chunk[]; /* the words of the chunk with the position `consumed` */
};

static bool is_power_of_two(uint64_t n)
{
    return n && (n & (n - 1)) == 0;
}

/* Checks the header. Returns NULL, or what is wrong. */
static const char *check_header(const bx_trace_ring *header, uint64_t bytes)
{
    if (header->magic != BX_TRACE_MAGIC || header->version != BX_TRACE_RING_VERSION)
        return "a trace of another version: the tracer is not of this boxscore";
    if (!is_power_of_two(header->ring_bytes) || !is_power_of_two(header->chunk_bytes) ||
        header->chunk_bytes < BX_TRACE_PAGE || header->chunk_bytes > header->ring_bytes ||
        header->chunk_bytes > CHUNK_MOST || header->ring_bytes > RING_MOST ||
        bytes != BX_TRACE_CHUNKS + header->ring_bytes)
        return "a ring whose sizes do not go together";
    return NULL;
}

/* Whether the traced process can change the ring's size. If it shrank the ring, we would get
 * SIGBUS. */
static bool is_sealed(int fd)
{
    const int seals = F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL;
    int got = fcntl(fd, F_GET_SEALS);
    return got >= 0 && (got & seals) == seals;
}

/* Makes a reader of the ring at this address. */
static bx_ring *make(char *at, const bx_trace_ring *header)
{
    bx_ring *r = calloc(1, sizeof *r + header->chunk_bytes);
    if (!r)
        return NULL;
    r->tracer = (bx_trace_ring *)(void *)at;
    r->reader = (bx_trace_ring_reader *)(void *)(at + BX_TRACE_READER);
    r->answers = (bx_trace_answer *)(void *)(at + BX_TRACE_ANSWERS);
    r->chunks = at + BX_TRACE_CHUNKS;
    r->ring_bytes = header->ring_bytes;
    r->chunk_bytes = header->chunk_bytes;
    r->base = header->base;
    return r;
}

bx_ring *bx_ring_new(int fd, const char **wrong)
{
    struct stat about;
    bx_trace_ring header;
    *wrong = "a ring that is not sealed";
    if (!is_sealed(fd) || fstat(fd, &about) != 0 || about.st_size < BX_TRACE_CHUNKS)
        return NULL;
    size_t bytes = (size_t)about.st_size;
    *wrong = NULL;
    void *at = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    if (at == MAP_FAILED)
        return NULL;
    memcpy(&header, at, sizeof header);
    *wrong = check_header(&header, bytes);
    bx_ring *r = *wrong ? NULL : make(at, &header);
    if (!r)
        munmap(at, bytes);
    return r;
}

void bx_ring_free(bx_ring *r)
{
    if (!r)
        return;
    munmap(r->tracer, BX_TRACE_CHUNKS + r->ring_bytes);
    free(r);
}

/* ---- reading ---- */

/* The end of the words that can be read. A position that goes back, or past the ring, was not
 * written by the tracer. */
static uint64_t published(bx_ring *r)
{
    uint64_t now =
        r->finished ? r->finished : __atomic_load_n(&r->tracer->published, __ATOMIC_SEQ_CST);
    r->broken |= now < r->published || now - r->consumed > r->ring_bytes || now % sizeof *r->chunk;
    if (!r->broken)
        r->published = now;
    return r->published;
}

size_t bx_ring_words(bx_ring *r, const uint64_t **words)
{
    uint64_t end = r->consumed - r->consumed % r->chunk_bytes + r->chunk_bytes, now = published(r);
    if (end > now)
        end = now;
    if (end > r->copied) {
        memcpy(r->chunk + r->copied % r->chunk_bytes / sizeof *r->chunk,
               r->chunks + r->copied % r->ring_bytes, end - r->copied);
        r->copied = end;
    }
    *words = r->chunk + r->consumed % r->chunk_bytes / sizeof *r->chunk;
    return (end - r->consumed) / sizeof *r->chunk;
}

bool bx_ring_is_broken(const bx_ring *r)
{
    return r->broken;
}

size_t bx_ring_room(const bx_ring *r)
{
    return r->ring_bytes / sizeof(uint64_t);
}

static void wake(const uint32_t *futex)
{
    syscall(SYS_futex, futex, FUTEX_WAKE, 1, NULL, NULL, 0);
}

static void futex_wake(uint32_t *bell)
{
    __atomic_add_fetch(bell, 1, __ATOMIC_SEQ_CST);
    wake(bell);
}

/* Wakes the tracer when half of the ring is free, not after each chunk. */
void bx_ring_consume(bx_ring *r, size_t words)
{
    r->consumed += words * sizeof(uint64_t);
    __atomic_store_n(&r->reader->consumed, r->consumed, __ATOMIC_SEQ_CST);
    if (published(r) - r->consumed <= r->ring_bytes / 2 &&
        __atomic_exchange_n(&r->tracer->tracer_sleeps, 0, __ATOMIC_SEQ_CST))
        futex_wake(&r->reader->consumed_bell);
}

bool bx_ring_ask_for_bell(bx_ring *r, bool ask)
{
    if (ask && ++r->wishes == 0) /* 0 is no wish */
        r->wishes = 1;
    __atomic_store_n(&r->reader->wish, ask ? r->wishes : 0, __ATOMIC_SEQ_CST);
    return published(r) == r->consumed;
}

void bx_ring_pass_over(bx_ring *r, uint32_t thread)
{
    __atomic_store_n(&r->reader->pass_over, thread, __ATOMIC_RELAXED);
}

void bx_ring_answer(bx_ring *r, uint64_t place, uint32_t question, unsigned outcome, uint64_t value)
{
    if (place >= BX_TRACE_PLACES)
        return;
    bx_trace_answer *a = &r->answers[place];
    a->outcome = outcome;
    a->value = value;
    __atomic_store_n(&a->question, question, __ATOMIC_SEQ_CST);
    wake(&a->question);
}

void bx_ring_finish(bx_ring *r)
{
    uint64_t at = __atomic_load_n(&r->tracer->published, __ATOMIC_SEQ_CST);
    uint64_t cursor = __atomic_load_n(&r->tracer->cursor, __ATOMIC_SEQ_CST) - r->base;
    uint64_t place = at % r->ring_bytes;
    if (at != BX_TRACE_BROKEN && cursor > place && cursor - place < r->chunk_bytes)
        at += cursor - place;
    r->finished = at;
}

void bx_ring_leave(bx_ring *r)
{
    __atomic_store_n(&r->reader->unread, 1, __ATOMIC_SEQ_CST);
    futex_wake(&r->reader->consumed_bell);
}

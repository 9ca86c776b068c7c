/* Writes the ring, and waits for room in it. */
#include "ring.h"

#include "core_calls.h"
#include "core_limits.h"
#include "socket.h"

#include "pub_tool_aspacemgr.h"
#include "pub_tool_libcassert.h"
#include "pub_tool_libcbase.h"
#include "pub_tool_libcfile.h"
#include "pub_tool_vki.h"
#include "pub_tool_vkiscnums.h"

enum {
    CHUNK = 64 << 10,
    RING = BX_TRACE_RING_BYTES,
    FILE_BYTES = BX_TRACE_CHUNKS + RING,
    FUTEX_WAIT = 0,
    MEMFD_FLAGS = 3,  /* MFD_CLOEXEC | MFD_ALLOW_SEALING */
    ADD_SEALS = 1033, /* F_ADD_SEALS */
    SEALS = 7,        /* F_SEAL_SEAL | F_SEAL_SHRINK | F_SEAL_GROW */
};

static bx_trace_ring *ring;                /* at the same address in all forked processes */
static const bx_trace_ring_reader *reader; /* its second page */
static const bx_trace_answer *answers;     /* those after it */
static ULong limit;                        /* address: a block may begin only before it */
static ULong filled;                       /* position of the chunk that is being filled */
static ULong published;                    /* ring->published, as we have set it */
static UInt answered;                      /* the last wish for a bell that got one */
static Bool unread;
static Bool let_go; /* the reader, which may be gone, wants no more of this process */

/* ---- opening ---- */

static UChar *chunk(void)
{
    return (UChar *)ring + BX_TRACE_CHUNKS + filled % RING;
}

static void set_limit(void)
{
    limit = (ULong)chunk() + CHUNK - 8 * (BX_TRACE_WORDS + 1); /* 1: room for BX_TRACE_SKIP */
}

static void enter_chunk(void)
{
    ring->cursor = (ULong)chunk();
    set_limit();
}

static void begin_ring(void)
{
    ring->magic = BX_TRACE_MAGIC;
    ring->version = BX_TRACE_RING_VERSION;
    ring->chunk_bytes = CHUNK;
    ring->ring_bytes = RING;
    ring->base = (ULong)ring + BX_TRACE_CHUNKS;
    filled = published = 0;
    answered = 0;
    enter_chunk();
}

static Int make_file(void)
{
    Bool allowed = bx_core_lift_files(FILE_BYTES);
    Int fd =
        (Int)bx_core_syscall(__NR_memfd_create, (UWord) "boxscore-trace", MEMFD_FLAGS, 0, 0, 0, 0);
    if (fd >= 0 &&
        (!allowed || bx_core_syscall(__NR_ftruncate, (UWord)fd, FILE_BYTES, 0, 0, 0, 0) < 0 ||
         bx_core_syscall(__NR_fcntl, (UWord)fd, ADD_SEALS, SEALS, 0, 0, 0) < 0)) {
        VG_(close)(fd);
        fd = -1;
    }
    bx_core_limit_files();
    return fd;
}

/* Maps a new ring over the old one, so Valgrind's view of memory does not change. */
static void map_again(Int fd)
{
    UWord flags = VKI_MAP_FIXED | (fd < 0 ? VKI_MAP_PRIVATE | VKI_MAP_ANONYMOUS : VKI_MAP_SHARED);
    Word r = bx_core_syscall(__NR_mmap, (UWord)ring, FILE_BYTES, VKI_PROT_READ | VKI_PROT_WRITE,
                             flags, (UWord)(Word)fd, 0);
    if (r < 0 && r > -4096)
        bx_socket_die();
}

/* Maps the ring. fd -1: memory that is not shared. */
static void map(Int fd)
{
    if (ring)
        map_again(fd);
    else
        ring = fd < 0 ? VG_(am_shadow_alloc)(FILE_BYTES) : bx_core_map_shared(FILE_BYTES, fd);
    if (!ring)
        bx_socket_die();
    UWord page = (UWord)ring + BX_TRACE_READER;
    reader = (const bx_trace_ring_reader *)page;
    answers = (const bx_trace_answer *)((UWord)ring + BX_TRACE_ANSWERS);
    if (fd >= 0 && bx_core_syscall(__NR_mprotect, page, BX_TRACE_CHUNKS - BX_TRACE_READER,
                                   VKI_PROT_READ, 0, 0, 0) < 0)
        bx_socket_die();
}

Bool bx_ring_is_let_go(void)
{
    return let_go || (ring && __atomic_load_n(&reader->unread, __ATOMIC_SEQ_CST) != 0);
}

static void go_unread(void)
{
    let_go = bx_ring_is_let_go();
    map(-1);
    begin_ring();
    unread = True;
}

void bx_ring_open(UInt parent, ULong time)
{
    Bool told = bx_socket_is_open() && !bx_ring_is_let_go();
    Int fd = told ? make_file() : -1;
    if (fd >= 0) {
        map(fd);
        begin_ring();
        unread = False;
    }
    if (!told || !bx_socket_hello(fd, parent, time))
        go_unread();
    if (fd >= 0)
        VG_(close)(fd);
}

HWord bx_ring_cursor(void)
{
    return (HWord)&ring->cursor;
}

HWord bx_ring_limit(void)
{
    return (HWord)&limit;
}

void bx_ring_interrupt(void)
{
    limit = 0;
}

UInt bx_ring_passed_over(void)
{
    return __atomic_load_n(&reader->pass_over, __ATOMIC_RELAXED);
}

/* ---- the two sides ---- */

static Bool wishes_bell(void)
{
    UInt wish = __atomic_load_n(&reader->wish, __ATOMIC_SEQ_CST);
    Bool is_new = wish != 0 && wish != answered;
    if (is_new)
        answered = wish;
    return is_new;
}

/* Publishes all words before `position`. Wakes the reader if it then has at least `enough` bytes to
 * read. Positions that are not ours were written by the program: a part of its trace is lost then,
 * and the reader must know. */
static void publish(ULong position, ULong enough)
{
    if (unread || (position == published && ring->published == published))
        return;
    if (ring->published != published || position < published || position > filled + CHUNK)
        position = BX_TRACE_BROKEN;
    __atomic_store_n(&ring->published, position, __ATOMIC_SEQ_CST);
    published = position;
    if (position - __atomic_load_n(&reader->consumed, __ATOMIC_SEQ_CST) >= enough && wishes_bell())
        bx_socket_bell();
}

void bx_ring_publish(void)
{
    publish(filled + (ring->cursor - (ULong)chunk()), 0);
}

static Bool has_room(void)
{
    ULong consumed = __atomic_load_n(&reader->consumed, __ATOMIC_SEQ_CST);
    return filled + CHUNK - consumed <= RING || bx_ring_is_let_go();
}

/* The program could clear tracer_sleeps, so the sleep has an end. */
static void wait_for_room(void)
{
    const struct vki_timespec patience = {0, 100000000};
    while (!has_room()) {
        UInt bell = __atomic_load_n(&reader->consumed_bell, __ATOMIC_SEQ_CST);
        __atomic_store_n(&ring->tracer_sleeps, 1, __ATOMIC_SEQ_CST);
        if (!has_room())
            bx_core_syscall(__NR_futex, (UWord)&reader->consumed_bell, FUTEX_WAIT, bell,
                            (UWord)&patience, 0, 0);
        __atomic_store_n(&ring->tracer_sleeps, 0, __ATOMIC_SEQ_CST);
    }
}

Bool bx_ring_await_answer(UInt place, UInt question, enum bx_trace_outcome *outcome, ULong *value)
{
    const struct vki_timespec patience = {0, 20000000};
    const bx_trace_answer *a = &answers[place];
    *outcome = BX_TRACE_NO_MACHINE;
    if (unread || bx_ring_is_let_go())
        return True;
    UInt present = __atomic_load_n(&a->question, __ATOMIC_SEQ_CST);
    if (present == question) {
        *outcome = a->outcome;
        *value = a->value;
        return True;
    }
    bx_core_syscall(__NR_futex, (UWord)&a->question, FUTEX_WAIT, present, (UWord)&patience, 0, 0);
    return False;
}

/* ---- writing ---- */

static void next_chunk(void)
{
    if (unread) {
        enter_chunk();
        return;
    }
    ULong used = ring->cursor - (ULong)chunk();
    Bool broken = used > CHUNK - 8 || filled + used < published;
    if (!broken)
        *(ULong *)ring->cursor = bx_trace_control_word(BX_TRACE_SKIP, 0);
    filled += CHUNK;
    enter_chunk();
    if (broken)
        published = BX_TRACE_BROKEN; /* differs from the ring's */
    publish(filled, RING / 2);       /* rarely: a wake-up costs as much as 1,000 blocks */
    wait_for_room();
    if (bx_ring_is_let_go())
        go_unread();
}

void bx_ring_turn(void)
{
    set_limit();
    if (ring->cursor >= limit)
        next_chunk();
}

void bx_ring_write(const ULong *words, UInt n)
{
    ULong last = (ULong)chunk() + CHUNK - 8; /* room for BX_TRACE_SKIP */
    tl_assert(8 * (n + 1) <= CHUNK);
    if (ring->cursor + 8 * n > last)
        next_chunk();
    VG_(memcpy)((void *)ring->cursor, words, 8 * n);
    ring->cursor += 8 * n;
}

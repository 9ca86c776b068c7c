#include "ring.h"

#include "core_calls.h"

#include "pub_tool_libcassert.h"
#include "pub_tool_libcbase.h"
#include "pub_tool_libcfile.h"
#include "pub_tool_libcproc.h"
#include "pub_tool_vki.h"
#include "pub_tool_vkiscnums.h"

enum {
    UNREAD_CHUNK = 64 << 10, /* of a ring that nobody reads */
    FUTEX_WAIT = 0,
    FUTEX_WAKE = 1,
    TIMED_OUT = 110,      /* ETIMEDOUT */
    PATIENCE = 200000000, /* ns until the reader is looked for */
};

static bx_trace_ring *ring;
static ULong limit;  /* address: a block may begin before it */
static ULong filled; /* position of the chunk that is being filled */
static Bool unread;

/* ---- opening ---- */

static UChar *chunk(void)
{
    return (UChar *)ring + BX_TRACE_PAGE + filled % ring->ring_bytes;
}

static void enter_chunk(void)
{
    ring->cursor = (ULong)chunk();
    limit = ring->cursor + ring->chunk_bytes - 8 * (BX_TRACE_WORDS + 1); /* 1: BX_TRACE_SKIP */
}

static void die(void)
{
    bx_core_syscall(__NR_kill, (UWord)VG_(getpid)(), VKI_SIGKILL, 0, 0, 0, 0);
}

static Bool reader_is_gone(void)
{
    return bx_core_syscall(__NR_kill, (UWord)ring->reader, 0, 0, 0, 0, 0) == -VKI_ESRCH;
}

/* If our parent reads, we end with it, even where the program sleeps. On stage the parent is
 * another process, which ends us. */
static void end_with_reader(void)
{
    if (VG_(getppid)() == ring->reader) {
        VG_(prctl)(VKI_PR_SET_PDEATHSIG, VKI_SIGKILL, 0, 0, 0);
        if (VG_(getppid)() != ring->reader)
            die();
    } else if (reader_is_gone()) {
        die();
    }
}

static Bool open_shared(Int fd)
{
    struct vg_stat about;
    if (VG_(fstat)(fd, &about) != 0 || about.size <= BX_TRACE_PAGE)
        return False;
    ring = bx_core_map_shared(about.size, fd);
    VG_(close)(fd);
    if (!ring || ring->magic != BX_TRACE_MAGIC || ring->version != BX_TRACE_VERSION ||
        ring->ring_bytes != (ULong)about.size - BX_TRACE_PAGE)
        return False;
    end_with_reader();
    return True;
}

static void map_unread(void *at, SizeT bytes, UWord more_flags)
{
    Word r = bx_core_syscall(__NR_mmap, (UWord)at, bytes, VKI_PROT_READ | VKI_PROT_WRITE,
                             VKI_MAP_PRIVATE | VKI_MAP_ANONYMOUS | more_flags, (UWord)-1, 0);
    if (r < 0 && r > -4096)
        die();
    ring = (bx_trace_ring *)r;
    ring->chunk_bytes = UNREAD_CHUNK;
    ring->ring_bytes = UNREAD_CHUNK;
    unread = True;
    filled = 0;
    enter_chunk();
}

Bool bx_ring_open(Int fd)
{
    if (fd < 0) {
        map_unread(NULL, BX_TRACE_PAGE + UNREAD_CHUNK, 0);
        return True;
    }
    if (!open_shared(fd))
        return False;
    ring->base = (ULong)ring + BX_TRACE_PAGE;
    enter_chunk();
    return True;
}

void bx_ring_detach(void)
{
    if (!unread)
        map_unread(ring, BX_TRACE_PAGE + ring->ring_bytes, VKI_MAP_FIXED);
}

HWord bx_ring_cursor(void)
{
    return (HWord)&ring->cursor;
}

HWord bx_ring_limit(void)
{
    return (HWord)&limit;
}

/* ---- the two bells ---- */

/* Wakes the reader if it has this many bytes to read. */
static void publish(ULong position, ULong enough)
{
    if (unread || position == ring->published)
        return;
    __atomic_store_n(&ring->published, position, __ATOMIC_SEQ_CST);
    if (position - __atomic_load_n(&ring->consumed, __ATOMIC_SEQ_CST) >= enough &&
        __atomic_exchange_n(&ring->reader_sleeps, 0, __ATOMIC_SEQ_CST)) {
        __atomic_add_fetch(&ring->published_bell, 1, __ATOMIC_SEQ_CST);
        bx_core_syscall(__NR_futex, (UWord)&ring->published_bell, FUTEX_WAKE, 1, 0, 0, 0);
    }
}

void bx_ring_publish(void)
{
    publish(filled + (ring->cursor - (ULong)chunk()), 0);
}

static Bool has_room(void)
{
    ULong consumed = __atomic_load_n(&ring->consumed, __ATOMIC_SEQ_CST);
    return filled + ring->chunk_bytes - consumed <= ring->ring_bytes;
}

static void wait_for_room(void)
{
    const struct vki_timespec patience = {0, PATIENCE};
    while (!has_room()) {
        UInt bell = __atomic_load_n(&ring->consumed_bell, __ATOMIC_SEQ_CST);
        __atomic_store_n(&ring->tracer_sleeps, 1, __ATOMIC_SEQ_CST);
        if (!has_room() &&
            bx_core_syscall(__NR_futex, (UWord)&ring->consumed_bell, FUTEX_WAIT, bell,
                            (UWord)&patience, 0, 0) == -TIMED_OUT &&
            reader_is_gone())
            die();
        __atomic_store_n(&ring->tracer_sleeps, 0, __ATOMIC_SEQ_CST);
    }
}

/* ---- writing ---- */

void bx_ring_turn(void)
{
    if (unread) {
        enter_chunk();
        return;
    }
    *(ULong *)ring->cursor = bx_trace_control_word(BX_TRACE_SKIP, 0);
    filled += ring->chunk_bytes;
    enter_chunk();
    publish(filled,
            ring->ring_bytes / 2); /* seldom: a wake-up costs as much as a thousand blocks */
    wait_for_room();
}

void bx_ring_write(const ULong *words, UInt n)
{
    ULong last = (ULong)chunk() + ring->chunk_bytes - 8; /* for BX_TRACE_SKIP */
    tl_assert(8 * (n + 1) <= ring->chunk_bytes);
    if (ring->cursor + 8 * n > last)
        bx_ring_turn();
    VG_(memcpy)((void *)ring->cursor, words, 8 * n);
    ring->cursor += 8 * n;
}

/* The trace of a program as 64-bit words: what the tracer writes and the decoder reads, in shared
 * memory or in a file. README.md of this folder explains it. Both sides include this header: it
 * uses no library. */
#ifndef BX_TRACER_TRACE_FORMAT_H
#define BX_TRACER_TRACE_FORMAT_H

#include <stdint.h>

enum { BX_TRACE_VERSION = 1 };
#define BX_TRACE_MAGIC UINT64_C(0x3165636172547862) /* "bxTrace1" in memory */

/* ---- words of the stream ---- */

/* A record begins with one word:
 *   bit 63 = 0   a block was executed: bits 62:7 its number, bits 6:0 the exit by which it was
 *                left. An address follows for each of its accesses up to that exit.
 *   bit 63 = 1   a control record: bits 62:56 its kind, bits 31:0 its value. */
enum {
    BX_TRACE_EXIT_BITS = 7,
    BX_TRACE_EXITS = 1 << BX_TRACE_EXIT_BITS, /* of one block, at most */
    BX_TRACE_WORDS = 256,                     /* most words that one execution of a block writes */
    BX_TRACE_ENTRIES = 1024,                  /* most entries of a description */
    BX_TRACE_BLOCKS = 1 << 24,                /* block numbers are below */
};
#define BX_TRACE_CONTROL   (UINT64_C(1) << 63)
#define BX_TRACE_NO_ACCESS UINT64_MAX /* in place of an address: the guard was false */

enum bx_trace_control_kind {
    BX_TRACE_SKIP = 1, /* the rest of the chunk is not used */
    BX_TRACE_BLOCK,    /* a block is described: a word with its number and `value` entries follow.
                          If the number had a description before, that one is gone. */
    BX_TRACE_THREAD,   /* blocks that follow belong to thread `value` of the process */
    BX_TRACE_END,      /* the program has ended */
};

static inline uint64_t bx_trace_control_word(enum bx_trace_control_kind kind, uint32_t value)
{
    return BX_TRACE_CONTROL | (uint64_t)kind << 56 | value;
}

static inline unsigned bx_trace_control_kind(uint64_t word)
{
    return word >> 56 & 0x7f;
}

/* ---- entries of a description ---- */

/* In the order of execution; the first one is an instruction.
 *   bits 63:60   kind (enum bx_trace_entry_kind)
 *   bits 59:48   size in bytes: of an instruction, or of an access
 *   bits 47:0    of an instruction: its address; of an access: flags; of an exit: registers */
enum bx_trace_entry_kind {
    BX_TRACE_INSTRUCTION = 1,
    BX_TRACE_LOAD,  /* each load and store has one address in the stream */
    BX_TRACE_STORE, /* */
    BX_TRACE_EXIT,  /* numbered from 0 in this order; the last entry is one */
};
enum { BX_TRACE_SIZE_MAX = 4095 };

enum bx_trace_flags {
    BX_TRACE_GUARDED = 1, /* the access may be missing: BX_TRACE_NO_ACCESS */
    BX_TRACE_MODIFY = 2,  /* a store: it and the load before it are one modification */
    BX_TRACE_LOCKED = 4,  /* part of a locked operation */
    BX_TRACE_DEPENDS = 8, /* its address comes from the value of an earlier load of the block */
    BX_TRACE_NON_TEMPORAL = 16, /* a store past the caches */
    BX_TRACE_AWAITED = 32, /* a load: the address of a later access of the block comes from it */
    /* Bits 6 to 15 are 0 so far. Then two sets of registers: bit 0 RAX, RCX, RDX, RBX, RSP, RBP,
     * RSI, RDI, R8 … bit 15 R15. */
    BX_TRACE_REGISTERS =
        16,             /* bits 31:16: its address comes from their values at the block's begin */
    BX_TRACE_KEPT = 32, /* bits 47:32, of a load: at an exit behind it, their values come from it */
};
/* Of an exit, bits 15:0: registers whose values then come from a load of the block. */

static inline uint64_t bx_trace_entry(enum bx_trace_entry_kind kind, unsigned size, uint64_t rest)
{
    return (uint64_t)kind << 60 | (uint64_t)size << 48 | (rest & ((UINT64_C(1) << 48) - 1));
}

static inline unsigned bx_trace_entry_kind(uint64_t entry)
{
    return (unsigned)(entry >> 60);
}

static inline unsigned bx_trace_entry_size(uint64_t entry)
{
    return entry >> 48 & BX_TRACE_SIZE_MAX;
}

/* An instruction's address, with its sign. */
static inline uint64_t bx_trace_entry_address(uint64_t entry)
{
    return (uint64_t)((int64_t)(entry << 16) >> 16);
}

/* ---- the ring ---- */

/* The shared file: one page with this, then the ring: chunks of words. Positions are bytes since
 * the beginning of the trace; position modulo `ring_bytes` is the place in the ring. A record does
 * not cross the end of a chunk. Each side sleeps on a bell (futex) that the other one rings when
 * it finds the sleeper's flag set, and clears it. */
typedef struct bx_trace_ring {
    uint64_t magic;
    uint32_t version;
    uint32_t chunk_bytes; /* a power of two */
    uint64_t ring_bytes;  /* chunks × chunk_bytes */
    int32_t reader;       /* process that reads */
    uint8_t to_writer[64 - 28];

    /* The tracer writes these. */
    uint64_t published;      /* words before this position are complete */
    uint64_t base;           /* address of the ring in the tracer, and … */
    uint64_t cursor;         /* … of the word it writes next: for what is not published yet when
                                the tracer is killed */
    uint32_t published_bell; /* rung by the tracer */
    uint32_t tracer_sleeps;  /* it waits for consumed_bell */
    uint8_t to_reader[64 - 32];

    /* The reader writes these. */
    uint64_t consumed; /* words before this position may be overwritten */
    uint32_t consumed_bell;
    uint32_t reader_sleeps;
    uint8_t to_end[64 - 16];
} bx_trace_ring;

enum { BX_TRACE_PAGE = 4096 };
_Static_assert(sizeof(bx_trace_ring) == 3 * 64, "each side writes lines of its own");

#endif

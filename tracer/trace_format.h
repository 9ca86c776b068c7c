/* The trace of a program as 64-bit words: what the tracer writes and the decoder reads, in shared
 * memory or in a file. README.md of this folder explains it. Both sides include this header: it
 * uses no library. */
#ifndef BX_TRACER_TRACE_FORMAT_H
#define BX_TRACER_TRACE_FORMAT_H

#include "instruction_class.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* 3 lacks DISCARD and later; 4 PORTS, NAME; 5 ADVISE, WHERE; 6 OVERWRITES, MIGRATE_NODE;
 * 7 DIVIDES; 8 PASSES */
enum { BX_TRACE_VERSION = 9, BX_TRACE_OLDEST = 3 };
#define BX_TRACE_MAGIC UINT64_C(0x3465636172547862) /* "bxTrace4" in memory */

/* ---- words of the stream ---- */

/* A record begins with one word:
 *   bit 63 = 0   a block was executed: bits 62:7 its number, bits 6:0 the exit by which it was
 *                left. An address follows for each of its accesses up to that exit.
 *   bit 63 = 1   a control record: bits 62:56 its kind, bits 31:0 its value. */
enum {
    BX_TRACE_EXIT_BITS = 7,
    BX_TRACE_EXITS = 1 << BX_TRACE_EXIT_BITS, /* most exits of a block */
    BX_TRACE_WORDS = 256,                     /* most words that one execution of a block writes */
    BX_TRACE_ENTRIES = 1024,                  /* most entries of a description */
    BX_TRACE_BLOCKS = 1 << 24,                /* block numbers are below */
};
#define BX_TRACE_CONTROL   (UINT64_C(1) << 63)
#define BX_TRACE_NO_ACCESS UINT64_MAX /* in place of an address if the guard was false */

/* Threads have Valgrind's small numbers; a number is reused after STOP. Times are nanoseconds of
 * CLOCK_MONOTONIC, which has one order for all processes. Memory that is accessed without a MAP is
 * private and anonymous. */
enum bx_trace_control_kind {
    BX_TRACE_SKIP = 1, /* the rest of the chunk is unused */
    BX_TRACE_BLOCK,    /* describes a block: a word with its number and `value` entries follow. It
                          replaces an earlier description with that number. The threads of a process
                          share its blocks. */
    BX_TRACE_THREAD,   /* the following records belong to thread `value`, until the next THREAD */
    BX_TRACE_END, /* the process ends; value: enum bx_trace_end; words: time. After EXEC, a RETURN
                     may follow: the exec has failed, and the process continues. */

    /* The thread enters system call `value`, and returns from it; words: time, object, id. CALL
     * names the object that the thread releases: it writes to it, wakes its waiters, closes it, or
     * ends it. RETURN names the object that the thread has acquired: it has read from it, or was
     * woken by it. Object 0: none. CALL is published at once. A call that does not return (exit,
     * exec) has no RETURN. In a child after fork(), the first record of the thread is the RETURN of
     * the call that its parent entered. */
    BX_TRACE_CALL,
    BX_TRACE_RETURN,
    BX_TRACE_RELEASE, /* the present call releases one more object; words: time, object, id */

    BX_TRACE_START, /* thread `value` begins; words: the thread that called clone(). Follows that
                       CALL. */
    BX_TRACE_STOP,  /* thread `value` has ended; words: time, address of the futex that the kernel
                       then clears and wakes (CLONE_CHILD_CLEARTID), or 0 */
    BX_TRACE_FORK,  /* the process is about to fork; words: time. The child's hello has the same
                       time, and the RETURN of the call names the child. If fork() fails, there is no
                       child. */

    /* The address space. These replace earlier mappings of the range. */
    BX_TRACE_MAP,   /* value: enum bx_trace_map; words: address, bytes, device, inode, offset of the
                       file, or 0. Shared memory without a file is shared with children only. */
    BX_TRACE_UNMAP, /* words: address, bytes */
    BX_TRACE_MOVE,  /* mremap(); words: address, bytes, new address, new bytes */

    /* The kernel's reads and writes of the program's memory in the present system call: between its
     * CALL and its RETURN, all reads before all writes. Words: address, bytes. The stack frame of a
     * signal handler is not included. */
    BX_TRACE_KERNEL_READ,
    BX_TRACE_KERNEL_WRITE,

    BX_TRACE_UNTRACED, /* the process executes a program without a trace; value: enum
                          bx_trace_untraced; words: n, then its path in n words, padded with 0, at
                          most BX_TRACE_PATH_WORDS. END follows. */
    BX_TRACE_PAIR,     /* socketpair() made these sockets; words: id, id. Their ids differ */
    BX_TRACE_REGION,   /* value: enum bx_trace_region; words: n, then a name in n words, as above */
    BX_TRACE_NOTE,   /* a fact that belongs beside the counts; value: enum bx_trace_note; words: n,
                        then a text in n words, as above: the program's name and the fact */
    BX_TRACE_KILLED, /* SIGKILL ends a process, so that it has no END; value: enum bx_trace_killed;
                        words: the process */
    BX_TRACE_RDPMC,  /* the thread executes RDPMC, and waits for the answer in its place of
                        bx_trace_answers; value: ECX; words: the place, the number of the question.
                        If it does not fault, its execution follows as a block. */

    /* Where threads and pages are. Since version 4. */
    BX_TRACE_DISCARD,  /* the kernel forgets what private pages contain, as madvise(MADV_DONTNEED)
                          does; words: address, bytes */
    BX_TRACE_AFFINITY, /* thread `value` may run on these CPUs; words: a mask of CPUs 0 to 63; 0: on
                          all */
    BX_TRACE_POLICY,   /* a memory policy; value: its mode as in set_mempolicy(2), and
                          BX_TRACE_POLICY_MOVES; words: address, bytes, a mask of nodes. No bytes:
                          it is the running thread's */
    BX_TRACE_MIGRATE,  /* a page moves to node `value`; words: its address */

    BX_TRACE_NAME, /* the file of the MAP before is an ELF file; words: n, then a text in n words,
                      as above: its build id in hexadecimal or "-", a space, and its path. Since
                      version 5 */

    /* Allocators of the program, if somebody asks: after the call that did it. Since version 5. */
    BX_TRACE_ALLOCATE, /* words: address, bytes */
    BX_TRACE_FREE,     /* words: address */

    /* Since version 6. */
    BX_TRACE_ADVISE, /* the program wants huge pages in a range (value 1) or none (0), as
                        madvise(MADV_HUGEPAGE, MADV_NOHUGEPAGE) says; words: address, bytes */
    BX_TRACE_WHERE,  /* the thread asks where pages are, and waits as for RDPMC; value: enum
                        bx_trace_asked; words: the place, the number of the question, an address */

    BX_TRACE_MIGRATE_NODE, /* the pages of the process at node `value` move; words: to which node.
                              Since version 7 */
};
enum {
    BX_TRACE_POLICY_MOVES = 0x100, /* pages that are elsewhere move: MPOL_MF_MOVE */
    BX_TRACE_POLICY_MODE = 0xff,
};
enum { BX_TRACE_PATH_WORDS = 512 };

enum bx_trace_asked {
    /* The nodes of the page at the address and of the seven after it, a byte each, the first one
     * lowest; or BX_TRACE_NOT_THERE, BX_TRACE_IS_ZERO. */
    BX_TRACE_ASKED_NODES,
    BX_TRACE_ASKED_TOUCHED, /* the same, after the kernel has read the first one */
    BX_TRACE_ASKED_POLICY,  /* the policy of the range: its mode, its nodes from bit 8 on, and from
                               bit 32 on how many pages have it from here on, at most 2^32 - 1 */
    BX_TRACE_ASKED_NUMBER,  /* how many pages of a range are at a node, without that of zeros. The
                               value also has the pages of the range, from bit 8 on, and the address
                               the node in its lowest bits. Since version 7 */
};
enum {
    BX_TRACE_ASKED_OF = 8,
    BX_TRACE_ASKED_PAGES = 8,
    BX_TRACE_NOT_THERE = 0xff,
    BX_TRACE_IS_ZERO = 0xfe, /* it is the page of zeros */
};

enum bx_trace_region { BX_TRACE_REGION_ENDS, BX_TRACE_REGION_BEGINS, BX_TRACE_REGION_IS_RESET };

enum bx_trace_killed {
    BX_TRACE_KILLED_SENT,  /* the present call sends it, or has sent it */
    BX_TRACE_KILLED_CHILD, /* the present call has waited for a child that it had ended */
};

enum bx_trace_note {
    BX_TRACE_NOTE_CUT, /* the tracer ends before the program does, and ends it: the rest is not
                          counted. END follows. */
    BX_TRACE_NOTE_INSTRUCTION, /* the tracer does not know an instruction: the program gets SIGILL
                                */
    BX_TRACE_NOTE_CALL,        /* a system call has an outcome that it does not have without the
                                  tracer */
    BX_TRACE_NOTE_FUNCTION,    /* functions that are regions cannot be followed */
    BX_TRACE_NOTES
};

enum bx_trace_end {
    BX_TRACE_END_EXIT,
    BX_TRACE_END_EXEC,   /* another hello of this process follows, unless it became UNTRACED */
    BX_TRACE_END_SIGNAL, /* by a signal; a process that SIGKILL ends has no END */
};

enum bx_trace_object {
    BX_TRACE_NOTHING,
    BX_TRACE_PIPE,    /* pipes, FIFOs and eventfds */
    BX_TRACE_SOCKET,  /* the same id at both ends, except after PAIR. All connections to one path of
                         the file system are one object; so are a listening port and those who
                         connect */
    BX_TRACE_FUTEX,   /* id: its address in this process */
    BX_TRACE_PROCESS, /* id: process number */
};

enum bx_trace_map {
    BX_TRACE_MAP_SHARED = 1,
    BX_TRACE_MAP_FILE = 2, /* device, inode and offset are set. For System V shared memory, the
                              device is UINT64_MAX, and the inode is its identifier. */
    BX_TRACE_MAP_EXECUTABLE = 4,
    BX_TRACE_MAP_FILLED =
        8, /* private and anonymous, and the kernel has filled it: the arguments */
};

enum bx_trace_untraced {
    BX_TRACE_SET_ID = 1,  /* set-user-ID, set-group-ID, or file capabilities */
    BX_TRACE_UNREADABLE,  /* it may be executed, but not read */
    BX_TRACE_FOREIGN,     /* it is for another architecture, or has 32 bits */
    BX_TRACE_OUT_OF_REACH /* the tracer is not in this file system, for example after chroot() */
};

static inline uint64_t bx_trace_control_word(enum bx_trace_control_kind kind, uint32_t value)
{
    return BX_TRACE_CONTROL | (uint64_t)kind << 56 | value;
}

static inline unsigned bx_trace_control_kind(uint64_t word)
{
    return word >> 56 & 0x7f;
}

/* Whether a record of this kind ends with a text: words n, then the text in n words. */
static inline bool bx_trace_has_text(unsigned kind)
{
    return kind == BX_TRACE_UNTRACED || kind == BX_TRACE_REGION || kind == BX_TRACE_NOTE ||
           kind == BX_TRACE_NAME;
}

/* The number of words of the control record at *words, where n words are there. 0: the record is
 * longer; -1: there is no such record. */
static inline int bx_trace_record_words(const uint64_t *words, size_t n)
{
    static const unsigned char fixed[] = {
        [BX_TRACE_SKIP] = 1,         [BX_TRACE_BLOCK] = 2,       [BX_TRACE_THREAD] = 1,
        [BX_TRACE_END] = 2,          [BX_TRACE_CALL] = 4,        [BX_TRACE_RETURN] = 4,
        [BX_TRACE_RELEASE] = 4,      [BX_TRACE_START] = 2,       [BX_TRACE_STOP] = 3,
        [BX_TRACE_FORK] = 2,         [BX_TRACE_MAP] = 6,         [BX_TRACE_UNMAP] = 3,
        [BX_TRACE_MOVE] = 5,         [BX_TRACE_KERNEL_READ] = 3, [BX_TRACE_KERNEL_WRITE] = 3,
        [BX_TRACE_UNTRACED] = 2,     [BX_TRACE_PAIR] = 3,        [BX_TRACE_REGION] = 2,
        [BX_TRACE_NOTE] = 2,         [BX_TRACE_KILLED] = 2,      [BX_TRACE_RDPMC] = 3,
        [BX_TRACE_DISCARD] = 3,      [BX_TRACE_AFFINITY] = 2,    [BX_TRACE_POLICY] = 4,
        [BX_TRACE_MIGRATE] = 2,      [BX_TRACE_NAME] = 2,        [BX_TRACE_ALLOCATE] = 3,
        [BX_TRACE_FREE] = 2,         [BX_TRACE_ADVISE] = 3,      [BX_TRACE_WHERE] = 4,
        [BX_TRACE_MIGRATE_NODE] = 2,
    };
    unsigned kind = bx_trace_control_kind(words[0]);
    uint64_t more = 0, most = 0;
    if (!(words[0] & BX_TRACE_CONTROL) || kind >= sizeof fixed || fixed[kind] == 0)
        return -1;
    if (kind == BX_TRACE_BLOCK) {
        more = (uint32_t)words[0];
        most = BX_TRACE_ENTRIES;
    } else if (bx_trace_has_text(kind)) {
        more = n > 1 ? words[1] : 0;
        most = BX_TRACE_PATH_WORDS;
    }
    if (more > most)
        return -1;
    return fixed[kind] + more <= n ? (int)(fixed[kind] + more) : 0;
}

/* ---- entries of a description ---- */

/* Entries are in the order of execution; the first one is an instruction.
 *   bits 63:60   kind (enum bx_trace_entry_kind)
 *   bits 59:48   of an access: its size in bytes; of an instruction, an exit: below
 *   bits 47:0    of an instruction: its address; of an access: flags; of an exit: below */
enum bx_trace_entry_kind {
    BX_TRACE_INSTRUCTION = 1,
    BX_TRACE_LOAD,    /* each load and store has one address in the stream */
    BX_TRACE_STORE,   /* */
    BX_TRACE_EXIT,    /* numbered from 0 in this order; the last entry is one */
    BX_TRACE_STEER,   /* an instruction that prefetches, flushes or overwrites a line. It has one
                         address in the stream; its size is an enum bx_trace_steering; flags as of an
                         access */
    BX_TRACE_PORTS,   /* what the instructions of the block so far need of the core's ports: below.
                         One comes before each exit. Since version 5. */
    BX_TRACE_DIVIDES, /* the rest of the divisions of the block so far, and those on the chain of
                         the exit: below. It comes after a PORTS, unless all are 0. Since version
                         8. */
    BX_TRACE_PASSES,  /* bits 15:0, as of an exit: registers whose values at the next exit come from
                         those that they had when the block began. One comes before each exit. Since
                         version 9. */
};
enum bx_trace_steering {
    BX_TRACE_PREFETCH_T0,
    BX_TRACE_PREFETCH_T1,
    BX_TRACE_PREFETCH_T2,
    BX_TRACE_PREFETCH_NTA,
    BX_TRACE_PREFETCH_W,
    BX_TRACE_FLUSHES,     /* CLFLUSH, CLFLUSHOPT */
    BX_TRACE_WRITES_BACK, /* CLWB */
    BX_TRACE_OVERWRITES,  /* the stores of REP STOS or REP MOVS that follow overwrite the 64 bytes;
                             BX_TRACE_NO_ACCESS: this round begins no such line. Since version 7 */
    BX_TRACE_STEERINGS
};
enum { BX_TRACE_SIZE_MAX = 4095 };

enum bx_trace_flags {
    BX_TRACE_GUARDED = 1, /* the access may be missing: BX_TRACE_NO_ACCESS */
    BX_TRACE_MODIFY = 2,  /* a store: it and the load before it are one modification */
    BX_TRACE_LOCKED = 4,  /* part of a locked operation */
    BX_TRACE_DEPENDS = 8, /* its address comes from the value of an earlier load of the block */
    BX_TRACE_NON_TEMPORAL = 16, /* a store past the caches */
    BX_TRACE_AWAITED = 32, /* a load: the address of a later access of the block comes from it */
    /* Bits 6 to 15 are always 0 so far. Then come two sets of registers: bit 0 RAX, RCX, RDX, RBX,
     * RSP, RBP, RSI, RDI, R8 … bit 15 R15. */
    BX_TRACE_REGISTERS =
        16,             /* bits 31:16: its address comes from their values at the block's begin */
    BX_TRACE_KEPT = 32, /* bits 47:32, of a load: at a later exit, their values come from it */
};

/* Of an exit, bits 15:0: registers whose values then come from a load of the block; bits 59:24: its
 * recurrence, see below; and: */
enum bx_trace_exit_flags {
    BX_TRACE_TAKEN = 1 << 16,        /* the branch before was taken if the block is left here */
    BX_TRACE_PASSED_TAKEN = 1 << 17, /* it was taken if not left here; neither: not a branch */
    BX_TRACE_BACKWARD = 1 << 18,     /* it leads to a lower address; older traces do not tell */
    /* Bits 19 to 23 are always 0 so far. */
    BX_TRACE_MULTIPLICATIONS = 24, /* bits 31:24 */
    BX_TRACE_ADDITIONS = 32,       /* bits 39:32 */
    BX_TRACE_LOADS = 40,           /* bits 47:40; bits 59:48 are the cycles */
};
enum { BX_TRACE_CHAIN_MOST = 255 }; /* most loads, additions, multiplications of a chain */

static inline uint64_t bx_trace_entry(enum bx_trace_entry_kind kind, unsigned size, uint64_t rest)
{
    return (uint64_t)kind << 60 | (uint64_t)size << 48 | (rest & ((UINT64_C(1) << 48) - 1));
}

/* The longest chain from a register's value at the begin of the block to the same register's value
 * at the exit. A loop of this block takes at least so long for each round. All 0: there is no
 * chain, or the writer of the trace did not know it. */
typedef struct bx_trace_recurrence {
    unsigned cycles;                            /* core cycles of all operations except: */
    unsigned loads, additions, multiplications; /* on the chain; the last two of floating point */
    unsigned divisions[BX_DIVISIONS];           /* the same, by enum bx_division */
} bx_trace_recurrence;

static inline unsigned bx_trace_at_most(unsigned value, unsigned most)
{
    return value < most ? value : most;
}

/* rest: registers and flags of the exit. */
static inline uint64_t bx_trace_exit(bx_trace_recurrence r, uint64_t rest)
{
    const unsigned most = BX_TRACE_CHAIN_MOST;
    return bx_trace_entry(BX_TRACE_EXIT, bx_trace_at_most(r.cycles, BX_TRACE_SIZE_MAX),
                          rest | (uint64_t)bx_trace_at_most(r.loads, most) << BX_TRACE_LOADS |
                              (uint64_t)bx_trace_at_most(r.additions, most) << BX_TRACE_ADDITIONS |
                              (uint64_t)bx_trace_at_most(r.multiplications, most)
                                  << BX_TRACE_MULTIPLICATIONS);
}

static inline bx_trace_recurrence bx_trace_exit_recurrence(uint64_t exit)
{
    return (bx_trace_recurrence){.cycles = exit >> 48 & BX_TRACE_SIZE_MAX,
                                 .loads = exit >> BX_TRACE_LOADS & BX_TRACE_CHAIN_MOST,
                                 .additions = exit >> BX_TRACE_ADDITIONS & BX_TRACE_CHAIN_MOST,
                                 .multiplications =
                                     exit >> BX_TRACE_MULTIPLICATIONS & BX_TRACE_CHAIN_MOST};
}

/* Operations from the begin of a block on, by the port or unit that they need. */
typedef struct bx_trace_ports {
    unsigned operations; /* instructions that compute or branch */
    unsigned loads;      /* instructions that only load; those that also compute are not here */
    unsigned additions, multiplications; /* of floating point */
    unsigned integer_multiplications;
    unsigned divisions[BX_DIVISIONS]; /* of floating point: of up to 16 bytes */
} bx_trace_ports;

/* A field of a PORTS entry: its lowest bit, and its largest value. Before version 8, the divisions
 * of 64 bits are all of them, and those of floating point have the square roots. */
#define BX_TRACE_PORTS_FIELDS(field)                                                               \
    field(operations, 48, 4095) field(loads, 40, 255) field(additions, 33, 127)                    \
        field(multiplications, 26, 127) field(integer_multiplications, 20, 63)                     \
            field(divisions[BX_DIVIDE_32], 15, 31) field(divisions[BX_DIVIDE_64], 10, 31)          \
                field(divisions[BX_DIVIDE_SINGLE], 5, 31)                                          \
                    field(divisions[BX_DIVIDE_DOUBLE], 0, 31)

static inline uint64_t bx_trace_ports_entry(bx_trace_ports p)
{
#define BX_TRACE_PUT(name, bit, most) | (uint64_t)bx_trace_at_most(p.name, most) << (bit)
    return (uint64_t)BX_TRACE_PORTS << 60 BX_TRACE_PORTS_FIELDS(BX_TRACE_PUT);
#undef BX_TRACE_PUT
}

static inline bx_trace_ports bx_trace_entry_ports(uint64_t entry)
{
#define BX_TRACE_GET(name, bit, most) .name = entry >> (bit) & (most),
    return (bx_trace_ports){BX_TRACE_PORTS_FIELDS(BX_TRACE_GET)};
#undef BX_TRACE_GET
}

/* A field of a DIVIDES entry: its lowest bit. Each has 5. */
enum { BX_TRACE_DIVISIONS_MOST = 31 };
#define BX_TRACE_DIVIDES_FIELDS(of_ports, of_chain)                                                \
    of_ports(BX_DIVIDE_SIGNED, 55) of_ports(BX_DIVIDE_128, 50) of_ports(BX_ROOT_SINGLE, 45)        \
        of_ports(BX_ROOT_DOUBLE, 40) of_chain(BX_DIVIDE_32, 35) of_chain(BX_DIVIDE_64, 30)         \
            of_chain(BX_DIVIDE_SIGNED, 25) of_chain(BX_DIVIDE_128, 20)                             \
                of_chain(BX_DIVIDE_SINGLE, 15) of_chain(BX_DIVIDE_DOUBLE, 10)                      \
                    of_chain(BX_ROOT_SINGLE, 5) of_chain(BX_ROOT_DOUBLE, 0)

/* 0: none is needed. */
static inline uint64_t bx_trace_divides_entry(bx_trace_ports p, bx_trace_recurrence r)
{
    const unsigned most = BX_TRACE_DIVISIONS_MOST;
#define BX_TRACE_PUT_PORTS(kind, bit) | (uint64_t)bx_trace_at_most(p.divisions[kind], most) << (bit)
#define BX_TRACE_PUT_CHAIN(kind, bit) | (uint64_t)bx_trace_at_most(r.divisions[kind], most) << (bit)
    uint64_t all = 0 BX_TRACE_DIVIDES_FIELDS(BX_TRACE_PUT_PORTS, BX_TRACE_PUT_CHAIN);
#undef BX_TRACE_PUT_PORTS
#undef BX_TRACE_PUT_CHAIN
    return all ? (uint64_t)BX_TRACE_DIVIDES << 60 | all : 0;
}

static inline void bx_trace_read_divides(uint64_t entry, bx_trace_ports *p, bx_trace_recurrence *r)
{
#define BX_TRACE_GET_PORTS(kind, bit) p->divisions[kind] = entry >> (bit)&BX_TRACE_DIVISIONS_MOST;
#define BX_TRACE_GET_CHAIN(kind, bit) r->divisions[kind] = entry >> (bit)&BX_TRACE_DIVISIONS_MOST;
    BX_TRACE_DIVIDES_FIELDS(BX_TRACE_GET_PORTS, BX_TRACE_GET_CHAIN)
#undef BX_TRACE_GET_PORTS
#undef BX_TRACE_GET_CHAIN
}

static inline unsigned bx_trace_entry_kind(uint64_t entry)
{
    return (unsigned)(entry >> 60);
}

static inline unsigned bx_trace_entry_size(uint64_t entry)
{
    return entry >> 48 & BX_TRACE_SIZE_MAX;
}

/* Of an instruction, bits 59:48:
 *   bits 4:0    its size in bytes
 *   bits 10:5   its class (enum bx_instruction_class)
 *   bit  11     it is a conditional branch that is always taken here. If it is clear, the next exit
 *               shows whether the branch was taken; without an exit, it is never taken */
enum {
    BX_TRACE_INSTRUCTION_BYTES = 31, /* most bytes of an instruction */
    BX_TRACE_CLASS_SHIFT = 5,
    BX_TRACE_CLASS_MAX = 63,
    BX_TRACE_TAKEN_ALWAYS = 1 << 11,
};
_Static_assert((int)BX_CLASSES <= BX_TRACE_CLASS_MAX + 1, "a class has six bits");

static inline uint64_t bx_trace_instruction(uint64_t address, unsigned size, unsigned class)
{
    return bx_trace_entry(BX_TRACE_INSTRUCTION, size | class << BX_TRACE_CLASS_SHIFT, address);
}

static inline unsigned bx_trace_instruction_size(uint64_t entry)
{
    return bx_trace_entry_size(entry) & BX_TRACE_INSTRUCTION_BYTES;
}

static inline unsigned bx_trace_instruction_class(uint64_t entry)
{
    return bx_trace_entry_size(entry) >> BX_TRACE_CLASS_SHIFT & BX_TRACE_CLASS_MAX;
}

static inline bool bx_trace_taken_always(uint64_t entry)
{
    return bx_trace_entry_size(entry) & BX_TRACE_TAKEN_ALWAYS;
}

/* An instruction's address, sign-extended. */
static inline uint64_t bx_trace_entry_address(uint64_t entry)
{
    return (uint64_t)((int64_t)(entry << 16) >> 16);
}

/* ---- the socket ---- */

/* All processes of a program inherit one end of a SOCK_SEQPACKET socket pair, over fork and exec.
 * Each process introduces itself on it by a message with its ring, the hello: after its start,
 * after an exec, and as a child after fork(). The receiver takes the process's number from
 * SCM_CREDENTIALS (SO_PASSCRED), because `process` may be of another namespace, and is not trusted.
 *
 * A hello brings these descriptors in this order (SCM_RIGHTS). Without descriptors, the process
 * could not make a ring, and its trace is not read:
 *  - the ring, a memfd with F_SEAL_SHRINK, F_SEAL_GROW and F_SEAL_SEAL. The receiver checks them,
 *    and the ring's header.
 *  - the write end of the leash, a pipe. SIGKILL ends the process as soon as no process has the
 *    write end open. So no process remains when the reader has ended.
 *  - the leash's read end, which releases a process: fcntl(F_SETFL) without O_ASYNC, then set
 *    `unread` in the ring.
 *
 * A bell is a message without descriptors: the ring of that process has more words, and its reader
 * had a wish for a bell. */
enum bx_trace_message_kind { BX_TRACE_HELLO = 1, BX_TRACE_BELL };

typedef struct bx_trace_message {
    uint64_t magic; /* BX_TRACE_MAGIC */
    uint32_t kind;
    uint32_t process;
    uint32_t parent; /* of a hello: the process that forked it; 0: it was started, or executed */
    uint32_t zero;
    uint64_t time; /* of a hello: the time of the FORK record, or of the process's begin */
} bx_trace_message;

enum { BX_TRACE_RING_FD, BX_TRACE_LEASH_FD, BX_TRACE_LET_GO_FD, BX_TRACE_FDS };

/* ---- the ring ---- */

/* The shared file: a page that the tracer writes, pages that the reader writes, then the ring:
 * chunks of words. In the traced process the reader's pages are read-only: the program, which has
 * the same memory as its tracer, cannot say there that its trace has been read, or is not wanted.
 * Positions are bytes since the beginning of the trace; position modulo `ring_bytes` is the place
 * in the ring. A record does not cross the end of a chunk. To sleep, the reader makes a wish for a
 * bell, checks again that there are no words, and waits at the socket. The tracer sends one bell
 * for each wish. The tracer sleeps at consumed_bell, a futex. */
enum {
    BX_TRACE_PAGE = 4096,
    BX_TRACE_READER = BX_TRACE_PAGE,      /* bytes before the reader's page, … */
    BX_TRACE_ANSWERS = 2 * BX_TRACE_PAGE, /* … before its answers, */
    BX_TRACE_PLACES = 5120,               /* of 16 bytes: one for each thread that can be */
    BX_TRACE_CHUNKS = BX_TRACE_ANSWERS + 16 * BX_TRACE_PLACES, /* … and before the chunks */
    BX_TRACE_RING_BYTES = 1 << 20, /* of the chunks that our tracer makes */
    BX_TRACE_RING_VERSION = 5,
};

typedef struct bx_trace_ring {
    uint64_t magic;
    uint32_t version;     /* BX_TRACE_RING_VERSION */
    uint32_t chunk_bytes; /* a power of two */
    uint64_t ring_bytes;  /* chunks × chunk_bytes: a power of two, too */
    uint64_t base;        /* address of the chunks in the tracer; fixed before the hello */
    uint8_t fixed[64 - 32];

    uint64_t published; /* words before this position are complete; it never goes back. A tracer
                           that finds its positions changed sets it to BX_TRACE_BROKEN */
    uint64_t cursor; /* address of the next word that it writes: shows words that were not published
                        when the tracer was killed */
    uint32_t tracer_sleeps; /* the tracer waits for consumed_bell */
} bx_trace_ring;
#define BX_TRACE_BROKEN UINT64_MAX

typedef struct bx_trace_ring_reader {
    uint64_t consumed; /* words before this position may be overwritten */
    uint32_t consumed_bell;
    uint32_t wish;      /* number of the reader's wish for a bell; 0: it needs none */
    uint32_t unread;    /* 1: not read any more; the process continues. Rings consumed_bell */
    uint32_t pass_over; /* a thread that gets no turns while others can run; 0: none */
} bx_trace_ring_reader;

enum bx_trace_outcome {
    BX_TRACE_FAULTS,     /* #GP */
    BX_TRACE_IS_READ,    /* EDX:EAX is the value */
    BX_TRACE_NO_MACHINE, /* nobody counts: the trace is only recorded. #GP, too */
};

/* The answer to an RDPMC or a WHERE. Its thread sleeps at `question`, a futex, until the number of
 * its own question is there. */
typedef struct bx_trace_answer {
    uint32_t question;
    uint32_t outcome; /* enum bx_trace_outcome */
    uint64_t value;
} bx_trace_answer;
_Static_assert(sizeof(bx_trace_answer) == 16, "BX_TRACE_CHUNKS has room for the answers");

#endif

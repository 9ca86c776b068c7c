/* The input of machine models: streams of memory accesses, and the agents that make them. */
#ifndef BX_MODEL_ENGINE_ACCESS_H
#define BX_MODEL_ENGINE_ACCESS_H

#include "attribute/who.h"
#include "model/engine/retirement.h"
#include "tracer/instruction_class.h"

#include <stdbool.h>
#include <stdint.h>

/* One access, packed, as the hot path reads it. An access stays within one 64-byte line.
 *   bits 1:0   kind (enum bx_access_kind)
 *   bit  2     dependent: the agent waits for its completion
 *   bit  3     partial: a write of less than a line (of IO and GT agents, or non-temporal), or an
 *              uncacheable access of less than a line
 *   bits 15:4  cost: cycles from the agent's previous access to this one when nothing stalls
 *   bits 52:16 physical line number (address / 64)
 *   bit  53    uncacheable: a load or store (bits 60:59) of a device's memory-mapped registers; the
 *              kind is BX_NON_TEMPORAL. The line number is not that of memory, and not all ones.
 *              With bit 55: of an I/O port
 *   bit  54    auxiliary: made by a page walk or by a kernel, not by an instruction
 *   bit  55    of a store: string instructions overwrite the whole line, so its data are not read
 *   bit  56    a prefetch; the kind is BX_NON_TEMPORAL, so that code without prefetches does not
 *              take it for an access to private caches
 *   bit  57    of a load that is not dependent: its bytes are forwarded from a store of its thread
 *   bits 58:57 of a prefetch: the prefetcher (enum bx_prefetcher)
 *   bits 60:59 of a prefetch: the kind of its request; into L1D it is a load. Of an uncacheable
 *              access: its kind
 *   bit  62    an instruction that steers caches; the kind is BX_NON_TEMPORAL. Bits 59:57: enum
 *              bx_steering
 *   bit  61    not an access; the kind is BX_NON_TEMPORAL. Line number 0: a locked operation
 *              begins. Its cycles are part of its cost, but the model's in machines that ask for
 *              remarks. Else: a branch was mispredicted, and the core does nothing for as many
 *              cycles as the line number says
 *   bit  63    not an access but a remark, for machines that ask for remarks; the kind is 0.
 *              Bits 31:16: a set of enum bx_remark; bits 39:32: enum bx_instruction_class */
typedef uint64_t bx_access;
#define BX_ACCESS_REMARK (UINT64_C(1) << 63)

enum { BX_REMARK_CLASS_SHIFT = 32, BX_REMARK_BRANCH = 8 };

/* Further facts of a remark, besides the class of the instruction. They apply after the cost of the
 * remark has passed. */
enum bx_remark {
    BX_REMARK_TAKEN = 1 << 0,      /* a branch was taken */
    BX_REMARK_MISALIGNED = 1 << 1, /* the previous access crosses a boundary of 8 bytes */
    /* From bit BX_REMARK_BRANCH on: what a branch predictor tells, enum bx_branch_count. */
};

static inline uint64_t bx_access_remark(unsigned what, unsigned class)
{
    return BX_ACCESS_REMARK | (uint64_t)what << 16 | (uint64_t) class << BX_REMARK_CLASS_SHIFT;
}

static inline unsigned bx_access_remarks(bx_access a)
{
    return a >> 16 & 0xffff;
}

/* BX_CLASS_OTHER: the remark belongs to no instruction, or to one that no event counts. */
static inline unsigned bx_access_class(bx_access a)
{
    return a >> BX_REMARK_CLASS_SHIFT & 0xff;
}

enum bx_access_kind {
    BX_LOAD,
    BX_STORE,
    BX_FETCH,
    BX_NON_TEMPORAL, /* a core's stores that bypass the caches: of a line, or partial */
};
enum { BX_ACCESS_DEPENDENT = 4, BX_ACCESS_PARTIAL = 8, BX_ACCESS_COST_MAX = 4095 };
#define BX_ACCESS_AUXILIARY (UINT64_C(1) << 54)
#define BX_ACCESS_WHOLE     (UINT64_C(1) << 55)

/* Line numbers are below 2^37: physical addresses below 8 TiB (docs/explanation/model.md). */
enum { BX_LINE_BITS = 37 };

/* A core's prefetchers, numbered as the bits of MSR 1A4H that switch them off. */
enum bx_prefetcher {
    BX_PREFETCHER_STREAMER, /* into L2 */
    BX_PREFETCHER_ADJACENT,
    BX_PREFETCHER_NEXT, /* into L1D */
    BX_PREFETCHER_STRIDE,
    BX_PREFETCHERS,
};
#define BX_ACCESS_PREFETCH (UINT64_C(1) << 56)
enum { BX_PREFETCHER_SHIFT = 57, BX_PREFETCH_KIND_SHIFT = 59 };

/* A locked operation begins: the core waits until all its outstanding accesses are done. */
#define BX_ACCESS_LOCK (UINT64_C(1) << 61 | BX_NON_TEMPORAL)

/* A branch was mispredicted: the core does nothing for so many cycles. */
static inline bx_access bx_access_mispredicted(uint64_t cycles)
{
    return BX_ACCESS_LOCK | cycles << 16;
}

/* Instructions that prefetch a line, or take it out of all caches. */
enum bx_steering {
    BX_STEER_T0,  /* into L1D and L2, as a load */
    BX_STEER_L2,  /* into L2: T1, T2 */
    BX_STEER_NTA, /* into L1D alone */
    BX_STEER_OWN, /* into L2, for a store to come */
    BX_STEER_FLUSH,
    BX_STEER_LOCK_BUS, /* no access: a locked operation on two lines locks the bus. Line 0 */
};
#define BX_ACCESS_STEER (UINT64_C(1) << 62)
enum { BX_STEERING_SHIFT = 57 };

static inline bx_access bx_access_steer(uint64_t line, enum bx_steering how)
{
    return BX_ACCESS_STEER | (bx_access)how << BX_STEERING_SHIFT | line << 16 | BX_NON_TEMPORAL;
}

static inline enum bx_steering bx_access_steering(bx_access a)
{
    return (enum bx_steering)(a >> BX_STEERING_SHIFT & 7);
}

static inline bool bx_access_locks_bus(bx_access a)
{
    return a & BX_ACCESS_STEER && bx_access_steering(a) == BX_STEER_LOCK_BUS;
}

static inline bool bx_access_flushes(bx_access a)
{
    return a & BX_ACCESS_STEER && bx_access_steering(a) == BX_STEER_FLUSH;
}

static inline bool bx_access_is_lock(bx_access a)
{
    return a >> 61 & 1;
}

static inline unsigned bx_access_kind_of(bx_access a)
{
    return (unsigned)a & 3;
}

static inline unsigned bx_access_cost(bx_access a)
{
    return (unsigned)a >> 4 & BX_ACCESS_COST_MAX;
}

static inline uint64_t bx_access_line(bx_access a)
{
    return a >> 16 & ((UINT64_C(1) << BX_LINE_BITS) - 1);
}

/* The same for a search in a cache, whose tags ignore all bits above the line's but the lowest. */
static inline uint64_t bx_access_searched(bx_access a)
{
    return (a & ~(UINT64_C(1) << (16 + BX_LINE_BITS))) >> 16;
}

static inline bx_access bx_access_make(uint64_t line, unsigned kind, unsigned flags, unsigned cost)
{
    return line << 16 | (uint64_t)cost << 4 | flags | kind;
}

#define BX_ACCESS_UNCACHEABLE (UINT64_C(1) << 53)
#define BX_ACCESS_PORT        BX_ACCESS_WHOLE /* of an uncacheable access */

/* What a core can access of devices, besides what these do in memory. */
enum bx_device_access {
    BX_DEVICE_REGISTERS = 1, /* memory-mapped */
    BX_DEVICE_PORTS = 2,     /* by IN and OUT */
};

static inline bx_access bx_access_uncacheable(uint64_t line, enum bx_access_kind kind,
                                              unsigned flags, unsigned cost)
{
    return BX_ACCESS_UNCACHEABLE | (bx_access)kind << BX_PREFETCH_KIND_SHIFT |
           bx_access_make(line, BX_NON_TEMPORAL, flags, cost);
}

static inline bool bx_access_is_uncacheable(bx_access a)
{
    return (a & (BX_ACCESS_UNCACHEABLE | 3)) == (BX_ACCESS_UNCACHEABLE | BX_NON_TEMPORAL);
}

/* What the instruction does: a load, a store, a fetch, or a store past the caches. */
static inline unsigned bx_access_instruction(bx_access a)
{
    return a & BX_ACCESS_UNCACHEABLE ? a >> BX_PREFETCH_KIND_SHIFT & 3 : bx_access_kind_of(a);
}

static inline bx_access bx_access_prefetch(uint64_t line, enum bx_prefetcher by, unsigned kind)
{
    return BX_ACCESS_PREFETCH | (bx_access)by << BX_PREFETCHER_SHIFT |
           (bx_access)kind << BX_PREFETCH_KIND_SHIFT | line << 16 | BX_NON_TEMPORAL;
}

static inline enum bx_prefetcher bx_access_prefetcher(bx_access a)
{
    return (enum bx_prefetcher)(a >> BX_PREFETCHER_SHIFT & 3);
}

/* Whether the prefetcher is for L1D. It fills L1D only if L2 has the line. */
static inline bool bx_prefetches_l1(enum bx_prefetcher by)
{
    return by >= BX_PREFETCHER_NEXT;
}

/* The access that a prefetch requests: the same line and kind, without cost. */
static inline bx_access bx_access_prefetched(bx_access a)
{
    return bx_access_make(bx_access_line(a), a >> BX_PREFETCH_KIND_SHIFT & 3, 0, 0);
}

/* The access by which such a prefetch gets its line. Others stay as they are. */
static inline bx_access bx_access_steered(bx_access a)
{
    if (!(a & BX_ACCESS_STEER) || bx_access_steering(a) >= BX_STEER_FLUSH)
        return a;
    return bx_access_make(bx_access_line(a),
                          bx_access_steering(a) == BX_STEER_OWN ? BX_STORE : BX_LOAD, 0, 0) |
           BX_ACCESS_AUXILIARY;
}

/* A load of bytes that its thread has just stored. */
#define BX_ACCESS_FORWARDED (UINT64_C(1) << 57)

static inline bool bx_access_is_forwarded(bx_access a)
{
    return (a & (BX_ACCESS_FORWARDED | BX_NON_TEMPORAL)) == (BX_ACCESS_FORWARDED | BX_LOAD);
}

enum bx_feed_state {
    BX_FEED_MORE,  /* there are accesses */
    BX_FEED_END,   /* there are no more */
    BX_FEED_WAITS, /* none now: the agent is parked until bx_model_wake() or bx_model_wait_for() */
};

/* The source of an agent's accesses, batch by batch. The model calls `refill` when next == end, but
 * not again after BX_FEED_END. When `refill` returns BX_FEED_MORE, next … end is not empty. The
 * feed owns the buffer and keeps the batch until the next call.
 *
 * The model calls `refill` at the agent's turn: all accesses of its batch are final. The other
 * agents have done everything before that time and nothing after it
 * (docs/explanation/model-order.md, "Waiting"). While a model has the feed, only `refill` changes
 * next and end. */
typedef struct bx_feed {
    const bx_access *next, *end;
    enum bx_feed_state (*refill)(struct bx_feed *feed);
    /* What retires with the batch, in order; `before` counts from `origin`. NULL: nothing. */
    const bx_retirement *retirement, *retirement_end;
    const bx_access *origin;
    const bx_retired_table *retired;
    uint32_t retired_n; /* rows of `retired` that the batch may refer to */
    const bx_who *who;  /* who made each access, from `origin` on; NULL: nobody asks */
    uint32_t thread;    /* the number of the thread that makes them; 0: none */
    bool each_retires;  /* each access is an instruction, except prefetches, auxiliary accesses and
                           BX_ACCESS_LOCK */
} bx_feed;

/* Agents: cores 0 … packages x cores - 1, package by package. GT and IO belong to package 0. */
enum bx_agent { BX_AGENT_GT = 64, BX_AGENT_IO = 65, BX_AGENTS = 66 };

#endif

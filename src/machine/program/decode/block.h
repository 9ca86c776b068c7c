/* A block of instructions in decoded form: the accesses that each execution of it makes. */
#ifndef BX_MACHINE_PROGRAM_DECODE_BLOCK_H
#define BX_MACHINE_PROGRAM_DECODE_BLOCK_H

#include "model/engine/access.h"
#include "model/engine/frames.h"
#include "model/part/branch_predictor.h"
#include "tracer/trace_format.h"

#include <stddef.h>

enum {
    BX_DECODER_ACCESS_LINE_SHIFT = 16, /* position of the line in a bx_access */
    BX_DECODER_ACCESS_COST_SHIFT = 4,
    BX_BLOCK_INSTRUCTIONS = 512,   /* most instructions of a block */
    BX_BLOCK_BRANCHES = UINT8_MAX, /* most of its branches that go through a predictor */
};

#define BX_BLOCK_NO_LINE UINT64_MAX

enum bx_block_item_kind {
    BX_ITEM_DATA,    /* a data access in one line, unless its address shows that it crosses lines */
    BX_ITEM_FETCH,   /* a fetch: `access` has the physical line; not used with TLBs */
    BX_ITEM_REMARK,  /* `access` is a remark, or the beginning of a locked operation */
    BX_ITEM_UNKNOWN, /* a fetch; `access` has the virtual line until the fetch is first made */
    BX_ITEM_STEER,   /* an instruction that steers caches; `access` is without its line */
    BX_ITEM_LOCK_BUS,  /* if the next item, a locked operation's load, crosses lines */
    BX_ITEM_OVERWRITE, /* a string instruction begins to overwrite a line, or no line */
};

/* An item of a block: it may make an access when the block is executed. */
typedef struct bx_block_item {
    bx_access access; /* a data access without its line, or a fetch */
    uint16_t word;    /* index of the execution's word that has the address */
    uint16_t size;
    uint16_t cost; /* also in `access`, unless kind is BX_ITEM_UNKNOWN */
    uint8_t kind;
    int8_t last; /* the last byte of a line where the access can begin without crossing into the
                    next line */
} bx_block_item;

/* What the prefetchers need to know of an item. */
typedef struct bx_block_instruction {
    uint32_t address; /* low bits of the instruction's address */
    uint32_t line;    /* the physical line that it last accessed; BX_BLOCK_NO_TOUCH: none;
                         BX_BLOCK_UNSEEN: prefetchers do not see its accesses */
} bx_block_instruction;
#define BX_BLOCK_NO_TOUCH UINT32_MAX
#define BX_BLOCK_UNSEEN   (UINT32_MAX - 1)

typedef struct bx_block_exit {
    uint16_t items,
        words; /* number of items and words of an execution that ends here, with its first word */
    uint16_t cost;    /* cost of the instructions after the last item */
    uint16_t part;    /* the rest of that cost below one cycle, in units of bx_draft.slot */
    uint16_t kept;    /* registers whose values come from loads that no access has waited for yet */
    uint16_t passes;  /* registers whose values come from those before the block */
    uint8_t number;   /* number of the exit, with BX_BLOCK_LEFT_TAKEN */
    uint8_t branches; /* those before that go through a predictor */
    uint32_t retires; /* index in bx_retired_table of what an execution retires */
    uint64_t fetched; /* the virtual line of the last fetch */
    uint64_t executions;
    struct bx_block_exit *previous; /* by which the block executed before this one was left */
} bx_block_exit;

/* Counts of an exit that the decoder adds up itself. */
typedef struct bx_block_counts {
    uint16_t instructions;
    uint8_t loads, stores;
    uint8_t modifications; /* each takes two words */
    uint8_t left_out;      /* instructions that steer caches, of which remarks make nothing */
} bx_block_counts;

enum { BX_BLOCK_LEFT_TAKEN = 0x80 }; /* this exit is left by a taken branch */

/* What an item does to the calling context. */
enum bx_block_turn {
    BX_TURN_NONE,
    BX_TURN_CALL,   /* it stores a call's return address */
    BX_TURN_RETURN, /* it loads one */
};

/* Who makes the accesses of an item. */
typedef struct bx_block_note {
    uint64_t address; /* of a fetch, that of its line; 0: none, or that of the execution */
    uint32_t code;    /* the number of its instruction */
    bool data;        /* the execution has the address */
    uint8_t turn;     /* enum bx_block_turn */
} bx_block_note;

typedef struct bx_block {
    uint32_t exits;
    uint16_t needed;          /* registers that the block's addresses come from */
    uint16_t cost;            /* highest cost of an execution */
    uint64_t first_line;      /* virtual line of the first instruction */
    bx_block_item *item;      /* [items]; the first one is the fetch of first_line */
    uint16_t *kept;           /* [items]: registers that hold a load's value at later exits */
    bx_block_instruction *by; /* [items]; NULL: there are no prefetchers */
    bx_block_counts *counts;  /* [exits] */
    uint64_t first;           /* the address of the first instruction */
    bx_branch *branch;        /* in order; none if nobody predicts them */
    bx_block_note *note;      /* [items]; NULL: nobody asks */
    uint32_t *code;           /* [exits], with `note`: the last instruction before each exit */
    uint32_t items;
    /* [exits]; the items and the other arrays follow in the same allocation */
    bx_block_exit exit[];
} bx_block;

_Static_assert(sizeof(bx_block_exit) == 48, "it is looked up for each execution");
_Static_assert((int)BX_TRACE_EXITS <= BX_BLOCK_LEFT_TAKEN && BX_TRACE_WORDS - 1 <= 255,
               "they are in bytes");

/* The cost may be negative modulo 2^64, because spend() may leave such a rest; the sum with the
 * item's cost is then positive. */
static inline bx_access bx_decoder_cost(uint64_t cycles)
{
    return cycles << BX_DECODER_ACCESS_COST_SHIFT;
}

static inline const bx_block *bx_block_with(const bx_block_exit *e)
{
    const bx_block_exit *first = e - e->number % BX_BLOCK_LEFT_TAKEN;
    return (const bx_block *)(const void *)((const char *)first - offsetof(bx_block, exit));
}

#endif

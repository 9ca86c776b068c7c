/* The calling context of a thread, by the calls and returns that its trace has. The machine does
 * not change for it. docs/explanation/attribution.md, "Calling contexts" */
#ifndef BX_MACHINE_PROGRAM_DECODE_CALL_STACK_H
#define BX_MACHINE_PROGRAM_DECODE_CALL_STACK_H

#include "machine/program/decode/witness.h"

/* A call that has not returned: where its return address is, and the context of what it calls. */
typedef struct bx_call {
    uint64_t slot;
    uint32_t context;
} bx_call;

/* The calls on one stack: a thread can have several, as coroutines and signal handlers do. */
typedef struct bx_call_stack {
    bx_call *call; /* [n]: the slots fall */
    size_t n, room;
    uint32_t base;      /* the context in which it began */
    uint64_t top, high; /* the last slot that was used, and the highest */
} bx_call_stack;

typedef struct bx_call_stacks {
    struct bx_call_stacks *next; /* of the process's threads */
    bx_call_stack *stack;        /* [n] */
    size_t n, room, now;
    uint32_t context; /* the present one; 0: the root */
    uint32_t left;    /* that of the call that returned last */
    struct bx_known_call {
        uint32_t parent, code, context;
    } known[1024]; /* calls of late; context 0: none */
} bx_call_stacks;

/* Returns the context of what is called. Without memory, w->failed is set. */
uint32_t bx_call_stacks_call(bx_call_stacks *s, bx_witness *w, uint32_t code, uint64_t slot);
/* The same of where it returns to. A return without a call changes nothing and is counted. */
uint32_t bx_call_stacks_return(bx_call_stacks *s, bx_witness *w, uint64_t slot);

/* A copy without `next`, for a forked child. NULL: out of memory, or s is NULL. */
bx_call_stacks *bx_call_stacks_copy(const bx_call_stacks *s);
void bx_call_stacks_free(bx_call_stacks *s); /* and all that follow; NULL is fine */

#endif

/* Takes system calls in place of Valgrind's handlers. */
#ifndef BX_TRACER_CORE_SYSTEM_CALLS_H
#define BX_TRACER_CORE_SYSTEM_CALLS_H

#include "pub_tool_basics.h"

typedef struct bx_core_call { /* SyscallArgs of Valgrind's priv_types_n_macros.h, for Linux */
    Word number;
    UWord argument[8];
} bx_core_call;

enum bx_core_way {
    BX_CORE_ORDINARY, /* Valgrind handles it */
    BX_CORE_OTHER,    /* Valgrind handles `call` in its place: a call that completes at once */
    BX_CORE_DONE,     /* it is complete: `result` */
};

typedef struct bx_core_answer {
    enum bx_core_way way;
    Word result; /* below 0: an errno, as the kernel returns it */
    bx_core_call call;
} bx_core_answer;

/* Sets a function that judges each call of the program before Valgrind handles it. The answer has
 * the way BX_CORE_ORDINARY at first. */
void bx_core_take_calls(void (*taker)(ThreadId tid, const bx_core_call *call, bx_core_answer *to));

/* Ends the process by a signal, as if no handler was set. */
void bx_core_kill_self(Int signal) __attribute__((noreturn));

#endif

/* System calls that the tracer takes in place of Valgrind, which refuses them. */
#ifndef BX_TRACER_TAKEN_CALLS_H
#define BX_TRACER_TAKEN_CALLS_H

#include "pub_tool_basics.h"

typedef struct bx_clone3 { /* struct clone_args of linux/sched.h, its first version */
    ULong flags, pidfd, child_tid, parent_tid, exit_signal, stack, stack_bytes, tls;
} bx_clone3;

/* Reads the arguments of clone3(). False: it cannot be read. */
Bool bx_clone3_read(const UWord *arguments, bx_clone3 *to);

void bx_taken_calls_setup(void);

#endif

/* The program's seccomp filters. The tracer obeys them in the kernel's place: in the kernel, they
 * would refuse calls of the tracer itself. */
#ifndef BX_TRACER_SECCOMP_H
#define BX_TRACER_SECCOMP_H

#include "core_system_calls.h"

/* Judges a call by the filters of the thread, and takes the calls that install filters. is_last: it
 * is the program's last thread. False: no filter has anything to say. */
Bool bx_seccomp_judge(ThreadId tid, Bool is_last, const bx_core_call *call, bx_core_answer *to);

void bx_seccomp_start(ThreadId by, ThreadId tid); /* a thread has its creator's filters */

/* Before an exec: makes a file with the filters of the thread for the next tracer. -1: there are
 * none. bx_seccomp_take() reads it there. */
Int bx_seccomp_pass_on(ThreadId tid);
void bx_seccomp_take(Int fd);

/* Before an exec without a tracer: gives the filters to the kernel. */
void bx_seccomp_install(ThreadId tid);

#endif

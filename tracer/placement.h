/* The CPUs and memory nodes that the program asks for. */
#ifndef BX_TRACER_PLACEMENT_H
#define BX_TRACER_PLACEMENT_H

#include "core_system_calls.h"

#include "pub_tool_basics.h"

extern Int bx_placement_all_cpus; /* CPUs that the program sees; 0: those of the host */
extern Int bx_placement_nodes;    /* memory nodes that the program sees; 0: those of the host */

/* Takes sched_setaffinity() and the calls of memory policies in place of the kernel, whose CPUs and
 * nodes are others, and records what they ask for. */
void bx_placement_take(ThreadId tid, const bx_core_call *call, bx_core_answer *to);

/* The node of each CPU, as text: a digit each. NULL: all are of node 0. */
extern const HChar *bx_placement_cpu_nodes;
Int bx_placement_node_of(Int cpu);

/* The thread's CPUs: bit i for CPU i, of the first 64. */
ULong bx_placement_cpus(ThreadId tid);

void bx_placement_start(ThreadId by, ThreadId tid); /* a new thread has what its creator has */
void bx_placement_made(Int number); /* the kernel's number of the thread that was started last */
void bx_placement_stop(ThreadId tid);

/* The thread with that number of the kernel, 0: `tid` itself. VG_INVALID_THREADID: none of this
 * process. */
ThreadId bx_placement_thread(ThreadId tid, Int number);

/* Asks boxscore about the program's pages, and waits. what: enum bx_trace_asked. False: there is no
 * machine that knows. */
Bool bx_placement_ask(ThreadId tid, UInt what, Addr address, ULong *answer);

typedef struct bx_placement_policy {
    UInt mode; /* MPOL_… */
    ULong nodes;
    ULong pages; /* so many have it from there on; ~0: all */
} bx_placement_policy;

/* The policy of the page at an address: its own, or that of the process's first thread. */
bx_placement_policy bx_placement_policy_of(ThreadId tid, Addr address);

/* After an exec, the program has what it had before: as the option --placement. */
enum { BX_PLACEMENT_OPTION = 64 };
void bx_placement_write(ThreadId tid, HChar to[BX_PLACEMENT_OPTION]);
Bool bx_placement_read(const HChar *text);

#endif

/* On which CPUs of the virtual machine the threads on stage want to be: the host, which may not
 * have them, runs them where it likes. Answers the system calls that say and ask it, in the reaper.
 */
#ifndef BX_STAGE_CALLS_AFFINITY_H
#define BX_STAGE_CALLS_AFFINITY_H

#include "stage/calls/calls.h"

typedef struct bx_affinity {
    unsigned cpus; /* of the virtual machine: 1 to 64 */
    struct bx_bound_thread *bound;
    size_t n, room;
} bx_affinity;

/* sched_setaffinity and sched_getaffinity. false: the thread that is meant is not on stage, and the
 * host is to be asked. */
bool bx_affinity_handle(bx_affinity *a, const bx_call *call, int64_t *value);

/* The first CPU of those that a thread may be on. */
unsigned bx_affinity_cpu(const bx_affinity *a, pid_t thread);

#endif

/* CPU affinity of the threads on stage, in CPUs of the virtual machine. The host may not have these
 * CPUs: then it runs the threads on any of its own. The reaper answers sched_setaffinity() and
 * sched_getaffinity() from here. */
#ifndef BX_STAGE_CALLS_AFFINITY_H
#define BX_STAGE_CALLS_AFFINITY_H

#include "stage/calls/calls.h"

typedef struct bx_affinity {
    unsigned cpus; /* of the virtual machine: 1 to 64 */
    struct bx_bound_thread *bound;
    size_t n, room;
} bx_affinity;

/* Executes a sched_setaffinity or sched_getaffinity. *value: its result, or -errno. false: the
 * thread that it names is not on stage; the host's kernel must answer. */
bool bx_affinity_handle(bx_affinity *a, const bx_call *call, int64_t *value);

/* The first CPU that a thread is allowed to run on. */
unsigned bx_affinity_cpu(const bx_affinity *a, pid_t thread);

#endif

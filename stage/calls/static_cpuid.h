/* CPUID in programs without a loader, which no library can be put into: the reaper traces them
 * (ptrace(2)), disarms the instruction in their code when they are executed, and does in its place
 * what it would when its signal comes. Their threads and children are traced too, until these
 * execute a program that has a loader. */
#ifndef BX_STAGE_CALLS_STATIC_CPUID_H
#define BX_STAGE_CALLS_STATIC_CPUID_H

#include "stage/calls/affinity.h"
#include "topology/topology.h"

typedef struct bx_static_cpuid {
    const bx_topology *topology;
    const bx_affinity *affinity; /* which CPU a thread is on */
} bx_static_cpuid;

/* Before and after the call with which a thread executes a program is continued. Of one that
 * somebody else traces, a debugger, nothing more is seen. */
void bx_static_cpuid_before_exec(pid_t thread);
void bx_static_cpuid_after_exec(pid_t thread);

/* A thread has stopped, as waitpid() has reported: it is resumed. */
void bx_static_cpuid_stopped(const bx_static_cpuid *s, pid_t thread, int status);

#endif

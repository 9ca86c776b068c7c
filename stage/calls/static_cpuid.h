/* CPUID and RDPMC in static programs. They have no loader, so no library can be preloaded. The
 * reaper traces them with ptrace(2): when they are executed it replaces each of these instructions
 * by an undefined one, and it emulates them at the SIGILL that follows. Threads and children are
 * traced as well, until they execute a program with a loader. */
#ifndef BX_STAGE_CALLS_STATIC_CPUID_H
#define BX_STAGE_CALLS_STATIC_CPUID_H

#include "stage/calls/affinity.h"
#include "topology/topology.h"

typedef struct bx_static_cpuid {
    const bx_topology *topology;
    const bx_affinity *affinity; /* which CPU a thread is on */
} bx_static_cpuid;

/* Must be called before and after a thread's execve() is continued. A thread that a debugger traces
 * is left to the debugger. */
void bx_static_cpuid_before_exec(pid_t thread);
void bx_static_cpuid_after_exec(pid_t thread);

/* waitpid() reported that a traced thread stopped. Handles the stop and resumes the thread. */
void bx_static_cpuid_stopped(const bx_static_cpuid *s, pid_t thread, int status);

#endif

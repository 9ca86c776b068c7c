/* How a process has ended, which need not be our child. */
#ifndef BX_MACHINE_PROGRAM_PROCESS_ENDED_H
#define BX_MACHINE_PROGRAM_PROCESS_ENDED_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

/* The status of a process that has ended, as wait() gives it; -1: nobody can tell. pidfd: -1 if
 * there is none. *own: it is our child, which is not waited for here. */
int bx_ended_status(int pidfd, pid_t pid, bool *own);

bool bx_ended_by(int status, int signal);

/* How many processes of this machine the kernel has killed for lack of memory since it started. */
uint64_t bx_ended_without_memory(void);

#endif

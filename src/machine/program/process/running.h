/* Whether a process is at work. */
#ifndef BX_MACHINE_PROGRAM_PROCESS_RUNNING_H
#define BX_MACHINE_PROGRAM_PROCESS_RUNNING_H

#include <stdbool.h>
#include <sys/types.h>

/* Whether one of its threads runs, or would run if a processor were free for it. false also if it
 * has ended, or nobody knows. */
bool bx_process_runs(pid_t pid);

#endif

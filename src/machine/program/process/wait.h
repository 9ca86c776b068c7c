/* Waiting for the end of a child process. */
#ifndef BX_MACHINE_PROGRAM_PROCESS_WAIT_H
#define BX_MACHINE_PROGRAM_PROCESS_WAIT_H

#include <sys/types.h>

/* Waits for the process. Returns its exit status as a shell gives it: 128 + n for signal n.
 * *signal: n, or 0. */
int bx_wait_for(pid_t pid, int *signal);

#endif

/* Asks the kernel which process holds the flock(2) of a file. */
#ifndef BX_HOST_SYSTEM_FLOCK_TAKER_H
#define BX_HOST_SYSTEM_FLOCK_TAKER_H

#include <stdbool.h>
#include <sys/types.h>

/* The process that took the exclusive lock of this open file, which may have ended if others share
 * the lock. 0: nobody, or a process of another PID namespace; -1: unknown. */
pid_t bx_flock_taker(int fd);

/* Whether that process took the exclusive lock of this open file and has it still. false also if
 * the kernel does not let us look into the process (ptrace(2), PTRACE_MODE_READ). */
bool bx_flock_is_held_by(int fd, pid_t pid);

#endif

/* One user of a package's counters at a time, whoever they are: a name that one process has, until
 * it lets it go or ends in whatever way. Nothing is left behind, and no file has to be writable. */
#ifndef BX_HOST_SAFETY_LOCK_H
#define BX_HOST_SAFETY_LOCK_H

#include <stdint.h>
#include <sys/types.h>

typedef struct bx_lock {
    int fd;      /* of a socket whose name it is; -1: not taken */
    int package; /* the kernel's number, which it tells only while a CPU of it is online */
} bx_lock;

/* machine: bx_machine_number(); package: the kernel's number. 0, or an errno: EADDRINUSE if it is
 * taken, with *holder the process that has it, 0 if it is of another container. */
int bx_lock_take(bx_lock *l, uint64_t machine, int package, pid_t *holder);
void bx_lock_drop(bx_lock *l); /* fine if it is not taken */

#endif

/* The lock of a package's counters: one process holds it until it drops it or ends, in whatever
 * way. It leaves no file behind and needs no writable folder. */
#ifndef BX_HOST_SAFETY_LOCK_H
#define BX_HOST_SAFETY_LOCK_H

#include <stdint.h>
#include <sys/types.h>

typedef struct bx_lock {
    int fd;      /* socket that holds the name; -1: not taken */
    int package; /* the kernel's number, which is known only while a CPU of the package is online */
} bx_lock;

/* machine: bx_machine_number(); package: the kernel's number. 0 or an errno. EADDRINUSE: taken;
 * *holder is the process that has it, 0 if that is in another container. */
int bx_lock_take(bx_lock *l, uint64_t machine, int package, pid_t *holder);
void bx_lock_drop(bx_lock *l); /* fine if it is not taken */

#endif

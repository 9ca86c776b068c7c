/* A process that unmounts a folder when the stage has ended without doing so, even by SIGKILL. */
#ifndef BX_STAGE_PROCESS_UNMOUNT_WATCHDOG_H
#define BX_STAGE_PROCESS_UNMOUNT_WATCHDOG_H

#include <sys/types.h>

typedef struct bx_unmount_watchdog {
    pid_t pid; /* of the process; 0: none */
    int alive; /* our end of a pipe, which the kernel closes when we end; -1: none */
} bx_unmount_watchdog;

/* Must be called before the folder is mounted, so that the watchdog does not keep the mount busy. 0
 * or an errno. */
int bx_unmount_watchdog_start(bx_unmount_watchdog *w, const char *folder);

/* Ends the process. The folder must be unmounted before. Can be called twice, and without a
 * start. */
void bx_unmount_watchdog_dismiss(bx_unmount_watchdog *w);

#endif

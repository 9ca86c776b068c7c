/* Unmounts a folder when this process is gone, even if it was killed. */
#ifndef BX_STAGE_PROCESS_UNMOUNT_WATCHDOG_H
#define BX_STAGE_PROCESS_UNMOUNT_WATCHDOG_H

#include <sys/types.h>

typedef struct bx_unmount_watchdog {
    pid_t pid; /* a process that waits for our end; 0: none */
    int alive; /* closed when we end; -1: none */
} bx_unmount_watchdog;

/* To be called before the folder is mounted: the mount must not be held open by the watchdog. 0 or
 * an errno. */
int bx_unmount_watchdog_start(bx_unmount_watchdog *w, const char *folder);

/* Nothing is left to unmount: the watchdog goes. Can be called again, and without a start. */
void bx_unmount_watchdog_dismiss(bx_unmount_watchdog *w);

#endif

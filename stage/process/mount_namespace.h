/* A view of the file system of our own: a mount namespace in which programs find the machine on
 * stage where they look for the real one. It ends with the last process in it, also when that is
 * killed; the host's own files are never touched. */
#ifndef BX_STAGE_PROCESS_MOUNT_NAMESPACE_H
#define BX_STAGE_PROCESS_MOUNT_NAMESPACE_H

#include <boxscore/boxscore.h>

#include <sys/types.h>

/* Where the stage's tree is to be mounted in there. */
#define BX_STAGE_FOLDER "/dev/boxscore"

/* Moves this process into such a namespace, with a /dev of its own that has all that the host's
 * has but its MSR devices and memory, and with `preload` being loaded into every dynamic program.
 * BX_NO_ACCESS where neither that nor a user namespace is allowed. */
int bx_mount_namespace_enter(const char *preload, bx_error *e);

/* Once the tree is mounted: a process that lays its parts over /proc, /sys and /dev. It has to be
 * another one, since each of its steps asks the server. *pid is to be waited for; exit status 0. */
int bx_mount_namespace_populate(pid_t *pid, bx_error *e);

#endif

/* A mount namespace in which the virtual machine's files replace the host's, under the same paths.
 * The kernel removes the namespace when its last process ends, even if that process is killed. The
 * host's own files never change. */
#ifndef BX_STAGE_PROCESS_MOUNT_NAMESPACE_H
#define BX_STAGE_PROCESS_MOUNT_NAMESPACE_H

#include <boxscore/boxscore.h>

#include <sys/types.h>

/* Where the stage's tree has to be mounted in the namespace. */
#define BX_STAGE_FOLDER "/dev/boxscore"

/* Moves this process into a new mount namespace. Its /dev has all entries of the host's /dev except
 * the MSR devices and memory. Every dynamic program there loads the library `preload`;
 * NULL: none. BX_NO_ACCESS
 * where neither a mount namespace nor a user namespace is allowed. */
int bx_mount_namespace_enter(const char *preload, bx_error *e);

/* Starts a process that mounts parts of the tree over /proc, /sys and /dev; the tree must be
 * mounted before. Each mount sends requests to our file server, so we cannot mount them ourselves.
 * The caller waits for *pid; its exit status is 0 on success. */
int bx_mount_namespace_populate(pid_t *pid, bx_error *e);

#endif

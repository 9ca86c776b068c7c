/* A mount namespace in which programs find the virtual machine's files where the real machine's are
 * on the host. The kernel removes it with its last process, even a killed one. The host's own files
 * never change. */
#ifndef BX_STAGE_PROCESS_MOUNT_NAMESPACE_H
#define BX_STAGE_PROCESS_MOUNT_NAMESPACE_H

#include <boxscore/boxscore.h>

#include <sys/types.h>

/* Where the stage's tree has to be mounted in the namespace. */
#define BX_STAGE_FOLDER "/dev/boxscore"

/* Moves this process into a new mount namespace. Its /dev has all entries of the host's but the MSR
 * devices and memory. Every dynamic program there loads the library `preload`. BX_NO_ACCESS where
 * neither a mount namespace nor a user namespace is allowed. */
int bx_mount_namespace_enter(const char *preload, bx_error *e);

/* Once the tree is mounted: starts a process that mounts its parts over /proc, /sys and /dev. Each
 * mount sends requests to our file server, so we cannot do it ourselves. The caller waits for *pid;
 * its exit status is 0 on success. */
int bx_mount_namespace_populate(pid_t *pid, bx_error *e);

#endif

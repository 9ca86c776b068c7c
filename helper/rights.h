/* What the helper may do, and how it gives that up. */
#ifndef BX_HELPER_RIGHTS_H
#define BX_HELPER_RIGHTS_H

#include <boxscore/boxscore.h>

#include <sys/types.h>

/* At the start: no program that is executed can gain rights, nobody can look into this process,
 * files that were left open are closed, and of the capabilities only those stay that opening the
 * devices takes: CAP_SYS_RAWIO (/dev/cpu/N/msr, /dev/mem), CAP_SYS_ADMIN (configuration space
 * beyond its first 64 bytes), CAP_DAC_OVERRIDE (devices of another user), and CAP_CHOWN, CAP_SETUID
 * and CAP_SETGID to hand the socket to a group and to become another user. */
int bx_rights_begin(bx_error *e);

/* When all devices are open: becomes user and group `user` (if it is root), with no other group and
 * without any capability: the kernel checks them when a device is opened, not at each access. */
int bx_rights_drop(uid_t user, gid_t group, bx_error *e);

/* From here on system calls other than those that serve clients fail with EPERM; of files only
 * `journal` can be cut off. They do not kill: a helper that is killed puts nothing back itself. */
int bx_rights_seal(int journal, bx_error *e);

#endif

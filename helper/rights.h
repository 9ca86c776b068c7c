/* The rights of the helper, and how it drops them. */
#ifndef BX_HELPER_RIGHTS_H
#define BX_HELPER_RIGHTS_H

#include <boxscore/boxscore.h>

#include <sys/types.h>

/* At the start: sets no_new_privs, makes the process undumpable, closes inherited files, and drops
 * capabilities. Three that open the devices remain: CAP_SYS_RAWIO (/dev/cpu/N/msr, /dev/mem),
 * CAP_SYS_ADMIN (configuration space beyond its first 64 bytes) and CAP_DAC_OVERRIDE (devices of
 * another user). CAP_CHOWN, CAP_SETUID and CAP_SETGID remain to hand the socket to a group and to
 * become another user. CAP_SETPCAP remains to empty the bounding set. */
int bx_rights_begin(bx_error *e);

/* When all devices are open: becomes user `user` and group `group` if it is root. Then it has no
 * further groups, no capabilities and an empty bounding set, and can open no file any more. The
 * kernel checks rights when a device is opened, not at each access. */
int bx_rights_drop(uid_t user, gid_t group, bx_error *e);

/* Makes Landlock refuse (EACCES) to open, make or remove any file. Open files stay usable. Does
 * nothing on a kernel without Landlock. */
int bx_rights_close_files(bx_error *e);

/* Installs a seccomp filter: system calls that serving does not need fail with EPERM, and `journal`
 * is the only file that can be truncated or synced. The filter does not kill the helper, because a
 * killed helper could not restore registers. */
int bx_rights_seal(int journal, bx_error *e);

#endif

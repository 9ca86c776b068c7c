/* A mount namespace of the test's own. */
#ifndef BX_TESTS_MOUNT_NAMESPACE_H
#define BX_TESTS_MOUNT_NAMESPACE_H

#include <errno.h>
#include <sched.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/mount.h>

enum { EXIT_SKIPPED = 77 }; /* as Meson understands it */

/* What is mounted from here on is seen by this process and its children alone. false, and printed:
 * that cannot be had, as in a chroot, where / is no mount point. */
static inline bool enter_mount_namespace(void)
{
    if (unshare(CLONE_NEWNS) == 0 && mount("none", "/", NULL, MS_REC | MS_PRIVATE, NULL) == 0)
        return true;
    printf("skipped: no mount namespace of our own: %s\n",
           errno == EINVAL ? "/ is no mount point" : strerror(errno));
    return false;
}

#endif

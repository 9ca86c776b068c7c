/* Gives a test its own mount namespace. */
#ifndef BX_TESTS_MOUNT_NAMESPACE_H
#define BX_TESTS_MOUNT_NAMESPACE_H

#include <errno.h>
#include <sched.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/mount.h>

enum { EXIT_SKIPPED = 77 }; /* as Meson understands it */

/* Only this process and its children see what is mounted from here on. Returns false and prints the
 * reason if that is impossible, as in a chroot, where / is no mount point. */
static inline bool enter_mount_namespace(void)
{
    if (unshare(CLONE_NEWNS) == 0 && mount("none", "/", NULL, MS_REC | MS_PRIVATE, NULL) == 0)
        return true;
    printf("skipped: no mount namespace of our own: %s\n",
           errno == EINVAL ? "/ is no mount point" : strerror(errno));
    return false;
}

#endif

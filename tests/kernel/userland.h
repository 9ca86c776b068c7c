/* What the guest's programs are: boxscore and its helper, just as they were built, with the
 * libraries that they are linked to. */
#ifndef BX_TESTS_KERNEL_USERLAND_H
#define BX_TESTS_KERNEL_USERLAND_H

#include <stdio.h>

/* The executable that is init, and `pause` as well. */
const char *userland_init(void);

/* Puts /bin, /lib, /lib64 and /etc into an archive (tests/kernel/cpio.h). */
void userland_put(FILE *cpio);

#endif

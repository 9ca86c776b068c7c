/* Puts the guest's programs into its initrd: boxscore and its helper, as they were built, with the
 * libraries that they need. */
#ifndef BX_TESTS_KERNEL_USERLAND_H
#define BX_TESTS_KERNEL_USERLAND_H

#include <stdio.h>

/* The executable of init, which is also `pause`. */
const char *userland_init(void);

/* Puts /bin, /lib, /lib64 and /etc into an archive (tests/kernel/cpio.h). */
void userland_put(FILE *cpio);

#endif

/* An archive in cpio's "newc" form, which is what the kernel takes an initrd in
 * (Documentation/driver-api/early-userspace/buffer-format.rst). */
#ifndef BX_TESTS_KERNEL_CPIO_H
#define BX_TESTS_KERNEL_CPIO_H

#include <stdio.h>

void cpio_folder(FILE *to, const char *name);
/* A file's copy, executable; fails the test if it cannot be read. */
void cpio_file(FILE *to, const char *name, const char *from);
void cpio_end(FILE *to);

#endif

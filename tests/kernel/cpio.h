/* Writes an archive in cpio's "newc" format, which the kernel accepts as initrd
 * (Documentation/driver-api/early-userspace/buffer-format.rst). */
#ifndef BX_TESTS_KERNEL_CPIO_H
#define BX_TESTS_KERNEL_CPIO_H

#include <stdio.h>

void cpio_folder(FILE *to, const char *name);
/* Adds a copy of a file, executable; fails the test if the file cannot be read. */
void cpio_file(FILE *to, const char *name, const char *from);
void cpio_end(FILE *to);

#endif

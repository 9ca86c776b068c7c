/* A sparse file with a copy of the memory-mapped registers, for programs that call mmap() on
 * /dev/mem. They could not map a device file that FUSE serves. The copy is refreshed repeatedly.
 * The registers are read-only counters, so the file is read-only, too: write() and writable shared
 * mappings return EPERM. */
#ifndef BX_STAGE_FILES_MEMORY_MIRROR_H
#define BX_STAGE_FILES_MEMORY_MIRROR_H

#include "machine/machine.h"

typedef struct bx_memory_mirror bx_memory_mirror;

/* Makes `file` a link to it, and fills it. The machine must outlive the mirror. BX_NO_MEMORY, or
 * BX_SYSTEM: the file cannot be created. */
int bx_memory_mirror_new(bx_machine *m, const char *file, bx_memory_mirror **mirror, bx_error *e);
void bx_memory_mirror_free(bx_memory_mirror *mirror);    /* the link remains; NULL is fine */
void bx_memory_mirror_refresh(bx_memory_mirror *mirror); /* copies the registers' values */

#endif

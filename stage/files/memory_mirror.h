/* Memory-mapped registers for programs that map /dev/mem, which no file served by FUSE can be: a
 * sparse file that is written what the registers hold, again and again. What programs write to it
 * reaches no register. */
#ifndef BX_STAGE_FILES_MEMORY_MIRROR_H
#define BX_STAGE_FILES_MEMORY_MIRROR_H

#include "machine/machine.h"

typedef struct bx_memory_mirror bx_memory_mirror;

int bx_memory_mirror_new(bx_machine *m, const char *file, bx_memory_mirror **mirror, bx_error *e);
void bx_memory_mirror_free(bx_memory_mirror *mirror); /* NULL is fine */
void bx_memory_mirror_refresh(bx_memory_mirror *mirror);

#endif

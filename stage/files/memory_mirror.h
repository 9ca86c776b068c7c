/* Memory-mapped registers for programs that map /dev/mem, which no file served by FUSE can be: a
 * sparse file that is written what the registers hold, again and again. What programs write to it
 * reaches no register. */
#ifndef BX_STAGE_FILES_MEMORY_MIRROR_H
#define BX_STAGE_FILES_MEMORY_MIRROR_H

#include "machine/machine.h"

typedef struct bx_mirror bx_mirror;

int bx_mirror_new(bx_machine *m, const char *file, bx_mirror **mirror, bx_error *e);
void bx_mirror_free(bx_mirror *mirror); /* NULL is fine */
void bx_mirror_refresh(bx_mirror *mirror);

#endif

/* Structs of options that begin with their size, so that they can grow: a caller's may be that of
 * an earlier or a later version. */
#ifndef BX_BASE_OPTIONS_H
#define BX_BASE_OPTIONS_H

#include <boxscore/boxscore.h>

/* Copies the caller's struct, or none (NULL), to `to`, which has `known` bytes; what is missing is
 * 0. Of size 0 it has the `first` bytes of version 0.1.0. BX_BAD_INPUT, as of sched_setattr(2): a
 * member that we do not know is not 0, or the size cannot be right. `name`: of its type. */
int bx_options_read(void *to, size_t known, size_t first, const void *given, const char *name,
                    bx_error *e);

#endif

/* Structs of options begin with their size, so that they can grow. The caller may have been
 * compiled with an earlier or a later version of the struct. */
#ifndef BX_BASE_OPTIONS_H
#define BX_BASE_OPTIONS_H

#include <boxscore/boxscore.h>

/* Copies the caller's struct to `to`, which has `known` bytes. Members that the caller's struct
 * lacks become 0; so do all if it is NULL. Size 0 means the `first` bytes of version 0.1.0. Returns
 * BX_BAD_INPUT if the size cannot be right or if a member that we do not know is not 0, like
 * sched_setattr(2). `name` is the name of the struct's type. */
int bx_options_read(void *to, size_t known, size_t first, const void *given, const char *name,
                    bx_error *e);

#endif

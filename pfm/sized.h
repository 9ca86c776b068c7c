/* Checks the size that libpfm4's callers give of their structures: callers may be newer than this
 * library. */
#ifndef BX_PFM_SIZED_H
#define BX_PFM_SIZED_H

#include <stdbool.h>
#include <stddef.h>

/* Whether a structure of which we know `own` bytes can be used. A size of 0 means its first
 * release, which had the same size. It cannot be used if it is smaller, or if a byte beyond ours is
 * not 0. */
bool bx_pfmlib_sized(const void *theirs, size_t size, size_t own);

#endif

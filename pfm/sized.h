/* Checks the size that a caller gives for a structure of libpfm4. The caller may be newer than this
 * library. */
#ifndef BX_PFM_SIZED_H
#define BX_PFM_SIZED_H

#include <stdbool.h>
#include <stddef.h>

/* Whether a structure of which we know `own` bytes can be used. A size of 0 means its first
 * release, which had the same size. A smaller structure cannot be used, nor one with a byte other
 * than 0 beyond ours. */
bool bx_pfmlib_sized(const void *theirs, size_t size, size_t own);

#endif

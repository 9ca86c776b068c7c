/* Structures of libpfm4's callers say how large they are: callers may be newer than we. */
#ifndef BX_PFM_SIZED_H
#define BX_PFM_SIZED_H

#include <stdbool.h>
#include <stddef.h>

/* Whether a structure of which we know `own` bytes can be dealt with. Its first release was as
 * large, which a size of 0 stands for. It cannot when it is smaller, or asks for more with bytes
 * that are not 0 beyond ours. */
bool bx_pfmlib_sized(const void *theirs, size_t size, size_t own);

#endif

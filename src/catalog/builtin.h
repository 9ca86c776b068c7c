/* The output of tools/catalogc.c: the blob as 64-bit words in the byte order of this machine. */
#ifndef BX_CATALOG_BUILTIN_H
#define BX_CATALOG_BUILTIN_H

#include <stdint.h>

extern const uint64_t bx_builtin_words[];

#endif

/* Source lines and inlined functions of addresses, by DWARF. */
#ifndef BX_SYMBOLS_DEBUG_INFO_H
#define BX_SYMBOLS_DEBUG_INFO_H

#include "symbols/libdw.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct bx_debug_info bx_debug_info;

/* A function that has an address, or into which the one before was inlined. */
typedef struct bx_source_frame {
    const char *function; /* NULL: no name */
    bool linkage;         /* it is a name for linkers: demangle it */
    const char *file;     /* NULL: not known */
    unsigned line;        /* of the address, or of the call that was inlined; 0: not known */
} bx_source_frame;

/* NULL: the file has none, or out of memory. Takes fd in any case; libdw must outlive the result.
 */
bx_debug_info *bx_debug_info_open(const bx_libdw *libdw, int fd);
void bx_debug_info_close(bx_debug_info *d); /* NULL is fine */

/* The functions at an address, the innermost one first; returns how many. Texts stay until the end.
 */
size_t bx_debug_info_at(bx_debug_info *d, uint64_t address, bx_source_frame *to, size_t most);

#endif

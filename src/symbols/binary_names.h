/* The names of a binary's addresses: functions by ELF's tables, and, with libdw, by debug
 * information, also of separate files, source lines and inlined functions. */
#ifndef BX_SYMBOLS_BINARY_NAMES_H
#define BX_SYMBOLS_BINARY_NAMES_H

#include "base/buf.h"
#include "symbols/debug_info.h"

typedef struct bx_binary_names bx_binary_names;

typedef struct bx_names_from {
    const bx_libdw *libdw; /* NULL: ELF's tables only */
    const char *folder;    /* has binaries and debug files of programs from elsewhere; or NULL */
} bx_names_from;

/* build_id: which the file must have; "": any. NULL: it cannot be used. refused: gets a line for
 * each file that is not used, with the reason. */
bx_binary_names *bx_binary_names_open(const bx_names_from *from, const char *path,
                                      const char *build_id, bx_buf *refused);
void bx_binary_names_close(bx_binary_names *b); /* NULL is fine */

/* Where a byte of the file is in memory, as the file says. false: in no segment. */
bool bx_binary_names_address(const bx_binary_names *b, uint64_t offset, uint64_t *address);

/* The functions that have the address: the innermost inlined one first, the symbol's last. Returns
 * how many; 0: nothing is known. */
size_t bx_binary_names_at(bx_binary_names *b, uint64_t address, bx_source_frame *to, size_t most);

#endif

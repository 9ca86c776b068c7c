/* The separate debug file of a binary: where distributions and debuggers keep it. Nothing is
 * downloaded. https://sourceware.org/gdb/current/onlinedocs/gdb.html/Separate-Debug-Files.html */
#ifndef BX_SYMBOLS_DEBUG_FILE_H
#define BX_SYMBOLS_DEBUG_FILE_H

#include "base/buf.h"
#include "symbols/elf_file.h"

/* Opens it. path, build_id: of the binary; folder: where to look first, or NULL. NULL: there is
 * none. to: its path. refused: gets a line for each file that belongs to another binary. */
bx_elf_file *bx_debug_file_open(const bx_elf_file *of, const char *path, const char *build_id,
                                const char *folder, bx_buf *to, bx_buf *refused);

/* A line of files that are not used. */
void bx_debug_file_refuse(bx_buf *refused, const char *path, const char *why);

#endif

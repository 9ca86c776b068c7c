/* The files and registers of a machine that counting depends on, as one text: for bug reports, and
 * to be opened again as a machine. Format: docs/reference/machine.md. */
#ifndef BX_HOST_GATHER_ARCHIVE_H
#define BX_HOST_GATHER_ARCHIVE_H

#include "base/buf.h"
#include "base/error.h"

/* Appends the archive of the machine under `root` to `to`. Writes nothing to the machine and leaves
 * out what cannot be read. findings: text added as comments. BX_NO_MEMORY. */
int bx_archive_gather(const bx_catalog *c, const char *root, const char *findings, bx_buf *to,
                      bx_error *e);

/* Whether the file at this path begins like an archive. */
bool bx_archive_is(const char *path);

/* Unpacks the archive into a new folder for temporary files; *root is its path, which the caller
 * frees. bx_unpacked_open() finds the registers there. BX_BAD_INPUT or BX_SYSTEM, with no folder
 * left. */
int bx_archive_unpack(const char *path, char **root, bx_error *e);

/* Makes such a folder; NULL with errno. */
char *bx_archive_folder(void);

/* Removes such a folder, or a single file. A signal handler may call it. */
void bx_archive_remove(const char *root);

#endif

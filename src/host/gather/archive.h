/* The files of a machine that matter to counting, as one text: what a bug report needs, and a
 * machine to open again. docs/host.md tells the form and what is in it. */
#ifndef BX_HOST_GATHER_ARCHIVE_H
#define BX_HOST_GATHER_ARCHIVE_H

#include "base/buf.h"
#include "base/error.h"

/* Collects them from the machine under `root`. Nothing is written to it; what cannot be read is
 * left out. findings: text that is added as comments. BX_NO_MEMORY. */
int bx_archive_gather(const bx_catalog *c, const char *root, const char *findings, bx_buf *to,
                      bx_error *e);

/* The path is a file that begins as such a text does. */
bool bx_archive_is(const char *path);

/* Makes its files in a folder below that for temporary files, whose path is written to *root, to be
 * freed. Its registers are those that bx_unpacked_open() finds. BX_BAD_INPUT, BX_SYSTEM, with
 * nothing left behind. */
int bx_archive_unpack(const char *path, char **root, bx_error *e);

/* Removes such a folder. */
void bx_archive_remove(const char *root);

#endif

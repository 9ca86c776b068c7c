/* A copy of perfmon in an archive: tar or zip. */
#ifndef BX_HOST_GATHER_PACKED_H
#define BX_HOST_GATHER_PACKED_H

#include "base/error.h"

#include <stdbool.h>

/* Whether the path is a file, not a folder. */
bool bx_packed_is(const char *path);

/* Unpacks it, by tar(1) or unzip(1), into a new folder for temporary files. *root is its path,
 * which the caller frees; bx_archive_remove() removes it. On an error no folder is left. */
int bx_packed_unpack(const char *path, char **root, bx_error *e);

/* The folder in it that has the copy: itself, or the only folder in it. Allocated; NULL: no memory.
 */
char *bx_packed_top(const char *root);

#endif

/* Remembers that an imported catalogue was checked whole, so that the commands that open it after
 * its import need not read all of it. What is remembered is in a file beside it, and is of that
 * very file: once its contents, its name or its owner change, or boxscore's own catalogue, it is
 * checked again. */
#ifndef BX_HOST_IMPORTED_CHECKED_H
#define BX_HOST_IMPORTED_CHECKED_H

#include "catalog/catalog.h"

#include <sys/stat.h>

/* Whether the file was checked beside this built-in catalogue, and is as it was then. path: of the
 * catalogue. is: as fstat() shows it. */
bool bx_checked_before(const char *path, const struct stat *is, const struct bx_catalog *builtin);

/* Waits until each change of the file would show in its time of change; to be called before the
 * check. At most 0.1 s. false: it does not come to that. */
bool bx_checked_begin(const struct stat *is);

/* Remembers it; without success, the file is checked again. */
void bx_checked_keep(const char *path, const struct stat *is, const struct bx_catalog *builtin);

/* Forgets it, so that no file stays. */
void bx_checked_forget(const char *path);

#endif

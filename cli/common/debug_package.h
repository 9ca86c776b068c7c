/* The Debian package that has the debug information of a file. */
#ifndef BX_CLI_COMMON_DEBUG_PACKAGE_H
#define BX_CLI_COMMON_DEBUG_PACKAGE_H

#include "base/arena.h"

/* Its name, in the arena; NULL: no package has the file, or this is no Debian. */
const char *bx_debug_package_of(void *unused, const char *path, bx_arena *arena);

#endif

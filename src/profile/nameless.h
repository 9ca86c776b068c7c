/* Binaries whose code has no lines. */
#ifndef BX_PROFILE_NAMELESS_H
#define BX_PROFILE_NAMELESS_H

#include "profile/profile.h"

/* The package with the debug information of a file, in the arena; NULL: none, or not known. */
typedef const char *bx_package_of(void *context, const char *path, bx_arena *arena);

/* Says in what bx_profile_lacks() tells which binaries have at least 1 % of the time, but no lines,
 * and the package that has them, each once. */
int bx_profile_note_nameless(bx_profile *p, bx_package_of *package_of, void *context, bx_error *e);

#endif

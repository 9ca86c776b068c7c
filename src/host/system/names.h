/* The names in a folder. */
#ifndef BX_HOST_SYSTEM_NAMES_H
#define BX_HOST_SYSTEM_NAMES_H

#include "base/arena.h"

#include <stddef.h>

typedef struct bx_file_names {
    const char **name; /* [n] sorted; in the arena */
    size_t n;
} bx_file_names;

/* Those that begin so; none if there is no such folder. false: out of memory. */
bool bx_file_list(const char *root, const char *folder, const char *begins, bx_arena *a,
                  bx_file_names *to);

#endif

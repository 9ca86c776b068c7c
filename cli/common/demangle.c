#include "cli/common/demangle.h"

#include <stddef.h>

#if BX_HAS_LIBIBERTY
#include <libiberty/demangle.h>

/* Rust's first kind of names are names of C++, too, so it comes first. */
char *bx_demangle(const char *name)
{
    char *made = rust_demangle(name, 0);
    return made ? made : cplus_demangle_v3(name, DMGL_PARAMS | DMGL_ANSI);
}

#else
char *bx_demangle(const char *name)
{
    (void)name;
    return NULL;
}
#endif

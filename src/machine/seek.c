#include "machine/seek.h"

#include "base/error.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* 0, or why the path cannot be executed: ENOENT, EACCES … */
static int executable(const char *path)
{
    struct stat about;
    if (stat(path, &about) != 0)
        return errno;
    return S_ISREG(about.st_mode) && access(path, X_OK) == 0 ? 0 : EACCES;
}

int bx_seek(const char *name)
{
    if (strchr(name, '/') || !*name)
        return executable(name);
    const char *path = getenv("PATH");
    bx_str rest = bx_str_of(path ? path : "/bin:/usr/bin");
    int found = ENOENT;
    while (rest.p) {
        bx_str folder = bx_str_cut(&rest, ':');
        char full[4096];
        int n = snprintf(full, sizeof full, "%.*s/%s", folder.n ? (int)folder.n : 1,
                         folder.n ? folder.p : ".", name);
        int why = n > 0 && (size_t)n < sizeof full ? executable(full) : ENOENT;
        if (why == 0)
            return 0;
        if (why == EACCES)
            found = EACCES;
    }
    return found;
}

int bx_seek_program(const char *program, bx_error *e)
{
    int why = bx_seek(program);
    if (why == ENOENT || why == ENOTDIR) {
        bx_fail(e, BX_NOT_FOUND, 0, 0, "no such program: '%s'", program);
        if (!strchr(program, '/'))
            bx_hint(e, "a program of this folder is named with './'");
        return BX_NOT_FOUND;
    }
    if (why != 0) {
        bx_fail(e, BX_NO_ACCESS, 0, 0, "'%s' cannot be executed", program);
        bx_hint(e, "is it a program, and does 'chmod +x' help?");
        return BX_NO_ACCESS;
    }
    return BX_OK;
}

#include "machine/seek.h"

#include "base/error.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/xattr.h>
#include <unistd.h>

/* 0, or why the path cannot be executed: ENOENT, EACCES … */
static int executable(const char *path)
{
    struct stat about;
    if (stat(path, &about) != 0)
        return errno;
    return S_ISREG(about.st_mode) && access(path, X_OK) == 0 ? 0 : EACCES;
}

/* Finds the path of a program that can be executed. Returns 0 or an errno. */
static int find(const char *name, char *full, size_t room)
{
    if (strchr(name, '/') || !*name) {
        snprintf(full, room, "%s", name);
        return executable(name);
    }
    const char *path = getenv("PATH");
    bx_str rest = bx_str_of(path ? path : "/bin:/usr/bin");
    int found = ENOENT;
    while (rest.p) {
        bx_str folder = bx_str_cut(&rest, ':');
        int n = snprintf(full, room, "%.*s/%s", folder.n ? (int)folder.n : 1,
                         folder.n ? folder.p : ".", name);
        int why = n > 0 && (size_t)n < room ? executable(full) : ENOENT;
        if (why == 0)
            return 0;
        if (why == EACCES)
            found = EACCES;
    }
    return found;
}

int bx_seek(const char *name)
{
    char full[4096];
    return find(name, full, sizeof full);
}

/* Documents: execve(2), proc(5) on /proc/sys/fs/suid_dumpable; the kernel takes the counters from a
 * program that may not be dumped. */
bool bx_seek_changes_rights(const char *name)
{
    char full[4096];
    struct stat about;
    struct statvfs file_system;
    if (find(name, full, sizeof full) || stat(full, &about) || statvfs(full, &file_system) ||
        file_system.f_flag & ST_NOSUID || prctl(PR_GET_NO_NEW_PRIVS, 0, 0, 0, 0) == 1)
        return false;
    bool user = about.st_mode & S_ISUID && about.st_uid != geteuid();
    bool group = about.st_mode & S_ISGID && about.st_mode & S_IXGRP && about.st_gid != getegid();
    return user || group || (geteuid() != 0 && getxattr(full, "security.capability", NULL, 0) > 0);
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

/* Files of a sweep's unfinished work. */
#include "sweep/job_files.h"

#include "base/buf.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const char *const endings[] = {[BX_JOB_RESULT] = "json",
                                      [BX_JOB_ERRORS] = "errors",
                                      [BX_JOB_TRACE] = "trace",
                                      [BX_JOB_OUTPUT] = "out",
                                      [BX_JOB_SAYS] = "says"};

const char *bx_job_file(const char *path, enum bx_job_file kind, size_t number, bx_arena *a)
{
    bx_buf name = {0};
    bx_buf_f(&name, "%s.work/%zu.%s", path, number + 1, endings[kind]);
    const char *made = name.failed ? NULL : bx_arena_copy(a, bx_str_of(name.p));
    bx_buf_free(&name);
    return made;
}

int bx_job_folder_make(const char *path, bx_error *e)
{
    struct stat is;
    bx_buf name = {0};
    bx_buf_f(&name, "%s.work", path);
    int code = name.failed ? bx_out_of_memory(e) : BX_OK;
    if (!code && mkdir(name.p, 0700) != 0 &&
        (errno != EEXIST || lstat(name.p, &is) != 0 || !S_ISDIR(is.st_mode)))
        code = bx_fail(e, BX_SYSTEM, 0, 0, "cannot make the folder '%.200s': %s", name.p,
                       strerror(errno));
    bx_buf_free(&name);
    return code;
}

/* A number and an ending; behind it may stand what a command that was killed had added. */
static bool is_ours(const char *name)
{
    const char *dot = name + strspn(name, "0123456789");
    bx_str rest = bx_str_of(dot == name || *dot != '.' ? NULL : dot + 1);
    bx_str ending = bx_str_cut(&rest, '.');
    for (size_t i = 0; i < sizeof endings / sizeof *endings; i++)
        if (bx_str_eq(ending, bx_str_of(endings[i])))
            return true;
    return false;
}

void bx_job_folder_remove(const char *path)
{
    bx_buf name = {0};
    bx_buf_f(&name, "%s.work", path);
    DIR *folder = name.failed ? NULL : opendir(name.p);
    for (struct dirent *d; folder && (d = readdir(folder));)
        if (is_ours(d->d_name))
            unlinkat(dirfd(folder), d->d_name, 0);
    if (folder)
        closedir(folder);
    if (!name.failed)
        rmdir(name.p);
    bx_buf_free(&name);
}

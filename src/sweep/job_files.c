/* Files of a sweep's unfinished work. */
#include "sweep/job_files.h"

#include "base/buf.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const char *const endings[] = {
    [BX_JOB_RESULT] = "json", [BX_JOB_ERRORS] = "errors", [BX_JOB_TRACE] = "trace",
    [BX_JOB_OUTPUT] = "out",  [BX_JOB_SAYS] = "says",     [BX_JOB_PART] = "part",
    [BX_JOB_BATCH] = "batch", [BX_JOB_LOG] = "log"};

const char *bx_job_file(const char *path, enum bx_job_file kind, size_t number, bx_arena *a)
{
    bx_buf name = {0};
    bx_buf_f(&name, "%s.work/%zu.%s", path, number + 1, endings[kind]);
    const char *made = name.failed ? NULL : bx_arena_copy(a, bx_str_of(name.p));
    bx_buf_free(&name);
    return made;
}

static int make_folder(const char *name, unsigned mode, bx_error *e)
{
    struct stat is;
    if (mkdir(name, mode) == 0 || (errno == EEXIST && lstat(name, &is) == 0 && S_ISDIR(is.st_mode)))
        return BX_OK;
    return bx_fail(e, BX_SYSTEM, 0, 0, "cannot make the folder '%.200s': %s", name,
                   strerror(errno));
}

int bx_job_folder_make(const char *path, bx_error *e)
{
    bx_buf name = {0};
    bx_buf_f(&name, "%s.work", path);
    int code = name.failed ? bx_out_of_memory(e) : make_folder(name.p, 0700, e);
    bx_buf_free(&name);
    return code;
}

int bx_job_folder_of_user(const char *name, bx_error *e)
{
    return make_folder(name, 0777, e);
}

/* A file of ours has a number and an ending as its name. A command that was killed can have left
 * more after the ending. */
static bool is_ours(const char *name)
{
    const char *dot = name + strspn(name, "0123456789");
    if (dot == name || *dot != '.')
        return false;
    const bx_str ending = {dot + 1, strcspn(dot + 1, ".-")};
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

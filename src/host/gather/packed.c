/* Unpacks archives of perfmon. tar(1) and unzip(1) know all compressions, and leave no file outside
 * of their folder. */
#include "host/gather/packed.h"

#include "base/buf.h"
#include "host/gather/archive.h"
#include "host/system/file.h"

#include <dirent.h>
#include <fcntl.h>
#include <errno.h>
#include <signal.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

bool bx_packed_is(const char *path)
{
    struct stat is;
    return stat(path, &is) == 0 && S_ISREG(is.st_mode);
}

/* A zip file begins with the head of its first member. */
static bool is_zip(const char *path)
{
    char bytes[4];
    bx_str head = bx_file_read("", path, bytes, sizeof bytes);
    return head.n >= 2 && memcmp(head.p, "PK", 2) == 0;
}

/* Runs the program without its messages; 0 or an errno. *status: its exit status. */
static int run_quietly(char *const argv[], int *status)
{
    extern char **environ;
    posix_spawn_file_actions_t actions;
    posix_spawnattr_t attributes;
    sigset_t none;
    pid_t pid = 0;
    int waited = 0;
    if (posix_spawn_file_actions_init(&actions) != 0)
        return ENOMEM;
    posix_spawnattr_init(&attributes);
    sigemptyset(&none); /* signals end it, also while ours wait */
    posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK);
    posix_spawnattr_setsigmask(&attributes, &none);
    int err = 0;
    for (int fd = STDIN_FILENO; fd <= STDERR_FILENO && !err; fd++)
        err = posix_spawn_file_actions_addopen(&actions, fd, "/dev/null", O_RDWR, 0);
    if (!err)
        err = posix_spawnp(&pid, argv[0], &actions, &attributes, argv, environ);
    posix_spawn_file_actions_destroy(&actions);
    posix_spawnattr_destroy(&attributes);
    while (!err && waitpid(pid, &waited, 0) < 0)
        err = errno == EINTR ? 0 : errno;
    *status = WIFEXITED(waited) ? WEXITSTATUS(waited) : -1;
    return err;
}

int bx_packed_unpack(const char *path, char **root, bx_error *e)
{
    char tar[] = "tar", unzip[] = "unzip", extract[] = "-xf", into[] = "-C",
         local[] = "--force-local", owner[] = "--no-same-owner", quiet[] = "-qn", to[] = "-d";
    char *whole = realpath(path, NULL); /* it does not begin with '-' */
    char *folder = whole ? bx_archive_folder() : NULL;
    if (!folder) {
        int err = errno;
        free(whole);
        return err == ENOMEM ? bx_out_of_memory(e)
                             : bx_fail(e, BX_SYSTEM, 0, 0, "'%.200s' cannot be unpacked: %s", path,
                                       strerror(err));
    }
    bool zip = is_zip(whole);
    char *const by_tar[] = {tar, extract, whole, into, folder, local, owner, NULL};
    char *const by_unzip[] = {unzip, quiet, whole, to, folder, NULL};
    int status = 0, code = BX_OK, err = run_quietly(zip ? by_unzip : by_tar, &status);
    const char *by = zip ? unzip : tar;
    if (err == ENOMEM) {
        code = bx_out_of_memory(e);
    } else if (err) {
        code = bx_fail(e, BX_SYSTEM, 0, 0, "%s, which unpacks '%.200s', cannot be run: %s", by,
                       path, strerror(err));
        bx_hint(e, "install it, or unpack the archive and name the folder");
    } else if (status) {
        code = bx_fail(e, BX_BAD_INPUT, 0, 0,
                       "'%.200s' is no folder, and no archive that %s unpacks", path, by);
        bx_hint(e, "name a clone of github.com/intel/perfmon, or an archive of it");
    }
    free(whole);
    if (code) {
        bx_archive_remove(folder);
        free(folder);
        return code;
    }
    *root = folder;
    return BX_OK;
}

/* The path of the only folder in it; empty: there is another number of them, or a copy's file. */
static void only_folder(const char *root, bx_buf *to)
{
    DIR *d = opendir(root);
    unsigned folders = 0;
    for (struct dirent *entry; d && (entry = readdir(d));) {
        if (entry->d_name[0] == '.')
            continue;
        to->n = 0;
        bx_buf_f(to, "%s/%s", root, entry->d_name);
        struct stat is;
        bool folder = !to->failed && lstat(to->p, &is) == 0 && S_ISDIR(is.st_mode);
        folders = folder && strcmp(entry->d_name, "events") != 0 ? folders + 1 : 2;
    }
    if (d)
        closedir(d);
    if (folders != 1)
        to->n = 0;
}

char *bx_packed_top(const char *root)
{
    bx_buf path = {0};
    only_folder(root, &path);
    char *top = path.failed ? NULL : strdup(path.n ? path.p : root);
    bx_buf_free(&path);
    return top;
}

/* Finds or makes the folder, step by step from its base, and checks who can write to each step. */
#include "guard/lock_folder.h"

#include "base/error.h"

#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const char group_name[] = "boxscore";

/* The folders from the base to that of locks. */
static const char *const steps[] = {"", "/boxscore", "/boxscore/lock"};
enum { BASE, OURS, LOCKS, STEPS };

static const char *base_of(bool is_private)
{
    const char *own = getenv("XDG_RUNTIME_DIR");
    return !is_private ? "/run" : own && *own == '/' ? own : NULL;
}

static void path_of(bool is_private, int step, char to[BX_LOCK_FOLDER])
{
    const char *base = base_of(is_private);
    snprintf(to, BX_LOCK_FOLDER, "%s%s", base ? base : "$XDG_RUNTIME_DIR", steps[step]);
}

void bx_lock_folder_path(bool is_private, char to[BX_LOCK_FOLDER])
{
    path_of(is_private, LOCKS, to);
}

/* Whether only permitted users can create or remove files there. In the folder of locks the group
 * may create files; the folder is sticky, so members cannot remove files of others. */
static bool is_trusted(const struct stat *folder, bool is_private, int step)
{
    mode_t barred = is_private ? (step == BASE ? 077 : 022) : step == LOCKS ? 02 : 022;
    bool sticky = !(folder->st_mode & 020) || folder->st_mode & S_ISVTX;
    return folder->st_uid == (is_private ? geteuid() : 0) && !(folder->st_mode & barred) && sticky;
}

/* The system's group of this name, in /etc/group. getgrnam() is not used: it would load modules
 * into the program, and glibc ends the program if it runs out of memory there. */
static bool find_group(gid_t *id)
{
    enum { ROOM = 1 << 20 };
    struct group group, *found = NULL;
    char *bytes = malloc(ROOM);
    FILE *f = bytes ? fopen("/etc/group", "re") : NULL;
    bool is = false;
    while (f && !is && fgetgrent_r(f, &group, bytes, ROOM, &found) == 0)
        is = strcmp(found->gr_name, group_name) == 0;
    *id = is ? group.gr_gid : 0;
    if (f)
        fclose(f);
    free(bytes);
    return is;
}

/* A process of root gives the group access, even if the group is newer than the folder. */
static void let_group_in(int folder, struct stat *about)
{
    gid_t id;
    if (find_group(&id) && (about->st_gid != id || (about->st_mode & 07777) != 01770) &&
        fchown(folder, 0, id) == 0 && fchmod(folder, 01770) == 0)
        fstat(folder, about);
}

static int refuse_folder(const char *path, const struct stat *about, bool is_private, int step,
                         bx_error *e)
{
    const unsigned owner = is_private ? (unsigned)geteuid() : 0;
    const char *mode = step == OURS ? "755" : "700";
    bx_fail(
        e, BX_NO_ACCESS, 0, 0,
        "the folder '%s' of locks is not trusted: user %u owns it, mode %o, not user %u, mode %s",
        path, (unsigned)about->st_uid, (unsigned)about->st_mode & 07777, owner, mode);
    if (e && !e->hint[0] && about->st_uid == owner)
        bx_hint(e, "check its contents; then chmod %s '%s'", mode, path);
    else if (e && !e->hint[0])
        bx_hint(e, "check its contents; then %schown %u '%s' && chmod %s '%s'",
                geteuid() ? "as root, " : "", owner, path, mode, path);
    return BX_NO_ACCESS;
}

/* BX_SYSTEM: there is no such folder that we can use; errno has the reason. */
static int enter(bool is_private, int step, bool make, int *folder, bx_error *e)
{
    char path[BX_LOCK_FOLDER];
    struct stat about;
    bool own = is_private || geteuid() == 0;
    path_of(is_private, step, path);
    if (make && own && step > BASE)
        mkdir(path, step == OURS ? 0755 : 0700);
    *folder = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (*folder < 0 || fstat(*folder, &about) != 0)
        return BX_SYSTEM;
    if (make && step == LOCKS && !is_private && own && about.st_uid == 0)
        let_group_in(*folder, &about);
    if (is_trusted(&about, is_private, step))
        return BX_OK;
    close(*folder);
    *folder = -1;
    return refuse_folder(path, &about, is_private, step, e);
}

/* A folder is trusted only if all folders above it are: then no other user can replace it. */
static int walk(bool is_private, bool make, int *folder, bx_error *e)
{
    int code = BX_OK;
    errno = ENOENT;
    *folder = -1;
    if (!base_of(is_private) ||
        strlen(base_of(is_private)) + sizeof "/boxscore/lock" > BX_LOCK_FOLDER)
        return BX_SYSTEM;
    for (int step = BASE; step < STEPS && code == BX_OK; step++) {
        if (*folder >= 0)
            close(*folder);
        code = enter(is_private, step, make, folder, e);
    }
    return code;
}

int bx_lock_folder_open(int *folder, bool *is_private, bx_error *e)
{
    *is_private = false;
    int code = walk(false, true, folder, e);
    if (code != BX_SYSTEM)
        return code;
    int err = errno;
    *is_private = true;
    code = walk(true, true, folder, e);
    if (code != BX_SYSTEM)
        return code;
    bx_fail(e, BX_NO_ACCESS, 0, 0,
            "packages cannot be locked: '/run/boxscore/lock': %s; and XDG_RUNTIME_DIR names no "
            "folder to lock them in for this user alone",
            strerror(err));
    if (e && !e->hint[0])
        bx_hint(e,
                "join the group boxscore, or set XDG_RUNTIME_DIR to a folder of yours, mode 700");
    return BX_NO_ACCESS;
}

bool bx_lock_folder_find(int *folder)
{
    int code = walk(false, false, folder, NULL);
    return code == BX_OK || (code == BX_SYSTEM && walk(true, false, folder, NULL) == BX_OK);
}

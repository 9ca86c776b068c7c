/* Journals as files: written whole, found again, and matched with a machine. */
#include "guard/journal.h"

#include "host/system/file.h"
#include "base/error.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

static const char ending[] = ".journal";

/* ---- writing and reading ---- */

static int write_all(int fd, const bx_buf *text)
{
    int err = bx_file_write(fd, text->p, text->n);
    return err || fsync(fd) == 0 || errno == EINVAL ? err : errno;
}

/* Added to the journal's name until it is complete. A file with this suffix is never taken for a
 * journal. */
static const char unfinished[] = ".new-XXXXXX";

/* The folder of a file, with the slash; "." for none. */
static void folder_of_file(const char *path, bx_buf *folder)
{
    const char *slash = strrchr(path, '/');
    if (slash)
        bx_buf_add(folder, path, (size_t)(slash - path) + 1);
    else
        bx_buf_z(folder, ".");
}

/* A new file is on disk only once its folder is synced. */
static void sync_folder(const char *folder)
{
    int fd = open(folder, O_RDONLY | O_CLOEXEC);
    if (fd >= 0) {
        fsync(fd);
        close(fd);
    }
}

/* Gives a file without a name this one; fails if something has it. */
static int name_file(int fd, const char *path)
{
    char own[40];
    snprintf(own, sizeof own, "/proc/self/fd/%d", fd);
    return linkat(AT_FDCWD, own, AT_FDCWD, path, AT_SYMLINK_FOLLOW) == 0 ? 0 : errno;
}

/* Writes the file under a temporary name, then renames it: for file systems without O_TMPFILE. The
 * file is locked, so that remove_unfinished() does not remove it. */
static int write_and_rename(const char *path, const bx_buf *text)
{
    bx_buf other = {0};
    bx_buf_f(&other, "%s%s", path, unfinished);
    int fd = other.failed ? -1 : mkostemp(other.p, O_CLOEXEC);
    int err = other.failed ? ENOMEM : fd < 0 ? errno : 0;
    if (fd >= 0) {
        flock(fd, LOCK_EX | LOCK_NB);
        err = write_all(fd, text);
        if (err == 0 && renameat2(AT_FDCWD, other.p, AT_FDCWD, path, RENAME_NOREPLACE) != 0)
            err = errno;
        if (err)
            unlink(other.p);
        close(fd);
    }
    bx_buf_free(&other);
    return err;
}

/* The file gets its name when it is complete. If we are killed before that, nothing is left. */
static int write_new(const char *path, const char *folder, const bx_buf *text)
{
    int fd = open(folder, O_TMPFILE | O_WRONLY | O_CLOEXEC, 0644);
    if (fd < 0)
        return write_and_rename(path, text);
    int err = write_all(fd, text), named = err ? err : name_file(fd, path);
    close(fd);
    return !err && named && named != EEXIST ? write_and_rename(path, text) : named;
}

static int refuse_file(const char *path, const char *why, bx_error *e)
{
    bx_fail(e, BX_NO_ACCESS, 0, 0, "'%s' cannot be the journal: %s", path, why);
    if (e && !e->hint[0])
        bx_hint(e, "name a journal that is not there yet, or is empty");
    return BX_NO_ACCESS;
}

int bx_journal_make_room(const char *path, bx_error *e)
{
    struct stat about;
    int code = BX_OK, fd = open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    if (fd < 0)
        return errno == ENOENT ? BX_OK : refuse_file(path, strerror(errno), e);
    if (fstat(fd, &about) != 0 || !S_ISREG(about.st_mode) || about.st_size > 0)
        code = refuse_file(path, "the file is not empty", e);
    else if (flock(fd, LOCK_EX | LOCK_NB) != 0)
        code = refuse_file(path, "another process uses it", e);
    else if (unlink(path) != 0)
        code = refuse_file(path, strerror(errno), e);
    close(fd);
    return code;
}

int bx_journal_write(const char *path, const bx_journal *j, bx_error *e)
{
    bx_buf text = {0}, folder = {0};
    bx_journal_format(j, &text);
    folder_of_file(path, &folder);
    int err = text.failed || folder.failed ? ENOMEM : write_new(path, folder.p, &text);
    if (err == 0)
        sync_folder(folder.p);
    bx_buf_free(&text);
    bx_buf_free(&folder);
    if (err == 0)
        return BX_OK;
    bx_fail(e, bx_code_of(err), 0, 0, "the journal '%s' cannot be written: %s", path,
            strerror(err));
    if (e && !e->hint[0])
        bx_hint(e, "name another file for the journal; without one nothing is programmed");
    return bx_code_of(err);
}

/* Whoever can write a journal decides what is written to registers. */
static int check_owner(const char *path, const struct stat *about, bx_error *e)
{
    bool own = about->st_uid == 0 || about->st_uid == geteuid();
    if (own && !(about->st_mode & 022))
        return BX_OK;
    if (own)
        bx_fail(e, BX_NO_ACCESS, 0, 0, "journal '%s' is not trusted: others can write it (mode %o)",
                path, about->st_mode & 07777);
    else
        bx_fail(e, BX_NO_ACCESS, 0, 0, "journal '%s' is not trusted: user %u owns it", path,
                (unsigned)about->st_uid);
    if (e && !e->hint[0])
        bx_hint(e, "if its registers and values are right, a copy of your own that only you can "
                   "write is");
    return BX_NO_ACCESS;
}

static int read_journal(int fd, const char *path, const struct stat *about, bx_arena *arena,
                        bx_journal *j, bx_error *e)
{
    size_t room = (size_t)about->st_size + 1;
    char *bytes = bx_arena_get(arena, room);
    bx_error err = {0};
    if (!bytes)
        return bx_out_of_memory(e);
    bx_str text = bx_journal_in_force(bx_file_read_open(fd, bytes, room));
    if (text.n == 0)
        return bx_fail(e, BX_NOT_FOUND, 0, 0, "journal '%s' is empty", path);
    int code = bx_journal_parse(text, arena, j, &err);
    if (code != BX_OK)
        bx_fail(e, code, 0, 0, "journal '%s': %s", path, err.message);
    return code;
}

static int cannot_open(const char *path, bx_error *e)
{
    bool missing = errno == ENOENT || errno == ENOTDIR;
    return bx_fail(e, missing ? BX_NOT_FOUND : BX_NO_ACCESS, 0, 0, "journal '%s': %s", path,
                   strerror(errno));
}

static int read_found(int found, const char *path, bx_arena *arena, bx_journal *j, bx_error *e)
{
    enum { MOST = 32 << 20 };
    struct stat about;
    char own[40];
    if (fstat(found, &about) != 0 || !S_ISREG(about.st_mode) || about.st_size > MOST)
        return bx_fail(e, BX_BAD_INPUT, 0, 0, "journal '%s' is not a regular file, or is too large",
                       path);
    int code = check_owner(path, &about, e);
    if (code != BX_OK)
        return code;
    snprintf(own, sizeof own, "/proc/self/fd/%d", found);
    int fd = open(own, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (fd < 0)
        return cannot_open(path, e);
    code = read_journal(fd, path, &about, arena, j, e);
    close(fd);
    return code;
}

/* Other users can choose the path (bx_lock_journal()). The file is checked with O_PATH before it is
 * opened, because opening some devices has side effects. */
static int read_once(const char *path, bx_arena *arena, bx_journal *j, bx_error *e)
{
    int found = open(path, O_PATH | O_CLOEXEC);
    if (found < 0)
        return cannot_open(path, e);
    int code = read_found(found, path, arena, j, e);
    close(found);
    return code;
}

/* A journal that is just being written is read again. */
int bx_journal_read(const char *path, bx_arena *arena, bx_journal *j, bx_error *e)
{
    enum { ATTEMPTS = 3 };
    bx_error err;
    int code = BX_BAD_INPUT;
    for (unsigned i = 0; code == BX_BAD_INPUT && i < ATTEMPTS; i++) {
        err = (bx_error){0};
        code = read_once(path, arena, j, &err);
    }
    if (code != BX_OK && e)
        *e = err;
    return code;
}

/* ---- where they are ---- */

static bool folder_of(bx_buf *path)
{
    const char *run = getenv("XDG_RUNTIME_DIR");
    if (geteuid() == 0)
        bx_buf_z(path, "/run/boxscore");
    else if (run && *run)
        bx_buf_f(path, "%s/boxscore", run);
    else
        bx_buf_f(path, "/tmp/boxscore-%u", (unsigned)geteuid());
    return !path->failed;
}

static bool is_trusted(const struct stat *folder)
{
    return S_ISDIR(folder->st_mode) && folder->st_uid == geteuid() && !(folder->st_mode & 022);
}

static int refuse_folder(const char *path, const struct stat *folder, bx_error *e)
{
    if (!S_ISDIR(folder->st_mode)) {
        bx_fail(e, BX_NO_ACCESS, 0, 0, "'%s', where journals are, is no folder", path);
        bx_hint(e, "rm '%s'", path);
        return BX_NO_ACCESS;
    }
    bx_fail(e, BX_NO_ACCESS, 0, 0,
            "the folder '%s' of journals is not trusted: user %u owns it, mode %o, so others can "
            "put journals there",
            path, (unsigned)folder->st_uid, folder->st_mode & 07777);
    const char *who = folder->st_uid == geteuid() || geteuid() == 0 ? "" : "as root, ";
    char chown[32] = "";
    if (folder->st_uid != geteuid())
        snprintf(chown, sizeof chown, "chown %u '", (unsigned)geteuid());
    bx_hint(e, "check its contents; then %s%s%s%schmod 755 '%s'", who, chown, *chown ? path : "",
            *chown ? "' && " : "", path);
    return BX_NO_ACCESS;
}

int bx_journal_check_folder(bx_error *e)
{
    struct stat folder;
    bx_buf path = {0};
    int code = BX_OK;
    if (!folder_of(&path))
        code = bx_out_of_memory(e);
    else if (lstat(path.p, &folder) == 0 && !is_trusted(&folder))
        code = refuse_folder(path.p, &folder, e);
    bx_buf_free(&path);
    return code;
}

static bool ends_as_journal(const char *name)
{
    size_t n = strlen(name);
    return n >= sizeof ending && strcmp(name + n - (sizeof ending - 1), ending) == 0;
}

/* Names are X.journal.new-XXXXXX, and X.journal.new in earlier versions. */
static bool is_unfinished(const char *name)
{
    const char *at = strstr(name, ".journal.new");
    size_t rest = at ? strlen(at + sizeof ".journal.new" - 1) : 1;
    return rest == 0 || (at && rest == sizeof "-XXXXXX" - 1);
}

/* Removes the file that a process left when it was killed while writing a journal. A living process
 * has the file locked. The killed process had not yet written a register. */
static void remove_unfinished(const char *path)
{
    DIR *folder = opendir(path);
    for (struct dirent *d; folder && (d = readdir(folder));) {
        if (!is_unfinished(d->d_name))
            continue;
        int fd = openat(dirfd(folder), d->d_name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
        if (fd >= 0 && flock(fd, LOCK_EX | LOCK_NB) == 0)
            unlinkat(dirfd(folder), d->d_name, 0);
        if (fd >= 0)
            close(fd);
    }
    if (folder)
        closedir(folder);
}

static int make_folder(const char *path, bx_error *e)
{
    if (mkdir(path, 0755) == 0 || errno == EEXIST)
        return bx_journal_check_folder(e);
    bx_fail(e, BX_NO_ACCESS, 0, 0, "the folder '%s' for journals cannot be used: %s", path,
            strerror(errno));
    if (e && !e->hint[0])
        bx_hint(e, "name another file for the journal");
    return BX_NO_ACCESS;
}

int bx_journal_name(bx_buf *path, bx_error *e)
{
    int code = folder_of(path) ? make_folder(path->p, e) : bx_out_of_memory(e);
    if (code != BX_OK)
        return code;
    remove_unfinished(path->p);
    size_t folder = path->n;
    for (unsigned i = 0;; i++) {
        path->n = folder;
        bx_buf_f(path, "/%d-%u%s", (int)getpid(), i, ending);
        if (path->failed)
            return bx_out_of_memory(e);
        if (access(path->p, F_OK) != 0)
            return BX_OK;
    }
}

static bool has_text(const char *path)
{
    char first = 0;
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    bool has = fd < 0 || read(fd, &first, 1) < 0 || first;
    if (fd >= 0)
        close(fd);
    return has; /* true also for an unreadable file: reading it reports the error */
}

const char *const *bx_journal_list(bx_arena *arena)
{
    enum { MOST = 1024 };
    static const char *const none[] = {NULL};
    bx_buf path = {.whole = &arena->failed};
    size_t n = 0;
    const char **names = bx_arena_get(arena, (MOST + 1) * sizeof *names);
    int code = names && folder_of(&path) ? bx_journal_check_folder(NULL) : BX_NO_MEMORY;
    arena->failed |= code == BX_NO_MEMORY;
    DIR *folder = code == BX_OK ? bx_file_open_folder("", path.p, &arena->failed) : NULL;
    size_t at = path.n;
    for (struct dirent *d; folder && n < MOST && (d = readdir(folder));) {
        if (!ends_as_journal(d->d_name))
            continue;
        path.n = at;
        bx_buf_f(&path, "/%s", d->d_name);
        if (path.failed || !has_text(path.p))
            continue;
        names[n] = bx_arena_copy(arena, (bx_str){path.p, path.n});
        n += names[n] != NULL;
    }
    if (folder)
        closedir(folder);
    bx_buf_free(&path);
    return names ? names : none;
}

/* ---- the machine ---- */

void bx_machine_path(const char *root, char to[BX_MACHINE_PATH])
{
    char whole[PATH_MAX];
    const char *path = *root ? realpath(root, whole) : "/";
    snprintf(to, BX_MACHINE_PATH, "%s", path ? path : root);
    for (char *p = to; *p; p++)
        if (*p == '\n')
            *p = '?'; /* the path is a line of a journal */
}

void bx_boot_id(const char *root, char to[BX_BOOT_ID])
{
    char bytes[BX_BOOT_ID];
    bx_str id =
        bx_str_trim(bx_file_read(root, "/proc/sys/kernel/random/boot_id", bytes, sizeof bytes - 1));
    snprintf(to, BX_BOOT_ID, "%.*s", id.n ? (int)id.n : 1, id.n ? id.p : "-");
}

uint64_t bx_machine_number(const char *root)
{
    char path[BX_MACHINE_PATH], boot[BX_BOOT_ID];
    bx_machine_path(root, path);
    bx_boot_id(root, boot);
    return bx_journal_sum(path, strlen(path)) ^ bx_journal_sum(boot, strlen(boot));
}

int bx_package_of(const char *root, unsigned cpu)
{
    char path[96];
    int package;
    snprintf(path, sizeof path, "/sys/devices/system/cpu/cpu%u/topology/physical_package_id", cpu);
    return bx_file_number(root, path, &package) && package >= 0 ? package : 0;
}

bool bx_journal_is_current(const bx_journal *j, const char *root)
{
    char path[BX_MACHINE_PATH], boot[BX_BOOT_ID];
    bx_machine_path(root, path);
    bx_boot_id(root, boot);
    return strcmp(j->machine, path) == 0 && strcmp(j->boot, boot) == 0;
}

static bool is_older_than_boot(const char *file)
{
    struct stat about;
    struct timespec now, up;
    return stat(file, &about) == 0 && clock_gettime(CLOCK_REALTIME, &now) == 0 &&
           clock_gettime(CLOCK_BOOTTIME, &up) == 0 && about.st_mtim.tv_sec < now.tv_sec - up.tv_sec;
}

bool bx_journal_is_gone(const char *file, const bx_journal *j, const char *root)
{
    char path[BX_MACHINE_PATH];
    bx_machine_path(root, path);
    return strcmp(j->machine, path) == 0 && !bx_journal_is_current(j, root) &&
           (strcmp(path, "/") != 0 || is_older_than_boot(file));
}

/* Journals as files: written whole, found again, and matched with a machine. */
#include "host/safety/journal.h"

#include "host/system/file.h"
#include "base/error.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const char ending[] = ".journal";

/* ---- writing and reading ---- */

static int write_all(int fd, const bx_buf *text)
{
    for (size_t done = 0; done < text->n;) {
        ssize_t n = write(fd, text->p + done, text->n - done);
        if (n < 0 && errno != EINTR)
            return errno;
        if (n > 0)
            done += (size_t)n;
    }
    return fsync(fd) == 0 || errno == EINVAL ? 0 : errno;
}

/* A new file is on disk only once its folder is synced. */
static void sync_folder_of(const char *path)
{
    const char *slash = strrchr(path, '/');
    bx_buf folder = {0};
    if (slash)
        bx_buf_add(&folder, path, (size_t)(slash - path) + 1);
    int fd = slash && folder.failed ? -1 : open(slash ? folder.p : ".", O_RDONLY | O_CLOEXEC);
    if (fd >= 0) {
        fsync(fd);
        close(fd);
    }
    bx_buf_free(&folder);
}

/* Writes under another name first, then renames. */
static int write_new(const char *path, const char *other, const bx_buf *text)
{
    unlink(other);
    int fd = open(other, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0644);
    if (fd < 0)
        return errno;
    int err = write_all(fd, text);
    close(fd);
    if (err == 0 && rename(other, path) != 0)
        err = errno;
    if (err)
        unlink(other);
    else
        sync_folder_of(path);
    return err;
}

int bx_journal_write(const char *path, const bx_journal *j, bx_error *e)
{
    bx_buf text = {0}, other = {0};
    bx_journal_format(j, &text);
    bx_buf_f(&other, "%s.new", path);
    int err = text.failed || other.failed ? ENOMEM : write_new(path, other.p, &text);
    bx_buf_free(&text);
    bx_buf_free(&other);
    if (err == 0)
        return BX_OK;
    bx_fail(e, err == ENOMEM ? BX_NO_MEMORY : BX_SYSTEM, 0, 0,
            "the journal '%s' cannot be written: %s", path, strerror(err));
    if (e && !e->hint[0])
        bx_hint(e, "--journal FILE names another place; without a journal nothing is programmed");
    return err == ENOMEM ? BX_NO_MEMORY : BX_SYSTEM;
}

static int read_once(const char *path, bx_arena *arena, bx_journal *j, bx_error *e)
{
    enum { MOST = 32 << 20 };
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (fd < 0)
        return bx_fail(e, errno == ENOENT ? BX_NOT_FOUND : BX_NO_ACCESS, 0, 0, "journal '%s': %s",
                       path, strerror(errno));
    struct stat about;
    bool plain = fstat(fd, &about) == 0 && S_ISREG(about.st_mode) && about.st_size <= MOST;
    close(fd);
    size_t room = plain ? (size_t)about.st_size + 1 : 1;
    char *bytes = bx_arena_get(arena, room);
    if (!bytes)
        return bx_out_of_memory(e);
    bx_error err = {0};
    if (!plain)
        return bx_fail(e, BX_BAD_INPUT, 0, 0, "journal '%s': it is no file, or too large for one",
                       path);
    bx_str text = bx_journal_in_force(bx_file_read("", path, bytes, room));
    if (text.n == 0)
        return bx_fail(e, BX_NOT_FOUND, 0, 0, "journal '%s': it is empty", path);
    int rc = bx_journal_parse(text, arena, j, &err);
    if (rc != BX_OK)
        bx_fail(e, rc, 0, 0, "journal '%s': %s", path, err.message);
    return rc;
}

/* A journal that is just being written is read again. */
int bx_journal_read(const char *path, bx_arena *arena, bx_journal *j, bx_error *e)
{
    enum { ATTEMPTS = 3 };
    bx_error err;
    int rc = BX_BAD_INPUT;
    for (unsigned i = 0; rc == BX_BAD_INPUT && i < ATTEMPTS; i++) {
        err = (bx_error){0};
        rc = read_once(path, arena, j, &err);
    }
    if (rc != BX_OK && e)
        *e = err;
    return rc;
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

/* Other users must not be able to write to the folder. */
static int check_folder(const char *path)
{
    struct stat about;
    if (lstat(path, &about) != 0)
        return errno;
    bool ours = S_ISDIR(about.st_mode) && about.st_uid == geteuid() && !(about.st_mode & 022);
    return ours ? 0 : EPERM;
}

static int make_folder(const char *path)
{
    return mkdir(path, 0755) == 0 || errno == EEXIST ? check_folder(path) : errno;
}

int bx_journal_name(bx_buf *path, bx_error *e)
{
    bool made = folder_of(path);
    int err = made ? make_folder(path->p) : ENOMEM;
    if (err) {
        bx_fail(e, BX_NO_ACCESS, 0, 0, "the folder '%s' for journals cannot be used: %s",
                made ? path->p : "", strerror(err));
        if (e && !e->hint[0])
            bx_hint(e, "--journal FILE names another place");
        return BX_NO_ACCESS;
    }
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
    bx_buf path = {0};
    size_t n = 0;
    const char **names = bx_arena_get(arena, (MOST + 1) * sizeof *names);
    bool ours = names && folder_of(&path) && check_folder(path.p) == 0;
    DIR *folder = ours ? opendir(path.p) : NULL;
    size_t at = path.n;
    for (struct dirent *d; folder && n < MOST && (d = readdir(folder));) {
        size_t length = strlen(d->d_name);
        if (length < sizeof ending || strcmp(d->d_name + length - sizeof ending + 1, ending) != 0)
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

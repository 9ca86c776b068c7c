/* A lock file is removed by the last process that has it open. Each process that opens it keeps a
 * shared lock on its first byte (F_OFD_SETLK, fcntl(2)); removing it needs an exclusive lock.
 * Otherwise a process that cannot open files later, such as the helper, could hold a file that no
 * other process finds. */
#include "guard/lock.h"

#include "guard/lock_folder.h"
#include "host/system/file.h"
#include "host/system/flock_taker.h"
#include "base/error.h"
#include "base/str.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

enum { LINE = 64, TRIES = 100, PAUSE_MS = 1 };

static const char prefix[] = "package-";

static void name_file(bx_lock *l, uint64_t machine)
{
    snprintf(l->name, sizeof l->name, "%s%d-%016llx", prefix, l->package,
             (unsigned long long)machine);
}

/* ---- the file ---- */

/* Locks the first byte. F_RDLCK: shared, as every process that has the file open. F_WRLCK:
 * exclusive, which fails if another process has it open. */
static bool mark(int fd, short type)
{
    struct flock first = {.l_type = type, .l_whence = SEEK_SET, .l_len = 1};
    return fcntl(fd, F_OFD_SETLK, &first) == 0;
}

static int open_existing(int folder, const char *name)
{
    return openat(folder, name, O_RDWR | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
}

/* Opens an existing file without O_CREAT: with it, fs.protected_regular refuses the file even to
 * root. */
static int open_or_make(const bx_lock *l)
{
    int fd = open_existing(l->folder, l->name);
    if (fd >= 0 || errno != ENOENT)
        return fd;
    return openat(l->folder, l->name, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
}

/* Lets the folder's group use the file that we have made. If that fails, its members cannot open
 * the file. */
static void hand_over(const bx_lock *l, gid_t group)
{
    if (l->is_private || fchown(l->fd, (uid_t)-1, group) != 0)
        return;
    fchmod(l->fd, 0660);
}

/* Returns 0 or an errno. EBUSY: another process has it locked exclusively, as during a removal.
 * EAGAIN: it was just removed. EPERM: it is not a lock file. A member of the group may have made
 * the file; it then has the folder's group. A link to another user's file does not. */
static int check_file(const bx_lock *l)
{
    struct stat file, folder;
    if (fstat(l->fd, &file) != 0 || fstat(l->folder, &folder) != 0)
        return errno;
    if (!S_ISREG(file.st_mode) || file.st_nlink > 1)
        return EPERM;
    if (!mark(l->fd, F_RDLCK))
        return errno == EAGAIN ? EBUSY : errno;
    if (fstat(l->fd, &file) != 0 || file.st_nlink == 0)
        return EAGAIN;
    if (file.st_uid == geteuid())
        hand_over(l, folder.st_gid);
    return file.st_uid == geteuid() || file.st_uid == 0 || file.st_gid == folder.st_gid ? 0 : EPERM;
}

static int try_to_open(bx_lock *l)
{
    l->fd = open_or_make(l);
    int err = l->fd < 0 ? errno : check_file(l);
    if (err && l->fd >= 0)
        close(l->fd);
    if (err)
        l->fd = -1;
    return err;
}

/* Whether the error may pass: another process may be making the file, handing it over to the group,
 * or removing it. */
static bool may_pass(int err)
{
    return err == EAGAIN || err == EBUSY || err == EEXIST || err == EACCES;
}

static int refuse_file(const bx_lock *l, int err, bx_error *e)
{
    char folder[BX_LOCK_FOLDER];
    bx_lock_folder_path(l->is_private, folder);
    bool odd = err == EPERM || err == ELOOP || err == EISDIR || err == ENXIO;
    bx_fail(e, BX_NO_ACCESS, 0, 0, "package %d cannot be locked: '%s/%s': %s", l->package, folder,
            l->name,
            odd            ? "this is no file of boxscore's"
            : err == EBUSY ? "another process holds a lock that prevents opening it (fcntl)"
                           : strerror(err));
    if (e && !e->hint[0] && odd)
        bx_hint(e, "find out who created it, then remove it");
    if (e && !e->hint[0] && err == EBUSY)
        bx_hint(e,
                "'fuser -v %s/%s' shows, as root, the processes that have it open: end those that "
                "are not boxscore",
                folder, l->name);
    return BX_NO_ACCESS;
}

/* ---- the journal ---- */

/* Reads the journal's path. It is after the holder's line of LINE bytes, and ends with a 0. */
static bool read_journal(int fd, char to[BX_LOCK_JOURNAL])
{
    ssize_t n = pread(fd, to, BX_LOCK_JOURNAL, LINE);
    return n > 0 && to[0] == '/' && memchr(to, 0, (size_t)n);
}

int bx_lock_name_journal(const bx_lock *l, const char *path)
{
    size_t n = strlen(path) + 1;
    return n > BX_LOCK_JOURNAL ? ENAMETOOLONG : bx_file_write_at(l->fd, path, n, LINE);
}

bool bx_lock_journal(const bx_lock *l, char to[BX_LOCK_JOURNAL])
{
    return read_journal(l->fd, to);
}

/* Whether the file names a journal that may exist and not be empty. If we cannot look at the
 * journal, it may. */
static bool names_file(int fd)
{
    char path[BX_LOCK_JOURNAL];
    struct stat about;
    return read_journal(fd, path) &&
           (lstat(path, &about) == 0 ? about.st_size > 0 : errno != ENOENT && errno != ENOTDIR);
}

/* ---- removing files ---- */

/* Removes the file if no other process has it open. As long as only we have it open, no other
 * process removes it, so the name still belongs to it if it has one. A file that names a journal
 * stays for the next holder. */
static void remove_unused(int folder, const char *name, int fd)
{
    struct stat about;
    if (!names_file(fd) && mark(fd, F_WRLCK) && fstat(fd, &about) == 0 && about.st_nlink == 1)
        unlinkat(folder, name, 0);
}

/* Removes files of ended processes: locks of machines in folders may never be used again. */
static void remove_left(const bx_lock *l)
{
    int fd = openat(l->folder, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    DIR *folder = fd < 0 ? NULL : fdopendir(fd);
    for (struct dirent *d; folder && (d = readdir(folder));) {
        struct stat about;
        if (strncmp(d->d_name, prefix, sizeof prefix - 1) != 0 || strcmp(d->d_name, l->name) == 0)
            continue;
        int left = open_existing(l->folder, d->d_name);
        if (left >= 0 && fstat(left, &about) == 0 && S_ISREG(about.st_mode))
            remove_unused(l->folder, d->d_name, left);
        if (left >= 0)
            close(left);
    }
    if (folder)
        closedir(folder);
    else if (fd >= 0)
        close(fd);
}

/* ---- opening ---- */

int bx_lock_open(bx_lock *l, uint64_t machine, int package, bx_error *e)
{
    *l = (bx_lock){.fd = -1, .package = package, .process = bx_owner_self()};
    name_file(l, machine);
    int code = bx_lock_folder_open(&l->folder, &l->is_private, e);
    if (code != BX_OK)
        return code;
    remove_left(l);
    int err = try_to_open(l);
    for (unsigned i = 0; may_pass(err) && i < TRIES; i++) {
        poll(NULL, 0, PAUSE_MS);
        err = try_to_open(l);
    }
    if (err == 0)
        return BX_OK;
    close(l->folder);
    return refuse_file(l, err, e);
}

/* ---- the holder ---- */

/* The line always has the same length, because the helper cannot truncate files. The lock is valid
 * without this line, too. */
static void write_line(int fd, const char *text)
{
    char line[LINE + 1];
    snprintf(line, sizeof line, "%-*s\n", LINE - 1, text);
    bx_file_write_at(fd, line, LINE, 0);
}

static bx_owner read_owner(int fd)
{
    char line[LINE];
    uint64_t pid;
    bx_owner o = {0};
    ssize_t n = pread(fd, line, sizeof line, 0);
    bx_str rest = {line, n > 0 ? (size_t)n : 0};
    if (bx_str_u64(bx_str_cut(&rest, ' '), &pid) && pid <= INT32_MAX &&
        bx_str_u64(bx_str_cut(&rest, ' '), &o.start_time))
        o.pid = (pid_t)pid;
    o.is_helper = bx_str_eq(bx_str_trim(rest), BX_STR("helper"));
    return o;
}

/* Every process that can open the file can write any line. So the line is believed only if the
 * kernel confirms it: the named process has the locked file open. The number alone is not enough,
 * because numbers are reused. The helper's line names its first process, and its child takes the
 * lock. Only root can see their open files, so for the helper only parent and child are
 * compared. */
static bool find_holder(int fd, bx_owner *holder)
{
    bx_owner told = read_owner(fd);
    bool found = told.is_helper ? bx_owner_is_parent(told, bx_flock_taker(fd))
                                : bx_owner_lives(told) && bx_flock_is_held_by(fd, told.pid);
    *holder = found ? told : (bx_owner){0};
    return found;
}

static int try_to_take(const bx_lock *l)
{
    return flock(l->fd, LOCK_EX | LOCK_NB) == 0 ? 0 : errno;
}

int bx_lock_take(bx_lock *l, bx_owner *holder)
{
    enum { UNNAMED = 10 };
    struct stat about;
    int err = try_to_take(l);
    /* If no holder is found, the lock is just being taken or released. */
    for (unsigned i = 0; err == EWOULDBLOCK && i < UNNAMED && !find_holder(l->fd, holder); i++) {
        poll(NULL, 0, PAUSE_MS);
        err = try_to_take(l);
    }
    if (err)
        return err == EWOULDBLOCK ? EADDRINUSE : err;
    if (fstat(l->fd, &about) != 0 || about.st_nlink == 0) {
        flock(l->fd, LOCK_UN);
        return ESTALE;
    }
    char text[LINE];
    snprintf(text, sizeof text, "%d %llu%s", (int)l->process.pid,
             (unsigned long long)l->process.start_time, l->process.is_helper ? " helper" : "");
    write_line(l->fd, text);
    l->held = true;
    return 0;
}

/* close() alone does not release the lock: a child process may still have the descriptor. */
void bx_lock_let_go(bx_lock *l)
{
    if (!l->held)
        return;
    write_line(l->fd, "");
    flock(l->fd, LOCK_UN);
    l->held = false;
}

void bx_lock_drop(bx_lock *l)
{
    if (l->fd < 0)
        return;
    bx_lock_let_go(l);
    remove_unused(l->folder, l->name, l->fd);
    close(l->fd);
    close(l->folder);
    l->fd = -1;
}

bool bx_lock_is_held(uint64_t machine, int package, bx_owner *holder)
{
    bx_lock l = {.package = package};
    name_file(&l, machine);
    if (!bx_lock_folder_find(&l.folder))
        return false;
    l.fd = openat(l.folder, l.name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    close(l.folder);
    if (l.fd < 0)
        return false;
    bool held = find_holder(l.fd, holder);
    close(l.fd);
    return held;
}

/* A journal in a file that stays open. If the process is killed in the middle, the old or the new
 * text is whole: the first line is written last, and in one piece. */
#include "guard/journal.h"

#include "host/system/file.h"
#include "base/error.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

/* ---- opening ---- */

/* 0, or an errno: the file cannot be ours alone. */
static int check_open(int fd)
{
    struct stat about;
    if (fstat(fd, &about) != 0)
        return errno;
    bool ours = S_ISREG(about.st_mode) && about.st_uid == geteuid() && about.st_nlink == 1 &&
                !(about.st_mode & 022);
    if (!ours)
        return EPERM;
    return flock(fd, LOCK_EX | LOCK_NB) == 0 ? 0 : errno;
}

int bx_journal_file_open(const char *path, bx_journal_file *p, bx_error *e)
{
    p->fd = open(path, O_RDWR | O_CREAT | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC, 0600);
    int err = p->fd < 0 ? errno : check_open(p->fd);
    if (err == 0)
        return BX_OK;
    if (p->fd >= 0)
        close(p->fd);
    p->fd = -1;
    if (err == EWOULDBLOCK)
        return bx_fail(e, BX_NO_ACCESS, 0, 0, "the journal '%s' is another process's", path);
    return bx_fail(e, BX_NO_ACCESS, 0, 0, "the journal '%s' cannot be used: %s", path,
                   err == EPERM ? "it is no plain file of this user's alone" : strerror(err));
}

/* ---- writing ---- */

static int sync_file(int fd)
{
    return fsync(fd) == 0 || errno == EINVAL ? 0 : errno;
}

static int empty(int fd)
{
    return ftruncate(fd, 0) == 0 ? 0 : errno;
}

/* Where to write a new text: before the valid text if it fits there, otherwise after it. */
static uint64_t offset_for(int fd, size_t n)
{
    char is[BX_JOURNAL_HEAD];
    uint64_t at, length;
    if (pread(fd, is, sizeof is, 0) != sizeof is ||
        !bx_journal_parse_head((bx_str){is, sizeof is}, &at, &length) || BX_JOURNAL_HEAD + n <= at)
        return BX_JOURNAL_HEAD;
    return at + length;
}

static int put_text(int fd, const bx_buf *text)
{
    char head[BX_JOURNAL_HEAD + 1];
    uint64_t at = offset_for(fd, text->n);
    int err = bx_file_write_at(fd, text->p, text->n, at);
    if (err == 0)
        err = sync_file(fd); /* before the line that points to it */
    if (err)
        return err;
    bx_journal_head(at, text->n, head);
    err = bx_file_write_at(fd, head, BX_JOURNAL_HEAD, 0);
    return err ? err : sync_file(fd);
}

/* Whether the file still has its name: a journal without a name cannot be found. */
static bool is_there(int fd)
{
    struct stat about;
    return fstat(fd, &about) == 0 && about.st_nlink == 1;
}

int bx_journal_file_put(const bx_journal_file *p, const bx_journal *j)
{
    if (!is_there(p->fd))
        return ENOENT;
    if (j->n == 0)
        return empty(p->fd);
    bx_buf text = {0};
    bx_journal_format(j, &text);
    int err = text.failed ? ENOMEM : put_text(p->fd, &text);
    bx_buf_free(&text);
    return err;
}

int bx_journal_file_try(const bx_journal_file *p)
{
    enum { USUAL = 16 };
    static const char part[1024];
    char first;
    int err = 0;
    if (pread(p->fd, &first, 1, 0) == 1 && first)
        return 0; /* its valid text must stay */
    for (unsigned i = 0; err == 0 && i < USUAL; i++)
        err = bx_file_write_at(p->fd, part, sizeof part, BX_JOURNAL_HEAD + i * sizeof part);
    if (err == 0)
        err = sync_file(p->fd);
    int left = empty(p->fd);
    return err ? err : left;
}

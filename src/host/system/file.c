/* Opens, reads and writes files below a root folder. */
#include "host/system/file.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>

enum { HERE = -1 };

/* Joins both to a path. false, with an errno: the path is too long. It allocates no memory: lack of
 * memory would look like lack of the file. */
static bool join(char to[PATH_MAX], const char *root, const char *file)
{
    bool fits = snprintf(to, PATH_MAX, "%s%s", root, file) < PATH_MAX;
    if (!fits)
        errno = ENAMETOOLONG;
    return fits;
}

int bx_file_open(const char *root, const char *file, int flags)
{
    char path[PATH_MAX];
    int fd;
    if (!join(path, root, file))
        return -1;
    do
        fd = open(path, flags | O_CLOEXEC | O_NONBLOCK);
    while (fd < 0 && errno == EINTR);
    return fd;
}

DIR *bx_file_open_folder(const char *root, const char *folder, bool *no_memory)
{
    char path[PATH_MAX];
    DIR *opened = join(path, root, folder) ? opendir(path) : NULL;
    if (!opened && errno == ENOMEM)
        *no_memory = true;
    return opened;
}

int bx_file_open_device(const char *root, const char *file)
{
    int fd = bx_file_open(root, file, O_RDWR), err = errno;
    if (fd < 0 && (err == EACCES || err == EPERM || err == EROFS))
        fd = bx_file_open(root, file, O_RDONLY);
    errno = err;
    return fd;
}

bool bx_file_exists(const char *root, const char *file)
{
    int fd = bx_file_open(root, file, O_PATH);
    if (fd >= 0)
        close(fd);
    return fd >= 0;
}

bx_str bx_file_read_open(int fd, char *to, size_t room)
{
    size_t n = 0;
    while (n < room) {
        ssize_t got = read(fd, to + n, room - n);
        if (got < 0 && errno == EINTR)
            continue;
        if (got <= 0)
            break;
        n += (size_t)got;
    }
    return (bx_str){to, n};
}

bx_str bx_file_read(const char *root, const char *file, char *to, size_t room)
{
    int fd = bx_file_open(root, file, O_RDONLY);
    if (fd < 0)
        return (bx_str){to, 0};
    bx_str read = bx_file_read_open(fd, to, room);
    close(fd);
    return read;
}

bx_buf bx_file_read_all(const char *root, const char *file, size_t most)
{
    char bytes[1 << 14];
    bx_buf all = {0};
    int fd = bx_file_open(root, file, O_RDONLY);
    bx_str part = bx_file_read_open(fd, bytes, sizeof bytes);
    while (part.n && all.n <= most && !all.failed) {
        bx_buf_str(&all, part);
        part = bx_file_read_open(fd, bytes, sizeof bytes);
    }
    if (fd >= 0)
        close(fd);
    return all;
}

/* at: an offset, or HERE for the file's current offset. */
static int write_all(int fd, const char *bytes, size_t n, off_t at)
{
    sigset_t sent, before, pending;
    sigemptyset(&pending);
    sigemptyset(&sent);
    sigaddset(&sent, SIGPIPE);
    sigaddset(&sent, SIGXFSZ);
    sigpending(&pending);
    pthread_sigmask(SIG_BLOCK, &sent, &before);
    int err = 0;
    while (n && !err) {
        ssize_t done = at == HERE ? write(fd, bytes, n) : pwrite(fd, bytes, n, at);
        if (done >= 0) {
            at += at == HERE ? 0 : done;
            bytes += done;
            n -= (size_t)done;
        } else if (errno != EINTR) {
            err = errno;
        }
    }
    /* Discards the signal that our own write raised. */
    int number = err == EPIPE ? SIGPIPE : err == EFBIG ? SIGXFSZ : 0;
    if (number && !sigismember(&pending, number))
        sigtimedwait(&sent, NULL, &(struct timespec){0});
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return err;
}

int bx_file_write(int fd, const char *bytes, size_t n)
{
    return write_all(fd, bytes, n, HERE);
}

int bx_file_write_at(int fd, const char *bytes, size_t n, uint64_t at)
{
    return write_all(fd, bytes, n, (off_t)at);
}

bool bx_file_number(const char *root, const char *file, int *value)
{
    char bytes[32];
    uint64_t number;
    bx_str s = bx_str_trim(bx_file_read(root, file, bytes, sizeof bytes));
    bool minus = s.n && s.p[0] == '-';
    if (!bx_str_u64(minus ? bx_str_sub(s, 1, s.n) : s, &number) || number > 1000000)
        return false;
    *value = minus ? -(int)number : (int)number;
    return true;
}

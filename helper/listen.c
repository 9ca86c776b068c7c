#include "helper/listen.h"

#include "base/error.h"

#include <errno.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

enum { WAITING = 16, MOST_GROUPS = 1024 };

static int failed(const char *what, const char *path, int fd, bx_error *e)
{
    bx_fail(e, BX_SYSTEM, 0, 0, "cannot %s '%s': %s", what, path, strerror(errno));
    if (errno == ENOENT)
        bx_hint(e, "its folder has to be made first, as nobody's but root's");
    if (fd >= 0)
        close(fd);
    return -1;
}

/* Whether somebody answers there. */
static bool is_in_use(const struct sockaddr_un *at)
{
    int fd = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);
    bool used = fd >= 0 && connect(fd, (const struct sockaddr *)at, sizeof *at) == 0;
    if (fd >= 0)
        close(fd);
    return used;
}

int bx_listen_open(const char *path, gid_t group, bx_error *e)
{
    struct sockaddr_un at = {.sun_family = AF_UNIX};
    struct stat about;
    size_t n = strlen(path);
    if (n >= sizeof at.sun_path) {
        bx_fail(e, BX_BAD_INPUT, 0, 0, "'%s' is too long for a socket's name", path);
        return -1;
    }
    memcpy(at.sun_path, path, n);
    if (lstat(path, &about) == 0) {
        errno = EEXIST;
        if (!S_ISSOCK(about.st_mode))
            return failed("listen at", path, -1, e);
        errno = EADDRINUSE;
        if (is_in_use(&at) || unlink(path))
            return failed("listen at", path, -1, e);
    }
    int fd = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (fd < 0)
        return failed("make a socket for", path, fd, e);
    mode_t before = umask(0177); /* never open wider than it is to be */
    int bound = bind(fd, (const struct sockaddr *)&at, sizeof at);
    umask(before);
    if (bound)
        return failed("listen at", path, fd, e);
    if (group != BX_NO_GROUP && (lchown(path, (uid_t)-1, group) || chmod(path, 0660)))
        return failed("hand to its group", path, fd, e);
    return listen(fd, WAITING) ? failed("listen at", path, fd, e) : fd;
}

static bool is_member(int fd, gid_t primary, gid_t group)
{
    gid_t groups[MOST_GROUPS];
    socklen_t size = sizeof groups;
    if (group == BX_NO_GROUP)
        return false;
    if (primary == group)
        return true;
    if (getsockopt(fd, SOL_SOCKET, SO_PEERGROUPS, groups, &size))
        return false;
    for (size_t i = 0; i < size / sizeof *groups; i++)
        if (groups[i] == group)
            return true;
    return false;
}

bool bx_listen_admits(int fd, const bx_admitted *who, bx_peer *peer)
{
    struct ucred is;
    socklen_t size = sizeof is;
    if (getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &is, &size) || size != sizeof is)
        return false;
    *peer = (bx_peer){is.pid, is.uid};
    return is.uid == 0 || is.uid == who->starter || is_member(fd, is.gid, who->group);
}

/* Makes the socket, and checks each client by the kernel's credentials. */
#include "helper/listener.h"

#include "base/error.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

enum { WAITING = 16, MOST_GROUPS = 1024 };

static int failed(const char *what, const char *path, int fd, bx_error *e)
{
    bx_fail(e, BX_SYSTEM, 0, 0, "cannot %s '%s': %s", what, path, strerror(errno));
    if (fd >= 0)
        close(fd);
    return -1;
}

/* 0: the socket is a leftover, nobody listens there. Another program's may be of another type, and
 * one that is stopped may have no room for a connection: neither is waited for, nor replaced. */
static int find_listener(const struct sockaddr_un *at)
{
    int fd = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (fd < 0)
        return errno;
    int err = connect(fd, (const struct sockaddr *)at, sizeof *at) ? errno : EADDRINUSE;
    close(fd);
    return err == ECONNREFUSED ? 0 : err == EAGAIN || err == EPROTOTYPE ? EADDRINUSE : err;
}

/* Whether nobody else can make files in a folder. Above it a sticky bit is enough: others cannot
 * rename what is not theirs. In the folder itself they could put a socket of theirs while none of
 * ours is there. */
static bool is_ours_alone(const struct stat *about, bool above)
{
    bool ours = about->st_uid == 0 || about->st_uid == geteuid();
    return ours && (!(about->st_mode & 022) || (above && about->st_mode & S_ISVTX));
}

/* Checks a folder and all above it. *bad: the path is cut after the one at fault. */
static bool check_path(char *folder, struct stat *bad)
{
    bool above = false;
    for (char *slash = folder; slash; above = true) {
        if (stat(*folder ? folder : "/", bad) != 0 || !is_ours_alone(bad, above))
            return false;
        slash = strrchr(folder, '/');
        if (slash)
            *slash = '\0';
    }
    return true;
}

static void refuse_place(const char *folder, const struct stat *about, bx_error *e)
{
    bool ours = about->st_uid == 0 || about->st_uid == geteuid();
    bx_fail(e, BX_NO_ACCESS, 0, 0, "others can put a socket of theirs into the folder '%s'",
            folder);
    if (about->st_mode & S_ISVTX)
        bx_hint(e, "make a folder in it, mkdir -m 755 %s/boxscore, for the socket", folder);
    else
        bx_hint(e, ours ? "chmod go-w %s" : "chown root %s", folder);
}

/* Makes the folder if needed. Another user who owns it, or may write to it, could replace our
 * socket by his own; so could one who can replace the folder. */
static int check_folder(const char *path, bx_error *e)
{
    const char *slash = strrchr(path, '/');
    size_t n = slash && slash > path ? (size_t)(slash - path) : 1;
    char folder[sizeof(((struct sockaddr_un *)NULL)->sun_path)] = ".";
    struct stat about;
    if (slash)
        memcpy(folder, path, n);
    if ((mkdir(folder, 0755) != 0 && errno != EEXIST) || stat(folder, &about) != 0)
        return bx_fail(e, BX_SYSTEM, 0, 0, "the folder '%s' cannot be made: %s", folder,
                       strerror(errno));
    char *real = realpath(folder, NULL);
    if (!real)
        return bx_fail(e, bx_code_of(errno), 0, 0, "the folder '%s' cannot be used: %s", folder,
                       strerror(errno));
    char *at = check_path(folder, &about) ? real : folder; /* links that lead there, then it */
    bool fine = at == real && check_path(real, &about);
    if (!fine)
        refuse_place(*at ? at : "/", &about, e);
    free(real);
    return fine ? BX_OK : BX_NO_ACCESS;
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
    if (check_folder(path, e) != BX_OK)
        return -1;
    if (lstat(path, &about) == 0) {
        errno = EEXIST;
        if (!S_ISSOCK(about.st_mode))
            return failed("listen at", path, -1, e);
        errno = find_listener(&at);
        if (errno || unlink(path))
            return failed("listen at", path, -1, e);
    }
    int fd = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (fd < 0)
        return failed("make a socket for", path, fd, e);
    /* umask instead of chmod: the socket is never open to more users than it should be. */
    mode_t before = umask(group == BX_NO_GROUP ? 0177 : 0117);
    int bound = bind(fd, (const struct sockaddr *)&at, sizeof at);
    umask(before);
    if (bound)
        return failed("listen at", path, fd, e);
    if (group != BX_NO_GROUP && lchown(path, (uid_t)-1, group))
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
    *peer = (bx_peer){.pid = is.pid, .uid = is.uid};
    return is.uid == 0 || is.uid == who->starter || is_member(fd, is.gid, who->group);
}

/* The lock is the name of an abstract socket (unix(7)): the kernel frees it with the process and
 * knows its holder. Each network namespace has its own names: a container with one does not see
 * locks of others, nor would it see their files. */
#include "host/safety/lock.h"

#include <errno.h>
#include <stddef.h>
#include <stdio.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

static socklen_t name_of(struct sockaddr_un *name, uint64_t machine, int package)
{
    *name = (struct sockaddr_un){.sun_family = AF_UNIX};
    int n = snprintf(name->sun_path + 1, sizeof name->sun_path - 1,
                     "boxscore/package %d of %016llx", package, (unsigned long long)machine);
    return (socklen_t)(offsetof(struct sockaddr_un, sun_path) + 1 + (size_t)n);
}

/* SO_PEERCRED of a listening socket is the process that called listen(). */
static pid_t holder_of(const struct sockaddr_un *name, socklen_t length)
{
    struct ucred who = {0};
    socklen_t room = sizeof who;
    int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (fd < 0)
        return 0;
    if (connect(fd, (const struct sockaddr *)name, length) != 0 ||
        getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &who, &room) != 0)
        who.pid = 0;
    close(fd);
    return who.pid > 0 ? who.pid : 0;
}

int bx_lock_take(bx_lock *l, uint64_t machine, int package, pid_t *holder)
{
    struct sockaddr_un name;
    socklen_t length = name_of(&name, machine, package);
    l->package = package;
    l->fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (l->fd < 0)
        return errno;
    /* Connections of holder_of() stay in the queue and are never accepted. */
    if (bind(l->fd, (struct sockaddr *)&name, length) == 0 && listen(l->fd, SOMAXCONN) == 0)
        return 0;
    int err = errno;
    bx_lock_drop(l);
    if (err == EADDRINUSE)
        *holder = holder_of(&name, length);
    return err;
}

void bx_lock_drop(bx_lock *l)
{
    if (l->fd >= 0)
        close(l->fd);
    l->fd = -1;
}

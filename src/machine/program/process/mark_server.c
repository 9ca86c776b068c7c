/* The socket to which a program on the host sends the marks of its regions. */
#include "machine/program/process/mark_server.h"

#include <boxscore/region.h>

#include <errno.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/un.h>
#include <unistd.h>

enum { NAME = 4096, BACKLOG = 64 };

/* The message of a mark, in the format of region.h. */
typedef struct request {
    uint32_t what, thread;
    char name[NAME];
} request;

struct bx_mark_server {
    bx_mark_fn *fn;
    void *context;
    int listener;
    char name[64];    /* of the socket */
    uint32_t *thread; /* [threads]: the kernel's numbers, in the order of their first marks */
    unsigned threads;
};

/* Listens at an abstract socket name, which the kernel keeps and not the file system. */
static int listen_at(const char *name)
{
    struct sockaddr_un at = {.sun_family = AF_UNIX};
    size_t n = strlen(name);
    memcpy(at.sun_path + 1, name, n);
    int fd = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (fd >= 0 &&
        bind(fd, (const struct sockaddr *)&at,
             (socklen_t)(offsetof(struct sockaddr_un, sun_path) + 1 + n)) == 0 &&
        listen(fd, BACKLOG) == 0)
        return fd;
    int err = errno;
    if (fd >= 0)
        close(fd);
    errno = err;
    return -1;
}

bx_mark_server *bx_mark_server_new(bx_mark_fn *fn, void *context)
{
    uint64_t number = 0;
    bx_mark_server *s = calloc(1, sizeof *s);
    if (!s || getrandom(&number, sizeof number, 0) != sizeof number) {
        free(s);
        return NULL;
    }
    s->fn = fn;
    s->context = context;
    snprintf(s->name, sizeof s->name, "boxscore-regions-%016llx", (unsigned long long)number);
    s->listener = listen_at(s->name);
    if (s->listener >= 0)
        return s;
    int err = errno;
    bx_mark_server_free(s);
    errno = err;
    return NULL;
}

void bx_mark_server_free(bx_mark_server *s)
{
    if (!s)
        return;
    if (s->listener >= 0)
        close(s->listener);
    free(s->thread);
    free(s);
}

void bx_mark_server_invite(void *context)
{
    const bx_mark_server *s = context;
    setenv(BX_REGIONS_ENVIRONMENT, s->name, 1);
}

int bx_mark_server_fd(const bx_mark_server *s)
{
    return s->listener;
}

/* The number of a thread, from 1; 0: no memory. */
static unsigned number_of(bx_mark_server *s, uint32_t thread)
{
    for (unsigned i = 0; i < s->threads; i++)
        if (s->thread[i] == thread)
            return i + 1;
    uint32_t *more = realloc(s->thread, (s->threads + 1) * sizeof *more);
    if (!more)
        return 0;
    s->thread = more;
    more[s->threads++] = thread;
    return s->threads;
}

static void tell(bx_mark_server *s, const request *r)
{
    static const enum bx_mark_kind kinds[] = {BX_MARK_END, BX_MARK_BEGIN, BX_MARK_RESET};
    unsigned thread = number_of(s, r->thread), kind = r->what - BX_REGION_REQUEST_END;
    const bx_mark mark = {kind < 3 ? kinds[kind] : BX_MARK_END, thread, -1, r->name};
    if (thread && kind < 3)
        s->fn(s->context, &mark);
}

/* Only processes of our user may send marks. */
static bool is_ours(int fd)
{
    struct ucred who;
    socklen_t n = sizeof who;
    return getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &who, &n) == 0 && who.uid == geteuid();
}

/* A connection brings one mark, which the program sends right after connect(). */
void bx_mark_server_take(bx_mark_server *s)
{
    const struct timeval patience = {1, 0};
    request r;
    int fd = accept4(s->listener, NULL, NULL, SOCK_CLOEXEC);
    if (fd < 0)
        return;
    setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
    ssize_t n = is_ours(fd) ? recv(fd, &r, sizeof r - 1, 0) : -1;
    if (n > (ssize_t)offsetof(request, name)) {
        ((char *)&r)[n] = '\0';
        tell(s, &r);
        send(fd, "", 1, MSG_NOSIGNAL | MSG_DONTWAIT);
    }
    close(fd);
}

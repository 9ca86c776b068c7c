/* The socket to which a program on the host sends the marks of its regions. */
#include "machine/program/process/mark_server.h"

#include "host/system/file.h"

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
    pid_t program; /* 0: none yet */
    uint64_t refused;
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
static unsigned number_of_thread(bx_mark_server *s, uint32_t thread)
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
    unsigned thread = number_of_thread(s, r->thread), kind = r->what - BX_REGION_REQUEST_END;
    const bx_mark mark = {kind < 3 ? kinds[kind] : BX_MARK_END, thread, -1, r->name};
    if (thread && kind < 3)
        s->fn(s->context, &mark);
}

void bx_mark_server_serve(bx_mark_server *s, pid_t program)
{
    s->program = program;
}

uint64_t bx_mark_server_refused(const bx_mark_server *s)
{
    return s->refused;
}

/* proc(5): the name may contain any character; after it are the state and the parent. 0: unknown.
 */
static pid_t parent_of(pid_t pid)
{
    char path[32], text[512];
    long parent = 0;
    snprintf(path, sizeof path, "/proc/%d/stat", (int)pid);
    bx_str all = bx_file_read("", path, text, sizeof text - 1);
    text[all.n] = '\0';
    const char *name_end = strrchr(text, ')');
    return name_end && sscanf(name_end + 1, " %*c %ld", &parent) == 1 ? (pid_t)parent : 0;
}

static bool descends_from(pid_t pid, pid_t ancestor)
{
    enum { DEEPEST = 4096 };
    for (unsigned i = 0; i < DEEPEST && pid > 1 && pid != ancestor; i++)
        pid = parent_of(pid);
    return ancestor > 0 && pid == ancestor;
}

/* Any process of the host can connect; each waits for the answer, so it still exists. */
static bool may_mark(const bx_mark_server *s, int fd)
{
    struct ucred who;
    socklen_t n = sizeof who;
    return getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &who, &n) == 0 &&
           (who.uid == geteuid() || descends_from(who.pid, s->program));
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
    bool may = may_mark(s, fd);
    ssize_t n = may ? recv(fd, &r, sizeof r - 1, 0) : -1;
    s->refused += !may;
    if (n > (ssize_t)offsetof(request, name)) {
        ((char *)&r)[n] = '\0';
        tell(s, &r);
        send(fd, "", 1, MSG_NOSIGNAL | MSG_DONTWAIT);
    }
    close(fd);
}

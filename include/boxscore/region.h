/* Marks regions of a program, so that `boxscore stat --regions` counts each of them:
 *
 *   BX_REGION_BEGIN("solve");
 *   ...
 *   BX_REGION_END("solve");
 *
 * This header is all that a program needs. Where nobody counts, a mark is a dozen instructions,
 * which do nothing. With -DBX_REGIONS_HOST regions are counted on the machine itself, too: a mark
 * is then some microseconds if somebody counts there, and a getenv() if not; that needs POSIX,
 * which -std=c11 hides and -std=gnu11 does not. A name has at most 4,095 bytes.
 * docs/reference/regions.md has the rules. C and C++; on other processors than x86-64 marks do
 * nothing. */
#ifndef BOXSCORE_REGION_H
#define BOXSCORE_REGION_H

/* ('B' << 24 | 'X' << 16) and a number: what boxscore's tool for Valgrind is asked for. */
enum {
    BX_REGION_REQUEST_END = 0x42580000,
    BX_REGION_REQUEST_BEGIN,
    BX_REGION_REQUEST_RESET,
};

#if defined(__x86_64__) && defined(__GNUC__)

/* Four rotations that leave rdi as it was, and an exchange of a register with itself: to Valgrind
 * a request of the program, whose words rax points to. The answer is in rdx. Returns 1 if boxscore
 * traces the program. */
static inline unsigned long bx_region_request(unsigned long request, const char *name)
{
    volatile unsigned long words[6] = {
        request, (unsigned long)name, __builtin_strlen(name), 0, 0, 0,
    };
    unsigned long answer = 0;
    __asm__ volatile("rolq $3, %%rdi\n\t"
                     "rolq $13, %%rdi\n\t"
                     "rolq $61, %%rdi\n\t"
                     "rolq $51, %%rdi\n\t"
                     "xchgq %%rbx, %%rbx"
                     : "+d"(answer)
                     : "a"(&words[0])
                     : "cc", "memory");
    return answer;
}

#else

static inline unsigned long bx_region_request(unsigned long request, const char *name)
{
    (void)request;
    (void)name;
    return 0;
}

#endif

/* The variable with the name of the socket to which marks are sent on a host. */
#define BX_REGIONS_ENVIRONMENT "BOXSCORE_REGIONS"

#ifdef BX_REGIONS_HOST

#include <errno.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <unistd.h>

enum { BX_REGION_NAME = 4095 };

/* A connection for each mark: so threads and forked processes have nothing in common, and no
 * descriptor stays open that the program could close. */
static inline int bx_region_connect(const char *to)
{
    struct sockaddr_un at;
    size_t n = strlen(to);
    int fd = n < sizeof at.sun_path - 1 ? socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0) : -1;
    if (fd < 0)
        return -1;
    memset(&at, 0, sizeof at);
    at.sun_family = AF_UNIX;
    memcpy(at.sun_path + 1, to, n);
    n += offsetof(struct sockaddr_un, sun_path) + 1;
    while (connect(fd, (const struct sockaddr *)&at, (socklen_t)n) != 0)
        if (errno != EINTR) {
            close(fd);
            return -1;
        }
    return fd;
}

/* Returns when boxscore has read its counters; at once if nobody counts. */
static inline void bx_region_tell(unsigned what, const char *name)
{
    struct {
        unsigned what, thread;
        char name[BX_REGION_NAME + 1];
    } request;
    const char *to = getenv(BX_REGIONS_ENVIRONMENT);
    size_t n = strnlen(name, BX_REGION_NAME);
    int before = errno, fd = to ? bx_region_connect(to) : -1;
    char answer;
    if (fd < 0) {
        errno = before;
        return;
    }
    request.what = what;
    request.thread = (unsigned)syscall(SYS_gettid);
    memcpy(request.name, name, n);
    request.name[n] = '\0';
    n += offsetof(__typeof__(request), name) + 1;
    if (send(fd, &request, n, MSG_NOSIGNAL) == (ssize_t)n)
        while (recv(fd, &answer, 1, 0) < 0 && errno == EINTR)
            ;
    close(fd);
    errno = before;
}

#else

static inline void bx_region_tell(unsigned what, const char *name)
{
    (void)what;
    (void)name;
}

#endif

static inline void bx_region_mark(unsigned what, const char *name)
{
    if (!bx_region_request(what, name))
        bx_region_tell(what, name);
}

#define BX_REGION_BEGIN(name) bx_region_mark(BX_REGION_REQUEST_BEGIN, (name))
#define BX_REGION_END(name)   bx_region_mark(BX_REGION_REQUEST_END, (name))

/* Forgets what the region has counted so far. A thread that is in it counts on from here. */
#define BX_REGION_RESET(name) bx_region_mark(BX_REGION_REQUEST_RESET, (name))

#endif

/* Finds running processes and threads, and waits for their end. */
#include "machine/program/process/attached.h"

#include "base/error.h"
#include "machine/program/process/host_program.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

/* A pidfd reports the end of a process at once. A thread has none before Linux 6.9; its state is
 * read every 10 ms. */
enum { LOOK_EVERY_NS = 10000000, WORDS = 512 };

struct bx_attached {
    struct pollfd *ends; /* [n], as in bx_attach: a pidfd; -1: a thread, or it has ended */
    pid_t *watched;      /* [n]: the thread; 0: it has ended, or is a process */
    size_t n, left;      /* n: how many were given; left: how many have not ended */
    bx_attached_thread *threads;
    size_t threads_n;
    int *cgroups; /* [cgroups_n] descriptors of folders */
    size_t cgroups_n;
};

/* ---- /proc ---- */

/* Reads a file of a thread in /proc, NUL-terminated. false: there is no such thread. */
static bool read_proc(pid_t id, const char *file, char *to, size_t room)
{
    char path[64];
    snprintf(path, sizeof path, "/proc/%d/%s", (int)id, file);
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    ssize_t n = fd < 0 ? -1 : read(fd, to, room - 1);
    if (fd >= 0)
        close(fd);
    to[n > 0 ? n : 0] = '\0';
    return n > 0;
}

/* proc(5): the state follows the name, which may contain any character. */
static bool thread_ended(pid_t id)
{
    char text[WORDS];
    if (!read_proc(id, "stat", text, sizeof text))
        return true;
    const char *name_end = strrchr(text, ')');
    return !name_end || !name_end[1] || strchr("ZX", name_end[2]);
}

static int add_thread(bx_attached *a, pid_t id, bx_error *e)
{
    bx_attached_thread *more = realloc(a->threads, (a->threads_n + 1) * sizeof *a->threads);
    if (!more)
        return bx_out_of_memory(e);
    a->threads = more;
    bx_attached_thread *thread = &more[a->threads_n++];
    thread->id = id;
    read_proc(id, "comm", thread->name, sizeof thread->name);
    thread->name[strcspn(thread->name, "\n")] = '\0';
    return BX_OK;
}

static int by_id(const void *a, const void *b)
{
    const bx_attached_thread *x = a, *y = b;
    return (x->id > y->id) - (x->id < y->id);
}

static int missing(const char *what, int id, bx_error *e)
{
    bx_fail(e, BX_NOT_FOUND, 0, 0, "there is no %s %d", what, id);
    bx_hint(e, "ps -e%s lists those that run", *what == 't' ? "L" : "");
    return BX_NOT_FOUND;
}

/* Adds all threads of a process. A thread that ends meanwhile is left out. */
static int add_process(bx_attached *a, size_t i, int id, bx_error *e)
{
    char path[64];
    int code = BX_OK;
    a->ends[i].fd = (int)syscall(SYS_pidfd_open, id, 0);
    if (a->ends[i].fd < 0)
        return errno == ESRCH || errno == EINVAL
                   ? missing("process", id, e)
                   : bx_fail(e, BX_SYSTEM, 0, 0, "process %d: %s", id, strerror(errno));
    snprintf(path, sizeof path, "/proc/%d/task", id);
    DIR *folder = opendir(path);
    if (!folder)
        return missing("process", id, e);
    for (struct dirent *entry; !code && (entry = readdir(folder));)
        if (entry->d_name[0] != '.')
            code = add_thread(a, (pid_t)atoi(entry->d_name), e);
    closedir(folder);
    return code;
}

static int add_one_thread(bx_attached *a, size_t i, int id, bx_error *e)
{
    if (thread_ended(id))
        return missing("thread", id, e);
    a->watched[i] = id;
    return add_thread(a, id, e);
}

/* ---- attached ---- */

int bx_attached_new(const bx_attach *to, bx_attached **a, bx_error *e)
{
    bx_attached *made = calloc(1, sizeof *made);
    if (!made)
        return bx_out_of_memory(e);
    made->ends = calloc(to->n + 1, sizeof *made->ends);
    made->watched = calloc(to->n + 1, sizeof *made->watched);
    int code = made->ends && made->watched ? BX_OK : bx_out_of_memory(e);
    while (!code && made->n < to->n) {
        size_t i = made->n++;
        made->ends[i] = (struct pollfd){.fd = -1, .events = POLLIN};
        code = to->threads ? add_one_thread(made, i, to->ids[i], e)
                           : add_process(made, i, to->ids[i], e);
    }
    made->left = made->n;
    if (code) {
        bx_attached_free(made);
        return code;
    }
    if (made->threads_n)
        qsort(made->threads, made->threads_n, sizeof *made->threads, by_id);
    *a = made;
    return BX_OK;
}

void bx_attached_free(bx_attached *a)
{
    if (!a)
        return;
    for (size_t i = 0; i < a->n; i++)
        if (a->ends[i].fd >= 0)
            close(a->ends[i].fd);
    for (size_t i = 0; i < a->cgroups_n; i++)
        close(a->cgroups[i]);
    free(a->cgroups);
    free(a->ends);
    free(a->watched);
    free(a->threads);
    free(a);
}

const bx_attached_thread *bx_attached_threads(const bx_attached *a, size_t *n)
{
    *n = a->threads_n;
    return a->threads;
}

bool bx_attached_take_cgroup(bx_attached *a, int folder)
{
    int *more = realloc(a->cgroups, (a->cgroups_n + 1) * sizeof *a->cgroups);
    if (!more)
        return false;
    a->cgroups = more;
    a->cgroups[a->cgroups_n++] = folder;
    return true;
}

const int *bx_attached_cgroups(const bx_attached *a, size_t *n)
{
    *n = a->cgroups_n;
    return a->cgroups;
}

static void forget_ended(bx_attached *a)
{
    for (size_t i = 0; i < a->n; i++) {
        if (a->ends[i].fd >= 0 && a->ends[i].revents) {
            close(a->ends[i].fd);
            a->ends[i].fd = -1;
            a->left--;
        } else if (a->watched[i] && thread_ended(a->watched[i])) {
            a->watched[i] = 0;
            a->left--;
        }
    }
}

static bool watches_threads(const bx_attached *a)
{
    return a->n && a->watched[0];
}

void bx_attached_run(bx_attached *a, uint64_t until, bool *done)
{
    bool interrupted = false;
    *done = a->n && !a->left;
    while (!*done && !interrupted) {
        uint64_t now = bx_process_clock(), left = until > now ? until - now : 0;
        if (watches_threads(a) && left > LOOK_EVERY_NS)
            left = LOOK_EVERY_NS;
        const struct timespec patience = {(time_t)(left / 1000000000), (long)(left % 1000000000)};
        interrupted = ppoll(a->ends, (nfds_t)a->n, &patience, NULL) < 0;
        if (!interrupted)
            forget_ended(a);
        *done = a->n && !a->left;
        if (bx_process_clock() >= until)
            break;
    }
}

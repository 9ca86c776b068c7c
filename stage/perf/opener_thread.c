#include "stage/perf/opener_thread.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

struct bx_opener_thread {
    const char *path;
    int jobs[2]; /* a pipe of pointers to jobs; -1: no thread yet */
    pthread_t thread;
    _Atomic(pid_t) id; /* the thread's number in the kernel */
    _Atomic(const bx_open_job *) job;
};

int bx_host_event(const bx_open_request *request, pid_t pid, int cpu, int group)
{
    return (int)syscall(SYS_perf_event_open, &request->attr, pid, cpu, group,
                        request->flags | PERF_FLAG_FD_CLOEXEC);
}

/* ---- in the thread ---- */

static bool is_perf_event(int fd)
{
    char link[48], target[48] = "";
    snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
    return readlink(link, target, sizeof target - 1) > 0 &&
           strcmp(target, "anon_inode:[perf_event]") == 0;
}

static bool is_ours(const bx_opener_thread *o, int fd)
{
    struct stat here, there;
    return stat(o->path, &here) == 0 && fstat(fd, &there) == 0 && here.st_dev == there.st_dev &&
           here.st_ino == there.st_ino;
}

/* Answers the call with the descriptor, or with -err if it is negative. */
static void finish(const bx_open_job *job, int fd, int err)
{
    if (fd < 0 || !bx_call_return_fd(&job->call, fd, job->request.flags & PERF_FLAG_FD_CLOEXEC))
        bx_call_return(&job->call, fd < 0 ? -err : -ENOSYS); /* if the caller still waits */
}

static void open_at_host(const bx_open_job *job, int group)
{
    pid_t pid = job->request.pid == 0 ? job->call.pid : (pid_t)job->request.pid;
    int fd = bx_host_event(&job->request, pid, job->host_cpu, group);
    finish(job, fd, errno);
    if (fd >= 0)
        close(fd);
}

static void open_ours(bx_opener_thread *o, const bx_open_job *job)
{
    atomic_store(&o->job, job);
    int fd = open(o->path, O_RDWR | O_CLOEXEC), err = errno;
    atomic_store(&o->job, NULL);
    finish(job, fd, err);
    if (fd >= 0)
        close(fd);
}

static void perform(bx_opener_thread *o, bx_open_job *job)
{
    int group = job->group < 0 ? -1 : bx_call_descriptor(&job->call, job->group);
    bool ours = group >= 0 && is_ours(o, group);
    if (ours && ioctl(group, PERF_EVENT_IOC_ID, &job->leader) != 0)
        job->leader = 0;
    if (job->group != -1 && (group < 0 || !(ours || is_perf_event(group))))
        bx_call_return(&job->call, -EBADF);
    else if (job->host && !ours && (group >= 0 || job->request.attr.sample_period))
        open_at_host(job, group);
    else if (group >= 0 && !ours) /* Linux would move the leader's group to the hardware PMU */
        bx_call_return(&job->call, -EINVAL);
    else
        open_ours(o, job);
    if (group >= 0)
        close(group);
    free(job);
}

static void *run(void *context)
{
    bx_opener_thread *o = context;
    bx_open_job *job;
    atomic_store(&o->id, (pid_t)syscall(SYS_gettid));
    while (read(o->jobs[0], &job, sizeof job) == sizeof job)
        perform(o, job);
    return NULL;
}

/* ---- in the loop ---- */

bx_opener_thread *bx_opener_thread_new(const char *path)
{
    bx_opener_thread *o = calloc(1, sizeof *o);
    if (o) {
        o->path = path;
        o->jobs[0] = o->jobs[1] = -1;
    }
    return o;
}

/* Each event of the host needs a descriptor of ours. */
static void raise_descriptor_limit(void)
{
    struct rlimit limit;
    if (getrlimit(RLIMIT_NOFILE, &limit) == 0) {
        limit.rlim_cur = limit.rlim_max;
        setrlimit(RLIMIT_NOFILE, &limit);
    }
}

static int begin(bx_opener_thread *o)
{
    sigset_t all, before;
    if (pipe2(o->jobs, O_CLOEXEC) != 0)
        return errno;
    raise_descriptor_limit();
    sigfillset(&all);
    pthread_sigmask(SIG_BLOCK, &all, &before);
    int err = pthread_create(&o->thread, NULL, run, o);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    if (err) {
        close(o->jobs[0]);
        close(o->jobs[1]);
        o->jobs[0] = o->jobs[1] = -1;
    }
    return err;
}

int bx_opener_thread_send(bx_opener_thread *o, bx_open_job *job)
{
    int err = o->jobs[1] < 0 ? begin(o) : 0;
    if (err)
        return err;
    return write(o->jobs[1], &job, sizeof job) == sizeof job ? 0 : errno;
}

const bx_open_job *bx_opener_thread_job(const bx_opener_thread *o, pid_t thread)
{
    return thread == atomic_load(&o->id) ? atomic_load(&o->job) : NULL;
}

void bx_opener_thread_free(bx_opener_thread *o)
{
    if (!o)
        return;
    if (o->jobs[1] >= 0) {
        close(o->jobs[1]);
        pthread_join(o->thread, NULL);
        close(o->jobs[0]);
    }
    free(o);
}

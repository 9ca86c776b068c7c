/* The thread takes jobs from a pipe. It opens the event's file, or an event of the host, for
 * each. */
#include "stage/perf/opener_thread.h"

#include "stage/calls/caller_rights.h"

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
    bx_open_preparer prepare;
    void *context;
    int calls[2]; /* a pipe of bx_call; -1: no thread yet */
    pthread_t thread;
    _Atomic(pid_t) id; /* the thread's number in the kernel */
    _Atomic(bx_open_job *) job;
};

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

/* Answers the call with the descriptor, or with -err if the descriptor is negative. */
static void finish(const bx_open_job *job, int fd, int err)
{
    if (fd < 0 || !bx_call_return_fd(&job->call, fd, job->request.flags & PERF_FLAG_FD_CLOEXEC))
        bx_call_return(&job->call, fd < 0 ? -err : -ENOSYS); /* if the caller still waits */
}

/* Opens an event of the host's kernel, which decides whether the caller may. Returns its
 * descriptor, or -1 and errno. */
static int host_event(const bx_open_job *job, const struct perf_event_attr *attr, uint64_t flags,
                      int group)
{
    bx_own_rights ours;
    if (!bx_caller_rights_assume(&job->call, &ours)) {
        errno = EACCES;
        return -1;
    }
    int fd = (int)syscall(SYS_perf_event_open, attr, job->request.pid, job->host_cpu, group,
                          flags | PERF_FLAG_FD_CLOEXEC),
        err = errno;
    bx_caller_rights_end(&ours);
    errno = err;
    return fd;
}

/* Makes the event one that counts nothing, and has no records of its own. */
static void empty(struct perf_event_attr *attr)
{
    attr->type = PERF_TYPE_SOFTWARE;
    attr->config = PERF_COUNT_SW_DUMMY;
    attr->config1 = attr->config2 = 0;
    attr->mmap = attr->comm = attr->task = attr->mmap_data = attr->mmap2 = attr->context_switch = 0;
    attr->namespaces = attr->ksymbol = attr->bpf_event = attr->cgroup = attr->text_poke = 0;
    attr->precise_ip = 0;
}

static void open_at_host(const bx_open_job *job, int group)
{
    struct perf_event_attr attr = job->request.attr;
    if (job->empty)
        empty(&attr);
    int fd = host_event(job, &attr, job->request.flags, group);
    finish(job, fd, errno);
    if (fd >= 0)
        close(fd);
}

/* An event of the host that the loop switches on and off. */
static int open_for_loop(const bx_open_job *job)
{
    struct perf_event_attr attr = job->request.attr;
    attr.disabled = 1;
    attr.read_format = 0;
    attr.inherit = attr.pinned = attr.exclusive = attr.enable_on_exec = 0;
    return host_event(job, &attr, 0, -1);
}

static void open_ours(bx_opener_thread *o, bx_open_job *job)
{
    if (job->host && (job->host_event = open_for_loop(job)) < 0) {
        finish(job, -1, errno);
        return;
    }
    atomic_store(&o->job, job);
    int fd = open(o->path, O_RDWR | O_CLOEXEC), err = errno;
    atomic_store(&o->job, NULL);
    finish(job, fd, err);
    if (fd >= 0)
        close(fd);
    if (job->host_event >= 0)
        close(job->host_event);
}

static void open_event(bx_opener_thread *o, bx_open_job *job)
{
    int group = job->group < 0 ? -1 : bx_call_descriptor(&job->call, job->group);
    bool ours = group >= 0 && is_ours(o, group);
    if (ours && ioctl(group, PERF_EVENT_IOC_ID, &job->leader) != 0)
        job->leader = 0;
    if (job->group != -1 && (group < 0 || !(ours || is_perf_event(group))))
        bx_call_return(&job->call, -EBADF);
    else if (job->empty && ours) /* a task's event, in the group of a CPU's */
        bx_call_return(&job->call, -EINVAL);
    else if (job->empty || (job->host && !ours && (group >= 0 || job->request.attr.sample_period)))
        open_at_host(job, group);
    else if (group >= 0 && !ours) /* Linux would move the leader's group to the hardware PMU */
        bx_call_return(&job->call, -EINVAL);
    else
        open_ours(o, job);
    if (group >= 0)
        close(group);
}

static void perform(bx_opener_thread *o, const bx_call *call)
{
    bx_open_job job = {.call = *call, .host_event = -1};
    int64_t value = 0;
    switch (o->prepare(o->context, &job, &value)) {
    case BX_CALL_CONTINUES:
        bx_call_continue(call);
        break;
    case BX_CALL_RETURNS:
        bx_call_return(call, value);
        break;
    case BX_CALL_LATER:
        open_event(o, &job);
        break;
    }
}

static void *open_events(void *context)
{
    bx_opener_thread *o = context;
    bx_call call;
    atomic_store(&o->id, (pid_t)syscall(SYS_gettid));
    while (read(o->calls[0], &call, sizeof call) == sizeof call)
        perform(o, &call);
    return NULL;
}

/* ---- in the loop ---- */

bx_opener_thread *bx_opener_thread_new(const char *path, bx_open_preparer prepare, void *context)
{
    bx_opener_thread *o = calloc(1, sizeof *o);
    if (o) {
        o->path = path;
        o->prepare = prepare;
        o->context = context;
        o->calls[0] = o->calls[1] = -1;
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

static int begin_thread(bx_opener_thread *o)
{
    sigset_t all, before;
    if (pipe2(o->calls, O_CLOEXEC) != 0)
        return errno;
    /* The loop must not wait for the thread, which may be waiting for the loop. */
    fcntl(o->calls[1], F_SETFL, O_NONBLOCK);
    raise_descriptor_limit();
    sigfillset(&all);
    pthread_sigmask(SIG_BLOCK, &all, &before);
    int err = pthread_create(&o->thread, NULL, open_events, o);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    if (err) {
        close(o->calls[0]);
        close(o->calls[1]);
        o->calls[0] = o->calls[1] = -1;
    }
    return err;
}

int bx_opener_thread_send(bx_opener_thread *o, const bx_call *call)
{
    int err = o->calls[1] < 0 ? begin_thread(o) : 0;
    if (err)
        return err;
    return write(o->calls[1], call, sizeof *call) == sizeof *call ? 0 : errno;
}

bx_open_job *bx_opener_thread_job(const bx_opener_thread *o, pid_t thread)
{
    return thread == atomic_load(&o->id) ? atomic_load(&o->job) : NULL;
}

void bx_opener_thread_free(bx_opener_thread *o)
{
    if (!o)
        return;
    if (o->calls[1] >= 0) {
        close(o->calls[1]);
        pthread_join(o->thread, NULL);
        close(o->calls[0]);
    }
    free(o);
}

/* Stores the affinity that each thread on stage has set. A thread that has set none inherits one,
 * found through /proc. */
#include "stage/calls/affinity.h"

#include <errno.h>
#include <inttypes.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

/* A thread whose affinity was set, by itself or by another thread. Times are in ticks since
 * boot. */
typedef struct bx_bound_thread {
    pid_t thread;
    uint64_t start_time; /* distinguishes threads that had the same number */
    uint64_t bound_at;   /* when its affinity was set */
    uint64_t mask;
} bx_bound_thread;

enum { MAX_ANCESTORS = 64 };

/* A thread's process and parent, by proc_pid_stat(5) and proc_pid_status(5). */
typedef struct origin {
    uint64_t start_time;
    int process, parent;
} origin;

static bool read_origin(pid_t thread, origin *o)
{
    char file[48], line[1024];
    *o = (origin){0};
    snprintf(file, sizeof file, "/proc/%d/status", thread);
    FILE *f = fopen(file, "re");
    while (f && fgets(line, sizeof line, f)) {
        sscanf(line, "Tgid: %d", &o->process);
        sscanf(line, "PPid: %d", &o->parent);
    }
    if (f)
        fclose(f);
    snprintf(file, sizeof file, "/proc/%d/stat", thread);
    f = fopen(file, "re");
    const char *rest = f && fgets(line, sizeof line, f) ? strrchr(line, ')') : NULL;
    for (int field = 2; rest && field < 22; field++) { /* starttime is the 22nd */
        rest = strchr(rest + 1, ' ');
        if (rest && field == 21)
            o->start_time = strtoull(rest + 1, NULL, 10);
    }
    if (f)
        fclose(f);
    return o->process != 0;
}

static bx_bound_thread *find_thread(const bx_affinity *a, pid_t thread, uint64_t start_time)
{
    for (size_t i = 0; i < a->n; i++)
        if (a->bound[i].thread == thread && a->bound[i].start_time == start_time)
            return &a->bound[i];
    return NULL;
}

static bool has_ended(const bx_bound_thread *b)
{
    origin o;
    return !read_origin(b->thread, &o) || o.start_time != b->start_time;
}

static bx_bound_thread *add_thread(bx_affinity *a)
{
    if (a->n == a->room) {
        size_t alive = 0;
        for (size_t i = 0; i < a->n; i++)
            if (!has_ended(&a->bound[i]))
                a->bound[alive++] = a->bound[i];
        a->n = alive;
    }
    if (2 * a->n >= a->room) {
        size_t room = a->room ? 2 * a->room : 64;
        bx_bound_thread *more = realloc(a->bound, room * sizeof *more);
        if (!more)
            return NULL;
        a->bound = more;
        a->room = room;
    }
    return &a->bound[a->n++];
}

/* Returns the first thread of the thread's process. For a first thread, returns the first thread of
 * the parent process. */
static pid_t parent_of(pid_t thread, const origin *o)
{
    return o->process != thread ? o->process : o->parent;
}

/* Whether a thread descends from this process, which is the reaper. */
static bool is_on_stage(pid_t thread)
{
    origin o;
    for (unsigned i = 0; i < MAX_ANCESTORS && thread != getpid(); i++) {
        if (thread <= 0 || !read_origin(thread, &o))
            return false;
        thread = parent_of(thread, &o);
    }
    return thread == getpid();
}

/* The CPUs that a thread may run on; 0: all. A new thread inherits the affinity of its process, and
 * a new process that of its parent. */
static uint64_t mask_of(const bx_affinity *a, pid_t thread)
{
    uint64_t created_at = UINT64_MAX;
    origin o;
    for (unsigned i = 0; a->n && i < MAX_ANCESTORS && thread != getpid(); i++) {
        if (thread <= 0 || !read_origin(thread, &o))
            break;
        const bx_bound_thread *b = find_thread(a, thread, o.start_time);
        if (b && b->bound_at <= created_at)
            return b->mask;
        created_at = o.start_time;
        thread = parent_of(thread, &o);
    }
    return 0;
}

static uint64_t all_cpus(const bx_affinity *a)
{
    return ~UINT64_C(0) >> (64 - a->cpus);
}

static uint64_t ticks_since_boot(void)
{
    struct timespec t;
    uint64_t hz = (uint64_t)sysconf(_SC_CLK_TCK);
    clock_gettime(CLOCK_BOOTTIME, &t);
    return (uint64_t)t.tv_sec * hz + (uint64_t)t.tv_nsec * hz / 1000000000;
}

/* Binds the thread to those of the CPUs that the host has, too, or to none: events of the host's
 * kernel are counted by CPU. It may fail, as in a program with other rights; that is no error. */
static void bind_at_host(pid_t thread, uint64_t mask)
{
    cpu_set_t ours, set;
    CPU_ZERO(&set);
    if (sched_getaffinity(0, sizeof ours, &ours) != 0)
        return;
    for (uint64_t rest = mask; rest; rest &= rest - 1)
        CPU_SET((size_t)__builtin_ctzll(rest), &set);
    CPU_AND(&set, &set, &ours);
    sched_setaffinity(thread, sizeof set, CPU_COUNT(&set) ? &set : &ours);
}

static int64_t set_affinity(bx_affinity *a, const bx_call *call, pid_t thread)
{
    uint64_t mask = 0, n = call->args[1] < sizeof mask ? call->args[1] : sizeof mask;
    origin o;
    if (bx_call_read(call, call->args[2], &mask, (size_t)n) != 0)
        return -EFAULT;
    mask &= all_cpus(a);
    if (mask == 0)
        return -EINVAL;
    if (!read_origin(thread, &o))
        return -ESRCH;
    bx_bound_thread *b = find_thread(a, thread, o.start_time);
    if (!b)
        b = add_thread(a);
    if (!b)
        return -ENOMEM;
    *b = (bx_bound_thread){thread, o.start_time, ticks_since_boot(), mask};
    bind_at_host(thread, mask);
    return 0;
}

/* Like the kernel's call, it returns the number of bytes written. */
static int64_t get_affinity(const bx_affinity *a, const bx_call *call, uint64_t mask)
{
    if (call->args[1] < sizeof mask || call->args[1] % sizeof mask)
        return -EINVAL;
    if (mask == 0)
        mask = all_cpus(a);
    return bx_call_write(call, call->args[2], &mask, sizeof mask) == 0 ? (int64_t)sizeof mask
                                                                       : -EFAULT;
}

bool bx_affinity_handle(bx_affinity *a, const bx_call *call, int64_t *value)
{
    pid_t thread = (pid_t)call->args[0] ? (pid_t)call->args[0] : call->pid;
    if (thread != call->pid && !is_on_stage(thread))
        return false;
    *value = call->number == SYS_sched_setaffinity ? set_affinity(a, call, thread)
                                                   : get_affinity(a, call, mask_of(a, thread));
    return true;
}

unsigned bx_affinity_cpu(const bx_affinity *a, pid_t thread)
{
    uint64_t mask = mask_of(a, thread);
    return mask ? (unsigned)__builtin_ctzll(mask) : 0;
}

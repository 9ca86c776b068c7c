/* What the stage's loop cannot do itself, since it would wait for itself: opening a file of the
 * stage's own, which is then the program's perf event. A thread does it; what open() says is what
 * perf_event_open() says. */
#ifndef BX_STAGE_PERF_OPENER_THREAD_H
#define BX_STAGE_PERF_OPENER_THREAD_H

#include "stage/calls/calls.h"
#include "stage/perf/attr.h"

typedef struct bx_opener_thread bx_opener_thread;

/* One call of perf_event_open(). */
typedef struct bx_open_job {
    bx_call call;
    bx_open_request request;
    int group; /* descriptor of the program's; -1 */
    bool host; /* the host's kernel has it, on `host_cpu` */
    int host_cpu;
    uint64_t leader; /* the group's leader by its number, found out by the thread; 0: none */
} bx_open_job;

/* The thread begins when there is something to do. path: of the file. */
bx_opener_thread *bx_opener_thread_new(const char *path); /* NULL: out of memory */
void bx_opener_thread_free(bx_opener_thread *o);          /* NULL is fine */

/* Takes over the job, from malloc(). 0 or an errno, and the job is still the caller's. */
int bx_opener_thread_send(bx_opener_thread *o, bx_open_job *job);

/* The job for which this thread opens the file; NULL: it is not ours, or has none. */
const bx_open_job *bx_opener_thread_job(const bx_opener_thread *o, pid_t thread);

/* The events of the host that programs on stage have through us; -1, errno. */
int bx_host_event(const bx_open_request *request, pid_t pid, int cpu, int group);

#endif

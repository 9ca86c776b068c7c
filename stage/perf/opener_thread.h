/* A thread that opens perf events for programs. An event of the machine is a file of the stage, and
 * the stage's loop cannot open it: it would wait for itself. The thread opens the file and returns
 * its descriptor, or the errno of open(), from the program's perf_event_open(). */
#ifndef BX_STAGE_PERF_OPENER_THREAD_H
#define BX_STAGE_PERF_OPENER_THREAD_H

#include "stage/calls/calls.h"
#include "stage/perf/attr.h"

typedef struct bx_opener_thread bx_opener_thread;

/* One call of perf_event_open(). */
typedef struct bx_open_job {
    bx_call call;
    bx_open_request request;
    int group; /* the group leader's descriptor in the program; -1: none */
    bool host; /* an event of the host's kernel, to be opened on `host_cpu` */
    int host_cpu;
    uint64_t leader; /* the leader's event id, which the thread looks up; 0: none */
} bx_open_job;

/* path: of the file to open; not copied. The thread starts with the first job. NULL: out of
 * memory. */
bx_opener_thread *bx_opener_thread_new(const char *path);
void bx_opener_thread_free(bx_opener_thread *o); /* waits for the thread; NULL is fine */

/* Queues a job from malloc(), which the thread frees. On an errno the caller still owns it. */
int bx_opener_thread_send(bx_opener_thread *o, bx_open_job *job);

/* The job for which this thread opens the file now. NULL: another thread, or no job. */
const bx_open_job *bx_opener_thread_job(const bx_opener_thread *o, pid_t thread);

/* Opens an event of the host's kernel. Returns its descriptor, or -1 and errno. */
int bx_host_event(const bx_open_request *request, pid_t pid, int cpu, int group);

#endif

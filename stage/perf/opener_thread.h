/* A thread that answers perf_event_open(). The stage's loop cannot: it would wait for itself. An
 * event of the machine is a file of the stage, and the arguments may be in a page of such a file
 * that the program has mapped and not read yet. The thread opens the file and returns its
 * descriptor, or the errno of open(), from the program's perf_event_open(). */
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
    bool host; /* an event of the host's kernel, opened on `host_cpu` with the caller's rights */
    bool of_program; /* of a program that is counted on a machine of its own */
    bool empty;      /* … of a task on a CPU that the host lacks: the task never runs there */
    int host_cpu;
    int host_event;  /* descriptor of that event, until the loop takes it; -1: none, or taken */
    uint64_t leader; /* the leader's event id, which the thread looks up; 0: none */
} bx_open_job;

/* Called in the thread: reads the arguments of job->call and fills in the job. BX_CALL_LATER: the
 * thread has to open the event. */
typedef enum bx_answer (*bx_open_preparer)(void *context, bx_open_job *job, int64_t *value);

/* path: of the file to open; not copied. The thread starts with the first job. NULL: out of
 * memory. */
bx_opener_thread *bx_opener_thread_new(const char *path, bx_open_preparer prepare, void *context);
void bx_opener_thread_free(bx_opener_thread *o); /* waits for the thread; NULL is fine */

/* Queues a call. Does not wait. 0 or an errno. */
int bx_opener_thread_send(bx_opener_thread *o, const bx_call *call);

/* The job for which this thread opens the file now. NULL: another thread, or no job. */
bx_open_job *bx_opener_thread_job(const bx_opener_thread *o, pid_t thread);

#endif

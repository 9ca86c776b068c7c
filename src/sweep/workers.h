/* Child processes that run side by side, as many at once as asked for. */
#ifndef BX_SWEEP_WORKERS_H
#define BX_SWEEP_WORKERS_H

#include "base/error.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/* A process that has ended. */
typedef struct bx_worker_end {
    size_t job;  /* the caller's number */
    int status;  /* as waitpid(2) gives it */
    uint64_t ns; /* how long it ran */
} bx_worker_end;

typedef struct bx_worker {
    pid_t pid; /* 0: free */
    size_t job;
    uint64_t begin; /* by bx_process_clock() */
} bx_worker;

typedef struct bx_workers {
    bx_worker *worker; /* [most], the caller's, all 0 at first */
    size_t most, running;
} bx_workers;

/* How a process is started. */
typedef struct bx_worker_start {
    const char *const *argv; /* of this program: argv[0] is its name only */
    const char *errors;      /* the file for its standard error */
    const char *outputs;     /* the file for its standard output; NULL: ours */
} bx_worker_start;

/* Starts this program again. It is killed when this process ends. */
int bx_workers_start(bx_workers *w, const bx_worker_start *start, size_t job, bx_error *e);

/* Waits until one has ended. false: a signal came first, or none runs. */
bool bx_workers_await(bx_workers *w, bx_worker_end *end);

/* Ends all of them. */
void bx_workers_stop(bx_workers *w);

#endif

/* The threads of one traced process, each with its task. */
#ifndef BX_MACHINE_PROGRAM_TRACE_THREADS_H
#define BX_MACHINE_PROGRAM_TRACE_THREADS_H

#include "machine/program/trace/family.h"

typedef struct bx_trace_thread {
    bx_task *task; /* NULL: there is no such thread */
    bx_decoder_thread decoder;
    bx_point at_clone; /* where it last called the system: a thread that it has made begins there */
    bool ended;
    unsigned writer; /* its number among all that the process has had */
    uint64_t *seen;  /* [seen_n]: accesses of each other one that it has waited for */
    size_t seen_n;
} bx_trace_thread;

typedef struct bx_trace_threads {
    bx_trace_family *family;
    bx_decoder *decoder; /* of the process */
    bx_trace_thread *at; /* [n], by number */
    size_t n, running, alive;
    bool fresh; /* no thread has been named: the first one that is began the process */
    bx_word_writers *writers; /* NULL: it has one thread */
    bx_task **all;            /* [began], in room for all_room: the tasks of all threads so far */
    size_t began, all_room;
} bx_trace_threads;

/* With one thread, which begins after that. */
bool bx_trace_threads_begin(bx_trace_threads *t, bx_trace_family *family, bx_decoder *decoder,
                            bx_point after);
void bx_trace_threads_free(bx_trace_threads *t);

bx_trace_thread *bx_trace_threads_running(const bx_trace_threads *t);

/* One that was begun by `creator`, after its last system call. */
bool bx_trace_threads_start(bx_trace_threads *t, size_t number, uint64_t creator);
bool bx_trace_threads_run(bx_trace_threads *t, size_t number);
void bx_trace_threads_stop(bx_trace_threads *t, size_t number); /* no such thread is fine */
void bx_trace_threads_stop_all(bx_trace_threads *t);

/* The one with the largest backlog, if that is enough; 0: none. *wanted: another one can run, and
 * wants more. */
uint32_t bx_trace_threads_fullest(const bx_trace_threads *t, bool *wanted);

/* Hands over to the running thread what was decoded for it, in parts where it waits for others. */
void bx_trace_threads_add(bx_trace_threads *t, size_t made);

#endif

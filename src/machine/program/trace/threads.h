/* The threads of one traced process, each with its task. */
#ifndef BX_MACHINE_PROGRAM_TRACE_THREADS_H
#define BX_MACHINE_PROGRAM_TRACE_THREADS_H

#include "machine/program/trace/family.h"

typedef struct bx_trace_thread {
    bx_task *task; /* NULL: there is no such thread */
    bx_decoder_thread decoder;
    bx_point at_clone; /* its last system call: threads that it creates begin there */
    bool ended;
    bool stopped;    /* a signal has stopped the process outside of a system call */
    unsigned writer; /* its number among all threads that the process has had */
    /* [seen_n]: for each other thread, the accesses that it has already waited for */
    uint64_t *seen;
    size_t seen_n;
} bx_trace_thread;

typedef struct bx_trace_writer {
    bx_task *task;
    uint64_t end; /* bx_point.n at its end; 0: it has not ended */
} bx_trace_writer;

typedef struct bx_trace_threads {
    bx_trace_family *family;
    bx_decoder *decoder; /* decoder of the process */
    uint32_t process;    /* its number */
    uint32_t program;    /* what it executes, as a number of the witness; 0: not told, or asked */
    bx_trace_thread *at; /* [n], indexed by number */
    size_t n, running, alive;
    bool fresh;               /* no record has named a thread so far */
    bx_word_writers *writers; /* NULL: only words of the one thread that is left matter */
    bx_trace_writer *all;     /* [began], in room for all_room: all threads so far */
    size_t began, all_room;
} bx_trace_threads;

/* Starts with one thread, which begins after that point. */
bool bx_trace_threads_begin(bx_trace_threads *t, bx_trace_family *family, bx_decoder *decoder,
                            uint32_t process, bx_point after);
void bx_trace_threads_free(bx_trace_threads *t);

bx_trace_thread *bx_trace_threads_running(const bx_trace_threads *t);

bx_task *bx_trace_threads_task(const bx_trace_threads *t, uint64_t number); /* NULL: none */

/* Starts a thread that `creator` has created; it begins after the creator's last system call. */
bool bx_trace_threads_start(bx_trace_threads *t, size_t number, uint64_t creator);
bool bx_trace_threads_run(bx_trace_threads *t, size_t number);
/* Does nothing if there is no such thread. clears: address of the word that the kernel then clears,
 * or 0. Who finds it cleared comes after all that the thread has done. */
void bx_trace_threads_stop(bx_trace_threads *t, size_t number, uint64_t clears);
void bx_trace_threads_stop_all(bx_trace_threads *t);

/* A signal such as SIGSTOP has stopped all threads, or they go on. A stopped thread counts as one
 * in a system call: others do not wait for its accesses. */
void bx_trace_threads_pause(bx_trace_threads *t, bool stopped);

/* The thread with the largest backlog, if that is large enough; 0: none. *wanted: another thread
 * can run and needs more. */
uint32_t bx_trace_threads_fullest(const bx_trace_threads *t, bool *wanted);

/* Hands decoded accesses over to the running thread's task. Splits them where the thread waits for
 * others. A load of a word that another thread has written is then waited for. */
void bx_trace_threads_add(bx_trace_threads *t, bx_access *made, size_t n);

#endif

/* The words of one traced process (tracer/trace_format.h), read into tasks, one for each thread. */
#ifndef BX_MACHINE_PROGRAM_TRACE_STREAM_H
#define BX_MACHINE_PROGRAM_TRACE_STREAM_H

#include "machine/program/trace/family.h"

typedef struct bx_trace_stream bx_trace_stream;

/* number: of the process; time: of its HELLO. Its words cannot be read before
 * bx_trace_stream_begin(). NULL: no memory. */
bx_trace_stream *bx_trace_stream_new(bx_trace_family *family, uint32_t number, uint64_t time);
void bx_trace_stream_free(bx_trace_stream *s); /* NULL is fine */

/* Takes ownership of the address space; NULL means that memory ran out. Its first thread begins
 * after that point. */
bool bx_trace_stream_begin(bx_trace_stream *s, bx_address_space *space, bx_point after);
/* The same, of a forked child. */
bool bx_trace_stream_begin_child(bx_trace_stream *s, const bx_trace_fork *child);
bool bx_trace_stream_has_begun(const bx_trace_stream *s);

/* Reads some of n words, which are whole records of one chunk. Returns whether it made progress.
 * *read: the number of words that are no longer needed. If the words are malformed,
 * family->malformed has the error. */
bool bx_trace_stream_read(bx_trace_stream *s, const uint64_t *words, size_t n, size_t *read);

uint64_t bx_trace_stream_own_number(const bx_trace_stream *s); /* bx_question.stream */
uint64_t bx_trace_stream_time(const bx_trace_stream *s); /* time of the last record that has one */

/* Whether a thread has acquired an object. If so, nothing more is read until the caller calls
 * bx_trace_stream_acquire(). It does so when everything that others did before that time has been
 * read. */
bool bx_trace_stream_acquires(const bx_trace_stream *s, uint64_t *time);
void bx_trace_stream_acquire(bx_trace_stream *s);

void bx_trace_stream_hand_over(bx_trace_stream *s); /* hands over everything that was read */
bx_point bx_trace_stream_point(bx_trace_stream *s); /* the point of the running thread */
/* The running thread is that of `before`, which has called exec(). */
void bx_trace_stream_goes_on(bx_trace_stream *s, const bx_trace_stream *before);

/* The thread with the largest backlog, if it has enough accesses for a long time; 0: none. *wanted:
 * another thread can run and needs more. */
uint32_t bx_trace_stream_fullest(const bx_trace_stream *s, bool *wanted);

bx_trace_life *bx_trace_stream_life(bx_trace_stream *s);

/* As bx_trace_threads_pause(). */
void bx_trace_stream_pause(bx_trace_stream *s, bool stopped);

/* Ends the threads, because no more words follow. */
void bx_trace_stream_end(bx_trace_stream *s);

#endif

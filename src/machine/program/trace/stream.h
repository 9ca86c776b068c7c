/* The words of one traced process (tracer/trace_format.h), read into tasks, one for each thread. */
#ifndef BX_MACHINE_PROGRAM_TRACE_STREAM_H
#define BX_MACHINE_PROGRAM_TRACE_STREAM_H

#include "machine/program/trace/family.h"

typedef struct bx_trace_stream bx_trace_stream;

/* number: of its process; time: when that said hello. Its words cannot be read before it has begun.
 * NULL: no memory. */
bx_trace_stream *bx_trace_stream_new(bx_trace_family *family, uint32_t number, uint64_t time);
void bx_trace_stream_free(bx_trace_stream *s); /* NULL is fine */

/* Takes the address space; NULL is out of memory. Its first thread begins after that. */
bool bx_trace_stream_begin(bx_trace_stream *s, bx_address_space *space, bx_point after);
bool bx_trace_stream_has_begun(const bx_trace_stream *s);

/* Reads some of n words, whole records of one chunk. Returns whether it has done anything; *read:
 * words that it needs no more. What is wrong with them: family->malformed. */
bool bx_trace_stream_read(bx_trace_stream *s, const uint64_t *words, size_t n, size_t *read);

uint64_t bx_trace_stream_time(const bx_trace_stream *s); /* of the last record that has one */

/* A thread has acquired an object. Nothing more can be read until all that others did before that
 * time has been, and the caller says so. */
bool bx_trace_stream_acquires(const bx_trace_stream *s, uint64_t *time);
void bx_trace_stream_acquire(bx_trace_stream *s);

void bx_trace_stream_hand_over(bx_trace_stream *s); /* all that was read */
bx_point bx_trace_stream_point(bx_trace_stream *s); /* where the thread is that runs */

/* The thread with the largest backlog, if that is enough for long; 0: none. *wanted: another one
 * can run, and wants more. */
uint32_t bx_trace_stream_fullest(const bx_trace_stream *s, bool *wanted);

/* No more words come: its threads end. */
void bx_trace_stream_end(bx_trace_stream *s);

#endif

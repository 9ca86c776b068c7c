/* Reads words as those of a process, and executes its tasks without a model. A task's batches are
 * executed one by one, as soon as they wait for nothing. */
#ifndef BX_TESTS_TRACER_STREAMED_H
#define BX_TESTS_TRACER_STREAMED_H

#include "machine/program/trace/stream.h"

typedef struct streamed {
    struct bx_frames *frames;
    bx_tasks tasks;
    bx_trace_family family;
    bx_trace_stream *stream; /* already begun */
} streamed;

void streamed_begin(streamed *s, bool kernel);
void streamed_end(streamed *s);

/* The stream of another process, already begun unless it will be a child. */
bx_trace_stream *streamed_new(streamed *s, uint32_t number, bool begun);

/* Reads until there are no more words. At each acquisition, the words of other processes count as
 * read. Returns how many words were read. */
size_t streamed_read(streamed *s, bx_trace_stream *stream, const uint64_t *words, size_t n);

/* Executes what is possible, task by task, the oldest first. access: called for each, or NULL.
 * Returns the number of accesses. */
size_t streamed_execute(streamed *s, void (*access)(void *context, bx_access a), void *context);

/* Whether everything has been executed. */
bool streamed_is_done(streamed *s);

#endif
